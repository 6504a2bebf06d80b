//! Buffers, and the formats in which vertex fetches and attributes read them.
//!
//! Element `index` begins `stride * index + offset` bytes into the buffer, worked out without overflow. Its components are bit
//! fields laid end to end from the least significant bit of the first byte, bytes counted little endian within each word. Every
//! byte outside the buffer, on either side, is zero. A field becomes a number as its [`FetchKind`] says, in binary64; that is
//! multiplied by 2^`exponent`, which is exact, and rounded once to binary32, nearest even.
//!
//! The order of the components is the order of their bits. A format that means another order, as a colour stored blue first does,
//! is this format followed by a swizzle, which belongs to whoever names the format.

use super::half::half;
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

/// What the bits of a component mean. n is its width, v the unsigned and s the two's complement value of its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchKind {
    /// binary32; every width except 0 counts as 32.
    #[default]
    Float32,
    /// binary16; every width except 0 counts as 16.
    Float16,
    /// Unsigned normalised: v / (2^n - 1).
    Unorm,
    /// Signed normalised: max(-1, s / (2^(n-1) - 1)), and -s for n = 1, where that has no meaning.
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
    pub const ALL: [FetchKind; 8] = [
        FetchKind::Float32,
        FetchKind::Float16,
        FetchKind::Unorm,
        FetchKind::Snorm,
        FetchKind::SnormNoZero,
        FetchKind::Uint,
        FetchKind::Sint,
        FetchKind::Fixed1616,
    ];

    /// The width that a component declared `bits` wide takes up: 0 to 32.
    #[inline]
    fn width(self, bits: u8) -> u32 {
        match (self, bits) {
            (_, 0) => 0,
            (FetchKind::Float32, _) => 32,
            (FetchKind::Float16, _) => 16,
            (_, n) => u32::from(n.min(32)),
        }
    }

    /// The value of a field of `width` bits, 1 to 32, held in the low bits of `raw`; what is above them is ignored.
    #[inline]
    fn value(self, raw: u32, width: u32) -> f64 {
        let unsigned = raw << (32 - width) >> (32 - width);
        let signed = (raw << (32 - width)) as i32 >> (32 - width);
        let all_ones = f64::from(u32::MAX >> (32 - width));
        match self {
            FetchKind::Float32 => f64::from(f32::from_bits(raw)),
            FetchKind::Float16 => f64::from(half(raw as u16)),
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

/// How an element of a buffer becomes four floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FetchFormat {
    /// What the bits of every component mean.
    pub kind: FetchKind,
    /// The width of x, y, z and w from the least significant bit up; 0 = the component is absent, above 32 = 32.
    pub bits: [u8; 4],
    /// From one element to the next, in bytes.
    #[serde(default)]
    pub stride: u16,
    /// From the start of the buffer to element 0, in bytes.
    #[serde(default)]
    pub offset: i32,
    /// Every present component is multiplied by 2 to this power.
    #[serde(default)]
    pub exponent: i8,
    /// An absent w reads 1 instead of 0; other absent components always read 0.
    #[serde(default)]
    pub missing_w_one: bool,
}

impl FetchFormat {
    /// Elements of `kind` and widths `bits` that follow each other without gaps, from the start of the buffer; absent components
    /// read (0, 0, 0, 1). An element whose bits do not fill its last byte is padded to it.
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

/// Element `index` of `buffer` as `format` reads it; see the module's definition. Total, and allocates nothing.
pub fn fetch(buffer: &Buffer, format: FetchFormat, index: i32) -> [f32; 4] {
    // At most 2^47 + 2^31 bytes either way: no overflow, even in bits.
    let mut at = (i64::from(format.stride) * i64::from(index) + i64::from(format.offset)) * 8;
    // A power of two that binary64 holds for every i8.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[u32], kind: FetchKind, bits: [u8; 4]) -> [f32; 4] {
        fetch(&Buffer { words: words.to_vec() }, FetchFormat::packed(kind, bits), 0)
    }

    #[test]
    fn normalised_bytes() {
        // Bytes 00 40 80 ff.
        let word = [0xff80_4000];
        assert_eq!(read(&word, FetchKind::Unorm, [8; 4]), [0.0, 64.0 / 255.0, 128.0 / 255.0, 1.0]);
        // s = 0, 64, -128, -1; -128 / 127 is clamped.
        assert_eq!(read(&word, FetchKind::Snorm, [8; 4]), [0.0, 64.0 / 127.0, -1.0, -1.0 / 127.0]);
        // 2 s + 1 = 1, 129, -255, -1.
        let want = [1.0 / 255.0, 129.0 / 255.0, -1.0, -1.0 / 255.0];
        assert_eq!(read(&word, FetchKind::SnormNoZero, [8; 4]), want);
    }

    #[test]
    fn integer_fields_of_uneven_width() {
        // 2_10_10_10: x = 1023, y = 1, z = 512, w = 2.
        let word = [2 << 30 | 512 << 20 | 1 << 10 | 1023];
        assert_eq!(read(&word, FetchKind::Uint, [10, 10, 10, 2]), [1023.0, 1.0, 512.0, 2.0]);
        // Two's complement: 1023 = -1, 512 = -512, and 2 of two bits = -2.
        assert_eq!(read(&word, FetchKind::Sint, [10, 10, 10, 2]), [-1.0, 1.0, -512.0, -2.0]);
        // 10_11_11 has its ten bits on top: x = 0x7ff = -1, y = 0x400 = -1024, z = 0x1ff = 511.
        let word = [0x1ff << 22 | 0x400 << 11 | 0x7ff];
        assert_eq!(read(&word, FetchKind::Sint, [11, 11, 10, 0]), [-1.0, -1024.0, 511.0, 1.0]);
        // UDEC3 leaves the top two bits alone.
        assert_eq!(read(&[0xc000_0000], FetchKind::Uint, [10, 10, 10, 0]), [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn the_narrowest_and_the_widest_fields() {
        // One bit: s = 0 or -1.
        assert_eq!(read(&[0b0001], FetchKind::Unorm, [1; 4]), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(read(&[0b0001], FetchKind::Snorm, [1; 4]), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(read(&[0b0001], FetchKind::SnormNoZero, [1; 4]), [-1.0, 1.0, 1.0, 1.0]);
        // Two bits: 2^(n-1) - 1 = 1; 2 = -2 is clamped.
        assert_eq!(read(&[0b1110_0100], FetchKind::Snorm, [2; 4]), [0.0, 1.0, -1.0, -1.0]);
        // 32 bits; 2^31 / (2^32 - 1) = 0.5 (1 + 2^-32 ...) rounds to 0.5, and 2^32 - 1 to 2^32.
        let words = [u32::MAX, 1 << 31, 0x7fff_ffff, 1];
        assert_eq!(read(&words, FetchKind::Unorm, [32; 4])[..3], [1.0, 0.5, 0.5]);
        assert_eq!(read(&words, FetchKind::Snorm, [255; 4])[1..3], [-1.0, 1.0]);
        assert_eq!(read(&words, FetchKind::Uint, [32; 4])[..2], [4294967296.0, 2147483648.0]);
        assert_eq!(read(&words, FetchKind::Sint, [32; 4]), [-1.0, -2147483648.0, 2147483648.0, 1.0]);
    }

    #[test]
    fn floats_and_fixed_point() {
        assert_eq!(read(&[0x3c00_c000], FetchKind::Float16, [16, 16, 0, 0]), [-2.0, 1.0, 0.0, 1.0]);
        let words = [1.5f32.to_bits(), (-0.0f32).to_bits(), f32::INFINITY.to_bits(), f32::NAN.to_bits()];
        let got = read(&words, FetchKind::Float32, [32; 4]);
        assert_eq!(got[..3], [1.5, 0.0, f32::INFINITY]);
        assert!(got[1].is_sign_negative() && got[3].is_nan());
        // A binary32 subnormal survives the way through binary64.
        assert_eq!(read(&[1], FetchKind::Float32, [32, 0, 0, 0])[0].to_bits(), 1);
        // 0x18000 / 0x10000 = 1.5; 0xffff8000 = -0x8000.
        assert_eq!(
            read(&[0x1_8000, 0xffff_8000], FetchKind::Fixed1616, [32, 32, 0, 0]),
            [1.5, -0.5, 0.0, 1.0]
        );
    }

    #[test]
    fn exponents_scale_before_the_one_rounding() {
        let with = |words: &[u32], kind, exponent| {
            let format = FetchFormat { exponent, ..FetchFormat::packed(kind, [32, 0, 0, 0]) };
            fetch(&Buffer { words: words.to_vec() }, format, 0)[0]
        };
        assert_eq!(with(&[3], FetchKind::Sint, -2), 0.75);
        assert_eq!(with(&[0x8000_0000], FetchKind::Sint, 31), -(2f32.powi(62)));
        // 2^-128 is a subnormal: 2^21 times the smallest, 2^-149.
        assert_eq!(with(&[1f32.to_bits()], FetchKind::Float32, -128).to_bits(), 1 << 21);
        // The smallest subnormal times 2^127: 2^-22.
        assert_eq!(with(&[1], FetchKind::Float32, 127), 2f32.powi(-22));
        // 170 / 255 = 2/3, and 2/3 of 2^-126 is 5592405.33 times 2^-149. Rounded to 24 bits first it would be 5592405.5, and then 5592406.
        let format = FetchFormat { exponent: -126, ..FetchFormat::packed(FetchKind::Unorm, [8, 0, 0, 0]) };
        assert_eq!(fetch(&Buffer { words: vec![170] }, format, 0)[0].to_bits(), 5592405);
        assert_eq!(with(&[f32::MAX.to_bits()], FetchKind::Float32, 1), f32::INFINITY);
    }

    #[test]
    fn absent_components_take_no_bits() {
        assert_eq!(read(&[0x0000_0201], FetchKind::Uint, [8, 0, 8, 0]), [1.0, 0.0, 2.0, 1.0]);
        let zeros =
            FetchFormat { missing_w_one: false, ..FetchFormat::packed(FetchKind::Uint, [8, 0, 0, 0]) };
        assert_eq!(fetch(&Buffer { words: vec![7] }, zeros, 0), [7.0, 0.0, 0.0, 0.0]);
        assert_eq!(fetch(&Buffer { words: vec![7] }, FetchFormat::default(), 0), [0.0; 4]);
    }

    #[test]
    fn addresses_are_in_bytes_and_need_no_alignment() {
        // Bytes 11 22 33 44 | 55 66 77 88, three to an element.
        let buffer = Buffer { words: vec![0x4433_2211, 0x8877_6655] };
        let format = FetchFormat::packed(FetchKind::Uint, [8, 8, 8, 0]);
        assert_eq!(format.stride, 3);
        assert_eq!(fetch(&buffer, format, 1), [68.0, 85.0, 102.0, 1.0]);
        // One field across two words: bytes 33 44 55 66.
        let across = FetchFormat { offset: 2, ..FetchFormat::packed(FetchKind::Uint, [32, 0, 0, 0]) };
        assert_eq!(fetch(&buffer, across, 0)[0], 0x6655_4433u32 as f32);
        // The last one is cut short: what is outside is zero.
        assert_eq!(fetch(&buffer, format, 2), [119.0, 136.0, 0.0, 1.0]);
        assert_eq!(fetch(&buffer, format, -1), [0.0, 0.0, 0.0, 1.0]);
        // Byte -1 is outside, bytes 0 and 1 are not.
        assert_eq!(fetch(&buffer, FetchFormat { offset: -1, ..format }, 0), [0.0, 17.0, 34.0, 1.0]);
        assert_eq!(
            fetch(&buffer, FetchFormat { stride: 5, offset: 7, ..format }, -1),
            [51.0, 68.0, 85.0, 1.0]
        );
    }

    #[test]
    fn far_addresses_read_zero() {
        let buffer = Buffer { words: vec![u32::MAX; 4] };
        for (stride, offset, index) in
            [(u16::MAX, i32::MAX, i32::MAX), (u16::MAX, i32::MIN, i32::MIN), (1, 16, 0), (1, -16, 0)]
        {
            for kind in FetchKind::ALL {
                let format = FetchFormat {
                    stride,
                    offset,
                    missing_w_one: false,
                    ..FetchFormat::packed(kind, [32; 4])
                };
                let zero = if kind == FetchKind::SnormNoZero { (1.0 / 4294967295.0f64) as f32 } else { 0.0 };
                assert_eq!(fetch(&buffer, format, index), [zero; 4]);
            }
        }
    }
}
