//! Checks that each claim about a lane can fail: the subject of the claim is corrupted after the lane has run, and the claim must detect it.
//!
//! A claim that compares something with itself always holds. So the comparison is repeated with corrupted lanes: with another end, another next block
//! or other fuel, and with a lane in which every variable and the kill mark have values that nothing computes. The set of required claims is
//! determined from the program and from the registers of a node's lane, independently of the code that makes the claims.

use super::registers::Registers;
use crate::claims::ClaimBuilder;
use crate::host::term;
use crate::term::{Term, Terms};
use lockstep_core::ir::eval::{self, Scalar, Stop};
use lockstep_core::ir::{self, VarKey};
use lockstep_core::isa::{Entry, KILLED, Syntax};

/// A lane number that no group has: its registers hold unknowns that nothing computes.
const NO_LANE: usize = 7;

/// All reasons to stop, and `None` for a lane that still runs.
pub(super) const STOPS: [Option<Stop>; 4] =
    [None, Some(Stop::Finished), Some(Stop::OutOfFuel), Some(Stop::Hung)];

/// Returns a value for a register that equals no computed value: an unknown of a lane that does not exist.
pub(super) fn unrelated_value<I: Syntax>(registers: &mut Registers<'_>, d: &Terms, key: VarKey) -> Term {
    term(&registers.before::<I>(d, NO_LANE, key)).1
}

/// Returns a copy of a lane in which every variable, every array element and the kill mark are wrong.
pub(super) fn corrupted_lane<I: Syntax>(
    registers: &mut Registers<'_>,
    d: &Terms,
    program: &ir::Program,
    lane: &eval::Lane<Terms>,
) -> eval::Lane<Terms> {
    let mut wrong = lane.clone();
    for (value, var) in wrong.vars.iter_mut().zip(&program.vars) {
        *value = registers.before::<I>(d, NO_LANE, var.key);
    }
    for (array, decl) in wrong.arrays.iter_mut().zip(&program.arrays) {
        for (k, element) in array.iter_mut().enumerate() {
            if let Scalar::F(value) = registers.before::<I>(d, NO_LANE, decl.key(k)) {
                *element = value;
            }
        }
    }
    if let Scalar::B(mark) = registers.before::<I>(d, NO_LANE, KILLED) {
        wrong.killed = mark;
    }
    wrong
}

/// Describes a corrupted output of lane `l` that no claim detects; `None` if claims detect all of them.
pub(super) fn find_undetected_output<I: Syntax>(
    claims: &ClaimBuilder,
    program: &ir::Program,
    entry: &Entry,
    l: usize,
    wrong: &eval::Lane<Terms>,
) -> Option<String> {
    program.outputs.iter().find_map(|(number, var)| {
        let value = term(&wrong.vars[var.0 as usize]).1;
        let name = format!("output {}.{}", I::output_name(entry, number / 4), number % 4);
        (!has_claim_about(claims, &format!("lane {l}: {name}"), Some(value)))
            .then(|| format!("a wrong value of {name}"))
    })
}

/// Whether an unsettled claim has this name and, if `wrong` is given, has that term as a side.
pub(super) fn has_claim_about(claims: &ClaimBuilder, name: &str, wrong: Option<Term>) -> bool {
    // Terms are compared first: most claims are about others, and comparing names is slower.
    let about = |left, right| wrong.is_none_or(|wrong| left == wrong || right == wrong);
    claims.listed().iter().any(|(what, left, right)| about(*left, *right) && what == name)
}
