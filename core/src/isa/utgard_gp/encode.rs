//! From a program to bytes.

use super::container;
use super::program::Program;
use super::word::WORD_BYTES;

/// Writes a program: bare words wherever they say everything, else a container.
pub fn encode(program: &Program) -> Vec<u8> {
    if container::is_needed(program) {
        return container::write(program);
    }
    let mut bytes = code(program);
    bytes.extend_from_slice(&program.tail);
    bytes
}

/// Writes the instructions alone.
pub fn code(program: &Program) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(WORD_BYTES * program.words.len() + program.tail.len());
    for word in &program.words {
        bytes.extend_from_slice(&word.to_bits().to_le_bytes());
    }
    bytes
}
