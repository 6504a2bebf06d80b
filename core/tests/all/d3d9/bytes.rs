//! Tests of decoding and encoding.

use crate::d3d9::corpus::shaders;
use crate::d3d9::random::{Random, shader};
use lockstep_core::binary::{DecodeError, Problem};
use lockstep_core::isa::Format;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::ctab::ConstantTable;
use lockstep_core::isa::d3d9::decode::{MAX_FILE_SIZE, decode};
use lockstep_core::isa::d3d9::disassemble::disassemble;
use lockstep_core::isa::d3d9::encode::{EncodeProblem, Part, encode, spans, try_encode};
use lockstep_core::isa::d3d9::interface::entries;
use lockstep_core::isa::d3d9::opcode::Opcode;
use lockstep_core::isa::d3d9::program::{Dest, Index, Program, Relative, Source, Usage};
use lockstep_core::isa::d3d9::validate::validate;
use lockstep_core::isa::d3d9::word::{MAX_COMMENT, MAX_LENGTH, bit13};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn read(words: &[u32]) -> Program {
    let bytes = bytes(words);
    let program = decode(&bytes).unwrap_or_else(|e| panic!("{words:x?}: {e}"));
    assert_eq!(encode(&program), bytes);
    program
}

fn refused(words: &[u32]) -> DecodeError {
    decode(&bytes(words)).expect_err("it is malformed")
}

#[test]
fn open_files_round_trip_byte_for_byte() {
    let Some(shaders) = shaders() else { return };
    for shader in &shaders {
        let program = decode(&shader.bytes).unwrap_or_else(|e| panic!("{}: {e}", shader.name));
        assert!(encode(&program) == shader.bytes, "{}", shader.name);
        let profile = program.version.profile().unwrap();
        // Minor version 1 is printed as `x`.
        assert_eq!(profile.name(), shader.version.replace("2_1", "2_x"), "{}", shader.name);
        assert_eq!(program.instructions.len(), shader.instructions, "{}", shader.name);
        for i in &program.instructions {
            assert!(i.is_complete(program.version), "{}: {i:?}", shader.name);
        }
        let tables: Vec<_> = program.comments.iter().filter_map(|c| ConstantTable::read(&c.words)).collect();
        assert_eq!(!tables.is_empty(), shader.features.contains("ctab"), "{}", shader.name);
        for table in tables {
            let table = table.unwrap_or_else(|e| panic!("{}: {e}", shader.name));
            assert_eq!(table.version & 0xffff, program.version.number(), "{}", shader.name);
        }
    }
}

/// Checks every 9973rd word, all values of each half of a word with zeros in the other half, and all values of the low half with ones in the high
/// half.
#[test]
fn operand_words_round_trip() {
    let check = |word: u32| {
        for relative in [Relative::Direct, Relative::Implied] {
            let expected = word & !(1 << 13) | u32::from(relative.is_relative()) << 13;
            assert_eq!(Source::from_word(word, relative).to_word(), expected);
            assert_eq!(Dest::from_word(word, relative).to_word(), expected);
        }
        assert_eq!(Usage::from_word(word).to_word(), word);
        assert_eq!(Index::from_word(word, bit13(word)).to_word(), word);
    };
    let mut word = 0u32;
    loop {
        check(word);
        match word.checked_add(9973) {
            Some(next) => word = next,
            None => break,
        }
    }
    for half in 0..=u32::from(u16::MAX) {
        check(half);
        check(half << 16);
        check(!half);
    }
}

#[test]
fn lengths_before_version_two_come_from_the_table() {
    // texld of ps_1_4 has a source, tex of ps_1_1 has none (dxvk-remix PR 137 treated them alike).
    let program = read(&[0xffff_0104, 0x42, 0x800f_0000, 0xb0e4_0000, 0xffff]);
    assert_eq!(program.instructions[0].sources.len(), 1);
    let program = read(&[0xffff_0101, 0x42, 0xb00f_0000, 0x42, 0xb00f_0001, 0xffff]);
    assert_eq!(program.instructions.len(), 2);
    // Bits 24 to 27 are not a length in this version, and are kept.
    let program = read(&[0xffff_0101, 0x0f00_0042, 0xb00f_0000, 0xffff]);
    assert_eq!(program.instructions[0].zero24, 15);
    // A definition may contain words that look like END, or like a comment.
    let program = read(&[0xfffe_0101, 0x51, 0xa00f_0000, 0xffff, 0xfffe, 0x0005_fffe, 0, 0xffff]);
    assert_eq!(program.instructions[0].immediates[..], [0xffff, 0xfffe, 0x0005_fffe, 0]);
    // Relative addressing takes no word of its own in this version.
    let program = read(&[0xfffe_0101, 1, 0x800f_0000, 0xa0e4_2003, 0xffff]);
    assert_eq!(program.instructions[0].sources[0].relative, Relative::Implied);
    // An instruction of unknown length cannot be skipped.
    for (words, opcode) in [
        (&[0xfffe_0101, 0x20, 0xffff][..], 0x20),
        (&[0xfffe_0101, 0x42, 0xffff], 0x42),
        (&[0xffff_0101, 0x4b, 0xffff], 0x4b),
    ] {
        let error = refused(words);
        assert_eq!((error.offset, error.field), (4, "opcode"));
        assert!(matches!(error.problem, Problem::Value { found, .. } if found == opcode));
    }
}

