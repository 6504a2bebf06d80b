//! Tests the independent prover on mutants of lowered rules. Only mutants that evaluation refutes are used, so none may be confirmed.

use super::agree::Pair;
use super::instance::entry_name;
use super::judge::{ProofStep, RuleCheck};
use super::query::{Query, Reply, SolverMethod, ask};
use super::replay::{RandomSource, RecordedUnknowns, differ, hash};
use crate::mutate::{Mutation, mutations};
use lockstep_core::ir::{self, BlockId};
use lockstep_core::isa::lowering;
use lockstep_core::isa::{Context, Entry, Isa, IsaId, Lowering, Options, RuleInstance, Tables};
use serde::Serialize;

/// A mutant that evaluation refutes, with the prover's result for it.
#[derive(Clone, Debug, Serialize)]
pub struct MutantVerdict {
    /// Instruction set.
    pub isa: IsaId,
    /// The obligation and the mutant.
    pub name: String,
    /// The steps that were tried with the unknowns restricted to the numbers that refute the mutant.
    pub tried: Vec<ProofStep>,
    /// The first step that found its query unsatisfiable, which is a fault of the independent prover; `None` if no step did.
    pub confirmed: Option<ProofStep>,
    /// Why an entry of the rule has no mutants although it should: its program is not lowered. `None` for a mutant.
    pub error: Option<String>,
}

/// The maximum number of random samples tried to refute a mutant.
const DRAWS: u64 = 60;
/// The limit for a query about a mutant with unrestricted unknowns, in Z3's units.
const SOLVER_LIMIT: u32 = 4_000_000;

/// Judges at most `limit` mutants of a rule under default or other options, selected by the seed among the mutants of all its entries that evaluation
/// refutes. An entry whose program is not lowered is an error: see [`MutantVerdict::error`].
pub fn of_rule<I: Isa>(
    name: &str,
    rule: &RuleInstance<I::Program>,
    limit: usize,
    seed: u64,
) -> Vec<MutantVerdict> {
    let verdict = |name: &str| MutantVerdict {
        isa: I::ID,
        name: name.to_owned(),
        tried: Vec::new(),
        confirmed: None,
        error: None,
    };
    let entries = I::entries(&rule.program);
    let with_options = |(number, entry): (usize, &Entry)| {
        let name = entry_name(name, number, entries.len());
        let options = draw_options::<I>(&name, rule, entry, seed);
        let changed: String =
            options.changed().map(|(option, choice)| format!(" {option}={choice}")).collect();
        (format!("{name}{changed}"), options)
    };
    let named: Vec<(String, Options)> = entries.iter().enumerate().map(with_options).collect();
    let (mut all, mut lowered) = (Vec::new(), Vec::new());
    for (entry, (name, options)) in entries.iter().zip(&named) {
        let cx: Context<'_, I> = Context { program: &rule.program, entry, options };
        match lowering::lower_with_nodes(&cx) {
            Ok((program, nodes)) => lowered.push((name, Pair::new(cx, &program, &nodes), program)),
            Err(error) => {
                let error = Some(format!("it is not lowered: {error}"));
                all.push(MutantVerdict { error, ..verdict(name) });
            }
        }
    }
    let mut drawn: Vec<(usize, Mutation)> = Vec::new();
    for (at, (.., program)) in lowered.iter().enumerate() {
        let blocks: Vec<u32> = (0..program.blocks.len() as u32).collect();
        drawn.extend(mutations(program, &blocks).into_iter().map(|mutation| (at, mutation)));
    }
    drawn.sort_by_cached_key(|(at, mutation)| hash(seed, &format!("{} {}", lowered[*at].0, mutation.name)));
    let judged = drawn.into_iter().filter_map(|(at, mutation)| {
        let (name, pair, program) = &lowered[at];
        let (tried, confirmed) = judge(pair, program, &mutation, seed)?;
        Some(MutantVerdict { tried, confirmed, ..verdict(&format!("{name}: {}", mutation.name)) })
    });
    all.extend(judged.take(limit));
    all
}

/// Tries the steps on a mutant. Returns [`MutantVerdict::tried`], and the first step that found a query unsatisfiable; `None` if evaluation does not
/// refute the mutant.
fn judge<I: Isa>(
    pair: &Pair<'_, I>,
    program: &ir::Program,
    mutation: &Mutation,
    seed: u64,
) -> Option<(Vec<ProofStep>, Option<ProofStep>)> {
    let mutant = mutation.apply(program);
    let parts = pair.parts_of(program, BlockId(mutation.block));
    let values = (0..DRAWS).find_map(|draw| {
        let drawn = RandomSource(mix(seed, draw));
        let noted = RecordedUnknowns::new(&drawn);
        differ(pair, &mutant, &parts, &noted).then(|| noted.values())
    })?;
    // A mutant without a query counts as not confirmed.
    let (mut tried, mut confirmed) = (Vec::new(), None);
    if let Ok(query) = Query::new(pair, &mutant, &parts) {
        // With its unknowns restricted to the numbers that refute the mutant, the query has a model. So every step must find it satisfiable,
        // including those with exact arithmetic. This is cheap, since all inputs are known.
        let known = query.restricted_to(&values);
        let matter = RuleCheck { pair, program: &mutant, parts: &parts };
        for how in ProofStep::STEPS {
            let Some(confirms) = matter.confirms(&known, how) else { continue };
            tried.push(how);
            confirmed = confirmed.or(confirms.then_some(how));
        }
        let unsat = |text: &str| matches!(ask(text, SOLVER_LIMIT, SolverMethod::Incremental), Reply::Unsat);
        let open =
            [(ProofStep::AnyFunctions, Some(query.text.clone())), (ProofStep::Lemmas, query.with_lemmas())];
        for (how, text) in open {
            confirmed = confirmed.or(text.is_some_and(|text| unsat(&text)).then_some(how));
        }
    }
    Some((tried, confirmed))
}

/// Returns the default options for about half of the entries of rules, selected by the seed. For the others, draws a choice for each option that the
/// lowering reads; returns the defaults if the entry cannot be lowered with the drawn choices.
fn draw_options<I: Tables + Lowering>(
    name: &str,
    rule: &RuleInstance<I::Program>,
    entry: &Entry,
    seed: u64,
) -> Options {
    let lowers = |options: &Options| {
        let cx: Context<'_, I> = Context { program: &rule.program, entry, options };
        lowering::lower_with_nodes(&cx).is_ok()
    };
    let defaults = Options::new(I::option_specs());
    if hash(seed, name) & 1 == 0 || !lowers(&defaults) {
        return defaults;
    }
    let (read, mut drawn) = (defaults.take_read(), defaults.clone());
    for (option, a) in I::option_specs().iter().enumerate().filter(|(option, _)| read >> option & 1 == 1) {
        let choice = hash(seed, &format!("{name} {}", a.name)) % a.choices.len() as u64;
        drawn.set(option, choice as u8);
    }
    if lowers(&drawn) { drawn } else { defaults }
}

fn mix(seed: u64, draw: u64) -> u64 {
    hash(seed, &draw.to_string())
}
