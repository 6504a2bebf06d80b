//! The decoder: bytes to a program.

use super::opcode::Opcode;
use super::program::{Dest, Program, Sampler, Source, SourceOrSampler, Token};
use super::word::{HEADER, TOKEN};
use crate::binary::{Cursor, DecodeError, Problem};
use crate::isa::Stage;

/// The maximum size of a program in bytes: five times the 2048 tokens of the largest profile.
pub const MAX_FILE_SIZE: usize = 1 << 18;

/// Decodes a program. Every token is accepted; only the header and the length can be malformed.
///
/// # Errors
/// If the input is not a header followed by one or more whole tokens, or is larger than [`MAX_FILE_SIZE`].
pub fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
    let mut cursor = Cursor::new(bytes);
    let magic = cursor.u8("magic")?;
    if magic != 0xa0 {
        return Err(cursor.unexpected(1, "magic", u64::from(magic), "0xa0"));
    }
    let version = cursor.u32("version")?;
    let marker = cursor.u8("stage marker")?;
    if marker != 0xa1 {
        return Err(cursor.unexpected(1, "stage marker", u64::from(marker), "0xa1"));
    }
    let stage = match cursor.u8("stage")? {
        0 => Stage::Vertex,
        1 => Stage::Fragment,
        other => return Err(cursor.unexpected(1, "stage", u64::from(other), "0 (vertex) or 1 (fragment)")),
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
