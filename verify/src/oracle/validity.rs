//! The validity oracle: validator and lowering agree on which programs can be run, the lowered IR verifies, and the validator reports what is undefined
//! ([`undefined`]).

use super::{Failure, Skip, Verdict, undefined};
use crate::case::Case;
use crate::engine::Statistics;
use lockstep_core::ir::{Program, verify};
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::{LowerError, Mode};
use lockstep_core::isa::{Isa, Level, Violation, lower};

pub(super) fn check<I: Isa>(case: &Case) -> Verdict {
    let resolved = match case.resolve::<I>() {
        Ok(resolved) => resolved,
        Err(error) => return Verdict::Skipped(Skip::Unresolved(error)),
    };
    let cx = resolved.context();
    let violations = I::validate(&cx);
    let undefined =
        violations.iter().all(|v| v.level != Level::Error).then(|| undefined::check(&resolved, &violations));
    if let Some(failure) = undefined.flatten() {
        return Verdict::Fails(failure);
    }
    // A legal program must lower even without the validity check that precedes the lowering.
    check_agreement(I::instruction_count(&cx), violations, &|mode, legal| {
        if legal { lowering::lower_validated(&cx, mode) } else { lower(&cx, mode) }
    })
}

/// Checks whether validator and lowering agree on a program of `words` instructions. `lower` receives whether the validator considers the program
/// legal.
fn check_agreement(
    words: u32,
    violations: Vec<Violation>,
    lower: &dyn Fn(Mode, bool) -> Result<Program, LowerError>,
) -> Verdict {
    if let Some(wild) = violations.iter().find(|v| v.word.is_some_and(|w| w >= words)) {
        let message = format!("a violation past the last instruction: {wild}");
        return Verdict::Fails(Failure::new("validate", message));
    }
    let illegal = violations.into_iter().find(|v| v.level == Level::Error);
    for mode in [Mode::Nodes, Mode::Fallback] {
        match (lower(mode, illegal.is_none()), &illegal) {
            (Err(LowerError::TooManyNodes), None) if mode == Mode::Nodes => {}
            // A program without instructions has no entry; not every instruction set has a rule against that.
            (Err(LowerError::NoEntry), None) if words == 0 => {}
            (Ok(program), None) => {
                if let Err(error) = verify(&program) {
                    let between = format!("lowering ({mode:?}) / verifier");
                    return Verdict::Fails(Failure::new(between, error.to_string()));
                }
            }
            (Err(LowerError::Illegal(a)), Some(b)) if a == *b => {}
            (Ok(_), Some(violation)) => {
                let message = format!("the program is lowered although it is illegal: {violation}");
                let failure = Failure::new("validator / lowering", message);
                return Verdict::Fails(Failure { word: violation.word, ..failure });
            }
            (Err(error), _) => {
                let word = match &error {
                    LowerError::Illegal(violation) => violation.word,
                    _ => None,
                };
                let message = format!("refused for a reason that the validator does not report: {error}");
                let failure = Failure::new("validator / lowering", message);
                return Verdict::Fails(Failure { word, ..failure });
            }
        }
    }
    match illegal {
        Some(violation) => Verdict::Skipped(Skip::Illegal(violation)),
        None => Verdict::Holds(Statistics { components: u64::from(words), ..Statistics::default() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::ir::{BlockId, Builder, Terminator};

    fn violation(level: Level, word: Option<u32>) -> Violation {
        Violation { code: 1, level, word, message: "wrong".to_owned(), source: "here" }
    }

    fn lowered() -> Program {
        let mut b = Builder::new(1);
        b.end_block(0, Terminator::Return);
        b.finish(BlockId(0))
    }

    /// Returns IR that jumps to a block that does not exist.
    fn wrongly_lowered() -> Program {
        let mut program = lowered();
        program.blocks[0].terminator = Terminator::Jump(BlockId(9));
        program
    }

    #[test]
    fn disagreements_of_validator_and_lowering_are_failures() {
        let error = || violation(Level::Error, Some(0));
        let (program, broken) = (|| Ok(lowered()), || Ok(wrongly_lowered()));
        let refused = || Err(LowerError::Illegal(error()));
        let other = || Err(LowerError::Illegal(Violation { code: 2, ..error() }));
        let both = |made: &dyn Fn() -> Result<Program, LowerError>, words, violations| {
            check_agreement(words, violations, &|_, _| made())
        };
        let fails = |verdict: Verdict| matches!(verdict, Verdict::Fails(_));
        let holds = |verdict: Verdict| matches!(verdict, Verdict::Holds(s) if s.components > 0);
        assert!(
            holds(both(&program, 2, vec![]))
                && holds(both(&program, 2, vec![violation(Level::Warning, Some(1))]))
        );
        assert!(matches!(both(&refused, 2, vec![error()]), Verdict::Skipped(Skip::Illegal(_))));
        // The four disagreements: lowered though illegal, rejected though legal, rejected for another reason, lowered to IR that does not verify.
        assert!(fails(both(&program, 2, vec![error()])) && fails(both(&refused, 2, vec![])));
        assert!(fails(both(&other, 2, vec![error()])) && fails(both(&broken, 2, vec![])));
        let node_limit = || Err(LowerError::TooManyNodes);
        assert!(fails(both(&node_limit, 2, vec![])), "the fallback has no such limit");
        let in_one_way =
            |odd: Mode| check_agreement(2, vec![], &|mode, _| if mode == odd { broken() } else { program() });
        assert!(fails(in_one_way(Mode::Nodes)) && fails(in_one_way(Mode::Fallback)));
        // An empty program has nothing to lower, so this error is right only for an empty program.
        let none = || Err(LowerError::NoEntry);
        assert!(!fails(both(&none, 0, vec![])) && fails(both(&none, 1, vec![])));
        // The last instruction is within the program, the one after it is not.
        for (word, is_there) in [(0, true), (1, true), (2, false), (u32::MAX, false)] {
            let verdict = both(&program, 2, vec![violation(Level::Warning, Some(word))]);
            assert_eq!(fails(verdict), !is_there, "word {word} of 2");
        }
    }
}
