//! Writes of results: shift, saturation, predicate, mask (MS, MSTOK, 9ON12).

use super::{Components, DEPTH_SLOT, Lane, LaneContext, has_texture_registers, is_ps1, sum};
use crate::host::Host;
use crate::isa::d3d9::opcode::{Kind, Opcode};
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{Dest, File, Instruction, Modifier, Source};
use crate::value::{Domain, FUn, Freedom, ICmp};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Whether an instruction writes `a0`.
    pub(super) fn writes_address(&self, i: &Instruction) -> bool {
        !self.cx.program.version.is_pixel() && i.dest.is_some_and(|d| d.is(File::Address))
    }

    /// Returns whether the predicate enables component `c`; `None` if the instruction has no predicate.
    pub(super) fn enabled_by_predicate(&mut self, i: &Instruction, lane: &Lane<D>, c: usize) -> Option<D::B> {
        let predicate = i.predicate.as_ref()?;
        let value = self.condition_value(lane, predicate, c);
        Some(if predicate.modifier == Modifier::Not as u8 { self.d.not(&value) } else { value })
    }

    /// Writes a result, with shift, saturation, mask and predicate.
    pub(super) fn write(&mut self, i: &Instruction, dest: &Dest, lane: &mut Lane<D>, result: Components<D>) {
        if dest.is(File::Temporary) && dest.mask == 15 && i.predicate.is_none() && dest.number < 32 {
            lane.destroyed &= !(1 << dest.number);
        }
        for (c, value) in result.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let value = self.apply_result_modifiers(i, dest, value);
            let allowed = self.enabled_by_predicate(i, lane, c);
            let d = self.d;
            let put = |place: &mut D::F, value: D::F| {
                *place = match &allowed {
                    Some(allowed) => d.sel(allowed, &value, place),
                    None => value,
                };
            };
            if let Some(index) = Self::index(lane, &dest.relative) {
                let reach = if self.cx.program.version.minor == 0xff { 16 } else { 12 };
                let slot = sum(d, &index, &d.i(i32::from(dest.number)));
                for (k, register) in lane.outputs.iter_mut().enumerate().take(reach) {
                    let here = d.icmp(ICmp::Eq, &slot, &d.i(k as i32));
                    let moved = d.sel(&here, &value, &register[c]);
                    put(&mut register[c], moved);
                }
                let inside = d.icmp(ICmp::LtU, &slot, &d.i(reach as i32));
                self.record(Freedom::IndexRange, &d.not(&inside));
            } else if let Some(register) = self.target(lane, dest) {
                put(&mut register[c], value);
            }
        }
    }

    /// Returns the register of a destination other than `a0` and `p0`; `None` if the lane has no such register.
    fn target<'l>(&self, lane: &'l mut Lane<D>, dest: &Dest) -> Option<&'l mut [D::F; 4]> {
        let number = usize::from(dest.number);
        let is_sm3 = self.cx.program.version.major >= 3;
        match File::from_number(dest.file)? {
            File::Temporary => lane.temporaries.get_mut(number),
            File::Address if has_texture_registers(self.cx) => lane.textures.get_mut(number),
            // The output slots of oPos, oFog and oPts, of oD, and of oT or o; see `interface`.
            File::Rasterizer if number < 3 => lane.outputs.get_mut(number),
            File::ColorOut if number < 2 => lane.outputs.get_mut(4 + number),
            File::CoordinateOut if is_sm3 => lane.outputs.get_mut(number),
            File::CoordinateOut => lane.outputs.get_mut(8 + number),
            File::PixelColor if number < 4 => lane.outputs.get_mut(number),
            File::PixelDepth => lane.outputs.get_mut(DEPTH_SLOT),
            _ => None,
        }
    }

    fn apply_result_modifiers(&mut self, i: &Instruction, dest: &Dest, value: D::F) -> D::F {
        let d = self.d;
        let shifted = match dest.exponent() {
            0 => value,
            1 => d.add(&value, &value),
            n => d.mul(&d.f(f32::from(n).exp2()), &value),
        };
        let shifted = if self.is_arithmetic { self.flushed(shifted) } else { shifted };
        if dest.saturates() {
            return self.saturated(&shifted);
        }
        let arithmetic = i.op().is_some_and(|op| op.row().kind == Kind::Arithmetic);
        if is_ps1(self.cx) && arithmetic { self.clamped_to_register(shifted) } else { shifted }
    }

    /// Marks a scratch register as destroyed. Under an option, the contents of the register become NaN.
    pub(super) fn destroy(&mut self, i: &Instruction, scratch: &Source, lane: &mut Lane<D>) {
        let at = usize::from(scratch.number);
        if !scratch.is(File::Temporary) || at >= lane.temporaries.len() {
            return;
        }
        lane.destroyed |= 1 << at;
        if self.choice(Choice::Scratch) == 0 {
            return;
        }
        for c in 0..4 {
            let (lost, kept) = (self.d.f(f32::NAN), lane.temporaries[at][c].clone());
            lane.temporaries[at][c] = match self.enabled_by_predicate(i, lane, c) {
                Some(allowed) => self.d.sel(&allowed, &lost, &kept),
                None => lost,
            };
        }
    }

    /// Returns a result of arithmetic in ps_1_x. Under an option, the result is clamped to the range of a register, -8 to 8.
    fn clamped_to_register(&mut self, value: D::F) -> D::F {
        let d = self.d;
        self.record(Freedom::Range, &d.lt(&d.f(1.0), &d.abs(&value)));
        if self.choice(Choice::PixelRange) == 0 {
            return value;
        }
        let (low, high) = (d.f(-8.0), d.f(8.0));
        d.sel(&d.lt(&value, &low), &low, &d.sel(&d.lt(&high, &value), &high, &value))
    }

    /// Whether clamping to the range from 0 to 1 changes a value: a value outside of the range, NaN, or -0, which becomes +0.
    pub(super) fn is_clamped(&self, value: &D::F) -> D::B {
        let d = self.d;
        d.or(&d.is_signed(value), &d.not(&d.le(value, &d.f(1.0))))
    }

    /// Clamps a value to the range from 0 to 1. An option decides the result for NaN.
    pub(super) fn saturated(&mut self, value: &D::F) -> D::F {
        let d = self.d;
        self.record(Freedom::SaturateNan, &d.is_nan(value));
        let (zero, one) = (d.f(0.0), d.f(1.0));
        let at_most_one = |v: &D::F| d.sel(&d.lt(v, &one), v, &one);
        let at_least_zero = |v: &D::F| d.sel(&d.lt(&zero, v), v, &zero);
        match self.choice(Choice::SaturateNan) {
            0 => at_most_one(&at_least_zero(value)),
            1 => at_least_zero(&at_most_one(value)),
            _ => d.sel(&d.is_nan(value), value, &at_most_one(&at_least_zero(value))),
        }
    }

    /// Converts the components of the source to integers and writes them to `a0`.
    pub(super) fn set_address(&mut self, op: Opcode, i: &Instruction, lane: &mut Lane<D>) {
        let d = self.d;
        let (Some(dest), Some(source)) = (&i.dest, i.sources.first()) else { return };
        let value = self.source(lane, source);
        let early_mov = self.cx.program.version.major < 2 && op == Opcode::Mov;
        for c in (0..4).filter(|c| dest.mask >> c & 1 == 1) {
            let v = &value[c];
            let whole = d.un(FUn::Trunc, v);
            self.record(Freedom::IndexConversion, &d.not(&d.eq(&whole, v)));
            let even = || d.un(FUn::RoundEven, v);
            let rounded = if early_mov {
                match self.choice(Choice::AddressMov) {
                    0 => d.un(FUn::Floor, v),
                    _ => even(),
                }
            } else {
                match self.choice(Choice::AddressRound) {
                    0 => even(),
                    1 => self.round_half_away(v),
                    _ => d.un(FUn::Floor, &d.add(v, &d.f(0.5))),
                }
            };
            let new = d.trunc_i(&rounded);
            lane.address[c] = match self.enabled_by_predicate(i, lane, c) {
                Some(allowed) => d.sel_i(&allowed, &new, &lane.address[c]),
                None => new,
            };
        }
    }

    /// Rounds to an integer, with ties away from zero: floor(|v| + 0.5) with the sign of v.
    fn round_half_away(&self, v: &D::F) -> D::F {
        let d = self.d;
        let size = d.un(FUn::Floor, &d.add(&d.abs(v), &d.f(0.5)));
        d.sel(&d.lt(v, &d.f(0.0)), &d.neg(&size), &size)
    }

    /// Writes the results of comparisons to `p0`.
    pub(super) fn set_predicate(&mut self, i: &Instruction, lane: &mut Lane<D>) {
        let (Some(dest), [a, b]) = (&i.dest, &i.sources[..]) else { return };
        let (a, b) = (self.source(lane, a), self.source(lane, b));
        let mut new = lane.predicate.clone();
        for c in (0..4).filter(|c| dest.mask >> c & 1 == 1) {
            let holds = self.compare(i.control, &a[c], &b[c]);
            new[c] = match self.enabled_by_predicate(i, lane, c) {
                Some(allowed) => self.d.sel_b(&allowed, &holds, &lane.predicate[c]),
                None => holds,
            };
        }
        lane.predicate = new;
    }

    /// Discards the pixel if a tested component is below 0.
    pub(super) fn kill(&mut self, i: &Instruction, lane: &mut Lane<D>) {
        let d = self.d;
        let Some(dest) = &i.dest else { return };
        let early = is_ps1(self.cx);
        let value = if has_texture_registers(self.cx) {
            self.coordinates(dest.number)
        } else {
            self.register(lane, dest.file, dest.number)
        };
        let tested = if early {
            0b0111
        } else {
            self.record(Freedom::KillLanes, &d.b(true));
            match self.choice(Choice::KillLanes) {
                0 => 0b1111,
                1 => dest.mask,
                _ => 0b0111,
            }
        };
        for (c, value) in value.iter().enumerate().filter(|(c, _)| tested >> c & 1 == 1) {
            let below = d.lt(value, &d.f(0.0));
            let below = match self.enabled_by_predicate(i, lane, c) {
                Some(allowed) => d.and(&allowed, &below),
                None => below,
            };
            lane.killed = d.or(&lane.killed, &below);
        }
    }
}
