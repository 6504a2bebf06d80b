//! The encoder: turns a program into bytes.

#![deny(clippy::cast_possible_truncation)]

use super::opcode::{COMMENT, END, Opcode};
use super::program::{Comment, Instruction, Program, Relative, Version};
use super::word::{CommentWord, MAX_COMMENT, MAX_LENGTH, PIXEL, VERTEX, VersionWord};
use crate::isa::Stage;
use std::ops::Range;

/// An instruction or comment whose length does not fit its first word. Decoded, assembled and edited programs contain none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// An instruction of version 2 or later has too many words.
    #[error("an instruction has {words} words after its first, but can have at most {MAX_LENGTH}")]
    Instruction {
        /// The number of words after the first.
        words: usize,
    },
    /// A comment has too many words.
    #[error("a comment has {words} words after its first, but can have at most {MAX_COMMENT}")]
    Comment {
        /// The number of words after the first.
        words: usize,
    },
}

/// Encodes a program.
///
/// # Panics
/// If [`try_encode`] returns an error or panics.
pub fn encode(program: &Program) -> Vec<u8> {
    try_encode(program).unwrap_or_else(|error| panic!("{error}"))
}

/// Encodes a program.
///
/// # Errors
/// If the length of an instruction or of a comment does not fit its first word.
///
/// # Panics
/// If a field of a word has a value that does not fit it.
pub fn try_encode(program: &Program) -> Result<Vec<u8>, EncodeError> {
    let words = words(program, |_| {})?;
    let mut bytes = Vec::with_capacity(4 * words.len() + program.tail.len());
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&program.tail);
    Ok(bytes)
}

/// Returns the byte range of each instruction.
///
/// # Panics
/// As [`encode`].
pub fn spans(program: &Program) -> Vec<Range<usize>> {
    let mut spans = Vec::with_capacity(program.instructions.len());
    let written = words(program, |words| spans.push(4 * words.start..4 * words.end));
    written.unwrap_or_else(|error| panic!("{error}"));
    spans
}

/// Returns all words of the program except the tail; calls `written` with the word range of each instruction.
fn words(program: &Program, mut written: impl FnMut(Range<usize>)) -> Result<Vec<u32>, EncodeError> {
    let mut words = Vec::with_capacity(2 + 4 * program.instructions.len());
    words.push(version(program.version));
    let mut comments = program.comments.iter().peekable();
    for (at, instruction) in program.instructions.iter().enumerate() {
        while let Some(c) = comments.next_if(|c| c.before as usize <= at) {
            comment(c, &mut words)?;
        }
        let first = words.len();
        self::instruction(instruction, program.version, &mut words)?;
        written(first..words.len());
    }
    for c in comments {
        comment(c, &mut words)?;
    }
    words.push(END.into());
    Ok(words)
}

/// Encodes the version token.
pub fn version(version: Version) -> u32 {
    let stage = if version.stage == Stage::Fragment { PIXEL } else { VERTEX };
    VersionWord { minor: version.minor, major: version.major, stage }.to_word()
}

fn comment(comment: &Comment, words: &mut Vec<u32>) -> Result<(), EncodeError> {
    let error = EncodeError::Comment { words: comment.words.len() };
    let length = u16::try_from(comment.words.len()).map_err(|_| error)?;
    if usize::from(length) > MAX_COMMENT {
        return Err(error);
    }
    words.push(CommentWord { opcode: COMMENT, length, zero31: comment.zero31 }.to_word());
    words.extend_from_slice(&comment.words);
    Ok(())
}

/// Encodes one instruction and appends its words to `words`.
///
/// # Errors
/// If its length does not fit its first word. Then nothing is appended.
///
/// # Panics
/// If a field of a word has a value that does not fit it.
pub fn instruction(
    instruction: &Instruction,
    version: Version,
    words: &mut Vec<u32>,
) -> Result<(), EncodeError> {
    let i = instruction;
    let counted = version.has_lengths() && !i.op().is_some_and(Opcode::is_phase);
    let length = if counted { length(i)? } else { i.zero24 };
    words.push(i.first_word(length).to_word());
    words.extend(i.usage.iter().map(super::program::Usage::to_word));
    let mut operand = |word: u32, relative: &Relative| {
        words.push(word);
        words.extend(relative.index().map(super::program::Index::to_word));
    };
    if let Some(dest) = &i.dest {
        operand(dest.to_word(), &dest.relative);
    }
    for source in i.predicate.iter().chain(&i.sources) {
        operand(source.to_word(), &source.relative);
    }
    words.extend_from_slice(&i.immediates);
    words.extend_from_slice(&i.surplus);
    Ok(())
}

/// Returns the length in an instruction's first word.
fn length(instruction: &Instruction) -> Result<u8, EncodeError> {
    let words = instruction.length();
    let length = u8::try_from(words).ok().filter(|_| words <= MAX_LENGTH);
    length.ok_or(EncodeError::Instruction { words })
}
