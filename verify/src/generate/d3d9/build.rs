//! Generation of single instructions, based on the opcode table. The rules are not restated here: illegal draws are discarded and repeated.

use super::body::{ADDRESS, Body, PREDICATE, components_of};
use super::range::{PreferredRange, result, want};
use super::source::{SourceRequest, constant, index, source};
use crate::generate::Entropy;
use lockstep_core::isa::d3d9::opcode::{Kind, Mask, Opcode, Row, SourceComponents, TABLE};
use lockstep_core::isa::d3d9::profile::Profile;
use lockstep_core::isa::d3d9::program::{
    Comparison, Dest, File, Instruction, Modifier, Relative, Source, replicate,
};
use lockstep_core::isa::d3d9::word::{ResultModifier, Shift};

/// The maximum number of draws to get a legal instruction.
const DRAWS: usize = 16;

/// Whether an operation is emitted only as part of a group or as setup for another operation.
fn is_built_separately(op: Opcode) -> bool {
    use Opcode::*;
    matches!(op, Nop | Mova | Setp | Texkill | Texdepth | Bem)
}

/// Appends an arithmetic or texture instruction. Returns whether a legal one was found.
pub(super) fn any(e: &mut Entropy<'_>, body: &mut Body) -> bool {
    let rows: Vec<&Row> = TABLE
        .iter()
        .filter(|row| row.versions.has(body.profile) && !is_built_separately(row.opcode))
        .filter(|row| match row.kind {
            Kind::Arithmetic => true,
            Kind::Texture => body.major() >= 2 && (!body.samplers.is_empty()),
            _ => false,
        })
        .filter(|row| !(body.dynamic > 0 && derives(row.opcode)))
        .collect();
    let weights: Vec<u32> = rows
        .iter()
        .map(|row| match (row.kind, row.opcode) {
            (Kind::Texture, _) => 16,
            // `sub` is equivalent to `add` with a negated source, and `mov` computes nothing.
            (_, Opcode::Sub) if !body.is_pixel() => 3,
            (_, Opcode::Mov) => 5,
            _ => 10,
        })
        .collect();
    rows.get(e.weighted(&weights)).is_some_and(|row| instruction(e, body, row.opcode))
}

/// Whether an operation takes differences within a quad, whose lanes must not have diverged.
pub(super) fn derives(op: Opcode) -> bool {
    matches!(op, Opcode::Dsx | Opcode::Dsy)
}

/// Appends an instruction with this opcode. Returns false if a few draws find no legal one.
pub(super) fn instruction(e: &mut Entropy<'_>, body: &mut Body, op: Opcode) -> bool {
    for _ in 0..DRAWS {
        let drawn = draw(e, body, op);
        if let Some(i) = drawn.filter(|i| body.allows(i)) {
            body.emit(i);
            return true;
        }
        if e.is_exhausted() {
            break;
        }
    }
    false
}

/// Returns a scalar source for a condition, with a value that differs between lanes.
pub(super) fn scalar(e: &mut Entropy<'_>, body: &Body, op: Opcode, k: usize) -> Option<Source> {
    let need = SourceRequest {
        read_mask: 1,
        mask: 1,
        scalar: true,
        bare: false,
        excludes_computed: false,
        excludes_constants: k == 0,
        want: want(op, k),
    };
    source(e, body, need)
}

/// Draws a comparison.
pub(super) fn compare(e: &mut Entropy<'_>) -> u8 {
    // Equality rarely holds.
    Comparison::ALL[[0, 2, 3, 5, 1, 4][e.weighted(&[3, 3, 3, 3, 1, 1])]] as u8
}

