//! Obligations about the equalities on which other proofs rely: rewrite rules, and axioms about `exp2`, `sin` and `cos`.

use super::{Kind, MutantStatus, Obligation, ObligationSpan, Task, mutant_status};
use crate::claims::{ClaimBuilder, Claims};
use crate::goal::Goal;
use crate::host::{term, unknown};
use crate::number::{search, show};
use crate::sabotage::{self, Sabotage};
use crate::term::axiom::{AXIOMS, Axiom, AxiomPredicate};
use crate::term::{Path, Terms, Ty};
use crate::verdict::{Counterexample, Verdict};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::rewrite::{Rule, rules};
use lockstep_core::value::Domain;
use rayon::prelude::*;

pub(super) fn tasks() -> Vec<Task> {
    let mut all = axioms();
    all.extend(rules().iter().map(|rule| {
        let name = format!("{} {}", Kind::RewriteRule.name(), rule.name);
        Task::new(name.clone(), move |boundaries| vec![rewrite_rule(&name, rule, boundaries)])
    }));
    all
}

/// The number of draws tried to find operands that satisfy a guard.
const GUARD_DRAWS: u64 = 200_000;

fn rewrite_rule(name: &str, rule: &Rule, boundaries: &[u32]) -> Obligation {
    let span = ObligationSpan::begin(Kind::RewriteRule, name);
    let (claims, guard) = sides(rule);
    let mut obligation = Obligation::new(Kind::RewriteRule, name.to_owned(), claims);
    // A guard that is never satisfied would make any rule hold.
    let mut values = Vec::new();
    let satisfied = guard.is_none_or(|goal| search(&goal, boundaries, 0..GUARD_DRAWS, &mut values));
    if !satisfied {
        let reason = "no operands were found that satisfy the guard".to_owned();
        return Obligation::settled(Kind::RewriteRule, name.to_owned(), Verdict::Unknown { reason });
    }
    for (what, mutant) in rule.mutants() {
        obligation.mutants.push((what, mutant_status(sides(&mutant).0, false, boundaries)));
    }
    span.end(obligation)
}

/// Returns the claim of a rule and, if the rule has a guard, a goal that evaluation refutes exactly if the guard holds.
fn sides(rule: &Rule) -> (Claims, Option<Goal>) {
    let d = Terms::default();
    let operands: Vec<Scalar<Terms>> = rule
        .operands
        .iter()
        .enumerate()
        .map(|(k, o)| unknown(&d, o.ty, ["x", "y", "z", "w"][k & 3]))
        .collect();
    let guard = rule.guard.eval(&d, &operands).0;
    let mut path = Path::default();
    let truth = d.b(true).0;
    if guard != truth {
        path.assume(guard);
    }
    d.set_path(path);
    let (left, right) = (term(&rule.lhs.eval(&d, &operands)), term(&rule.rhs.eval(&d, &operands)));
    let mut claims = ClaimBuilder::default();
    claims.claim_holds(&d, || "the types of the sides".to_owned(), left.0 == right.0);
    if left.0 == right.0 && !sabotage::is(Sabotage::RuleLost) {
        claims.claim_equal(&d, || rule.name.clone(), left.1, right.1);
    }
    let never = d.b(false).0;
    let guard = (guard != truth).then(|| Goal::new(&d.arena(), guard, never).0);
    (claims.claims(&d), guard)
}

fn axioms() -> Vec<Task> {
    AXIOMS
        .iter()
        .map(|axiom| {
            let name = format!("{} {}", Kind::Axiom.name(), axiom.name);
            Task::new(name.clone(), move |boundaries| match axiom.holds() {
                Ok(holds) => vec![test_axiom(&name, &holds, axiom.wrong().ok().as_deref(), boundaries)],
                Err(reason) => {
                    vec![Obligation::settled(Kind::Axiom, name.clone(), Verdict::Unknown { reason })]
                }
            })
        })
        .collect()
}

