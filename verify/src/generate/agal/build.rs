//! Generation of single instructions, based on the opcode table.

use super::body::{Body, TEMPORARIES, components_of, rows};
use super::range::{self, PreferredRange, want};
use super::sampler::sampler;
use super::source::{SourceRequest, Without, indexed, number, source};
use crate::generate::Entropy;
use lockstep_core::isa::agal::opcode::{Opcode, Row, Shape, SourceComponents, TABLE};
use lockstep_core::isa::agal::program::{Dest, File, Source, SourceOrSampler};
use lockstep_core::isa::agal::reads::source_mask;

/// The maximum depth of nested blocks; a fifth level would violate a rule.
const MAX_NESTING: usize = 4;

/// Whether a program of this stage and version may contain the opcode.
pub(super) fn belongs(body: &Body, row: &Row) -> bool {
    row.stages.contains(&body.program.stage) && row.version <= body.program.version
}

/// Whether an operation is documented as implemented. Only programs that may cause warnings contain the others.
fn is_proper(row: &Row) -> bool {
    row.opcode != Opcode::Sgn
}

/// Appends an instruction that computes, reads a texture or kills.
pub(super) fn any(e: &mut Entropy<'_>, body: &mut Body) {
    let inside = !body.blocks.is_empty();
    let rows: Vec<&Row> = TABLE
        .iter()
        .filter(|row| belongs(body, row) && !matches!(row.shape, Shape::Compare | Shape::Marker))
        .filter(|row| !(inside && is_derivative(row)) && (body.allows_warnings || is_proper(row)))
        .collect();
    let weights: Vec<u32> = rows
        .iter()
        .map(|row| match row.shape {
            Shape::Texture => 20,
            Shape::Kill => 5,
            _ => 10,
        })
        .collect();
    if let Some(row) = rows.get(e.weighted(&weights)) {
        instruction(e, body, row);
    }
}

/// Whether an operation takes differences within a quad, whose lanes must not have diverged.
pub(super) fn is_derivative(row: &Row) -> bool {
    matches!(row.opcode, Opcode::Ddx | Opcode::Ddy)
}

/// Begins a block, continues with its `els` branch, ends it, or appends an ordinary instruction.
pub(super) fn step(e: &mut Entropy<'_>, body: &mut Body) {
    let (depth, top) = (body.blocks.len(), body.blocks.last().copied());
    if let Some(block) = top
        && !block.empty
        && e.chance(18 + 6 * depth)
    {
        let turn = !block.in_else && e.chance(50);
        return turn_or_end(e, body, turn);
    }
    let compares: Vec<&Row> =
        TABLE.iter().filter(|row| row.shape == Shape::Compare && belongs(body, row)).collect();
    if depth < MAX_NESTING
        && e.chance(if depth == 0 { 9 } else { 16 })
        && let Some(row) = e.pick(&compares)
    {
        return instruction(e, body, row);
    }
    any(e, body);
}

/// Emits `els` if `turn` is set, or else `eif`. An empty branch usually gets an instruction first.
fn turn_or_end(e: &mut Entropy<'_>, body: &mut Body, turn: bool) {
    let wanted = if turn { Opcode::Els } else { Opcode::Eif };
    let sloppy_empty = body.blocks.last().is_some_and(|b| b.empty) && !(body.allows_warnings && e.chance(30));
    if sloppy_empty {
        any(e, body);
    }
    body.emit(wanted.row(), Dest::default(), Source::default(), SourceOrSampler::Source(Source::default()));
}

/// Ends every open block.
pub(super) fn close(e: &mut Entropy<'_>, body: &mut Body) {
    while !body.blocks.is_empty() {
        turn_or_end(e, body, false);
    }
}

