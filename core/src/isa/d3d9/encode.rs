//! The encoder: turns a program into bytes.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

use super::opcode::{COMMENT, END, Opcode};
use super::program::{Comment, Instruction, Program, Relative, Version};
use super::word::{CommentWord, MAX_COMMENT, MAX_LENGTH, PIXEL, VERTEX, VersionWord};
use crate::binary::Field;
use crate::isa::Stage;
use std::fmt;
use std::ops::Range;

/// A part of a program that cannot be encoded, and the reason. Programs from the decoder, the assembler or edits can always be encoded; other
/// programs may have such a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} cannot be encoded: {problem}")]
#[non_exhaustive]
pub struct EncodeError {
    /// The instruction or comment that cannot be encoded.
    pub part: Part,
    /// The length or the field that does not fit.
    pub problem: EncodeProblem,
}

/// A part of a program, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Index of an instruction among the instructions.
    Instruction(usize),
    /// Index of a comment among the comments.
    Comment(usize),
}

/// The reason why an instruction or comment has no encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeProblem {
    /// The length does not fit the first word.
    #[error("{words} words follow the first, but at most {most} can")]
    Length {
        /// The number of words after the first.
        words: usize,
        /// The largest number that the first word can hold.
        most: usize,
    },
    /// A value does not fit its field.
    #[error("a value does not fit '{}', which has {} bits", .0.name, .0.width)]
    Field(&'static Field),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Instruction(at) => write!(f, "instruction {at}"),
            Part::Comment(at) => write!(f, "comment {at}"),
        }
    }
}

/// Encodes a program that can be encoded. Decoder, assembler and edits create only such programs, because they take values from words or check them.
/// For other programs, call [`try_encode`].
///
/// # Panics
/// If [`try_encode`] returns an error.
pub fn encode(program: &Program) -> Vec<u8> {
    try_encode(program).unwrap_or_else(|error| panic!("{error}"))
}

/// Encodes a program.
///
/// # Errors
/// If a value does not fit its field, or the length of an instruction or of a comment does not fit its first word.
pub fn try_encode(program: &Program) -> Result<Vec<u8>, EncodeError> {
    let words = words(program, |_| {})?;
    let mut bytes = Vec::with_capacity(4 * words.len() + program.tail.len());
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&program.tail);
    Ok(bytes)
}

/// Returns the byte range of each instruction in the output of [`encode`].
///
/// # Panics
/// If [`try_encode`] returns an error.
pub fn spans(program: &Program) -> Vec<Range<usize>> {
    let mut spans = Vec::with_capacity(program.instructions.len());
    let written = words(program, |words| spans.push(4 * words.start..4 * words.end));
    written.unwrap_or_else(|error| panic!("{error}"));
    spans
}

/// Returns all words of the program except the tail; calls `written` with the word range of each instruction.
fn words(program: &Program, mut written: impl FnMut(Range<usize>)) -> Result<Vec<u32>, EncodeError> {
    let in_comment = |at| move |problem| EncodeError { part: Part::Comment(at), problem };
    let mut words = Vec::with_capacity(2 + 4 * program.instructions.len());
    words.push(version(program.version));
    let mut comments = program.comments.iter().enumerate().peekable();
    for (at, instruction) in program.instructions.iter().enumerate() {
        while let Some((number, c)) = comments.next_if(|(_, c)| c.before as usize <= at) {
            comment(c, &mut words).map_err(in_comment(number))?;
        }
        let first = words.len();
        self::instruction(instruction, program.version, &mut words)
            .map_err(|problem| EncodeError { part: Part::Instruction(at), problem })?;
        written(first..words.len());
    }
    for (number, c) in comments {
        comment(c, &mut words).map_err(in_comment(number))?;
    }
    words.push(END.into());
    Ok(words)
}

/// Encodes the version token.
pub fn version(version: Version) -> u32 {
    let stage = if version.stage == Stage::Fragment { PIXEL } else { VERTEX };
    VersionWord { minor: version.minor, major: version.major, stage }.to_word()
}

fn comment(comment: &Comment, words: &mut Vec<u32>) -> Result<(), EncodeProblem> {
    let problem = EncodeProblem::Length { words: comment.words.len(), most: MAX_COMMENT };
    let length = u16::try_from(comment.words.len()).map_err(|_| problem)?;
    if usize::from(length) > MAX_COMMENT {
        return Err(problem);
    }
    let first = CommentWord { opcode: COMMENT, length, zero31: comment.zero31 };
    fits(first.misfit())?;
    words.push(first.to_word());
    words.extend_from_slice(&comment.words);
    Ok(())
}

/// Encodes one instruction and appends its words to `words`.
///
/// # Errors
/// If a value does not fit its field, or the length does not fit the first word. Then nothing is appended.
pub fn instruction(
    instruction: &Instruction,
    version: Version,
    words: &mut Vec<u32>,
) -> Result<(), EncodeProblem> {
    let i = instruction;
    let counted = version.has_lengths() && !i.op().is_some_and(Opcode::is_phase);
    let first = i.first_word(if counted { length(i)? } else { i.zero24 });
    let sources = || i.predicate.iter().chain(&i.sources);
    let relatives = i.dest.iter().map(|dest| &dest.relative).chain(sources().map(|source| &source.relative));
    let mut misfits = std::iter::once(first.misfit())
        .chain(i.usage.iter().map(super::program::Usage::misfit))
        .chain(i.dest.iter().map(super::program::Dest::misfit))
        .chain(sources().map(super::program::Source::misfit))
        .chain(relatives.filter_map(Relative::index).map(super::program::Index::misfit));
    misfits.try_for_each(fits)?;
    words.push(first.to_word());
    words.extend(i.usage.iter().map(super::program::Usage::to_word));
    let mut operand = |word: u32, relative: &Relative| {
        words.push(word);
        words.extend(relative.index().map(super::program::Index::to_word));
    };
    if let Some(dest) = &i.dest {
        operand(dest.to_word(), &dest.relative);
    }
    for source in sources() {
        operand(source.to_word(), &source.relative);
    }
    words.extend_from_slice(&i.immediates);
    words.extend_from_slice(&i.surplus);
    Ok(())
}

/// Returns an error for a field whose value does not fit it.
fn fits(misfit: Option<&'static Field>) -> Result<(), EncodeProblem> {
    misfit.map_or(Ok(()), |field| Err(EncodeProblem::Field(field)))
}

/// Returns the length in an instruction's first word.
fn length(instruction: &Instruction) -> Result<u8, EncodeProblem> {
    let words = instruction.length();
    let length = u8::try_from(words).ok().filter(|_| words <= MAX_LENGTH);
    length.ok_or(EncodeProblem::Length { words, most: MAX_LENGTH })
}
