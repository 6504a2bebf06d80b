//! Reference and executor agree.

use super::{Failure, Skip, Verdict};
use crate::case::Case;
use crate::engine::{Executor, Outcome, Tier, compare, reference_with};
use lockstep_core::ir::{LowerError, Mode};
use lockstep_core::isa::{End, Isa, lower};

/// How wide the net is cast.
#[derive(Clone, Debug)]
pub struct Engines {
    /// Executor tiers.
    pub tiers: Vec<Tier>,
    /// Ways of lowering.
    pub modes: Vec<Mode>,
}

impl Engines {
    /// Every tier of this machine and both ways of lowering.
    pub fn all() -> Engines {
        Engines { tiers: Tier::available(), modes: vec![Mode::Nodes, Mode::Fallback] }
    }

    /// The best tier and the ordinary way of lowering: what a fuzzer runs most of the time.
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
    for &mode in &engines.modes {
        if mode == Mode::Fallback && !I::fallback_is_exact(&cx) {
            continue;
        }
        let program = match lower(&cx, mode) {
            Ok(program) => program,
            Err(LowerError::Illegal(violation)) => return Verdict::Skipped(Skip::Illegal(violation)),
            Err(LowerError::NoEntry) => return Verdict::Skipped(Skip::NoLaneFinished),
            // The other way of lowering has no such limit.
            Err(LowerError::TooManyNodes) => continue,
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
        (Some(_), Some(statistics)) if statistics.components == 0 => Verdict::Skipped(Skip::NothingCompared),
        (Some(expected), Some(statistics)) if expected.lanes.iter().any(|l| l.end == End::Finished) => {
            Verdict::Holds(statistics)
        }
        _ => Verdict::Skipped(Skip::NoLaneFinished),
    }
}
