//! Finds the instruction at which two engines diverge by running them side by side, and shows it in the listing with its operands and
//! results.
//!
//! First, the reference and the lowered program are stepped together, except for a claim about rewriting; the first instruction after which their
//! registers differ is the guilty one. If they never differ, each instruction is run alone on its actual operands: on the evaluator and the executor,
//! or, for a claim about rewriting, before and after rewriting. If these runs do not differ either, no instruction is marked, and the exhibit's note
//! says so.

mod alone;
mod listing;
mod operands;
mod show;
#[cfg(test)]
mod tests;
mod traced;

use crate::case::{Case, Resolved};
use crate::engine::{Executor, Outcome, Tier, compare, evaluate};
use crate::oracle::{Failure, Oracle, caught};
use crate::stepping::{Shown, StepState, Trace, lowered, trace};
use alone::{Isolated, isolate};
use listing::Listing;
use lockstep_core::ir::rewrite::rewrite;
use lockstep_core::ir::{Op, Program, Var, VarKey};
use lockstep_core::isa::component::LETTERS;
use lockstep_core::isa::{Isa, IsaId, KILLED, Syntax, Tables};
use lockstep_core::value::same;
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
#[cfg(test)]
use show::wrap_line;
pub(crate) use show::{is_marked, wrapped};
use std::collections::BTreeSet;

/// A program's listing with the guilty instruction marked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhibit {
    /// The listing, line by line; empty if there is none, for example because the bytes do not decode.
    pub listing: Vec<String>,
    /// The line numbers of the guilty instruction, from 0.
    pub marked: Vec<usize>,
    /// The details of that instruction.
    pub guilty: Option<Guilty>,
    /// A note on the method that found the instruction, or on why none was found.
    pub note: Option<String>,
}

/// An instruction at which engines diverge, or that wrote a wrong value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guilty {
    /// The instruction's number, from 0.
    pub word: u32,
    /// The instruction's text.
    pub text: String,
    /// The instruction's opcodes; more than one for a word with several units.
    pub opcodes: Vec<String>,
    /// The lane that was traced.
    pub lane: usize,
    /// The operands that the instruction read.
    pub reads: Vec<Operand>,
    /// The results on which the engines disagree.
    pub writes: Vec<Written>,
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// The name of the register, constant or texel.
    pub name: String,
    /// The operand's value.
    pub value: Shown,
    /// A note that only one engine reads the operand, such as `read by the reference only`; `None` if both engines read it.
    pub by: Option<String>,
}

/// A result of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The name of the register, effect or other result.
    pub name: String,
    /// The value on each engine, by the engine's name.
    pub values: Vec<(String, Shown)>,
}

/// The maximum number of steps traced to find an instruction.
const MAX_TRACED_STEPS: usize = 20_000;
/// The maximum number of instructions run alone.
const MAX_RUN_ALONE: usize = 400;

impl Exhibit {
    /// Describes the guilty instruction in a phrase for messages.
    pub fn at(&self) -> Option<String> {
        let guilty = self.guilty.as_ref()?;
        Some(format!("at instruction {}: {}", guilty.word, guilty.text))
    }
}

/// Returns the program of a failing case, with the instruction at which it fails marked if one is found.
pub fn of_case(oracle: Oracle, case: &Case, failure: &Failure) -> Exhibit {
    // A case that panicked may panic again here.
    caught(|| with_isa!(case.isa, I => of_case_in::<I>(oracle, case, failure))).unwrap_or_default()
}

fn of_case_in<I: Isa>(oracle: Oracle, case: &Case, failure: &Failure) -> Exhibit {
    let Ok(resolved) = case.resolve::<I>() else {
        let program = I::decode(&case.bytes);
        let listing = program.map(|p| I::disassemble(&p).lines().map(str::to_owned).collect());
        return Exhibit { listing: listing.unwrap_or_default(), ..Exhibit::default() };
    };
    let listing = Listing::new(&resolved.context());
    match (oracle, &failure.difference) {
        (Oracle::Execution | Oracle::Rewriting, Some(difference)) => {
            find(&resolved, &listing, difference.lane, oracle == Oracle::Rewriting)
        }
        (Oracle::Text, _) => {
            let marked = failure.line.map(|line| line as usize).filter(|line| *line < listing.lines.len());
            Exhibit { marked: marked.into_iter().collect(), listing: listing.lines, ..Exhibit::default() }
        }
        (Oracle::Validity, _) => {
            let guilty = failure.word.map(|word| guilty(&resolved, word, 0));
            exhibit(listing, guilty, None)
        }
        _ => exhibit(listing, None, None),
    }
}

/// Returns the program of a failing test vector. If the engines agree, the guilty instruction is the last one that wrote the wrong component.
pub fn of_vector(isa: IsaId, case: &Case, lane: usize, component: &str) -> Exhibit {
    caught(|| with_isa!(isa, I => of_vector_in::<I>(case, lane, component))).unwrap_or_default()
}

