//! Tests that the sequences of instructions compute their kernels' meaning.

use lockstep_core::exec::Kernel;
use lockstep_core::exec::check::boundary;
use lockstep_core::ir::Ty;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::random::Source;
use lockstep_core::value::Domain;
use lockstep_validate::numbers::{NumberDomain, OperandForm, agrees, one_operand_kernels, operand_forms};
use lockstep_validate::sequence::{Vector, operand_types};
use lockstep_validate::word::{int, select};
use std::collections::BTreeSet;

/// The step between the numbers that are tried: odd, so that all fractions occur.
const STRIDE: usize = 65_521;

#[test]
fn sequences_of_one_operand_compute_what_their_kernels_mean() {
    let all = one_operand_kernels();
    assert!(all.len() > 25, "{}", all.len());
    for (kernel, held) in all {
        let numbers = (0..=u32::MAX).step_by(STRIDE).chain(boundary());
        for (bits, vector) in numbers.flat_map(|bits| Vector::ALL.map(|vector| (bits, vector))) {
            let agrees = agrees(kernel, vector, std::iter::once((held, bits)));
            assert_eq!(agrees, Some(true), "{kernel:?} of {held:?} {bits:08x}, {vector:?}");
        }
    }
}

#[test]
fn sequences_of_several_operands_compute_what_their_kernels_mean() {
    let (values, mut random) = (boundary(), Source::seeded(3));
    let mut tried = 0;
    for kernel in Kernel::ALL {
        for held in operand_types(*kernel)
            .iter()
            .filter(|types| types.len() > 1)
            .flat_map(|types| operand_forms(types))
        {
            // Kernels of more operands have more combinations of forms, so each combination is tried with fewer sets of numbers.
            let sets = if held.len() == 2 { 8000 } else { 40_000 >> held.len() };
            for _ in 0..sets {
                let operands: Vec<(OperandForm, u32)> =
                    held.iter().map(|held| (*held, random.pick(&values))).collect();
                for vector in Vector::ALL {
                    let agrees = agrees(*kernel, vector, operands.iter().copied());
                    assert_eq!(agrees, Some(true), "{kernel:?} of {operands:08x?}, {vector:?}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 500_000, "{tried}");
}

#[test]
fn every_combination_of_float_forms_is_listed() {
    use OperandForm::{Float, Truth, Word};
    let all: BTreeSet<Vec<OperandForm>> =
        operand_forms(&[Ty::F32, Ty::I32, Ty::F32, Ty::Bool]).into_iter().collect();
    let pairs = [[Word, Word], [Word, Float], [Float, Word], [Float, Float]];
    assert_eq!(all, pairs.map(|[a, b]| vec![a, Word, b, Truth]).into());
}

/// A select between a float and a literal is a select of bits: a NaN keeps its own, which differ from those of other NaNs.
#[test]
fn a_literal_nan_that_is_selected_keeps_its_bits() {
    let (d, bits) = (NumberDomain::default(), 0x7fc0_1234);
    let computed = |truth: bool| d.not(&d.b(!truth));
    let (float, nan) = (Scalar::F(1.0), Scalar::I(d.i(bits)));
    let selected = |truth, yes, no| int(&d, &select(&d, &computed(truth), yes, no)).value();
    assert_eq!(selected(false, &float, &nan), bits);
    assert_eq!(selected(true, &nan, &float), bits);
    assert_eq!(selected(true, &float, &nan), 1f32.to_bits() as i32);
}
