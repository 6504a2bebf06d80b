//! Words: the contents of one lane of a vector register, or of one lane of a row.
//!
//! A word has 32 bits. A word is represented in the type of the instruction that computed it: as a float, an integer or a truth value (all ones or
//! all zeros). A float represents every word with this value. The bits of a NaN are unspecified, as everywhere in Lockstep.

use lockstep_core::ir::eval::Scalar;
use lockstep_core::value::{Domain, ICmp};

/// The contents of one lane.
pub type Word<D> = Scalar<D>;

/// A domain in which a register that holds a float can be read as an integer.
pub trait Words: Domain {
    /// Returns the bits of a register that holds this float; for a NaN, the bits of an unspecified NaN.
    fn raw(&self, a: &Self::F) -> Self::I;
}

/// Reads a word as a float.
pub fn float<D: Words>(d: &D, word: &Word<D>) -> D::F {
    match word {
        Scalar::F(v) => v.clone(),
        other => d.from_bits(&int(d, other)),
    }
}

/// Reads a word as an integer.
pub fn int<D: Words>(d: &D, word: &Word<D>) -> D::I {
    match word {
        Scalar::F(v) => d.raw(v),
        Scalar::I(v) => v.clone(),
        Scalar::B(v) => d.sel_i(v, &d.i(-1), &d.i(0)),
    }
}

/// Returns the word as a truth value; `None` if it is not known to be one.
pub fn truth<D: Words>(d: &D, word: &Word<D>) -> Option<D::B> {
    match word {
        Scalar::B(v) => Some(v.clone()),
        Scalar::I(v) => match d.known_i(v) {
            Some(0) => Some(d.b(false)),
            Some(-1) => Some(d.b(true)),
            _ => None,
        },
        Scalar::F(_) => None,
    }
}

/// Whether the word's highest bit is set.
pub fn sign<D: Words>(d: &D, word: &Word<D>) -> D::B {
    truth(d, word).unwrap_or_else(|| d.icmp(ICmp::LtS, &int(d, word), &d.i(0)))
}

/// Returns `yes` where `condition` is true, otherwise `no`.
pub fn select<D: Words>(d: &D, condition: &D::B, yes: &Word<D>, no: &Word<D>) -> Word<D> {
    if let Some(known) = d.known_b(condition) {
        return if known { yes.clone() } else { no.clone() };
    }
    if let (Some(yes), Some(no)) = (truth(d, yes), truth(d, no)) {
        return Scalar::B(d.sel_b(condition, &yes, &no));
    }
    let is_nan = |word: &D::I| d.known_i(word).is_some_and(|bits| f32::from_bits(bits as u32).is_nan());
    match (yes, no) {
        (Scalar::F(yes), Scalar::F(no)) => Scalar::F(d.sel(condition, yes, no)),
        // Between a float and an integer, the integer is read as a float, unless it is a literal NaN, whose bits must be kept.
        (Scalar::F(yes), Scalar::I(no)) if !is_nan(no) => Scalar::F(d.sel(condition, yes, &d.from_bits(no))),
        (Scalar::I(yes), Scalar::F(no)) if !is_nan(yes) => Scalar::F(d.sel(condition, &d.from_bits(yes), no)),
        _ => Scalar::I(d.sel_i(condition, &int(d, yes), &int(d, no))),
    }
}