fn of_vector_in<I: Isa>(case: &Case, lane: usize, component: &str) -> Exhibit {
    let Ok(resolved) = case.resolve::<I>() else { return Exhibit::default() };
    let listing = Listing::new(&resolved.context());
    let parted = find(&resolved, &listing, lane, false);
    if parted.guilty.is_some() {
        return parted;
    }
    match lowered(&resolved).ok().and_then(|program| last_writer(&resolved, &program, lane, component)) {
        Some(guilty) => {
            let note = format!("the engines agree; this instruction wrote {component} last");
            exhibit(listing, Some(guilty), Some(note))
        }
        None => exhibit(listing, None, None),
    }
}

fn exhibit(listing: Listing, guilty: Option<Guilty>, note: Option<String>) -> Exhibit {
    let marked = guilty.as_ref().map_or_else(Vec::new, |guilty| listing.lines_of(guilty.word).to_vec());
    Exhibit { listing: listing.lines, marked, guilty, note }
}

/// Returns an instruction's details that do not depend on a run.
fn guilty<I: Syntax + Tables>(resolved: &Resolved<I>, word: u32, lane: usize) -> Guilty {
    let points = I::facets().points(&resolved.program, word);
    let opcodes: BTreeSet<&str> = points.iter().map(|point| point.opcode).collect();
    Guilty {
        word,
        text: I::disassemble_word(&resolved.program, word).trim().to_owned(),
        opcodes: opcodes.into_iter().map(str::to_owned).collect(),
        lane,
        reads: Vec::new(),
        writes: Vec::new(),
    }
}

/// Finds the instruction at which a lane's two runs diverge.
fn find<I: Isa>(resolved: &Resolved<I>, listing: &Listing, lane: usize, rewriting: bool) -> Exhibit {
    let listing = listing.clone();
    let none = |listing, why: &str| exhibit(listing, None, Some(why.to_owned()));
    if !I::has_fallback(&resolved.context()) {
        return none(
            listing,
            "the lanes of a quad may diverge, so no single instruction can be compared with the reference",
        );
    }
    let Ok(program) = lowered(resolved) else { return exhibit(listing, None, None) };
    if !rewriting && let Some(guilty) = stepped(resolved, &program, lane) {
        return exhibit(listing, Some(guilty), None);
    }
    match executed(resolved, &program, lane, &|one| contenders(one, rewriting)) {
        Some((guilty, who)) => {
            let note = format!("the lowered program is right; {who} runs it wrongly");
            exhibit(listing, Some(guilty), Some(note))
        }
        None => none(listing, "no instruction that was run alone shows the difference"),
    }
}

/// Returns the first instruction after which the reference and the lowered program differ.
fn stepped<I: Isa>(resolved: &Resolved<I>, program: &Program, lane: usize) -> Option<Guilty> {
    let found = trace(resolved, program, lane, MAX_TRACED_STEPS, &mut |_| ());
    let first = found.first_difference?;
    let differing = found.steps.get(first)?;
    // If a lane's control flow differs at this step, it diverged at the step before.
    let at = if differing.taken { first } else { first.checked_sub(1)? };
    let changes = differing.changes.iter().filter(|change| change.differs);
    let writes = changes.clone().map(|change| Written {
        name: change.register.clone(),
        values: vec![
            ("reference".to_owned(), change.reference.clone()),
            ("lowered program".to_owned(), change.ir.clone()),
        ],
    });
    let keys: Option<Vec<VarKey>> = changes.clone().map(|change| change.key).collect();
    let reads = operands_at(resolved, program, lane, at, &keys.unwrap_or_default());
    let word = found.steps.get(at)?.word?;
    Some(Guilty { reads, writes: writes.collect(), ..guilty(resolved, word, lane) })
}

/// Returns the operands of a lane's step.
fn operands_at<I: Isa>(
    resolved: &Resolved<I>,
    program: &Program,
    lane: usize,
    step: usize,
    keys: &[VarKey],
) -> Vec<Operand> {
    let mut reads = Vec::new();
    trace(resolved, program, lane, step + 1, &mut |moment: &StepState<'_, I>| {
        if moment.step == step {
            reads = operands::collect(resolved, program, lane, moment, keys);
        }
    });
    reads
}

