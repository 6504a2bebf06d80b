//! Control flow in the fallback, with the control state in variables.

use super::successors::{branch_condition, exec_condition, loop_continues, lower_loop_end, lower_loop_start};
use super::{
    Cx, LastFullFetch, Loops, Lower, MAX_NESTING, Outline, address_after, loop_constant, pass_var, shader,
};
use crate::ir::{Builder, Ty, Value, Var};
use crate::isa::a2xx::opcode::CfOp;
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::{Branch, Clause, Exec, LoopEnd, LoopStart, Shader};
use crate::isa::a2xx::variables::{File, NO_FRAME};
use crate::isa::lowering::{BranchSelect, FallbackExit, Successors, hang_word};
use crate::value::{BBin, IBin, ICmp};
use smallvec::smallvec;

/// Returns the innermost of the given loops.
fn innermost(loops: &[u8]) -> Loops {
    match (loops.len().checked_sub(1), loops.last()) {
        (Some(depth), Some(id)) => Loops::Innermost(depth, *id),
        _ => Loops::None,
    }
}

/// Returns all words in the order in which lanes are scheduled: each clause of the entry's shader, followed by those of its slots that no earlier
/// clause runs. All other words come last.
pub fn order(cx: &Cx<'_>) -> Vec<u32> {
    let words = cx.program.words();
    let mut order = Vec::with_capacity(words as usize);
    let mut listed = vec![false; words as usize];
    let mut list = |word: u32| {
        if let Some(listed) = listed.get_mut(word as usize).filter(|listed| !**listed) {
            *listed = true;
            order.push(word);
        }
    };
    if let Some((shader, first_word)) = shader(cx) {
        for (at, clause) in shader.clauses.iter().enumerate() {
            list(first_word + at as u32);
            let Clause::Exec(exec) = clause else { continue };
            for k in 0..exec.slot_count() {
                if let Some(word) = slot_word(shader, first_word, exec, k) {
                    list(word);
                }
            }
        }
    }
    (0..words).for_each(list);
    order
}

/// Returns the word number of slot `k` of a clause, if the slot exists.
fn slot_word(shader: &Shader, first_word: u32, exec: &Exec, k: u8) -> Option<u32> {
    let at = (usize::from(exec.addr) + usize::from(k)).checked_sub(shader.clauses.len() / 2)?;
    (at < shader.slots.len()).then(|| first_word + (shader.clauses.len() + at) as u32)
}

/// Returns the word after slot `k` of a clause: the next existing slot of the clause, or the clause's successor.
fn word_after(cx: &Cx<'_>, shader: &Shader, first_word: u32, (at, exec, k): (usize, &Exec, u8)) -> u32 {
    let slot = (k + 1..exec.slot_count()).find_map(|k| slot_word(shader, first_word, exec, k));
    slot.unwrap_or_else(|| word_after_clause(cx, shader, first_word, at, exec))
}

/// Returns the word at which control continues after a clause has run its slots.
fn word_after_clause(cx: &Cx<'_>, shader: &Shader, first_word: u32, at: usize, exec: &Exec) -> u32 {
    if exec.op().is_end() || at + 1 >= shader.clauses.len() {
        cx.program.words()
    } else {
        first_word + at as u32 + 1
    }
}