#[test]
fn lengths_from_version_two_on_are_trusted_and_checked() {
    // An unknown opcode is skipped by its length.
    let program = read(&[0xffff_0300, 0x0300_0777, 1, 2, 0xffff, 0, 0xffff]);
    assert_eq!(
        (program.instructions.len(), program.instructions[0].surplus.as_slice()),
        (2, &[1, 2, 0xffff][..])
    );
    // Words beyond the operands are kept, and operands beyond the length are missing.
    let mov = |length: u32, rest: &[u32]| {
        let words = [&[0xffff_0300, 1 | length << 24][..], rest, &[0xffff]].concat();
        read(&words).instructions.remove(0)
    };
    let whole = mov(2, &[0x800f_0000, 0x80e4_0001]);
    assert!(whole.is_complete(read(&[0xffff_0300, 0xffff]).version));
    assert_eq!(mov(4, &[0x800f_0000, 0x80e4_0001, 7, 8]).surplus, [7, 8]);
    assert_eq!(mov(1, &[0x800f_0000]).sources.len(), 0);
    assert_eq!(mov(0, &[]).dest, None);
    // A relative address cut off by the length.
    let cut = mov(2, &[0x800f_0000, 0xa0e4_2001]);
    assert_eq!(cut.sources[0].relative, Relative::Implied);
    let error = refused(&[0xffff_0300, 0x0f00_0001, 0x800f_0000, 0x80e4_0001, 0xffff]);
    assert_eq!((error.offset, error.field, error.is_truncation()), (8, "operands", true));
    // The bits of phase are not a length in any version.
    for version in [0xffff_0104, 0xffff_0300] {
        let program = read(&[version, 0x0700_fffd, 0, 0xffff]);
        assert_eq!((program.instructions[0].zero24, program.instructions[1].op()), (7, Some(Opcode::Nop)));
    }
}

/// The predicate follows the destination and its relative address (WINE, DXSO, MOJO, 9ON12).
#[test]
fn predicates_follow_the_destination() {
    let words = [0xfffe_0300, 0x1400_0001, 0xe00f_2001, 0xf0e4_0800, 0xb000_1000, 0x80e4_0002, 0xffff];
    let mov = read(&words).instructions.remove(0);
    assert!(matches!(mov.dest.unwrap().relative, Relative::Indexed(index) if index.file == 15));
    assert_eq!(mov.predicate.unwrap().file, 19);
    assert_eq!((mov.sources.len(), mov.sources[0].number), (1, 2));
}

/// Bit 28 of the first word adds a predicate to instructions whose operands may be predicated. Declarations have none: their numbers follow the
/// destination directly, whatever the bit (MS, MSTOK: def has length 5, defb 2, dcl 2).
#[test]
fn declarations_have_no_predicate() {
    let (dest, usage, predicate) = (0xa00f_0001, 0x8000_0000, 0xb0e4_1000);
    for (opcode, words, immediates) in [
        (0x51, &[dest, 0xbf80_0000, 0x4000_0000, 0xb0e4_1000, 7][..], 4),
        (0x30, &[0xf00f_0001, 1, 2, 0xb0e4_1000, 4], 4),
        (0x2f, &[0xe00f_0801, 0xb0e4_1000], 1),
        (0x1f, &[usage, 0x900f_0001], 0),
    ] {
        for version in [0xfffe_0200u32, 0xfffe_0201, 0xfffe_0300, 0xffff_0201, 0xffff_0300] {
            for bit in [0, 1 << 28] {
                let first = opcode | (words.len() as u32) << 24 | bit;
                let i = read(&[&[version, first], words, &[0xffff]].concat()).instructions.remove(0);
                assert_eq!((i.predicate, i.surplus.as_slice()), (None, &[][..]), "{first:x}");
                assert_eq!(i.immediates[..], words[words.len() - immediates..], "{first:x}");
                assert_eq!(i.dest.unwrap().number, 1, "{first:x}");
            }
        }
    }
    // All other instructions have the predicate after the destination, or first if they have no destination.
    let word = Source::from_word(predicate, Relative::Direct);
    for number in 0..=96u16 {
        for version in [0xfffe_0201u32, 0xfffe_0300, 0xffff_0201, 0xffff_0300] {
            let Some(op) = Opcode::from_number(number) else { continue };
            let Some(operands) = op.operands(read(&[version, 0xffff]).version) else { continue };
            if operands.usage || operands.immediates > 0 {
                continue;
            }
            let to: &[u32] = if operands.dest { &[0x800f_0000] } else { &[] };
            let from = vec![0x80e4_0002; usize::from(operands.sources)];
            let words = [to, &[predicate], &from].concat();
            let first = u32::from(number) | (words.len() as u32) << 24 | 1 << 28;
            let i = read(&[&[version, first], &words[..], &[0xffff]].concat()).instructions.remove(0);
            assert_eq!(i.predicate, Some(word), "{first:x}");
            assert_eq!((i.sources.len(), i.surplus.len()), (from.len(), 0), "{first:x}");
        }
    }
}

