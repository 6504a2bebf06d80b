//! The geometry processor of ARM's Mali-200, 400 and 450 (Utgard): the vertex processor.
//!
//! Facts and their tags (seed S, M Mesa, L lima_compiler, W limadriver.org, D dumped ARM code, I94 lima issue 94, C corpus) are those of the
//! fact sheet `isa/utgard-gp.md`.

pub mod assemble;
pub mod classes;
pub mod container;
pub mod decode;
pub mod disassemble;
pub mod edit;
pub mod encode;
pub mod facts;
pub mod hazards;
pub mod interface;
pub mod layout;
pub mod manual;
pub mod names;
pub mod opcode;
pub mod options;
pub mod program;
pub mod rules;
pub mod source;
mod units;
pub mod validate;
