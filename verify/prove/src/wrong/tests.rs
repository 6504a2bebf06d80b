//! Tests both provers on wrong rules, and on wrong rules that an unsound fold hides from the main prover.

#![allow(clippy::unwrap_used)] // a panic fails the test

use super::*;
use crate::agreement::disagreements;
use crate::independent::instance::{Outcome, judge};
use crate::independent::judge::{Memo, Verdict as Second};
use crate::independent::report::Report;
use crate::obligation::{Task, of_rules};
use crate::report::Report as First;
use crate::sabotage::VARIABLE;
use crate::verdict::Verdict;
use crate::{cache::Cache, run};
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::{Format, Isa, Options, RuleInstance};
use std::process::Command;

/// Runs an expression once for each instruction set, each time on a thread of its own, because the solver is slow on arithmetic. Utgard GP is left
/// out, because its small programs have no two differing variables that a later word reads.
macro_rules! each {
    ($alias:ident => $judge:expr) => {
        each!($alias => $judge, Agal, Pica200, A2xx, D3d9)
    };
    ($alias:ident => $judge:expr, $($isa:ident),*) => {
        std::thread::scope(|scope| {
            $(scope.spawn(|| {
                type $alias = $isa;
                $judge
            });)*
        })
    };
}

/// Whether the wrong rule changes the lowering of the program: there may be no two variables to copy.
fn is_made_wrong<I: Isa>(program: &I::Program) -> bool {
    let (options, entry) = (Options::new(I::option_specs()), &I::entries(program)[0]);
    let right = Context::<'_, I> { program, entry, options: &options };
    let wrong = Context::<'_, Wrong<I, false>> { program, entry, options: &options };
    lowering::lower_validated(&right, Mode::Nodes).unwrap()
        != lowering::lower_validated(&wrong, Mode::Nodes).unwrap()
}

/// Returns the name of the first rule whose mutants are tried and whose program the wrong rule changes.
fn rule_name<I: Isa>() -> String {
    let is_sought = |rule: &&RuleInstance<I::Program>| rule.mutate && is_made_wrong::<I>(&rule.program);
    let rule = rule_instances::<I>().iter().find(is_sought).unwrap();
    format!("{} lowering rules {}", I::ID, rule.name)
}

/// Returns the independent prover's result for the rule under default options.
fn independent_outcome<I: Isa>() -> Outcome {
    let name = rule_name::<I>();
    let named = |rule: &&RuleInstance<I::Program>| format!("{} lowering rules {}", I::ID, rule.name) == name;
    let rule = rule_instances::<I>().iter().find(named).unwrap();
    let mut outcomes = judge::<I>(&name, rule, &Memo::default(), Some((1, 0)));
    outcomes.truncate(1);
    outcomes.remove(0)
}

/// Returns the main prover's task for the rule.
fn tasks<I: Isa>() -> Vec<Task> {
    let name = rule_name::<I>();
    of_rules::<I>().into_iter().filter(|task| task.name == name).collect()
}

/// Returns the main prover's verdict on the rule under default options.
fn main_verdict<I: Isa>() -> Verdict {
    let settings = run::Settings { threads: 1, check_domain: false, ..run::Settings::default() };
    let report: First = crate::replay(&tasks::<I>(), &Cache::default(), &settings);
    let name = rule_name::<I>();
    report.outcomes.iter().find(|outcome| outcome.name == name).unwrap().verdict.clone()
}

/// Returns a report with this result of the independent prover and its disagreements with the main prover.
fn comparison_report<I: Isa>(outcome: Outcome) -> Report {
    let mut report = Report { outcomes: vec![outcome], ..Report::default() };
    report.disagreements = disagreements(&report, tasks::<I>(), false, 1);
    report
}

/// [`the_independent_prover_refutes_hidden_rules`] runs the independent prover on the right rule and on the hidden wrong rule.
#[test]
fn both_provers_prove_the_right_rule_and_refute_the_wrong_one() {
    each!(I => {
        let isa = I::ID;
            assert!(
                matches!(main_verdict::<I>(), Verdict::Proved { .. }),
                "{isa}: {:?}",
                main_verdict::<I>()
            );
            type Plain = Wrong<I, false>;
            type Hidden = Wrong<I, true>;
            for (name, first) in [("plain", main_verdict::<Plain>()), ("hidden", main_verdict::<Hidden>())] {
                assert!(matches!(first, Verdict::Refuted(_)), "{isa}, {name}: {first:?}");
            }
            let plain = independent_outcome::<Plain>();
            assert!(matches!(plain.verdict, Second::Refuted(_)), "{isa}: {:?}", plain.verdict);
            assert_eq!(comparison_report::<Plain>(plain).disagreements, [""; 0], "{isa}");
    });
}

/// Checks the disagreements of the provers: none, or one for the rule if the environment variable [`VARIABLE`] switches on a sabotage of the main
/// prover.
#[test]
fn the_independent_prover_refutes_hidden_rules() {
    each!(I => {
        let isa = I::ID;
            type Hidden = Wrong<I, true>;
            assert!(
                matches!(independent_outcome::<I>().verdict, Second::Confirmed { .. }),
                "{isa}: the right rule"
            );
            let report = comparison_report::<Hidden>(independent_outcome::<Hidden>());
            assert!(matches!(report.outcomes[0].verdict, Second::Refuted(_)), "{isa}");
            assert!(report.has_findings() && !report.is_green(), "{isa}");
            let expected = format!("{}: only the independent prover refutes it", rule_name::<I>());
            match std::env::var_os(VARIABLE) {
                None => assert_eq!(report.disagreements, [""; 0], "{isa}"),
                Some(_) => {
                    assert_eq!(report.disagreements, [expected], "{isa}: {:?}", main_verdict::<Hidden>());
                }
            }
            println!("{isa}: {}", report.disagreements.len());
    });
}

#[test]
fn the_independent_prover_finds_a_wrong_rule_that_an_unsound_fold_hides() {
    let test = "wrong::tests::the_independent_prover_refutes_hidden_rules";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", test])
        .env(VARIABLE, "UnsoundFold")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    each!(I => assert!(said.contains(&format!("{}: 1", I::ID)), "{said}"));
}
