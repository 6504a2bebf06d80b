//! AGAL, the shader language of Flash Stage3D: versions 1 to 3, and the little that is known of 4.

pub mod assemble;
pub mod classes;
pub mod decode;
pub mod disassemble;
pub mod edit;
pub mod encode;
pub mod interface;
pub mod layout;
pub mod limits;
pub mod manual;
mod names;
pub mod opcode;
pub mod program;
mod reads;
pub mod rules;
pub mod validate;
