//! Reads and changes SPIR-V modules, to the extent that running translations on OpenGL requires.

mod build;
mod capture;
mod code;
mod module;

pub(super) use build::{fragment_input_shader, term_shader};
pub(super) use capture::{exact, read_input, with_recorded_outputs};
pub(super) use module::{EntryPoint, Module, Slot, Stage};
