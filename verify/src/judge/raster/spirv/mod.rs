//! Translations to SPIR-V, as far as running them on OpenGL needs to read and change them.

mod build;
mod capture;
mod code;
mod module;

pub(super) use build::{computing, feeding};
pub(super) use capture::{capturing, exact, read_input};
pub(super) use module::{EntryPoint, Module, Slot, Stage};
