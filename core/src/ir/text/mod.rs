//! Programs as text.
//!
//! One line for each declaration, block head, instruction or terminator; `#` begins a comment. For example:
//!
//! ```text
//! group 1
//! entry 0
//! var v0 2.0.3 f32 = 0.0
//! output 3 = v0
//! block 0 @5:
//!   %0 = input 4
//!   %1 = f32 1.5
//!   %2 = add %0, %1
//!   write v0, %2
//!   return
//! ```
//!
//! A variable is declared with its register (file, number, component), type and value at entry; a block with the source instruction at its start.
//! Floats are the shortest decimal that reads back as the same bits, NaNs their bits in hexadecimal. Printing loses nothing: a verified program reads
//! back as an equal one.

mod line;
mod names;
mod parse;
mod print;
mod sampler;

pub use parse::parse;
pub use print::{print, print_instruction};