/// Lowers a word for the fallback.
pub fn word(cx: &Cx<'_>, outline: &Outline, word: u32, b: &mut Builder) -> FallbackExit {
    let over = || FallbackExit::Static(BranchSelect::Only, Successors::new());
    let Some((shader, first_word)) = shader(cx) else { return over() };
    // The entry does not run words of other shaders.
    let Some(at) = word.checked_sub(first_word).map(|at| at as usize) else { return over() };
    let Some(clause) = shader.clauses.get(at) else {
        return slot(cx, outline, (shader, first_word), at - shader.clauses.len(), b);
    };
    let words = cx.program.words();
    let count = shader.clauses.len();
    let to = |clause: usize| if clause < count { first_word + clause as u32 } else { words };
    let next = to(at + 1);
    let known = &outline.nesting;
    match clause {
        Clause::LoopStart(l) if let Some(known) = known => {
            let depth = known[at].as_ref().map_or(0, Vec::len);
            if depth == MAX_NESTING {
                return FallbackExit::Hang;
            }
            let enters = lower_loop_start(b, l, depth);
            FallbackExit::Static(BranchSelect::If(enters), smallvec![next, to(l.addr.into())])
        }
        Clause::LoopEnd(l) if let Some(known) = known => {
            let Loops::Innermost(depth, id) = innermost(known[at].as_deref().unwrap_or_default()) else {
                return FallbackExit::Hang;
            };
            let again = lower_loop_end(b, l, depth, id);
            FallbackExit::Static(BranchSelect::If(again), smallvec![to(l.addr.into()), next])
        }
        Clause::Plain(_) | Clause::Alloc(_) => FallbackExit::Static(BranchSelect::Only, smallvec![next]),
        Clause::Exec(exec) => self::exec(cx, outline, (shader, first_word), (at, exec), b, next),
        Clause::LoopStart(l) => loop_start(l, b, [next, to(l.addr.into()), hang_word(words)]),
        Clause::LoopEnd(l) => loop_end(l, b, [to(l.addr.into()), next, hang_word(words)]),
        Clause::Branch(_) if clause.op() == CfOp::Return => lower_return(b, next),
        Clause::Branch(j) if clause.op() == CfOp::CondCall => {
            call(j, b, [to(j.addr.into()), next, hang_word(words)])
        }
        Clause::Branch(j) => match branch_condition(j, b) {
            Some(taken) => FallbackExit::Static(BranchSelect::If(taken), smallvec![to(j.addr.into()), next]),
            None => FallbackExit::Static(BranchSelect::Only, smallvec![to(j.addr.into())]),
        },
    }
}

/// Returns variables for slots that several clauses run: the word of the last slot of the current clause, and the word after that clause.
fn end_vars(b: &mut Builder) -> [Var; 2] {
    [1, 2].map(|component| b.var(File::Depth.key(0, component), Ty::I32, 0))
}

/// Returns the word of the last existing slot that a clause runs.
fn last_slot(shader: &Shader, first_word: u32, exec: &Exec) -> Option<u32> {
    (0..exec.slot_count()).rev().find_map(|k| slot_word(shader, first_word, exec, k))
}

fn exec(
    cx: &Cx<'_>,
    outline: &Outline,
    (shader, first_word): (&Shader, u32),
    (at, exec): (usize, &Exec),
    b: &mut Builder,
    next: u32,
) -> FallbackExit {
    let end = word_after_clause(cx, shader, first_word, at, exec);
    let inside = (0..exec.slot_count()).find_map(|k| slot_word(shader, first_word, exec, k)).unwrap_or(end);
    if outline.has_shared_slots
        && let Some(last) = last_slot(shader, first_word, exec)
    {
        for (var, word) in end_vars(b).into_iter().zip([last, end]) {
            let word = b.i(word as i32);
            b.write(var, word);
        }
    }
    match exec_condition(exec, b) {
        Some(runs) => {
            let ends = exec.op().is_end() && cx.options.get(Choice::EndCondition as usize) != 0;
            FallbackExit::Static(BranchSelect::If(runs), smallvec![inside, if ends { end } else { next }])
        }
        None => FallbackExit::Static(BranchSelect::Only, smallvec![inside]),
    }
}

