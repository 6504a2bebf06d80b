//! Planted faults in the prover. Tests switch the faults on, one at a time and each in its own process. Other builds contain no faults.

/// A fault in the prover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code))]
pub(crate) enum Sabotage {
    /// Any two values count as equal.
    EqualityAlways,
    /// Every mutant counts as equivalent.
    MutantsEquivalent,
    /// Every mutant is left to the lowering rules.
    LeftToRules,
    /// A query asks whether the sides can be equal, instead of different.
    NegationLost,
    /// The term constructor folds `x * 0` to 0.
    UnsoundFold,
    /// In each goal about paths, a literal replaces one condition of one path, so that this path is never taken.
    LiteralCondition,
    /// Paths after the first are not followed.
    PathDropped,
    /// Only the first block of a program is checked, which has the first node.
    OneBlock,
    /// The first effect is not compared.
    EffectSkipped,
    /// One block is not treated as the start of a step.
    LeaderLost,
    /// Quads run only with all four lanes active.
    QuadMaskDropped,
    /// Sweeping merges terms of one type without a lemma.
    MergesUnequal,
    /// The first register after a step is not compared, nor the first output of a whole program.
    RegisterLost,
    /// Options take their default values only.
    DefaultsOnly,
    /// No two options are changed at once in obligations about words of the fallback.
    PairsLost,
    /// Control constants have one setting only.
    ControlDefaults,
    /// The list of a lane's registers omits some.
    RegisterLeftOut,
    /// The kill mark after a step is compared with itself.
    KillItself,
    /// Any fuel after a step counts as right.
    FuelAlways,
    /// Any next instruction counts as right.
    NextAlways,
    /// No claim is made about initial values of variables before the first step.
    FirstUnclaimed,
    /// The first output after a step is not compared.
    StepOutputLost,
    /// The first register after a word of the fallback is not compared.
    WordRegisterLost,
    /// The first output after a word of the fallback is not compared.
    WordOutputLost,
    /// No claim is made about initial values of the fallback's variables.
    WordFirstUnclaimed,
    /// The first output of a whole program is compared with itself.
    OutputItself,
    /// No claim is made that the sides of rewrite rules are equal.
    RuleLost,
    /// The first goal of an obligation is lost after it was claimed.
    GoalLost,
    /// The first of the paths of a goal is lost.
    GoalPathLost,
    /// The first of the paths of a query is not written.
    QueryPathLost,
    /// Mutants that drop an effect or a kill mark count as equivalent.
    DropsEquivalent,
    /// The independent prover does not compare the first register.
    IndependentRegisterLost,
    /// The independent prover leaves its first claim out of the query.
    IndependentClaimLost,
    /// The independent prover leaves out one block.
    IndependentBlockLost,
}

/// Whether the prover has this fault.
#[cfg(not(test))]
pub(crate) const fn is(_: Sabotage) -> bool {
    false
}

/// The environment variable that names the fault.
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
mod tests;
