//! Step simulation of every block of whole programs.

use super::lowering::{self, setting_name};
use super::witness::with_witness;
use super::{Kind, NamedProgram, Obligation, ObligationSpan, Task, entries, expected, refused};
use crate::mutate::{Mutation, initial_mutant, mutations};
use crate::sabotage::{self, Sabotage};
use crate::term::Terms;
use lockstep_core::ir::BlockId;
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::{Nodes, lower_with_nodes};
use lockstep_core::isa::{Context, Entry, Isa, Options, Tables};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// The maximum number of mutated instructions and branches, and of mutated initial values, that are tried for each entry of a program. A few suffice,
/// because all mutants of the lowering rules are tried, too.
const MAX_MUTANTS: usize = 12;

pub(super) fn tasks<I: Isa>(programs: &[NamedProgram]) -> Vec<Task> {
    // Computed by the first task that needs it.
    let tried_opcodes: Arc<LazyLock<BTreeSet<String>>> = Arc::new(LazyLock::new(mutated_opcodes::<I>));
    programs
        .iter()
        .map(|(name, bytes)| {
            let (name, bytes) = (format!("{} {} {name}", I::ID, Kind::Step.name()), Arc::new(bytes.clone()));
            let tried_opcodes = Arc::clone(&tried_opcodes);
            let (again, its_bytes) = (name.clone(), Arc::clone(&bytes));
            Task::new(name.clone(), move |boundaries| {
                step_obligations::<I>(&name, &bytes, &tried_opcodes, boundaries)
            })
            .expecting(Kind::Step, move |all| {
                I::decode(&its_bytes)
                    .map(|program| expected::missing_obligations::<I>(&again, &program, false, all))
                    .unwrap_or_default()
            })
        })
        .collect()
}

/// Returns the step simulation tasks of the covering programs, which combine modifiers that no rule instance combines. These
/// programs have no other tasks.
pub(super) fn covering<I: Isa>(programs: &[NamedProgram]) -> Vec<Task> {
    programs
        .iter()
        .map(|(name, bytes)| {
            let (name, bytes) = (format!("{} {} {name}", I::ID, Kind::Step.name()), bytes.clone());
            Task::new(name.clone(), move |boundaries| default_obligations::<I>(&name, &bytes, boundaries))
        })
        .collect()
}

/// Returns one obligation for each entry of a program, under the default options; an entry that cannot be lowered is refused.
fn default_obligations<I: Isa>(name: &str, bytes: &[u8], boundaries: &[u32]) -> Vec<Obligation> {
    let program = match I::decode(bytes) {
        Ok(program) => program,
        Err(error) => return vec![refused(Kind::Step, name.to_owned(), &error)],
    };
    let options = Options::new(I::option_specs());
    let of_entry = |(entry, number): (Entry, String)| {
        let name = format!("{name}{number}");
        let cx: Context<'_, I> = Context { program: &program, entry: &entry, options: &options };
        let span = ObligationSpan::begin(Kind::Step, &name);
        match lower_with_nodes(&cx) {
            Ok((lowered, nodes)) => {
                let d = Terms::default();
                let (claims, mut simulation) = lowering::claims_where_needed(&d, cx, &lowered, &nodes);
                let mutants = with_witness(&mut simulation, &d, cx, &lowered, &nodes, Vec::new(), boundaries);
                span.end(Obligation { mutants, ..Obligation::new(Kind::Step, name, claims) })
            }
            Err(error) => refused(Kind::Step, name, &error),
        }
    };
    entries::<I>(&program).into_iter().map(of_entry).collect()
}

/// Returns the opcodes of the lowering rules whose mutants are tried. That each of their coverage points has a rule is an obligation of its own.
fn mutated_opcodes<I: Isa>() -> BTreeSet<String> {
    let rules = rule_instances::<I>();
    let mutated = rules.iter().filter(|rule| rule.mutate);
    mutated
        .flat_map(|rule| {
            let options = Options::new(I::option_specs());
            let opcodes = |entry| {
                let cx: Context<'_, I> = Context { program: &rule.program, entry: &entry, options: &options };
                (0..I::instruction_count(&cx))
                    .flat_map(|word| I::facets().points(&rule.program, word))
                    .collect::<Vec<_>>()
            };
            I::entries(&rule.program).into_iter().flat_map(opcodes).collect::<Vec<_>>()
        })
        .map(|class| class.opcode.to_owned())
        .collect()
}