/// Appends an instruction with this opcode, which must be legal at this position.
pub(super) fn instruction(e: &mut Entropy<'_>, body: &mut Body, row: &'static Row) {
    let op = row.opcode;
    match row.shape {
        Shape::Marker => {
            // `els` and `eif` need an open block that is not empty.
            if body.blocks.last().is_none_or(|b| b.in_else && op == Opcode::Els) {
                if body.blocks.len() >= MAX_NESTING {
                    turn_or_end(e, body, false);
                }
                let compares: Vec<&Row> =
                    TABLE.iter().filter(|r| r.shape == Shape::Compare && belongs(body, r)).collect();
                if let Some(compare) = e.pick(&compares) {
                    instruction(e, body, compare);
                }
            }
            if !body.blocks.is_empty() {
                any(e, body);
                turn_or_end(e, body, op == Opcode::Els);
            }
        }
        Shape::Compare => {
            let equality = matches!(op, Opcode::Ife | Opcode::Ine);
            if equality && e.chance(70) {
                // Two numbers are hardly ever equal, whereas two truth values are equal half of the time.
                let truths: Vec<Source> = (0..2).filter_map(|_| truth(e, body)).collect();
                if let [a, b] = truths[..]
                    && a != b
                {
                    return body.emit(row, Dest::default(), a, SourceOrSampler::Source(b));
                }
            }
            let (a, b) = pair(e, body, row, 1, true);
            body.emit(row, Dest::default(), a, SourceOrSampler::Source(b));
        }
        Shape::Kill => {
            let sloppy = body.allows_warnings && e.chance(30);
            let a = operand(e, body, row, 0, 1, !sloppy, Without::default());
            body.emit(row, Dest::default(), a, SourceOrSampler::Source(Source::default()));
        }
        Shape::Texture => {
            let sampler = sampler(e, body, op);
            let (file, mask) = place(e, body, row);
            let need = source_mask(row, mask, sampler.dimension);
            let inside = !body.blocks.is_empty() && body.is_fragment();
            let computed = inside && !(body.allows_warnings && e.chance(30));
            let a = operand(e, body, row, 0, need, false, Without { computed, ..Without::default() });
            let dest = dest(e, body, file, mask);
            body.emit(row, dest, a, SourceOrSampler::Sampler(sampler));
        }
        Shape::Unary => {
            let (file, mask) = place(e, body, row);
            let constants = op != Opcode::Mov && !(body.allows_warnings && e.chance(40));
            let without = Without { constants, ..Without::default() };
            let a = operand(e, body, row, 0, source_mask(row, mask, 0), false, without);
            let file = result_file(e, body, row, file, mask, &a, None);
            let dest = dest(e, body, file, mask);
            body.emit(row, dest, a, SourceOrSampler::Source(Source::default()));
        }
        Shape::Binary | Shape::Matrix { .. } => {
            let (file, mask) = place(e, body, row);
            let (a, b) = pair(e, body, row, source_mask(row, mask, 0), false);
            let file = result_file(e, body, row, file, mask, &a, Some(&b));
            let dest = dest(e, body, file, mask);
            body.emit(row, dest, a, SourceOrSampler::Source(b));
        }
    }
}

/// Emits an ordered comparison and returns one component of its result, which is one about as often as zero.
fn truth(e: &mut Entropy<'_>, body: &mut Body) -> Option<Source> {
    let rows: Vec<&'static Row> = TABLE
        .iter()
        .filter(|r| r.shape == Shape::Binary && belongs(body, r))
        .filter(|r| matches!(r.opcode, Opcode::Sge | Opcode::Slt))
        .collect();
    let row = *e.pick(&rows)?;
    let component = e.below(4);
    let (a, b) = pair(e, body, row, 1 << component, false);
    let dest = dest(e, body, File::Temporary, 1 << component);
    body.emit(row, dest, a, SourceOrSampler::Source(b));
    Some(Source::register(File::Temporary, dest.number, Source::replicated(component)))
}

