//! The decoder: turns bytes into a program.
//!
//! Before version 2 the opcode table determines the length of an instruction, so an opcode of unknown length is an error there. From version 2 on,
//! the length in the instruction's first word is used. Operands beyond that length are missing; surplus words within it are kept. Both are reported
//! as violations by the validator.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

use super::opcode::{COMMENT, END, Opcode, Operands};
use super::program::{Comment, Dest, Index, Instruction, Program, Relative, Source, Usage, Version};
use super::word::{CommentWord, InstructionWord, PIXEL, VERTEX, VersionWord, bit13};
use crate::binary::{Cursor, DecodeError, Problem};
use crate::isa::Stage;
use smallvec::SmallVec;

/// The maximum size of an input in bytes: the longest hardware program has 32768 instructions of at most 16 words.
pub const MAX_FILE_SIZE: usize = 1 << 21;

/// Decodes a program up to END; the bytes after END become its tail.
///
/// # Errors
/// If the version token is missing or invalid, an instruction's length is unknown, an instruction or a comment extends past the end of the input, END
/// is missing or has other bits set, or the input is larger than [`MAX_FILE_SIZE`].
pub fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
    if bytes.len() > MAX_FILE_SIZE {
        let problem = Problem::TooLarge { size: bytes.len() as u64, limit: MAX_FILE_SIZE as u64 };
        return Err(DecodeError { offset: 0, field: "program", problem });
    }
    let mut cursor = Cursor::new(bytes);
    let version = version(&mut cursor)?;
    let mut instructions = Vec::new();
    let mut comments = Vec::new();
    let mut before = 0;
    loop {
        let word = cursor.u32(InstructionWord::LAYOUT.name)?;
        match InstructionWord::from_word(word).opcode {
            END if word == u32::from(END) => break,
            END => {
                return Err(cursor.unexpected(
                    4,
                    InstructionWord::LAYOUT.name,
                    word.into(),
                    "END, which is exactly 0xffff",
                ));
            }
            COMMENT => comments.push(comment(&mut cursor, word, before)?),
            _ => {
                instructions.push(instruction(&mut cursor, word, version)?);
                before += 1;
            }
        }
    }
    let tail = bytes[bytes.len() - cursor.remaining()..].to_vec();
    Ok(Program { version, instructions, comments, tail })
}

/// Reads the version token.
///
/// # Errors
/// If fewer than four bytes are left, or the stage or the major version does not exist.
pub fn version(cursor: &mut Cursor<'_>) -> Result<Version, DecodeError> {
    let word = cursor.u32(VersionWord::LAYOUT.name)?;
    let VersionWord { minor, major, stage } = VersionWord::from_word(word);
    let stage = match stage {
        VERTEX => Stage::Vertex,
        PIXEL => Stage::Fragment,
        _ => {
            let expected = "0xfffe (vertex) or 0xffff (pixel) in the high half";
            return Err(cursor.unexpected(4, VersionWord::LAYOUT.name, word.into(), expected));
        }
    };
    if !(1..=3).contains(&major) {
        return Err(cursor.unexpected(4, VersionWord::LAYOUT.name, word.into(), "a major version of 1 to 3"));
    }
    Ok(Version { stage, major, minor })
}

fn comment(cursor: &mut Cursor<'_>, word: u32, before: u32) -> Result<Comment, DecodeError> {
    let CommentWord { length, zero31, .. } = CommentWord::from_word(word);
    let len = usize::from(length);
    check(cursor, CommentWord::LAYOUT.name, len)?;
    let mut words = Vec::with_capacity(len);
    for _ in 0..len {
        words.push(cursor.u32(CommentWord::LAYOUT.name)?);
    }
    Ok(Comment { before, zero31, words })
}

/// Returns an error if fewer than `words` words are left.
fn check(cursor: &Cursor<'_>, field: &'static str, words: usize) -> Result<(), DecodeError> {
    let (needed, had) = (4 * words as u64, cursor.remaining() as u64);
    if needed <= had {
        return Ok(());
    }
    Err(DecodeError { offset: cursor.offset(), field, problem: Problem::Truncated { needed, had } })
}

/// A reader of the words of one instruction after the first word.
struct Words<'c, 'b> {
    cursor: &'c mut Cursor<'b>,
    left: usize,
    /// Whether each relative address has an additional word.
    addresses: bool,
}

/// Reads the instruction whose first word is `word`.
///
/// # Errors
/// If the instruction's length is unknown, or the instruction extends past the end of the input.
pub fn instruction(cursor: &mut Cursor<'_>, word: u32, version: Version) -> Result<Instruction, DecodeError> {
    let InstructionWord { opcode, control, length, predicated, zero29, coissue, zero31 } =
        InstructionWord::from_word(word);
    let op = Opcode::from_number(opcode);
    let operands = op.and_then(|op| op.operands(version));
    let counted = version.has_lengths() && !op.is_some_and(Opcode::is_phase);
    let left = match operands {
        _ if counted => usize::from(length),
        Some(Operands { usage, dest, sources, immediates }) => {
            usize::from(usage) + usize::from(dest) + usize::from(sources) + usize::from(immediates)
        }
        None => {
            let expected = "an opcode whose length is known in version 1, where no word contains it";
            return Err(cursor.unexpected(4, "opcode", opcode.into(), expected));
        }
    };
    check(cursor, "operands", left)?;
    let mut words = Words { cursor, left, addresses: version.has_lengths() };
    let operands = operands.unwrap_or(Operands { usage: false, dest: false, sources: 0, immediates: 0 });
    let usage = if operands.usage { words.next()?.map(Usage::from_word) } else { None };
    let dest = if operands.dest { words.dest()? } else { None };
    // A declaration cannot have a predicate, and before version 2 the bit is reserved.
    let declares = operands.usage || operands.immediates > 0;
    let predicate =
        if predicated != 0 && counted && op.is_some() && !declares { words.source()? } else { None };
    let mut sources = SmallVec::new();
    for _ in 0..operands.sources {
        sources.extend(words.source()?);
    }
    let mut immediates = SmallVec::new();
    for _ in 0..operands.immediates {
        immediates.extend(words.next()?);
    }
    let mut surplus = Vec::new();
    while let Some(word) = words.next()? {
        surplus.push(word);
    }
    Ok(Instruction {
        opcode,
        control,
        zero24: if counted { 0 } else { length },
        predicated,
        zero29,
        coissue,
        zero31,
        usage,
        dest,
        predicate,
        sources,
        immediates,
        surplus,
    })
}

impl Words<'_, '_> {
    /// Reads the next word of the instruction; returns `None` after the last word.
    fn next(&mut self) -> Result<Option<u32>, DecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.cursor.u32("operand").map(Some)
    }

    /// Reads the relative address if bit 13 of `word` is set.
    fn relative(&mut self, word: u32) -> Result<Relative, DecodeError> {
        if bit13(word) == 0 {
            return Ok(Relative::Direct);
        }
        if !self.addresses {
            return Ok(Relative::Implied);
        }
        Ok(self
            .next()?
            .map_or(Relative::Implied, |word| Relative::Indexed(Index::from_word(word, bit13(word)))))
    }

    fn dest(&mut self) -> Result<Option<Dest>, DecodeError> {
        let Some(word) = self.next()? else { return Ok(None) };
        let relative = self.relative(word)?;
        Ok(Some(Dest::from_word(word, relative)))
    }

    fn source(&mut self) -> Result<Option<Source>, DecodeError> {
        let Some(word) = self.next()? else { return Ok(None) };
        let relative = self.relative(word)?;
        Ok(Some(Source::from_word(word, relative)))
    }
}