/// Returns the first instruction whose result differs when it is run alone, on the executor or after rewriting, and the engine that differs.
fn executed<I: Isa>(
    resolved: &Resolved<I>,
    program: &Program,
    lane: usize,
    contenders: &dyn Fn(&Isolated) -> Vec<(String, Outcome)>,
) -> Option<(Guilty, String)> {
    let (mut found, mut tried) = (None, 0);
    trace(resolved, program, lane, MAX_TRACED_STEPS, &mut |moment: &StepState<'_, I>| {
        tried += 1;
        if found.is_some() || tried > MAX_RUN_ALONE {
            return;
        }
        let (base, group) = (lane / moment.right.len() * moment.right.len(), moment.right);
        let Some(one) = isolate(program, moment.block, group, (&resolved.entry, &resolved.env), base) else {
            return;
        };
        let expected = evaluate(&one.entry, &one.program, &one.env);
        for (who, run) in contenders(&one) {
            let (keys, writes) = differences(resolved, &one, (&expected, &run), lane - base, &who);
            if !writes.is_empty() {
                let reads = operands::collect(resolved, program, lane, moment, &keys);
                found = Some((Guilty { reads, writes, ..guilty(resolved, moment.word, lane) }, who));
                return;
            }
        }
    });
    found
}

fn contenders(one: &Isolated, rewriting: bool) -> Vec<(String, Outcome)> {
    let run = |tier, program: &Program| Executor::new(tier).run(&one.entry, program, &one.env);
    if rewriting {
        let after = rewrite(&one.program);
        let evaluated = evaluate(&one.entry, &after, &one.env);
        let executed = run(Tier::best_interpreted(), &after);
        return vec![
            ("the IR after rewriting".to_owned(), evaluated),
            ("the executor after rewriting".to_owned(), executed),
        ];
    }
    let tiers = Tier::available().into_iter();
    tiers.map(|tier| (format!("executor ({tier})"), run(tier, &one.program))).collect()
}

/// Returns the differences between two runs of one instruction in a lane, by key and for display. Either all differences have keys or none has.
fn differences<I: Syntax>(
    resolved: &Resolved<I>,
    one: &Isolated,
    (expected, run): (&Outcome, &Outcome),
    lane: usize,
    who: &str,
) -> (Vec<VarKey>, Vec<Written>) {
    let (mut keys, mut writes) = (Vec::new(), Vec::new());
    let (Some(left), Some(right)) = (expected.lanes.get(lane), run.lanes.get(lane)) else {
        return (keys, writes);
    };
    let pair = |left, right| vec![("IR evaluator".to_owned(), left), (who.to_owned(), right)];
    for ((a, b), key) in left.outputs.iter().zip(&right.outputs).zip(&one.outputs) {
        if !same(*a, *b) {
            let name = key.map_or_else(|| "successor".to_owned(), |key| I::var_name(&resolved.entry, key));
            writes.push(Written { name, values: pair(Shown::float(*a), Shown::float(*b)) });
            keys.extend(*key);
        }
    }
    if writes.is_empty()
        && let Err(difference) = compare(&one.entry, &whole(left), &whole(right))
    {
        let place = format!("{:?}", difference.place);
        let (left, right) = (Shown::text(difference.left), Shown::text(difference.right));
        writes.push(Written { name: place, values: pair(left, right) });
    }
    if keys.len() != writes.len() {
        keys.clear();
    }
    (keys, writes)
}

/// Returns an outcome that consists of one lane.
fn whole(lane: &crate::engine::LaneOutcome) -> Outcome {
    Outcome { lanes: vec![lane.clone()], freedoms: lockstep_core::value::FreedomSet::default() }
}

/// Returns the last instruction that wrote a component of an output or effect, or the kill mark.
fn last_writer<I: Isa>(
    resolved: &Resolved<I>,
    program: &Program,
    lane: usize,
    component: &str,
) -> Option<Guilty> {
    let output = program.outputs.iter().find(|(number, _)| {
        let name = I::output_name(&resolved.entry, number / 4);
        format!("{name}.{}", LETTERS[usize::from(number % 4)]) == component
    });
    let output: Option<(Var, VarKey)> =
        output.and_then(|(_, var)| Some((*var, program.vars.get(var.0 as usize)?.key)));
    let mut last = None;
    let found: Trace = trace(resolved, program, lane, MAX_TRACED_STEPS, &mut |moment: &StepState<'_, I>| {
        let Some((var, key)) = output else { return };
        let writes = program.block(moment.block).iter().any(|inst| inst.op == Op::Write(var));
        let own = I::direct_effects(&resolved.program, moment.word);
        if writes && own.is_none_or(|own| own.contains(&key)) {
            last = Some(moment.step);
        }
    });
    if output.is_none() {
        let killed = component == "killed";
        last = found.steps.iter().rposition(|step| {
            step.taken
                && step
                    .changes
                    .iter()
                    .any(|change| change.register == component || (killed && change.key == Some(KILLED)))
        });
    }
    let at = last?;
    let keys: Vec<VarKey> = output.map(|(_, key)| key).into_iter().collect();
    let reads = operands_at(resolved, program, lane, at, &keys);
    let word = found.steps.get(at)?.word?;
    Some(Guilty { reads, ..guilty(resolved, word, lane) })
}
