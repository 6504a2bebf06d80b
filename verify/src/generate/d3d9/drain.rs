//! The end of a program: combines all unread values into the outputs.

use super::body::{Body, Output, components_of};
use super::build::free;
use super::range::{MAX_UNREDUCED, PreferredRange, Range, result};
use super::source::{SourceRequest, swizzle};
use crate::generate::Entropy;
use crate::generate::retry::until;
use lockstep_core::isa::d3d9::opcode::Opcode;
use lockstep_core::isa::d3d9::program::{Dest, File, Instruction, Source, replicate};
use lockstep_core::isa::d3d9::word::SWIZZLE;

/// Returns the requirements for the sources of the last instructions.
fn need(read_mask: u8) -> SourceRequest {
    SourceRequest {
        read_mask,
        mask: read_mask,
        scalar: false,
        bare: false,
        excludes_computed: false,
        excludes_constants: true,
        want: PreferredRange::of_size(f32::MAX),
    }
}

/// Writes every output that is not written yet.
pub(super) fn outputs(e: &mut Entropy<'_>, body: &mut Body) {
    let pending: Vec<Output> = body.outputs.iter().filter(|o| o.left != 0).copied().collect();
    until(body, |body| body.unread_registers().len() <= pending.len().max(1), |body| combine(e, body));
    // Assigns the values with the most components to the widest outputs.
    let mut unread_registers = body.unread_registers();
    unread_registers.sort_by_key(|place| body.unread(*place).count_ones());
    let mut pending = pending;
    pending.sort_by_key(|o| std::cmp::Reverse(o.left.count_ones()));
    for output in pending {
        let from = unread_registers.pop();
        write_output(e, body, output, from);
    }
}

/// Returns the components of a register that a swizzle reads for these components.
fn selected_components(s: u8, read_mask: u8) -> u8 {
    components_of(read_mask).fold(0, |mask, c| mask | 1 << SWIZZLE.get(s, c))
}

/// Draws several swizzles and returns the one that reads most of the unread components.
fn best(e: &mut Entropy<'_>, body: &Body, place: usize, read_mask: u8) -> Option<u8> {
    let (there, wanted) = (body.written(place), body.unread(place));
    let drawn: Vec<u8> = (0..6).filter_map(|_| swizzle(e, body, need(read_mask), there, wanted)).collect();
    // Takes the first of the best swizzles, so that the result is defined once choices are exhausted.
    drawn.into_iter().rev().max_by_key(|s| (selected_components(*s, read_mask) & wanted).count_ones())
}

fn source(place: usize, swizzle: u8) -> Source {
    let (file, number) = Body::register(place);
    Source::register(file, number, swizzle)
}

/// Returns a componentwise binary operation whose result varies with either operand, judging by the ranges.
fn mix(e: &mut Entropy<'_>, a: Range, b: Range) -> Opcode {
    let vary = |r: Range, varies: bool| Range { varies, ..r };
    let all: Vec<Opcode> = [Opcode::Add, Opcode::Sub, Opcode::Mul]
        .into_iter()
        .filter(|op| {
            let of = |x: bool, y: bool| result(*op, &[vary(a, x), vary(b, y), Range::ZERO, Range::ZERO]);
            of(true, false).varies && of(false, true).varies && of(true, true).size() <= 4.0 * MAX_UNREDUCED
        })
        .collect();
    // Prefers sums: a product hides more differences than a sum, and compilers subtract by adding.
    let weights: Vec<u32> = all.iter().map(|op| [1, 5][usize::from(*op == Opcode::Add)]).collect();
    all.get(e.weighted(&weights)).copied().unwrap_or(Opcode::Add)
}

fn emit(body: &mut Body, op: Opcode, dest: Dest, sources: &[Source]) -> bool {
    let mut i = Instruction::new(op);
    i.dest = Some(dest);
    i.sources.extend(sources.iter().copied());
    let allowed = body.allows(&i);
    if allowed {
        body.emit(i);
    }
    allowed
}