/// Lowers slot `at`, counted from the first slot after the clauses.
fn slot(
    cx: &Cx<'_>,
    outline: &Outline,
    (shader, first_word): (&Shader, u32),
    at: usize,
    b: &mut Builder,
) -> FallbackExit {
    let mut to = outline.runners(shader, at).map(|runner| word_after(cx, shader, first_word, runner));
    let Some(only) = to.next() else { return FallbackExit::Static(BranchSelect::Only, Successors::new()) };
    let differ = to.any(|other| other != only);
    let loops = match (&outline.nesting, outline.runners(shader, at).next()) {
        (Some(known), Some((clause, ..))) => innermost(known[clause].as_deref().unwrap_or_default()),
        _ => Loops::Variable,
    };
    Lower { cx, outline, shader, b, loops, last_full_fetch: LastFullFetch::Variable }.slot(at);
    let next = if differ {
        let this = first_word + (shader.clauses.len() + at) as u32;
        let [last, through] = end_vars(b).map(|var| b.read(var));
        let [this, further] = [this, this + 1].map(|word| b.i(word as i32));
        let is_last = b.icmp(ICmp::Eq, last, this);
        b.sel_i(is_last, through, further)
    } else {
        b.i(only as i32)
    };
    // For any word numbers, the target is after this slot in lane order: a clause precedes its slots, and the next clause follows them.
    FallbackExit::Computed { next, costs_fuel: Some(b.b(false)) }
}

fn call_var(b: &mut Builder, frame: usize) -> Var {
    b.var(File::Call.key(frame, 0), Ty::I32, NO_FRAME as u32)
}

/// Lowers COND_CALL. The last argument contains the word numbers `[target, next, hang]`.
fn call(branch: &Branch, b: &mut Builder, [target, next, hang]: [u32; 3]) -> FallbackExit {
    let taken = branch_condition(branch, b).unwrap_or_else(|| b.b(true));
    let none = b.i(NO_FRAME);
    let deepest = call_var(b, MAX_NESTING - 1);
    let deepest = b.read(deepest);
    let room = b.icmp(ICmp::Eq, deepest, none);
    for frame in (0..MAX_NESTING).rev() {
        let above = match frame.checked_sub(1) {
            Some(above) => {
                let var = call_var(b, above);
                b.read(var)
            }
            None => b.i(next as i32),
        };
        let var = call_var(b, frame);
        let old = b.read(var);
        let value = b.sel_i(taken, above, old);
        b.write(var, value);
    }
    // A call to a clause after the last one ends the lane.
    let ends = target + 1 == hang;
    let [target, next, hang] = [target, next, hang].map(|word| b.i(word as i32));
    let there = b.sel_i(room, target, hang);
    let calls = if ends { b.b(false) } else { b.logic(BBin::And, taken, room) };
    FallbackExit::Computed { next: b.sel_i(taken, there, next), costs_fuel: Some(calls) }
}

/// Lowers RETURN.
fn lower_return(b: &mut Builder, next: u32) -> FallbackExit {
    let none = b.i(NO_FRAME);
    let top = call_var(b, 0);
    let top = b.read(top);
    let empty = b.icmp(ICmp::Eq, top, none);
    for frame in 0..MAX_NESTING {
        let below = if frame + 1 < MAX_NESTING {
            let var = call_var(b, frame + 1);
            b.read(var)
        } else {
            none
        };
        let var = call_var(b, frame);
        b.write(var, below);
    }
    let next = b.i(next as i32);
    // A return is not a backward transfer: the clause after the call site follows everything that the call ran.
    FallbackExit::Computed { next: b.sel_i(empty, next, top), costs_fuel: Some(b.b(false)) }
}

/// The stack of active loops, in variables.
struct LoopStack {
    depth: Var,
}

impl LoopStack {
    fn new(b: &mut Builder) -> LoopStack {
        LoopStack { depth: b.var(File::Depth.key(0, 0), Ty::I32, 0) }
    }

    /// Returns passes, count, start and step of the loop at a depth; all are 0 if there is none.
    fn at(b: &mut Builder, depth: Value) -> [Value; 4] {
        let zero = b.i(0);
        let mut out = [zero; 4];
        for level in 0..MAX_NESTING {
            let number = b.i(level as i32);
            let is = b.icmp(ICmp::Eq, depth, number);
            for (c, out) in out.iter_mut().enumerate() {
                let var = LoopStack::var(b, level, c);
                let value = b.read(var);
                *out = b.sel_i(is, value, *out);
            }
        }
        out
    }

