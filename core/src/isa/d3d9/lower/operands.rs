//! Lowers reads of source operands.

use super::{
    COORDINATES_SLOT, Components, File, Lower, POSITION_SLOT, float, has_texture_registers, int, is_ps1,
    predicate_var,
};
use crate::ir::{Flush, Op, QuadLane, Value};
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{self, Modifier, Relative, Source, constant_number};
use crate::value::{FCmp, FUn, IBin, ICmp};
use smallvec::SmallVec;

/// The location that the components of a source are read from.
pub(super) enum OperandLocation {
    Register(u8, u16),
    /// A constant with a computed number.
    Constant(Value),
    /// An indexed input: for each input, the condition under which it is read.
    Input(SmallVec<[Value; 16]>),
    Nowhere,
}

impl Lower<'_, '_> {
    /// Reads component `c` of a register.
    pub(super) fn register(&mut self, file: u8, number: u16, c: usize) -> Value {
        use program::File as F;
        if let Some(partner) = &self.partner
            && (partner.file, partner.number) == (file, number)
        {
            let var = float(self.b, File::Before, 0, c);
            return self.b.read(var);
        }
        if let Some(constant) = constant_number(file, number) {
            return self.constant(constant, c);
        }
        let pixel = self.cx.program.version.is_pixel();
        let slot = match F::from_number(file) {
            Some(F::Temporary) if number < 32 => {
                let var = float(self.b, File::Temporary, number, c);
                return self.b.read(var);
            }
            Some(F::Address) if pixel && number < 8 && has_texture_registers(self.cx) => {
                let var = float(self.b, File::Texture, number, c);
                return self.b.read(var);
            }
            Some(F::Input) if number < 16 => number,
            Some(F::Address) if pixel && number < 8 => COORDINATES_SLOT + number,
            Some(F::Misc) if pixel && number < 2 => POSITION_SLOT + number,
            _ => return self.b.f(0.0),
        };
        self.input(slot, c)
    }

    fn input(&mut self, slot: u16, c: usize) -> Value {
        let number = slot * 4 + c as u16;
        let op = self.lane.map_or(Op::Input(number), |lane| Op::QuadInput(lane, number));
        self.b.op(op, &[])
    }

    /// Whether a source is an input register with a fixed number. Its value in every lane of the quad is known, even if the quad has diverged.
    fn is_interpolated(&self, source: &Source) -> bool {
        use program::File as F;
        let file = F::from_number(source.file);
        !is_ps1(self.cx)
            && matches!(source.relative, Relative::Direct)
            && matches!(file, Some(F::Input | F::Address | F::Misc))
    }

    /// Computes the derivative of `own`, the values that `compute` computes from `source`: in x if `x` is set, otherwise in y. The derivative of an
    /// interpolated input does not depend on whether the quad has diverged (MS: legal within dynamic flow).
    pub(super) fn derivatives(
        &mut self,
        x: bool,
        source: Option<&Source>,
        own: &Components,
        compute: impl Fn(&mut Self) -> Components,
    ) -> Components {
        let fine = self.option_is(Choice::Derivative, 0);
        if !source.is_some_and(|source| self.is_interpolated(source)) {
            let op = if x { Op::Ddx { fine } } else { Op::Ddy { fine } };
            return own.map(|value| value.map(|value| self.b.op(op, &[value])));
        }
        let [from, to] = QuadLane::of_derivative(x, fine).map(|lane| {
            self.lane = Some(lane);
            compute(self)
        });
        self.lane = None;
        std::array::from_fn(|c| own[c].and(Some(self.b.sub(to[c]?, from[c]?))))
    }

    /// Reads component `c` of a texture stage's coordinates.
    pub(super) fn coordinate(&mut self, stage: u16, c: usize) -> Value {
        self.input(COORDINATES_SLOT + (stage & 0x7ff), c)
    }