/// Reduces a value that may have become large to a moderate size.
fn reduce_size(body: &mut Body, place: usize) {
    let mask = body.unread(place);
    let here = source(place, Source::XYZW);
    if body.hull_of(&here, mask).size() > MAX_UNREDUCED && body.major() >= 2 {
        emit(body, Opcode::Frc, Dest::register(File::Temporary, place as u16, mask), &[here]);
    }
}

/// Returns the index of the destination for a combination of two registers: the wider one, else the other one, else r0. Only temporaries are
/// written.
fn target(body: &Body, x: usize, y: usize) -> usize {
    let width = |place: usize| body.unread(place).count_ones();
    let wide = if width(x) >= width(y) { x } else { y };
    let temporary = |place: usize| Body::register(place).0 == File::Temporary;
    match (temporary(wide), temporary(x), temporary(y)) {
        (true, ..) => wide,
        (_, true, _) => x,
        (_, _, true) => y,
        // Texture registers are combined in a temporary.
        _ => 0,
    }
}

/// Combines two unread registers into one.
pub(super) fn combine(e: &mut Entropy<'_>, body: &mut Body) {
    let mut unread_registers = body.unread_registers();
    let x = unread_registers.swap_remove(e.below(unread_registers.len()));
    let y = unread_registers.swap_remove(e.below(unread_registers.len()));
    reduce_size(body, x);
    reduce_size(body, y);
    let (mx, my) = (body.unread(x), body.unread(y));
    let to = target(body, x, y);
    let mut masks = vec![if mx.count_ones() >= my.count_ones() { mx } else { my }, mx | my, 15, 7, 8];
    if body.is_ps1_0_to_ps1_3() {
        masks = vec![15, 7, 8];
    }
    let mut done = false;
    for mask in masks {
        let (Some(sx), Some(sy)) = (best(e, body, x, mask), best(e, body, y, mask)) else { continue };
        let (a, b) = (source(x, sx), source(y, sy));
        let op = mix(e, body.hull_of(&a, mask), body.hull_of(&b, mask));
        if emit(body, op, Dest::register(File::Temporary, to as u16, mask), &[a, b]) {
            done = true;
            break;
        }
    }
    // Drops components that no swizzle of this version can read.
    for place in [x, y] {
        if place != to || !done {
            body.mark_read(place);
        }
    }
    if !done {
        body.mark_read(y);
    }
}

fn input(e: &mut Entropy<'_>, body: &Body) -> Option<Source> {
    let all: Vec<(File, u16)> = body.inputs.iter().copied().filter(|(file, _)| *file != File::Misc).collect();
    let (file, number) = e.pick(&all).copied()?;
    Some(Source::register(file, number, Source::XYZW))
}

/// Writes an output from a register, or from another source if `from` is `None`.
fn write_output(e: &mut Entropy<'_>, body: &mut Body, output: Output, from: Option<usize>) {
    let dest = Dest::register(output.file, output.number, output.left);
    if let Some(place) = from {
        reduce_size(body, place);
    }
    if body.is_pixel() && body.major() == 2 {
        return moved(e, body, output, from);
    }
    if body.is_ps1() {
        return write_r0(e, body, from);
    }
    let other = input(e, body);
    let mask = output.left;
    if let Some(place) = from {
        let unread = body.unread(place);
        if unread.count_ones() > mask.count_ones()
            && body.written(place) == 15
            && let Some(input) = other
            && e.chance(70)
        {
            // If there are more unread components than the output has, a dot product with a varying value covers all of them.
            let op = if unread & 8 != 0 { Opcode::Dp4 } else { Opcode::Dp3 };
            if emit(body, op, dest, &[source(place, Source::XYZW), input]) {
                return;
            }
        }
        if let Some(s) = best(e, body, place, mask) {
            let a = source(place, s);
            let varies = components_of(mask).all(|c| body.component_range(&a, c).varies);
            if let Some(input) = other.filter(|_| !varies || e.chance(50)) {
                let op = mix(e, body.hull_of(&a, mask), body.hull_of(&input, mask));
                if emit(body, op, dest, &[a, input]) {
                    return;
                }
            }
            if emit(body, Opcode::Mov, dest, &[a]) {
                return;
            }
        }
    }
    let Some(a) = other else { return };
    let b = Source::register(File::Constant, super::source::constant(e, body), Source::XYZW);
    if !(e.chance(60) && emit(body, mix(e, Range::INPUT, Range::CONSTANT), dest, &[a, b])) {
        emit(body, Opcode::Mov, dest, &[a]);
    }
}

