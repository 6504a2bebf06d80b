//! Generation of control-flow clauses: conditions and loops, each with the code it controls, and clauses that are only hints.

use super::body::{Body, Item};
use super::branch::{backward_jump_loop, call, if_else, skip};
use super::range::{MAX_LOOP_CARRIED, Range};
use super::weights::{choose, choose_of, flag};
use super::{alu, fetch};
use crate::generate::Entropy;
use lockstep_core::isa::Stage;
use lockstep_core::isa::a2xx::opcode::{CfOp, ScalarOp, VectorOp};
use lockstep_core::isa::a2xx::program::{
    Alloc, Alu, Branch, Clause, Exec, LoopEnd, LoopStart, Plain, Slot, swizzle,
};
use lockstep_core::isa::a2xx::word::Buffer;

/// The number of slots and clauses from which no new control flow is started.
const LARGEST: usize = 220;
/// The maximum depth of nested scopes.
const MAX_NESTING: usize = 4;
/// The maximum depth of nested loops, including loops around calls. The rules allow four levels.
pub(super) const LOOPS: usize = 3;
/// The maximum depth of nested calls. The rules allow four levels.
pub(super) const CALLS: usize = 3;

/// Appends one item, which is usually a slot.
pub(super) fn step(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let room = body.depth < MAX_NESTING && body.size() < LARGEST;
    if size >= 2 && room && e.chance(14) {
        let allowed = |weight: u32, if_so: bool| if if_so { weight } else { 0 };
        let loops = body.loops < LOOPS && body.scopes.iter().filter(|s| s.repeats).count() < 2;
        let calls = body.calls < CALLS;
        let ops = [
            (CfOp::CondExec, 14),
            (CfOp::CondExecPredClean, 6),
            (CfOp::CondPredExec, 20),
            (CfOp::LoopStart, allowed(18, loops)),
            (CfOp::CondCall, allowed(16, calls)),
            (CfOp::CondJmp, 22),
            (CfOp::Nop, 3),
            (CfOp::Alloc, 2),
            (CfOp::MarkVsFetchDone, if body.stage == Stage::Vertex { 2 } else { 0 }),
            (CfOp::Return, u32::from(body.part == 0)),
        ];
        let op = ops[e.weighted(&ops.map(|(_, weight)| weight))].0;
        return flow(e, body, op, size);
    }
    if body.is_repeated() && e.chance(8) {
        return accumulate(e, body);
    }
    let fetches = if body.stage == Stage::Vertex { 13 } else { 15 };
    if e.chance(fetches) { fetch::any(e, body) } else { alu::any(e, body) }
}

/// Appends about `size` slots.
pub(super) fn region(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let start = body.at();
    alu::any(e, body);
    while body.at() < start + size && !e.is_exhausted() {
        let left = start + size - body.at();
        step(e, body, left);
    }
}

/// Appends a control-flow clause with this operation, with the code it controls.
pub(super) fn flow(e: &mut Entropy<'_>, body: &mut Body, op: CfOp, size: usize) {
    match op {
        CfOp::Exec => exec_clause(e, body, op),
        CfOp::CondExec | CfOp::CondExecPredClean | CfOp::CondPredExec => {
            if op == CfOp::CondPredExec && !(body.predicate == Some(true) && e.chance(30)) {
                set_predicate(e, body);
            }
            body.enter(false);
            exec_clause(e, body, op);
            body.leave();
        }
        CfOp::LoopStart | CfOp::LoopEnd => repeat(e, body, size),
        CfOp::CondCall => call(e, body, size),
        CfOp::CondJmp if !body.is_repeated() && e.chance(35) => backward_jump_loop(e, body, size),
        CfOp::CondJmp if e.chance(50) => if_else(e, body, size),
        CfOp::CondJmp => skip(e, body, size),
        CfOp::Return if body.calls == 0 => {
            let clause = Branch { opcode: CfOp::Return as u8, ..Branch::default() };
            hint(e, body, Clause::Branch(clause));
        }
        CfOp::Return => call(e, body, size),
        CfOp::Alloc => {
            let clause = alloc(e, body, None, 0);
            hint(e, body, clause);
        }
        // Clauses that end the shader are emitted only at the end.
        _ if op.is_exec() => {}
        _ => {
            let clause = Clause::Plain(Plain { opcode: op as u8, ..Plain::default() });
            hint(e, body, clause);
        }
    }
}

