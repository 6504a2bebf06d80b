//! Adreno A2xx (A200, A205, A220, A225), and by option its sibling in the Xbox 360, Xenos.
//!
//! Facts and their tags (V, H, M, L; fd-hdr, fd-dis, fd-asm, mesa, xenia, canary, kgsl, xdk) are those of the fact sheet
//! `isa/a2xx.md`; D1 … are its divergences, T1 … its traps.

pub mod assemble;
pub mod classes;
pub mod container;
pub mod decode;
pub mod disassemble;
pub mod edit;
pub mod encode;
pub mod flow;
pub mod interface;
pub mod layout;
pub mod limits;
pub mod manual;
mod names;
pub mod opcode;
pub mod options;
pub mod program;
pub mod rules;
pub mod validate;