/// Returns two sources that may be used together.
fn pair(e: &mut Entropy<'_>, body: &mut Body, row: &'static Row, need: u8, scalar: bool) -> (Source, Source) {
    let lax = body.allows_warnings && e.chance(30);
    let direct_constant = |s: &Source| s.file == File::Constant as u8 && s.indirect == 0;
    let a = operand(e, body, row, 0, need, scalar && !lax, Without::default());
    let without = Without {
        constants: direct_constant(&a) && !lax,
        indexing: a.indirect != 0 && !lax,
        computed: false,
    };
    let mut b = second(e, body, row, need, scalar && !lax, without);
    for _ in 0..3 {
        // Using the same operand twice tests little; in a condition, it tests nothing.
        if b == a {
            b = second(e, body, row, need, scalar && !lax, without);
        }
    }
    if b == a && !lax && !e.is_exhausted() {
        b = Source::register(
            body.input_file(),
            e.below(2) as u16,
            if scalar { Source::replicated(0) } else { Source::XYZW },
        );
    }
    if b == a && row.shape == Shape::Compare {
        b.swizzle = Source::replicated(usize::from(a.swizzle == Source::replicated(0)));
        if b.file == File::Temporary as u8 {
            b = Source::register(body.input_file(), 0, Source::replicated(0));
        }
    }
    (a, b)
}

fn second(
    e: &mut Entropy<'_>,
    body: &mut Body,
    row: &'static Row,
    need: u8,
    scalar: bool,
    without: Without,
) -> Source {
    match row.shape {
        Shape::Matrix { .. } => matrix(e, body, row, need, without),
        _ => operand(e, body, row, 1, need, scalar, without),
    }
}

/// Returns the first of several consecutive registers, without a swizzle.
fn matrix(e: &mut Entropy<'_>, body: &Body, row: &Row, need: u8, without: Without) -> Source {
    let rows = rows(row);
    let whole = |first: u16| (first..first + rows).all(|n| body.written(n) & need == need);
    let temporaries: Vec<u16> =
        (0..body.count(File::Temporary).saturating_sub(rows - 1)).filter(|n| whole(*n)).collect();
    let allowed = |weight: u32, if_so: bool| if if_so { weight } else { 0 };
    let weights = [
        4,
        allowed(6, !without.constants),
        allowed(12, !temporaries.is_empty()),
        allowed(4, !body.is_fragment() && !without.indexing),
    ];
    let file = match e.weighted(&weights) {
        1 => File::Constant,
        2 => {
            let first = e.pick(&temporaries).copied().unwrap_or_default();
            return Source::register(File::Temporary, first, Source::XYZW);
        }
        3 => {
            let need = SourceRequest { read_mask: need, scalar: false, want: range::MODERATE, without };
            return Source { swizzle: Source::XYZW, ..indexed(e, body, need, rows) };
        }
        _ => body.input_file(),
    };
    Source::register(file, number(e, body, file, rows), Source::XYZW)
}

/// Draws an operand. If its range does not suit the operation, an instruction that corrects the range is usually emitted first.
fn operand(
    e: &mut Entropy<'_>,
    body: &mut Body,
    row: &'static Row,
    at: usize,
    need: u8,
    scalar: bool,
    without: Without,
) -> Source {
    let want = want(row.opcode, at);
    let drawn = source(e, body, SourceRequest { read_mask: need, scalar, want, without });
    // Coordinates that must not be computed are not corrected, since the correction would compute them.
    if want.fits(body.hull_of(&drawn, need)) || without.computed || !e.chance(93) {
        return drawn;
    }
    fit_range(e, body, &drawn, need, want, scalar).unwrap_or(drawn)
}

/// Emits an operation that transforms a source into the preferred range, and returns its result as a source.
fn fit_range(
    e: &mut Entropy<'_>,
    body: &mut Body,
    from: &Source,
    need: u8,
    wanted: PreferredRange,
    scalar: bool,
) -> Option<Source> {
    if from.file == File::Constant as u8 && from.indirect == 0 {
        return None;
    }
    let rows: Vec<&'static Row> = TABLE
        .iter()
        .filter(|row| {
            row.shape == Shape::Unary && row.sources_read == SourceComponents::Own && belongs(body, row)
        })
        .filter(|row| is_proper(row) && !is_derivative(row))
        .filter(|row| {
            components_of(need).all(|lane| {
                let before = body.component_range(from, lane);
                let after = range::result(row.opcode, before, before);
                want(row.opcode, 0).fits(before) && wanted.fits(after)
            })
        })
        .collect();
    // Prefers operations whose results still differ between lanes.
    let before = body.hull_of(from, need);
    let weights: Vec<u32> =
        rows.iter().map(|row| if range::result(row.opcode, before, before).varies { 8 } else { 1 }).collect();
    let row = *rows.get(e.weighted(&weights))?;
    let mask = if scalar { 1 << e.below(4) } else { need };
    let dest = dest(e, body, File::Temporary, mask);
    body.emit(row, dest, *from, SourceOrSampler::Source(Source::default()));
    let swizzle = if scalar { Source::replicated(mask.trailing_zeros() as usize) } else { Source::XYZW };
    Some(Source::register(File::Temporary, dest.number, swizzle))
}

