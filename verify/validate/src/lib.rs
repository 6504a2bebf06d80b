//! Validation of compiled shaders: shows that the machine code of a plan computes what the plan defines.
//!
//! [`Validator::validate`] reads the final bytes of a [`Compiled`] and does not rely on the compiler. It decodes them with an independent decoder,
//! executes each function on terms for one lane, and compares every row that the plan may read afterwards. If it accepts the code, the following
//! holds for all inputs, constants and lanes, whatever runs before and after:
//!
//! * every instruction is in a closed list and needs only the processor features of the level, and the function returns;
//! * every access is to a whole vector within the rows, inputs, outputs, frame or constants that the caller provides, at the lanes of the group that
//!   runs; inputs, constants and rows shared by all lanes are never written;
//! * callee-saved registers, the stack and the modes in MXCSR are unchanged;
//! * lanes that run have the values that the plan's instructions compute, in every row, output and branch condition that may be read later; lanes
//!   that do not run keep every value that they may need, also where their whole group is skipped;
//! * every group of lanes runs once, and every instruction of the plan is, in order, either in one run of code or left to the interpreter.
//!
//! Two values are equal if they are the same term. Only operations on literals are folded. The term of a kernel of the plan is that of one of the
//! instruction sequences in [`sequence`](mod@sequence). It is proved once that these sequences compute the kernels' meaning, so validating a program
//! needs no solver. NaNs are not distinguished.
//!
//! The validation relies on the plan (which the other oracles compare with the reference), the interpreter between runs of code, the loader that
//! copies the bytes, the semantics of single instructions ([`operation`], compared with the processor), and iced-x86's decoder.

#[doc(hidden)]
pub mod numbers;
pub mod operation;
pub mod sequence;
pub mod word;

mod decode;
mod error;
mod listing;
mod machine;
mod rows;
mod term;
mod validator;

pub use error::{Invalid, Reason};
pub use listing::{Line, listing};
pub use validator::{Summary, Validator};

#[cfg(doc)]
use lockstep_core::exec::Compiled;
