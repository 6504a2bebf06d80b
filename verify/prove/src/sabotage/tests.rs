//! Checks that each planted fault in the prover makes a run fail, with the message of the check that is meant to catch it.

use super::*;
use crate::cache::Cache;
use crate::independent::instance::rules;
use crate::independent::run::{Settings as Second, run_rules};
use crate::obligation::{self, Programs};
use crate::run::Settings;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::{Format, IsaId, Syntax};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Each fault with part of the message of the check that catches it. Some faults have no check of their own: their runs fail
/// because of refuted claims or surviving mutants.
const ALL: [(Sabotage, &str); 31] = [
    (Sabotage::EqualityAlways, "UNKNOWN false claims"),
    (Sabotage::MutantsEquivalent, "none of its mutants is refuted"),
    (Sabotage::LeftToRules, "none of its mutants is refuted"),
    (Sabotage::NegationLost, "UNKNOWN false claims"),
    (Sabotage::UnsoundFold, "REFUTED term folds"),
    (Sabotage::LiteralCondition, "claims are in a goal"),
    (Sabotage::PathDropped, "a path was left out"),
    (Sabotage::OneBlock, "the claims are incomplete: block"),
    (Sabotage::EffectSkipped, "or not all were recorded"),
    (Sabotage::LeaderLost, "REFUTED pica200 step simulation"),
    (Sabotage::QuadMaskDropped, "with lanes of a quad that have ended"),
    (Sabotage::MergesUnequal, "taken the place of another without a lemma"),
    (Sabotage::RegisterLost, "registers that the program declares"),
    (Sabotage::DefaultsOnly, "an option that is read has this setting"),
    (Sabotage::PairsLost, "these choices are read together"),
    (Sabotage::ControlDefaults, "with more than one value"),
    (Sabotage::RegisterLeftOut, "is not listed"),
    (Sabotage::KillItself, "no claim fails for a wrong kill mark"),
    (Sabotage::FuelAlways, "no claim fails for wrong fuel"),
    (Sabotage::NextAlways, "in its place"),
    (Sabotage::FirstUnclaimed, "the initial state: no claim fails for a wrong first value"),
    (Sabotage::StepOutputLost, "parts of a lane's state"),
    (Sabotage::WordRegisterLost, "registers that the fallback declares"),
    (Sabotage::WordOutputLost, "some outputs"),
    (Sabotage::WordFirstUnclaimed, "the initial state: no claim fails for a wrong first value"),
    (Sabotage::OutputItself, "no claim fails for a wrong value of output"),
    (Sabotage::RuleLost, "UNKNOWN rewrite rules mulz-zero: none of its mutants is refuted"),
    (Sabotage::GoalLost, "claims are in a goal"),
    (Sabotage::GoalPathLost, "claims are in a goal"),
    (
        Sabotage::QueryPathLost,
        "UNKNOWN false claims a value on the first of two paths: a false claim was proved",
    ),
    (Sabotage::DropsEquivalent, "SURVIVES agal lowering rules kil stage=fragment"),
];

/// Faults of the independent prover, each with part of the message of the check that catches it.
const INDEPENDENT: [(Sabotage, &str); 3] = [
    (Sabotage::IndependentRegisterLost, "no claim fails for a wrong value of"),
    (Sabotage::IndependentClaimLost, "claims are in the query"),
    (Sabotage::IndependentBlockLost, "by all lanes and by some"),
];

/// Rules on which the independent prover is tried, by part of their names.
const RULES: [&str; 2] = ["agal lowering rules add stage=vertex", "pica200 lowering rules ifc"];

/// The first words of the names of the tasks: rules with options, kill marks, effects, quads and branches; a program controlled by constants;
/// rewrite rules, of which one multiplies by zero and others need the solver and lemmas; and false claims, which must be refuted.
const TASKS: [&str; 13] = [
    "agal lowering rules add stage=vertex",
    "agal lowering rules kil stage=fragment",
    "agal lowering rules nrm stage=vertex",
    "agal lowering rules sge stage=vertex",
    "agal lowering rules sat stage=fragment",
    "pica200 lowering rules emit banks",
    "pica200 lowering rules ifc",
    "pica200 step simulation quality_branches",
    "pica200 fallback words quality_branches",
    "pica200 whole programs quality_branches",
    "rewrite rules mulz-zero",
    "rewrite rules floor-floor",
    "false claims ",
];

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora")
}

/// Fails if the prover is not green on a few tasks. The test passes unless [`VARIABLE`] switches on a fault.
#[test]
fn the_prover_is_green_on_a_few_tasks() {
    // A copy, so that the queries of a sabotaged prover do not reach the real cache.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("cache.jsonl");
    std::fs::copy(corpora().join("proofs/cache.jsonl"), &copy).unwrap();
    let mut cache = Cache::read(&copy).unwrap();
    let name = "quality_branches";
    let file = corpora().join(format!("pica200/programs/{name}.pica200.txt"));
    let program = Pica200::assemble(&std::fs::read_to_string(file).unwrap()).unwrap();
    let all = vec![(name.to_owned(), Pica200::encode(&program))];
    let programs = Programs { all, ..Programs::default() };
    // Not all of [`crate::tasks`]: that would compile the prover for the other instruction sets for nothing.
    let mut tasks = obligation::shared();
    tasks.extend(obligation::of_isa::<Agal>(&Programs::default()));
    tasks.extend(obligation::of_isa::<Pica200>(&programs));
    for name in TASKS {
        assert!(tasks.iter().any(|t| t.name.starts_with(name)), "no task's name begins with {name}");
    }
    tasks.retain(|t| TASKS.iter().any(|name| t.name.starts_with(name)));
    assert!(tasks.len() < 99, "{}", tasks.len());
    let settings = Settings { threads: 2, limit: 8_000_000, ..Settings::default() };
    let report = crate::prove(&tasks, &mut cache, &settings);
    assert!(report.is_green(), "NOT GREEN\n{report}");
}

/// Fails if the independent prover is not green on a few rules. The test passes unless [`VARIABLE`] switches on a fault.
#[test]
fn the_independent_prover_is_green_on_a_few_rules() {
    for rule in RULES {
        let settings = Second { filter: Some(rule.to_owned()), threads: 2, ..Second::default() };
        let rules = |isa| if isa == IsaId::Agal { rules::<Agal>() } else { rules::<Pica200>() };
        let report = run_rules(&[IsaId::Agal, IsaId::Pica200], &rules, &settings);
        assert!(report.is_green(), "NOT GREEN\n{report}");
    }
}

#[test]
fn every_sabotaged_prover_is_red() {
    let first = ALL.map(|row| ("the_prover_is_green_on_a_few_tasks", row));
    let second = INDEPENDENT.map(|row| ("the_independent_prover_is_green_on_a_few_rules", row));
    let all = [first.as_slice(), &second].concat();
    let program = std::env::current_exe().unwrap();
    let run = |(test, (fault, _)): &(&str, (Sabotage, &str))| {
        Command::new(&program)
            .args(["--exact", &format!("sabotage::tests::{test}")])
            .env(VARIABLE, format!("{fault:?}"))
            .output()
            .unwrap()
    };
    let outputs: Vec<Output> =
        crate::pool::threads(2).install(|| all.par_iter().with_max_len(1).map(run).collect());
    for ((_, (fault, gate)), output) in all.iter().zip(outputs) {
        let said = String::from_utf8_lossy(&output.stdout);
        let seen = !output.status.success() && said.contains("NOT GREEN");
        assert!(seen && said.contains(gate), "{fault:?} is not caught by «{gate}»:\n{said}");
    }
}
