//! Control flow by nodes: each node is a clause or slot together with its static control state.

use super::{Cx, LastFullFetch, Loops, Lower, MAX_NESTING, Outline, fetch, loop_constant, pass_var, shader};
use crate::ir::{Builder, Op, Ty, Value};
use crate::isa::a2xx::opcode::CfOp;
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::{Branch, Clause, Exec, LoopEnd, LoopStart, Shader};
use crate::isa::a2xx::variables::File;
use crate::isa::lowering::{BranchSelect, Successors};
use crate::value::{BBin, IBin, ICmp};
use smallvec::smallvec;

/// The sort key of nodes: call path, loops, and last full fetch; see [`ControlState`].
pub type Order = ([u32; MAX_NESTING + 1], [u8; MAX_NESTING], u16);

/// A clause or slot with its control state. Nodes are ordered as the reference schedules lanes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ControlState {
    /// The clauses of the active calls, then the current clause and slot. An element is 8 times the clause's number, plus the slot's index plus one
    /// if within a slot, plus one. 0 is an unused element.
    path: [u32; MAX_NESTING + 1],
    /// The numbers of the loop constants of the active loops, each plus one.
    loops: [u8; MAX_NESTING],
    /// The slot of the last full fetch plus one, if later fetches may reuse its address; otherwise 0.
    last_full_fetch: u16,
    /// The word number of the clause or slot, derived from the other fields.
    word: u32,
}

/// The first element of the path of the node for lanes that hang. This node sorts last.
const HANGING: u32 = u32::MAX;

impl ControlState {
    /// Returns the position in the reference's order.
    pub fn order(&self) -> Order {
        (self.path, self.loops, self.last_full_fetch)
    }

    /// Returns clause and slot. The slot is 0 before the clause runs its slots, and then the index of the current slot plus one.
    pub fn clause_and_slot(&self) -> (usize, u8) {
        let element = self.path[self.calls()] - 1;
        ((element / 8) as usize, (element % 8) as u8)
    }

    /// Returns the clauses of the active calls, outermost first.
    pub fn sites(&self) -> impl Iterator<Item = u16> + '_ {
        self.path[..self.calls()].iter().map(|element| ((element - 1) / 8) as u16)
    }

    /// Returns the numbers of the loop constants of the active loops, outermost first.
    pub fn loop_ids(&self) -> impl Iterator<Item = u8> + '_ {
        self.loops.iter().filter(|id| **id != 0).map(|id| id - 1)
    }

    /// Returns the slot of the last full fetch plus one, or 0.
    pub fn last_full_fetch(&self) -> u16 {
        self.last_full_fetch
    }

    /// Returns the word number of the clause or slot.
    pub fn word(&self) -> u32 {
        self.word
    }

    /// Returns the number of active calls.
    fn calls(&self) -> usize {
        self.path.iter().rposition(|element| *element != 0).unwrap_or(0)
    }

    /// Returns the number of active loops.
    fn depth(&self) -> usize {
        self.loops.iter().take_while(|id| **id != 0).count()
    }

    /// Returns the same control state at another clause or slot.
    fn at(&self, clause: usize, slot: u8) -> ControlState {
        let mut to = self.clone();
        to.path[self.calls()] = clause as u32 * 8 + u32::from(slot) + 1;
        to
    }

    fn is_hanging(&self) -> bool {
        self.path[0] == HANGING
    }
}

/// Returns the node at the first clause; `None` if the entry names no shader or the shader has no clauses.
pub fn entry(cx: &Cx<'_>) -> Option<ControlState> {
    let (shader, first_word) = shader(cx)?;
    let mut path = [0; MAX_NESTING + 1];
    path[0] = 1;
    let control = ControlState { path, loops: [0; MAX_NESTING], last_full_fetch: 0, word: first_word };
    (!shader.clauses.is_empty()).then_some(control)
}

/// Returns the node at a position of the reference; `None` if the entry names no shader.
pub fn at(cx: &Cx<'_>, (path, loops, full): Order) -> Option<ControlState> {
    let (shader, first_word) = shader(cx)?;
    let mut control = ControlState { path, loops, last_full_fetch: full, word: 0 };
    control.word = word_of(shader, first_word, &control);
    Some(control)
}

/// Returns the single node at which lanes end.
fn end(shader: &Shader) -> ControlState {
    let mut path = [0; MAX_NESTING + 1];
    path[0] = shader.clauses.len() as u32 * 8 + 1;
    ControlState { path, loops: [0; MAX_NESTING], last_full_fetch: 0, word: 0 }
}

fn hanging() -> ControlState {
    let mut path = [0; MAX_NESTING + 1];
    path[0] = HANGING;
    ControlState { path, loops: [0; MAX_NESTING], last_full_fetch: 0, word: 0 }
}

