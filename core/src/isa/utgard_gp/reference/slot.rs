//! What a unit's result is.

use super::Vec4;
use crate::isa::utgard_gp::opcode::Op;
use crate::value::Domain;

/// A number, a stage of a complex function, or nothing. A stage carries the number that the function is of (SEED, M, I94).
#[derive(Clone, Debug)]
pub enum Slot<D: Domain> {
    /// The unit was idle, or the operands made no sense.
    Nothing,
    /// A number.
    Number(D::F),
    /// What a table lookup of this function gives.
    Looked(Op, D::F),
    /// What complex2 gives.
    Square(D::F),
    /// What preexp2 gives.
    Fixed(D::F),
    /// What complex1 gives for log2, which postlog2 makes the logarithm that it carries.
    Logarithm(D::F),
}

impl<D: Domain> Slot<D> {
    /// The number; NaN where there is none.
    pub fn number(&self, d: &D) -> D::F {
        match self {
            Slot::Number(v) => v.clone(),
            _ => d.f(f32::NAN),
        }
    }

    /// The number that it is or carries; NaN where there is none.
    pub fn carried(&self, d: &D) -> D::F {
        match self {
            Slot::Nothing => d.f(f32::NAN),
            Slot::Number(v) | Slot::Looked(_, v) | Slot::Square(v) | Slot::Fixed(v) | Slot::Logarithm(v) => {
                v.clone()
            }
        }
    }
}

/// What a word leaves to the next two.
#[derive(Clone, Debug)]
pub struct Before<D: Domain> {
    /// Results of the units, in the order of `ResultOf`.
    pub results: [Slot<D>; 6],
    /// What read port 0 read.
    pub port0: [Slot<D>; 4],
}

impl<D: Domain> Before<D> {
    /// What is left of a word in another block.
    pub fn nothing(_: &D) -> Before<D> {
        Before {
            results: std::array::from_fn(|_| Slot::Nothing),
            port0: std::array::from_fn(|_| Slot::Nothing),
        }
    }

    /// What read port 0 read, if the word is in this block.
    pub fn port(&self, d: &D) -> Vec4<D> {
        std::array::from_fn(|c| self.port0[c].number(d))
    }
}
