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
    /// In each goal about paths, a literal stands for a condition, so that the path is never taken.
    LiteralCondition,
    /// Paths after the first are not followed.
    PathDropped,
    /// Only the first node of a program is looked at.
    OneNode,
    /// Of effects, the first is not compared.
    EffectSkipped,
    /// One block does not count as the beginning of a step.
    LeaderLost,
    /// Quads run whole only.
    QuadMaskDropped,
    /// Sweeping merges terms of one type without a lemma.
    MergesUnequal,
    /// The first of the things to be compared is not.
    PartLost,
    /// Options have their defaults only.
    DefaultsOnly,
    /// Constants that steer control have one setting only.
    ControlDefaults,
    /// Lists of what a lane holds leave some registers out.
    RegisterLeftOut,
    /// The kill mark after a step is compared with itself.
    KillItself,
    /// Any fuel after a step counts as right.
    FuelAlways,
    /// The next instruction counts as right.
    NextAlways,
    /// First values are not claimed.
    FirstUnclaimed,
}

/// Whether the prover has this fault.
#[cfg(not(test))]
pub(crate) const fn is(_: Sabotage) -> bool {
    false
}

/// Where the name of the fault stands.
#[cfg(test)]
pub(crate) const VARIABLE: &str = "LOCKSTEP_SABOTAGE";

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
    use crate::obligation::Programs;
    use crate::run::Settings;
    use lockstep_core::isa::pica200::Pica200;
    use lockstep_core::isa::{Isa, IsaId};
    use lockstep_core::parallel::parallel;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// Each with what the gate says that sees it. Not everything has a gate of its own: what is refuted, or not noticed in mutants, is red too.
    const ALL: [(Sabotage, &str); 20] = [
        (Sabotage::EqualityAlways, "UNKNOWN"),
        (Sabotage::MutantsEquivalent, "none of its mutants is refuted"),
        (Sabotage::LeftToRules, "none of its mutants is refuted"),
        (Sabotage::NegationLost, "UNKNOWN"),
        (Sabotage::UnsoundFold, "REFUTED term folds"),
        (Sabotage::LiteralCondition, "UNKNOWN false claims control on a path: what does not hold was proved"),
        (Sabotage::PathDropped, "a path was left out"),
        (Sabotage::OneNode, "not all was claimed: block"),
        (Sabotage::EffectSkipped, "effects, or one was not recorded"),
        (Sabotage::LeaderLost, "REFUTED pica200 step simulation"),
        (Sabotage::QuadMaskDropped, "with lanes of a quad that have ended"),
        (Sabotage::MergesUnequal, "taken the place of another without a lemma"),
        (Sabotage::PartLost, "registers that the program declares"),
        (Sabotage::DefaultsOnly, "an option that is read has this setting"),
        (Sabotage::ControlDefaults, "with more than one value"),
        (Sabotage::RegisterLeftOut, "is not listed"),
        (Sabotage::KillItself, "no claim fails of another kill mark"),
        (Sabotage::FuelAlways, "no claim fails of other fuel"),
        (Sabotage::NextAlways, "in its place"),
        (Sabotage::FirstUnclaimed, "the beginning: no claim fails of another first value"),
    ];

    /// Rules with options, kill marks, effects, quads and branches; a program that is steered by constants; rewrite rules, one of which multiplies
    /// by zero, and others that need a solver and lemmas; and what has to be refuted. The beginnings of their names.
    const TASKS: [&str; 13] = [
        "agal lowering rules add vertex 1 plain",
        "agal lowering rules kil fragment 1 plain",
        "agal lowering rules nrm vertex 1 plain",
        "agal lowering rules sge vertex 1 plain",
        "agal lowering rules sat fragment 1 plain",
        "pica200 lowering rules emit geometry banks",
        "pica200 lowering rules ifc vertex",
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

    /// Red if the prover is not green on a few tasks. Run by itself, with no fault, it is green.
    #[test]
    fn the_prover_is_green_on_a_few_tasks() {
        let mut cache = Cache::read(&corpora().join("proofs/cache.jsonl")).unwrap();
        let programs = |isa| {
            let name = "quality_branches";
            let file = corpora().join(format!("pica200/programs/{name}.pica200.txt"));
            let program = Pica200::assemble(&std::fs::read_to_string(file).unwrap()).unwrap();
            let all = if isa == IsaId::Pica200 {
                vec![(name.to_owned(), Pica200::encode(&program))]
            } else {
                Vec::new()
            };
            Programs { all, ..Programs::default() }
        };
        let mut tasks = crate::tasks(&[IsaId::Agal, IsaId::Pica200], programs);
        for name in TASKS {
            assert!(tasks.iter().any(|t| t.name.starts_with(name)), "{name} has another name");
        }
        tasks.retain(|t| TASKS.iter().any(|name| t.name.starts_with(name)));
        assert!(tasks.len() < 99, "{}", tasks.len());
        let settings = Settings { threads: 2, limit: 8_000_000, ..Settings::default() };
        let report = crate::prove(&tasks, &mut cache, &settings);
        assert!(report.is_green(), "NOT GREEN\n{report}");
    }

    #[test]
    fn every_sabotaged_prover_is_red() {
        let program = std::env::current_exe().unwrap();
        let outputs = parallel(2, &ALL, &|| {}, |(fault, _)| {
            Command::new(&program)
                .args(["--exact", "sabotage::tests::the_prover_is_green_on_a_few_tasks"])
                .env(VARIABLE, format!("{fault:?}"))
                .output()
                .unwrap()
        });
        for ((fault, gate), output) in ALL.iter().zip(outputs) {
            let said = String::from_utf8_lossy(&output.stdout);
            let seen = !output.status.success() && said.contains("NOT GREEN");
            assert!(seen && said.contains(gate), "{fault:?} is not seen by «{gate}»:\n{said}");
        }
    }
}