/// Bytes after the end token are part of the file, but not of the program that runs.
#[test]
fn the_code_of_a_program_ends_with_its_end_token() {
    let code = bytes(&[0xffff_0200, 0x0200_0001, 0x800f_0800, 0xa0e4_0000, 0xffff]);
    for tail in [&[][..], &[1], &[0, 0, 0, 0], &code] {
        let file = [&code[..], tail].concat();
        let program = decode(&file).unwrap();
        assert_eq!(D3d9::encode(&program), file);
        let found = D3d9::code(&program, &entries(&program)[0]);
        assert_eq!((found.bytes, found.table), (code.clone(), vec![]), "{} bytes after the end", tail.len());
    }
}

#[test]
fn comments_are_skipped_by_their_length() {
    let program = read(&[0xffff_0200, 0x0002_fffe, 0xffff, 0xffff, 0, 0x8001_fffe, 5, 0xffff, 1, 2]);
    assert_eq!(program.comments.len(), 2);
    assert_eq!((program.comments[1].before, program.comments[1].zero31), (1, 1));
    assert_eq!(program.comments[0].words, [0xffff, 0xffff]);
    assert_eq!(program.tail.len(), 8);
    let error = refused(&[0xffff_0200, 0x7fff_fffe, 1, 2, 0xffff]);
    assert_eq!((error.offset, error.field), (8, "comment"));
    assert!(matches!(error.problem, Problem::Truncated { needed: 131_068, had: 12 }));
}

#[test]
fn malformed_shaders_are_refused_with_offset_and_reason() {
    for (words, offset, field) in [
        (&[0x1234_0101, 0xffff][..], 0, "version"),
        (&[0xfffe_0401, 0xffff], 0, "version"),
        (&[0xfffe_0001, 0xffff], 0, "version"),
        (&[0xfffe_0200, 0x0001_ffff], 4, "instruction"),
        (&[0xfffe_0200, 0], 8, "instruction"),
        (&[], 0, "version"),
    ] {
        let error = refused(words);
        assert_eq!((error.offset, error.field), (offset, field), "{words:x?}");
    }
    let huge = vec![0; MAX_FILE_SIZE + 1];
    assert!(matches!(decode(&huge).unwrap_err().problem, Problem::TooLarge { .. }));
}

/// A truncated file is refused as truncated, at an offset within it, or decodes to a program that encodes to the same bytes.
#[test]
fn truncations_of_every_length_are_refused_or_read() {
    let Some(shaders) = shaders() else { return };
    for shader in &shaders {
        for len in 0..shader.bytes.len() {
            match decode(&shader.bytes[..len]) {
                Ok(program) => assert_eq!(encode(&program), &shader.bytes[..len]),
                Err(error) => assert!(error.is_truncation() && error.offset <= len as u64, "{error}"),
            }
        }
    }
}

/// Programs that repeat one instruction and are as large as can be read are decoded, validated and disassembled within a time limit.
#[test]
fn programs_of_the_largest_size_are_handled_without_hanging() {
    let call = [0x0100_0019, 0xa0e4_1000];
    let condition = [0x0100_0028, 0xe0e4_0800];
    let relative = [0x0300_0001, 0x800f_0000, 0xa0e4_2001, 0xb000_0000];
    let label = [0x0100_001e, 0xa0e4_1000];
    for words in [&[0u32][..], &call, &condition, &relative, &label, &[0x0000_fffe], &[0x2a], &[0x2b]] {
        let mut all = vec![0xfffe_0200];
        while 4 * (all.len() + words.len() + 1) <= MAX_FILE_SIZE {
            all.extend_from_slice(words);
        }
        all.push(0xffff);
        let start = Instant::now();
        let program = read(&all);
        let found = validate(&program, &entries(&program)[0]);
        let text = disassemble(&program);
        let spent = start.elapsed();
        assert!(found.len() <= 16 * (program.instructions.len() + 1) && !text.is_empty());
        assert!(spent < Duration::from_secs(20), "{words:x?} took {spent:?}");
    }
}

