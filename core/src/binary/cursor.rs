//! A cursor over bytes: reads little-endian numbers and reports errors with their offsets.

use super::{DecodeError, Problem};

/// Converts a count or an offset to another integer type. Unlike `as`, never truncates.
///
/// # Panics
/// If the number does not fit the type.
pub(crate) fn exact<W: TryFrom<V>, V: Copy + std::fmt::Display>(number: V) -> W {
    let Ok(converted) = W::try_from(number) else { panic!("the number {number} does not fit its type") };
    converted
}

/// A position in a byte slice.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// A cursor over `bytes` whose next byte is at `offset`; `None` if the offset is after the end.
    pub fn at(bytes: &'a [u8], offset: usize) -> Option<Cursor<'a>> {
        (offset <= bytes.len()).then_some(Cursor { bytes, at: offset })
    }

    /// Offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.at as u64
    }

    /// The number of bytes that have not been read.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The bytes that have not been read.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// If fewer than `N` bytes are left. In this case the cursor does not move.
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
    /// If no byte is left.
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

    /// Returns an error about `found`, the value of a field that begins `back` bytes before the cursor. The error's offset is that of the field, but
    /// never below 0.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_fit_are_converted_and_others_panic() {
        assert_eq!((exact::<u16, _>(0xffff_usize), exact::<u32, _>(7_u64)), (0xffff, 7));
        assert!(std::panic::catch_unwind(|| exact::<u16, _>(0x1_0000_usize)).is_err());
    }

    #[test]
    fn errors_state_the_offset_and_the_needed_size() {
        let bytes: Vec<u8> = (1..=11).collect();
        for at in 0..=bytes.len() {
            let mut cursor = Cursor::new(&bytes);
            (0..at).for_each(|_| assert!(cursor.u8("skipped").is_ok()));
            assert_eq!((cursor.offset(), cursor.remaining()), (at as u64, bytes.len() - at));
            assert_eq!(cursor.rest(), &bytes[at..]);
            let left = bytes.len() - at;
            let little = |n: usize| bytes[at..at + n].iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
            let tried = [
                (1, cursor.clone().u8("f").map(u64::from)),
                (4, cursor.clone().u32("f").map(u64::from)),
                (8, cursor.clone().u64("f")),
            ];
            for (size, read) in tried {
                let expected = if size <= left {
                    Ok(little(size))
                } else {
                    let problem = Problem::Truncated { needed: size as u64, had: left as u64 };
                    Err(DecodeError { offset: at as u64, field: "f", problem })
                };
                assert_eq!(read, expected, "{size} bytes at {at}");
                assert!(expected.is_ok() || expected.is_err_and(|e| e.is_truncation()));
            }
            // A failed read consumes nothing.
            assert!(cursor.take::<12>("f").is_err());
            assert_eq!(cursor.offset(), at as u64);
            for back in 0..=bytes.len() + 1 {
                let error = cursor.unexpected(back, "f", 7, "6");
                assert_eq!(error.offset, at.saturating_sub(back) as u64);
                assert!(!error.is_truncation());
                assert_eq!(error.problem, Problem::Value { found: 7, expected: "6" });
            }
        }
        for problem in [Problem::Trailing { count: 1 }, Problem::TooLarge { size: 2, limit: 1 }] {
            assert!(!DecodeError { offset: 0, field: "f", problem }.is_truncation());
        }
    }
}
