//! Values that record the leaves from which they were computed: registers, inputs, constants, texels and elements of buffers.

use lockstep_core::host::{ConcreteHost, Effect, FetchFormat, Host, Lod, SampleRequest};
use lockstep_core::value::{BBin, Concrete, Domain, FBin, FCmp, FUn, Freedom, IBin, ICmp};
use std::collections::BTreeSet;

/// The numbers of the leaves from which a value was computed.
pub(super) type LeafSet = BTreeSet<usize>;

/// A value, and the leaves from which it was computed.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracked<T> {
    pub(super) value: T,
    pub(super) from: LeafSet,
}

impl<T> Tracked<T> {
    pub(super) fn leaf(value: T, leaf: usize) -> Tracked<T> {
        Tracked { value, from: LeafSet::from([leaf]) }
    }

    fn plain(value: T) -> Tracked<T> {
        Tracked { value, from: LeafSet::new() }
    }

    fn then<U>(&self, value: U) -> Tracked<U> {
        Tracked { value, from: self.from.clone() }
    }

    /// Returns the same value with additional leaves.
    fn and(mut self, from: &LeafSet) -> Tracked<T> {
        self.from.extend(from);
        self
    }
}

/// A domain that computes like [`Concrete`] and records for each value the leaves that it depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct LeafDomain {
    /// The leaves on which control flow depended.
    pub(super) decided: LeafSet,
}

impl Domain for LeafDomain {
    type F = Tracked<f32>;
    type B = Tracked<bool>;
    type I = Tracked<i32>;

    fn f(&self, v: f32) -> Tracked<f32> {
        Tracked::plain(v)
    }
    fn i(&self, v: i32) -> Tracked<i32> {
        Tracked::plain(v)
    }
    fn b(&self, v: bool) -> Tracked<bool> {
        Tracked::plain(v)
    }
    fn un(&self, op: FUn, a: &Tracked<f32>) -> Tracked<f32> {
        a.then(Concrete.un(op, &a.value))
    }
    fn bin(&self, op: FBin, a: &Tracked<f32>, b: &Tracked<f32>) -> Tracked<f32> {
        a.then(Concrete.bin(op, &a.value, &b.value)).and(&b.from)
    }
    fn fma(&self, a: &Tracked<f32>, b: &Tracked<f32>, c: &Tracked<f32>) -> Tracked<f32> {
        a.then(Concrete.fma(&a.value, &b.value, &c.value)).and(&b.from).and(&c.from)
    }
    fn cmp(&self, op: FCmp, a: &Tracked<f32>, b: &Tracked<f32>) -> Tracked<bool> {
        a.then(Concrete.cmp(op, &a.value, &b.value)).and(&b.from)
    }
    fn ibin(&self, op: IBin, a: &Tracked<i32>, b: &Tracked<i32>) -> Tracked<i32> {
        a.then(Concrete.ibin(op, &a.value, &b.value)).and(&b.from)
    }
    fn icmp(&self, op: ICmp, a: &Tracked<i32>, b: &Tracked<i32>) -> Tracked<bool> {
        a.then(Concrete.icmp(op, &a.value, &b.value)).and(&b.from)
    }
    fn logic(&self, op: BBin, a: &Tracked<bool>, b: &Tracked<bool>) -> Tracked<bool> {
        a.then(Concrete.logic(op, &a.value, &b.value)).and(&b.from)
    }
    fn not(&self, a: &Tracked<bool>) -> Tracked<bool> {
        a.then(!a.value)
    }
    fn trunc_i(&self, a: &Tracked<f32>) -> Tracked<i32> {
        a.then(Concrete.trunc_i(&a.value))
    }
    fn to_f(&self, a: &Tracked<i32>) -> Tracked<f32> {
        a.then(Concrete.to_f(&a.value))
    }
    fn bits(&self, a: &Tracked<f32>) -> Tracked<i32> {
        a.then(Concrete.bits(&a.value))
    }
    fn from_bits(&self, a: &Tracked<i32>) -> Tracked<f32> {
        a.then(Concrete.from_bits(&a.value))
    }
    fn sel(&self, c: &Tracked<bool>, a: &Tracked<f32>, b: &Tracked<f32>) -> Tracked<f32> {
        if c.value { a.clone().and(&c.from) } else { b.clone().and(&c.from) }
    }
    fn sel_i(&self, c: &Tracked<bool>, a: &Tracked<i32>, b: &Tracked<i32>) -> Tracked<i32> {
        if c.value { a.clone().and(&c.from) } else { b.clone().and(&c.from) }
    }
    fn sel_b(&self, c: &Tracked<bool>, a: &Tracked<bool>, b: &Tracked<bool>) -> Tracked<bool> {
        if c.value { a.clone().and(&c.from) } else { b.clone().and(&c.from) }
    }
    fn known_f(&self, a: &Tracked<f32>) -> Option<f32> {
        Some(a.value)
    }
    fn known_i(&self, a: &Tracked<i32>) -> Option<i32> {
        Some(a.value)
    }
    fn known_b(&self, a: &Tracked<bool>) -> Option<bool> {
        Some(a.value)
    }
    fn decide(&mut self, a: &Tracked<bool>) -> bool {
        self.decided.extend(&a.from);
        a.value
    }
}

