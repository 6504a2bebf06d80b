//! Lowering rules: an obligation for each rule instance (an opcode in a stage and version with facet values), entry and setting of the options that
//! the instance reads.

use super::simulate::Simulation;
use super::witness::with_witness;
use super::{FIRST_DRAWS, Kind, MutantStatus, Obligation, ObligationSpan, Task, expected, mutant_status};
use crate::claims::{ClaimBuilder, Claims};
use crate::mutate::{Mutation, initial_mutant, mutations};
use crate::sabotage::{self, Sabotage};
use crate::term::Terms;
use crate::verdict::{ProofMeans, Verdict};
use lockstep_core::ir::{self, BlockId};
use lockstep_core::isa::facet::{points, rule_instances};
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::{LowerError, Nodes};
use lockstep_core::isa::{
    Context, CoverPoint, Entry, Isa, Lowering, Options, Refinement, RuleInstance, Syntax, Tables,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The maximum number of a rule's mutants that are tried under a setting in which one option is changed.
const MUTANTS_PER_CHANGED_SETTING: usize = 6;

/// Returns one task for each rule instance, and one that checks that every opcode and coverage point has a rule.
pub(super) fn tasks<I: Isa>() -> Vec<Task> {
    let rules = rule_instances::<I>();
    let mut all: Vec<Task> = rules
        .iter()
        .map(|rule| {
            let name = format!("{} {} {}", I::ID, Kind::LoweringRule.name(), rule.name);
            let again = name.clone();
            Task::new(name.clone(), move |boundaries| rule_obligations::<I>(&name, rule, boundaries))
                .expecting(Kind::LoweringRule, move |all| {
                    expected::missing_obligations::<I>(&again, &rule.program, false, all)
                })
        })
        .collect();
    let name = format!("{} {}", I::ID, Kind::Coverage.name());
    all.push(Task::new(name.clone(), move |_| vec![coverage::<I>(&name, rules)]));
    all
}

fn coverage<I: Isa>(name: &str, rules: &[RuleInstance<I::Program>]) -> Obligation {
    let span = ObligationSpan::begin(Kind::Coverage, name);
    let mut covered = BTreeSet::new();
    for rule in rules {
        for entry in I::entries(&rule.program) {
            let options = Options::new(I::option_specs());
            let cx: Context<'_, I> = Context { program: &rule.program, entry: &entry, options: &options };
            covered.extend(
                (0..I::instruction_count(&cx)).flat_map(|word| I::facets().points(&rule.program, word)),
            );
        }
    }
    let all_points = points::<I>();
    let name_of = |point: &CoverPoint| format!("{} {}", point.opcode, point.modifier);
    let missing_of = |covered: &BTreeSet<CoverPoint>| -> Vec<String> {
        all_points.iter().filter(|point| !covered.contains(point)).map(name_of).collect()
    };
    let mut missing = missing_of(&covered);
    // This check itself must detect a coverage point without rules.
    let mut fewer = covered.clone();
    let noticed = fewer.pop_first().is_some_and(|point| missing_of(&fewer).contains(&name_of(&point)));
    // Opcodes without effect have no coverage points. The rule instances that contain them prove that they have no effect.
    let stands = |mnemonic: &str| {
        rules.iter().any(|rule| {
            I::entries(&rule.program).iter().any(|entry| {
                let options = Options::new(I::option_specs());
                let cx: Context<'_, I> = Context { program: &rule.program, entry, options: &options };
                (0..I::instruction_count(&cx))
                    .any(|word| I::disassemble_word(&rule.program, word).trim_start().starts_with(mnemonic))
            })
        })
    };
    let has_rule = |mnemonic: &str| {
        let mut all = all_points.iter().filter(|point| point.opcode == mnemonic).peekable();
        if all.peek().is_some() { all.any(|c| covered.contains(c)) } else { stands(mnemonic) }
    };
    missing.extend(I::opcodes().iter().filter(|o| !has_rule(o.mnemonic)).map(|o| o.mnemonic.to_owned()));
    let verdict = if missing.is_empty() {
        Verdict::Proved { how: ProofMeans::Enumeration }
    } else {
        let some = missing.iter().take(8).cloned().collect::<Vec<_>>().join("; ");
        let count = missing.len();
        Verdict::Unknown { reason: format!("{count} coverage points without a rule instance: {some}") }
    };
    let lost = if noticed { MutantStatus::Refuted } else { MutantStatus::Equivalent };
    span.end(
        Obligation::settled(Kind::Coverage, name.to_owned(), verdict)
            .with_mutant("a coverage point without its rules", lost),
    )
}

/// Returns the settings of the options that running `probe` reads, defaults first: all settings, or only those that differ from the defaults in one
/// option.
pub(super) fn settings<I: Tables>(all: bool, mut probe: impl FnMut(&Options)) -> Vec<Options> {
    let mut found: Vec<Options> = vec![Options::new(I::option_specs())];
    if sabotage::is(Sabotage::DefaultsOnly) {
        return found;
    }
    let mut known: HashSet<Vec<u8>> = found.iter().map(|options| options.choices().to_vec()).collect();
    let mut at = 0;
    while let Some(options) = found.get(at).cloned() {
        at += 1;
        if !all && options.changed().next().is_some() {
            continue;
        }
        options.take_read();
        probe(&options);
        let read = options.take_read();
        for (option, a) in I::option_specs().iter().enumerate().filter(|(option, _)| read >> option & 1 == 1)
        {
            for choice in 0..a.choices.len() as u8 {
                let mut other = options.clone();
                other.set(option, choice);
                if known.insert(other.choices().to_vec()) {
                    found.push(other);
                }
            }
        }
    }
    found
}

/// Returns the name of a setting, empty for the defaults.
pub(super) fn setting_name(options: &Options) -> String {
    options.changed().map(|(option, choice)| format!(" {option}={choice}")).collect()
}

/// Makes the claims about every block, with all lanes running and, in a quad, also with some lanes ended.
///
/// `d` may have been used for other option settings of the same entry: most terms are the same.
fn claims<I: Syntax + Refinement>(
    d: &Terms,
    cx: Context<'_, I>,
    program: &ir::Program,
    nodes: &Nodes<I::ControlState>,
) -> Claims {
    let mut simulation = Simulation::new(cx, program, nodes);
    let mut claims = ClaimBuilder::default();
    let lanes = usize::from(program.group.max(1));
    simulation.start(d, program, &mut claims);
    for block in simulation.blocks().to_vec() {
        for active in masks(lanes) {
            simulation.block(d, program, block, lanes, *active, &mut claims);
        }
    }
    simulation.audit(program, nodes, true, &mut claims);
    claims.claims(d)
}

/// Makes the claims about every block. Blocks without operations across lanes are run with a single lane. This suffices because the proofs of the
/// lowering rules, which run whole quads, show that the reference has operations across lanes only where the lowering has them.
///
/// Also returns the simulation, to be reused for mutants of the program, for which the reference's runs are the same.
pub(super) fn claims_where_needed<'a, I: Syntax + Refinement>(
    d: &Terms,
    cx: Context<'a, I>,
    program: &ir::Program,
    nodes: &Nodes<I::ControlState>,
) -> (Claims, Simulation<'a, I>) {
    let mut simulation = Simulation::new(cx, program, nodes);
    let mut claims = ClaimBuilder::default();
    simulation.start(d, program, &mut claims);
    for block in simulation.blocks().to_vec() {
        let across = program.block(block).iter().any(|i| i.op.is_quad());
        let lanes = if across { usize::from(program.group.max(1)) } else { 1 };
        for active in masks(lanes) {
            simulation.block(d, program, block, lanes, *active, &mut claims);
        }
    }
    simulation.audit(program, nodes, false, &mut claims);
    (claims.claims(d), simulation.for_mutants())
}

