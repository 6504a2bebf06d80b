//! Steps the reference and the IR evaluator side by side, one source instruction at a time.
//!
//! The program is lowered with the fallback, which makes a separate block for each instruction (see [`fallback_word`]). The reference and the lowered
//! program then run the same lanes through the same instructions in the same order, so every register can be compared after each instruction.

pub(crate) mod control;

use crate::case::Resolved;
use crate::engine::format_effect;
use lockstep_core::host::{ConcreteHost, EffectRecord};
#[cfg(any(feature = "cli", test))]
use lockstep_core::ir::Op;
use lockstep_core::ir::eval::{self, Lane, Scalar, Stop};
use lockstep_core::ir::{BlockId, Program, VarKey};
use lockstep_core::isa::component::LETTERS;
use lockstep_core::isa::lowering::{LowerError, Mode, fallback_word};
use lockstep_core::isa::{
    self, End, Entry, Isa, KILLED, LaneState, Legality, Lowering, Reference, Syntax, run,
};
#[cfg(any(feature = "cli", test))]
use lockstep_core::value::FUn;
use lockstep_core::value::{Concrete, canonical_bits, same};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A value to display, in decimal and as bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The value in decimal, or as text.
    pub decimal: String,
    /// The bits in hexadecimal; empty for a text.
    pub bits: String,
}

impl Shown {
    pub(crate) fn of(value: &Scalar<Concrete>) -> Shown {
        match value {
            Scalar::F(v) => Shown::float(*v),
            Scalar::I(v) => Shown::int(*v),
            Scalar::B(v) => Shown::truth(*v),
        }
    }

    /// Formats a float.
    pub(crate) fn float(v: f32) -> Shown {
        Shown { decimal: format!("{v:?}"), bits: format!("0x{:08x}", canonical_bits(v)) }
    }

    /// Formats an integer.
    pub(crate) fn int(v: i32) -> Shown {
        Shown { decimal: v.to_string(), bits: format!("0x{:08x}", v as u32) }
    }

    /// Formats a boolean.
    pub(crate) fn truth(v: bool) -> Shown {
        Shown { decimal: v.to_string(), bits: format!("0x{:08x}", u32::from(v)) }
    }

    /// Wraps a text, which has no bits.
    pub(crate) fn text(text: impl Into<String>) -> Shown {
        Shown { decimal: text.into(), bits: String::new() }
    }
}

/// A value that an instruction changed in at least one engine or that differs between them: a register, an effect, or how the lane continues or ends.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Change {
    pub(crate) register: String,
    /// The register's key in lane states; `None` for values that are not part of the state, such as effects.
    #[serde(skip)]
    pub(crate) key: Option<VarKey>,
    pub(crate) reference: Shown,
    pub(crate) ir: Shown,
    pub(crate) differs: bool,
}

/// One instruction as executed by one lane.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Step {
    /// The index of the instruction's word in the program; `None` for a step that belongs to no known instruction.
    pub(crate) word: Option<u32>,
    pub(crate) text: String,
    pub(crate) changes: Vec<Change>,
    /// Whether both engines executed the instruction; otherwise the step shows how their control flow diverges or how they end.
    #[serde(skip)]
    pub(crate) taken: bool,
}

impl Step {
    pub(crate) fn differs(&self) -> bool {
        self.changes.iter().any(|c| c.differs)
    }
}

/// All steps of a lane, and the first difference between the engines.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Trace {
    pub(crate) lane: usize,
    pub(crate) steps: Vec<Step>,
    /// The index into `steps` of the step after which the engines first differ, if the lane's outcome differs.
    pub(crate) first_difference: Option<usize>,
    /// The index into `steps` of the step after which the engines first differ, if the difference is transient (the lane's outcome is equal).
    pub(crate) transient_difference: Option<usize>,
    /// Whether tracing stopped at the step limit.
    pub(crate) cut: bool,
}

fn equal(a: &Scalar<Concrete>, b: &Scalar<Concrete>) -> bool {
    match (a, b) {
        (Scalar::F(a), Scalar::F(b)) => same(*a, *b),
        (Scalar::I(a), Scalar::I(b)) => a == b,
        (Scalar::B(a), Scalar::B(b)) => a == b,
        _ => false,
    }
}

#[cfg(any(feature = "cli", test))]
impl Trace {
    /// Classifies the first difference, which is transient if the engines' outcomes for the lane are equal.
    pub(crate) fn classify_difference(&mut self, outcomes_equal: bool) {
        if outcomes_equal {
            self.transient_difference = self.first_difference.take();
        }
    }
}

