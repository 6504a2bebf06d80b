//! Context programs: for each opcode, a small program that contains the opcode.

use super::branches::attribute_store;
use super::feed::{attribute, bare, stores};
use super::functions::function;
use super::units::{BRANCH, STORE};
use crate::isa::facet::{Site, Sited};
use crate::isa::utgard_gp::facts::Facts;
use crate::isa::utgard_gp::opcode::{Op, Row, TABLE, Unit};
use crate::isa::utgard_gp::program::{Acc, Mul, Program, Word};
use crate::isa::utgard_gp::source::{IDENTITY, ResultOf, Source, UNUSED};
use crate::isa::utgard_gp::vocabulary::{self as names, Mark, StoreKind};

/// Operand codes of the load port's components x, y and z.
const LOAD: [u8; 3] =
    [Source::Load(0).known_code(), Source::Load(1).known_code(), Source::Load(2).known_code()];

/// Returns the context program of an opcode. A single operand is read from the attribute. Several operands are read from the load port, so that read
/// port 0 is free for facets that change one of them. The result of an operation of one word, if it has one, is stored to varying 0.
pub(super) fn program(opcode: &'static str) -> Option<Sited<Program>> {
    let (words, word, unit) = match TABLE.iter().find(|row| row.qualified == opcode) {
        Some(row) => unit_context(row),
        None => store_or_branch_context(opcode)?,
    };
    let program = Program { words, tail: Vec::new(), facts: Facts::default() };
    Some((program, Site { word, unit }))
}

fn unit_context(row: &Row) -> (Vec<Word>, u32, u8) {
    let mut word = attribute(bare());
    let of = match row.unit {
        Unit::Acc => {
            let one = !row.op.reads_second();
            let (a, b) = if one { (0, UNUSED) } else { (LOAD[0], LOAD[1]) };
            (word.acc_op, word.acc[0]) = (row.number, Acc { a, b, neg_a: 0, neg_b: 0 });
            ResultOf::Acc0
        }
        Unit::Mul => {
            let f = match row.op {
                Op::Complex1 => return (function(Op::Rcp), 1, ResultOf::Mul0 as u8),
                Op::Complex2 => return (function(Op::Rcp), 0, ResultOf::Mul0 as u8),
                _ => row.number,
            };
            (word.mul_op, word.mul[0]) = (f, Mul { a: LOAD[0], b: LOAD[1], neg: 0 });
            if row.op == Op::Select {
                word.mul[1].a = LOAD[2];
            }
            ResultOf::Mul0
        }
        Unit::Complex => {
            match row.op {
                Op::Exp2 => return (function(row.op), 1, ResultOf::Complex as u8),
                Op::Log2 | Op::Rsqrt | Op::Rcp => return (function(row.op), 0, ResultOf::Complex as u8),
                _ => {}
            }
            word.complex_op = row.number;
            if row.op == Op::SetAddr01 {
                word.pass_src = 0;
            } else {
                word.complex_src = 0;
            }
            ResultOf::Complex
        }
        Unit::Pass => {
            match row.op {
                Op::Preexp2 => return (function(Op::Exp2), 0, ResultOf::Pass as u8),
                Op::Postlog2 => return (function(Op::Log2), 3, ResultOf::Pass as u8),
                _ => {}
            }
            (word.pass_op, word.pass_src) = (row.number, 0);
            ResultOf::Pass
        }
    };
    if word.result_op(of).is_some() {
        stores(&mut word, 0, [Some(of), None]);
    }
    (vec![word], 0, of as u8)
}

const REGISTER: &str = StoreKind::Register.opcode();
const VARYING: &str = StoreKind::Varying.opcode();
const TEMPORARY: &str = StoreKind::Temporary.opcode();

/// Returns the program for a store or the branch: its words, the index of the word with the site, and the site's unit.
fn store_or_branch_context(opcode: &str) -> Option<(Vec<Word>, u32, u8)> {
    let mut word = attribute_store(0);
    match opcode {
        VARYING => Some((vec![word], 0, STORE)),
        REGISTER => {
            (word.store[0].varying, word.store[0].address) = (0, 5);
            // The register is read in the first word in which the store has arrived.
            let mut read = Word { port1: 5, ..bare() };
            let code = |component| Source::Port1(component).known_code();
            read.acc = [0, 1].map(|c| Acc { a: code(c), b: IDENTITY, neg_a: 0, neg_b: 1 });
            read.mul = [2, 3].map(|c| Mul { a: code(c), b: IDENTITY, neg: 0 });
            stores(&mut read, 0, [Some(ResultOf::Acc0), Some(ResultOf::Acc1)]);
            stores(&mut read, 1, [Some(ResultOf::Mul0), Some(ResultOf::Mul1)]);
            Some((vec![word, bare(), bare(), read], 0, STORE))
        }
        TEMPORARY => {
            (word.store[0].varying, word.store[0].temporary) = (0, 1);
            word.unknown_1 = Mark::Temporary as u8;
            (word.complex_op, word.complex_src) = (Op::SetAddr0.number(), 3);
            Some((vec![word], 0, STORE))
        }
        names::BRANCH => {
            let mut branch = Word { pass_src: 0, ..attribute(bare()) };
            (branch.branch, branch.unknown_1) = (1, Mark::Branch as u8);
            branch.set_target(2)?;
            Some((vec![branch, attribute_store(1), attribute_store(2)], 0, BRANCH))
        }
        _ => None,
    }
}
