//! The obligations: every rule instance, for each of its entries, under each setting of the options that the reference or the lowering reads.

use super::agree::Pair;
use super::judge::{Memo, RuleCheck, Verdict};
use super::query::{Fault, Query};
use super::replay::hash;
use lockstep_core::ir::{self, BlockId, Op};
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::{self, Nodes};
use lockstep_core::isa::{Context, Entry, Isa, IsaId, Options, Refinement, RuleInstance, Syntax};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Instant;

/// An obligation and its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Instruction set.
    pub isa: IsaId,
    /// Unique name: rule instance, entry if there are several, and option setting. For a rule with one entry, it is the name in the main prover.
    pub name: String,
    /// The hash of the query; empty if no query was made.
    pub query: String,
    /// The number of options that are set to a choice other than the default.
    pub changed: usize,
    /// Whether the claims after each block were shown to fail on corrupted state. This is done once for each shape of the lowered program:
    /// option settings that change neither its blocks nor its declarations have the same claims.
    pub audited: bool,
    /// The number of claims in the query.
    pub claims: u64,
    /// The number of paths in the query.
    pub paths: u64,
    /// The number of feasibility queries made while building the query.
    pub asked: u64,
    /// Time spent on the obligation, in seconds.
    pub seconds: f64,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// A rule instance with its obligations.
pub struct Rule {
    /// The rule's name, with which the names of its obligations begin.
    pub name: String,
    /// The instruction set.
    pub isa: IsaId,
    /// Whether mutants of the rule's lowering are tried.
    pub mutate: bool,
    /// Judges the obligations, or a sample of them: at most this many settings for each entry, selected by this seed.
    #[allow(clippy::type_complexity)] // one function
    pub judge: Box<dyn Fn(&Memo, Option<(usize, u64)>) -> Vec<Outcome> + Send + Sync>,
    /// Judges at most this many mutants, selected by this seed: see [`super::mutants`].
    #[allow(clippy::type_complexity)] // one function
    pub mutants: Box<dyn Fn(usize, u64) -> Vec<super::mutants::MutantVerdict> + Send + Sync>,
}

/// Returns every rule of an instruction set.
pub fn rules<I: Isa>() -> Vec<Rule> {
    rule_instances::<I>()
        .iter()
        .map(|rule| {
            let name = format!("{} lowering rules {}", I::ID, rule.name);
            let (its_name, mutants_name) = (name.clone(), name.clone());
            Rule {
                name,
                isa: I::ID,
                mutate: rule.mutate,
                judge: Box::new(move |memo, sample| judge::<I>(&its_name, rule, memo, sample)),
                mutants: Box::new(move |most, seed| {
                    super::mutants::of_rule::<I>(&mutants_name, rule, most, seed)
                }),
            }
        })
        .collect()
}

/// Judges the obligations of a rule: see [`Rule::judge`].
pub(crate) fn judge<I: Isa>(
    name: &str,
    rule: &RuleInstance<I::Program>,
    memo: &Memo,
    sample: Option<(usize, u64)>,
) -> Vec<Outcome> {
    let mut all = Vec::new();
    let entries = I::entries(&rule.program);
    for (number, entry) in entries.iter().enumerate() {
        let name = entry_name(name, number, entries.len());
        let defaults = Options::new(I::option_specs());
        // Each setting, with the options that were read under it as a bit mask.
        let mut settings = vec![(defaults, 0)];
        let (mut at, mut audited) = (0, BTreeSet::new());
        while let Some((options, read)) = settings.get_mut(at) {
            options.take_read();
            let changed: String =
                options.changed().map(|(option, choice)| format!(" {option}={choice}")).collect();
            let full_name = format!("{name}{changed}");
            all.push(judge_setting::<I>(full_name, rule, entry, options, memo, &mut audited));
            *read = options.take_read();
            match sample {
                None => every_next(&mut settings, at, rule.mutate),
                Some((most, seed)) if settings.len() < most => {
                    let order = |options: &Options| {
                        hash(seed, &format!("{name} {:?}", options.changed().collect::<Vec<_>>()))
                    };
                    settings.extend(drawn_next(&settings, rule.mutate, order).map(|options| (options, 0)));
                }
                Some(_) => {}
            }
            at += 1;
        }
    }
    all
}

/// Returns the name of an entry: that of its rule, with a number if the rule has several entries.
pub(super) fn entry_name(rule: &str, number: usize, count: usize) -> String {
    let number = if count > 1 { format!(" entry {number}") } else { String::new() };
    format!("{rule}{number}")
}

/// Option settings, each with the options that are read under it as a bit mask.
type Settings = Vec<(Options, u64)>;

/// Returns the settings in which any choice is made for one of the options that are read under a setting. The setting itself is among them.
fn changes((options, read): &(Options, u64)) -> impl Iterator<Item = Options> + '_ {
    let specs = options.specs().iter().enumerate().filter(move |(option, _)| read >> option & 1 == 1);
    specs.flat_map(move |(option, a)| {
        (0..a.choices.len() as u8).map(move |choice| {
            let mut other = options.clone();
            other.set(option, choice);
            other
        })
    })
}

