//! Reading registers: relative addresses, swizzles and source modifiers (MS, MSTOK).

use super::{COORDINATES_SLOT, Lane, LaneContext, POSITION_SLOT, Vec4, has_texture_registers, is_ps1, sum};
use crate::host::Host;
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{File, Modifier, Relative, Source, constant_number};
use crate::value::{Domain, Freedom, IBin, ICmp};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    pub(super) fn zeros(&self) -> Vec4<D> {
        std::array::from_fn(|_| self.d.f(0.0))
    }

    /// Returns the value of a register, before swizzle and modifier.
    pub(super) fn register(&mut self, lane: &Lane<D>, file: u8, number: u16) -> Vec4<D> {
        if self.partner.is_some_and(|p| p.file == file && p.number == number) {
            return lane.coissue_old_value.clone();
        }
        if let Some(constant) = constant_number(file, number) {
            return self.constant(constant);
        }
        let at = usize::from(number);
        let pixel = self.cx.program.version.is_pixel();
        match File::from_number(file) {
            Some(File::Temporary) => {
                if self.host.records_freedoms() {
                    let destroyed = number < 32 && lane.destroyed >> number & 1 == 1;
                    self.record(Freedom::Scratch, &self.d.b(destroyed));
                }
                lane.temporaries.get(at).cloned().unwrap_or_else(|| self.zeros())
            }
            Some(File::Input) if number < 16 => self.host.input(self.d, self.at, number),
            Some(File::Address) if pixel && has_texture_registers(self.cx) => {
                lane.textures.get(at).cloned().unwrap_or_else(|| self.zeros())
            }
            Some(File::Address) if pixel && number < 8 => self.coordinates(number),
            Some(File::Misc) if pixel && number < 2 => {
                self.host.input(self.d, self.at, POSITION_SLOT + number)
            }
            _ => self.zeros(),
        }
    }

    /// Returns the coordinates of a texture stage.
    pub(super) fn coordinates(&mut self, stage: u16) -> Vec4<D> {
        self.host.input(self.d, self.at, COORDINATES_SLOT.saturating_add(stage))
    }

    /// Returns a constant. In ps_1_x its components are clamped to the range from -1 to 1 (9ON12, WTEST).
    fn constant(&mut self, number: u16) -> Vec4<D> {
        let d = self.d;
        let value = self.host.constant(d, &d.i(i32::from(number)));
        if !is_ps1(self.cx) {
            return value;
        }
        value.map(|v| {
            let (low, high) = (d.f(-1.0), d.f(1.0));
            d.sel(&d.lt(&v, &low), &low, &d.sel(&d.lt(&high, &v), &high, &v))
        })
    }

    /// Returns the value that a relative address adds to the register number; `None` for direct addressing.
    pub(super) fn index(lane: &Lane<D>, relative: &Relative) -> Option<D::I> {
        match relative {
            Relative::Direct => None,
            Relative::Implied => Some(lane.address[0].clone()),
            Relative::Indexed(by) if by.file == File::Loop as u8 => Some(lane.counter.clone()),
            Relative::Indexed(by) => Some(lane.address[usize::from(by.component())].clone()),
        }
    }

    /// Returns the value of a source's register, or of the register `row` numbers after it, before swizzle and modifier. Under an option, subnormal
    /// components become zeros if the instruction is arithmetic and not a move.
    pub(super) fn raw(&mut self, lane: &Lane<D>, source: &Source, row: u16) -> Vec4<D> {
        let value = self.contents(lane, source, row);
        if self.is_arithmetic { value.map(|v| self.flushed(v)) } else { value }
    }

    /// Returns an operand or result of arithmetic. Under an option, a subnormal number is replaced by a zero of the same sign.
    pub(super) fn flushed(&mut self, value: D::F) -> D::F {
        let d = self.d;
        let flushes = self.choice(Choice::Subnormals) != 0;
        if !flushes && !self.host.records_freedoms() {
            return value;
        }
        let tiny = d.lt(&d.abs(&value), &d.f(f32::MIN_POSITIVE));
        self.record(Freedom::Subnormal, &d.and(&tiny, &d.not(&d.eq(&value, &d.f(0.0)))));
        if !flushes {
            return value;
        }
        let zero = d.from_bits(&d.ibin(IBin::And, &d.bits(&value), &d.i(i32::MIN)));
        d.sel(&tiny, &zero, &value)
    }

    /// Returns the contents of a source's register, or of the register `row` numbers after it.
    fn contents(&mut self, lane: &Lane<D>, source: &Source, row: u16) -> Vec4<D> {
        let d = self.d;
        let number = source.number.saturating_add(row);
        let Some(index) = Self::index(lane, &source.relative) else {
            return self.register(lane, source.file, number);
        };
        if let Some(constant) = source.constant() {
            let reach = i32::from(self.cx.entry.interface.constants).max(1);
            let slot = sum(d, &index, &d.i(i32::from(constant) + i32::from(row)));
            let slot = self.clamped_number(slot, reach);
            return self.host.constant(d, &slot);
        }
        if !source.is(File::Input) {
            return self.zeros();
        }
        // An index can reach v0 to v15 in vertex shaders, and v0 to v9 in pixel shaders.
        let reach = if self.cx.program.version.is_pixel() { 10 } else { 16 };
        let slot = sum(d, &index, &d.i(i32::from(number)));
        let slot = self.clamped_number(slot, reach);
        (0..reach).fold(self.zeros(), |rest, k| {
            let here = d.icmp(ICmp::Eq, &slot, &d.i(k));
            let value = self.host.input(d, self.at, k as u16);
            std::array::from_fn(|c| d.sel(&here, &value[c], &rest[c]))
        })
    }

    /// Returns a computed register number. Under an option, a number below 0 becomes 0, and a number of `reach` or more becomes `reach - 1`.
    fn clamped_number(&mut self, slot: D::I, reach: i32) -> D::I {
        let d = self.d;
        let (first, last) = (d.i(0), d.i(reach - 1));
        let (below, above) = (d.icmp(ICmp::LtS, &slot, &first), d.icmp(ICmp::LtS, &last, &slot));
        self.record(Freedom::IndexRange, &d.or(&below, &above));
        match self.choice(Choice::RelativeRange) {
            0 => slot,
            _ => d.sel_i(&below, &first, &d.sel_i(&above, &last, &slot)),
        }
    }

    /// Returns the value of a source after swizzle and modifier.
    pub(super) fn source(&mut self, lane: &Lane<D>, source: &Source) -> Vec4<D> {
        let raw = self.raw(lane, source, 0);
        std::array::from_fn(|c| self.modified(source, &raw, c))
    }

    fn modified(&self, source: &Source, raw: &Vec4<D>, c: usize) -> D::F {
        let d = self.d;
        let x = &raw[source.component(c)];
        let bias = || d.sub(x, &d.f(0.5));
        let twice = |v: &D::F| d.add(v, v);
        match Modifier::from_number(source.modifier) {
            Some(Modifier::Neg) => d.neg(x),
            Some(Modifier::Bias) => bias(),
            Some(Modifier::BiasNeg) => d.neg(&bias()),
            Some(Modifier::Bx2) => twice(&bias()),
            Some(Modifier::Bx2Neg) => d.neg(&twice(&bias())),
            Some(Modifier::Complement) => d.sub(&d.f(1.0), x),
            Some(Modifier::X2) => twice(x),
            Some(Modifier::X2Neg) => d.neg(&twice(x)),
            // The first two components are divided by the third (_dz) or fourth (_dw) component of the register.
            Some(Modifier::Dz) if c < 2 => self.ratio(x, &raw[2]),
            Some(Modifier::Dw) if c < 2 => self.ratio(x, &raw[3]),
            Some(Modifier::Abs) => d.abs(x),
            Some(Modifier::AbsNeg) => d.neg(&d.abs(x)),
            Some(Modifier::None | Modifier::Not | Modifier::Dz | Modifier::Dw) | None => x.clone(),
        }
    }

    /// Returns `a / b` as ps_1_x computes it: division by zero gives 1.
    pub(super) fn ratio(&self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        d.sel(&d.eq(b, &d.f(0.0)), &d.f(1.0), &d.div(a, b))
    }

    /// Returns the source component that a scalar operation uses for component `c` of its result.
    pub(super) fn scalar_component(&mut self, source: &Source, c: usize) -> usize {
        if source.is_replicated() {
            return 0;
        }
        self.record(Freedom::ScalarLane, &self.d.b(true));
        match self.choice(Choice::ScalarLane) {
            0 => 3,
            1 => c,
            _ => 0,
        }
    }

    /// Returns the component of a source that [`LaneContext::scalar_component`] selects for component `c` of the result.
    pub(super) fn scalar(&mut self, lane: &Lane<D>, source: &Source, c: usize) -> D::F {
        let value = self.source(lane, source);
        value[self.scalar_component(source, c)].clone()
    }

    /// Returns a Boolean constant, or a component of the predicate. The caller applies `not`.
    pub(super) fn condition_value(&mut self, lane: &Lane<D>, source: &Source, c: usize) -> D::B {
        match File::from_number(source.file) {
            Some(File::Bool) => self.host.bool_constant(self.d, source.number),
            Some(File::Predicate) => lane.predicate[source.component(c)].clone(),
            _ => self.d.b(false),
        }
    }
}
