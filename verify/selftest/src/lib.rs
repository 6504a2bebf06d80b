//! Planted faults of the product as data, and how they are built in.
//!
//! A fault is a row under `verify/selftest/faults`: a piece of a source file and its replacement when the fault is on. Product code does not refer to
//! faults. [`plant()`] writes a copy of the workspace in which every row is a switch, so that one build contains all faults, and a run has the one
//! whose number is in the environment variable [`VARIABLE`]. Files that tests read at run time are changed
//! while they run instead.

mod fault;
mod files;
mod outcome;
mod plant;
pub mod public;
mod rate;
pub mod seen;

pub use fault::{Fault, Form, read};
pub use files::{Changed, change};
pub use outcome::{End, Gate, Outcome};
pub use plant::{Planted, plant};
pub use rate::{FaultResult, rates};

/// The environment variable with the number of a process's fault: its position in the order of [`read`], counted from 1. Absent or 0 is none.
pub const VARIABLE: &str = "LOCKSTEP_FAULT";

/// Why faults cannot be planted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Its path.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// A table of faults does not parse.
    #[error("{path}: {message}")]
    Table {
        /// Its path.
        path: String,
        /// Place and cause.
        message: String,
    },
    /// A row no longer fits its file, or contradicts another.
    #[error("fault '{name}': {message}")]
    Row {
        /// Its name.
        name: String,
        /// The problem.
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
