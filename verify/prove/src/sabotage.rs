//! Faults in the prover itself. Its tests switch them on, one at a time and each in a process of its own; other builds have none.

/// A fault in the prover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code))]
pub(crate) enum Sabotage {
    /// Any two values count as equal.
    EqualityAlways,
    /// Every mutant counts as no mistake.
    MutantsEquivalent,
    /// Every mutant is left to the lowering rules.
    LeftToRules,
    /// A query asks whether the sides can be equal.
    NegationLost,
    /// The term constructor takes `x * 0` for 0.
    UnsoundFold,
}

/// Whether the prover has this fault.
#[cfg(not(test))]
pub(crate) const fn is(_: Sabotage) -> bool {
    false
}

/// Where the name of the fault stands.
#[cfg(test)]
const VARIABLE: &str = "LOCKSTEP_SABOTAGE";

/// Whether the prover has this fault.
#[cfg(test)]
pub(crate) fn is(fault: Sabotage) -> bool {
    static NAME: std::sync::LazyLock<Option<String>> =
        std::sync::LazyLock::new(|| std::env::var(VARIABLE).ok());
    NAME.as_ref().is_some_and(|name| *name == format!("{fault:?}"))
}

#[cfg(all(test, feature = "solver"))]
mod tests {
    use super::*;
    use crate::cache::Cache;
    use crate::run::Settings;
    use lockstep_core::isa::IsaId;
    use lockstep_core::parallel::parallel;
    use std::path::Path;
    use std::process::Command;

    const ALL: [Sabotage; 5] = [
        Sabotage::EqualityAlways,
        Sabotage::MutantsEquivalent,
        Sabotage::LeftToRules,
        Sabotage::NegationLost,
        Sabotage::UnsoundFold,
    ];

    /// Rules of an instruction set, a rewrite rule that multiplies by zero, and one that needs a solver.
    const TASKS: [&str; 7] = [
        "agal lowering rules add vertex 1 plain",
        "agal lowering rules kil fragment 1 plain",
        "agal lowering rules nrm vertex 1 plain",
        "agal lowering rules sge vertex 1 plain",
        "agal lowering rules sat fragment 1 plain",
        "rewrite rules mulz-zero",
        "rewrite rules floor-floor",
    ];

    /// Red if the prover is not green on a few tasks. Run by itself, with no fault, it is green.
    #[test]
    fn the_prover_is_green_on_a_few_tasks() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/proofs");
        let mut cache = Cache::read(&folder.join("cache.jsonl")).unwrap();
        let mut tasks = crate::tasks(&[IsaId::Agal], |_| crate::obligation::Programs::default());
        tasks.retain(|t| TASKS.contains(&t.name.as_str()));
        assert_eq!(tasks.len(), TASKS.len(), "some have other names");
        let settings = Settings { threads: 2, limit: 8_000_000, ..Settings::default() };
        let report = crate::prove(&tasks, &mut cache, &settings);
        assert!(report.is_green(), "NOT GREEN\n{report}");
    }

    #[test]
    fn every_sabotaged_prover_is_red() {
        let program = std::env::current_exe().unwrap();
        let outputs = parallel(ALL.len(), &ALL, &|| {}, |fault| {
            Command::new(&program)
                .args(["--exact", "sabotage::tests::the_prover_is_green_on_a_few_tasks"])
                .env(VARIABLE, format!("{fault:?}"))
                .output()
                .unwrap()
        });
        for (fault, output) in ALL.iter().zip(outputs) {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(!output.status.success() && said.contains("NOT GREEN"), "{fault:?} is not seen:\n{said}");
        }
    }
}
