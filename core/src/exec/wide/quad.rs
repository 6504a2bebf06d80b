//! Operations across the lanes of a quad: derivatives, and inputs of other lanes.

use crate::exec::WIDTH;

/// Returns the lanes of those quads in which all four lanes are in `active`.
#[inline(always)]
fn whole_quads(active: u64) -> u64 {
    let pairs = active & active >> 1;
    let first = pairs & pairs >> 2 & 0x1111_1111_1111_1111;
    first * 0xf
}

/// Computes the difference between two lanes of the quad for each lane whose quad is active as a whole; 0 for the other lanes.
pub(super) fn derivative<const N: usize>(
    d: &mut [u32; WIDTH],
    a: &[u32; WIDTH],
    active: u64,
    x: bool,
    fine: bool,
) {
    let whole = whole_quads(active);
    // The bits of the lane number that the subtrahend shares with the lane, and the bit by which the minuend differs from the subtrahend.
    let (keep, step) = match (x, fine) {
        (true, true) => (2, 1),
        (true, false) => (0, 1),
        (false, true) => (1, 2),
        (false, false) => (0, 2),
    };
    for i in 0..N {
        let from = i & !3 | i & keep;
        let difference = f32::from_bits(a[from | step]) - f32::from_bits(a[from]);
        d[i] = if whole >> i & 1 == 1 { difference.to_bits() } else { 0 };
    }
}

/// Takes each lane's value from a lane of its quad: lane k of the quad from the lane in bits 2k and 2k + 1 of `lanes`.
pub(super) fn other_lane<const N: usize>(d: &mut [u32; WIDTH], a: &[u32; WIDTH], lanes: u32) {
    for i in 0..N {
        d[i] = a[i & !3 | (lanes >> (2 * (i & 3)) & 3) as usize];
    }
}