/// The state immediately before a lane executes a step.
#[derive(Debug)]
pub(crate) struct StepState<'a, I: Reference> {
    /// The index of the step in the lane's trace, from 0.
    pub(crate) step: usize,
    /// The number of the next instruction word.
    pub(crate) word: u32,
    /// The block of that instruction in the lowered program.
    pub(crate) block: BlockId,
    /// The lanes of the group in the reference.
    pub(crate) left: &'a [LaneState<I::Lane<Concrete>>],
    /// The lanes of the group in the lowered program.
    pub(crate) right: &'a [Lane<Concrete>],
}

/// Maps each key of lane state to its position in a lane of a lowered program.
pub(crate) struct VariableIndex {
    vars: BTreeMap<VarKey, usize>,
    elements: BTreeMap<VarKey, (usize, usize)>,
}

impl VariableIndex {
    pub(crate) fn of(program: &Program) -> VariableIndex {
        let vars = isa::variable_keys(program).map(|(var, key)| (key, var.0 as usize)).collect();
        let arrays = program.arrays.iter().enumerate();
        let elements = arrays.flat_map(|(at, array)| {
            (0..array.len as usize).map(move |element| (array.key(element), (at, element)))
        });
        VariableIndex { vars, elements: elements.collect() }
    }

    /// Returns the number of the variable with this key.
    pub(crate) fn var(&self, key: VarKey) -> Option<usize> {
        self.vars.get(&key).copied()
    }

    /// Returns the value of a key, in any domain; `None` if the program does not store it.
    pub(crate) fn value<D: lockstep_core::value::Domain>(
        &self,
        lane: &Lane<D>,
        key: VarKey,
    ) -> Option<Scalar<D>> {
        if let Some(var) = self.vars.get(&key) {
            return lane.vars.get(*var).cloned();
        }
        let (array, element) = self.elements.get(&key)?;
        Some(Scalar::F(lane.arrays.get(*array)?.get(*element)?.clone()))
    }
}

/// Returns the operation that a planted fault substitutes for `op`; `None` if there is no substitute.
#[cfg(any(feature = "cli", test))]
fn faulty(op: Op) -> Option<Op> {
    Some(match op {
        Op::Add => Op::Sub,
        Op::Sub => Op::Add,
        Op::Mul => Op::Add,
        Op::Div => Op::Mul,
        Op::Min => Op::Max,
        Op::Max => Op::Min,
        Op::Un(FUn::Neg) => Op::Un(FUn::Abs),
        Op::Un(_) => Op::Un(FUn::Neg),
        _ => return None,
    })
}

/// Plants a fault: replaces the operation of the `n`th instruction that has a substitute. Returns whether there is one.
#[cfg(any(feature = "cli", test))]
pub(crate) fn plant(program: &mut Program, n: usize) -> bool {
    let mut candidates = program.insts.iter_mut().filter_map(|inst| faulty(inst.op).map(|op| (inst, op)));
    let Some((inst, op)) = candidates.nth(n) else { return false };
    inst.op = op;
    true
}

/// Returns the block of an instruction in a program lowered by the fallback.
#[cfg(test)]
fn block_of_word(program: &Program, word: u32) -> Option<BlockId> {
    let mut blocks = (0..program.blocks.len() as u32).map(BlockId);
    blocks.find(|block| fallback_word(program, *block) == Some(word))
}

/// Plants a branch fault in the block of an instruction of a program lowered by the fallback: swaps the operands of the last integer select, which
/// chooses between instruction numbers.
#[cfg(test)]
pub(crate) fn plant_in_branch(program: &mut Program, word: u32) -> bool {
    let Some(block) = block_of_word(program, word) else { return false };
    let insts = program.blocks[block.0 as usize].insts.clone();
    let mut insts = program.insts[insts.start as usize..insts.end as usize].iter().rev();
    let Some(choice) = insts.find(|inst| inst.op == Op::Sel(lockstep_core::ir::Ty::I32)) else {
        return false;
    };
    let args = choice.args as usize;
    program.pool.swap(args + 1, args + 2);
    true
}

/// Like [`plant`], but restricted to the block of one instruction of a program lowered by the fallback.
#[cfg(test)]
pub(crate) fn plant_in_word(program: &mut Program, word: u32, n: usize) -> bool {
    let Some(block) = block_of_word(program, word) else { return false };
    let insts = program.blocks[block.0 as usize].insts.clone();
    let insts = &mut program.insts[insts.start as usize..insts.end as usize];
    let mut candidates = insts.iter_mut().filter_map(|inst| faulty(inst.op).map(|op| (inst, op)));
    let Some((inst, op)) = candidates.nth(n) else { return false };
    inst.op = op;
    true
}

