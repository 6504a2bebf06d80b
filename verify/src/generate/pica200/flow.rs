//! Generation of control flow: branches, loops, calls and jumps, each with the code it controls.
//!
//! A scope ends only where assemblers allow it: never on a jump, call or break, and no two scopes on one word. A nop is inserted where needed,
//! except sometimes in programs that may cause warnings.

use super::body::{Body, Cell, Masks, Part, TEMPORARIES, Word, components_of};
use super::build::{arithmetic, compare, dest};
use super::range::{MAX_LOOP_CARRIED, Range};
use super::source::{SourceRequest, input, plain, select, swizzle};
use crate::generate::Entropy;
use lockstep_core::isa::pica200::opcode::Opcode;
use lockstep_core::isa::pica200::program::{CALL_DEPTH, Descriptor, Instruction, Register, Source, Target};
use lockstep_core::isa::pica200::word::fields;

/// The program size, in words, from which no new control flow is started, so that the rest still fits in a vertex unit's memory of 512 words.
const LARGEST: usize = 250;
/// The maximum depth of nested blocks and loops.
const MAX_NESTING: usize = 5;
/// The maximum depth of nested calls; one more level would violate a rule.
const DEEPEST_CALL: usize = CALL_DEPTH;

/// Appends an arithmetic instruction, or sometimes control flow with the code it controls.
pub(super) fn step(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let busy = body.depth > 0 || body.calls > 0;
    let room = body.has_room(false) && body.size() < LARGEST;
    if size >= 2 && body.depth < MAX_NESTING && room && e.chance(if busy { 18 } else { 15 }) {
        let inside = body.loops > 0;
        let loops = body.repeats.len() < 2;
        let calls = body.calls < 3;
        let allowed = |weight: u32, if_so: bool| if if_so { weight } else { 0 };
        let ops = [
            (Opcode::Ifc, 34),
            (Opcode::Loop, allowed(16, loops)),
            (Opcode::Call, allowed(10, calls)),
            (Opcode::Callc, allowed(9, calls)),
            (Opcode::Jmpc, 12),
            (Opcode::Ifu, 6),
            (Opcode::Jmpu, 6),
            (Opcode::Callu, allowed(4, calls)),
            (Opcode::Breakc, allowed(20, inside)),
            (Opcode::Break, allowed(14, inside)),
            (Opcode::End, 3),
        ];
        let op = ops[e.weighted(&ops.map(|(_, weight)| weight))].0;
        return flow(e, body, op, size);
    }
    if !body.repeats.is_empty() && e.chance(10) {
        return accumulate(e, body);
    }
    arithmetic(e, body);
}

/// Appends about `size` words.
pub(super) fn region(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let start = body.at();
    arithmetic(e, body);
    while body.at() < start + size && !e.is_exhausted() {
        let left = start + size - body.at();
        step(e, body, left);
    }
}

/// Appends a control-flow instruction with this operation, with the code it controls.
pub(super) fn flow(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    match op {
        Opcode::Ifc | Opcode::Ifu => block(e, body, op, size),
        Opcode::Loop => repeat(e, body, size, region),
        Opcode::Call | Opcode::Callc | Opcode::Callu => call(e, body, op, size),
        Opcode::Jmpc | Opcode::Jmpu if body.repeats.is_empty() && e.chance(50) => {
            backward_jump_loop(e, body, op, size);
        }
        Opcode::Jmpc | Opcode::Jmpu => skip(e, body, op, size),
        Opcode::End => finish_early(e, body),
        Opcode::Break | Opcode::Breakc if body.loops == 0 => {
            repeat(e, body, size, |e, body, size| leave(e, body, op, size));
        }
        _ => leave(e, body, op, size),
    }
}

