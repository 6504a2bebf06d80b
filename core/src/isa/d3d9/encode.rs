//! The encoder: turns a program into bytes.

use super::opcode::{COMMENT, END, Opcode};
use super::program::{Comment, Instruction, Program, Relative, Version};
use super::word::{CommentWord, PIXEL, VERTEX, VersionWord};
use crate::isa::Stage;
use std::ops::Range;

/// Encodes a program.
pub fn encode(program: &Program) -> Vec<u8> {
    let words = words(program, |_| {});
    let mut bytes = Vec::with_capacity(4 * words.len() + program.tail.len());
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&program.tail);
    bytes
}

/// Returns the byte range of each instruction.
pub fn spans(program: &Program) -> Vec<Range<usize>> {
    let mut places = Vec::with_capacity(program.instructions.len());
    words(program, |words| places.push(4 * words.start..4 * words.end));
    places
}

/// Returns all words of the program except the tail; calls `written` with the word range of each instruction.
fn words(program: &Program, mut written: impl FnMut(Range<usize>)) -> Vec<u32> {
    let mut words = Vec::with_capacity(2 + 4 * program.instructions.len());
    words.push(version(program.version));
    let mut comments = program.comments.iter().peekable();
    for (at, instruction) in program.instructions.iter().enumerate() {
        while let Some(c) = comments.next_if(|c| c.before as usize <= at) {
            comment(c, &mut words);
        }
        let first = words.len();
        self::instruction(instruction, program.version, &mut words);
        written(first..words.len());
    }
    for c in comments {
        comment(c, &mut words);
    }
    words.push(END.into());
    words
}

/// Encodes the version token.
pub fn version(version: Version) -> u32 {
    let stage = if version.stage == Stage::Fragment { PIXEL } else { VERTEX } as u16;
    VersionWord { minor: version.minor, major: version.major, stage }.to_word()
}

fn comment(comment: &Comment, words: &mut Vec<u32>) {
    let length = comment.words.len() as u16;
    words.push(CommentWord { opcode: COMMENT, length, zero31: comment.zero31 }.to_word());
    words.extend_from_slice(&comment.words);
}

/// Encodes one instruction and appends its words to `words`.
pub fn instruction(instruction: &Instruction, version: Version, words: &mut Vec<u32>) {
    let i = instruction;
    let counted = version.has_lengths() && !i.op().is_some_and(Opcode::is_phase);
    let length = if counted { i.length() as u8 } else { i.zero24 };
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
}
