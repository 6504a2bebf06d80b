//! Reads of buffers, with results computed by hand from the definition of the formats.

use crate::host::{Buffer, FetchFormat, FetchKind};
use FetchKind::{Fixed1616, Float16, Float16Finite, Float32, Sint, Snorm, SnormNoZero, Uint, Unorm};

/// A fetch from a buffer, with its expected result.
#[derive(Clone, Debug)]
pub struct FetchVector {
    /// Why `expected` is the result: a calculation or a rule.
    pub why: &'static str,
    /// The buffer to read.
    pub buffer: Buffer,
    /// The format.
    pub format: FetchFormat,
    /// The index of the element.
    pub index: i32,
    /// The expected result.
    pub expected: [f32; 4],
}

fn row(why: &'static str, words: &[u32], format: FetchFormat, index: i32, expected: [f32; 4]) -> FetchVector {
    FetchVector { why, buffer: Buffer { words: words.to_vec() }, format, index, expected }
}

/// Returns the vectors that [`super::fetches`] checks.
pub fn fetch_vectors() -> Vec<FetchVector> {
    let mut all = kinds();
    all.extend(exponents());
    all.extend(addresses());
    all
}

fn kinds() -> Vec<FetchVector> {
    let bytes = [0xff80_4000];
    let uneven = [2 << 30 | 512 << 20 | 1 << 10 | 1023];
    let other = [0x1ff << 22 | 0x400 << 11 | 0x7ff];
    let ends = [u32::MAX, 1 << 31, 0x7fff_ffff, 1];
    let special = [1.5f32.to_bits(), (-0.0f32).to_bits(), f32::INFINITY.to_bits(), f32::NAN.to_bits()];
    let rows: [(&str, &[u32], FetchKind, [u8; 4], [f32; 4]); 21] = [
        ("bytes 00 40 80 ff over 255", &bytes, Unorm, [8; 4], [0.0, 64.0 / 255.0, 128.0 / 255.0, 1.0]),
        (
            "0, 64, -128, -1 over 127; -128 / 127 is clamped",
            &bytes,
            Snorm,
            [8; 4],
            [0.0, 64.0 / 127.0, -1.0, -1.0 / 127.0],
        ),
        (
            "2 s + 1 = 1, 129, -255, -1, over 255",
            &bytes,
            SnormNoZero,
            [8; 4],
            [1.0 / 255.0, 129.0 / 255.0, -1.0, -1.0 / 255.0],
        ),
        ("2_10_10_10", &uneven, Uint, [10, 10, 10, 2], [1023.0, 1.0, 512.0, 2.0]),
        (
            "two's complement of ten bits and of two",
            &uneven,
            Sint,
            [10, 10, 10, 2],
            [-1.0, 1.0, -512.0, -2.0],
        ),
        (
            "10_11_11: 0x7ff, 0x400 and 0x1ff on top",
            &other,
            Sint,
            [11, 11, 10, 0],
            [-1.0, -1024.0, 511.0, 1.0],
        ),
        ("the top two bits are ignored", &[0xc000_0000], Uint, [10, 10, 10, 0], [0.0, 0.0, 0.0, 1.0]),
        ("one bit: v / 1", &[1], Unorm, [1; 4], [1.0, 0.0, 0.0, 0.0]),
        ("one bit: -s", &[1], Snorm, [1; 4], [1.0, 0.0, 0.0, 0.0]),
        ("one bit: 2 s + 1", &[1], SnormNoZero, [1; 4], [-1.0, 1.0, 1.0, 1.0]),
        ("two bits: 0, 1, -2 clamped, -1", &[0b1110_0100], Snorm, [2; 4], [0.0, 1.0, -1.0, -1.0]),
        ("2^31 / (2^32 - 1) rounds to 0.5", &ends, Unorm, [32; 4], [1.0, 0.5, 0.5, 1.0 / 4294967296.0]),
        (
            "a width above 32 is 32",
            &ends,
            Snorm,
            [255; 4],
            [-1.0 / 2147483648.0, -1.0, 1.0, 1.0 / 2147483648.0],
        ),
        (
            "2^32 - 1 and 2^31 - 1 round up",
            &ends,
            Uint,
            [32; 4],
            [4294967296.0, 2147483648.0, 2147483648.0, 1.0],
        ),
        ("signed integers", &ends, Sint, [32; 4], [-1.0, -2147483648.0, 2147483648.0, 1.0]),
        ("half floats 0xc000 and 0x3c00", &[0x3c00_c000], Float16, [16, 16, 0, 0], [-2.0, 1.0, 0.0, 1.0]),
        (
            "half floats 0x7c00 and 0xfe00 are infinite and NaN",
            &[0xfe00_7c00],
            Float16,
            [16, 16, 0, 0],
            [f32::INFINITY, f32::NAN, 0.0, 1.0],
        ),
        (
            "without infinities, 0x7c00 is 2^16, 0xffff is -(2 - 2^-10) * 2^16; the subnormal 0x83ff is -0",
            &[0xffff_7c00, 0x3c00_83ff],
            Float16Finite,
            [16; 4],
            [65536.0, -131_008.0, -0.0, 1.0],
        ),
        ("floats keep their bits", &special, Float32, [32; 4], [1.5, -0.0, f32::INFINITY, f32::NAN]),
        (
            "0x18000 / 0x10000, -0x8000 / 0x10000",
            &[0x1_8000, 0xffff_8000],
            Fixed1616,
            [32, 32, 0, 0],
            [1.5, -0.5, 0.0, 1.0],
        ),
        ("absent components take no bits", &[0x0000_0201], Uint, [8, 0, 8, 0], [1.0, 0.0, 2.0, 1.0]),
    ];
    let mut all: Vec<FetchVector> = rows
        .map(|(why, words, kind, bits, xyzw)| row(why, words, FetchFormat::packed(kind, bits), 0, xyzw))
        .into();
    let smallest = f32::from_bits(1);
    let one = FetchFormat::packed(Float32, [32, 0, 0, 0]);
    all.push(row("a subnormal stays", &[1], one, 0, [smallest, 0.0, 0.0, 1.0]));
    let zeros = FetchFormat { missing_w_one: false, ..FetchFormat::packed(Uint, [8, 0, 0, 0]) };
    all.push(row("an absent w may be 0", &[7], zeros, 0, [7.0, 0.0, 0.0, 0.0]));
    all.push(row("no component at all", &[7], FetchFormat::default(), 0, [0.0; 4]));
    all
}