/// Returns the lane masks to run: all lanes, and for a quad also lanes 0 and 2 only.
pub(super) fn masks(lanes: usize) -> &'static [u8] {
    match lanes {
        4 if sabotage::is(Sabotage::QuadMaskDropped) => &[0b1111],
        4 => &[0b1111, 0b0101],
        _ => &[1],
    }
}

/// Returns the status of each mutant. Mutants for which `of_rule` returns true are not put to the solver. Only the blocks whose claims the
/// mutation can affect are run, with one lane unless the changed block has operations across lanes.
pub(super) fn mutants<I: Syntax + Refinement>(
    simulation: &mut Simulation<'_, I>,
    d: &Terms,
    program: &ir::Program,
    mutations: Vec<Mutation>,
    of_rule: &dyn Fn(&Mutation) -> bool,
    boundaries: &[u32],
) -> Vec<(String, MutantStatus)> {
    mutations
        .into_iter()
        .map(|mutation| {
            if sabotage::is(Sabotage::MutantsEquivalent) {
                return (mutation.name, MutantStatus::Equivalent);
            }
            if sabotage::is(Sabotage::LeftToRules) {
                return (mutation.name, MutantStatus::DecidedByRule);
            }
            let across = program.block(BlockId(mutation.block)).iter().any(|i| i.op.is_quad());
            let lanes = if across { usize::from(program.group.max(1)) } else { 1 };
            let mutant = mutation.apply(program);
            let mut claims = ClaimBuilder::default();
            let (blocks, start) = simulation.affected(program, BlockId(mutation.block));
            let (blocks, start) =
                if mutation.changes_initial_value() { (Vec::new(), true) } else { (blocks, start) };
            if start {
                simulation.start(d, &mutant, &mut claims);
            }
            for active in masks(lanes) {
                for block in &blocks {
                    simulation.block(d, &mutant, *block, lanes, *active, &mut claims);
                }
                if claims.is_refuted(d, boundaries, 0..FIRST_DRAWS) {
                    let mutant_status = MutantStatus::Refuted.of(&mutation, program);
                    return (mutation.name, mutant_status);
                }
            }
            let mutant_status =
                mutant_status(claims.claims(d), of_rule(&mutation), boundaries).of(&mutation, program);
            (mutation.name, mutant_status)
        })
        .collect()
}