/// Lowers the program with the fallback, for stepping.
pub(crate) fn lowered<I: Legality + Lowering>(resolved: &Resolved<I>) -> Result<Program, LowerError> {
    isa::lower(&resolved.context(), Mode::Fallback)
}

/// Steps the group that contains `lane` through `program` on both engines, for at most `limit` steps. Calls `before_step` before each step
/// of the lane.
pub(crate) fn trace<I: Isa>(
    resolved: &Resolved<I>,
    program: &Program,
    lane: usize,
    limit: usize,
    before_step: &mut dyn FnMut(&StepState<'_, I>),
) -> Trace {
    let cx = resolved.context();
    let group = usize::from(I::group(&cx)).max(1);
    let (base, at) = (lane / group * group, lane % group);
    let (mut d, env) = (Concrete, &resolved.env);
    let (mut left_host, mut right_host) =
        (ConcreteHost::<false>::new(env, base), ConcreteHost::<false>::new(env, base));
    let mut left = run::start::<I, _, _>(&d, &mut left_host, &cx, group, env.fuel);
    let mut right: Vec<Lane<Concrete>> =
        (0..group).map(|_| Lane::new(&d, &mut right_host, program, env.fuel)).collect();
    let mut trace =
        Trace { lane, steps: Vec::new(), first_difference: None, transient_difference: None, cut: false };
    // The number of effects already compared, for the reference and the IR.
    let mut recorded = [0, 0];
    let places = VariableIndex::of(program);
    let mut right_before = right.clone();
    let outputs: HashSet<usize> = program.outputs.iter().map(|(_, var)| var.0 as usize).collect();

    for taken in 0.. {
        // The position of a lane in the reference; `None` if the lane has ended. It selects the lanes that the reference steps next.
        let position = |l: &isa::LaneState<I::Lane<Concrete>>| {
            if l.end.is_some() { None } else { I::position(&cx, &l.lane) }
        };
        let lowest = left.iter().filter_map(position).min();
        let left_moves = lowest.is_some() && position(&left[at]) == lowest;
        let left_before = I::state(&d, &cx, &left[at].lane);
        let left_word = if left_moves { I::control(&cx, &left[at].lane) } else { None };
        let left_word = left_word.map(|control| I::control_word(&control));
        let killed_before = I::killed(&left[at].lane);

        let mut moved = None;
        copy(&mut right_before, &right);
        loop {
            let before = (right[at].next_block, right[at].stop.is_none());
            let Some(block) = eval::step(&mut d, &mut right_host, program, &mut right) else { break };
            if let Some(word) = fallback_word(program, block) {
                moved = Some((word, block, before == (block, true)));
                break;
            }
            copy(&mut right_before, &right);
        }
        if let Some((word, block, true)) = moved
            && taken < limit
        {
            let step = trace.steps.len();
            before_step(&StepState { step, word, block, left: &left, right: &right_before });
        }
        let stepped = run::step(&mut d, &mut left_host, &cx, &mut left);
        let (word, _, right_moves) = match (stepped, moved) {
            (None, None) => {
                let full = [left_host.overflowed(at), right_host.overflowed(at)];
                finish::<I>(&mut trace, &left[at], &right[at], full);
                return trace;
            }
            // Stops at the limit of steps.
            _ if taken == limit => break,
            (Some(_), None) => {
                let reference = describe_step(left_moves, left_word);
                return diverge(trace, left_word, reference, "the lane has ended".to_owned());
            }
            (None, Some((word, _, right_moves))) => {
                let ir = describe_step(right_moves, Some(word));
                return diverge(trace, Some(word), "the lane has ended".to_owned(), ir);
            }
            (Some(_), Some(moved)) => moved,
        };
        if left_moves != right_moves {
            let [reference, ir] = [left_moves, right_moves].map(|moves| describe_step(moves, None));
            return diverge(trace, Some(word), reference, ir);
        }
        if !left_moves {
            continue;
        }
        if let Some(left_word) = left_word.filter(|left_word| *left_word != word) {
            let goes = |word| format!("goes to instruction {word}");
            return diverge(trace, Some(word), goes(left_word), goes(word));
        }
        let mut changes = Vec::new();
        // The set of keys varies from step to step, with pending stores and open loops.
        let left_before: HashMap<VarKey, Scalar<Concrete>> = left_before.into_iter().collect();
        // If the lane has ended, only its outputs are compared.
        let ended = position(&left[at]).is_none();
        for (key, after) in I::state(&d, &cx, &left[at].lane) {
            if ended && places.var(key).is_none_or(|var| !outputs.contains(&var)) {
                continue;
            }
            let ir = places.value(&right_before[at], key).zip(places.value(&right[at], key));
            let moved = left_before.get(&key).is_none_or(|before| !equal(before, &after));
            let changed = moved || ir.as_ref().is_some_and(|(before, after)| !equal(before, after));
            let differs = ir.as_ref().is_some_and(|(_, ir)| !equal(&after, ir));
            if changed || (differs && trace.first_difference.is_none()) {
                changes.push(Change {
                    register: I::var_name(cx.entry, key),
                    key: Some(key),
                    reference: Shown::of(&after),
                    ir: ir.map_or_else(|| Shown::text("not kept"), |(_, ir)| Shown::of(&ir)),
                    differs,
                });
            }
        }
        let (l, r) = (I::killed(&left[at].lane), right[at].killed);
        if l != killed_before || l != r {
            let shown = |v| Shown::of(&Scalar::B(v));
            changes.push(Change {
                register: "killed".to_owned(),
                key: Some(KILLED),
                reference: shown(l),
                ir: shown(r),
                differs: l != r,
            });
        }
        changes.extend(control::differences::<I, _>(&cx, &mut left_host, &places, &left[at], &right[at]));
        let records = [left_host.records(at), right_host.records(at)];
        changes.extend(effects::<I>(cx.entry, records, &mut recorded));
        let text = I::disassemble_word(cx.program, word);
        push(&mut trace, Step { word: Some(word), text, changes, taken: true });
    }
    trace.cut = true;
    trace
}

/// Copies the state of lanes (variables, arrays, kill mark, fuel and position), but not the values computed in blocks.
fn copy(to: &mut [Lane<Concrete>], from: &[Lane<Concrete>]) {
    for (to, from) in to.iter_mut().zip(from) {
        to.vars.clone_from(&from.vars);
        to.arrays.clone_from(&from.arrays);
        (to.killed, to.fuel, to.next_block, to.stop) = (from.killed, from.fuel, from.next_block, from.stop);
    }
}

/// Compares the effects recorded since the last comparison, component by component.
fn effects<I: Syntax>(entry: &Entry, records: [&[EffectRecord]; 2], seen: &mut [usize; 2]) -> Vec<Change> {
    let [left, right] = [0, 1].map(|side| records[side].get(seen[side]..).unwrap_or_default());
    *seen = records.map(<[_]>::len);
    let name = |e: &EffectRecord| I::effect_name(entry, e.kind, e.index);
    let mut changes = Vec::new();
    for at in 0..left.len().max(right.len()) {
        match (left.get(at), right.get(at)) {
            (Some(l), Some(r)) if (l.kind, l.index, l.mask) == (r.kind, r.index, r.mask) => {
                for ((c, a), (_, b)) in l.components().zip(r.components()) {
                    changes.push(Change {
                        register: format!("{}.{}", name(l), LETTERS[usize::from(c)]),
                        key: None,
                        reference: Shown::of(&Scalar::F(a)),
                        ir: Shown::of(&Scalar::F(b)),
                        differs: !same(a, b),
                    });
                }
            }
            (l, r) => {
                let shown = |e: Option<&EffectRecord>| {
                    Shown::text(e.map_or_else(|| "nothing".to_owned(), |e| format_effect(&name(e), e)))
                };
                let change = Change {
                    register: "effect".to_owned(),
                    key: None,
                    reference: shown(l),
                    ir: shown(r),
                    differs: true,
                };
                changes.push(change);
            }
        }
    }
    changes
}

fn push(trace: &mut Trace, step: Step) {
    if step.differs() && trace.first_difference.is_none() {
        trace.first_difference = Some(trace.steps.len());
    }
    trace.steps.push(step);
}

/// Describes what an engine runs next: the traced lane if `moves`, at the instruction `word` if that is known, or other lanes of its group.
fn describe_step(moves: bool, word: Option<u32>) -> String {
    match word {
        _ if !moves => "runs other lanes".to_owned(),
        Some(word) => format!("instruction {word}"),
        None => "runs this lane".to_owned(),
    }
}

/// Ends the trace where control flow diverges, since later steps cannot be compared.
fn diverge(mut trace: Trace, word: Option<u32>, reference: String, ir: String) -> Trace {
    let change = Change {
        register: "control".to_owned(),
        key: None,
        reference: Shown::text(reference),
        ir: Shown::text(ir),
        differs: true,
    };
    push(
        &mut trace,
        Step { word, text: "(the engines diverge)".to_owned(), changes: vec![change], taken: false },
    );
    trace
}

/// Compares how the lane ended on both engines.
fn finish<I: Reference>(
    trace: &mut Trace,
    left: &isa::LaneState<I::Lane<Concrete>>,
    right: &Lane<Concrete>,
    full: [bool; 2],
) {
    let or_full = |end, full| if end == End::Finished && full { End::EffectsFull } else { end };
    let right = match right.stop {
        Some(Stop::Finished) => End::Finished,
        Some(Stop::OutOfFuel) => End::OutOfFuel,
        Some(Stop::Hung) | None => End::Hung,
    };
    let right = or_full(right, full[1]);
    let left = or_full(left.end.unwrap_or(End::Hung), full[0]);
    if left != right {
        let change = Change {
            register: "end".to_owned(),
            key: None,
            reference: Shown::text(format!("{left:?}")),
            ir: Shown::text(format!("{right:?}")),
            differs: true,
        };
        push(trace, Step { word: None, text: "(the end)".to_owned(), changes: vec![change], taken: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use lockstep_core::host::LaneInput;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Format, IsaId, Syntax};

    fn resolved(text: &str, lanes: &[LaneInput]) -> Resolved<Agal> {
        let case = Case::bare(IsaId::Agal, &Agal::encode(&Agal::assemble(text).expect("text")));
        let mut resolved = case.resolve::<Agal>().expect("a program");
        resolved.env.lanes = lanes.to_vec();
        resolved
    }

    #[test]
    fn a_lane_that_only_the_reference_runs_is_shown_with_its_instruction_or_as_waiting_for_others() {
        let lane = |x| LaneInput { slots: vec![[x, 0.0, 0.0, 0.0]] };
        let last = |reference: &str, lowered_text: &str, lanes: &[LaneInput]| {
            let program = lowered(&resolved(lowered_text, lanes)).expect("it is legal");
            let found = trace(&resolved(reference, lanes), &program, 0, 10, &mut |_| ());
            let step = found.steps.last().expect("the engines diverge");
            let [change] = step.changes.as_slice() else { panic!("{step:?}") };
            (step.word, change.reference.decimal.clone(), change.ir.decimal.clone())
        };
        let ended = "the lane has ended".to_owned();
        let (long, short) =
            ("version 1 vertex\nmov vt0, va0\nmov op, vt0\n", "version 1 vertex\nmov op, va0\n");
        let alone = last(long, short, &[lane(1.0)]);
        assert_eq!(alone, (Some(1), "instruction 1".to_owned(), ended.clone()));
        // The first lane skips instruction 2, which the others run.
        let branch =
            "version 2 fragment\nmov ft0, v0\nifg v0.x, fc0.x\nadd ft0, ft0, fc0\neif\nmov oc, ft0\n";
        let plain = "version 2 fragment\nmov ft0, v0\nmov oc, ft0\n";
        let waiting = last(branch, plain, &[0.0, 1.0, 1.0, 1.0].map(lane));
        assert_eq!(waiting, (None, "runs other lanes".to_owned(), ended));
        // The node of a lane may be unknown.
        assert_eq!(describe_step(true, None), "runs this lane");
    }

    #[test]
    fn new_effects_are_shown_and_compared() {
        let program = Agal::assemble("version 1 vertex\nmov op, va0\n").expect("text");
        let entry = Agal::entries(&program).remove(0);
        let record = |index, x| EffectRecord { kind: 2, index, mask: 0b1001, values: [x, 0.0, 0.0, 4.0] };
        let (old, new) = (record(0, 9.0), record(1, 1.0));
        let look = |right: &[EffectRecord]| effects::<Agal>(&entry, [&[old, new], right], &mut [1, 1]);
        let equal = look(&[old, new]);
        let names: Vec<&str> = equal.iter().map(|c| c.register.as_str()).collect();
        assert_eq!(names, ["effect 2.1.x", "effect 2.1.w"]);
        assert!(equal.iter().all(|c| !c.differs));
        let differs = |right: &[EffectRecord]| look(right).iter().map(|c| c.differs).collect::<Vec<_>>();
        assert_eq!(differs(&[old, record(1, 1.5)]), [true, false]);
        assert_eq!(differs(&[old, record(2, 1.0)]), [true]);
        assert_eq!(differs(&[old]), [true]);
        assert_eq!(differs(&[old, new, new]), [false, false, true]);
    }
}
