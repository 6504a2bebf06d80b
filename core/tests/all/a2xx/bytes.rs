//! Tests of words: the typed forms preserve every bit.

use super::corpus::text_round_trip;
use lockstep_core::isa::a2xx::program::{
    Alu, Clause, Program, Shader, Slot, Texture, Vertex, component, swizzle,
};
use lockstep_core::isa::a2xx::word::LAYOUTS;
use lockstep_core::isa::a2xx::{decode, encode};

/// Marsaglia's xorshift: the same words in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn word(&mut self) -> u128 {
        u128::from(self.next()) | u128::from(self.next()) << 64
    }
}

const BITS96: u128 = (1 << 96) - 1;

#[test]
fn clauses_preserve_every_bit() {
    let mut random = Random(1);
    for op in 0..16u64 {
        for bit in 0..44 {
            for word in [op << 44 | 1 << bit, op << 44 | ((1 << 44) - 1) & !(1 << bit)] {
                assert_eq!(Clause::from_word(word).to_word(), word);
            }
        }
        for _ in 0..10_000 {
            let word = random.next() & 0xfff_ffff_ffff | op << 44;
            let clause = Clause::from_word(word);
            assert_eq!((clause.to_word(), clause.op() as u64), (word, op));
        }
    }
}

#[test]
fn slots_preserve_every_bit() {
    let mut random = Random(2);
    let singles = (0..96).flat_map(|bit| [1u128 << bit, BITS96 & !(1 << bit)]);
    let many = std::iter::repeat_with(|| random.word() & BITS96).take(100_000);
    for word in singles.chain(many) {
        assert_eq!(Alu::from_word(word).to_word(), word);
        assert_eq!(Vertex::from_word(word).to_word(), word);
        assert_eq!(Texture::from_word(word).to_word(), word);
    }
}

#[test]
fn each_field_is_a_separate_part_of_the_typed_form() {
    // The debug form names every field. Setting the lowest bit of one field changes the debug form in one place only, which names that field.
    for layout in LAYOUTS.iter().filter(|l| l.bits == 96) {
        for field in layout.fields {
            let word = 1u128 << field.low;
            let show = |word| match layout.name {
                n if n == Alu::LAYOUT.name => format!("{:?}", Alu::from_word(word)),
                n if n == Vertex::LAYOUT.name => format!("{:?}", Vertex::from_word(word)),
                n if n == Texture::LAYOUT.name => format!("{:?}", Texture::from_word(word)),
                other => panic!("{other}"),
            };
            let (with, without) = (show(word), show(0));
            let changed: Vec<_> = with.split(", ").zip(without.split(", ")).filter(|(a, b)| a != b).collect();
            assert_eq!(changed.len(), 1, "{}: {changed:?}", field.name);
            assert!(changed[0].0.contains(field.name), "{} is {}", field.name, changed[0].0);
        }
    }
}

/// Returns a program whose only slot is `word`, run as FETCH if `fetch` is true, and as ALU otherwise.
fn program(word: u128, fetch: bool) -> Program {
    let words = [word as u32, (word >> 32) as u32, (word >> 64) as u32];
    let head = [0x0000_1001 | u32::from(fetch) << 16, 0x0000_2000, 0];
    let bytes: Vec<u8> = [head, words].concat().iter().flat_map(|w| w.to_le_bytes()).collect();
    let program = decode::decode(&bytes).unwrap();
    assert_eq!(encode::encode(&program), bytes);
    program
}

#[test]
fn every_bit_of_a_slot_has_syntax() {
    let mut random = Random(3);
    // Fillers and ordinary slots of the driver, each with one bit changed; then random words.
    let bases = [
        0,
        0xe200_0000_0000_0000_1400_0000,
        0xa103_0a00_0006_0000_4c17_0402,
        0xc200_0005_0000_006c_4c10_c001,
        0x0000_000c_0039_3e88_1d48_1000,
        0x0000_0002_1fff_fe88_4400_1001,
    ];
    let near = bases.iter().flat_map(|base| (0..96).map(move |bit| base ^ 1u128 << bit));
    let many = std::iter::repeat_with(|| random.word() & BITS96).take(20_000);
    for word in near.chain(many) {
        for fetch in [false, true] {
            text_round_trip(&format!("{word:024x}"), &program(word, fetch));
        }
    }
}

#[test]
fn every_bit_of_a_clause_has_syntax() {
    let mut random = Random(4);
    for op in 0..16u64 {
        let singles = (0..44).map(|bit| 1u64 << bit);
        let many = std::iter::repeat_with(|| random.next() & 0xfff_ffff_ffff).take(500);
        for low in singles.chain(many) {
            let shader = Shader {
                clauses: vec![
                    Clause::from_word(0x2000_0000_0000 | 0x1001),
                    Clause::from_word(op << 44 | low),
                ],
                slots: vec![Slot::Raw([0; 3])],
                ..Shader::default()
            };
            let shader = decode::from_dwords(&encode::to_dwords(&shader));
            let program = Program { shaders: vec![shader], gaps: vec![Vec::new(); 2], ..Program::default() };
            text_round_trip(&format!("{op} {low:x}"), &program);
        }
    }
}

#[test]
fn swizzles_are_relative_to_their_channel() {
    // The table of the wiki page: bits of each channel for x, y, z, w.
    let table = [[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]];
    for bits in 0..=255u8 {
        let components: [usize; 4] = std::array::from_fn(|channel| {
            let field = bits >> (2 * channel) & 3;
            table[channel].iter().position(|b| *b == field).unwrap()
        });
        assert_eq!(std::array::from_fn(|channel| component(bits, channel)), components);
        assert_eq!(swizzle(components), bits);
    }
    // Fact fd-hdr, xenia.
    assert_eq!([0, 1, 2, 3].map(|c| swizzle([c; 4])), [0x6c, 0xb1, 0xc6, 0x1b]);
}
