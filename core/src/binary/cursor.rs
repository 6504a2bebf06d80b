//! Reading little-endian bytes with positions.

use super::{DecodeError, Problem};

/// A place in a byte slice.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// Offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.at as u64
    }

    /// Bytes left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// If fewer are left; nothing is consumed then.
    #[inline]
    pub fn take<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], DecodeError> {
        match self.bytes[self.at..].first_chunk::<N>() {
            Some(chunk) => {
                self.at += N;
                Ok(*chunk)
            }
            None => Err(DecodeError {
                offset: self.offset(),
                field,
                problem: Problem::Truncated { needed: N as u64, had: self.remaining() as u64 },
            }),
        }
    }

    /// The next byte.
    ///
    /// # Errors
    /// At the end.
    pub fn u8(&mut self, field: &'static str) -> Result<u8, DecodeError> {
        self.take::<1>(field).map(|[b]| b)
    }
    /// The next 32-bit word.
    ///
    /// # Errors
    /// If fewer than four bytes are left.
    #[inline]
    pub fn u32(&mut self, field: &'static str) -> Result<u32, DecodeError> {
        self.take(field).map(u32::from_le_bytes)
    }
    /// The next 64-bit word.
    ///
    /// # Errors
    /// If fewer than eight bytes are left.
    #[inline]
    pub fn u64(&mut self, field: &'static str) -> Result<u64, DecodeError> {
        self.take(field).map(u64::from_le_bytes)
    }

    /// An error about `found`, read `back` bytes ago, or at the beginning if that is nearer.
    pub fn unexpected(
        &self,
        back: usize,
        field: &'static str,
        found: u64,
        expected: &'static str,
    ) -> DecodeError {
        DecodeError {
            offset: self.at.saturating_sub(back) as u64,
            field,
            problem: Problem::Value { found, expected },
        }
    }
}
