//! The decoder: turns bytes into a program.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

use super::opcode::Opcode;
use super::program::{Dest, Program, Sampler, Source, SourceOrSampler, Token};
use super::word::{HEADER, Header, MAGIC, STAGE_MARKER, StageNumber, TOKEN};
use crate::binary::{Cursor, DecodeError, Problem};

/// The maximum size of a program in bytes: more than five times the 2048 tokens that the latest versions allow.
pub const MAX_FILE_SIZE: usize = 1 << 18;

/// Decodes a program. Every token is accepted; only the header and the length can be malformed.
///
/// # Errors
/// If the input is not a header followed by one or more whole tokens, or is larger than [`MAX_FILE_SIZE`].
pub fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
    let mut cursor = Cursor::new(bytes);
    let magic = cursor.u8(Header::magic.name)?;
    if magic != MAGIC.number {
        return Err(cursor.unexpected(1, Header::magic.name, u64::from(magic), MAGIC.text));
    }
    let version = cursor.u32(Header::version.name)?;
    let marker = cursor.u8(Header::marker.name)?;
    if marker != STAGE_MARKER.number {
        return Err(cursor.unexpected(1, Header::marker.name, u64::from(marker), STAGE_MARKER.text));
    }
    let number = cursor.u8(Header::stage.name)?;
    let Some(stage) = StageNumber::from_number(number).map(StageNumber::stage) else {
        let expected = "0 (vertex) or 1 (fragment)";
        return Err(cursor.unexpected(1, Header::stage.name, u64::from(number), expected));
    };
    if bytes.len() > MAX_FILE_SIZE {
        let problem = Problem::TooLarge { size: bytes.len() as u64, limit: MAX_FILE_SIZE as u64 };
        return Err(DecodeError { offset: HEADER as u64, field: "tokens", problem });
    }
    let mut tokens = Vec::with_capacity((bytes.len() - HEADER) / TOKEN);
    loop {
        let offset = cursor.offset();
        match cursor.take::<TOKEN>("token") {
            Ok(bytes) => tokens.push(token(&bytes)),
            Err(error) if tokens.is_empty() => {
                let none = DecodeError { problem: Problem::NoProgram, ..error };
                return Err(if cursor.remaining() == 0 { none } else { error });
            }
            Err(_) if cursor.remaining() == 0 => break,
            Err(_) => {
                let problem = Problem::Trailing { count: cursor.remaining() as u64 };
                return Err(DecodeError { offset, field: "token", problem });
            }
        }
    }
    Ok(Program { version, stage, tokens })
}

/// Decodes one token.
#[inline]
pub fn token(bytes: &[u8; TOKEN]) -> Token {
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    let opcode = word(0);
    let b = if Opcode::from_number(opcode).is_some_and(Opcode::has_sampler) {
        SourceOrSampler::Sampler(Sampler::from_word(long(16)))
    } else {
        SourceOrSampler::Source(Source::from_word(long(16)))
    };
    Token { opcode, dest: Dest::from_word(word(4)), a: Source::from_word(long(8)), b }
}
