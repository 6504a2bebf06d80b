//! Numbers: the domains in which every instruction set computes.
//!
//! [`Domain`] is the small algebra in which both the reference semantics and the IR evaluator are written.
//! [`Concrete`] runs it on `f32`, [`range::Ranges`] on sets of values; the prover runs the same code on Z3 terms. The functions in [`elementary`] are
//! defined as the correctly rounded result, and [`narrow()`] is the only conversion to a shorter format.

mod concrete;
mod domain;
pub mod elementary;
mod freedom;
mod narrow;
pub mod range;

pub use concrete::Concrete;
pub use domain::{BBin, Domain, FBin, FCmp, FUn, IBin, ICmp};
pub use freedom::{Freedom, FreedomSet};
pub use narrow::{Narrow, narrow};

/// The only NaN that is ever observed as bits: quiet, positive, no payload.
pub const CANONICAL_NAN: u32 = 0x7fc0_0000;

/// The bits of `x` with every NaN replaced by [`CANONICAL_NAN`].
#[inline]
pub fn canonical_bits(x: f32) -> u32 {
    if x.is_nan() { CANONICAL_NAN } else { x.to_bits() }
}

/// The equality that both engines must satisfy: the same bits, and any NaN equals any NaN.
#[inline]
pub fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}