fn step_obligations<I: Isa>(
    name: &str,
    bytes: &[u8],
    tried_opcodes: &BTreeSet<String>,
    boundaries: &[u32],
) -> Vec<Obligation> {
    let program = match I::decode(bytes) {
        Ok(program) => program,
        Err(error) => return vec![refused(Kind::Step, name.to_owned(), &error)],
    };
    let mut all = Vec::new();
    for (entry, number) in entries::<I>(&program) {
        let name = format!("{name}{number}");
        // Option settings differ in few terms, so they share an arena.
        let d = Terms::default();
        let mut settings = vec![Options::new(I::option_specs())];
        let mut at = 0;
        while let Some(options) = settings.get(at).cloned() {
            let cx: Context<'_, I> = Context { program: &program, entry: &entry, options: &options };
            at += 1;
            let first = at == 1;
            let name = format!("{name}{}", setting_name(&options));
            let span = ObligationSpan::begin(Kind::Step, &name);
            let (lowered, nodes) = match lower_with_nodes(&cx) {
                Ok(lowered) => lowered,
                Err(error) => {
                    all.push(refused(Kind::Step, name, &error));
                    continue;
                }
            };
            let (claims, mut simulation) = lowering::claims_where_needed(&d, cx, &lowered, &nodes);
            if first {
                settings.extend(single_changes::<I>(options.take_read()));
            }
            let mut obligation = Obligation::new(Kind::Step, name, claims);
            if first {
                let blocks: Vec<u32> = (0..lowered.blocks.len() as u32).collect();
                let mutations = mutations(&lowered, &blocks);
                let step = mutations.len().div_ceil(MAX_MUTANTS).max(1);
                let mut some: Vec<Mutation> = mutations.into_iter().step_by(step).collect();
                // Initial values of variables, evenly spread over all variables.
                let apart = lowered.vars.len().div_ceil(MAX_MUTANTS).max(1);
                some.extend(
                    (0..lowered.vars.len()).step_by(apart).filter_map(|n| initial_mutant(&lowered, n)),
                );
                let rules = |mutation: &Mutation| {
                    mutation.is_arithmetic(&lowered)
                        && have_rules::<I>(&program, &nodes, mutation, tried_opcodes)
                };
                obligation.mutants =
                    lowering::mutants(&mut simulation, &d, &lowered, some, &rules, boundaries);
            }
            obligation.mutants =
                with_witness(&mut simulation, &d, cx, &lowered, &nodes, obligation.mutants, boundaries);
            all.push(span.end(obligation));
        }
    }
    all
}

/// Whether every opcode in the block of a mutation is one of `tried_opcodes`, whose lowering rules have mutants of the same kind.
fn have_rules<I: Isa>(
    program: &I::Program,
    nodes: &Nodes<I::ControlState>,
    mutation: &Mutation,
    tried_opcodes: &BTreeSet<String>,
) -> bool {
    let mut opcodes = nodes
        .iter()
        .filter(|(block, _)| *block == BlockId(mutation.block))
        .flat_map(|(_, control)| I::facets().points(program, I::control_word(control)))
        .map(|class| class.opcode);
    opcodes.all(|opcode| tried_opcodes.contains(opcode))
}

/// Returns every setting that differs from the defaults in exactly one option of a bit set.
pub(super) fn single_changes<I: Tables>(option_set: u64) -> Vec<Options> {
    let mut all = Vec::new();
    if sabotage::is(Sabotage::DefaultsOnly) {
        return all;
    }
    for (option, a) in
        I::option_specs().iter().enumerate().filter(|(option, _)| option_set >> option & 1 == 1)
    {
        for choice in 1..a.choices.len() as u8 {
            let mut options = Options::new(I::option_specs());
            options.set(option, choice);
            all.push(options);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Format, Syntax};

    #[test]
    fn a_mutant_is_left_to_the_rules_only_if_each_opcode_in_its_block_has_some() {
        let text = "version 1 vertex\nadd vt0, va0, va1\nmul op, vt0, va1";
        let program = Agal::assemble(text).unwrap();
        let (entry, options) = (&Agal::entries(&program)[0], &Options::new(Agal::option_specs()));
        let cx: Context<'_, Agal> = Context { program: &program, entry, options };
        let (lowered, nodes) = lower_with_nodes(&cx).unwrap();
        let mutation = initial_mutant(&lowered, 0).unwrap();
        let left = |tried_opcodes: &[&str]| {
            let tried_opcodes = tried_opcodes.iter().map(|opcode| (*opcode).to_owned()).collect();
            have_rules::<Agal>(&program, &nodes, &mutation, &tried_opcodes)
        };
        assert!(left(&["add", "mul"]));
        assert!(!left(&["add"]) && !left(&["mul"]) && !left(&[]));
    }
}
