//! The rewriting oracle: rewriting the IR changes no outcome.

use super::{Failure, Skip, Verdict};
use crate::case::Case;
use crate::engine::{Executor, Tier, compare, evaluate};
use lockstep_core::ir::rewrite::rewrite;
use lockstep_core::ir::verify;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{End, Isa, lower};

pub(super) fn check<I: Isa>(case: &Case) -> Verdict {
    let resolved = match case.resolve::<I>() {
        Ok(resolved) => resolved,
        Err(error) => return Verdict::Skipped(Skip::Unresolved(error)),
    };
    let cx = resolved.context();
    let plain = match lower(&cx, Mode::Auto) {
        Ok(plain) => plain,
        Err(lockstep_core::isa::lowering::LowerError::Illegal(v)) => {
            return Verdict::Skipped(Skip::Illegal(v));
        }
        Err(_) => return Verdict::Skipped(Skip::NoLaneFinished),
    };
    let rewritten = rewrite(&plain);
    if let Err(error) = verify(&rewritten) {
        return Verdict::Fails(Failure::new("rewriting / verifier", error.to_string()));
    }
    let before = evaluate(cx.entry, &plain, &resolved.env);
    #[cfg_attr(not(debug_assertions), expect(unused_mut))]
    let mut after = evaluate(cx.entry, &rewritten, &resolved.env);
    #[cfg(debug_assertions)]
    super::planted::corrupt_outcome(&|| "IR after rewriting".to_owned(), &mut after);
    let statistics = match compare(cx.entry, &before, &after) {
        Ok(statistics) => statistics,
        Err(difference) => {
            return Verdict::Fails(Failure::runs::<I>(cx.entry, "IR before / after rewriting", *difference));
        }
    };
    #[cfg_attr(not(debug_assertions), expect(unused_mut))]
    let mut executed = Executor::new(Tier::best_interpreted()).run(cx.entry, &rewritten, &resolved.env);
    #[cfg(debug_assertions)]
    super::planted::corrupt_outcome(&|| "executor after rewriting".to_owned(), &mut executed);
    if let Err(difference) = compare(cx.entry, &before, &executed) {
        let between = "IR before rewriting / executor after it";
        return Verdict::Fails(Failure::runs::<I>(cx.entry, between, *difference));
    }
    if before.lanes.iter().all(|l| l.end != End::Finished) {
        return Verdict::Skipped(Skip::NoLaneFinished);
    }
    if statistics.components == 0 {
        return Verdict::Skipped(Skip::NothingCompared);
    }
    Verdict::Holds(statistics)
}
