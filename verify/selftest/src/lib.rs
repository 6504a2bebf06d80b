//! Faults of the product as data, and how they get into a build.
//!
//! A fault is a row under `verify/selftest/faults`: a piece of a source file and what stands in its place when the fault is on. Product code knows
//! nothing of them. [`plant()`] writes a copy of the workspace in which every row is a switch, so that one build holds all faults, and a run has
//! the one whose number is in the environment variable [`VARIABLE`].

mod fault;
mod outcome;
mod plant;
pub mod public;
mod rate;
pub mod seen;

pub use fault::{Fault, Form, read};
pub use outcome::{End, Gate, Outcome};
pub use plant::{Planted, plant};
pub use rate::{Fate, rates};

/// Names the fault of a process: its number in the order of [`read`], counted from 1. Absent or 0 is none.
pub const VARIABLE: &str = "LOCKSTEP_FAULT";

/// Why faults cannot be planted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A table of faults is none.
    #[error("{path}: {message}")]
    Table {
        /// Which.
        path: String,
        /// Place and cause.
        message: String,
    },
    /// A row has gone stale or contradicts another.
    #[error("fault '{name}': {message}")]
    Row {
        /// Which.
        name: String,
        /// What is wrong with it.
        message: String,
    },
}

impl Error {
    fn file(path: &std::path::Path, source: std::io::Error) -> Error {
        Error::File { path: path.display().to_string(), source }
    }

    fn row(fault: &Fault, message: impl Into<String>) -> Error {
        Error::Row { name: fault.name.clone(), message: message.into() }
    }
}
