//! Generation of arithmetic instructions, based on the opcode table.

use super::body::{Body, TEMPORARIES, components_of};
use super::range::{MAX_LOOP_CARRIED, MODERATE, Range, want};
use super::source::{SourceRequest, input, plain, select, source, swizzle};
use crate::generate::Entropy;
use lockstep_core::isa::pica200::opcode::{MaskRule, Opcode, TABLE};
use lockstep_core::isa::pica200::program::{Descriptor, Register, Source, Target};
use lockstep_core::isa::pica200::reads::source_mask;

/// Appends an arithmetic instruction.
pub(super) fn arithmetic(e: &mut Entropy<'_>, body: &mut Body) {
    let room = body.has_room(true);
    let rows = TABLE.iter().map(|row| row.opcode).filter(|op| op.has_dest() && (op.sources() < 3 || room));
    let ops: Vec<Opcode> = rows.collect();
    let weights: Vec<u32> = ops
        .iter()
        .map(|op| match op {
            Opcode::Mad | Opcode::Madi => 24,
            // The result of `litp` is mostly zero.
            Opcode::Litp => 6,
            _ => 10,
        })
        .collect();
    let op = ops[e.weighted(&weights)];
    instruction(e, body, op);
}

/// Returns don't-care bits for a new descriptor. Assemblers leave different values in these bits.
fn unused(e: &mut Entropy<'_>) -> Descriptor {
    match e.weighted(&[85, 10, 5]) {
        0 => Descriptor::default(),
        1 => Descriptor { select1: 0, select2: 0, select3: 0, ..Descriptor::default() },
        _ => Descriptor::from_word(e.bits() as u32),
    }
}

/// Appends an instruction of this operation, which must use a descriptor.
pub(super) fn instruction(e: &mut Entropy<'_>, body: &mut Body, op: Opcode) {
    match op {
        Opcode::Cmp => return compare(e, body),
        Opcode::Mova => return mova(e, body),
        _ => {}
    }
    // Address registers have hardly any use other than indexing.
    if body.index.is_none() && op.wide().is_some() && e.chance(9) {
        mova(e, body);
    }
    let broadcast = op.row().mask == MaskRule::Broadcast;
    let mut mask = match e.weighted(&[if broadcast { 25 } else { 50 }, 25, 25]) {
        0 => 0xf,
        1 => 1 << e.below(4),
        _ => e.between(1, 15) as u8,
    };
    let output = output(e, body, op, mask);
    if let Some((_, fits)) = output {
        mask = fits;
    }
    let sources = sources(e, body, op, mask);
    body.index = None;
    let results = body.results(op, mask, &sources);
    let varies = components_of(mask).all(|c| results[c].varies);
    let target = match output {
        Some((number, _)) if varies || e.chance(20) => Target::Output(number),
        _ => {
            let size = components_of(mask).map(|c| results[c].size()).fold(0.0, f32::max);
            Target::Temporary(dest(e, body, mask, size) as u8)
        }
    };
    let unused = unused(e);
    body.emit(op, Some(target), mask, &sources, [0; 2], unused);
}

/// Chooses the output for a result, and its write mask.
fn output(e: &mut Entropy<'_>, body: &Body, op: Opcode, mask: u8) -> Option<(u8, u8)> {
    if !body.runs_exactly_once() || body.stage != lockstep_core::isa::Stage::Vertex {
        return None;
    }
    let missing: Vec<_> = body.outputs.iter().filter(|o| o.left != 0).collect();
    let discrete = matches!(op, Opcode::Sge | Opcode::Slt | Opcode::Sgei | Opcode::Slti | Opcode::Litp);
    // At least one output is kept for the end, and few outputs are written with truth values only.
    if missing.len() < 2 || !e.chance(if discrete { 3 } else { 11 }) {
        return None;
    }
    let output = e.pick(&missing)?;
    let fits = if e.chance(50) && output.left & mask != 0 { output.left & mask } else { output.left };
    Some((output.number, fits))
}

/// Returns sources that may be used together.
fn sources(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, mask: u8) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    let mut order: Vec<usize> = (0..op.sources()).collect();
    // Draws the operand that can read uniforms first, since the other sources might leave no choice for it.
    order.sort_by_key(|n| op.wide() != Some(*n));
    let mut drawn = [plain(Register::Input(0)); 3];
    for n in order {
        let input = found.iter().find_map(|s| match s.register {
            Register::Input(number) => Some(number),
            _ => None,
        });
        let need = SourceRequest {
            read_mask: source_mask(op, n, mask),
            want: want(op, n),
            wide: op.wide() == Some(n),
            other_input: input,
        };
        let mut chosen = operand(e, body, op, need);
        for _ in 0..3 {
            // Using the same operand twice tests little.
            if found.contains(&chosen) {
                chosen = operand(e, body, op, need);
            }
        }
        drawn[n] = chosen;
        found.push(chosen);
    }
    drawn[..op.sources()].to_vec()
}

/// Draws an operand. If its range does not suit the operation, another instruction corrects the range first, or an input is used instead.
fn operand(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, need: SourceRequest) -> Source {
    let found = source(e, body, need);
    if need.want.fits(body.hull_of(&found, need.read_mask)) || !e.chance(93) {
        return found;
    }
    if matches!(op, Opcode::Rsq | Opcode::Lg2) {
        return square(e, body, need, found);
    }
    input(e, body, need)
}