fn draw(e: &mut Entropy<'_>, body: &mut Body, op: Opcode) -> Option<Instruction> {
    let operands = op.operands(body.profile.version())?;
    let mut i = Instruction::new(op);
    if op.compares() {
        i.control = compare(e);
    } else if op == Opcode::Tex && body.major() >= 2 {
        i.control = e.weighted(&[60, 20, 20]) as u8;
    }
    predicate(e, body, op, &mut i);
    if operands.dest {
        let mut dest = place(e, body, op, i.predicate.is_some())?;
        result_modifiers(e, body, op, &mut dest);
        i.dest = Some(dest);
    }
    if op.row().kind == Kind::Texture && operands.sources > 1 {
        sampler(e, body, &mut i, op)?;
    }
    for k in 0..usize::from(operands.sources) {
        // For texture operations the second source, the sampler, is already set, because the first depends on it.
        let drawn = match i.sources.get(k) {
            Some(_) if k == 1 => continue,
            _ => operand(e, body, op, &i, k)?,
        };
        if k < i.sources.len() {
            i.sources[k] = drawn;
        } else {
            i.sources.push(drawn);
        }
    }
    for _ in 0..3 {
        // Using the same operand twice tests little; in a condition, it tests nothing.
        if i.sources.len() < 2 || i.sources[0] != i.sources[1] || op.row().kind == Kind::Texture {
            break;
        }
        let k = usize::from(op.rows().is_none());
        i.sources[k] = operand(e, body, op, &i, k)?;
    }
    Some(i)
}

/// Sets the sampler, and reserves the coordinate operand before it.
fn sampler(e: &mut Entropy<'_>, body: &Body, i: &mut Instruction, op: Opcode) -> Option<()> {
    let (number, _) = *e.pick(&body.samplers)?;
    let need = plain_need(op, 1, 15);
    let mut swizzle = Source::XYZW;
    if body.major() >= 3 && e.chance(30) {
        swizzle = super::source::swizzle(e, body, SourceRequest { read_mask: 15, ..need }, 15, 0)?;
    }
    i.sources.push(Source::register(File::Sampler, number, Source::XYZW));
    i.sources.push(Source::register(File::Sampler, number, swizzle));
    Some(())
}

fn plain_need(op: Opcode, k: usize, read_mask: u8) -> SourceRequest {
    SourceRequest {
        read_mask,
        mask: 15,
        scalar: false,
        bare: false,
        excludes_computed: false,
        excludes_constants: false,
        want: want(op, k),
    }
}

fn operand(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, i: &Instruction, k: usize) -> Option<Source> {
    let row = op.row();
    let mask = i.dest.map_or(1, |d| d.mask);
    if op == Opcode::Sincos && k > 0 {
        let series = series(e, body);
        return Some(Source::register(File::Constant, series[k - 1], Source::XYZW));
    }
    if op == Opcode::Sgn && k > 0 {
        return scratch(e, body, i);
    }
    if op.rows().is_some() && k == 1 {
        return matrix(e, body, op, i);
    }
    if op == Opcode::Cnd && k == 0 && body.is_ps1_0_to_ps1_3() {
        return (body.written(0) & 8 != 0).then(|| Source::register(File::Temporary, 0, replicate(3)));
    }
    let texture = row.kind == Kind::Texture;
    let scalar = match row.sources_read {
        SourceComponents::Scalar => !(body.allows_warnings && e.chance(30)),
        SourceComponents::Dp2Add => k == 2,
        _ => false,
    };
    let constants = |s: &Source| s.constant().is_some();
    let need = SourceRequest {
        read_mask: body.source_mask(i, op, k),
        mask,
        scalar: scalar || op.compares() && op != Opcode::Setp,
        bare: texture && body.major() == 2 || op == Opcode::Crs && !body.allows_warnings,
        // Where a quad may have diverged, coordinates must be inputs.
        excludes_computed: op == Opcode::Tex
            && body.major() >= 2
            && (body.dynamic > 0 || i.predicate.is_some()),
        excludes_constants: i.sources.iter().any(constants)
            || texture
            || i.sources.len() + 1 == usize::from(op.operands(body.profile.version())?.sources)
                && k == 0
                && op != Opcode::Mov,
        want: want(op, k),
    };
    let found = source(e, body, need)?;
    if need.want.fits(body.hull_of(&found, need.read_mask)) || e.chance(10) {
        return Some(found);
    }
    Some(fit_range(e, body, found, need).unwrap_or(found))
}

