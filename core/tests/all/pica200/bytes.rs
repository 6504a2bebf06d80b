//! Words and their fields.

use lockstep_core::isa::pica200::opcode::{Format, Opcode, TABLE};
use lockstep_core::isa::pica200::program::{Descriptor, Instruction, Register, Target};
use lockstep_core::isa::pica200::word;

/// A sample of words: every opcode with every pattern of low, high and single bits, and every 1021st word.
fn sample() -> impl Iterator<Item = u32> {
    let patterns = (0..26).flat_map(|bit| [1u32 << bit, !(1 << bit), (1 << bit) - 1, !((1 << bit) - 1)]);
    let all = patterns.flat_map(|p| (0..64).map(move |op| op << 26 | p & 0x03ff_ffff));
    all.chain((0..=u32::MAX).step_by(1021))
}

#[test]
fn words_round_trip() {
    for word in sample() {
        let instruction = Instruction::from_word(word);
        assert_eq!(instruction.to_word(), word, "{word:08x}");
        assert_eq!(instruction.op(), Opcode::from_number(word >> 26), "{word:08x}");
        assert_eq!(Descriptor::from_word(word).to_word(), word, "{word:08x}");
    }
}

/// Fact S1: the positions of the fields of each format.
#[test]
fn fields_are_at_the_documented_bits() {
    let bits = |word: u32, low: u32, width: u32| (word >> low & ((1 << width) - 1)) as u16;
    for word in sample() {
        let at = |low, width| bits(word, low, width);
        let byte = |low, width| bits(word, low, width) as u8;
        match Instruction::from_word(word) {
            Instruction::Binary(i) => {
                assert_eq!((i.desc, i.src2, i.src1), (byte(0, 7), byte(7, 5), byte(12, 7)));
                assert_eq!((i.idx, i.dst), (byte(19, 2), byte(21, 5)));
            }
            Instruction::BinaryInverse(i) => {
                assert_eq!((i.desc, i.src2, i.src1), (byte(0, 7), byte(7, 7), byte(14, 5)));
                assert_eq!((i.idx, i.dst), (byte(19, 2), byte(21, 5)));
            }
            Instruction::Unary(i) => {
                assert_eq!(
                    (i.desc, i.src1, i.idx, i.dst),
                    (byte(0, 7), byte(12, 7), byte(19, 2), byte(21, 5))
                );
            }
            Instruction::Compare(i) => {
                assert_eq!((i.desc, i.src2, i.src1), (byte(0, 7), byte(7, 5), byte(12, 7)));
                assert_eq!((i.idx, i.cmpy, i.cmpx), (byte(19, 2), byte(21, 3), byte(24, 3)));
                assert_eq!(word >> 27, 0b10111);
            }
            Instruction::Conditional(i) => {
                assert_eq!((i.num, i.dst, i.condop), (byte(0, 8), at(10, 12), byte(22, 2)));
                assert_eq!((i.refy, i.refx), (byte(24, 1), byte(25, 1)));
            }
            Instruction::Uniform(i) => {
                assert_eq!((i.num, i.dst, i.id), (byte(0, 8), at(10, 12), byte(22, 4)));
            }
            Instruction::Emission(i) => {
                assert_eq!((i.winding, i.prim, i.vtx), (byte(22, 1), byte(23, 1), byte(24, 2)));
            }
            Instruction::Ternary(i) => {
                assert_eq!((i.desc, i.src3, i.src2), (byte(0, 5), byte(5, 5), byte(10, 7)));
                assert_eq!((i.src1, i.idx, i.dst), (byte(17, 5), byte(22, 2), byte(24, 5)));
                assert_eq!(word >> 29, 0b111);
            }
            Instruction::TernaryInverse(i) => {
                assert_eq!((i.desc, i.src3, i.src2), (byte(0, 5), byte(5, 7), byte(12, 5)));
                assert_eq!((i.src1, i.idx, i.dst), (byte(17, 5), byte(22, 2), byte(24, 5)));
                assert_eq!(word >> 29, 0b110);
            }
            Instruction::Plain(_) => assert!(matches!(word >> 26, 0x20..=0x22 | 0x2a)),
            Instruction::Unknown(_) => assert!(matches!(word >> 26, 0x10 | 0x11 | 0x14..=0x17 | 0x1c..=0x1f)),
        }
    }
}

/// Fact S1: the descriptor, whose selectors have x in the highest two bits.
#[test]
fn descriptors_decode_as_documented() {
    let d = Descriptor::from_word(0x7fd5_4012);
    // Golden encoding: mad r1.z, -v1.x, r2.y, -r3.w
    assert_eq!((d.write_mask(), d.flag), (0b0100, 0));
    assert_eq!([d.source(0), d.source(1), d.source(2)], [(true, 0x00), (false, 0x55), (true, 0xff)]);
    assert_eq!(Descriptor::from_word(0x0006_c368).source(0), (false, Descriptor::XYZW));
    let source = |select, index| lockstep_core::isa::pica200::program::component(select, index);
    assert_eq!([0, 1, 2, 3].map(|index| source(0x1b, index)), [0, 1, 2, 3]);
    assert_eq!([0, 1, 2, 3].map(|index| source(0x93, index)), [2, 1, 0, 3]);
}

/// Fact S1: the registers by number.
#[test]
fn registers_have_the_documented_numbers() {
    assert_eq!(Register::source(0x0f), Register::Input(15));
    assert_eq!(Register::source(0x10), Register::Temporary(0));
    assert_eq!(Register::source(0x20), Register::Uniform(0));
    assert_eq!(Register::source(0x7f), Register::Uniform(95));
    assert_eq!(Target::from_number(0x0f), Target::Output(15));
    assert_eq!(Target::from_number(0x1f), Target::Temporary(15));
    for n in 0..0x80 {
        assert_eq!(Register::source(n).number(), n);
        assert_eq!(Target::from_number(n & 0x1f).number(), n & 0x1f);
    }
}

#[test]
fn every_format_has_its_layout_and_its_opcodes() {
    for row in TABLE {
        let layout = match row.format {
            Format::Plain => &word::Plain::LAYOUT,
            Format::Binary => &word::Binary::LAYOUT,
            Format::BinaryInverse => &word::BinaryInverse::LAYOUT,
            Format::Unary => &word::Unary::LAYOUT,
            Format::Compare => &word::Compare::LAYOUT,
            Format::Conditional => &word::Conditional::LAYOUT,
            Format::Uniform => &word::Uniform::LAYOUT,
            Format::Emission => &word::Emission::LAYOUT,
            Format::Ternary => &word::Ternary::LAYOUT,
            Format::TernaryInverse => &word::TernaryInverse::LAYOUT,
        };
        // An opcode has several numbers if its field lacks low bits.
        let field = layout.field("opcode").unwrap();
        assert_eq!(row.last - row.number + 1, 1 << (field.low - 26), "{}", row.mnemonic);
        assert_eq!(row.opcode.has_descriptor(), layout.field("desc").is_some(), "{}", row.mnemonic);
        assert_eq!(row.opcode.wide().is_some(), layout.field("idx").is_some(), "{}", row.mnemonic);
    }
}
