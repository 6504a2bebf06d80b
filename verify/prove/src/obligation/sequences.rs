//! Sequences of machine instructions: compares the result of the sequence for each kernel with the kernel's meaning.
//!
//! Kernels of several operands are proved on terms. Kernels of one operand are run on values: on some values here, and on all values in
//! `exhaust_sequences`. For a kernel that is composed of other kernels, only the list of its steps is compared with the kernel's meaning.

use super::{Kind, MutantStatus, Obligation, ObligationSpan, Task, mutant_status};
use crate::claims::{ClaimBuilder, Claims};
use crate::number::show;
use crate::term::{B, F, I, Node, Term, Terms, Ty};
use crate::verdict::{Counterexample, Verdict};
use lockstep_core::exec::Kernel;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::value::{Domain, FUn};
use lockstep_validate::numbers::{OperandForm, agrees, one_operand_kernels, operand_forms};
use lockstep_validate::sequence::{Vector, composed, meaning, operand_types, sequence};
use lockstep_validate::word::{Word, Words, float, int, truth};

impl Words for Terms {
    fn raw(&self, a: &F) -> I {
        let mut arena = self.arena_mut();
        let raw = arena.function("raw");
        I(arena.intern(Node::Apply(Ty::I, raw, [a.0].into_iter().collect())))
    }
}

pub(super) fn tasks() -> Vec<Task> {
    let mut all = Vec::new();
    for vector in Vector::ALL {
        let task = |kernel: String, run: Box<dyn Fn(&str, &[u32]) -> Obligation + Send + Sync>| {
            let name = format!("{} sequence {kernel} {vector:?}", Kind::Kernel.name());
            Task::new(name.clone(), move |boundaries| vec![run(&name, boundaries)])
        };
        let several = |kernel: &&Kernel| operand_types(**kernel).iter().any(|types| types.len() > 1);
        all.extend(Kernel::ALL.iter().filter(several).map(|kernel| {
            task(format!("{kernel:?}"), Box::new(move |name, b| prove_sequence(name, *kernel, vector, b)))
        }));
        all.extend(one_operand_kernels().into_iter().map(|(kernel, form)| {
            let run = move |name: &str, b: &[u32]| test_sequence(name, kernel, form, vector, b);
            task(format!("{kernel:?} {form:?}"), Box::new(run))
        }));
    }
    all
}

fn prove_sequence(name: &str, kernel: Kernel, vector: Vector, boundaries: &[u32]) -> Obligation {
    let span = ObligationSpan::begin(Kind::Kernel, name);
    let obligation = Obligation::new(Kind::Kernel, name.to_owned(), claims(kernel, vector, false));
    let wrong = mutant_status(claims(kernel, vector, true), false, boundaries);
    span.end(obligation.with_mutant("the opposite meaning", wrong))
}

/// Claims that the sequence computes the kernel's meaning, in whatever form the operands are held; with `opposite`, that it computes the meaning's
/// opposite.
fn claims(kernel: Kernel, vector: Vector, opposite: bool) -> Claims {
    let d = Terms::default();
    let mut claims = ClaimBuilder::default();
    for ways in operand_types(kernel).iter().map(|types| operand_forms(types)) {
        for forms in ways {
            let what = format!("the result for {forms:?}");
            match sides(&d, kernel, vector, &forms, opposite) {
                Some((left, right)) => claims.claim_equal(&d, || what, left, right),
                None => claims.record_missing(|| what),
            }
        }
    }
    claims.claims(&d)
}

/// Returns the result of the sequence and the result that the kernel defines, as one type.
fn sides(
    d: &Terms,
    kernel: Kernel,
    vector: Vector,
    forms: &[OperandForm],
    opposite: bool,
) -> Option<(Term, Term)> {
    let word = |(k, form): (usize, &OperandForm)| -> Word<Terms> {
        match form {
            OperandForm::Word => Scalar::I(d.unknown_i(&format!("x{k}"))),
            OperandForm::Float => Scalar::F(d.unknown_f(&format!("x{k}"))),
            OperandForm::Truth => Scalar::B(d.unknown_b(&format!("x{k}"))),
        }
    };
    let words: Vec<Word<Terms>> = forms.iter().enumerate().map(word).collect();
    let found = match kernel.rounded() {
        // Each step is proved as a kernel of its own, in whatever form its operands are held.
        Some(_) => composed(kernel, &words, &|step, x| meaning(d, step, x))?,
        None => sequence(d, vector, kernel, &words)?,
    };
    Some(match meaning(d, kernel, &words)? {
        Scalar::F(F(expected)) => {
            let expected = if opposite { d.un(FUn::Neg, &F(expected)).0 } else { expected };
            (float(d, &found).0, expected)
        }
        Scalar::I(expected) => {
            let other = d.ibin(lockstep_core::value::IBin::Xor, &expected, &d.i(1));
            (int(d, &found).0, if opposite { other.0 } else { expected.0 })
        }
        Scalar::B(B(expected)) => {
            let expected = if opposite { d.not(&B(expected)).0 } else { expected };
            (truth(d, &found)?.0, expected)
        }
    })
}

/// The step between the numbers, as bits, that a sequence is tried on: odd, so that all values of the low bits occur.
const STRIDE: usize = 65_521;

fn test_sequence(
    name: &str,
    kernel: Kernel,
    form: OperandForm,
    vector: Vector,
    boundaries: &[u32],
) -> Obligation {
    let span = ObligationSpan::begin(Kind::Kernel, name);
    let numbers = || (0..=u32::MAX).step_by(STRIDE).chain(boundaries.iter().copied());
    let holds =
        |kernel: Kernel, bits: u32| agrees(kernel, vector, std::iter::once((form, bits))).unwrap_or_default();
    let verdict = match numbers().find(|bits| !holds(kernel, *bits)) {
        Some(bits) => Verdict::Refuted(Box::new(Counterexample {
            what: name.to_owned(),
            inputs: vec![("x".to_owned(), show(Ty::F, bits))],
            path: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
        })),
        None => Verdict::Tested { values: numbers().count() as u64 },
    };
    let obligation = Obligation::settled(Kind::Kernel, name.to_owned(), verdict);
    let noticed = numbers().any(|bits| differs(kernel, form, vector, bits));
    let wrong = if noticed { MutantStatus::Refuted } else { MutantStatus::Equivalent };
    span.end(obligation.with_mutant("the sequence of another kernel", wrong))
}

/// Whether the sequence of another kernel gives a result that differs from this kernel's meaning.
fn differs(kernel: Kernel, form: OperandForm, vector: Vector, bits: u32) -> bool {
    let other = if kernel == Kernel::Neg { Kernel::Abs } else { Kernel::Neg };
    let d = lockstep_validate::numbers::NumberDomain::default();
    let word = match form {
        OperandForm::Float => Scalar::F(f32::from_bits(bits)),
        // The other kernel operates on bits.
        OperandForm::Word | OperandForm::Truth => Scalar::I(d.i(bits as i32)),
    };
    let words = [word];
    match (sequence(&d, vector, other, &words), meaning(&d, kernel, &words)) {
        (Some(found), Some(Scalar::F(expected))) => !lockstep_core::value::same(float(&d, &found), expected),
        (Some(found), Some(expected)) => int(&d, &found).value() != int(&d, &expected).value(),
        _ => false,
    }
}