/// Emits an instruction that reduces the magnitude of a source, and returns the result as a source.
fn fit_range(e: &mut Entropy<'_>, body: &mut Body, from: Source, need: SourceRequest) -> Option<Source> {
    let frc = Opcode::Frc.row().versions.has(body.profile) && body.major() >= 2 && !need.want.nonzero;
    if !frc || need.excludes_computed || need.read_mask == 0 {
        return None;
    }
    let read_mask = if need.scalar { 1 << e.below(4) } else { need.read_mask };
    let number = free(e, body, read_mask)?;
    let mut i = Instruction::new(Opcode::Frc);
    i.dest = Some(Dest::register(File::Temporary, number, read_mask));
    i.sources.push(from);
    if !body.allows(&i) {
        return None;
    }
    body.emit(i);
    let swizzle = if need.scalar { replicate(read_mask.trailing_zeros() as u8) } else { Source::XYZW };
    Some(Source { modifier: 0, ..Source::register(File::Temporary, number, swizzle) })
}

/// Returns the numbers of the two constants of the sincos macro's series (source: MSTOK), which are defined on first use.
fn series(e: &mut Entropy<'_>, body: &mut Body) -> [u16; 2] {
    if let Some(series) = body.series {
        return series;
    }
    let most = body.limits().constants.guaranteed.min(256);
    let first = if e.chance(50) { most - 2 } else { e.below(usize::from(most) - 1) as u16 };
    let values: [[f32; 4]; 2] = [
        [-1.0 / (5040.0 * 128.0), -1.0 / (720.0 * 64.0), 1.0 / (24.0 * 16.0), 1.0 / (120.0 * 32.0)],
        [-1.0 / (6.0 * 8.0), -1.0 / (2.0 * 4.0), 1.0, 0.5],
    ];
    for (k, values) in values.into_iter().enumerate() {
        let mut def = Instruction::new(Opcode::Def);
        def.dest = Some(Dest::register(File::Constant, first + k as u16, 15));
        def.immediates.extend(values.map(f32::to_bits));
        let known = |i: &Instruction| i.op() == Some(Opcode::Def) && i.dest == def.dest;
        body.heads.retain(|i| !known(i));
        body.heads.push(def);
    }
    body.series = Some([first, first + 1]);
    [first, first + 1]
}

/// Returns a scratch register for sgn.
fn scratch(e: &mut Entropy<'_>, body: &Body, i: &Instruction) -> Option<Source> {
    let taken = |n: u16| {
        i.sources.iter().any(|s| s.is(File::Temporary) && s.number == n)
            || i.dest.is_some_and(|d| d.is(File::Temporary) && d.number == n)
    };
    let all: Vec<u16> = (0..body.temporaries())
        .filter(|n| body.unread(usize::from(*n)) == 0 && !taken(*n) && body.writable.is_none())
        .filter(|n| body.unread_at_start.is_empty() || body.written(usize::from(*n)) == 0)
        .collect();
    Some(Source::register(File::Temporary, *e.pick(&all)?, Source::XYZW))
}

