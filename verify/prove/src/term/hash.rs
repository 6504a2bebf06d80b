//! The hash that orders operands, the same on every machine, and a faster hash for maps.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

type Fixed = BuildHasherDefault<FastHash>;

/// A map whose keys are internal (terms, registers, places), so that they are not adversarial.
pub(crate) type Map<K, V> = HashMap<K, V, Fixed>;

/// A set with such internal keys.
pub(crate) type Set<K> = HashSet<K, Fixed>;

/// Like FNV-1a, but over 64-bit words, with a rotation after each word and a final mix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StableHash(u64);

impl Default for StableHash {
    fn default() -> Self {
        StableHash(0xcbf2_9ce4_8422_2325)
    }
}

impl StableHash {
    #[inline]
    fn word(&mut self, v: u64) {
        self.0 = (self.0 ^ v).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }
}

impl Hasher for StableHash {
    fn finish(&self) -> u64 {
        let x = (self.0 ^ self.0 >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^ x >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.word(u64::from(*b));
        }
    }
    fn write_u8(&mut self, v: u8) {
        self.word(v.into());
    }
    fn write_u32(&mut self, v: u32) {
        self.word(v.into());
    }
    fn write_i32(&mut self, v: i32) {
        self.word(v as u64);
    }
    fn write_u64(&mut self, v: u64) {
        self.word(v);
    }
    fn write_usize(&mut self, v: usize) {
        self.word(v as u64);
    }
    fn write_isize(&mut self, v: isize) {
        self.word(v as u64);
    }
}

/// A hash function with one multiplication per word. Nothing is ordered by this hash, and no file contains it, so it may be changed at any time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FastHash(u64);

impl FastHash {
    /// Returns the hash of a value, as 32 bits.
    #[inline]
    pub(super) fn of(value: &impl Hash) -> u32 {
        let mut hasher = FastHash::default();
        value.hash(&mut hasher);
        hasher.finish() as u32
    }

    #[inline]
    fn word(&mut self, v: u64) {
        self.0 = (self.0.rotate_left(26) ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for FastHash {
    #[inline]
    fn finish(&self) -> u64 {
        // The upper bits of a product depend on every bit of its factors.
        self.0 ^ self.0 >> 32
    }
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
    }
    #[inline]
    fn write_u8(&mut self, v: u8) {
        self.word(v.into());
    }
    #[inline]
    fn write_u16(&mut self, v: u16) {
        self.word(v.into());
    }
    #[inline]
    fn write_u32(&mut self, v: u32) {
        self.word(v.into());
    }
    #[inline]
    fn write_i32(&mut self, v: i32) {
        self.word(v as u64);
    }
    #[inline]
    fn write_u64(&mut self, v: u64) {
        self.word(v);
    }
    #[inline]
    fn write_usize(&mut self, v: usize) {
        self.word(v as u64);
    }
    #[inline]
    fn write_isize(&mut self, v: isize) {
        self.word(v as u64);
    }
}
