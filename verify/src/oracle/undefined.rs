//! Part of the validity oracle: no result depends on an undefined value, unless the program breaks a rule that leaves values undefined.
//!
//! A validator finds reads of unwritten registers by an analysis of all paths. Here the reference, which does not use that analysis, shows whether
//! such a read affects a result. The claim is made for instruction sets whose rules cover paths: [`Legality::finds_unwritten_paths`].

use super::Failure;
use crate::case::Resolved;
use crate::engine::undefined_dependence;
#[cfg(doc)]
use lockstep_core::isa::Legality;
use lockstep_core::isa::{Isa, Violation};

/// Returns a failure if a result depends on an undefined value, although no violation is of a rule that leaves values undefined.
pub(super) fn check<I: Isa>(resolved: &Resolved<I>, violations: &[Violation]) -> Option<Failure> {
    if !I::finds_unwritten_paths() || violations.iter().any(|violation| I::leaves_undefined(violation.code)) {
        return None;
    }
    let difference = undefined_dependence(resolved)?;
    let between =
        "initial registers of zero / of other values, although no rule says that a value is undefined";
    Some(Failure::runs::<I>(&resolved.entry, between, difference))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::pica200::Pica200;

    /// Whether the claim fails with the violations that the validator finds, and with none.
    fn fails<I: Isa>(text: &str) -> [bool; 2] {
        let program = I::assemble(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let lanes = vec![LaneInput { slots: vec![[1.0; 4]; 16] }];
        let case = Case::new::<I>(&program, Environment { lanes, fuel: 8, ..Environment::default() });
        let resolved = case.resolve::<I>().expect("a case");
        let found = I::validate(&resolved.context());
        [&found[..], &[]].map(|violations| check(&resolved, violations).is_some())
    }

    #[test]
    fn a_read_that_the_validator_overlooks_is_a_failure() {
        let pica = |inside: &str| {
            fails::<Pica200>(&format!(
                ".in p v0\n.out o position o0\n.proc main\n{inside}\nmov o0, r0\nend\n.end\n"
            ))
        };
        assert_eq!(pica("mov r0, v0"), [false, false]);
        assert_eq!(pica("mov r0.xyz, v0"), [false, true]);
        assert_eq!(pica("ifu b0\nmov r1, v0\n.else\nmov r0, v0\n.end"), [false, false], "b0 is false");
        assert_eq!(pica("ifu b0\nmov r0, v0\n.end"), [false, true]);
        // Flash's validator asks only whether any earlier instruction writes the register.
        assert_eq!(
            fails::<Agal>("version 2 vertex\nife va0.x, vc0.x\nmov vt0, va0\neif\nmov op, vt0\n"),
            [false, false]
        );
    }
}
