//! Planted faults of the product as data, and the copy of the workspace into which they are compiled.
//!
//! A fault is a row under `verify/selftest/faults`: an excerpt of a source file, and the text that replaces it when the fault is on.
//! Product code does not refer to faults. [`plant()`] writes a copy of the workspace in which every row is a switch, so that one build contains all
//! faults. The environment variable
//! [`VARIABLE`] holds the number of the fault that is on in a process. Files that tests read at run time have no switch; a fault in such a file is
//! applied by changing the file while the tests run.

mod fault;
mod files;
mod outcome;
mod plant;
pub mod public;
mod rate;
pub mod test_list;

pub use fault::{Fault, Form, read};
pub use files::{Changed, change};
pub use outcome::{End, Gate, Outcome};
pub use plant::{Planted, plant};
pub use rate::{FaultResult, rates};

/// The environment variable that selects the fault of a process: its position in the order of [`read`], from 1. If it is absent or 0, no fault is on.
pub const VARIABLE: &str = "LOCKSTEP_FAULT";

/// The reason why faults cannot be planted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The path of the file or folder.
        path: String,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A table of faults does not parse.
    #[error("{path}: {message}")]
    Table {
        /// The path of the table.
        path: String,
        /// The location and the cause of the error.
        message: String,
    },
    /// A row does not fit its file, or contradicts another row.
    #[error("fault '{name}': {message}")]
    Row {
        /// The name of the fault.
        name: String,
        /// The problem, as a sentence.
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
