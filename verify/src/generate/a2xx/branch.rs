//! Generation of calls and jumps, each with the code it controls.

use super::alu;
use super::body::{Body, Cell, Item, Part, REGISTERS, bits};
use super::flow::{CALLS, LOOPS, bare, region, set_predicate};
use super::range::Range;
use super::weights::{choose, choose_of};
use crate::generate::Entropy;
use lockstep_core::isa::a2xx::opcode::{CfOp, ScalarOp, VectorOp};
use lockstep_core::isa::a2xx::program::{Branch, Clause, R0, Slot, Source, swizzle};
use lockstep_core::isa::a2xx::word::Direction;

/// The conditions of a branch.
const CONDITIONS: [&str; 5] = ["always", "bool_0", "bool_1", "predicate_0", "predicate_1"];
const ALWAYS: usize = 0;
const BOOL_0: usize = 1;
const BOOL_1: usize = 2;
const PREDICATE_0: usize = 3;
const PREDICATE_1: usize = 4;

/// Returns a branch with a condition on the predicate or a Boolean constant; `always` is the weight of an unconditional branch.
fn condition(e: &mut Entropy<'_>, body: &mut Body, op: CfOp, always: u32) -> Branch {
    let weights = [always, 15, 15, 25, 25];
    let table: [_; CONDITIONS.len()] = std::array::from_fn(|k| (CONDITIONS[k], weights[k]));
    let kind = match choose(e, facet!("condition"), &table) {
        ALWAYS if always == 0 => BOOL_0 + e.below(4),
        kind => kind,
    };
    let predicated = matches!(kind, PREDICATE_0 | PREDICATE_1);
    if predicated && !(body.predicate == Some(true) && e.chance(30)) {
        set_predicate(e, body);
    }
    let tests = matches!(kind, BOOL_0 | BOOL_1);
    let number = if !tests {
        0
    } else if e.chance(85) {
        e.below(6)
    } else {
        e.below(256)
    };
    Branch {
        unconditional: u8::from(kind == ALWAYS),
        predicated: u8::from(predicated),
        bool_addr: number as u8,
        cond: u8::from(matches!(kind, BOOL_1 | PREDICATE_1)),
        opcode: op as u8,
        ..Branch::default()
    }
}

/// Returns the direction hint of a branch, which is usually the branch's actual direction.
fn direction(e: &mut Entropy<'_>, own: u8) -> u8 {
    let weight = |way| if way == own { 96 } else { 4 };
    choose_of(e, facet!("direction"), &Direction::VALUES, weight)
}

/// Appends a jump over a region.
pub(super) fn skip(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let mut branch = condition(e, body, CfOp::CondJmp, 0);
    branch.direction = direction(e, 1);
    let end = body.label();
    body.push(Item::To(Clause::Branch(branch), end));
    body.enter(false);
    region(e, body, size / 3);
    body.leave();
    body.push(Item::Label(end));
    alu::any(e, body);
}

/// Appends two alternative regions. The first region ends with an unconditional jump over the second region.
pub(super) fn if_else(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let mut branch = condition(e, body, CfOp::CondJmp, 0);
    branch.direction = direction(e, 1);
    let (other, end) = (body.label(), body.label());
    body.push(Item::To(Clause::Branch(branch), other));
    body.enter(false);
    region(e, body, size / 3);
    body.leave();
    let mut over = Branch { unconditional: 1, opcode: CfOp::CondJmp as u8, ..Branch::default() };
    // Mesa sets this flag on all its jumps.
    over.predicated = u8::from(e.chance(30));
    over.direction = direction(e, 1);
    body.push(Item::To(Clause::Branch(over), end));
    body.push(Item::Label(other));
    body.enter(false);
    region(e, body, size / 3);
    body.leave();
    body.push(Item::Label(end));
    alu::any(e, body);
}

