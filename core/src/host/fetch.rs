//! Buffers, and the formats in which vertex fetches and attributes read them.
//!
//! Element `index` begins at byte `stride * index + offset` of the buffer; this position is computed without overflow. The components are bit fields
//! packed from the least significant bit of the first byte, with little-endian bytes within each word. All bytes outside the buffer, before its start
//! and past its end, are zero. The [`FetchKind`] defines how a field becomes a binary64 number. The binary64 number is multiplied by 2^`exponent`,
//! which is exact, and rounded once to binary32, nearest even.
//!
//! The first component is in the lowest bits. A format with another order of components, such as a colour stored blue first, needs a swizzle after
//! the fetch. The caller has to apply the swizzle.

use super::half::{half, half_finite};
use serde::{Deserialize, Serialize};

/// Raw memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// Little-endian words from address 0 up.
    pub words: Vec<u32>,
}

impl Buffer {
    /// The word at word address `index`; zero outside.
    #[inline]
    fn word(&self, index: i64) -> u64 {
        usize::try_from(index).ok().and_then(|i| self.words.get(i)).map_or(0, |&word| u64::from(word))
    }

    /// 32 bits from bit address `at`, which need not be aligned.
    #[inline]
    fn bits(&self, at: i64) -> u32 {
        let index = at >> 5;
        ((self.word(index) | self.word(index + 1) << 32) >> (at & 31)) as u32
    }
}

/// The meaning of a component's bits. In the formulas, n is the component's width in bits, v the unsigned and s the two's complement value of the
/// bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchKind {
    /// binary32; every width except 0 counts as 32.
    #[default]
    Float32,
    /// binary16; every width except 0 counts as 16.
    Float16,
    /// binary16 without infinities, NaN and subnormals: exponent 31 is an ordinary exponent, which makes 131008 the largest number, and subnormal
    /// encodings are zeros of the same sign. Every width except 0 counts as 16.
    Float16Finite,
    /// Unsigned normalised: v / (2^n - 1).
    Unorm,
    /// Signed normalised: max(-1, s / (2^(n-1) - 1)). For n = 1 that formula would divide by 0, and the value is -s.
    Snorm,
    /// Signed normalised with evenly spaced values and no zero: (2 s + 1) / (2^n - 1).
    SnormNoZero,
    /// Unsigned integer: v.
    Uint,
    /// Signed integer: s.
    Sint,
    /// Signed fixed point with 16 fraction bits: s / 2^16.
    Fixed1616,
}

impl FetchKind {
    /// Every kind, in declaration order.
    pub const ALL: [FetchKind; 9] = [
        FetchKind::Float32,
        FetchKind::Float16,
        FetchKind::Float16Finite,
        FetchKind::Unorm,
        FetchKind::Snorm,
        FetchKind::SnormNoZero,
        FetchKind::Uint,
        FetchKind::Sint,
        FetchKind::Fixed1616,
    ];

    /// The width, 0 to 32, of a component declared `bits` wide.
    #[inline]
    fn width(self, bits: u8) -> u32 {
        match (self, bits) {
            (_, 0) => 0,
            (FetchKind::Float32, _) => 32,
            (FetchKind::Float16 | FetchKind::Float16Finite, _) => 16,
            (_, n) => u32::from(n.min(32)),
        }
    }

    /// The value of a field of `width` bits (1 to 32) in the low bits of `raw`. Higher bits are ignored.
    #[inline]
    fn value(self, raw: u32, width: u32) -> f64 {
        let unsigned = raw << (32 - width) >> (32 - width);
        let signed = (raw << (32 - width)) as i32 >> (32 - width);
        let all_ones = f64::from(u32::MAX >> (32 - width));
        match self {
            FetchKind::Float32 => f64::from(f32::from_bits(raw)),
            FetchKind::Float16 => f64::from(half(raw as u16)),
            FetchKind::Float16Finite => f64::from(half_finite(raw as u16)),
            FetchKind::Unorm => f64::from(unsigned) / all_ones,
            FetchKind::Snorm if width == 1 => f64::from(-signed),
            FetchKind::Snorm => (f64::from(signed) / f64::from(u32::MAX >> (33 - width))).max(-1.0),
            FetchKind::SnormNoZero => (2.0 * f64::from(signed) + 1.0) / all_ones,
            FetchKind::Uint => f64::from(unsigned),
            FetchKind::Sint => f64::from(signed),
            FetchKind::Fixed1616 => f64::from(signed) / 65536.0,
        }
    }
}

/// The conversion of a buffer's element to four floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FetchFormat {
    /// The meaning of every component's bits.
    pub kind: FetchKind,
    /// The widths of x, y, z and w in bits, from the least significant bit up. 0 means that the component is absent. Any other width
    /// of a float counts as that of its kind, and widths of other kinds above 32 count as 32.
    pub bits: [u8; 4],
    /// Distance between elements, in bytes.
    #[serde(default)]
    pub stride: u16,
    /// Distance from the start of the buffer to element 0, in bytes.
    #[serde(default)]
    pub offset: i32,
    /// The exponent of a power of two by which every present component is multiplied.
    #[serde(default)]
    pub exponent: i8,
    /// Whether an absent w reads 1 instead of 0; other absent components always read 0.
    #[serde(default)]
    pub missing_w_one: bool,
}

impl FetchFormat {
    /// A format for elements of `kind` and widths `bits`, packed from the start of the buffer. An absent x, y or z reads 0, an absent w reads 1.
    /// An element that does not end at a byte boundary is padded to the next one.
    pub fn packed(kind: FetchKind, bits: [u8; 4]) -> FetchFormat {
        let width: u32 = bits.into_iter().map(|b| kind.width(b)).sum();
        FetchFormat {
            kind,
            bits,
            stride: width.div_ceil(8) as u16,
            offset: 0,
            exponent: 0,
            missing_w_one: true,
        }
    }
}

/// Element `index` of `buffer` in `format`, as the module defines it. Never fails, and allocates nothing.
pub fn fetch(buffer: &Buffer, format: FetchFormat, index: i32) -> [f32; 4] {
    // The offset is at most 2^47 + 2^31 bytes in either direction, so it does not overflow, even in bits.
    let mut at = (i64::from(format.stride) * i64::from(index) + i64::from(format.offset)) * 8;
    // 2^exponent is a normal binary64 number for every i8.
    let scale = f64::from_bits(((i64::from(format.exponent) + 1023) as u64) << 52);
    let mut out = [0.0, 0.0, 0.0, if format.missing_w_one { 1.0 } else { 0.0 }];
    for (out, bits) in out.iter_mut().zip(format.bits) {
        let width = format.kind.width(bits);
        if width != 0 {
            *out = (format.kind.value(buffer.bits(at), width) * scale) as f32;
            at += i64::from(width);
        }
    }
    out
}