    fn constant(&mut self, number: u16, c: usize) -> Value {
        let value = self.b.op(Op::Uniform(number * 4 + c as u16), &[]);
        if is_ps1(self.cx) { self.bounded(value, 1.0) } else { value }
    }

    /// Clamps a value to the range from `-most` to `most`.
    pub(super) fn bounded(&mut self, value: Value, most: f32) -> Value {
        let (low, high) = (self.b.f(-most), self.b.f(most));
        let below = self.b.cmp(FCmp::Lt, value, low);
        let above = self.b.cmp(FCmp::Lt, high, value);
        let inner = self.b.sel(above, high, value);
        self.b.sel(below, low, inner)
    }

    /// Returns the value that a relative address adds to the register number; `None` for direct addressing.
    pub(super) fn index(&mut self, relative: &Relative) -> Option<Value> {
        let (file, component) = match relative {
            Relative::Direct => return None,
            Relative::Implied => (File::Address, 0),
            Relative::Indexed(by) if by.file == program::File::Loop as u8 => (File::Counter, 0),
            Relative::Indexed(by) => (File::Address, usize::from(by.component())),
        };
        let var = int(self.b, file, 0, component);
        Some(self.b.read(var))
    }

    /// Returns `index + number`. Under an option, the sum is clamped to the first `reach` registers.
    fn slot(&mut self, index: Value, number: i32, reach: i32) -> Value {
        let number = self.b.i(number);
        let slot = self.b.ibin(IBin::Add, index, number);
        if self.option_is(Choice::RelativeRange, 0) {
            return slot;
        }
        let (first, last) = (self.b.i(0), self.b.i(reach - 1));
        let below = self.b.icmp(ICmp::LtS, slot, first);
        let above = self.b.icmp(ICmp::LtS, last, slot);
        let inner = self.b.sel_i(above, last, slot);
        self.b.sel_i(below, first, inner)
    }

    /// Returns the location of a source, `row` registers after the register in the encoding.
    pub(super) fn location(&mut self, source: &Source, row: u16) -> OperandLocation {
        let Some(index) = self.index(&source.relative) else {
            return OperandLocation::Register(source.file, source.number.saturating_add(row));
        };
        if let Some(constant) = source.constant() {
            let reach = i32::from(self.cx.entry.interface.constants.max(1));
            return OperandLocation::Constant(self.slot(index, i32::from(constant) + i32::from(row), reach));
        }
        if !source.is(program::File::Input) {
            return OperandLocation::Nowhere;
        }
        let inputs = if self.cx.program.version.is_pixel() { 10 } else { 16 };
        let slot = self.slot(index, i32::from(source.number.saturating_add(row)), inputs);
        let mut here = SmallVec::new();
        for k in 0..inputs {
            let number = self.b.i(k);
            here.push(self.b.icmp(ICmp::Eq, slot, number));
        }
        OperandLocation::Input(here)
    }

    /// Reads component `c` of a location. An instruction that flushes reads a subnormal number as zero.
    pub(super) fn at(&mut self, location: &OperandLocation, c: usize) -> Value {
        let value = self.content(location, c);
        if self.flushes { self.b.op(Op::Flush(Flush::Subnormal), &[value]) } else { value }
    }

    fn content(&mut self, location: &OperandLocation, c: usize) -> Value {
        match location {
            OperandLocation::Register(file, number) => self.register(*file, *number, c),
            OperandLocation::Constant(slot) => self.b.op(Op::UniformAt(c as u8), &[*slot]),
            OperandLocation::Input(here) => {
                let mut value = self.b.f(0.0);
                for (k, here) in here.iter().enumerate() {
                    let input = self.input(k as u16, c);
                    value = self.b.sel(*here, input, value);
                }
                value
            }
            OperandLocation::Nowhere => self.b.f(0.0),
        }
    }