/// Eight of the open files make vkd3d-shader 1.6 hang.
#[test]
fn files_on_which_another_tool_hangs_decode_at_once() {
    let Some(shaders) = shaders() else { return };
    let golden = crate::d3d9::corpus::folder().unwrap().join("golden");
    let mut hung = 0;
    for shader in &shaders {
        let status = golden.join(format!("{}.vkd3d.status", shader.name));
        if !status.exists() {
            continue;
        }
        hung += 1;
        let best = (0..20)
            .map(|_| {
                let start = Instant::now();
                let program = decode(&shader.bytes).unwrap();
                let spent = start.elapsed();
                assert!(!program.instructions.is_empty());
                spent
            })
            .min()
            .unwrap();
        eprintln!("{}: {} bytes in {best:?}", shader.name, shader.bytes.len());
        assert!(best < Duration::from_millis(1), "{}: {best:?}", shader.name);
    }
    assert_eq!(hung, 8);
}

#[test]
fn random_shaders_with_changed_words_never_panic() {
    let mut random = Random(0xbadc0de);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..30_000 {
        let mut bytes = shader(&mut random);
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.next() as u8;
        }
        match decode(&bytes) {
            Ok(program) => {
                read += 1;
                assert_eq!(encode(&program), bytes);
                validate(&program, &entries(&program)[0]);
            }
            Err(error) => {
                refused += 1;
                assert!(error.offset <= bytes.len() as u64 && !error.to_string().is_empty());
            }
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} {refused}");
}

#[test]
fn a_length_that_does_not_fit_is_an_error() {
    let instruction = |version: u32, words: usize| {
        let mut program = read(&[version, 0, 0xffff]);
        program.instructions[0].surplus = vec![0x8000_0000; words];
        program
    };
    let comment = |words: usize| {
        let mut program = read(&[0xffff_0300, 0xfffe, 0xffff]);
        program.comments[0].words = vec![7; words];
        program
    };
    assert_eq!((MAX_LENGTH, MAX_COMMENT), (15, 0x7fff));
    for program in [instruction(0xffff_0300, MAX_LENGTH), comment(MAX_COMMENT)] {
        let bytes = try_encode(&program).expect("the length fits");
        assert_eq!(decode(&bytes).as_ref(), Ok(&program));
        assert_eq!(encode(&program), bytes);
    }
    let too_long = [16, 17, 255, 256, 257, 1 << 16]
        .map(|words| (instruction(0xffff_0300, words), words, Part::Instruction(0), MAX_LENGTH));
    let comments = [0x8000, 0xffff, 0x1_0000, 0x1_0001]
        .map(|words| (comment(words), words, Part::Comment(0), MAX_COMMENT));
    for (program, words, part, most) in too_long.into_iter().chain(comments) {
        let error = try_encode(&program).expect_err("the length does not fit");
        assert_eq!((error.part, error.problem), (part, EncodeProblem::Length { words, most }));
        let expected =
            format!("{part} cannot be encoded: {words} words follow the first, but at most {most} can");
        assert_eq!(error.to_string(), expected);
        assert!(std::panic::catch_unwind(|| encode(&program)).is_err());
        assert!(std::panic::catch_unwind(|| spans(&program)).is_err());
    }
    // The text shows the error in place of the words.
    let text = disassemble(&instruction(0xffff_0300, 256));
    assert!(text.contains("\n// no encoding: 256 words follow the first, but at most 15 can"), "{text}");
    // Before version 2, first words have no lengths.
    assert_eq!(try_encode(&instruction(0xffff_0104, 256)).map(|bytes| bytes.len()), Ok(4 * (3 + 256)));
}