/// Emits the dot product of a value with itself, which is never negative and hardly ever zero.
fn square(e: &mut Entropy<'_>, body: &mut Body, need: SourceRequest, from: Source) -> Source {
    let moderate = SourceRequest { read_mask: 7, want: MODERATE, wide: false, ..need };
    let from = match from.register {
        Register::Temporary(n) if MODERATE.fits(body.hull_of(&from, 7)) && body.written(n.into()) == 0xf => {
            from
        }
        _ => input(e, body, moderate),
    };
    let component = e.below(4);
    let number = dest(e, body, 1 << component, Range::INPUT.size());
    let target = Some(Target::Temporary(number as u8));
    body.emit(Opcode::Dp3, target, 1 << component, &[from, from], [0; 2], Descriptor::default());
    // This range is narrower than the range that `emit` has recorded, which includes zero.
    let known = Range { low: 0.001, high: 3.0 * 64.0, varies: true, discrete: false };
    body.record_write(number, 1 << component, &[known; 4]);
    Source { select: select([component; 4]), ..plain(Register::Temporary(number as u8)) }
}

/// Emits an ordered comparison and returns its result, which is one about as often as zero.
fn truth(e: &mut Entropy<'_>, body: &mut Body) -> Source {
    let ops = [Opcode::Sge, Opcode::Slt, Opcode::Sgei, Opcode::Slti];
    let op = ops[e.below(ops.len())];
    let sources = sources(e, body, op, 3);
    let number = dest(e, body, 3, 1.0) as u8;
    body.emit(op, Some(Target::Temporary(number)), 3, &sources, [0; 2], Descriptor::default());
    Source { select: swizzle(e, 3, 3, 3), ..plain(Register::Temporary(number)) }
}

/// Sets the condition bits.
pub(super) fn compare(e: &mut Entropy<'_>, body: &mut Body) {
    if e.chance(30) && body.has_room(false) {
        // Two numbers are hardly ever equal, whereas two truth values are equal half of the time.
        let (a, b) = (truth(e, body), truth(e, body));
        let operators = [operator(e, body, 6), operator(e, body, 6)];
        return body.emit(Opcode::Cmp, None, 0xf, &[a, b], operators, Descriptor::default());
    }
    let sources = sources(e, body, Opcode::Cmp, 0);
    let operators = [operator(e, body, 4), operator(e, body, 4)];
    let unused = unused(e);
    let mask = if e.chance(80) { 0xf } else { e.below(16) as u8 };
    body.emit(Opcode::Cmp, None, mask, &sources, operators, unused);
}

/// Returns an operator of `cmp`: one of the last `of` of the six defined operators, of which the last four are ordered comparisons. If the program
/// may have warnings, sometimes returns an undefined operator.
fn operator(e: &mut Entropy<'_>, body: &Body, of: usize) -> u8 {
    if body.allows_warnings && e.chance(30) {
        return 6 + e.below(2) as u8;
    }
    (6 - of + e.below(of)) as u8
}

/// Sets address registers. The next instruction will use one of them.
pub(super) fn mova(e: &mut Entropy<'_>, body: &mut Body) {
    if body.last() == Some(Opcode::Mova) && !(body.allows_warnings && e.chance(50)) {
        return;
    }
    let mask = match body.index {
        Some(idx @ 1..=2) => [1 << (idx - 1), 3][e.below(2)],
        _ => e.between(1, 3) as u8,
    };
    let mut wanted = want(Opcode::Mova, 0);
    if body.index == Some(3) || e.chance(5) {
        // The loop counter is equal in all lanes, so this value may be equal too.
        wanted = wanted.allow_uniform();
    }
    let need = SourceRequest { read_mask: mask, want: wanted, wide: true, other_input: None };
    let mut from = source(e, body, need);
    if !need.want.fits(body.hull_of(&from, mask)) {
        from = input(e, body, need);
    }
    // The other half of the mask has no effect.
    let written = if e.chance(80) { mask } else { mask | (e.below(4) as u8) << 2 };
    let unused = unused(e);
    body.emit(Opcode::Mova, None, written, &[from], [0; 2], unused);
    body.index = Some(if mask == 3 { 1 + e.below(2) as u8 } else { mask });
}

/// Returns a temporary to write, if possible one in which no unread value is lost.
pub(super) fn dest(e: &mut Entropy<'_>, body: &Body, mask: u8, size: f32) -> usize {
    let allowed = |n: &usize| {
        let carried = body.repeats.iter().fold(0, |all, masks| all | masks[*n]);
        body.pinned >> n & 1 == 0 && (size <= MAX_LOOP_CARRIED || carried & mask == 0)
    };
    let all: Vec<usize> = (0..TEMPORARIES).filter(allowed).collect();
    let free: Vec<usize> = all.iter().copied().filter(|n| body.unread(*n) & mask == 0).collect();
    if let Some(branch) = body.branches.last()
        && e.chance(60)
    {
        let merges: Vec<usize> = all
            .iter()
            .copied()
            .filter(|n| branch.merge[*n] & mask != 0 && body.unread(*n) & mask & !branch.merge[*n] == 0)
            .collect();
        if let Some(number) = e.pick(&merges) {
            return *number;
        }
    }
    if !body.branches.is_empty() && e.chance(60) {
        // Prefers a register that already has a value for the lanes that do not take the branch.
        let known: Vec<usize> = free.iter().copied().filter(|n| body.written(*n) & mask == mask).collect();
        if let Some(number) = e.pick(&known) {
            return *number;
        }
    }
    let near: Vec<usize> = free.iter().copied().filter(|n| *n < body.working).collect();
    let from = if !near.is_empty() {
        near
    } else if !free.is_empty() {
        free
    } else {
        all
    };
    e.pick(&from).copied().unwrap_or_default()
}
