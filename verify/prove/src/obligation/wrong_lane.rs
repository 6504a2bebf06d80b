//! Whether each claim about a lane can fail: what it is about is made wrong after the lane has run, and the claim has to see that.
//!
//! A claim that compares something with itself holds of anything. So every field of a lane is given a value in turn that nothing computes, and what is
//! compared is gone through again. What there has to be a claim about is worked out from the program and from what a node's lane is made of, apart from
//! the code that compares.

use super::registers::Registers;
use crate::claims::Claiming;
use crate::host::term;
use crate::term::{Term, Terms};
use lockstep_core::ir::eval::{self, Scalar, Stop};
use lockstep_core::ir::{self, VarKey};
use lockstep_core::isa::{Entry, Isa, KILLED};

/// The number of a lane that no group has: its registers hold what nothing computes.
const NOBODY: usize = 7;

/// The ways to stop, and not to.
pub(super) const STOPS: [Option<Stop>; 4] =
    [None, Some(Stop::Finished), Some(Stop::OutOfFuel), Some(Stop::Hung)];

/// The value of a register that nothing computes.
pub(super) fn nowhere<I: Isa>(registers: &mut Registers<'_>, d: &Terms, key: VarKey) -> Term {
    term(&registers.before::<I>(d, NOBODY, key)).1
}

/// A lane in which every variable, every element of an array and the kill mark are wrong.
pub(super) fn all_wrong<I: Isa>(
    registers: &mut Registers<'_>,
    d: &Terms,
    program: &ir::Program,
    lane: &eval::Lane<Terms>,
) -> eval::Lane<Terms> {
    let mut wrong = lane.clone();
    for (value, var) in wrong.vars.iter_mut().zip(&program.vars) {
        *value = registers.before::<I>(d, NOBODY, var.key);
    }
    for (array, decl) in wrong.arrays.iter_mut().zip(&program.arrays) {
        for (k, element) in array.iter_mut().enumerate() {
            if let Scalar::F(value) = registers.before::<I>(d, NOBODY, decl.key(k)) {
                *element = value;
            }
        }
    }
    if let Scalar::B(mark) = registers.before::<I>(d, NOBODY, KILLED) {
        wrong.killed = mark;
    }
    wrong
}

/// An output of lane `l` that is wrong and no claim sees it, if one is.
pub(super) fn unseen_output<I: Isa>(
    claims: &Claiming,
    program: &ir::Program,
    entry: &Entry,
    l: usize,
    wrong: &eval::Lane<Terms>,
) -> Option<String> {
    program.outputs.iter().find_map(|(number, var)| {
        let value = term(&wrong.vars[var.0 as usize]).1;
        let name = format!("output {}.{}", I::output_name(entry, number / 4), number % 4);
        (!sees(claims, &format!("lane {l}: {name}"), Some(value))).then(|| format!("another value of {name}"))
    })
}

/// Whether a claim of this name is among those that are not settled; about `wrong` if that is given.
pub(super) fn sees(claims: &Claiming, name: &str, wrong: Option<Term>) -> bool {
    // Terms first: most claims are about others, and names are long.
    let about = |left, right| wrong.is_none_or(|wrong| left == wrong || right == wrong);
    claims.listed().iter().any(|(what, left, right)| about(*left, *right) && what == name)
}
