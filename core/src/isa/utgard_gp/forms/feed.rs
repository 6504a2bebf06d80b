//! Operands of every kind, and the words that they need before them.

use crate::isa::utgard_gp::opcode::Op;
use crate::isa::utgard_gp::program::{Acc, Load, Mul, Word};
use crate::isa::utgard_gp::source::{IDENTITY, ResultOf, Source};

/// The attribute and registers that operands come from.
pub(super) const ATTRIBUTE: u8 = 3;
pub(super) const REGISTER: [u8; 2] = [6, 9];

/// An operand.
#[derive(Clone, Debug)]
pub(super) struct Feed {
    /// What its class is called.
    pub(super) name: String,
    /// Words before.
    pub(super) before: Vec<Word>,
    pub(super) code: u8,
    /// The word that reads it, as far as its ports go.
    ports: Word,
    /// Whether it is one of the kinds that something else brings: what is read besides the word's own ports.
    pub(super) brings: bool,
}

impl Feed {
    /// The word that is to read the operand.
    pub(super) fn word(&self) -> Word {
        self.ports
    }

    /// Whether nothing is done to it before it is read.
    pub(super) fn is_plain(&self) -> bool {
        self.name == "attribute"
    }

    pub(super) fn with_offset(mut self, offset: u8) -> Feed {
        self.ports.load.offset = offset;
        self.name = format!("{} offset={offset}", self.name);
        self
    }
}

/// A word that does nothing, whose load port and port 0 are set as all forms have them.
pub(super) fn bare() -> Word {
    Word { load: Load { address: 2, offset: Load::NO_OFFSET }, ..Word::default() }
}

/// A word in which a unit moves its operand.
pub(super) fn moves(mut word: Word, of: ResultOf, code: u8) -> Word {
    match of {
        ResultOf::Acc0 | ResultOf::Acc1 => {
            word.acc[of as usize] = Acc { a: code, b: IDENTITY, neg_a: 0, neg_b: 1 };
        }
        ResultOf::Mul0 | ResultOf::Mul1 => {
            word.mul[usize::from(of == ResultOf::Mul1)] = Mul { a: code, b: IDENTITY, neg: 0 };
        }
        ResultOf::Pass => word.pass_src = code,
        ResultOf::Complex => {
            (word.complex_op, word.complex_src) = (Op::ComplexMov.row().number, code);
        }
    }
    word
}

/// A word that reads the attribute.
pub(super) fn attribute(mut word: Word) -> Word {
    (word.port0_attribute, word.port0) = (1, ATTRIBUTE);
    word
}

/// The result that a kind is of.
pub(super) fn result(kind: &str) -> Option<(ResultOf, u8)> {
    let (unit, age) = kind.split_once('.')?;
    let units = ["acc0", "acc1", "mul0", "mul1", "pass", "complex"];
    let of = ResultOf::ALL[units.iter().position(|name| *name == unit)?];
    Some((of, if age == "1" { 1 } else { 2 }))
}

/// An operand of the kind that a class is called after; of ports component `lane`. Results are moves of that component of the attribute.
pub(super) fn feed(kind: &str, lane: u8) -> Feed {
    let mut ports = bare();
    let mut before = Vec::new();
    let code = match kind {
        "attribute" => {
            ports = attribute(ports);
            lane
        }
        "register0" => {
            ports.port0 = REGISTER[0];
            lane
        }
        "attribute.1" => {
            before.push(attribute(bare()));
            28 + lane
        }
        "register0.1" => {
            before.push(Word { port0: REGISTER[0], ..bare() });
            28 + lane
        }
        "register1" => {
            ports.port1 = REGISTER[1];
            4 + lane
        }
        "load" => 12 + lane,
        "identity" => IDENTITY,
        _ => match result(kind) {
            Some((of, age)) => {
                before.push(moves(attribute(bare()), of, lane));
                before.extend((1..age).map(|_| bare()));
                Source::Result { of, age }.code().unwrap_or_default()
            }
            None => IDENTITY,
        },
    };
    let brings = matches!(kind, "attribute" | "load" | "acc1.1" | "mul0.2");
    Feed { name: kind.to_owned(), before, code, ports, brings }
}
