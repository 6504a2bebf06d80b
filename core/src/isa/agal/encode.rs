//! The encoder: turns a program into bytes.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

use super::program::{Program, SourceOrSampler, Token};
use super::word::{HEADER, Header, StageNumber, TOKEN};
use std::ops::Range;

/// Encodes a program.
pub fn encode(program: &Program) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + TOKEN * program.tokens.len());
    bytes.extend_from_slice(&Header::new(program.version, StageNumber::of(program.stage) as u8).to_bytes());
    for t in &program.tokens {
        bytes.extend_from_slice(&token(t));
    }
    bytes
}

/// Returns the byte range of each token.
pub fn spans(program: &Program) -> Vec<Range<usize>> {
    (0..program.tokens.len()).map(|k| HEADER + TOKEN * k..HEADER + TOKEN * (k + 1)).collect()
}

/// Encodes one token.
#[inline]
pub fn token(token: &Token) -> [u8; TOKEN] {
    let second = match &token.b {
        SourceOrSampler::Source(source) => source.to_word(),
        SourceOrSampler::Sampler(sampler) => sampler.to_word(),
    };
    let mut bytes = [0; TOKEN];
    bytes[0..4].copy_from_slice(&token.opcode.to_le_bytes());
    bytes[4..8].copy_from_slice(&token.dest.to_word().to_le_bytes());
    bytes[8..16].copy_from_slice(&token.a.to_word().to_le_bytes());
    bytes[16..24].copy_from_slice(&second.to_le_bytes());
    bytes
}
