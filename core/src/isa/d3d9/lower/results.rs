//! Lowers writes of results.

use super::{Components, DEPTH_SLOT, File, Lower, float, has_texture_registers, int, is_ps1, predicate_var};
use crate::ir::{Flush, Op, Value, Var};
use crate::isa::d3d9::opcode::{Kind, Opcode};
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{self, Dest, Instruction, Source};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp};

/// Whether the destination is in the register file that contains a0 in vertex shaders.
pub(super) fn has_address_dest(i: &Instruction) -> bool {
    i.dest.is_some_and(|dest| dest.file == program::File::Address as u8)
}

impl Lower<'_, '_> {
    /// Returns whether the predicate enables component `c`; `None` if the instruction has no predicate.
    fn enabled_by_predicate(&mut self, i: &Instruction, c: usize) -> Option<Value> {
        let predicate = i.predicate.as_ref()?;
        Some(self.condition_value(predicate, c))
    }

    /// Returns the variable of component `c` of a destination.
    fn target(&mut self, dest: &Dest, c: usize) -> Option<Var> {
        use program::File as F;
        let is_sm3 = self.cx.program.version.major >= 3;
        let n = dest.number;
        let slot = match F::from_number(dest.file)? {
            F::Temporary => return (n < 32).then(|| float(self.b, File::Temporary, n, c)),
            F::Address => {
                let texture = n < 8 && has_texture_registers(self.cx);
                return texture.then(|| float(self.b, File::Texture, n, c));
            }
            F::Rasterizer if n < 3 => n,
            F::ColorOut if n < 2 => n + 4,
            F::CoordinateOut if is_sm3 => n,
            F::CoordinateOut => n + 8,
            F::PixelColor if n < 4 => n,
            F::PixelDepth => DEPTH_SLOT,
            _ => return None,
        };
        (slot < 16).then(|| float(self.b, File::Output, slot, c))
    }

    /// Applies the result shift and modifiers, and writes the result.
    pub(super) fn store(&mut self, i: &Instruction, dest: &Dest, parts: Components) {
        for (c, part) in parts.into_iter().enumerate() {
            let Some(value) = part else { continue };
            let value = self.apply_result_modifiers(i, dest, value);
            let permit = self.enabled_by_predicate(i, c);
            match self.index(&dest.relative) {
                Some(index) => self.store_at(index, dest, c, value, permit),
                None => {
                    if let Some(var) = self.target(dest, c) {
                        self.write_var(var, value, permit);
                    }
                }
            }
        }
    }

    fn write_var(&mut self, var: Var, value: Value, permit: Option<Value>) {
        let value = match permit {
            Some(permit) => {
                let old = self.b.read(var);
                self.b.sel(permit, value, old)
            }
            None => value,
        };
        self.b.write(var, value);
    }

    /// Writes NaN to a scratch register.
    pub(super) fn destroy_scratch(&mut self, i: &Instruction, scratch: &Source) {
        if scratch.file != program::File::Temporary as u8 || scratch.number >= 32 {
            return;
        }
        let nan = self.b.f(f32::NAN);
        for c in 0..4 {
            let permit = self.enabled_by_predicate(i, c);
            let var = float(self.b, File::Temporary, scratch.number, c);
            self.write_var(var, nan, permit);
        }
    }

    /// Writes the output that an index selects, with one select for each output that can be indexed.
    fn store_at(&mut self, index: Value, dest: &Dest, c: usize, value: Value, permit: Option<Value>) {
        let outputs = if self.cx.program.version.minor == 255 { 16 } else { 12 };
        let number = self.b.i(i32::from(dest.number));
        let slot = self.b.ibin(IBin::Add, index, number);
        for k in 0..outputs {
            let this = self.b.i(i32::from(k));
            let here = self.b.icmp(ICmp::Eq, slot, this);
            let var = float(self.b, File::Output, k, c);
            let old = self.b.read(var);
            let moved = self.b.sel(here, value, old);
            self.write_var(var, moved, permit);
        }
    }

    fn apply_result_modifiers(&mut self, i: &Instruction, dest: &Dest, value: Value) -> Value {
        let exponent = dest.exponent();
        let value = if exponent == 0 {
            value
        } else if exponent == 1 {
            self.b.add(value, value)
        } else {
            // The scale is a power of two from 2^-8 to 2^7, so it is exact.
            let scale = self.b.f(f32::from_bits(((127 + i32::from(exponent)) as u32) << 23));
            self.b.mul(scale, value)
        };
        let value = if self.flushes { self.b.op(Op::Flush(Flush::Subnormal), &[value]) } else { value };
        if dest.saturates() {
            return self.saturate(value);
        }
        if !is_ps1(self.cx) || i.op().is_none_or(|op| op.row().kind != Kind::Arithmetic) {
            value
        } else if self.option_is(Choice::PixelRange, 1) {
            self.bounded(value, 8.0)
        } else {
            value
        }
    }

