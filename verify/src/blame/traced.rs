//! Numbers that know which registers, constants and texels they were computed from.

use lockstep_core::host::{Bound, Effect, FetchFormat, Host, Lod, SampleRequest};
use lockstep_core::value::{BBin, Concrete, Domain, FBin, FCmp, FUn, Freedom, IBin, ICmp};
use std::collections::BTreeSet;

/// What a value came from: numbers of leaves.
pub(super) type From = BTreeSet<usize>;

/// A value and what it came from.
#[derive(Clone, Debug, Default)]
pub(super) struct With<T> {
    pub(super) value: T,
    pub(super) from: From,
}

impl<T> With<T> {
    pub(super) fn leaf(value: T, leaf: usize) -> With<T> {
        With { value, from: From::from([leaf]) }
    }

    fn plain(value: T) -> With<T> {
        With { value, from: From::new() }
    }

    fn then<U>(&self, value: U) -> With<U> {
        With { value, from: self.from.clone() }
    }

    /// The same value, come from something else, too.
    fn and(mut self, from: &From) -> With<T> {
        self.from.extend(from);
        self
    }
}

/// Computes as [`Concrete`] and keeps the books.
#[derive(Clone, Debug, Default)]
pub(super) struct Traced {
    /// What control flow was decided by.
    pub(super) decided: From,
}

impl Domain for Traced {
    type F = With<f32>;
    type B = With<bool>;
    type I = With<i32>;

    fn f(&self, v: f32) -> With<f32> {
        With::plain(v)
    }
    fn i(&self, v: i32) -> With<i32> {
        With::plain(v)
    }
    fn b(&self, v: bool) -> With<bool> {
        With::plain(v)
    }
    fn un(&self, op: FUn, a: &With<f32>) -> With<f32> {
        a.then(Concrete.un(op, &a.value))
    }
    fn bin(&self, op: FBin, a: &With<f32>, b: &With<f32>) -> With<f32> {
        a.then(Concrete.bin(op, &a.value, &b.value)).and(&b.from)
    }
    fn fma(&self, a: &With<f32>, b: &With<f32>, c: &With<f32>) -> With<f32> {
        a.then(Concrete.fma(&a.value, &b.value, &c.value)).and(&b.from).and(&c.from)
    }
    fn cmp(&self, op: FCmp, a: &With<f32>, b: &With<f32>) -> With<bool> {
        a.then(Concrete.cmp(op, &a.value, &b.value)).and(&b.from)
    }
    fn ibin(&self, op: IBin, a: &With<i32>, b: &With<i32>) -> With<i32> {
        a.then(Concrete.ibin(op, &a.value, &b.value)).and(&b.from)
    }
    fn icmp(&self, op: ICmp, a: &With<i32>, b: &With<i32>) -> With<bool> {
        a.then(Concrete.icmp(op, &a.value, &b.value)).and(&b.from)
    }
    fn logic(&self, op: BBin, a: &With<bool>, b: &With<bool>) -> With<bool> {
        a.then(Concrete.logic(op, &a.value, &b.value)).and(&b.from)
    }
    fn not(&self, a: &With<bool>) -> With<bool> {
        a.then(!a.value)
    }
    fn trunc_i(&self, a: &With<f32>) -> With<i32> {
        a.then(Concrete.trunc_i(&a.value))
    }
    fn to_f(&self, a: &With<i32>) -> With<f32> {
        a.then(Concrete.to_f(&a.value))
    }
    fn bits(&self, a: &With<f32>) -> With<i32> {
        a.then(Concrete.bits(&a.value))
    }
    fn from_bits(&self, a: &With<i32>) -> With<f32> {
        a.then(Concrete.from_bits(&a.value))
    }
    fn sel(&self, c: &With<bool>, a: &With<f32>, b: &With<f32>) -> With<f32> {
        if c.value { a.clone().and(&c.from) } else { b.clone().and(&c.from) }
    }
    fn sel_i(&self, c: &With<bool>, a: &With<i32>, b: &With<i32>) -> With<i32> {
        if c.value { a.clone().and(&c.from) } else { b.clone().and(&c.from) }
    }
    fn sel_b(&self, c: &With<bool>, a: &With<bool>, b: &With<bool>) -> With<bool> {
        if c.value { a.clone().and(&c.from) } else { b.clone().and(&c.from) }
    }
    fn known_f(&self, a: &With<f32>) -> Option<f32> {
        Some(a.value)
    }
    fn known_i(&self, a: &With<i32>) -> Option<i32> {
        Some(a.value)
    }
    fn known_b(&self, a: &With<bool>) -> Option<bool> {
        Some(a.value)
    }
    fn decide(&mut self, a: &With<bool>) -> bool {
        self.decided.extend(&a.from);
        a.value
    }
}

