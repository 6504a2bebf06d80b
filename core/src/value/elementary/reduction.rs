//! Argument reduction: converts an angle of any size to a fraction of a turn.

/// 1/(2 pi) * 2^320, least significant limb first. The last three limbs, which are 0, are bits before the binary point; for small arguments, the
/// window of bits that is used extends into them.
pub(super) const INVERSE_TWO_PI: [u64; 8] = [
    0x6dc9_1b8e_9093_74b8,
    0x7f94_58ea_f7ae_f158,
    0x36d8_a566_4f10_e410,
    0x7f09_d5f4_7d4d_3770,
    0x28be_60db_9391_054a,
    0,
    0,
    0,
];

/// |x|/(2 pi) modulo 1 in Q0.128, for a finite x of at least 2^-13 in magnitude; the error is below 2^-127.
///
/// Let |x| = m 2^e, where m is an integer of 24 bits. The bits of 1/(2 pi) with a weight of 2^-e or more only add whole turns, and bits far below
/// 2^(-e-128) are below the error. A window of 192 bits contains all bits between these, and its product with m is exact.
pub(super) fn turns(x: f32) -> u128 {
    let biased = (x.to_bits() >> 23 & 0xff) as i32;
    let m = u128::from(x.to_bits() & 0x7f_ffff | 0x80_0000);
    let e = biased - 150; // from -36 to 104
    // The window is floor(2^(e+160) / (2 pi)) modulo 2^192, so the table is shifted right by 56 to 196.
    let shift = (160 - e) as usize;
    let limb = |i: usize| {
        let at = shift / 64 + i;
        let pair = u128::from(INVERSE_TWO_PI[at]) | u128::from(INVERSE_TWO_PI[at + 1]) << 64;
        u128::from((pair >> (shift % 64)) as u64)
    };
    let p0 = m * limb(0);
    let p1 = m * limb(1) + (p0 >> 64);
    let p2 = m * limb(2) + (p1 >> 64);
    // The product is in units of 2^-160 turns. Its low 32 bits, and the whole turns from bit 160 on, are dropped.
    u128::from(p0 as u64) >> 32 | u128::from(p1 as u64) << 32 | p2 << 96
}
