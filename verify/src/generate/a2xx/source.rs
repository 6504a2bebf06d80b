//! Generation of source operands of ALU slots: register or constant, swizzle and sign.

use super::body::{Body, REGISTERS, bits};
use super::range::{PreferredRange, Range, hull, signed};
use crate::generate::Entropy;
use lockstep_core::isa::a2xx::program::{Source, component, swizzle};

/// A source with the address register of its relative address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) source: Source,
    /// Whether the address of a relative constant is relative to a0.
    pub(super) a0: bool,
}

/// The requirements for a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceRequest {
    /// The channels that the operation reads.
    pub(super) channels: u8,
    pub(super) want: PreferredRange,
}

/// Returns a register operand without modifiers.
pub(super) fn plain(number: u8) -> Operand {
    let source =
        Source { number, register: true, relative: false, absolute: false, negated: false, swizzle: 0 };
    Operand { source, a0: false }
}

impl Body {
    /// Returns the range of one channel of a source.
    pub(super) fn channel(&self, operand: &Operand, channel: usize) -> Range {
        let s = operand.source;
        let range = if !s.register {
            Range { varies: s.relative && operand.a0, ..Range::CONSTANT }
        } else if s.relative && self.loops > 0 {
            Range::INPUT
        } else {
            self.cells[usize::from(s.number & 63)][component(s.swizzle, channel)].range
        };
        signed(range, s.absolute, s.negated)
    }

    /// Returns the hull of the ranges of some channels of a source.
    pub(super) fn channels(&self, operand: &Operand, channels: u8) -> Range {
        let ranges: Vec<Range> = bits(channels).map(|c| self.channel(operand, c)).collect();
        hull(&ranges)
    }

    /// Records that channels of a source are read.
    pub(super) fn mark_source(&mut self, operand: &Operand, channels: u8) {
        let s = operand.source;
        if s.register && !(s.relative && self.loops > 0) {
            let mask = bits(channels).fold(0, |mask, c| mask | 1 << component(s.swizzle, c));
            self.mark(usize::from(s.number & 63), mask);
        }
    }
}

/// Draws a source whose range the operation prefers, if a few tries find one.
pub(super) fn source(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Operand {
    let mut found = draw(e, body, need);
    for _ in 0..6 {
        if e.is_exhausted() || need.want.fits(body.channels(&found, need.channels)) {
            return found;
        }
        found = draw(e, body, need);
    }
    // Sometimes accepts a value that is equal in all lanes.
    let want = if e.chance(40) { need.want.allow_uniform() } else { need.want };
    if want.fits(body.channels(&found, need.channels)) {
        return found;
    }
    // Falls back to an input, which suits any operation.
    let number = e.pick(&body.inputs).copied().unwrap_or_default();
    let mut found = plain(number);
    found.source.swizzle = swizzle(order(e, body, need, number.into()));
    found.source.absolute = need.want.is_positive();
    found
}

fn draw(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Operand {
    let some = |weight: u32| if body.relative { weight } else { 0 };
    let a0 = if body.use_a0 {
        120
    } else if body.a0 {
        some(12)
    } else {
        some(3)
    };
    let mut file = e.weighted(&[66, some(6), 19, some(10), a0]);
    let mut sign = e.weighted(&[60, 20, 12, 8]);
    if sign >= 2 && file >= 2 && !body.xenos {
        // Only Xenos has a bit that drops the sign of constants.
        sign &= 1;
    }
    if need.want.is_positive() {
        if file >= 2 && !body.xenos {
            file = 0;
        }
        sign = if file < 2 || body.xenos { 2 } else { 0 };
    }
    let mut number = match file {
        0 | 1 => register(e, body),
        2 => {
            let preferred_number = e.pick(&body.constants).copied().unwrap_or_default();
            if e.chance(8) { e.below(256) as u8 } else { preferred_number }
        }
        3 => e.between(0, 120) as u8,
        // Mostly chooses a number so far from both ends of the constants that the address stays in range.
        _ => (if e.chance(10) { e.below(256) } else { e.between(24, 200) }) as u8,
    };
    if file == 1 && body.loops > 0 {
        number = e.below(REGISTERS) as u8;
    }
    let order = if file == 0 || file == 1 && body.loops == 0 {
        order(e, body, need, number.into())
    } else {
        any_order(e, need, &[])
    };
    let source = Source {
        number,
        register: file < 2,
        relative: matches!(file, 1 | 3 | 4),
        absolute: sign >= 2,
        negated: sign & 1 == 1,
        swizzle: swizzle(order),
    };
    Operand { source, a0: file == 4 }
}

/// Returns a register, preferably one with unread components.
fn register(e: &mut Entropy<'_>, body: &Body) -> u8 {
    let unread_registers = body.unread_registers();
    let written: Vec<usize> = body.working.iter().map(|n| usize::from(*n)).collect();
    let weights = [4, if unread_registers.is_empty() { 0 } else { 24 }, 2];
    match e.weighted(&weights) {
        1 => {
            // Prefers recently written values.
            let at = e.below(unread_registers.len()).max(e.below(unread_registers.len()));
            unread_registers[at] as u8
        }
        2 => e.pick(&written).copied().unwrap_or_default() as u8,
        _ => e.pick(&body.inputs).copied().unwrap_or_default(),
    }
}

/// Returns the component of a register that each channel reads, preferably unread components.
fn order(e: &mut Entropy<'_>, body: &Body, need: SourceRequest, number: usize) -> [usize; 4] {
    let unread: Vec<usize> = bits(body.unread(number)).collect();
    any_order(e, need, &unread)
}

/// Returns an order of components, preferably of those in `preferred`.
fn any_order(e: &mut Entropy<'_>, need: SourceRequest, preferred: &[usize]) -> [usize; 4] {
    let from: &[usize] = if preferred.is_empty() { &[0, 1, 2, 3] } else { preferred };
    match e.weighted(&[40, 25, 35]) {
        0 => [0, 1, 2, 3],
        1 => [e.pick(from).copied().unwrap_or_default(); 4],
        _ => {
            // Uses consecutive components, so that as many as possible are read.
            let start = e.below(4);
            let mut order = [0; 4];
            for (k, c) in bits(need.channels).chain(bits(!need.channels & 0xf)).enumerate() {
                order[c] = from[(start + k) % from.len()];
            }
            if e.chance(30) {
                order.swap(0, e.below(4));
            }
            if order == [0, 1, 2, 3] {
                order = [3, 2, 0, 1];
            }
            order
        }
    }
}