/// Adds the settings to try after the one just judged. If `combined`, which holds for the rules whose mutants are tried, options are
/// changed in combination, otherwise one at a time.
fn every_next(settings: &mut Settings, at: usize, combined: bool) {
    if combined || at == 0 {
        for other in settings.get(at).into_iter().flat_map(changes).collect::<Vec<_>>() {
            if !settings.iter().any(|(known, _)| *known == other) {
                settings.push((other, 0));
            }
        }
    }
}

/// A sampled setting with fewer changed options than this is extended by the next draw, so that draws alternate between one and two changed options.
const COMBINED: usize = 2;

/// Draws one of the settings that [`every_next`] would add, the first in `order`. If options are not combined, it is a change of the defaults. If
/// they are combined, it is a change of the last setting, if that has fewer than [`COMBINED`] changes, otherwise of any setting.
fn drawn_next(settings: &Settings, combined: bool, order: impl Fn(&Options) -> u64) -> Option<Options> {
    let count = |options: &Options| options.changed().count();
    let new = |from: &(Options, u64)| {
        let more = count(&from.0) + 1;
        let new = changes(from)
            .filter(|other| count(other) == more && !settings.iter().any(|(known, _)| known == other));
        new.min_by_key(&order)
    };
    if !combined {
        return settings.first().and_then(new);
    }
    let last = settings.last().filter(|(options, _)| count(options) < COMBINED);
    last.and_then(new).or_else(|| settings.iter().filter_map(new).min_by_key(&order))
}

/// Returns a text that is equal for lowered programs with the same claims. It contains their declarations, outputs and nodes, and for each block its
/// successors, the number of its effects, and whether it has operations across lanes.
fn shape<C: Debug>(program: &ir::Program, nodes: &Nodes<C>) -> String {
    let blocks = (0..program.blocks.len()).map(|number| {
        let terminator = &program.blocks[number].terminator;
        let targets: Vec<BlockId> = terminator.targets().collect();
        let insts = program.block(BlockId(number as u32));
        let effects = insts.iter().filter(|inst| matches!(inst.op, Op::Effect { .. } | Op::Kill)).count();
        let is_quad = insts.iter().any(|inst| inst.op.is_quad());
        (std::mem::discriminant(terminator), targets, effects, is_quad)
    });
    let blocks: Vec<_> = blocks.collect();
    let ir::Program { vars, arrays, outputs, group, entry, .. } = program;
    format!("{:?}", (vars, arrays, outputs, group, entry, blocks, nodes))
}

fn judge_setting<I: Syntax + Refinement>(
    name: String,
    rule: &RuleInstance<I::Program>,
    entry: &Entry,
    options: &Options,
    memo: &Memo,
    audited: &mut BTreeSet<String>,
) -> Outcome {
    let cx: Context<'_, I> = Context { program: &rule.program, entry, options };
    let changed = options.changed().count();
    let without = |verdict: Verdict| Outcome {
        isa: I::ID,
        name: name.clone(),
        query: String::new(),
        changed,
        audited: false,
        claims: 0,
        paths: 0,
        asked: 0,
        seconds: 0.0,
        verdict,
    };
    let (program, nodes) = match lowering::lower_with_nodes(&cx) {
        Ok(lowered) => lowered,
        Err(error) => {
            let reason = format!("it is not lowered: {error}");
            let query = I::disassemble(&rule.program).lines().map(|line| format!("; {line}\n")).collect();
            return without(Verdict::Open { reason, query });
        }
    };
    let start = Instant::now();
    let pair = Pair::new(cx, &program, &nodes);
    let parts = pair.parts(&program);
    let is_new = audited.insert(shape(&program, &nodes));
    if is_new && let Some(what) = pair.find_unclaimed(&program, &nodes, &parts) {
        return without(Verdict::Gap { reason: format!("the claims are incomplete: {what}") });
    }
    let query = match Query::new(&pair, &program, &parts) {
        Ok(query) => query,
        Err(Fault::Open { reason, query }) => return without(Verdict::Open { reason, query }),
        Err(Fault::Gap(reason)) => return without(Verdict::Gap { reason }),
    };
    let verdict = RuleCheck { pair: &pair, program: &program, parts: &parts }.judge(&query, memo);
    Outcome {
        isa: I::ID,
        query: query.key(),
        changed,
        audited: is_new,
        claims: query.claims,
        paths: query.paths,
        asked: query.asked,
        seconds: start.elapsed().as_secs_f64(),
        verdict,
        name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::pica200::Pica200;
    use std::path::Path;

    #[test]
    fn outcomes_of_different_entries_have_different_names() {
        // One of the project's programs, with two entries.
        let path = "../../corpora/pica200/programs/two_entries.pica200.txt";
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        let program = Pica200::assemble(&text).unwrap();
        let rule = RuleInstance { name: "two".to_owned(), program, mutate: false };
        // The sample has one setting for each entry.
        let outcomes = judge::<Pica200>("two", &rule, &Memo::default(), Some((1, 0)));
        let names: Vec<&str> = outcomes.iter().map(|outcome| outcome.name.as_str()).collect();
        assert_eq!(names, ["two entry 0", "two entry 1"]);
    }
}