fn rule_obligations<I: Isa>(
    name: &str,
    rule: &RuleInstance<I::Program>,
    boundaries: &[u32],
) -> Vec<Obligation> {
    let mut all = Vec::new();
    for entry in I::entries(&rule.program) {
        // Option settings differ in few terms, so they share an arena.
        let d = Terms::default();
        // Results for the settings that were lowered to find out which options they read.
        let mut tried: HashMap<Vec<u8>, Result<Lowered<I>, LowerError>> = HashMap::new();
        let probe = |options: &Options| {
            tried.insert(options.choices().to_vec(), lowered(&d, &rule.program, &entry, options));
        };
        // Options are combined in one instance of each opcode; in the other instances one option at a time is changed.
        for options in settings::<I>(rule.mutate, probe) {
            let name = format!("{name}{}", setting_name(&options));
            let span = ObligationSpan::begin(Kind::LoweringRule, &name);
            let known = tried.remove(options.choices());
            let lowered = known.unwrap_or_else(|| lowered(&d, &rule.program, &entry, &options));
            let cx: Context<'_, I> = Context { program: &rule.program, entry: &entry, options: &options };
            all.push(span.end(with_options::<I>(&d, name, cx, lowered, rule.mutate, boundaries)));
        }
    }
    all
}

/// A lowered program with the claims about it.
struct Lowered<I: Lowering> {
    program: ir::Program,
    nodes: Nodes<I::ControlState>,
    claims: Claims,
}

fn lowered<I: Syntax + Refinement>(
    d: &Terms,
    program: &I::Program,
    entry: &Entry,
    options: &Options,
) -> Result<Lowered<I>, LowerError> {
    let cx: Context<'_, I> = Context { program, entry, options };
    let (program, nodes) = lowering::lower_with_nodes(&cx)?;
    let claims = claims(d, cx, &program, &nodes);
    Ok(Lowered { program, nodes, claims })
}

fn with_options<I: Syntax + Refinement>(
    d: &Terms,
    name: String,
    cx: Context<'_, I>,
    lowered: Result<Lowered<I>, LowerError>,
    mutate: bool,
    boundaries: &[u32],
) -> Obligation {
    let Lowered { program, nodes, claims } = match lowered {
        Ok(lowered) => lowered,
        Err(error) => {
            let verdict = Verdict::Unknown { reason: error.to_string() };
            return Obligation::settled(Kind::LoweringRule, name, verdict);
        }
    };
    let mut obligation = Obligation::new(Kind::LoweringRule, name, claims);
    let simulation = &mut Simulation::new(cx, &program, &nodes).for_mutants();
    if mutate {
        let blocks: Vec<u32> = (0..program.blocks.len() as u32).collect();
        let all = mutations(&program, &blocks);
        // All mutants are tried under the defaults. A setting that changes one option changes little of the lowering, and a setting that changes
        // several combines such changes.
        let step = match cx.options.changed().count() {
            0 => 1,
            1 => all.len().div_ceil(MUTANTS_PER_CHANGED_SETTING).max(1),
            _ => usize::MAX,
        };
        let mut some: Vec<Mutation> =
            if step == usize::MAX { Vec::new() } else { all.into_iter().step_by(step).collect() };
        if step == 1 {
            // The variable whose initial value is changed depends on the obligation's name, so that over all rules many variables are tried.
            some.extend(initial_mutant(&program, obligation.name.bytes().map(usize::from).sum()));
        }
        obligation.mutants = mutants(simulation, d, &program, some, &|_| false, boundaries);
    }
    obligation.mutants = with_witness(simulation, d, cx, &program, &nodes, obligation.mutants, boundaries);
    obligation
}