/// Returns an instruction with its condition fields or its Boolean; sets the condition bits first if necessary.
fn condition(e: &mut Entropy<'_>, body: &mut Body, op: Opcode) -> Instruction {
    let instruction = Instruction::from_word(op.row().number << 26);
    let [a, b, c] = [e.below(4) as u32, e.below(2) as u32, e.below(2) as u32];
    if matches!(op, Opcode::Ifu | Opcode::Callu | Opcode::Jmpu) {
        let id = if e.chance(80) { e.below(4) } else { e.below(16) } as u32;
        let inverse = if op == Opcode::Jmpu { b } else { 0 };
        return instruction.with_field(fields::ID, id).with_field(fields::NUM, inverse);
    }
    if op != Opcode::Call && (!body.compared || !e.chance(20)) {
        compare(e, body);
    }
    if op == Opcode::Call {
        instruction
    } else {
        instruction.with_field(fields::CONDOP, a).with_field(fields::REFX, b).with_field(fields::REFY, c)
    }
}

/// Fills in the target of a control-flow word.
fn patch(body: &mut Body, at: usize, dst: usize, num: usize) {
    if let Word::Flow(instruction) = &mut body.current_part().words[at] {
        let jump = instruction.op() == Some(Opcode::Jmpu);
        *instruction = instruction.with_field(fields::DST, dst as u32);
        if !jump {
            *instruction = instruction.with_field(fields::NUM, num as u32);
        }
    }
}

/// Inserts a nop if a scope must not end here, and records that one ends here.
fn end_scope(e: &mut Entropy<'_>, body: &mut Body) {
    let lost = matches!(
        body.last(),
        Some(
            Opcode::Jmpc
                | Opcode::Jmpu
                | Opcode::Call
                | Opcode::Callc
                | Opcode::Callu
                | Opcode::Break
                | Opcode::Breakc
        )
    );
    let at = body.at();
    if (lost || body.current_part().landing == at) && !(body.allows_warnings && e.chance(25)) {
        body.bare(Opcode::Nop);
    }
    let at = body.at();
    body.current_part().landing = at;
}

/// Appends a conditional with one or two branches.
fn block(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    let instruction = condition(e, body, op);
    let at = body.at();
    body.push(Word::Flow(instruction));
    let other = e.chance(50);
    let before = body.masks(Body::unread);
    body.enter([0; TEMPORARIES]);
    body.depth += 1;
    region(e, body, size / 3);
    body.branches.pop();
    end_scope(e, body);
    let dst = body.at();
    if other {
        let now = body.masks(Body::unread);
        let merge: Masks = std::array::from_fn(|n| now[n] & !before[n]);
        body.enter(merge);
        if let Some(branch) = body.branches.last_mut() {
            branch.before = before;
        }
        region(e, body, size / 3);
        body.branches.pop();
        let end = body.at();
        body.current_part().landing = end;
    }
    body.depth -= 1;
    let num = body.at() - dst;
    patch(body, at, dst, num);
}

