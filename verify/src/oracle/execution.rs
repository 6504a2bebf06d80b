//! Execution: reference and executor agree.

use super::{Failure, Skip, Verdict};
use crate::case::Case;
use crate::engine::{Executor, Outcome, Statistics, Tier, compare, reference_with};
use lockstep_core::isa::lowering::{LowerError, Mode};
use lockstep_core::isa::{End, Isa, lower};

/// The engines to compare.
#[derive(Clone, Debug)]
pub struct Engines {
    /// The executor tiers.
    pub tiers: Vec<Tier>,
    /// The kinds of lowering.
    pub modes: Vec<Mode>,
}

impl Engines {
    /// Every tier of this machine and both kinds of lowering.
    pub fn all() -> Engines {
        Engines { tiers: Tier::available(), modes: vec![Mode::Nodes, Mode::Fallback] }
    }

    /// The best tier and the default lowering, as a fuzzer mostly runs.
    pub fn fast() -> Engines {
        Engines { tiers: vec![Tier::best()], modes: vec![Mode::Auto] }
    }
}

pub(super) fn check<I: Isa>(case: &Case) -> Verdict {
    execution_with::<I>(case, &Engines::all())
}

/// Compares the reference with the given engines.
pub fn execution_with<I: Isa>(case: &Case, engines: &Engines) -> Verdict {
    let resolved = match case.resolve::<I>() {
        Ok(resolved) => resolved,
        Err(error) => return Verdict::Skipped(Skip::Unresolved(error)),
    };
    let cx = resolved.context();
    let mut expected: Option<Outcome> = None;
    let mut statistics = None;
    let mut left_out = Statistics::default();
    for &mode in &engines.modes {
        if mode == Mode::Fallback && !I::has_fallback(&cx) {
            left_out.no_fallback += 1;
            continue;
        }
        let program = match lower(&cx, mode) {
            Ok(program) => program,
            Err(LowerError::Illegal(violation)) => return Verdict::Skipped(Skip::Illegal(violation)),
            Err(LowerError::NoEntry) => return Verdict::Skipped(Skip::NoLaneFinished),
            // The other kind of lowering has no such limit.
            Err(LowerError::TooManyNodes) => {
                left_out.too_many += 1;
                continue;
            }
            Err(error @ LowerError::Internal { .. }) => {
                return Verdict::Fails(Failure::new("lowering", error.to_string()));
            }
        };
        let expected = expected.get_or_insert_with(|| reference_with::<I, false>(&cx, &resolved.env));
        for (tier, run) in Executor::default().run_on(&engines.tiers, cx.entry, &program, &resolved.env) {
            #[cfg(debug_assertions)]
            let run = {
                let mut run = run;
                super::planted::spoil(&|| format!("executor ({tier}, {mode:?})"), &mut run);
                run
            };
            match compare(cx.entry, expected, &run) {
                Ok(s) => statistics = statistics.or(Some(s)),
                Err(difference) => {
                    let between = format!("reference / executor ({tier}, {mode:?})");
                    return Verdict::Fails(Failure::runs::<I>(cx.entry, between, *difference));
                }
            }
        }
    }
    match (expected, statistics) {
        (Some(expected), Some(_)) if expected.lanes.iter().all(|l| l.end != End::Finished) => {
            Verdict::Skipped(Skip::NoLaneFinished)
        }
        (Some(_), Some(statistics)) if statistics.components == 0 => Verdict::Skipped(Skip::NothingCompared),
        (Some(_), Some(statistics)) => Verdict::Holds(Statistics {
            no_fallback: left_out.no_fallback,
            too_many: left_out.too_many,
            ..statistics
        }),
        // No lowering accepts it. A program with too many calls for lowering runs out of fuel, which the reference shows.
        (None, _) if left_out != Statistics::default() => {
            let run = reference_with::<I, false>(&cx, &resolved.env);
            let finishes = run.lanes.iter().any(|lane| lane.end == End::Finished);
            Verdict::Skipped(if finishes { Skip::TooLarge } else { Skip::NoLaneFinished })
        }
        _ => Verdict::Skipped(Skip::NoLaneFinished),
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
    fn a_way_of_lowering_that_is_left_out_is_counted() {
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
        panic!("programs with and without a fallback, of which were seen: {seen:?}");
    }
}