/// The origin of a leaf.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Origin {
    /// A value of the lane's state, by key.
    State(lockstep_core::ir::VarKey),
    /// A component of an input slot.
    Input(u16, usize),
    /// A component of a float constant.
    Constant(i32, usize),
    /// A component of an integer constant.
    Int(u16, usize),
    /// A Boolean constant.
    Bool(u16),
    /// A component of a texture unit's result.
    Texel(u8, usize),
    /// A component of an element of a buffer.
    Element(u8, i32, usize),
}

/// A leaf: its lane in the group (`None` if lanes share it), its origin, and its value for display.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) lane: Option<usize>,
    pub(super) origin: Origin,
    pub(super) value: crate::stepping::Shown,
}

/// All leaves found, shared by both engines.
#[derive(Debug, Default)]
pub(super) struct Leaves(pub(super) Vec<Leaf>);

impl Leaves {
    /// Returns the number of a leaf; adds the leaf if it is new.
    pub(super) fn intern(
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

    fn float(&mut self, lane: Option<usize>, origin: Origin, value: f32) -> Tracked<f32> {
        Tracked::leaf(value, self.intern(lane, origin, || crate::stepping::Shown::float(value)))
    }
}

/// A host that records every value read as a leaf.
pub(super) struct RecordingHost<'a, 'e> {
    pub(super) inner: ConcreteHost<'e, false>,
    pub(super) leaves: &'a mut Leaves,
    /// The leaves of each lane's effects.
    pub(super) effects: [LeafSet; 4],
}

impl Host<LeafDomain> for RecordingHost<'_, '_> {
    fn input(&mut self, _: &LeafDomain, lane: usize, slot: u16) -> [Tracked<f32>; 4] {
        let values = self.inner.input(&Concrete, lane, slot);
        std::array::from_fn(|c| self.leaves.float(Some(lane), Origin::Input(slot, c), values[c]))
    }

    fn constant(&mut self, _: &LeafDomain, slot: &Tracked<i32>) -> [Tracked<f32>; 4] {
        let values = self.inner.constant(&Concrete, &slot.value);
        std::array::from_fn(|c| {
            self.leaves.float(None, Origin::Constant(slot.value, c), values[c]).and(&slot.from)
        })
    }

    fn int_constant(&mut self, _: &LeafDomain, slot: u16) -> [Tracked<i32>; 4] {
        let values = self.inner.int_constant(&Concrete, slot);
        std::array::from_fn(|c| {
            let shown = || crate::stepping::Shown::int(values[c]);
            Tracked::leaf(values[c], self.leaves.intern(None, Origin::Int(slot, c), shown))
        })
    }

    fn bool_constant(&mut self, _: &LeafDomain, slot: u16) -> Tracked<bool> {
        let value = self.inner.bool_constant(&Concrete, slot);
        Tracked::leaf(
            value,
            self.leaves.intern(None, Origin::Bool(slot), || crate::stepping::Shown::truth(value)),
        )
    }

    fn sample(
        &mut self,
        _: &LeafDomain,
        unit: u8,
        request: &SampleRequest<Tracked<f32>>,
    ) -> [Tracked<f32>; 4] {
        let mut from = LeafSet::new();
        let mut plain = |v: &Tracked<f32>| {
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

    fn fetch(
        &mut self,
        _: &LeafDomain,
        buffer: u8,
        format: FetchFormat,
        index: &Tracked<i32>,
    ) -> [Tracked<f32>; 4] {
        let element = self.inner.fetch(&Concrete, buffer, format, &index.value);
        std::array::from_fn(|c| {
            let origin = Origin::Element(buffer, index.value, c);
            self.leaves.float(None, origin, element[c]).and(&index.from)
        })
    }

    fn effect(&mut self, _: &LeafDomain, lane: usize, effect: Effect<LeafDomain>) {
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

    fn record(&mut self, _: Freedom, _: &Tracked<bool>) {}
}