/// Appends a loop around the code that `inside` appends.
pub(super) fn repeat(
    e: &mut Entropy<'_>,
    body: &mut Body,
    size: usize,
    inside: impl FnOnce(&mut Entropy<'_>, &mut Body, usize),
) {
    let id = if body.allows_warnings && e.chance(30) { e.below(16) } else { e.below(4) } as u32;
    let at = body.at();
    body.push(Word::Flow(Instruction::from_word(Opcode::Loop.row().number << 26).with_field(fields::ID, id)));
    body.address[2] = Some(false);
    if e.chance(40) {
        body.index = Some(3);
    }
    body.repeats.push(body.masks(Body::written));
    body.loops += 1;
    body.depth += 1;
    inside(e, body, size / 2);
    body.depth -= 1;
    body.loops -= 1;
    body.repeats.pop();
    // A loop must not end on a jump, call or break.
    end_scope(e, body);
    let last = body.at() - 1;
    patch(body, at, last, 0);
}

/// Adds to an existing value, so that the number of iterations affects the result.
fn accumulate(e: &mut Entropy<'_>, body: &mut Body) {
    let carried: Vec<usize> = (0..TEMPORARIES)
        .filter(|n| body.repeats.last().is_some_and(|masks| masks[*n] != 0) && body.pinned >> n & 1 == 0)
        .filter(|n| {
            body.hull_of(&plain(Register::Temporary(*n as u8)), body.written(*n)).size()
                <= MAX_LOOP_CARRIED * MAX_LOOP_CARRIED
        })
        .collect();
    let Some(&number) = e.pick(&carried) else { return arithmetic(e, body) };
    let mask = body.repeats.last().map_or(0, |masks| masks[number]);
    let here = plain(Register::Temporary(number as u8));
    let other = input(
        e,
        body,
        SourceRequest { read_mask: mask, want: super::range::MODERATE, wide: true, other_input: None },
    );
    let target = Some(Target::Temporary(number as u8));
    body.emit(Opcode::Add, target, mask, &[other, here], [0; 2], Descriptor::default());
    let size = MAX_LOOP_CARRIED * MAX_LOOP_CARRIED;
    body.record_write(number, mask, &[Range { low: -size, high: size, ..Range::INPUT }; 4]);
}

/// Appends a conditional exit from the enclosing loop.
fn leave(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    // The loop should have an effect before its break.
    arithmetic(e, body);
    if op == Opcode::Breakc {
        let instruction = condition(e, body, op);
        body.push(Word::Plain(instruction));
        body.enter([0; TEMPORARIES]);
        arithmetic(e, body);
        body.branches.pop();
        return;
    }
    let block = if e.chance(80) { Opcode::Ifc } else { Opcode::Ifu };
    let instruction = condition(e, body, block);
    let at = body.at();
    body.push(Word::Flow(instruction));
    body.enter([0; TEMPORARIES]);
    body.depth += 1;
    if e.chance(60) {
        region(e, body, size / 4);
    }
    body.depth -= 1;
    body.branches.pop();
    body.bare(Opcode::Break);
    let dst = body.at();
    body.current_part().landing = dst;
    patch(body, at, dst, 0);
    arithmetic(e, body);
}

/// Appends a conditional end of the program before its outputs are written.
fn finish_early(e: &mut Entropy<'_>, body: &mut Body) {
    let instruction = condition(e, body, Opcode::Ifc);
    let at = body.at();
    body.push(Word::Flow(instruction));
    body.bare(Opcode::End);
    let dst = body.at();
    body.current_part().landing = dst;
    patch(body, at, dst, 0);
}

/// Appends a call of a new or an existing procedure.
fn call(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    let instruction = condition(e, body, op);
    let fits = |body: &Body, part: &Part| {
        let loses = |n: usize| body.unread(n) & part.writes[n] & !part.reads[n] != 0;
        part.done && body.calls + part.depth < DEEPEST_CALL && !(0..TEMPORARIES).any(loses)
    };
    let known: Vec<usize> = (1..body.parts.len()).filter(|n| fits(body, &body.parts[*n])).collect();
    let only_some = op != Opcode::Call;
    if only_some {
        body.enter([0; TEMPORARIES]);
    }
    let number = match e.pick(&known) {
        Some(&number) if e.chance(35) => {
            record_repeated_call(body, number);
            number
        }
        _ => procedure(e, body, size),
    };
    if only_some {
        body.branches.pop();
    }
    let (reads, writes) = (body.parts[number].reads, body.parts[number].writes);
    let depth = body.parts[number].depth;
    let here = body.current_part();
    for n in 0..TEMPORARIES {
        here.reads[n] |= reads[n];
        here.writes[n] |= writes[n];
    }
    here.depth = here.depth.max(depth + 1);
    body.push(Word::Call(instruction, number));
}

/// Records the effects of another call of a procedure.
fn record_repeated_call(body: &mut Body, number: usize) {
    let (reads, writes) = (body.parts[number].reads, body.parts[number].writes);
    for n in 0..TEMPORARIES {
        body.record_read(n, reads[n]);
        let pinned = body.pinned >> n & 1 == 1;
        for c in components_of(if pinned { 0 } else { writes[n] }) {
            let range = body.cells[n][c].map_or(Range::UNKNOWN, |cell| cell.range.or(Range::UNKNOWN));
            body.cells[n][c] = Some(Cell { range: Range { varies: true, ..range }, unread: true });
        }
    }
}

/// Creates a procedure and returns its part number.
fn procedure(e: &mut Entropy<'_>, body: &mut Body, size: usize) -> usize {
    let number = body.parts.len();
    body.parts.push(Part::default());
    let outer = (body.part, body.loops, body.depth);
    (body.part, body.loops, body.depth) = (number, 0, 0);
    body.calls += 1;
    body.repeats.push(body.masks(Body::written));
    let size = e.between(1, (size / 2).max(1));
    region(e, body, size);
    end_scope(e, body);
    body.repeats.pop();
    body.calls -= 1;
    body.current_part().done = true;
    (body.part, body.loops, body.depth) = outer;
    number
}

/// Appends a jump over a region.
fn skip(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    let instruction = condition(e, body, op);
    let at = body.at();
    body.push(Word::Flow(instruction));
    body.enter([0; TEMPORARIES]);
    body.depth += 1;
    region(e, body, size / 3);
    body.depth -= 1;
    body.branches.pop();
    let dst = body.at();
    body.current_part().landing = dst;
    patch(body, at, dst, 0);
}

/// Appends a loop: a backward jump that is taken while a count is below an input. If the jump tests a Boolean, another jump tests the count.
fn backward_jump_loop(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    let free: Vec<usize> =
        (0..TEMPORARIES).rev().filter(|n| body.unread(*n) == 0 && body.pinned >> n & 1 == 0).collect();
    let Some(&counter) = free.first() else { return skip(e, body, op, size) };
    let register = Register::Temporary(counter as u8);
    let target = Some(Target::Temporary(counter as u8));
    let need =
        |read_mask| SourceRequest { read_mask, want: super::range::MODERATE, wide: true, other_input: None };
    // Sets y to zero and x to one, whatever the input is.
    let from = Source { select: Descriptor::XYZW, ..input(e, body, need(0xf)) };
    body.emit(Opcode::Slt, target, 2, &[from, from], [0; 2], Descriptor::default());
    body.emit(Opcode::Dst, target, 1, &[from, from], [0; 2], Descriptor::default());
    body.pinned |= 1 << counter;
    let start = body.at();
    body.current_part().landing = start;
    body.repeats.push(body.masks(Body::written));
    body.depth += 1;
    region(e, body, size / 2);
    let at_component = |c: usize| Source { select: select([c; 4]), ..plain(register) };
    body.emit(Opcode::Add, target, 2, &[at_component(1), at_component(0)], [0; 2], Descriptor::default());
    let number = e.pick(&body.inputs).copied().unwrap_or_default();
    let bound = Source { select: swizzle(e, 3, 0xf, 0), ..plain(Register::Input(number)) };
    // The comparison is "less than", or its inverse "greater or equal".
    let inverse = u8::from(e.chance(40));
    let operators = [[2, 5][usize::from(inverse)]; 2];
    body.emit(Opcode::Cmp, None, 0xf, &[at_component(1), bound], operators, Descriptor::default());
    let condop = e.below(4) as u32;
    let reference = u32::from(1 - inverse);
    let counted = |reference: u32, condop: u32| {
        let word = Instruction::from_word(Opcode::Jmpc.row().number << 26);
        word.with_field(fields::CONDOP, condop)
            .with_field(fields::REFX, reference)
            .with_field(fields::REFY, reference)
    };
    if op == Opcode::Jmpc {
        let at = body.at();
        body.push(Word::Flow(counted(reference, condop)));
        patch(body, at, start, 0);
    } else {
        let instruction = condition(e, body, op);
        let exit = body.at();
        body.push(Word::Flow(counted(1 - reference, condop)));
        let at = body.at();
        body.push(Word::Flow(instruction));
        patch(body, at, start, 0);
        let end = body.at();
        body.current_part().landing = end;
        patch(body, exit, end, 0);
    }
    body.depth -= 1;
    body.repeats.pop();
    body.pinned &= !(1 << counter);
    body.cells[counter] = [None; 4];
    if e.chance(50) {
        // The iteration count may be read, so that it is compared.
        let size = dest(e, body, 1, MAX_LOOP_CARRIED);
        let from = at_component(1);
        body.emit(
            Opcode::Mov,
            Some(Target::Temporary(size as u8)),
            1,
            &[from],
            [0; 2],
            Descriptor::default(),
        );
        body.record_write(size, 1, &[Range { low: 1.0, high: 9.0, varies: true, discrete: true }; 4]);
    }
}
