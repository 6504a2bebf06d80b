//! Validator and lowering agree on what can be run, and what is lowered verifies.

use super::{Failure, Skip, Verdict};
use crate::case::Case;
use crate::engine::Statistics;
use lockstep_core::ir::{self, LowerError, Mode, verify};
use lockstep_core::isa::{Isa, Level, lower};

pub(super) fn check<I: Isa>(case: &Case) -> Verdict {
    let resolved = match case.resolve::<I>() {
        Ok(resolved) => resolved,
        Err(error) => return Verdict::Skipped(Skip::Unresolved(error)),
    };
    let cx = resolved.context();
    let violations = I::validate(&cx);
    let words = I::words(&cx);
    if let Some(wild) = violations.iter().find(|v| v.word.is_some_and(|w| w >= words)) {
        return Verdict::Fails(Failure::new(
            "validate",
            format!("a violation behind the last instruction: {wild}"),
        ));
    }
    let illegal = violations.into_iter().find(|v| v.level == Level::Error);
    for mode in [Mode::Nodes, Mode::Fallback] {
        // What is legal must lower whatever the gate in front of the lowering says of it.
        let lowered = if illegal.is_some() { lower(&cx, mode) } else { ir::lower(&cx, mode) };
        match (lowered, &illegal) {
            (Err(LowerError::TooManyNodes), None) if mode == Mode::Nodes => {}
            // Where no rule asks for an instruction there may be none.
            (Err(LowerError::NoEntry), None) if words == 0 => {}
            (Ok(program), None) => {
                if let Err(error) = verify(&program) {
                    let between = format!("lowering ({mode:?}) / verifier");
                    return Verdict::Fails(Failure::new(between, error.to_string()));
                }
            }
            (Err(LowerError::Illegal(a)), Some(b)) if a == *b => {}
            (Ok(_), Some(violation)) => {
                let message = format!("lowered although it is illegal: {violation}");
                return Verdict::Fails(Failure::new("validator / lowering", message));
            }
            (Err(error), _) => {
                let message = format!("refused although it is legal: {error}");
                return Verdict::Fails(Failure::new("validator / lowering", message));
            }
        }
    }
    match illegal {
        Some(violation) => Verdict::Skipped(Skip::Illegal(violation)),
        None => Verdict::Holds(Statistics { components: u64::from(words), ..Statistics::default() }),
    }
}
