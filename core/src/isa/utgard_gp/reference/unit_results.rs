//! The results of units.

use super::Vec4;
use crate::isa::utgard_gp::opcode::Op;
use crate::value::Domain;

/// The result of a unit: a number, a stage of a complex function, or nothing. A stage contains the function's argument (SEED, M, I94),
/// except [`UnitResult::Logarithm`], which contains the logarithm.
#[derive(Clone, Debug)]
pub enum UnitResult<D: Domain> {
    /// The unit was idle, or its operands were invalid.
    Nothing,
    /// A number.
    Number(D::F),
    /// The result of the table lookup for this function.
    LookupResult(Op, D::F),
    /// The result of complex2.
    Complex2Result(D::F),
    /// The result of preexp2.
    Preexp2Result(D::F),
    /// The result of complex1 for log2. This stage contains the logarithm, which postlog2 returns.
    Logarithm(D::F),
}

impl<D: Domain> UnitResult<D> {
    /// Returns the number; NaN for any other kind of result.
    pub fn number(&self, d: &D) -> D::F {
        match self {
            UnitResult::Number(v) => v.clone(),
            _ => d.f(f32::NAN),
        }
    }

    /// Returns the number, or the number that a stage contains; NaN for nothing.
    pub fn payload(&self, d: &D) -> D::F {
        match self {
            UnitResult::Nothing => d.f(f32::NAN),
            UnitResult::Number(v)
            | UnitResult::LookupResult(_, v)
            | UnitResult::Complex2Result(v)
            | UnitResult::Preexp2Result(v)
            | UnitResult::Logarithm(v) => v.clone(),
        }
    }
}

/// The values of a word that the next two words can read.
#[derive(Clone, Debug)]
pub struct ForwardedValues<D: Domain> {
    /// Results of the units, in the order of `ResultOf`.
    pub results: [UnitResult<D>; 6],
    /// The value at read port 0.
    pub port0: [UnitResult<D>; 4],
}

impl<D: Domain> ForwardedValues<D> {
    /// Returns the values that a word of another block provides: no results, and nothing at read port 0.
    pub fn nothing(_: &D) -> ForwardedValues<D> {
        ForwardedValues {
            results: std::array::from_fn(|_| UnitResult::Nothing),
            port0: std::array::from_fn(|_| UnitResult::Nothing),
        }
    }

    /// Returns the value at read port 0; NaN if the word is in another block.
    pub fn port(&self, d: &D) -> Vec4<D> {
        std::array::from_fn(|c| self.port0[c].number(d))
    }
}