/// A field that holds more than its bits, in each word of a program: an error that names the instruction or comment and the field.
#[test]
fn a_value_that_does_not_fit_its_field_is_an_error() {
    // A comment; (p0) mov r0, c0[a0.x]; dcl_position v0.
    let words = [
        0xfffe_0300,
        0x0001_fffe,
        7,
        0x1400_0001,
        0x800f_0000,
        0xb0e4_1000,
        0xa0e4_2000,
        0xb000_0000,
        0x0200_001f,
        0x8000_0000,
        0x900f_0000,
        0xffff,
    ];
    let program = read(&words);
    assert_eq!(program.instructions.len(), 2);
    type Change = fn(&mut Program);
    let changes: [(Part, &str, Change); 22] = [
        (Part::Comment(0), "zero31", |p| p.comments[0].zero31 = 2),
        (Part::Instruction(0), "predicated", |p| p.instructions[0].predicated = 2),
        (Part::Instruction(0), "zero29", |p| p.instructions[0].zero29 = 2),
        (Part::Instruction(0), "coissue", |p| p.instructions[0].coissue = 255),
        (Part::Instruction(0), "zero31", |p| p.instructions[0].zero31 = 2),
        (Part::Instruction(0), "number", |p| dest(p, 0).number = 0x800),
        (Part::Instruction(0), "type_high", |p| dest(p, 0).file = 32),
        (Part::Instruction(0), "zero14", |p| dest(p, 0).zero14 = 4),
        (Part::Instruction(0), "mask", |p| dest(p, 0).mask = 16),
        (Part::Instruction(0), "modifier", |p| dest(p, 0).modifier = 16),
        (Part::Instruction(0), "shift", |p| dest(p, 0).shift = 16),
        (Part::Instruction(0), "one31", |p| dest(p, 0).one31 = 2),
        (Part::Instruction(0), "number", |p| p.instructions[0].sources[0].number = 0x800),
        (Part::Instruction(0), "modifier", |p| p.instructions[0].sources[0].modifier = 16),
        (Part::Instruction(0), "number", |p| predicate(p).number = 0xffff),
        (Part::Instruction(0), "relative", |p| index(p).zero13 = 2),
        (Part::Instruction(0), "number", |p| index(p).number = 0x800),
        (Part::Instruction(1), "usage", |p| usage(p).usage = 32),
        (Part::Instruction(1), "index", |p| usage(p).index = 16),
        (Part::Instruction(1), "texture", |p| usage(p).texture = 16),
        (Part::Instruction(1), "zero5", |p| usage(p).zero5 = 0x800),
        (Part::Instruction(1), "mask", |p| dest(p, 1).mask = 16),
    ];
    for (part, name, change) in changes {
        let mut changed = program.clone();
        change(&mut changed);
        let error = try_encode(&changed).expect_err("the value does not fit");
        let EncodeProblem::Field(field) = error.problem else { panic!("{error}") };
        assert_eq!((error.part, field.name), (part, name));
        assert!(error.to_string().contains(&format!("'{name}', which has {} bits", field.width)), "{error}");
        assert!(!disassemble(&changed).is_empty());
    }
    // Before version 2, bits 24 to 27 are not a length, so a program may set them to any value of four bits.
    let mut old = read(&[0xffff_0104, 0, 0xffff]);
    old.instructions[0].zero24 = 16;
    let error = try_encode(&old).expect_err("the value does not fit");
    assert_eq!(error.part, Part::Instruction(0));
}

fn dest(program: &mut Program, at: usize) -> &mut Dest {
    program.instructions[at].dest.as_mut().expect("a destination")
}

fn predicate(program: &mut Program) -> &mut Source {
    program.instructions[0].predicate.as_mut().expect("a predicate")
}

fn usage(program: &mut Program) -> &mut Usage {
    program.instructions[1].usage.as_mut().expect("a usage")
}

fn index(program: &mut Program) -> &mut Index {
    match &mut program.instructions[0].sources[0].relative {
        Relative::Indexed(index) => index,
        other => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(
        head in 0u32..6,
        words in proptest::collection::vec((any::<u32>(), 0u32..100, 0u32..6), 0..12),
        rest in proptest::collection::vec(any::<u8>(), 0..9),
    ) {
        let version = [0xfffe_0101u32, 0xffff_0104, 0xffff_0101, 0xfffe_0200, 0xffff_0300, 0x1234_5678][head as usize];
        let mut bytes = version.to_le_bytes().to_vec();
        // Random words rarely contain an END, or instructions of sufficient length.
        for (any, opcode, length) in words {
            let first = if any >> 31 == 0 { opcode | length << 24 } else { any };
            let operands = (0..length).map(|k| any.rotate_left(5 * k));
            bytes.extend(std::iter::once(first).chain(operands).flat_map(u32::to_le_bytes));
        }
        bytes.extend(0xffff_u32.to_le_bytes());
        bytes.extend(rest);
        if let Ok(program) = decode(&bytes) {
            prop_assert_eq!(encode(&program), bytes);
        }
    }
}
