//! Reads and changes SPIR-V modules, to the extent that running translations on OpenGL requires.

mod build;
mod capture;
mod code;
mod module;

pub(super) use build::{computing, feeding};
pub(super) use capture::{capturing, exact, read_input};
pub(super) use module::{EntryPoint, Module, Slot, Stage};
