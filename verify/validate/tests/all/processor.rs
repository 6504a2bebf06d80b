//! The semantics of single instructions, compared with the processor.

use lockstep_core::exec::check::{Form, Single, boundary, forms};
use lockstep_core::exec::{Level, WIDTH};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::random::Source;
use lockstep_core::value::Concrete;
use lockstep_validate::numbers::execute;
use lockstep_validate::sequence::Vector;
use lockstep_validate::word::Word;

/// Whether a word has these bits, or both are NaN.
fn has_bits(word: &Word<Concrete>, bits: u32) -> bool {
    match word {
        Scalar::F(v) => v.to_bits() == bits || v.is_nan() && f32::from_bits(bits).is_nan(),
        Scalar::I(v) => *v as u32 == bits,
        Scalar::B(v) => bits == if *v { u32::MAX } else { 0 },
    }
}

/// Compares an instruction form with its semantics on one block of lanes.
fn compare(form: Form, single: &Single, level: Level, operands: &[[u32; WIDTH]; 3], before: &[u32; WIDTH]) {
    let vector = if level == Level::Jit512 { Vector::Bits512 } else { Vector::Bits256 };
    let found = single.run(operands, before);
    for lane in 0..WIDTH {
        let rows = [operands[0][lane], operands[1][lane], operands[2][lane], before[lane]];
        let expected = execute(single.bytes(), vector, level, &rows).unwrap();
        assert!(
            has_bits(&expected[3], found[lane]),
            "{} on {level:?}: {rows:08x?} gives {:08x} and not {:?}",
            form.name,
            found[lane],
            expected[3]
        );
    }
}

const SPECIAL: [u32; 11] = [
    0,
    0x8000_0000,
    1,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7fff_ffff,
    0xffff_ffff,
    32,
];

fn compare_all_forms(level: Level) {
    if !level.is_available() {
        eprintln!("{level:?} is not compared: this processor has no such instructions");
        return;
    }
    let values = boundary();
    let mut random = Source::seeded(18);
    let all = forms(level);
    assert!(all.len() > 60, "{}", all.len());
    for form in all {
        let single = Single::new(form, level).unwrap();
        let mut sets: Vec<[u32; 3]> = Vec::new();
        for (k, a) in values.iter().enumerate() {
            // Combines each number with nine pairs of others; a form with one operand needs each number only once.
            for step in 0..if form.operands == 1 { 1 } else { 9 } {
                let other = |n: usize| values[(k * 31 + step * (n * 17 + 29) + n) % values.len()];
                sets.push([*a, other(1), other(2)]);
            }
            sets.push([*a, *a, *a]);
        }
        // Combines zeros of both signs, infinities, NaN and the limits of the integers with one another.
        sets.extend(SPECIAL.iter().flat_map(|a| SPECIAL.iter().map(move |b| [*a, *b, a ^ b])));
        sets.resize_with(sets.len() + 20 * WIDTH, || [random.bits(), random.bits(), random.bits()]);
        sets.truncate(sets.len() / WIDTH * WIDTH);
        for block in sets.chunks(WIDTH) {
            let operand = |n: usize| std::array::from_fn(|lane| block[lane][n]);
            let before = std::array::from_fn(|lane| lane as u32 ^ 0x3f80_0000);
            compare(form, &single, level, &[operand(0), operand(1), operand(2)], &before);
        }
    }
}

#[test]
fn instructions_of_256_bits_match_their_semantics() {
    compare_all_forms(Level::Jit256);
}

#[test]
fn instructions_of_512_bits_match_their_semantics() {
    compare_all_forms(Level::Jit512);
}