/// Returns the word number of a node's clause or slot.
fn word_of(shader: &Shader, first_word: u32, control: &ControlState) -> u32 {
    if control.is_hanging() {
        return first_word;
    }
    let (clause, _) = control.clause_and_slot();
    let slot = slot_at(shader, control).filter(|at| *at < shader.slots.len());
    first_word + slot.map_or(clause, |at| shader.clauses.len() + at) as u32
}

/// Returns the index, among the slots after the clauses, of the slot that a node runs.
fn slot_at(shader: &Shader, control: &ControlState) -> Option<usize> {
    let (clause, slot) = control.clause_and_slot();
    let Some(Clause::Exec(exec)) = shader.clauses.get(clause) else { return None };
    (usize::from(exec.addr) + usize::from(slot.checked_sub(1)?)).checked_sub(shader.clauses.len() / 2)
}

/// Returns the successors of a node.
pub fn successors(cx: &Cx<'_>, outline: &Outline, control: &ControlState) -> Successors<ControlState> {
    let Some((shader, first_word)) = shader(cx) else { return Successors::new() };
    if control.is_hanging() {
        return Successors::new();
    }
    let mut successors = raw_successors(cx, outline, shader, control);
    for to in &mut successors {
        to.word = word_of(shader, first_word, to);
    }
    successors
}

/// Returns the successors of a node, before their word numbers are set.
fn raw_successors(
    cx: &Cx<'_>,
    outline: &Outline,
    shader: &Shader,
    control: &ControlState,
) -> Successors<ControlState> {
    let (at, slot) = control.clause_and_slot();
    let Some(clause) = shader.clauses.get(at) else { return Successors::new() };
    // A clause number past the last clause stands for the end of the program.
    let to = |from: &ControlState, clause: usize| {
        if clause < shader.clauses.len() { from.at(clause, 0) } else { end(shader) }
    };
    let next = to(control, at + 1);
    match clause {
        Clause::Plain(_) | Clause::Alloc(_) => smallvec![next],
        Clause::Exec(exec) if slot > 0 => {
            let mut around = control.clone();
            if let Some(number) = slot_at(shader, control)
                && fetch::sets_mini_fetch_address(cx, outline, shader, number)
            {
                around.last_full_fetch = number as u16 + 1;
            }
            match (slot < exec.slot_count(), exec.op().is_end()) {
                (true, _) => smallvec![around.at(at, slot + 1)],
                (false, true) => smallvec![end(shader)],
                (false, false) => smallvec![to(&around, at + 1)],
            }
        }
        Clause::Exec(exec) => {
            let op = exec.op();
            let through = if op.is_end() { end(shader) } else { next.clone() };
            let inside = if exec.slot_count() > 0 { control.at(at, 1) } else { through.clone() };
            if !op.tests_bool() && !op.tests_predicate() {
                return smallvec![inside];
            }
            let ends = op.is_end() && cx.options.get(Choice::EndCondition as usize) != 0;
            smallvec![inside, if ends { through } else { next }]
        }
        Clause::LoopStart(words) => {
            let depth = control.depth();
            if depth == MAX_NESTING {
                return smallvec![hanging()];
            }
            let mut inside = next;
            if inside.clause_and_slot().0 < shader.clauses.len() {
                inside.loops[depth] = words.loop_id + 1;
            }
            smallvec![inside, to(control, words.addr.into())]
        }
        Clause::LoopEnd(words) => {
            let Some(depth) = control.depth().checked_sub(1) else { return smallvec![hanging()] };
            let mut outside = control.clone();
            outside.loops[depth] = 0;
            smallvec![to(control, words.addr.into()), to(&outside, at + 1)]
        }
        Clause::Branch(_) if clause.op() == CfOp::Return => match control.calls().checked_sub(1) {
            Some(site) => {
                let mut back = control.clone();
                back.path[site + 1] = 0;
                let (site, _) = back.clause_and_slot();
                smallvec![to(&back, site + 1)]
            }
            None => smallvec![next],
        },
        Clause::Branch(words) => {
            let target = if clause.op() == CfOp::CondCall {
                let depth = control.calls() + 1;
                if depth > MAX_NESTING {
                    hanging()
                } else {
                    let mut inside = control.clone();
                    inside.path[depth] = 1;
                    to(&inside, words.addr.into())
                }
            } else {
                to(control, words.addr.into())
            };
            if words.unconditional != 0 { smallvec![target] } else { smallvec![target, next] }
        }
    }
}