    /// Reads the components of a source that `mask` selects, with swizzle and modifier.
    pub(super) fn components(&mut self, source: &Source, mask: u8) -> Components {
        let location = self.location(source, 0);
        let modifier = Modifier::from_number(source.modifier).unwrap_or(Modifier::None);
        let divides = matches!(modifier, Modifier::Dz | Modifier::Dw);
        // A register component that the swizzle selects several times is modified only once, except by a division, which only concerns x and y.
        let mut done: Components = [None; 4];
        let mut out: Components = [None; 4];
        for c in (0..4).filter(|c| mask >> c & 1 == 1) {
            let from = source.component(c);
            out[c] = Some(match done[from] {
                Some(value) if !divides => value,
                _ => {
                    let value = self.at(&location, from);
                    let value = self.modify(modifier, value, &location, c);
                    done[from] = Some(value);
                    value
                }
            });
        }
        out
    }

    fn modify(&mut self, modifier: Modifier, x: Value, location: &OperandLocation, c: usize) -> Value {
        use Modifier as M;
        let magnitude = match modifier {
            M::Bias | M::BiasNeg | M::Bx2 | M::Bx2Neg => {
                let half = self.b.f(0.5);
                self.b.sub(x, half)
            }
            M::Abs | M::AbsNeg => self.b.un(FUn::Abs, x),
            M::Complement => {
                let one = self.b.f(1.0);
                self.b.sub(one, x)
            }
            M::Dz | M::Dw if c < 2 => {
                let by = self.at(location, if modifier == M::Dz { 2 } else { 3 });
                self.ratio(x, by)
            }
            M::None | M::Neg | M::X2 | M::X2Neg | M::Dz | M::Dw | M::Not => x,
        };
        let scaled = if matches!(modifier, M::Bx2 | M::Bx2Neg | M::X2 | M::X2Neg) {
            self.b.add(magnitude, magnitude)
        } else {
            magnitude
        };
        if matches!(modifier, M::Neg | M::BiasNeg | M::Bx2Neg | M::X2Neg | M::AbsNeg) {
            self.b.un(FUn::Neg, scaled)
        } else {
            scaled
        }
    }

    /// Returns `a / b`, or 1 where the divisor is zero.
    pub(super) fn ratio(&mut self, a: Value, b: Value) -> Value {
        let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
        let is_zero = self.b.cmp(FCmp::Eq, b, zero);
        let quotient = self.b.div(a, b);
        self.b.sel(is_zero, one, quotient)
    }

    /// Reads the first `n` components of a source; the other elements of the result are unused.
    pub(super) fn vector(&mut self, source: &Source, n: usize) -> [Value; 4] {
        let read = self.components(source, ((1u16 << n) - 1) as u8);
        let first = read[0].unwrap_or(Value(0));
        read.map(|v| v.unwrap_or(first))
    }

    /// For each result component in `mask`, reads the source component that a scalar operation uses.
    pub(super) fn scalars(&mut self, source: &Source, mask: u8) -> Components {
        let one = if source.is_replicated() || self.option_is(Choice::ScalarLane, 2) {
            0
        } else if self.option_is(Choice::ScalarLane, 0) {
            3
        } else {
            return self.components(source, mask);
        };
        let read = self.components(source, 1 << one);
        [0, 1, 2, 3].map(|c| read[one].filter(|_| mask >> c & 1 == 1))
    }

    /// Reads a Boolean constant, or component `c` of the predicate, and applies the modifier `not`.
    pub(super) fn condition_value(&mut self, source: &Source, c: usize) -> Value {
        let value = match program::File::from_number(source.file) {
            Some(program::File::Bool) => self.b.op(Op::BoolUniform(source.number), &[]),
            Some(program::File::Predicate) => {
                let var = predicate_var(self.b, source.component(c));
                self.b.read(var)
            }
            _ => self.b.b(false),
        };
        if source.modifier == Modifier::Not as u8 { self.b.not(value) } else { value }
    }
}
