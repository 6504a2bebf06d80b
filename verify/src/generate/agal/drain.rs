//! The end of a program: combines all unread values into the outputs.

use super::body::{Body, Output, components_of};
use super::build::belongs;
use super::range::{self, MAX_UNREDUCED, Range};
use super::source::{SourceRequest, Without, source};
use crate::generate::Entropy;
use crate::generate::retry::until;
use lockstep_core::isa::agal::opcode::{Opcode, Row, Shape, SourceComponents, TABLE};
use lockstep_core::isa::agal::program::{Dest, File, Source, SourceOrSampler};
use lockstep_core::isa::agal::word::SWIZZLE;

/// Writes every output that is not written yet.
pub(super) fn outputs(e: &mut Entropy<'_>, body: &mut Body) {
    let pending: Vec<Output> = body.outputs.iter().filter(|o| o.left != 0).copied().collect();
    until(body, |body| body.unread_temporaries().len() <= pending.len().max(1), |body| combine(e, body));
    // Assigns the values with the most components to the widest outputs.
    let mut unread_temporaries = body.unread_temporaries();
    unread_temporaries.sort_by_key(|n| body.unread(*n).count_ones());
    let mut pending = pending;
    pending.sort_by_key(|o| std::cmp::Reverse(o.left.count_ones()));
    for output in pending {
        let mask = output.left;
        let dest = Dest::register(output.file, output.number, mask);
        write_output(e, body, dest, unread_temporaries.pop());
    }
}

/// Returns a swizzle that cycles through the components in `mask`.
fn cycle(mask: u8) -> u8 {
    let components: Vec<u8> = components_of(mask).map(|c| c as u8).collect();
    let component = |k: usize| components.get(k % components.len().max(1)).copied().unwrap_or_default();
    SWIZZLE.join(std::array::from_fn(component))
}

/// Returns a swizzle that cycles through the components in `mask`, for the components in `read_mask`.
fn spread(mask: u8, read_mask: u8) -> u8 {
    let cycle = cycle(mask);
    let components = components_of(read_mask).enumerate();
    components.fold(cycle, |swizzle, (k, c)| SWIZZLE.with(swizzle, c, SWIZZLE.get(cycle, k)))
}

/// Returns `swizzle` rotated by one component: y, z and w select what x, y and z selected, and x what w selected.
fn rotated(swizzle: u8) -> u8 {
    let mut components = SWIZZLE.split(swizzle);
    components.rotate_right(1);
    SWIZZLE.join(components)
}

