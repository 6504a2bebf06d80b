//! The end of a program or of an emitted vertex: combines all unread values into the outputs.

use super::body::{Body, Output, components_of};
use super::range::{self, Range};
use super::source::{SourceRequest, input, plain, select, source};
use crate::generate::Entropy;
use crate::generate::retry::until;
use lockstep_core::isa::pica200::opcode::{Opcode, SourceComponents, TABLE};
use lockstep_core::isa::pica200::program::{Descriptor, Register, Source, Target};

/// Writes every output that is not written yet.
pub(super) fn outputs(e: &mut Entropy<'_>, body: &mut Body) {
    body.index = None;
    let mut pending: Vec<Output> = body.outputs.iter().filter(|o| o.left != 0).copied().collect();
    until(body, |body| body.unread_temporaries().len() <= pending.len().max(1), |body| combine(e, body));
    // Assigns the values with the most components to the widest outputs.
    let mut unread_temporaries = body.unread_temporaries();
    unread_temporaries.sort_by_key(|n| body.unread(*n).count_ones());
    pending.sort_by_key(|o| std::cmp::Reverse(o.left.count_ones()));
    for output in pending {
        write_output(e, body, output.number, output.left, unread_temporaries.pop());
    }
}

/// Returns a selector that cycles through the components in `mask`, for the components in `read_mask`.
fn spread(mask: u8, read_mask: u8) -> u8 {
    let there: Vec<usize> = components_of(mask).collect();
    let at = |k: usize| there.get(k % there.len().max(1)).copied().unwrap_or_default();
    let mut components = std::array::from_fn(at);
    for (k, c) in components_of(read_mask).enumerate() {
        components[c] = at(k);
    }
    select(components)
}

/// Returns a componentwise binary operation whose result varies with either operand, judging by the ranges.
fn mix(e: &mut Entropy<'_>, a: Range, b: Range) -> Opcode {
    let vary = |r: Range, varies: bool| Range { varies, ..r };
    let ops: Vec<Opcode> = TABLE
        .iter()
        .filter(|row| {
            row.opcode.has_dest() && row.opcode.sources() == 2 && row.sources_read == SourceComponents::Own
        })
        .map(|row| row.opcode)
        .filter(|op| {
            let result = |x: bool, y: bool| range::result(*op, 0, [vary(a, x), vary(b, y), Range::ZERO]);
            let calm = *op == Opcode::Add || a.size().max(b.size()) <= range::MAX_FACTOR;
            calm && result(true, false).varies && result(false, true).varies
        })
        .collect();
    // Prefers sums, since a product hides more differences than a sum.
    let weights: Vec<u32> = ops.iter().map(|op| if *op == Opcode::Mul { 1 } else { 5 }).collect();
    ops.get(e.weighted(&weights)).copied().unwrap_or(Opcode::Add)
}

/// Combines two or three unread temporaries into one.
pub(super) fn combine(e: &mut Entropy<'_>, body: &mut Body) {
    let mut unread_temporaries = body.unread_temporaries();
    let mut taken: Vec<usize> = Vec::new();
    while taken.len() < 3 && !unread_temporaries.is_empty() {
        taken.push(unread_temporaries.swap_remove(e.below(unread_temporaries.len())));
    }
    // Writes as many components as the widest temporary has.
    let Some(&wide) = taken.iter().max_by_key(|n| body.unread(**n).count_ones()) else { return };
    let mask = body.unread(wide);
    let read = |body: &Body, n: usize| Source {
        select: spread(body.unread(n), mask),
        ..plain(Register::Temporary(n as u8))
    };
    let sources: Vec<Source> = taken.iter().map(|n| read(body, *n)).collect();
    let target = Some(Target::Temporary(wide as u8));
    let calm = |source: &Source| body.hull_of(source, mask).size() <= range::MAX_FACTOR;
    if let [a, b, c] = sources[..]
        && e.chance(25)
        && body.has_room(true)
        && calm(&a)
        && calm(&b)
        && !body.hull_of(&a, mask).discrete
        && !body.hull_of(&b, mask).discrete
    {
        let op = [Opcode::Mad, Opcode::Madi][e.below(2)];
        return body.emit(op, target, mask, &[a, b, c], [0; 2], Descriptor::default());
    }
    let [a, mut b] = [sources[0], sources[1 % sources.len()]];
    b.negate = e.chance(30);
    let op = mix(e, body.hull_of(&a, mask), body.hull_of(&b, mask));
    body.emit(op, target, mask, &[a, b], [0; 2], Descriptor::default());
}

/// Writes an output from a temporary, or from another source if `from` is `None`.
fn write_output(e: &mut Entropy<'_>, body: &mut Body, number: u8, mask: u8, from: Option<usize>) {
    let target = Some(Target::Output(number));
    let need = SourceRequest { read_mask: mask, want: range::MODERATE, wide: false, other_input: None };
    let Some(from) = from else {
        return write_output_from_input(e, body, target, need);
    };
    let unread = body.unread(from);
    let other = Source { negate: e.chance(20), ..input(e, body, SourceRequest { read_mask: 0xf, ..need }) };
    let temporary = plain(Register::Temporary(from as u8));
    if unread.count_ones() > mask.count_ones() {
        // If there are more unread components than the output has, a dot product with a varying value covers all of them.
        let a = Source { select: spread(unread, 0xf), ..temporary };
        return body.emit(Opcode::Dp4, target, mask, &[a, other], [0; 2], Descriptor::default());
    }
    let a = Source { select: spread(unread, mask), ..temporary };
    let varies = components_of(mask).all(|c| body.component_range(&a, c).varies);
    if varies && e.chance(60) {
        return body.emit(Opcode::Mov, target, mask, &[a], [0; 2], Descriptor::default());
    }
    let other = Source { select: if e.chance(50) { Descriptor::XYZW } else { other.select }, ..other };
    let op = mix(e, body.hull_of(&a, mask), Range::INPUT);
    body.emit(op, target, mask, &[a, other], [0; 2], Descriptor::default());
}

/// Writes an output when no unread value is left, as a sum or product of an input and another source.
fn write_output_from_input(
    e: &mut Entropy<'_>,
    body: &mut Body,
    target: Option<Target>,
    need: SourceRequest,
) {
    let a = input(e, body, need);
    let a = Source { select: Descriptor::XYZW, ..a };
    let Register::Input(number) = a.register else { return };
    let mut b = source(e, body, SourceRequest { wide: false, other_input: Some(number), ..need });
    if a.register == b.register {
        // A register added to itself tests nothing new, and subtracted from itself it is zero. So the swizzle is changed.
        b = Source { select: select([3, 2, 1, 0]), negate: false, ..b };
    }
    let op = mix(e, Range::INPUT, body.hull_of(&b, need.read_mask));
    body.emit(op, target, need.read_mask, &[a, b], [0; 2], Descriptor::default());
}