/// Something that values come from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Origin {
    /// What a lane holds, by the key of its state.
    State(lockstep_core::ir::VarKey),
    /// A component of an input slot.
    Input(u16, usize),
    /// A component of a float constant.
    Constant(i32, usize),
    /// A component of an integer constant.
    Int(u16, usize),
    /// A truth constant.
    Bool(u16),
    /// A component of what a texture unit gave.
    Texel(u8, usize),
    /// A component of an element of a buffer.
    Element(u8, i32, usize),
}

/// A leaf: of which lane of the group it is, `None` where lanes share it, and its value as a register shows it.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) lane: Option<usize>,
    pub(super) origin: Origin,
    pub(super) value: crate::stepping::Shown,
}

/// All leaves that were met. Both engines name what they read by them.
#[derive(Debug, Default)]
pub(super) struct Leaves(pub(super) Vec<Leaf>);

impl Leaves {
    /// The number of a leaf, which is added when first met.
    pub(super) fn number(
        &mut self,
        lane: Option<usize>,
        origin: Origin,
        value: impl FnOnce() -> crate::stepping::Shown,
    ) -> usize {
        let known = self.0.iter().position(|leaf| leaf.lane == lane && leaf.origin == origin);
        known.unwrap_or_else(|| {
            self.0.push(Leaf { lane, origin, value: value() });
            self.0.len() - 1
        })
    }

    fn float(&mut self, lane: Option<usize>, origin: Origin, value: f32) -> With<f32> {
        With::leaf(value, self.number(lane, origin, || crate::stepping::Shown::float(value)))
    }
}

/// The outside, with books kept of what is read.
pub(super) struct Watched<'a, 'e> {
    pub(super) inner: Bound<'e, false>,
    pub(super) leaves: &'a mut Leaves,
    /// What effects of each lane came from.
    pub(super) effects: [From; 4],
}

impl Host<Traced> for Watched<'_, '_> {
    fn input(&mut self, _: &Traced, lane: usize, slot: u16) -> [With<f32>; 4] {
        let values = self.inner.input(&Concrete, lane, slot);
        std::array::from_fn(|c| self.leaves.float(Some(lane), Origin::Input(slot, c), values[c]))
    }

    fn constant(&mut self, _: &Traced, slot: &With<i32>) -> [With<f32>; 4] {
        let values = self.inner.constant(&Concrete, &slot.value);
        std::array::from_fn(|c| {
            self.leaves.float(None, Origin::Constant(slot.value, c), values[c]).and(&slot.from)
        })
    }

    fn int_constant(&mut self, _: &Traced, slot: u16) -> [With<i32>; 4] {
        let values = self.inner.int_constant(&Concrete, slot);
        std::array::from_fn(|c| {
            let shown = || crate::stepping::Shown::int(values[c]);
            With::leaf(values[c], self.leaves.number(None, Origin::Int(slot, c), shown))
        })
    }

    fn bool_constant(&mut self, _: &Traced, slot: u16) -> With<bool> {
        let value = self.inner.bool_constant(&Concrete, slot);
        With::leaf(
            value,
            self.leaves.number(None, Origin::Bool(slot), || crate::stepping::Shown::truth(value)),
        )
    }

    fn sample(&mut self, _: &Traced, unit: u8, request: &SampleRequest<With<f32>>) -> [With<f32>; 4] {
        let mut from = From::new();
        let mut plain = |v: &With<f32>| {
            from.extend(&v.from);
            v.value
        };
        let coords = request.coords.each_ref().map(&mut plain);
        let lod = match &request.lod {
            Lod::Base => Lod::Base,
            Lod::Explicit(level) => Lod::Explicit(plain(level)),
            Lod::Gradient { dx, dy, bias } => Lod::Gradient {
                dx: dx.each_ref().map(&mut plain),
                dy: dy.each_ref().map(&mut plain),
                bias: plain(bias),
            },
        };
        let request = SampleRequest {
            dimension: request.dimension,
            state: request.state,
            access: request.access,
            coords,
            lod,
        };
        let texel = self.inner.sample(&Concrete, unit, &request);
        std::array::from_fn(|c| self.leaves.float(None, Origin::Texel(unit, c), texel[c]).and(&from))
    }

    fn fetch(&mut self, _: &Traced, buffer: u8, format: FetchFormat, index: &With<i32>) -> [With<f32>; 4] {
        let element = self.inner.fetch(&Concrete, buffer, format, &index.value);
        std::array::from_fn(|c| {
            let origin = Origin::Element(buffer, index.value, c);
            self.leaves.float(None, origin, element[c]).and(&index.from)
        })
    }

    fn effect(&mut self, _: &Traced, lane: usize, effect: Effect<Traced>) {
        let Some(from) = self.effects.get_mut(lane) else { return };
        from.extend(&effect.when.from);
        if effect.when.value {
            for (c, value) in effect.values.iter().enumerate() {
                if effect.mask >> c & 1 == 1 {
                    from.extend(&value.from);
                }
            }
        }
    }

    fn touch(&mut self, _: Freedom, _: &With<bool>) {}
}