/// Returns a componentwise binary operation whose result varies with either operand, judging by the ranges.
fn mix(e: &mut Entropy<'_>, body: &Body, a: Range, b: Range) -> &'static Row {
    let vary = |r: Range, varies: bool| Range { varies, ..r };
    let rows: Vec<&'static Row> = TABLE
        .iter()
        .filter(|row| {
            row.shape == Shape::Binary && row.sources_read == SourceComponents::Own && belongs(body, row)
        })
        .filter(|row| !matches!(row.opcode, Opcode::Pow | Opcode::Div))
        .filter(|row| {
            let result = |x: bool, y: bool| range::result(row.opcode, vary(a, x), vary(b, y));
            result(true, false).varies
                && result(false, true).varies
                && result(true, true).size() <= 4.0 * MAX_UNREDUCED
        })
        .collect();
    // Prefers sums, since a product hides more differences than a sum.
    let weights: Vec<u32> = rows.iter().map(|row| if row.opcode == Opcode::Mul { 1 } else { 4 }).collect();
    rows.get(e.weighted(&weights)).copied().unwrap_or_else(|| Opcode::Add.row())
}

/// Reduces a value that may have become large to a moderate size.
fn reduce_size(e: &mut Entropy<'_>, body: &mut Body, number: u16, mask: u8) {
    let here = Source::register(File::Temporary, number, Source::XYZW);
    let size = body.hull_of(&here, mask).size();
    if size <= MAX_UNREDUCED {
        return;
    }
    let rows: Vec<&'static Row> = TABLE
        .iter()
        .filter(|row| {
            row.shape == Shape::Unary && row.sources_read == SourceComponents::Own && belongs(body, row)
        })
        .filter(|row| !super::build::is_derivative(row))
        .filter(|row| {
            let result = range::result(row.opcode, Range::INPUT, Range::INPUT);
            let grown =
                range::result(row.opcode, Range { high: size, low: -size, ..Range::INPUT }, Range::INPUT);
            result.varies && result.size() <= 1.0 && grown.size() <= 1.0
        })
        .collect();
    if let Some(row) = e.pick(&rows) {
        body.emit(
            row,
            Dest::register(File::Temporary, number, mask),
            here,
            SourceOrSampler::Source(Source::default()),
        );
    }
}

/// Combines two unread temporaries into one.
fn combine(e: &mut Entropy<'_>, body: &mut Body) {
    let mut unread_temporaries = body.unread_temporaries();
    let x = unread_temporaries.swap_remove(e.below(unread_temporaries.len()));
    let y = unread_temporaries.swap_remove(e.below(unread_temporaries.len()));
    let masks = [body.unread(x), body.unread(y)];
    reduce_size(e, body, x, masks[0]);
    reduce_size(e, body, y, masks[1]);
    // Writes as many components as the wider temporary has.
    let wide = if masks[0].count_ones() >= masks[1].count_ones() { x } else { y };
    let mask = body.unread(wide);
    let a = Source::register(File::Temporary, x, spread(masks[0], mask));
    let b = Source::register(File::Temporary, y, spread(masks[1], mask));
    let row = mix(e, body, body.hull_of(&a, mask), body.hull_of(&b, mask));
    body.emit(row, Dest::register(File::Temporary, wide, mask), a, SourceOrSampler::Source(b));
}

/// Writes an output from a temporary, or from another source if `from` is `None`.
fn write_output(e: &mut Entropy<'_>, body: &mut Body, dest: Dest, from: Option<u16>) {
    let mask = dest.mask;
    let Some(number) = from else {
        return write_output_from_input(e, body, dest);
    };
    let unread = body.unread(number);
    reduce_size(e, body, number, unread);
    let input = Source::register(body.input_file(), preferred_number(e, body), 0);
    let input = Source { swizzle: if e.chance(60) { Source::XYZW } else { rotated(cycle(unread)) }, ..input };
    if unread.count_ones() > mask.count_ones() {
        // If there are more unread components than the output has, a dot product with a varying value covers all of them.
        let sums: Vec<&'static Row> = TABLE
            .iter()
            .filter(|r| {
                r.shape == Shape::Binary && r.sources_read == SourceComponents::First(4) && belongs(body, r)
            })
            .collect();
        if let Some(row) = e.pick(&sums) {
            let a = Source::register(File::Temporary, number, cycle(unread));
            return body.emit(row, dest, a, SourceOrSampler::Source(input));
        }
    }
    let a = Source::register(File::Temporary, number, spread(unread, mask));
    let varies = components_of(mask).all(|c| body.component_range(&a, c).varies);
    if varies && e.chance(50) {
        return body.emit(Opcode::Mov.row(), dest, a, SourceOrSampler::Source(Source::default()));
    }
    let row = mix(e, body, body.hull_of(&a, mask), Range::INPUT);
    body.emit(row, dest, a, SourceOrSampler::Source(input));
}

fn preferred_number(e: &mut Entropy<'_>, body: &Body) -> u16 {
    e.pick(&body.preferred[body.input_file() as usize]).copied().unwrap_or_default()
}

/// Writes an output when no unread value is left, as a sum or product of an input and another source.
fn write_output_from_input(e: &mut Entropy<'_>, body: &mut Body, dest: Dest) {
    let need = SourceRequest {
        read_mask: dest.mask,
        scalar: false,
        want: range::MODERATE,
        without: Without::default(),
    };
    let a = Source::register(body.input_file(), preferred_number(e, body), Source::XYZW);
    let b = source(e, body, need);
    let row = mix(e, body, Range::INPUT, body.hull_of(&b, dest.mask));
    // A register added to itself tests nothing new, and subtracted from itself it is zero. So the swizzle is changed.
    let b = if a == b { Source { swizzle: SWIZZLE.join([3, 2, 1, 0]), ..b } } else { b };
    body.emit(row, dest, a, SourceOrSampler::Source(b));
}
