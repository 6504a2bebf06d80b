//! PICA200, the vertex and geometry shader units of the Nintendo 3DS.
//!
//! Facts and their tags (S1 to S13, D1 to D33, HW, REF) are those of the fact sheet `isa/pica200.md`.

pub mod assemble;
pub mod classes;
pub mod container;
pub mod decode;
pub mod disassemble;
pub mod edit;
pub mod encode;
pub mod interface;
pub mod layout;
pub mod manual;
mod names;
pub mod number;
pub mod opcode;
pub mod options;
pub mod program;
mod reads;
pub mod rules;
pub mod validate;