/// Tests every axiom on all 2^32 floats. Returns each axiom's name with the bits of the first number that refutes it, if there is one.
///
/// # Errors
/// If an axiom cannot be evaluated.
pub fn exhaust_axioms() -> Result<Vec<(&'static str, Option<u32>)>, String> {
    // The closure that evaluates an axiom is not shared between threads, so each part makes its own.
    const PARTS: u64 = 1 << 6;
    let parts: Vec<(&Axiom, u64)> =
        AXIOMS.iter().flat_map(|axiom| (0..PARTS).map(move |part| (axiom, part))).collect();
    let refuting = |(axiom, part): &(&Axiom, u64)| -> Result<Option<u32>, String> {
        let holds = axiom.holds()?;
        let size = (1u64 << 32) / PARTS;
        let mut numbers = (part * size..(part + 1) * size).map(|bits| bits as u32);
        Ok(numbers.find(|bits| !holds(f32::from_bits(*bits))))
    };
    let found = parts.par_iter().map(refuting).collect::<Result<Vec<Option<u32>>, String>>()?;
    let parts = found.chunks(PARTS as usize);
    Ok(AXIOMS
        .iter()
        .zip(parts)
        .map(|(axiom, found)| (axiom.name, found.iter().flatten().next().copied()))
        .collect())
}

/// The step between the numbers, as bits, on which an axiom is tested: odd, so that all values of the low bits occur.
const STRIDE: usize = 4099;

/// Returns the numbers on which an axiom is tested.
fn numbers(boundaries: &[u32]) -> impl Iterator<Item = u32> {
    (0..=u32::MAX).step_by(STRIDE).chain(boundaries.iter().copied())
}

fn test_axiom(
    name: &str,
    holds: &AxiomPredicate,
    wrong: Option<&dyn Fn(f32) -> bool>,
    boundaries: &[u32],
) -> Obligation {
    let span = ObligationSpan::begin(Kind::Axiom, name);
    let refutes =
        |holds: &dyn Fn(f32) -> bool| numbers(boundaries).find(|bits| !holds(f32::from_bits(*bits)));
    let verdict = match refutes(holds) {
        Some(bits) => Verdict::Refuted(Box::new(Counterexample {
            what: name.to_owned(),
            inputs: vec![("x".to_owned(), show(Ty::F, bits))],
            path: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
        })),
        None => Verdict::Tested { values: numbers(boundaries).count() as u64 },
    };
    let obligation = Obligation::settled(Kind::Axiom, name.to_owned(), verdict);
    let mutant_status = match wrong {
        Some(wrong) if refutes(wrong).is_some() => MutantStatus::Refuted,
        _ => MutantStatus::Equivalent,
    };
    span.end(obligation.with_mutant("a wrong version of the axiom", mutant_status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::ir::rewrite::Term;
    use lockstep_core::ir::{self, Op};
    use lockstep_core::value::FCmp;

    /// Under a guard that nothing satisfies, even `abs x = x` holds.
    #[test]
    fn a_rule_whose_guard_no_operands_satisfy_is_not_proved() {
        let x = || Term::Operand(0);
        let abs = || Term::Op(Op::Un(lockstep_core::value::FUn::Abs), vec![x()]);
        let verdict = |guard: Term| {
            let rule = Rule::new("test", "not at all", [ir::Ty::F32], abs(), x()).literals([0], Some(guard));
            rewrite_rule("test", &rule, &crate::number::boundaries()).settled
        };
        // No number is less than itself.
        let never = verdict(Term::Op(Op::Cmp(FCmp::Lt), vec![x(), x()]));
        assert!(matches!(never, Some(Verdict::Unknown { .. })), "{never:?}");
        // Some numbers are equal to their magnitudes. The claim that the rule then holds is open.
        assert_eq!(verdict(Term::Op(Op::Cmp(FCmp::Eq), vec![x(), abs()])), None);
    }
}
