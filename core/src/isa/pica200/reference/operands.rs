//! The values of sources (S1).

use super::{Lane, LaneContext, Vec4, sum};
use crate::host::Host;
use crate::isa::pica200::options::Choice;
use crate::isa::pica200::program::{Register, Source};
use crate::isa::pica200::word::Index;
use crate::value::{Domain, Freedom, IBin, ICmp};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Returns the value of a source after swizzle, then sign.
    pub(super) fn source(&mut self, lane: &Lane<D>, source: &Source) -> Vec4<D> {
        let d = self.d;
        let register = match source.register {
            Register::Input(n) => self.host.input(d, self.at, n.into()),
            Register::Temporary(n) => lane.temporaries[usize::from(n)].clone(),
            Register::Uniform(n) => match Index::from_number(source.idx) {
                Some(Index::None) | None => self.host.constant(d, &d.i(n.into())),
                Some(Index::A0X) => self.relative(n, &lane.address[0]),
                Some(Index::A0Y) => self.relative(n, &lane.address[1]),
                Some(Index::Loop) => self.relative(n, &lane.address[2]),
            },
        };
        std::array::from_fn(|c| {
            let value = &register[source.component(c)];
            if source.negate { d.neg(value) } else { value.clone() }
        })
    }

    /// Reads `c[n + offset]`. An offset outside -128 to 127 counts as 0. The sum is taken modulo 128, and the numbers 96 to 127 read as ones (HW
    /// citra #6910, #6920, #6942). Under an option, an offset outside the range reads as zeros.
    fn relative(&mut self, n: u8, offset: &D::I) -> Vec4<D> {
        let d = self.d;
        let below = d.icmp(ICmp::LtS, offset, &d.i(-128));
        let above = d.icmp(ICmp::LtS, &d.i(127), offset);
        let outside = d.or(&below, &above);
        self.record(Freedom::IndexRange, &outside);
        let offset = d.sel_i(&outside, &d.i(0), offset);
        let slot = d.ibin(IBin::And, &sum(d, &d.i(n.into()), &offset), &d.i(0x7f));
        let missing = d.icmp(ICmp::LtS, &d.i(95), &slot);
        let uniform = self.host.constant(d, &slot);
        let zero = self.choice(Choice::RelativeRange) == 1;
        uniform.map(|value| {
            let ring = d.sel(&missing, &d.f(1.0), &value);
            if zero { d.sel(&outside, &d.f(0.0), &ring) } else { ring }
        })
    }
}
