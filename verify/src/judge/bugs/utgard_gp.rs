//! The changes to Utgard GP programs that are implemented as functions. Each re-enacts how a published bug misreads a program.

use super::change::Misread;
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::utgard_gp::program::{Acc, Load, Word};
use lockstep_core::isa::utgard_gp::source::{IDENTITY, is_used};

impl Misread for UtgardGp {
    const CHANGES: &'static [(&'static str, super::change::Coded<UtgardGp>)] = &[
        ("sums with minus zero as moves", |program, _| program.words.iter_mut().for_each(show_as_move)),
        ("moves add zero", |program, _| {
            for word in &mut program.words {
                let op = word.acc_op;
                for acc in word.acc.iter_mut().filter(|acc| acc.is_move(op)) {
                    acc.neg_b = 0;
                }
            }
        }),
        ("address register 3 as 1", |program, _| {
            for word in program.words.iter_mut().filter(|word| word.load.offset == 3) {
                word.load.offset = 1;
            }
        }),
        ("no address register", |program, _| {
            for word in program.words.iter_mut().filter(|word| word.load.register().is_some()) {
                word.load.offset = Load::NO_OFFSET;
            }
        }),
        ("branch targets without inversion", |program, _| {
            for word in program.words.iter_mut().filter(|word| word.branch != 0) {
                word.branch_target_lo ^= 1;
            }
        }),
        ("port 1 without its lowest bit", |program, _| {
            for word in &mut program.words {
                word.port1 &= !1;
            }
        }),
        ("one address for both stores", |program, _| {
            for word in &mut program.words {
                let [first, second] = &mut word.store;
                if first.stores_any() && second.stores_any() && [first.temporary, second.temporary] == [0; 2]
                {
                    (second.address, second.varying) = (first.address, first.varying);
                }
            }
        }),
    ];
}

/// Replaces the operation of both adders by an addition, which is then a move, if every adder in use has the negated identity as second operand.
fn show_as_move(word: &mut Word) {
    let looks_like_move = |acc: &Acc| !is_used(acc.a) || acc.b == IDENTITY && acc.neg_b == 1;
    if word.acc.iter().all(looks_like_move) {
        word.acc_op = 0;
    }
}
