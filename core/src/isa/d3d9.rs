//! Direct3D 9 shader bytecode: vertex and pixel shader models 1.0 to 3.0 with their software variants.
//!
//! Facts and their tags (SEED, MS, MSTOK, MSCAPS, MS81, HDR, WINE, WTEST, WASM, VKD, DXSO, MOJO, 9ON12, NINE, CORP) are those of the fact
//! sheet `isa/d3d9.md`.

// Opcodes are matched by the dozen.
#![allow(clippy::enum_glob_use)]

pub mod assemble;
mod candidates;
pub mod classes;
pub mod decode;
pub mod disassemble;
pub mod edit;
pub mod encode;
pub mod interface;
pub mod layout;
pub mod limits;
pub mod manual;
pub mod names;
pub mod opcode;
pub mod options;
pub mod profile;
pub mod program;
mod reads;
pub mod rules;
pub mod slots;
pub mod table;
pub mod validate;
mod words;