    /// Clamps a value to the range from 0 to 1.
    pub(super) fn saturate(&mut self, value: Value) -> Value {
        let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
        if self.option_is(Choice::SaturateNan, 1) {
            let low = self.b.min(value, one);
            return self.b.max(low, zero);
        }
        let high = self.b.max(value, zero);
        let plain = self.b.min(high, one);
        if self.option_is(Choice::SaturateNan, 0) {
            return plain;
        }
        let number = self.b.cmp(FCmp::Eq, value, value);
        self.b.sel(number, plain, value)
    }

    /// Lowers a write to a0, which converts floats to integers.
    pub(super) fn set_address(&mut self, op: Opcode, i: &Instruction) {
        let (Some(dest), Some(source)) = (i.dest, i.sources.first()) else { return };
        let values = self.components(source, dest.mask);
        let old_style = op == Opcode::Mov && self.cx.program.version.major == 1;
        for (c, value) in values.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let whole = if old_style && self.option_is(Choice::AddressMov, 0) {
                self.b.un(FUn::Floor, value)
            } else if old_style || self.option_is(Choice::AddressRound, 0) {
                self.b.un(FUn::RoundEven, value)
            } else if self.option_is(Choice::AddressRound, 2) {
                let half = self.b.f(0.5);
                let sum = self.b.add(value, half);
                self.b.un(FUn::Floor, sum)
            } else {
                let magnitude = self.b.un(FUn::Abs, value);
                let half = self.b.f(0.5);
                let up = self.b.add(magnitude, half);
                let whole = self.b.un(FUn::Floor, up);
                let minus = self.b.un(FUn::Neg, whole);
                let zero = self.b.f(0.0);
                let negative = self.b.cmp(FCmp::Lt, value, zero);
                self.b.sel(negative, minus, whole)
            };
            let mut number = self.b.op(Op::TruncI, &[whole]);
            let var = int(self.b, File::Address, 0, c);
            if let Some(permit) = self.enabled_by_predicate(i, c) {
                let old = self.b.read(var);
                number = self.b.sel_i(permit, number, old);
            }
            self.b.write(var, number);
        }
    }

    /// Lowers a write to p0, whose components are the results of comparisons.
    pub(super) fn set_predicate(&mut self, i: &Instruction) {
        let (Some(dest), [a, b]) = (i.dest, &i.sources[..]) else { return };
        let (a, b) = (self.components(a, dest.mask), self.components(b, dest.mask));
        let mut new = [None; 4];
        for c in 0..4 {
            let (Some(a), Some(b)) = (a[c], b[c]) else { continue };
            let holds = self.compare(i.control, a, b);
            new[c] = Some(match self.enabled_by_predicate(i, c) {
                Some(permit) => {
                    let var = predicate_var(self.b, c);
                    let old = self.b.read(var);
                    self.b.sel_b(permit, holds, old)
                }
                None => holds,
            });
        }
        for (c, value) in new.into_iter().enumerate() {
            if let Some(value) = value {
                let var = predicate_var(self.b, c);
                self.b.write(var, value);
            }
        }
    }

    /// Discards the pixel if any tested component is negative.
    pub(super) fn kill(&mut self, i: &Instruction) {
        let Some(dest) = i.dest else { return };
        let mask = if is_ps1(self.cx) || self.option_is(Choice::KillLanes, 2) {
            7
        } else if self.option_is(Choice::KillLanes, 1) {
            dest.mask
        } else {
            15
        };
        let zero = self.b.f(0.0);
        for c in (0..4).filter(|c| mask >> c & 1 == 1) {
            let value = if has_texture_registers(self.cx) {
                self.coordinate(dest.number, c)
            } else {
                self.register(dest.file, dest.number, c)
            };
            let mut below = self.b.cmp(FCmp::Lt, value, zero);
            if let Some(permit) = self.enabled_by_predicate(i, c) {
                below = self.b.logic(BBin::And, permit, below);
            }
            self.b.op(Op::Kill, &[below]);
        }
    }
}
