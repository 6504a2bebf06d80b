//! False claims, which a sound prover must refute. False claims are made in the same way as all other claims. Random values almost never refute them,
//! so the solver must. They test whether conditions of paths, parts of goals and the negation in the query are handled correctly.

use super::effects::compare_effects;
use super::{Kind, Obligation, ObligationSpan, Task};
use crate::claims::ClaimBuilder;
use crate::term::{B, F, I, Terms, explore};
use crate::verdict::{ProofMeans, Verdict};
use lockstep_core::host::Effect;
use lockstep_core::value::{Domain, FBin, FUn, IBin, ICmp};

type MakeClaims = fn(&Terms, &mut ClaimBuilder);

/// The false claims, each with its name.
const ALL: [(&str, MakeClaims); 8] = [
    ("control on a path", on_a_path),
    ("control on a path answered otherwise", on_another_path),
    ("control on one of three paths", on_one_of_three),
    ("a value on the first of two paths", |d, claims| on_two(d, claims, true)),
    ("a value on the last of two paths", |d, claims| on_two(d, claims, false)),
    ("a choice of two values", choice),
    ("a difference far below", far_below),
    ("an effect on one side", effect),
];

pub(super) fn tasks() -> Vec<Task> {
    ALL.iter()
        .map(|(name, make)| {
            let name = format!("{} {name}", Kind::FalseClaim.name());
            Task::new(name.clone(), move |_| {
                let span = ObligationSpan::begin(Kind::FalseClaim, &name);
                let (d, mut claims) = (Terms::default(), ClaimBuilder::default());
                make(&d, &mut claims);
                vec![span.end(Obligation::new(Kind::FalseClaim, name.clone(), claims.claims(&d)))]
            })
        })
        .collect()
}

/// Converts the prover's verdict on a false claim to the verdict on the obligation. `settled` states whether the prover reached its verdict without
/// the solver.
pub(crate) fn verdict(verdict: Verdict, settled: bool) -> Verdict {
    let reason = match verdict {
        Verdict::Refuted(_) if settled => "evaluation refutes it, so it does not test the solver",
        Verdict::Refuted(_) => return Verdict::Proved { how: ProofMeans::Solver },
        Verdict::Unknown { .. } => return verdict,
        _ => "a false claim was proved",
    };
    Verdict::Unknown { reason: reason.to_owned() }
}

/// A square whose roots do not occur in the random draws.
const SQUARE: i32 = 123_456_789i32.wrapping_mul(123_456_789);

fn square(d: &Terms, name: &str) -> I {
    let root = d.unknown_i(name);
    d.ibin(IBin::Mul, &root, &root)
}

/// Returns a condition that holds for few values of an unknown.
fn rare_condition(d: &Terms, name: &str) -> B {
    d.icmp(ICmp::Eq, &square(d, name), &d.i(SQUARE))
}

/// Returns a condition that holds for all but few values of an unknown.
fn common_condition(d: &Terms, name: &str) -> B {
    d.icmp(ICmp::LtU, &d.i(0), &d.ibin(IBin::Xor, &square(d, name), &d.i(SQUARE)))
}

fn on_a_path(d: &Terms, claims: &mut ClaimBuilder) {
    let asked = rare_condition(d, "i");
    let explored = explore(d, 2, || {
        let holds = !d.clone().decide(&asked);
        claims.claim_holds(d, || "that it is not taken".to_owned(), holds);
    });
    claims.record_exploration(explored, 2);
}

fn on_another_path(d: &Terms, claims: &mut ClaimBuilder) {
    let asked = common_condition(d, "i");
    let explored = explore(d, 2, || {
        let holds = d.clone().decide(&asked);
        claims.claim_holds(d, || "that it is not taken".to_owned(), holds);
    });
    claims.record_exploration(explored, 2);
}

fn on_one_of_three(d: &Terms, claims: &mut ClaimBuilder) {
    let (first, second) = (rare_condition(d, "i"), common_condition(d, "j"));
    let explored = explore(d, 3, || {
        let mut d = d.clone();
        let holds = !d.decide(&first) || d.decide(&second);
        claims.claim_holds(&d, || "that it is not taken".to_owned(), holds);
    });
    claims.record_exploration(explored, 3);
}

/// Claims a value on two of three paths. The claim is false on the first of the two if `first` is true, otherwise on the second.
fn on_two(d: &Terms, claims: &mut ClaimBuilder, first: bool) {
    let (rare, x, y) = (rare_condition(d, "i"), d.unknown_f("x"), d.unknown_f("y"));
    let common = common_condition(d, "i");
    let wrong = if first { d.not(&common) } else { d.and(&common, &rare_condition(d, "j")) };
    let chosen = d.sel(&wrong, &x, &y);
    let other = d.unknown_b("whether");
    let explored = explore(d, 3, || {
        let mut d = d.clone();
        if d.decide(&rare) || d.decide(&other) {
            claims.claim_equal(&d, || "the value chosen".to_owned(), chosen.0, y.0);
        }
    });
    claims.record_exploration(explored, 3);
}

fn choice(d: &Terms, claims: &mut ClaimBuilder) {
    let (x, y) = (d.unknown_f("x"), d.unknown_f("y"));
    let chosen = d.sel(&rare_condition(d, "i"), &x, &y);
    claims.claim_equal(d, || "the value mostly chosen".to_owned(), chosen.0, y.0);
}

fn far_below(d: &Terms, claims: &mut ClaimBuilder) {
    let x = d.unknown_f("x");
    let floor = d.un(FUn::Floor, &x);
    let one_or_two = d.sel(&rare_condition(d, "i"), &d.f(1.0), &d.f(2.0));
    let left = d.bin(FBin::Add, &floor, &one_or_two);
    let right = d.bin(FBin::Add, &d.un(FUn::Floor, &floor), &d.f(2.0));
    claims.claim_equal(d, || "the sum".to_owned(), left.0, right.0);
}

fn effect(d: &Terms, claims: &mut ClaimBuilder) {
    let values: [F; 4] = std::array::from_fn(|_| d.f(0.0));
    let only = Effect { when: rare_condition(d, "i"), kind: 0, index: 0, mask: 15, values };
    compare_effects(d, 0, &[only], &[], claims);
}