/// Returns the first of several consecutive registers, without a swizzle.
fn matrix(e: &mut Entropy<'_>, body: &Body, op: Opcode, i: &Instruction) -> Option<Source> {
    let rows = u16::from(op.rows()?);
    let need = body.source_mask(i, op, 1);
    let whole = |first: u16| (first..first + rows).all(|n| body.written(usize::from(n)) & need == need);
    let temporaries: Vec<u16> = (0..=body.temporaries() - rows).filter(|n| whole(*n)).collect();
    let inputs: Vec<u16> = {
        let has = |n: u16| body.inputs.contains(&(File::Input, n));
        (0..16 - rows).filter(|n| (*n..n + rows).all(has)).collect()
    };
    let relative = index(e, body).filter(|_| !body.is_pixel());
    let weight = |weight: u32, is: bool| if is { weight } else { 0 };
    let constant_read = i.sources.iter().any(|s| s.constant().is_some());
    let weights = [
        weight(8, !constant_read),
        weight(12, !temporaries.is_empty()),
        weight(4, !inputs.is_empty()),
        weight(6, relative.is_some()),
    ];
    let register = |file, number| Source::register(file, number, Source::XYZW);
    if weights == [0; 4] {
        return None;
    }
    Some(match e.weighted(&weights) {
        1 => register(File::Temporary, *e.pick(&temporaries)?),
        2 => register(File::Input, *e.pick(&inputs)?),
        3 => Source { relative: relative?.0, ..register(File::Constant, e.between(10, 40) as u16) },
        _ => {
            let number = constant(e, body).min(body.limits().constants.guaranteed - rows);
            register(File::Constant, number)
        }
    })
}

/// Chooses the file, the number and the write mask of a result's register.
fn place(e: &mut Entropy<'_>, body: &Body, op: Opcode, predicated: bool) -> Option<Dest> {
    let texture = op.row().kind == Kind::Texture;
    let any: &[u8] = match op.row().mask {
        Mask::Exactly(3) => &[3],
        Mask::Exactly(7) => &[7],
        Mask::Exactly(_) => &[15],
        Mask::Within(_) => &[7, 7, 1, 2, 4, 3, 5, 6],
        Mask::SineCosine => &[3, 1, 2],
        Mask::Vector => &[7, 15],
        _ if op == Opcode::Frc && body.profile.major() == 1 => &[3, 2],
        _ if texture && body.major() == 2 && !body.allows_warnings => &[15],
        _ if body.is_ps1_0_to_ps1_3() => &[15, 15, 15, 7, 7, 8, 8],
        _ => &[15, 15, 15, 15, 7, 3, 1, 2, 4, 8, 5, 6, 9, 10, 11, 12, 13, 14],
    };
    let mask = *e.pick(any)?;
    let discrete = result(op, &[super::range::Range::INPUT; 4]).discrete;
    let open = !predicated && body.unread_at_start.is_empty() && body.part == 0;
    let missing: Vec<_> = body
        .outputs
        .iter()
        .filter(|o| o.left & mask != 0 && o.file != File::Temporary)
        .filter(|_| !matches!(body.profile, Profile::Ps20 | Profile::Ps2x | Profile::Ps2sw))
        .collect();
    let spare = missing.len() > 1 && e.chance(if discrete { 3 } else { 12 });
    if let Some(o) = e.pick(&missing).filter(|_| open && spare) {
        let fits = o.left & mask;
        let exact = matches!(op.row().mask, Mask::Exactly(_)) && fits != mask;
        return Some(Dest::register(o.file, o.number, if exact { mask } else { fits }));
    }
    let file = match op {
        Opcode::Setp => File::Predicate,
        Opcode::Mova => File::Address,
        // An arithmetic instruction may write a texture register.
        _ if body.is_ps1_0_to_ps1_3() && e.chance(12) => File::Address,
        _ => File::Temporary,
    };
    let number = match file {
        File::Temporary => free(e, body, mask)?,
        File::Address if body.is_ps1_0_to_ps1_3() => e.below(4) as u16,
        _ => 0,
    };
    Some(Dest::register(file, number, mask))
}

