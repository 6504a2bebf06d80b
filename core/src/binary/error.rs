//! What a decoder says when bytes have no structure it knows.

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
        matches!(self.problem, Problem::Truncated { .. })
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Truncated { needed, had } => {
                write!(f, "the input ends here: {needed} bytes needed, {had} left")
            }
            Problem::Value { found, expected } => write!(f, "found {found:#x}, expected {expected}"),
            Problem::Trailing { count } => write!(f, "{count} bytes follow the end of the program"),
            Problem::TooLarge { size, limit } => write!(f, "{size} bytes are more than the limit of {limit}"),
        }
    }
}
