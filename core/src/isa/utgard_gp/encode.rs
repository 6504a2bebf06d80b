//! The encoder: turns a program into bytes.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

use super::container;
use super::program::Program;
use super::word::WORD_BYTES;
use std::ops::Range;

/// Writes a program: bare words if they can represent it, otherwise a container.
pub fn encode(program: &Program) -> Vec<u8> {
    if container::is_needed(program) {
        return container::write(program);
    }
    let mut bytes = code(program);
    bytes.extend_from_slice(&program.tail);
    bytes
}

/// Returns the byte range of each word in the encoded program. Only the tail follows the words.
pub fn spans(program: &Program) -> Vec<Range<usize>> {
    let count = program.words.len();
    let first = container::size(program) - program.tail.len() - WORD_BYTES * count;
    (0..count).map(|k| first + WORD_BYTES * k..first + WORD_BYTES * (k + 1)).collect()
}

/// Writes only the words, without the tail and without a container's header and literals.
pub fn code(program: &Program) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(WORD_BYTES * program.words.len() + program.tail.len());
    for word in &program.words {
        bytes.extend_from_slice(&word.to_bits().to_le_bytes());
    }
    bytes
}