/// Returns a temporary to write to, if possible one in which no unread value is lost.
pub(super) fn free(e: &mut Entropy<'_>, body: &Body, mask: u8) -> Option<u16> {
    let limit = body.temporaries();
    let is_free = |n: u16| body.unread(usize::from(n)) & mask == 0;
    if let Some(writable) = &body.writable {
        let all: Vec<u16> = (0..limit).filter(|n| writable[usize::from(*n)] & mask == mask).collect();
        let some: Vec<u16> = all.iter().copied().filter(|n| is_free(*n)).collect();
        return e.pick(if some.is_empty() { &all } else { &some }).copied();
    }
    if !body.unread_at_start.is_empty() && e.chance(50) {
        // Prefers a register that already has a value for the lanes that do not take the branch.
        let known: Vec<u16> =
            (0..limit).filter(|n| is_free(*n) && body.written(usize::from(*n)) & mask == mask).collect();
        if let Some(number) = e.pick(&known) {
            return Some(*number);
        }
    }
    for _ in 0..4 {
        let number = e.below(usize::from(body.working.min(limit))) as u16;
        if is_free(number) {
            return Some(number);
        }
    }
    Some((0..limit).find(|n| is_free(*n)).unwrap_or_else(|| e.below(usize::from(limit)) as u16))
}

/// Draws saturation, precision, centroid sampling and shift, as far as the version has them.
fn result_modifiers(e: &mut Entropy<'_>, body: &Body, op: Opcode, dest: &mut Dest) {
    if matches!(op, Opcode::Mova | Opcode::Setp) {
        return;
    }
    let modern = body.is_pixel() && body.major() >= 2;
    let saturates = body.is_ps1() || modern || body.major() >= 3;
    if saturates && op.row().kind == Kind::Arithmetic && e.chance(7) {
        dest.modifier |= ResultModifier::Saturate as u8;
    }
    if modern && e.chance(10) {
        dest.modifier |= ResultModifier::Partial as u8;
    }
    if modern && body.allows_warnings && op.row().kind == Kind::Texture && e.chance(20) {
        dest.modifier |= ResultModifier::Centroid as u8;
    }
    if body.is_ps1() && op.row().kind == Kind::Arithmetic && e.chance(15) {
        let few: &[Shift] =
            if body.is_ps1_0_to_ps1_3() { &[Shift::D2, Shift::X2, Shift::X4] } else { &Shift::ALL };
        dest.shift = e.pick(few).map_or(0, |shift| *shift as u8);
    }
}

/// Sometimes adds a predicate to an instruction, if one has been set.
pub(super) fn predicate(e: &mut Entropy<'_>, body: &Body, op: Opcode, i: &mut Instruction) {
    let written = body.written(PREDICATE);
    let kind = matches!(op.row().kind, Kind::Arithmetic | Kind::Texture) && op != Opcode::Setp;
    if !body.has_predicates()
        || written == 0
        || !(kind && e.chance(if body.unread(PREDICATE) != 0 { 35 } else { 8 }))
    {
        return;
    }
    let replicated: Vec<u8> = components_of(written).map(|c| replicate(c as u8)).collect();
    let swizzle = if written == 15 && e.chance(50) {
        Source::XYZW
    } else {
        e.pick(&replicated).copied().unwrap_or_default()
    };
    let modifier = if e.chance(40) { Modifier::Not as u8 } else { 0 };
    i.predicated = 1;
    i.predicate = Some(Source { modifier, ..Source::register(File::Predicate, 0, swizzle) });
}

/// Sets the predicate, or components of it, from a value that differs between lanes.
pub(super) fn set_predicate(e: &mut Entropy<'_>, body: &mut Body, mask: u8) -> bool {
    for _ in 0..DRAWS {
        if let Some(mut i) = draw(e, body, Opcode::Setp) {
            i.predicate = None;
            i.predicated = 0;
            if let Some(dest) = &mut i.dest {
                dest.mask = mask;
            }
            let fits = |s: &Source| components_of(mask).all(|lane| covers(body, s, lane));
            if i.sources.iter().all(fits) && body.allows(&i) {
                body.emit(i);
                return true;
            }
        }
        if e.is_exhausted() {
            break;
        }
    }
    false
}

