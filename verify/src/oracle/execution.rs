//! The execution oracle: reference and executor produce equal outcomes.

use super::{Failure, Skip, Verdict};
use crate::case::Case;
use crate::engine::{PooledExecutor, Statistics, Tier, compare, reference_with};
use lockstep_core::host::Environment;
use lockstep_core::isa::lowering::{LowerError, Mode, lower_validated};
use lockstep_core::isa::{Context, End, Isa, lower};

/// The engines that are compared with the reference.
#[derive(Clone, Debug)]
pub struct Engines {
    /// The executor tiers.
    pub tiers: Vec<Tier>,
    /// The kinds of lowering.
    pub modes: Vec<Mode>,
}

impl Engines {
    /// Returns every tier of this machine and both kinds of lowering.
    pub fn all() -> Engines {
        Engines { tiers: Tier::available(), modes: vec![Mode::Nodes, Mode::Fallback] }
    }

    /// Returns the fastest tier of the interpreter and the default lowering, which a fuzzer uses for most inputs.
    pub fn fast() -> Engines {
        Engines { tiers: vec![Tier::best_interpreted()], modes: vec![Mode::Auto] }
    }
}

pub(super) fn check<I: Isa>(case: &Case) -> Verdict {
    execution_with::<I>(case, &Engines::all())
}

/// Compares the reference with the given engines on a case.
pub fn execution_with<I: Isa>(case: &Case, engines: &Engines) -> Verdict {
    match case.resolve::<I>() {
        Ok(resolved) => match Comparison::new(resolved.context(), engines, false) {
            Ok(mut comparison) => comparison.compare(&resolved.env),
            Err(verdict) => verdict,
        },
        Err(error) => Verdict::Skipped(Skip::Unresolved(error)),
    }
}

/// The reference and other engines, ready to run one program in any number of environments. The program is lowered and planned once.
pub struct Comparison<'a, I: Isa> {
    cx: Context<'a, I>,
    engines: &'a Engines,
    /// The planned program for each kind of lowering that can represent it.
    planned: Vec<(Mode, PooledExecutor)>,
    /// Statistics of comparisons that were left out and of validated code.
    left_out: Statistics,
}

impl<'a, I: Isa> Comparison<'a, I> {
    /// Lowers and plans a program. `is_legal` means that the program is known to break no rule at error level.
    ///
    /// # Errors
    /// The verdict, if the program cannot be run, the lowering fails or the validator refuses the machine code.
    pub fn new(
        cx: Context<'a, I>,
        engines: &'a Engines,
        is_legal: bool,
    ) -> Result<Comparison<'a, I>, Verdict> {
        let mut planned = Vec::with_capacity(engines.modes.len());
        let mut left_out = Statistics::default();
        for &mode in &engines.modes {
            if mode == Mode::Fallback && !I::has_fallback(&cx) {
                left_out.no_fallback += 1;
                continue;
            }
            match if is_legal { lower_validated(&cx, mode) } else { lower(&cx, mode) } {
                Ok(program) => {
                    let mut executor = PooledExecutor::any();
                    executor.plan(&program);
                    match executor.validate(&engines.tiers) {
                        Ok(validated) => left_out.validated += validated,
                        Err((tier, why)) => {
                            let between = format!("plan / machine code ({tier}, {mode:?})");
                            return Err(Verdict::Fails(Failure::new(&between, why)));
                        }
                    }
                    planned.push((mode, executor));
                }
                Err(LowerError::Illegal(violation)) => {
                    return Err(Verdict::Skipped(Skip::Illegal(violation)));
                }
                Err(LowerError::NoEntry) => return Err(Verdict::Skipped(Skip::NoLaneFinished)),
                // The fallback has no such limit.
                Err(LowerError::TooManyNodes) => left_out.too_many += 1,
                Err(error @ LowerError::Internal { .. }) => {
                    return Err(Verdict::Fails(Failure::new("lowering", error.to_string())));
                }
            }
        }
        Ok(Comparison { cx, engines, planned, left_out })
    }

    /// Runs the program in an environment, which must be within the limits: see [`Case::resolve`].
    pub fn compare(&mut self, env: &Environment) -> Verdict {
        let Comparison { cx, engines, planned, left_out } = self;
        let expected = reference_with::<I, false>(cx, env);
        let is_finished = expected.lanes.iter().any(|lane| lane.end == End::Finished);
        let mut statistics = None;
        for (mode, executor) in planned {
            for (tier, run) in executor.run_on(&engines.tiers, cx.entry, env) {
                #[cfg(debug_assertions)]
                let run = {
                    let mut run = run;
                    super::planted::corrupt_outcome(&|| format!("executor ({tier}, {mode:?})"), &mut run);
                    run
                };
                match compare(cx.entry, &expected, &run) {
                    Ok(s) => statistics = statistics.or(Some(s)),
                    Err(difference) => {
                        let between = format!("reference / executor ({tier}, {mode:?})");
                        return Verdict::Fails(Failure::runs::<I>(cx.entry, between, *difference));
                    }
                }
            }
        }
        match statistics {
            _ if !is_finished => Verdict::Skipped(Skip::NoLaneFinished),
            Some(statistics) if statistics.components == 0 => Verdict::Skipped(Skip::NothingCompared),
            Some(statistics) => Verdict::Holds(Statistics {
                no_fallback: left_out.no_fallback,
                too_many: left_out.too_many,
                validated: left_out.validated,
                ..statistics
            }),
            // No lowering can represent the program. A program with too many calls for lowering runs out of fuel, as the reference shows.
            None if left_out.no_fallback + left_out.too_many > 0 => Verdict::Skipped(Skip::TooLarge),
            None => Verdict::Skipped(Skip::NoLaneFinished),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Entropy, any_case};
    use lockstep_core::isa::a2xx::A2xx;
    use lockstep_core::isa::{Format, Lowering};
    use std::collections::BTreeSet;

    #[test]
    fn the_code_of_each_compiled_tier_and_lowering_is_validated() {
        let tiers = Tier::available().iter().filter(|tier| tier.0.is_compiled()).count() as u64;
        let mut holding = 0;
        for seed in 0..200 {
            let case = any_case(A2xx::ID, &mut Entropy::seeded(seed));
            if let Verdict::Holds(statistics) = execution_with::<A2xx>(&case, &Engines::all()) {
                let lowerings = 2 - statistics.no_fallback - statistics.too_many;
                assert_eq!(statistics.validated.compilations, tiers * lowerings, "seed {seed}");
                holding += 1;
            }
        }
        assert!(holding > 5, "{holding}");
    }

    #[test]
    fn a_skipped_lowering_is_counted() {
        let mut seen = BTreeSet::new();
        for seed in 0..4000 {
            let case = any_case(A2xx::ID, &mut Entropy::seeded(seed));
            let Ok(resolved) = case.resolve::<A2xx>() else { continue };
            let exact = A2xx::has_fallback(&resolved.context());
            if seen.contains(&exact) {
                continue;
            }
            if let Verdict::Holds(statistics) = execution_with::<A2xx>(&case, &Engines::all()) {
                assert_eq!(statistics.no_fallback, u64::from(!exact), "seed {seed}");
                assert_eq!(statistics.too_many, 0, "seed {seed}");
                seen.insert(exact);
            }
            if seen.len() == 2 {
                return;
            }
        }
        panic!("expected programs with and without a fallback, found only {seen:?}");
    }
}
