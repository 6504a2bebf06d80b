//! Sets of three and more operands.
//!
//! Numbers drawn from all boundary values hardly ever make two operands meet, and it is where they meet that kernels of several operations go
//! wrong: two zeros of different sign, an infinity and a zero. So the few numbers that operations treat apart are put together on purpose.

/// Numbers that operations of the IR treat apart: both signs of zero, of one, of the ends of the range and of the smallest number, NaN, and a number
/// that is none of these. As integers they have either sign, and as truth values they are both.
pub(super) const APART: [u32; 12] = [
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

/// Tuples of `n` operands, in which every two operands have every two of [`APART`], and of three operands every three. Those that share the
/// operands named by the bits of `constants` follow each other, because one run serves them.
pub(super) fn tuples(n: usize, constants: u32) -> Vec<Vec<u32>> {
    let mut all = if n == 3 { every(n) } else { pairs(n) };
    let fixed = |tuple: &Vec<u32>| -> Vec<u32> {
        (0..n).filter(|k| constants >> k & 1 == 1).map(|k| tuple[k]).collect()
    };
    all.sort_by_cached_key(|tuple| (fixed(tuple), tuple.clone()));
    all.dedup();
    all
}

/// All of them.
fn every(n: usize) -> Vec<Vec<u32>> {
    let count = APART.len();
    let digit = |number: usize, k: usize| APART[number / count.pow(k as u32) % count];
    (0..count.pow(n as u32)).map(|number| (0..n).map(|k| digit(number, k)).collect()).collect()
}

/// A row for every two values in an orthogonal array: over the field of 13 elements the lines `a + b k` meet every pair of columns in every pair of values
/// exactly once (R. C. Bose, 1938). The thirteenth element stands for the last number once more.
fn pairs(n: usize) -> Vec<Vec<u32>> {
    const PRIME: usize = 13;
    let number = |element: usize| APART[element.min(APART.len() - 1)];
    let lines = (0..PRIME).flat_map(|a| (0..PRIME).map(move |b| (a, b)));
    lines.map(|(a, b)| (0..n).map(|k| number((a + b * k) % PRIME)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_two_operands_have_every_two_numbers_whatever_is_constant() {
        for n in 3..=8 {
            for constants in [0, 0x55, 0xaa, 0xff] {
                let all = tuples(n, constants);
                for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
                    let met: BTreeSet<(u32, u32)> = all.iter().map(|t| (t[i], t[j])).collect();
                    assert_eq!(met.len(), APART.len().pow(2), "operands {j} and {i} of {n}");
                }
                // Each set of constants comes once in a row.
                let fixed: Vec<Vec<u32>> = all
                    .iter()
                    .map(|t| (0..n).filter(|k| constants >> k & 1 == 1).map(|k| t[k]).collect())
                    .collect();
                let runs = fixed.chunk_by(|a, b| a == b).count();
                assert_eq!(runs, fixed.iter().collect::<BTreeSet<_>>().len());
            }
        }
        assert_eq!(tuples(3, 0).len(), APART.len().pow(3));
    }

    #[test]
    fn the_numbers_are_of_every_kind() {
        let kind = |bits: &u32| {
            let value = f32::from_bits(*bits);
            (value.classify() as u8, value.is_sign_negative(), value.abs() == 1.0)
        };
        // Zero, one, other normal numbers, subnormals and infinities of both signs, and NaN; normal ones are the largest and pi.
        assert_eq!(APART.iter().map(kind).collect::<BTreeSet<_>>().len(), 11);
    }
}