fn exponents() -> Vec<FetchVector> {
    let rows: [(&str, u32, FetchKind, i8, f32); 6] = [
        ("3 / 4", 3, Sint, -2, 0.75),
        ("-2^31 * 2^31", 0x8000_0000, Sint, 31, -4_611_686_018_427_387_904.0),
        ("2^-128 is 2^21 times the smallest subnormal", 0x3f80_0000, Float32, -128, f32::from_bits(1 << 21)),
        ("the smallest subnormal times 2^127: 2^-22", 1, Float32, 127, 1.0 / 4_194_304.0),
        ("overflow to infinity", 0x7f7f_ffff, Float32, 1, f32::INFINITY),
        (
            "2/3 of 2^-126 is 5592405.33 times 2^-149; rounded twice it would be 5592406",
            170,
            Unorm,
            -126,
            f32::from_bits(5_592_405),
        ),
    ];
    rows.map(|(why, word, kind, exponent, x)| {
        let bits = if kind == Unorm { [8, 0, 0, 0] } else { [32, 0, 0, 0] };
        let format = FetchFormat { exponent, ..FetchFormat::packed(kind, bits) };
        row(why, &[word], format, 0, [x, 0.0, 0.0, 1.0])
    })
    .into()
}

fn addresses() -> Vec<FetchVector> {
    // Bytes 11 22 33 44 | 55 66 77 88, three per element.
    let words = [0x4433_2211, 0x8877_6655];
    let format = FetchFormat::packed(Uint, [8, 8, 8, 0]);
    let across = FetchFormat { offset: 2, ..FetchFormat::packed(Uint, [32, 0, 0, 0]) };
    let mut all = vec![
        row("bytes 44 55 66", &words, format, 1, [68.0, 85.0, 102.0, 1.0]),
        row(
            "one field across two words: 33 44 55 66",
            &words,
            across,
            0,
            [0x6655_4433u32 as f32, 0.0, 0.0, 1.0],
        ),
        row("the last element is cut short: zeros outside", &words, format, 2, [119.0, 136.0, 0.0, 1.0]),
        row("before the first element", &words, format, -1, [0.0, 0.0, 0.0, 1.0]),
        row(
            "byte -1 is outside, 0 and 1 are not",
            &words,
            FetchFormat { offset: -1, ..format },
            0,
            [0.0, 17.0, 34.0, 1.0],
        ),
        row(
            "byte offset -5 + 7 = 2",
            &words,
            FetchFormat { stride: 5, offset: 7, ..format },
            -1,
            [51.0, 68.0, 85.0, 1.0],
        ),
    ];
    for (stride, offset, index) in
        [(u16::MAX, i32::MAX, i32::MAX), (u16::MAX, i32::MIN, i32::MIN), (1, 16, 0), (1, -16, 0)]
    {
        for kind in FetchKind::ALL {
            let format =
                FetchFormat { stride, offset, missing_w_one: false, ..FetchFormat::packed(kind, [32; 4]) };
            // (2 * 0 + 1) / (2^32 - 1), rounded to binary32.
            let zero = if kind == SnormNoZero { 1.0 / 4_294_967_296.0 } else { 0.0 };
            all.push(row("far outside is zero", &[u32::MAX; 4], format, index, [zero; 4]));
        }
    }
    all
}