    fn var(b: &mut Builder, level: usize, c: usize) -> Var {
        match c.checked_sub(1) {
            None => pass_var(b, level),
            Some(c) => b.var(File::Loop.key(level, c), Ty::I32, 0),
        }
    }

    /// Sets a number of the loop at a depth. `c` selects it: 0 passes, 1 count, 2 start, 3 step.
    fn set(b: &mut Builder, depth: Value, c: usize, value: Value) {
        for level in 0..MAX_NESTING {
            let number = b.i(level as i32);
            let is = b.icmp(ICmp::Eq, depth, number);
            let var = LoopStack::var(b, level, c);
            let old = b.read(var);
            let value = b.sel_i(is, value, old);
            b.write(var, value);
        }
    }
}

fn al_var(b: &mut Builder) -> Var {
    b.var(File::Address.key(0, 1), Ty::I32, 0)
}

/// Lowers LOOP_START. The last argument contains the word numbers `[first of the body, after the loop, hang]`.
fn loop_start(words: &LoopStart, b: &mut Builder, [body, word_after, hang]: [u32; 3]) -> FallbackExit {
    let loops = LoopStack::new(b);
    let depth = b.read(loops.depth);
    if words.repeat == 0 {
        let zero = b.i(0);
        LoopStack::set(b, depth, 0, zero);
    }
    let [passes, ..] = LoopStack::at(b, depth);
    let constant = loop_constant(b, words.loop_id);
    for (c, value) in constant.into_iter().enumerate() {
        LoopStack::set(b, depth, c + 1, value);
    }
    let [count, start, step] = constant;
    let any = b.icmp(ICmp::LtS, passes, count);
    let one = b.i(1);
    let deeper = b.ibin(IBin::Add, depth, one);
    let after = b.sel_i(any, deeper, depth);
    b.write(loops.depth, after);
    let al = al_var(b);
    let (old, new) = (b.read(al), address_after(b, passes, start, step));
    let address = b.sel_i(any, new, old);
    b.write(al, address);
    let deepest = b.i(MAX_NESTING as i32);
    let room = b.icmp(ICmp::LtS, depth, deepest);
    let [body, word_after, hang] = [body, word_after, hang].map(|word| b.i(word as i32));
    let there = b.sel_i(any, body, word_after);
    FallbackExit::Computed { next: b.sel_i(room, there, hang), costs_fuel: None }
}

/// Lowers LOOP_END. The last argument contains the word numbers `[first of the body, after the loop, hang]`.
fn loop_end(words: &LoopEnd, b: &mut Builder, [body, word_after, hang]: [u32; 3]) -> FallbackExit {
    let loops = LoopStack::new(b);
    let depth = b.read(loops.depth);
    let one = b.i(1);
    let inner = b.ibin(IBin::Sub, depth, one);
    let [passes, count, start, step] = LoopStack::at(b, inner);
    let passes = b.ibin(IBin::Add, passes, one);
    LoopStack::set(b, inner, 0, passes);
    let more = b.icmp(ICmp::LtS, passes, count);
    let again = loop_continues(b, more, words.pred_break, words.cond);
    let after = b.sel_i(again, depth, inner);
    b.write(loops.depth, after);
    let outer = b.ibin(IBin::Sub, inner, one);
    let [outer_passes, _, outer_start, outer_step] = LoopStack::at(b, outer);
    let inside = address_after(b, passes, start, step);
    // Without an outer loop, its count, start, step and passes are 0, so aL becomes 0.
    let outside = address_after(b, outer_passes, outer_start, outer_step);
    let al = al_var(b);
    let address = b.sel_i(again, inside, outside);
    b.write(al, address);
    let zero = b.i(0);
    let none = b.icmp(ICmp::Eq, depth, zero);
    let [body, word_after, hang] = [body, word_after, hang].map(|word| b.i(word as i32));
    let there = b.sel_i(again, body, word_after);
    FallbackExit::Computed { next: b.sel_i(none, hang, there), costs_fuel: None }
}