/// Appends a clause without an effect, followed by a clause that must still be run.
fn hint(e: &mut Entropy<'_>, body: &mut Body, clause: Clause) {
    body.push(Item::Clause(clause));
    body.enter(false);
    exec_clause(e, body, CfOp::CondExec);
    body.leave();
}

/// Returns an ALLOC clause for the given buffer, or for a random one.
pub(super) fn alloc(e: &mut Entropy<'_>, body: &Body, buffer: Option<u8>, size: u8) -> Clause {
    let position = if body.stage == Stage::Vertex { 4 } else { 0 };
    let weight = |n| match n {
        _ if n == Buffer::Position as u8 => position,
        _ if n == Buffer::Parameters as u8 => 1,
        _ => 4,
    };
    let buffer = buffer.unwrap_or_else(|| choose_of(e, facet!("buffer"), &Buffer::VALUES, weight));
    let no_serial = flag(e, facet!("no_serial"), 10);
    Clause::Alloc(Alloc { size, no_serial, buffer, opcode: CfOp::Alloc as u8, ..Alloc::default() })
}

/// Returns a clause that runs slots, with hints. The clause's condition holds about half of the time.
pub(super) fn head(e: &mut Entropy<'_>, body: &Body, op: CfOp) -> Exec {
    let mut head = Exec {
        yields: flag(e, facet!("yield"), 4),
        vc: if flag(e, facet!("cache"), if body.xenos { 20 } else { 4 }) != 0 {
            1 + e.below(63) as u8
        } else {
            0
        },
        opcode: op as u8,
        ..Exec::default()
    };
    if op.tests_bool() {
        head.bool_addr = if e.chance(85) { e.below(6) } else { e.below(256) } as u8;
    } else if flag(e, facet!("pred_clean"), if body.xenos { 30 } else { 4 }) != 0 {
        head.bool_addr = 0x80;
    }
    if op.tests_bool() || op.tests_predicate() {
        head.cond = choose(e, facet!("cond"), &[("0", 50), ("1", 50)]) as u8;
    }
    head
}

/// Appends a clause of this operation with the requested number of slots, or a random one, and a clause for the slots after it.
fn exec_clause(e: &mut Entropy<'_>, body: &mut Body, op: CfOp) {
    let count = match choose(e, facet!("cnt"), &[("none", 2), ("some", 88), ("six", 10)]) {
        0 => 0,
        1 => e.between(1, 4),
        _ => 6,
    };
    let head = head(e, body, op);
    body.push(Item::Head(head));
    slots(e, body, count);
    if count == 0 {
        // The clause after it must still be run.
        let next = self::head(e, body, CfOp::CondExec);
        body.push(Item::Head(next));
        body.enter(false);
        slots(e, body, 2);
        body.leave();
    }
    // The following slots belong to another clause.
    let next = self::head(e, body, CfOp::Exec);
    body.push(Item::Head(next));
    alu::any(e, body);
}

/// Appends exactly `count` slots.
fn slots(e: &mut Entropy<'_>, body: &mut Body, count: usize) {
    let single_slot = std::mem::replace(&mut body.single_slot, true);
    let start = body.at();
    while body.at() < start + count {
        alu::any(e, body);
    }
    body.single_slot = single_slot;
}

/// Sets the predicate from a value that differs between lanes.
pub(super) fn set_predicate(e: &mut Entropy<'_>, body: &mut Body) {
    let ops = [
        ScalarOp::PredSetgts,
        ScalarOp::PredSetgtes,
        ScalarOp::PredSetgts,
        ScalarOp::PredSetes,
        ScalarOp::PredSetnes,
    ];
    let op = ops[e.weighted(&[45, 35, 10, 5, 5])];
    let number = e.pick(&body.inputs).copied().unwrap_or_default();
    let from = if matches!(op, ScalarOp::PredSetes | ScalarOp::PredSetnes) {
        // These operations compare with 0: an input is hardly ever 0, whereas a truth value is 0 half of the time.
        let to = alu::dest(e, body, 1, 1.0, true);
        let mut alu = bare(VectorOp::Setgt);
        (alu.vdest, alu.vmask, alu.src1, alu.src2) = (to, 1, number, number);
        (alu.swz1, alu.swz2) = (0, [1, 2, 3][e.below(3)]);
        body.push(Item::Slot(Slot::Alu(alu)));
        body.record_write(to.into(), 1, &[Range::between(0.0, 1.0, true); 4], true);
        body.mark(to.into(), 1);
        to
    } else {
        number
    };
    let component = if from == number { e.below(4) } else { 0 };
    let mut alu = bare(VectorOp::Max);
    (alu.sop, alu.src3) = (op as u8, from);
    alu.swz3 = swizzle([component; 4]);
    alu.neg3 = u8::from(e.chance(30));
    body.mark(from.into(), 1 << component);
    body.push(Item::Slot(Slot::Alu(alu)));
    body.previous = Range { low: 0.0, high: 1.0, varies: true, discrete: true };
    body.previous_unread = false;
    body.predicate = Some(true);
}

