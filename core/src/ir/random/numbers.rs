//! Random numbers in which edge cases are frequent.

use super::Source;

/// Floats, as bits, at which a wrong rewrite rule is likely to fail.
pub const FLOATS: [u32; 68] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x0040_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3f7f_ffff,
    0xbf80_0001,
    0x3f00_0000,
    0xbf00_0000,
    0x3f00_0001,
    0x3eff_ffff,
    0x4000_0000,
    0xc000_0000,
    0x4040_0000,
    0xc040_0000,
    0x3fc0_0000,
    0xbfc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x3dcc_cccd,
    0xbdcc_cccd,
    0x4049_0fdb,
    0x3eaa_aaab,
    0x4080_0000,
    0x3e80_0000,
    0x42fe_0000,
    0x437f_0000,
    0x4b00_0000,
    0x4b7f_ffff,
    0x4b80_0000,
    0xcb80_0001,
    0x4f00_0000,
    0xcf00_0000,
    0x4eff_ffff,
    0xcf00_0001,
    0x4f80_0000,
    0x477f_e000,
    0x5f7f_ff80,
    0x5f7f_ffc0,
    0x5f80_0000,
    0x2000_0000,
    0x2080_0000,
    0x1900_0000,
    0x18ff_ffff,
    0x3f80_0040,
    0x7e80_0000,
    0x7f00_0000,
    0xff00_0000,
    0x7e7f_ffff,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x0100_0000,
    0x8100_0000,
    0x1e3c_e508,
    0x60ad_78ec,
    0xe0ad_78ec,
    0x5ef0_0000,
];

/// Integers at which a wrong rewrite rule is likely to fail.
pub const INTS: [i32; 20] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    5,
    31,
    32,
    33,
    255,
    256,
    0x7f_ffff,
    1 << 23,
    -(1 << 23),
    0x1234_5678,
    i32::MAX,
    i32::MIN,
    i32::MIN + 1,
    0x7fc0_0001,
];

/// Non-canonical NaNs, as bits: signalling and quiet, of either sign, with small and large payloads.
pub const NANS: [u32; 7] =
    [0x7f80_0001, 0xff80_0001, 0x7fa0_0000, 0xffbf_ffff, 0x7fc1_2345, 0xffc0_0000, 0x7fff_ffff];

/// A random float, as bits.
pub(super) fn float(r: &mut Source<'_>) -> u32 {
    match r.below(8) {
        0..4 => (r.below(1024) as f32 / 128.0 - 4.0).to_bits(),
        4 => r.bits(),
        5 => r.pick(&NANS),
        _ => r.pick(&FLOATS),
    }
}

/// A random integer.
pub(super) fn int(r: &mut Source<'_>) -> i32 {
    match r.below(3) {
        0 => r.below(6) as i32,
        1 => r.pick(&INTS),
        _ => r.bits() as i32,
    }
}