/// Lowers a node's clause or slot.
pub fn node(cx: &Cx<'_>, outline: &Outline, control: &ControlState, b: &mut Builder) -> BranchSelect {
    if control.is_hanging() {
        return BranchSelect::Hang;
    }
    let Some((shader, _)) = shader(cx) else { return BranchSelect::Only };
    let (at, slot) = control.clause_and_slot();
    let Some(clause) = shader.clauses.get(at) else { return BranchSelect::Only };
    match clause {
        Clause::Plain(_) | Clause::Alloc(_) => BranchSelect::Only,
        Clause::Exec(_) if slot > 0 => {
            let loops = match (control.depth().checked_sub(1), control.loop_ids().last()) {
                (Some(depth), Some(id)) => Loops::Innermost(depth, id),
                _ => Loops::None,
            };
            let last_full_fetch = LastFullFetch::Known(usize::from(control.last_full_fetch).checked_sub(1));
            if let Some(number) = slot_at(shader, control) {
                Lower { cx, outline, shader, b, loops, last_full_fetch }.slot(number);
            }
            BranchSelect::Only
        }
        Clause::Exec(exec) => exec_condition(exec, b).map_or(BranchSelect::Only, BranchSelect::If),
        Clause::LoopStart(words) => {
            let depth = control.depth();
            if depth == MAX_NESTING {
                return BranchSelect::Only;
            }
            BranchSelect::If(lower_loop_start(b, words, depth))
        }
        Clause::LoopEnd(words) => {
            let (Some(depth), Some(id)) = (control.depth().checked_sub(1), control.loop_ids().last()) else {
                return BranchSelect::Only;
            };
            BranchSelect::If(lower_loop_end(b, words, depth, id))
        }
        Clause::Branch(_) if clause.op() == CfOp::Return => BranchSelect::Only,
        Clause::Branch(words) => branch_condition(words, b).map_or(BranchSelect::Only, BranchSelect::If),
    }
}

/// Lowers LOOP_START at a loop depth. Returns the condition under which the loop is entered.
pub(super) fn lower_loop_start(b: &mut Builder, clause: &LoopStart, depth: usize) -> Value {
    let var = pass_var(b, depth);
    if clause.repeat == 0 {
        let zero = b.i(0);
        b.write(var, zero);
    }
    let passes = b.read(var);
    let [count, ..] = loop_constant(b, clause.loop_id);
    b.icmp(ICmp::LtS, passes, count)
}

/// Lowers LOOP_END at a loop depth, where `id` is the number of the loop constant. Returns the condition for another pass.
pub(super) fn lower_loop_end(b: &mut Builder, clause: &LoopEnd, depth: usize, id: u8) -> Value {
    let [count, ..] = loop_constant(b, id);
    let var = pass_var(b, depth);
    let passes = b.read(var);
    let one = b.i(1);
    let passes = b.ibin(IBin::Add, passes, one);
    b.write(var, passes);
    let more = b.icmp(ICmp::LtS, passes, count);
    loop_continues(b, more, clause.pred_break, clause.cond)
}

/// Returns the predicate, or its negation if `condition` is 0.
fn predicate_is(b: &mut Builder, condition: u8) -> Value {
    let var = b.var(File::Flag.key(0, 0), Ty::Bool, 0);
    let predicate = b.read(var);
    if condition == 0 { b.not(predicate) } else { predicate }
}

fn bool_is(b: &mut Builder, number: u8, condition: u8) -> Value {
    let uniform = b.op(Op::BoolUniform(number.into()), &[]);
    if condition == 0 { b.not(uniform) } else { uniform }
}

/// Returns the condition under which a clause runs its slots; `None` if unconditional.
pub(super) fn exec_condition(exec: &Exec, b: &mut Builder) -> Option<Value> {
    let op = exec.op();
    if op.tests_bool() {
        Some(bool_is(b, exec.bool_addr, exec.cond))
    } else if op.tests_predicate() {
        Some(predicate_is(b, exec.cond))
    } else {
        None
    }
}

/// Returns the condition of COND_CALL or COND_JMP; `None` if unconditional.
pub(super) fn branch_condition(clause: &Branch, b: &mut Builder) -> Option<Value> {
    if clause.unconditional != 0 {
        None
    } else if clause.predicated != 0 {
        Some(predicate_is(b, clause.cond))
    } else {
        Some(bool_is(b, clause.bool_addr, clause.cond))
    }
}

/// Returns whether a loop continues: `more` is true and the predicate does not break the loop.
pub(super) fn loop_continues(b: &mut Builder, more: Value, pred_break: u8, condition: u8) -> Value {
    if pred_break == 0 {
        return more;
    }
    let breaks = predicate_is(b, condition);
    let stays = b.not(breaks);
    b.logic(BBin::And, more, stays)
}
