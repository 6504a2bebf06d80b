//! Decode errors: the reasons why bytes cannot be decoded as a program.

use crate::text::count;

/// The kind of a decode error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// The input ends inside a field or structure.
    Truncated {
        /// The number of bytes needed.
        needed: u64,
        /// The number of bytes available.
        had: u64,
    },
    /// A field has a value that is not allowed.
    Value {
        /// The value found.
        found: u64,
        /// The allowed values, in English.
        expected: &'static str,
    },
    /// Bytes follow the end of the program.
    Trailing {
        /// The number of extra bytes.
        count: u64,
    },
    /// The file contains no program: [`DecodeError::field`], which every program has at least once, is missing.
    NoProgram,
    /// The input is larger than the decoder accepts.
    TooLarge {
        /// The input's size in bytes.
        size: u64,
        /// The maximum size in bytes that the decoder accepts.
        limit: u64,
    },
}

/// An error of decoding: the offset at which it occurred, the field being read, and the problem.
///
/// A program that can be decoded but breaks a rule is a [`crate::isa::Violation`] instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("at byte {offset:#x}, {field}: {problem}")]
pub struct DecodeError {
    /// Byte offset in the input.
    pub offset: u64,
    /// The field being read.
    pub field: &'static str,
    /// The problem.
    pub problem: Problem,
}

impl DecodeError {
    /// Whether the input may be a truncated program: with more bytes at its end, decoding might succeed.
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
            Problem::NoProgram => write!(f, "none found, so the file contains no program"),
            Problem::TooLarge { size, limit } => write!(f, "{size} bytes are more than the limit of {limit}"),
        }
    }
}
