//! What a decoder says when bytes have no structure it knows.

use crate::text::count;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// The input ends inside something.
    Truncated {
        /// How many bytes were wanted there.
        needed: u64,
        /// How many there were.
        had: u64,
    },
    /// A field holds a value that it cannot have.
    Value {
        /// As found.
        found: u64,
        /// What it may be, in English.
        expected: &'static str,
    },
    /// Bytes follow the end.
    Trailing {
        /// How many.
        count: u64,
    },
    /// The file holds no program: of the field, of which every program has at least one, there is none.
    NoProgram,
    /// The input is larger than any program can be.
    TooLarge {
        /// Its size in bytes.
        size: u64,
        /// The most that is read.
        limit: u64,
    },
}

/// Bytes that are not a program: where, which field, and what is wrong with it.
///
/// A program that can be read but breaks a rule is a [`crate::isa::Violation`] instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("at byte {offset:#x}, {field}: {problem}")]
pub struct DecodeError {
    /// Byte offset in the input.
    pub offset: u64,
    /// What was being read.
    pub field: &'static str,
    /// What is wrong.
    pub problem: Problem,
}

impl DecodeError {
    /// Whether more bytes could have helped.
    pub fn is_truncation(&self) -> bool {
        matches!(self.problem, Problem::Truncated { .. } | Problem::NoProgram)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Truncated { needed, had } => {
                write!(f, "the input ends here: {} needed, {had} left", count(*needed, "byte"))
            }
            Problem::Value { found, expected } => write!(f, "found {found:#x}, expected {expected}"),
            Problem::Trailing { count: bytes } => {
                let follow = if *bytes == 1 { "follows" } else { "follow" };
                write!(f, "{} {follow} the end of the program", count(*bytes, "byte"))
            }
            Problem::NoProgram => write!(f, "there is none, so the file holds no program"),
            Problem::TooLarge { size, limit } => write!(f, "{size} bytes are more than the limit of {limit}"),
        }
    }
}
