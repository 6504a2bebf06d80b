//! Validation of compiled shaders: that the machine code of a plan does what the plan says.
//!
//! [`Validator::validate`] takes the final bytes of a [`Compiled`], not the compiler's word for them. It reads them with another decoder, executes each
//! function on terms for one lane, and compares every row that the plan may read afterwards. If it accepts the code, then, for all inputs, constants and
//! lanes, whatever runs before and after:
//!
//! * every instruction is one of a closed list, of the level's processor features, and the function returns;
//! * every access is to a whole vector inside the rows, inputs, outputs, frame or constants that the caller provides, at the lanes of the group that
//!   runs; rows that all lanes share, inputs and constants are never written;
//! * registers that a call preserves, the stack and the modes in MXCSR are unchanged;
//! * lanes that run have, in every row, output and deciding value that may be read later, what the plan's instructions compute; lanes that do not run
//!   keep what they may need, also where their group is skipped;
//! * every group of lanes runs once, and every instruction of the plan is either in one run of code or left to the interpreter, in order.
//!
//! *Equal* means the same term, folded on literals alone, where each kernel of the plan is one of the sequences of instructions in [`sequence`](mod@sequence).
//! That these compute what the kernels mean is proved once; nothing is asked of a solver for a program. NaNs are not distinguished.
//!
//! What this rests on: the plan (which the other oracles compare with the reference), the interpreter between runs of code, the loader that copies the
//! bytes, the semantics of single instructions ([`operation`], compared with the processor), and iced-x86's decoder.

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
