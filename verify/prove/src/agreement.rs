//! Compares the verdicts of the two provers. An obligation that only one of them has or refutes makes the run fail.

use crate::independent::judge::Verdict as IndependentVerdict;
use crate::independent::report::Report;
use crate::obligation::{Kind, Task};
use crate::report::Report as MainReport;
use crate::verdict::Verdict;
use crate::{cache::Cache, run};
use std::collections::{BTreeMap, HashSet};

/// Returns the disagreements of the two provers as sentences. `whole` states whether the independent prover had to cover all lowering
/// rules in `tasks`.
///
/// For the comparison, the main prover runs the same rules again, without a solver and without cached answers.
pub fn disagreements(independent: &Report, tasks: Vec<Task>, whole: bool, threads: usize) -> Vec<String> {
    let wanted = |task: &Task| independent.outcomes.iter().any(|o| o.name.starts_with(&task.name));
    let lowering = format!(" {} ", Kind::LoweringRule.name());
    let tasks: Vec<Task> =
        tasks.into_iter().filter(|t| t.name.contains(&lowering) && (whole || wanted(t))).collect();
    let settings =
        run::Settings { use_solver: false, threads, check_domain: false, ..run::Settings::default() };
    compare(independent, &crate::replay(&tasks, &Cache::default(), &settings), whole)
}

fn compare(independent: &Report, main: &MainReport, whole: bool) -> Vec<String> {
    let rules = main.outcomes.iter().filter(|o| o.kind == Kind::LoweringRule);
    let by_name: BTreeMap<&str, &Verdict> = rules.map(|o| (o.name.as_str(), &o.verdict)).collect();
    let mut all = Vec::new();
    for outcome in &independent.outcomes {
        let name = &outcome.name;
        match (by_name.get(name.as_str()), &outcome.verdict) {
            (None, _) => all.push(format!("{name}: the main prover has no such obligation")),
            (Some(Verdict::Refuted(_)), IndependentVerdict::Refuted(_)) => {}
            (Some(Verdict::Refuted(_)), _) => all.push(format!("{name}: only the main prover refutes it")),
            (Some(_), IndependentVerdict::Refuted(_)) => {
                all.push(format!("{name}: only the independent prover refutes it"));
            }
            _ => {}
        }
    }
    if whole {
        let names: HashSet<&str> = independent.outcomes.iter().map(|o| o.name.as_str()).collect();
        let missing = by_name.keys().filter(|name| !names.contains(*name));
        all.extend(missing.map(|name| format!("{name}: the independent prover has no such obligation")));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::independent::instance::Outcome;
    use crate::independent::judge::ProofStep;
    use crate::independent::replay::Example;
    use crate::report::{MutantTally, Outcome as MainOutcome};
    use crate::verdict::{Counterexample, ProofMeans};
    use lockstep_core::isa::IsaId;

    fn independent_outcome(name: &str, refuted: bool) -> Outcome {
        let example = Example {
            part: String::new(),
            lane: 0,
            what: String::new(),
            reference: String::new(),
            lowered: String::new(),
            inputs: Vec::new(),
        };
        let verdict = if refuted {
            IndependentVerdict::Refuted(Box::new(example))
        } else {
            IndependentVerdict::Confirmed { how: ProofStep::AnyFunctions }
        };
        Outcome {
            audited: true,
            isa: IsaId::Agal,
            name: name.to_owned(),
            query: "q".to_owned(),
            changed: 0,
            claims: 1,
            paths: 1,
            asked: 0,
            seconds: 0.0,
            verdict,
        }
    }

    fn main_outcome(name: &str, refuted: bool) -> MainOutcome {
        let example = Counterexample {
            what: String::new(),
            inputs: Vec::new(),
            path: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
        };
        let verdict = if refuted {
            Verdict::Refuted(Box::new(example))
        } else {
            Verdict::Proved { how: ProofMeans::SameTerm }
        };
        MainOutcome {
            kind: Kind::LoweringRule,
            name: name.to_owned(),
            claims: 1,
            verdict,
            mutants: MutantTally::default(),
        }
    }

    #[test]
    fn every_kind_of_disagreement_is_named() {
        let names = ["both prove", "both refute", "first refutes", "second refutes", "second alone"];
        let seconds =
            names.map(|name| independent_outcome(name, matches!(name, "both refute" | "second refutes")));
        let report = Report { outcomes: seconds.into(), ..Report::default() };
        let names = ["both prove", "both refute", "first refutes", "second refutes", "first alone"];
        let mut firsts = crate::replay(&[], &Cache::default(), &run::Settings::default());
        firsts.outcomes =
            names.map(|name| main_outcome(name, matches!(name, "both refute" | "first refutes"))).into();
        let found = compare(&report, &firsts, true);
        assert_eq!(
            found,
            [
                "first refutes: only the main prover refutes it",
                "second refutes: only the independent prover refutes it",
                "second alone: the main prover has no such obligation",
                "first alone: the independent prover has no such obligation",
            ]
        );
        assert_eq!(compare(&report, &firsts, false).len(), 3);
    }
}