/// Chooses the file and the write mask of a result.
fn place(e: &mut Entropy<'_>, body: &Body, row: &Row) -> (File, u8) {
    let result_mask = if row.writes_w { 0xf } else { 7 };
    let missing: Vec<_> = body.outputs.iter().filter(|o| o.left != 0).collect();
    let inside = !body.blocks.is_empty();
    let discrete = range::result(row.opcode, range::Range::INPUT, range::Range::INPUT).discrete;
    // At least one output is kept for the end, and few outputs are written with truth values only.
    if missing.len() > 1
        && e.chance(if discrete { 3 } else { 12 })
        && (!inside || body.allows_warnings)
        && let Some(output) = e.pick(&missing)
    {
        let fits = output.left & result_mask;
        let whole = body.is_fragment() && !body.allows_warnings;
        if fits != 0 && (!whole || fits == output.left) {
            let mask = if whole || e.chance(60) { fits } else { fits & (1 + e.below(15)) as u8 };
            if mask != 0 {
                return (output.file, mask);
            }
        }
    }
    let mask = match e.weighted(&[50, 25, 25]) {
        0 => result_mask,
        1 => 1 << e.below(if row.writes_w { 4 } else { 3 }),
        _ => (1 + e.below(usize::from(result_mask))) as u8,
    };
    (File::Temporary, mask)
}

/// Chooses the file for a result: usually temporaries if the result would be equal in all lanes, else `file`.
fn result_file(
    e: &mut Entropy<'_>,
    body: &Body,
    row: &Row,
    file: File,
    mask: u8,
    a: &Source,
    b: Option<&Source>,
) -> File {
    let varies = components_of(mask).all(|lane| {
        let [a, b] = [Some(a), b].map(|s| s.map_or(range::Range::ZERO, |s| body.component_range(s, lane)));
        range::result(row.opcode, a, b).varies
    });
    if file == File::Temporary || varies || e.chance(20) { file } else { File::Temporary }
}

/// Chooses a register of a file to write to: of temporaries, one in which no unread value is lost, if there is one.
fn dest(e: &mut Entropy<'_>, body: &Body, file: File, mask: u8) -> Dest {
    if file != File::Temporary {
        let fits = |o: &&super::body::Output| o.file == file && o.left & mask == mask;
        let outputs: Vec<_> = body.outputs.iter().filter(fits).collect();
        let number = e.pick(&outputs).map_or(0, |o| o.number);
        return Dest::register(file, number, mask);
    }
    let limit = body.count(File::Temporary).min(TEMPORARIES as u16);
    if let Some(block) = body.blocks.last()
        && e.chance(60)
    {
        let merges: Vec<u16> = (0..limit)
            .filter(|n| block.merge[usize::from(*n)] & mask != 0)
            .filter(|n| body.unread(*n) & mask & !block.merge[usize::from(*n)] == 0)
            .collect();
        if let Some(number) = e.pick(&merges) {
            return Dest::register(file, *number, mask);
        }
    }
    let free = |n: u16| body.unread(n) & mask == 0;
    if !body.blocks.is_empty() && e.chance(50) {
        // Prefers a register that already has a value for the lanes that do not take the branch.
        let known: Vec<u16> = (0..limit).filter(|n| free(*n) && body.written(*n) & mask == mask).collect();
        if let Some(number) = e.pick(&known) {
            return Dest::register(file, *number, mask);
        }
    }
    for _ in 0..4 {
        let number = e.below(usize::from(body.working.min(limit))) as u16;
        if free(number) {
            return Dest::register(file, number, mask);
        }
    }
    let number = (0..limit).find(|n| free(*n)).unwrap_or_else(|| e.below(usize::from(limit)) as u16);
    Dest::register(file, number, mask)
}
