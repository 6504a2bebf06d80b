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
    /// Registers after a step are compared but for the first; so are the outputs of whole programs.
    PartLost,
    /// Options have their defaults only.
    DefaultsOnly,
    /// No two options are changed at once in words of the fallback.
    PairsLost,
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
    /// Outputs after a step are compared but for the first.
    StepOutputLost,
    /// Registers after a word of the fallback are compared but for the first.
    WordPartLost,
    /// Outputs after a word of the fallback are compared but for the first.
    WordOutputLost,
    /// First values of the fallback's variables are not claimed.
    WordFirstUnclaimed,
    /// Of a whole program's outputs, the first is compared with itself.
    OutputItself,
    /// The sides of rewrite rules are not claimed to be equal.
    RuleLost,
    /// The first goal of an obligation is lost after it was claimed.
    GoalLost,
    /// Of the paths that a goal is about, the first is lost.
    GoalPathLost,
    /// Of the paths that a query is about, the first is not written down.
    QueryPathLost,
    /// Dropping an effect or a kill mark counts as no mistake.
    DropsEquivalent,
    /// The second road compares registers but for the first.
    SecondPartLost,
    /// Of what the second road claims, the first is not in the query.
    SecondClaimLost,
    /// The second road leaves out one block.
    SecondBlockLost,
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
mod tests;