/// Returns a slot with register operands and empty write masks.
pub(super) fn bare(op: VectorOp) -> Alu {
    Alu { vop: op as u8, sel1: 1, sel2: 1, sel3: 1, sop: ScalarOp::RetainPrev as u8, ..Alu::default() }
}

/// Appends a hardware loop.
fn repeat(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let id = if e.chance(85) { e.below(4) } else { e.below(32) } as u8;
    let (start, end) = (body.label(), body.label());
    let repeat = flag(e, facet!("repeat"), 5);
    let begin = LoopStart { repeat, loop_id: id, opcode: CfOp::LoopStart as u8, ..LoopStart::default() };
    body.push(Item::To(Clause::LoopStart(begin), end));
    body.push(Item::Label(start));
    body.enter(true);
    body.loops += 1;
    // The loop body is not run at all if the count is zero.
    body.scopes.push(super::body::Scope { before: body.masks(), repeats: false });
    let relative = std::mem::replace(&mut body.relative, true);
    let part = body.part;
    let deep = body.loops - body.parts[part].around;
    body.parts[part].loops = body.parts[part].loops.max(deep);
    let breaks = [("none", 70), ("true", 15), ("false", 15)];
    let breaks = choose(e, facet!("break"), &breaks);
    region(e, body, size / 2);
    accumulate(e, body);
    if breaks != 0 {
        set_predicate_anew(e, body);
    }
    body.relative = relative;
    body.scopes.pop();
    body.loops -= 1;
    body.leave();
    let finish = LoopEnd {
        loop_id: id,
        pred_break: u8::from(breaks != 0),
        cond: u8::from(breaks == 1),
        opcode: CfOp::LoopEnd as u8,
        ..LoopEnd::default()
    };
    body.push(Item::To(Clause::LoopEnd(finish), start));
    body.push(Item::Label(end));
    alu::any(e, body);
}

/// Sets the predicate from a value that may change between iterations.
fn set_predicate_anew(e: &mut Entropy<'_>, body: &mut Body) {
    let written: Vec<u8> =
        body.working.iter().copied().filter(|n| body.written((*n).into()) & 1 != 0).collect();
    let Some(number) = e.pick(&written).copied() else { return set_predicate(e, body) };
    let mut alu = bare(VectorOp::Max);
    (alu.sop, alu.src3, alu.swz3) = (ScalarOp::PredSetgts as u8, number, swizzle([0; 4]));
    alu.neg3 = u8::from(e.chance(50));
    body.mark(number.into(), 1);
    body.push(Item::Slot(Slot::Alu(alu)));
    body.previous = Range { low: 0.0, high: 1.0, varies: true, discrete: true };
    body.predicate = Some(true);
}

/// Adds to an existing value, so that the number of iterations affects the result.
fn accumulate(e: &mut Entropy<'_>, body: &mut Body) {
    let carried: Vec<u8> = body
        .working
        .iter()
        .copied()
        .filter(|n| {
            body.pinned >> n & 1 == 0
                && body.hull_of((*n).into(), 0xf).size() <= MAX_LOOP_CARRIED * MAX_LOOP_CARRIED
        })
        .collect();
    let Some(&number) = e.pick(&carried) else { return };
    let mut alu = bare(VectorOp::Add);
    (alu.vdest, alu.vmask, alu.src1) = (number, 0xf, number);
    if e.chance(50) && body.loops > 0 {
        (alu.src2, alu.sel2, alu.const0_rel) = (e.between(0, 100) as u8, 0, 1);
    } else {
        alu.src2 = e.pick(&body.inputs).copied().unwrap_or_default();
        body.mark(alu.src2.into(), 0xf);
    }
    alu.swz1 = swizzle([[0, 1, 2, 3], [1, 3, 1, 3], [1, 0, 3, 2]][e.weighted(&[60, 20, 20])]);
    body.mark(number.into(), 0xf);
    body.push(Item::Slot(Slot::Alu(alu)));
    let size = MAX_LOOP_CARRIED * MAX_LOOP_CARRIED;
    body.record_write(number.into(), 0xf, &[Range::between(-size, size, true); 4], true);
}