/// Whether the component that a source provides for a component of the instruction has been written.
fn covers(body: &Body, s: &Source, component: usize) -> bool {
    let place = body.place(s.file, s.number).filter(|_| !s.relative.is_relative());
    place.is_none_or(|place| body.written(place) >> s.component(component) & 1 == 1)
}

/// Sets the address register by `mova`, or by `mov` in vs_1_1, to a number of a small range if a source with such a range is found. Returns whether
/// the register is then set; pixel programs and vs_1_0 cannot set it.
pub(super) fn set_address(e: &mut Entropy<'_>, body: &mut Body, component: usize) -> bool {
    let op = if body.major() < 2 { Opcode::Mov } else { Opcode::Mova };
    if body.is_pixel() || body.profile == Profile::Vs10 {
        return false;
    }
    let mask = if body.major() < 2 { 1 } else { 1 << component };
    let need = SourceRequest {
        want: PreferredRange { varies: true, ..PreferredRange::of_size(16.0) },
        mask,
        excludes_constants: true,
        ..plain_need(op, 0, mask)
    };
    let from = source(e, body, need).filter(|s| body.hull_of(s, mask).size() <= 16.0);
    let input = body.inputs.first().map_or(0, |(_, number)| *number);
    let from = from.unwrap_or_else(|| Source::register(File::Input, input, replicate(component as u8)));
    let mut i = Instruction::new(op);
    i.dest = Some(Dest::register(File::Address, 0, mask));
    i.sources.push(from);
    let allowed = body.allows(&i);
    if allowed {
        body.emit(i);
    }
    allowed && body.written(ADDRESS) != 0
}

/// Appends two co-issued instructions, one for colour and one for alpha, which both read the registers as they were before the pair. Returns whether
/// a legal pair was found.
pub(super) fn pair(e: &mut Entropy<'_>, body: &mut Body) -> bool {
    let saved = body.clone();
    let color = e.chance(50);
    if !half(e, body, if color { 7 } else { 8 }, 0) {
        *body = saved;
        return false;
    }
    body.begin_coissue(&saved);
    let second = half(e, body, if color { 8 } else { 7 }, 1);
    if !second {
        *body = saved;
    }
    body.end_coissue();
    second
}

fn half(e: &mut Entropy<'_>, body: &mut Body, mask: u8, coissue: u8) -> bool {
    let rows: Vec<&Row> = TABLE
        .iter()
        .filter(|r| r.versions.has(body.profile) && r.kind == Kind::Arithmetic)
        .filter(|r| !is_built_separately(r.opcode))
        .collect();
    for _ in 0..DRAWS {
        let Some(row) = e.pick(&rows) else { return false };
        if let Some(mut i) = draw(e, body, row.opcode)
            && let Some(mut dest) = i.dest
        {
            dest.mask = if row.mask == Mask::Any { mask } else { dest.mask };
            if coissue != 0
                && let Some(first) = body.parts[body.part].last().and_then(|f| f.dest)
            {
                // In ps_1_0 both destinations have the same number. In other versions, the same number often completes a whole register.
                dest.number = if dest.is(File::Temporary) && first.is(File::Temporary) {
                    first.number
                } else {
                    dest.number
                };
            }
            i.dest = Some(dest);
            i.coissue = coissue;
            let there = (0..i.sources.len()).all(|k| {
                let read_mask = body.source_mask(&i, row.opcode, k);
                components_of(read_mask).all(|lane| covers(body, &i.sources[k], lane))
            });
            if there && body.allows(&i) {
                body.emit(i);
                return true;
            }
        }
        if e.is_exhausted() {
            return false;
        }
    }
    false
}

/// Returns a source without a swizzle or relative address.
pub(super) fn whole(file: File, number: u16) -> Source {
    Source { relative: Relative::Direct, ..Source::register(file, number, Source::XYZW) }
}