/// Appends a loop: a region, followed by a backward jump that is taken while a count is below the magnitude of an input. If no register is free for
/// the count, appends a jump over a region instead.
pub(super) fn backward_jump_loop(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let free = (0..REGISTERS as u8).rev().find(|n| {
        let n = *n;
        body.unread(n.into()) == 0
            && body.pinned >> n & 1 == 0
            && !body.inputs.contains(&n)
            && !body.working.contains(&n)
    });
    let Some(counter) = free else { return skip(e, body, size) };
    let input = e.pick(&body.inputs).copied().unwrap_or_default();
    let put = |body: &mut Body, op: VectorOp, mask: u8, sources: [u8; 2], swizzles: [u8; 2]| {
        let mut alu = bare(op);
        (alu.vdest, alu.vmask) = (counter, mask);
        ([alu.src1, alu.src2], [alu.swz1, alu.swz2]) = (sources, swizzles);
        body.push(Item::Slot(Slot::Alu(alu)));
    };
    // Sets x to zero and y to one.
    put(body, VectorOp::Setgt, 1, [input; 2], [0; 2]);
    put(body, VectorOp::Sete, 2, [input; 2], [0; 2]);
    body.pinned |= 1 << counter;
    let start = body.label();
    body.push(Item::Label(start));
    body.enter(true);
    region(e, body, size / 2);
    body.leave();
    put(body, VectorOp::Add, 1, [counter, counter], [0, swizzle([1; 4])]);
    // The bound minus the count is positive as long as the loop continues.
    let bound = Source { number: input, absolute: true, ..R0 }.byte();
    put(body, VectorOp::Add, 4, [bound, counter], [0, swizzle([0; 4])]);
    let part = body.part;
    if let Some(Item::Slot(Slot::Alu(alu))) = body.parts[part].items.last_mut() {
        alu.neg2 = 1;
    }
    let inverse = e.chance(40);
    let mut test = bare(VectorOp::Max);
    (test.sop, test.src3, test.swz3, test.neg3) =
        (ScalarOp::PredSetgts as u8, counter, swizzle([2; 4]), u8::from(inverse));
    if inverse {
        // The inverse condition is that the difference is at most zero.
        test.sop = ScalarOp::PredSetgtes as u8;
    }
    body.push(Item::Slot(Slot::Alu(test)));
    body.predicate = Some(true);
    body.previous = Range { low: 0.0, high: 1.0, varies: true, discrete: true };
    let mut branch =
        Branch { predicated: 1, cond: u8::from(!inverse), opcode: CfOp::CondJmp as u8, ..Branch::default() };
    branch.direction = direction(e, 0);
    body.push(Item::To(Clause::Branch(branch), start));
    body.pinned &= !(1 << counter);
    for c in 0..4 {
        body.cells[usize::from(counter)][c] = Cell { range: Range::INPUT, written: true, unread: false };
    }
    if e.chance(50) {
        // The iteration count may be read, so that it is compared.
        body.cells[usize::from(counter)][0] = Cell {
            range: Range { low: 1.0, high: 9.0, varies: true, discrete: true },
            written: true,
            unread: true,
        };
    }
    alu::any(e, body);
}

/// Appends a call of a new or an existing procedure.
pub(super) fn call(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let mut branch = condition(e, body, CfOp::CondCall, 35);
    branch.direction = direction(e, 1);
    let fits = |body: &Body, part: &Part| {
        let loses = |(n, mask): &(usize, u8)| body.unread(*n) & mask != 0;
        part.done
            && body.calls + part.depth < CALLS
            && body.loops + part.loops <= LOOPS
            && !part.writes.iter().any(loses)
    };
    let known: Vec<usize> = (1..body.parts.len()).filter(|n| fits(body, &body.parts[*n])).collect();
    let only_some = branch.unconditional == 0;
    if only_some {
        body.enter(false);
    }
    let number = match e.pick(&known) {
        Some(&number) if e.chance(35) => {
            record_repeated_call(body, number);
            number
        }
        _ => procedure(e, body, size),
    };
    if only_some {
        body.leave();
    }
    let Part { reads, writes, depth, loops, .. } = body.parts[number].clone();
    let around = body.loops - body.parts[body.part].around;
    let here = body.current_part();
    here.reads.extend(reads);
    here.writes.extend(writes);
    here.depth = here.depth.max(depth + 1);
    here.loops = here.loops.max(loops + around);
    body.push(Item::Call(branch, number));
    alu::any(e, body);
}

/// Records the effects of another call of a procedure.
fn record_repeated_call(body: &mut Body, number: usize) {
    let Part { reads, writes, .. } = body.parts[number].clone();
    for (n, mask) in reads {
        body.mark(n, mask);
    }
    for (n, mask) in writes {
        if body.pinned >> n & 1 == 0 {
            for c in bits(mask) {
                let range = Range { varies: true, ..body.cells[n][c].range.or(Range::UNKNOWN) };
                body.cells[n][c] = Cell { range, written: true, unread: true };
            }
        }
    }
}

/// Creates a procedure and returns its part number.
fn procedure(e: &mut Entropy<'_>, body: &mut Body, size: usize) -> usize {
    let number = body.parts.len();
    body.parts.push(Part { around: body.loops, ..Part::default() });
    let outer = (body.part, body.depth);
    (body.part, body.depth) = (number, 0);
    body.calls += 1;
    // The procedure may be called again.
    body.enter(true);
    let size = e.between(1, (size / 2).clamp(1, 8));
    region(e, body, size);
    body.leave();
    body.calls -= 1;
    body.current_part().done = true;
    (body.part, body.depth) = outer;
    number
}
