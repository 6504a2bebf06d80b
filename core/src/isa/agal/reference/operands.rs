//! Reads the values of sources.

use super::super::options::Choice;
use super::super::program::{File, Source};
use super::{INSTANCE_SLOT, Lane, LaneContext, Vec4};
use crate::host::Host;
use crate::isa::Stage;
use crate::value::{Domain, FUn, Freedom, IBin, ICmp};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Returns the value of a register, before swizzling.
    pub(super) fn register(&mut self, lane: &Lane<D>, file: u8, number: u16) -> Vec4<D> {
        let zeros = || std::array::from_fn(|_| self.d.f(0.0));
        match File::from_number(file) {
            Some(File::Attribute) => self.host.input(self.d, self.at, number),
            Some(File::Varying) if self.cx.program.stage == Stage::Fragment => {
                self.host.input(self.d, self.at, number)
            }
            Some(File::Instance) => self.host.input(self.d, self.at, INSTANCE_SLOT),
            Some(File::Constant) => self.host.constant(self.d, &self.d.i(i32::from(number))),
            Some(File::Temporary) => lane.temporaries.get(usize::from(number)).cloned().unwrap_or_else(zeros),
            _ => zeros(),
        }
    }

    /// Returns the value, before swizzling, of the register that is `row` registers after the source's register.
    pub(super) fn raw(&mut self, lane: &Lane<D>, source: &Source, row: u16) -> Vec4<D> {
        if source.indirect == 0 {
            return self.register(lane, source.file, source.number.wrapping_add(row));
        }
        let index = self.register(lane, source.index_file, source.number);
        let index = self.index(&index[usize::from(source.index_component)]);
        let offset = match self.choice(Choice::Offset) {
            0 => i32::from(source.offset),
            _ => i32::from(source.offset as i8),
        };
        self.record(Freedom::IndexRange, &self.d.b(source.offset >= 128));
        let slot = self.d.ibin(IBin::Add, &index, &self.d.i(offset + i32::from(row)));
        let slot = self.constant_in_range(slot);
        self.host.constant(self.d, &slot)
    }

    /// Replaces the number of an indexed constant that does not exist, if an option requires it.
    pub(super) fn constant_in_range(&mut self, slot: D::I) -> D::I {
        let d = self.d;
        let (first, last) = (d.i(0), d.i(i32::from(self.cx.entry.interface.constants.max(1)) - 1));
        let (below, above) = (d.icmp(ICmp::LtS, &slot, &first), d.icmp(ICmp::LtS, &last, &slot));
        self.record(Freedom::IndexRange, &d.or(&below, &above));
        match self.choice(Choice::ConstantRange) {
            0 => slot,
            1 => d.sel_i(&below, &first, &d.sel_i(&above, &last, &slot)),
            _ => d.sel_i(&d.or(&below, &above), &first, &slot),
        }
    }

    /// Converts the value of an index register to an integer.
    pub(super) fn index(&mut self, value: &D::F) -> D::I {
        let d = self.d;
        let whole = d.eq(value, &d.un(FUn::Trunc, value));
        self.host.record(Freedom::IndexConversion, &d.not(&whole));
        match self.choice(Choice::Index) {
            0 => d.trunc_i(&d.un(FUn::Trunc, value)),
            1 => d.trunc_i(&d.un(FUn::RoundEven, value)),
            _ => d.trunc_i(&d.un(FUn::Floor, value)),
        }
    }

    /// Returns the value of a source, after swizzling.
    pub(super) fn source(&mut self, lane: &Lane<D>, source: &Source) -> Vec4<D> {
        let raw = self.raw(lane, source, 0);
        std::array::from_fn(|i| raw[source.component(i)].clone())
    }
}
