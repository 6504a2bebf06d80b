//! Derivatives.

use crate::exec::WIDTH;

/// The lanes of those quads that have all four lanes in `active`.
#[inline(always)]
fn whole(active: u64) -> u64 {
    let pairs = active & active >> 1;
    let first = pairs & pairs >> 2 & 0x1111_1111_1111_1111;
    first * 0xf
}

/// The difference to a neighbour in each lane of the quads that run completely; 0 in the others.
pub(super) fn derivative<const N: usize>(
    d: &mut [u32; WIDTH],
    a: &[u32; WIDTH],
    active: u64,
    x: bool,
    fine: bool,
) {
    let whole = whole(active);
    // The bits of the lane number that select the subtrahend, and the bit between it and the minuend.
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
