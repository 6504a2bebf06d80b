//! Tuples of three and more operands.
//!
//! Random operands from all boundary values are seldom related. But a fault in a kernel that combines operations may show only with related operands,
//! such as two zeros of different sign, or an infinity and a zero. Therefore the few numbers that operations treat specially are combined
//! systematically.

/// Numbers that operations of the IR treat specially: zero, one, infinity, the largest finite and the smallest subnormal number with either sign,
/// NaN, and a number that is none of these. Taken as integers, the list has numbers of either sign; taken as truth values, it has true and false.
pub(super) const SPECIAL_NUMBERS: [u32; 12] = [
    0,           // +0
    0x8000_0000, // -0
    0x3f80_0000, // 1
    0xbf80_0000, // -1
    0x7f80_0000, // infinity
    0xff80_0000, // -infinity
    0x7fc0_0000, // NaN
    0x7f7f_ffff, // the largest finite number
    0xff7f_ffff,
    0x0000_0001, // the smallest subnormal
    0x8000_0001,
    0x4049_0fdb, // pi
];

/// Returns tuples of `n` operands. For any two operands, each pair of [`SPECIAL_NUMBERS`] occurs in a tuple; if `n` is 3, each triple occurs. Bit k
/// of `constants` states whether operand k is a constant. Tuples with equal constants are adjacent, because one run covers them.
pub(super) fn tuples(n: usize, constants: u32) -> Vec<Vec<u32>> {
    let mut all = if n == 3 { every(n) } else { pairs(n) };
    let fixed = |tuple: &Vec<u32>| -> Vec<u32> {
        (0..n).filter(|k| constants >> k & 1 == 1).map(|k| tuple[k]).collect()
    };
    all.sort_by_cached_key(|tuple| (fixed(tuple), tuple.clone()));
    all.dedup();
    all
}

/// Returns all tuples of `n` special numbers.
fn every(n: usize) -> Vec<Vec<u32>> {
    let count = SPECIAL_NUMBERS.len();
    let digit = |number: usize, k: usize| SPECIAL_NUMBERS[number / count.pow(k as u32) % count];
    (0..count.pow(n as u32)).map(|number| (0..n).map(|k| digit(number, k)).collect()).collect()
}

/// Returns an orthogonal array over the field of 13 elements (R. C. Bose, 1938). For each a and b, it has a row whose column k is `a + b k`. Any two
/// columns contain every pair of elements exactly once. The thirteenth element is mapped to the last special number, too.
fn pairs(n: usize) -> Vec<Vec<u32>> {
    const PRIME: usize = 13;
    let number = |element: usize| SPECIAL_NUMBERS[element.min(SPECIAL_NUMBERS.len() - 1)];
    let lines = (0..PRIME).flat_map(|a| (0..PRIME).map(move |b| (a, b)));
    lines.map(|(a, b)| (0..n).map(|k| number((a + b * k) % PRIME)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn operand_pairs_take_all_pairs_of_numbers() {
        for n in 3..=8 {
            for constants in [0, 0x55, 0xaa, 0xff] {
                let all = tuples(n, constants);
                for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
                    let found: BTreeSet<(u32, u32)> = all.iter().map(|t| (t[i], t[j])).collect();
                    assert_eq!(found.len(), SPECIAL_NUMBERS.len().pow(2), "operands {j} and {i} of {n}");
                }
                // The tuples with equal constants are contiguous.
                let fixed: Vec<Vec<u32>> = all
                    .iter()
                    .map(|t| (0..n).filter(|k| constants >> k & 1 == 1).map(|k| t[k]).collect())
                    .collect();
                let runs = fixed.chunk_by(|a, b| a == b).count();
                assert_eq!(runs, fixed.iter().collect::<BTreeSet<_>>().len());
            }
        }
        assert_eq!(tuples(3, 0).len(), SPECIAL_NUMBERS.len().pow(3));
    }

    #[test]
    fn the_numbers_are_of_every_kind() {
        let kind = |bits: &u32| {
            let value = f32::from_bits(*bits);
            (value.classify() as u8, value.is_sign_negative(), value.abs() == 1.0)
        };
        // There are 11 kinds: zeros, ones, other normal numbers, subnormals and infinities, each of both signs, and NaN.
        assert_eq!(SPECIAL_NUMBERS.iter().map(kind).collect::<BTreeSet<_>>().len(), 11);
    }
}
