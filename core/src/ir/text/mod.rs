//! The text form of programs.
//!
//! Each declaration, block head, instruction and terminator has a line of its own. `#` begins a comment. For example:
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
//! The declaration of a variable contains the register component that it represents (file, number and component), its type and its value at entry.
//! The head of a block contains the index of the source instruction at its start. A float is printed as the shortest decimal number that is read back
//! as the same bits, a NaN as its bits in hexadecimal. A verified program that is printed and parsed gives an equal program.

mod line;
mod names;
mod parse;
mod print;
mod sampler;

pub use parse::parse;
pub use print::{print, print_instruction};
