//! The decoder: turns bytes into a program.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

use super::container::{self, MAGIC};
use super::facts::Facts;
use super::import;
use super::program::{Program, Word};
use super::word::WORD_BYTES;
use crate::binary::{DecodeError, Problem};

pub use super::container::MAX_FILE_SIZE;

/// Reads a program: a container if it begins with [`MAGIC`], otherwise bare words. Every word is accepted; trailing bytes that do not fill a word are
/// kept as the tail.
///
/// # Errors
/// If the file contains no whole word, is an MBS with a vertex program, is larger than [`MAX_FILE_SIZE`], or is a malformed container.
pub fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
    if bytes.len() > MAX_FILE_SIZE {
        let problem = Problem::TooLarge { size: bytes.len() as u64, limit: MAX_FILE_SIZE as u64 };
        return Err(DecodeError { offset: 0, field: "words", problem });
    }
    if bytes.starts_with(&MAGIC) {
        return container::read(bytes);
    }
    if import::recognizes(bytes) {
        // A malformed MBS is reported with its own error.
        import::read(bytes)?;
        let expected = "bare words or a Lockstep container; an MBS must be imported";
        let problem = Problem::Value { found: u64::from(u32::from_le_bytes(import::MAGIC)), expected };
        return Err(DecodeError { offset: 0, field: "MBS", problem });
    }
    let (words, tail) = bytes.as_chunks::<WORD_BYTES>();
    if words.is_empty() {
        let problem = Problem::Truncated { needed: WORD_BYTES as u64, had: bytes.len() as u64 };
        return Err(DecodeError { offset: 0, field: "word", problem });
    }
    let words = words.iter().map(|w| Word::from_bits(u128::from_le_bytes(*w))).collect();
    Ok(Program { words, tail: tail.to_vec(), facts: Facts::default() })
}