/// Writes an output of ps_2_0 to ps_2_sw, which only a `mov` of a whole register or of one component may write.
fn moved(e: &mut Entropy<'_>, body: &mut Body, output: Output, from: Option<usize>) {
    let depth = output.file == File::PixelDepth;
    let place = match from {
        Some(place) => Some(place),
        None => free(e, body, 15).map(usize::from),
    };
    let Some(place) = place else { return };
    let unread = body.unread(place);
    if !depth && unread != 15 || from.is_none() {
        // Only whole registers may be moved.
        let Some(input) = input(e, body) else { return };
        let swizzle = if from.is_some() { best(e, body, place, 15) } else { None };
        let number = place as u16;
        let dest = Dest::register(File::Temporary, number, 15);
        let joined = swizzle.is_some_and(|s| {
            let a = source(place, s);
            let op = mix(e, body.hull_of(&a, 15), Range::INPUT);
            emit(body, op, dest, &[a, input])
        });
        if !joined {
            emit(body, Opcode::Mov, dest, &[input]);
        }
    }
    let whole = Dest::register(output.file, output.number, 15);
    if depth {
        let unread = body.unread(place);
        let one = if unread == 0 { 0 } else { unread.trailing_zeros() as u8 };
        emit(body, Opcode::Mov, whole, &[source(place, replicate(one))]);
    } else {
        emit(body, Opcode::Mov, whole, &[source(place, Source::XYZW)]);
    }
}

/// Writes r0, which is the result of ps_1_x.
fn write_r0(e: &mut Entropy<'_>, body: &mut Body, from: Option<usize>) {
    let to = Dest::register(File::Temporary, 0, 15);
    if let Some(place) = from.filter(|place| *place != 0) {
        let (there, unread) = (body.written(place), body.unread(place));
        if there == 15 {
            if !emit(body, Opcode::Mov, to, &[source(place, Source::XYZW)]) {
                emit(body, Opcode::Add, to, &[source(place, Source::XYZW), input_or(body)]);
            }
        } else if unread & 7 != 0 && there & 7 == 7 {
            emit(body, Opcode::Mov, Dest { mask: 7, ..to }, &[source(place, Source::XYZW)]);
        } else if let Some(s) = best(e, body, place, 7) {
            emit(body, Opcode::Mov, Dest { mask: 7, ..to }, &[source(place, s)]);
        }
    }
    let written = body.written(0);
    let missing = !written & 15;
    if missing == 0 {
        return;
    }
    // Colour and alpha are written with separate masks.
    for part in [7, 8] {
        if missing & part != 0 {
            let mask = if body.is_ps1_0_to_ps1_3() { part } else { missing & part };
            let swizzle = if body.is_ps1_0_to_ps1_3() || written == 0 || !e.chance(40) {
                Source::XYZW
            } else {
                replicate(3)
            };
            let one = Source { swizzle, ..input_or(body) };
            emit(body, Opcode::Mov, Dest { mask, ..to }, &[one]);
        }
    }
}

/// Returns a colour input; v0 if there is none, which is the case only in the first phase.
fn input_or(body: &Body) -> Source {
    let color = body.inputs.iter().find(|(file, _)| *file == File::Input);
    Source::register(File::Input, color.map_or(0, |(_, n)| *n), Source::XYZW)
}
