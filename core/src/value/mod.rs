//! Numbers: the domains on which the semantics of all instruction sets are defined.
//!
//! [`Domain`] lists the basic operations with which both the reference semantics and the IR evaluator are written. [`Concrete`] performs them on
//! numbers (`f32`), [`range::Ranges`] on sets of values. The prover runs the same code on terms. The functions in [`elementary`] are defined as
//! the correctly rounded result. [`narrow()`] is the only conversion to a shorter format.

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

/// The only NaN whose bits a program can observe: quiet, positive, no payload.
pub const CANONICAL_NAN: u32 = 0x7fc0_0000;

/// The bits of `x` with every NaN replaced by [`CANONICAL_NAN`].
#[inline]
pub fn canonical_bits(x: f32) -> u32 {
    if x.is_nan() { CANONICAL_NAN } else { x.to_bits() }
}

/// Whether two results count as equal when engines are compared: they have the same bits, or both are NaN.
#[inline]
pub fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}
