//! Words and files: nothing is lost, and malformed input is rejected.

use super::random::{any_program, any_word};
use lockstep_core::binary::Problem;
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::utgard_gp::container::{HEADER, MAGIC, MAX_FILE_SIZE};
use lockstep_core::isa::utgard_gp::decode::decode;
use lockstep_core::isa::utgard_gp::encode::encode;
use lockstep_core::isa::utgard_gp::facts::{Fact, Facts, Literals};
use lockstep_core::isa::utgard_gp::opcode::{Op, Unit};
use lockstep_core::isa::utgard_gp::program::{Program, Store, Target, Word};
use lockstep_core::isa::utgard_gp::source::{ResultOf, Source};
use lockstep_core::isa::utgard_gp::word::{FieldId, WORD};
use lockstep_core::isa::{Context, Entry, Format, Legality, Options, Syntax, Tables};
use proptest::prelude::*;

fn bare(words: &[Word]) -> Program {
    Program { words: words.to_vec(), tail: Vec::new(), facts: Facts::default() }
}

fn words_of(text: [u32; 4]) -> Word {
    Word::from_bits(text.iter().rev().fold(0, |bits, w| bits << 32 | u128::from(*w)))
}

// The no-op as printed in SEED, M.
#[test]
fn the_default_word_is_the_documented_no_op() {
    assert_eq!(words_of([0xad4a_d6b5, 0x0380_02b5, 0x0007_ff80, 0x000a_d500]), Word::default());
}

/// Bit n of a word is bit n % 32 of its n/32-th 32-bit word (SEED, M), and each of the 128 bits belongs to a field.
#[test]
fn every_bit_is_as_documented() {
    for field in FieldId::ALL {
        let at = field.field();
        for bit in 0..at.width {
            let n = usize::from(at.low + bit);
            let mut text = [0u32; 4];
            text[n / 32] = 1 << (n % 32);
            let word = words_of(text);
            assert_eq!(word.field(field), 1 << bit, "{} bit {bit}", at.name);
            let others = FieldId::ALL.into_iter().filter(|f| *f != field);
            assert!(others.into_iter().all(|f| word.field(f) == 0), "{} bit {bit}", at.name);
            assert_eq!(word.to_bits(), 1u128 << n);
            let bytes = encode(&bare(&[word]));
            assert_eq!(bytes[n / 8], 1 << (n % 8));
        }
    }
    assert_eq!(WORD.fields.iter().map(|f| u32::from(f.width)).sum::<u32>(), 128);
}

/// Details that other decoders got wrong (M, L): the field of port 1, which crosses the middle of the word; the inverted high bit of a branch
/// target; and an operand code with two meanings.
#[test]
fn three_common_decoder_bugs_are_absent() {
    let port1 = words_of([0, 1 << 31, 0b101, 0]);
    assert_eq!(port1.port1, 0b1011);
    for target in 0..512 {
        let mut word = Word { branch: 1, ..Word::default() };
        word.set_target(target).unwrap();
        assert_eq!(word.target(), target);
        let bits = word.to_bits();
        assert_eq!(bits >> 70 & 1, u128::from(target < 256));
        assert_eq!(bits >> 120, u128::from(target % 256));
        assert_eq!(Word::from_bits(bits).target(), target);
    }
    for target in [512, 513, 0x1_0000, u32::MAX] {
        let mut word = Word { branch: 1, ..Word::default() };
        assert_eq!(word.set_target(target), None);
        assert_eq!(word, Word { branch: 1, ..Word::default() }, "a target that does not fit is ignored");
    }
    assert_eq!(Source::decode(22, true), Source::Identity);
    assert_eq!(Source::decode(22, false), Source::Result { of: ResultOf::Complex, age: 1 });
}

// The first, fourth and last words of the program in the dump D, decoded by hand with the table of SEED, M.
#[test]
fn words_of_the_vendors_compiler_decode_to_its_listing() {
    let Some(files) = super::random::corpus("lst") else { return };
    let (_, bytes, _) = files.iter().find(|(name, ..)| name == "armc_triangle_unlinked").unwrap();
    let program = decode(bytes).unwrap();
    let first = program.words[0];
    assert_eq!(first.result_op(ResultOf::Mul0), Some(Op::Complex2));
    assert_eq!(first.result_op(ResultOf::Complex), Some(Op::Rcp));
    assert_eq!((first.port0, first.port0_attribute), (1, 1));
    assert_eq!(Source::decode(first.mul[0].a, false), Source::Port0(3));
    let clamp = program.words[3];
    assert_eq!(clamp.named_op(Unit::Pass), Some(Op::Clamp));
    assert_eq!(Source::decode(clamp.pass_src, false), Source::Result { of: ResultOf::Mul0, age: 2 });
    assert_eq!(clamp.load.address, 2);
    let last = program.words[6];
    assert_eq!(last.store.map(Store::target), [Target::Varying(0); 2]);
    assert!(program.words.iter().all(|w| w.operands().all(|(s, _)| !matches!(s, Source::Unknown(_)))));
}

fn container() -> Program {
    Program {
        words: vec![Word::default(), Word { unknown_1: 13, ..Word::default() }, Word::default()],
        tail: vec![1, 2, 3],
        facts: Facts {
            prefetch: Some(4),
            viewport_scale: Some(7),
            position: Some(0),
            literals: Literals { slot: 9, bits: vec![0x3f80_0000, 5] },
            ..Facts::default()
        },
    }
}

#[test]
fn the_container_is_as_documented() {
    let bytes = encode(&container());
    let nop = Word::default().to_bits().to_le_bytes();
    let second = Word { unknown_1: 13, ..Word::default() }.to_bits().to_le_bytes();
    let expected = [
        &MAGIC[..],
        &[0b01_0101, 0, 4, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9, 0],
        &[2, 0, 0, 0, 3, 0, 0, 0],
        &[0, 0, 0x80, 0x3f, 5, 0, 0, 0],
        &nop,
        &second,
        &nop,
        &[1, 2, 3],
    ]
    .concat();
    assert_eq!(bytes, expected);
    assert_eq!(decode(&bytes), Ok(container()));
}

#[test]
fn malformed_files_are_refused_with_an_offset() {
    let good = encode(&container());
    let change = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        decode(&bytes).unwrap_err()
    };
    let unknown = change(16, 0x40);
    assert_eq!((unknown.offset, unknown.field), (16, "known facts"));
    let absent = change(20, 1);
    assert_eq!((absent.offset, absent.field), (20, "uniforms"));
    assert_eq!(change(HEADER - 8, 200).field, "number of literals");
    assert_eq!(change(HEADER - 4, 200).field, "number of words");
    assert_eq!(change(HEADER - 1, 0xff).field, "number of words");
    assert_eq!(change(HEADER - 5, 0xff).field, "number of literals");
    assert_eq!(change(HEADER - 4, 0).field, "number of words");
    // Two literals too many take the first bytes of the words and leave one word too few.
    assert_eq!(change(HEADER - 8, 4).field, "number of words");
    // A container whose header has none of the optional facts (prefetch, outputs, viewport, uniforms).
    let empty = [&MAGIC[..], &[0; 14], &[0; 2], &[0; 4], &[1, 0, 0, 0], &[7; 16]].concat();
    assert_eq!(decode(&empty).unwrap_err().field, "known facts");
    let short = decode(&[0; 15]).unwrap_err();
    assert!(short.is_truncation());
    assert_eq!(decode(&[]).unwrap_err().problem, Problem::Truncated { needed: 16, had: 0 });
    let large = decode(&vec![0; MAX_FILE_SIZE + 1]).unwrap_err();
    assert!(matches!(large.problem, Problem::TooLarge { .. }), "{large}");
    assert!(decode(&vec![0; MAX_FILE_SIZE]).is_ok());
    for end in 0..good.len() {
        let result = decode(&good[..end]);
        // Only the tail may be shorter.
        assert_eq!(result.is_ok(), end >= good.len() - 3, "{end}: {result:?}");
    }
}

/// An entry has 16 bits for each number, and 65535 means "not known". The components of the viewport's slots are numbered with 16 bits, too, four
/// components to a slot. So a slot of the viewport is at most 16383, and any other number of an entry at most 65534. The number of uniforms is not
/// part of an entry and may be 65535.
#[test]
fn numbers_that_an_entry_cannot_hold_are_refused_in_text_and_files() {
    for fact in Fact::ALL {
        let most: u16 = match fact {
            Fact::ViewportScale | Fact::ViewportOffset => 16383,
            Fact::Uniforms => 65535,
            Fact::Prefetch | Fact::Position | Fact::PointSize => 65534,
        };
        for value in [0, 1, 16383, 16384, 16385, 0x7fff, 0x8000, 65534, 65535] {
            let accepted = value <= most;
            let mut program = bare(&[Word::default()]);
            program.facts.set_number(fact, value);
            let directive = format!(".{}", fact.name());
            let text = UtgardGp::assemble(&format!("{directive} {value}\nnop;\n"));
            let read = decode(&encode(&program));
            if accepted {
                assert_eq!(text.as_ref(), Ok(&program), "{directive} {value}");
                assert_eq!(read.as_ref(), Ok(&program), "{directive} {value}");
            } else {
                let errors = text.unwrap_err();
                assert!(errors[0].message.contains(&format!("'{directive}' takes")), "{errors:?}");
                assert_eq!(errors[0].span.column as usize, directive.len() + 2, "the number is at fault");
                let error = read.unwrap_err();
                assert_eq!(error.offset as usize, MAGIC.len() + 2 + 2 * (fact as usize), "{error}");
            }
        }
    }
}

#[test]
fn entries_with_numbers_that_do_not_exist_break_a_rule() {
    let options = Options::new(UtgardGp::option_specs());
    let is_refused = |program: &Program, entry: &Entry| {
        let cx = Context::<UtgardGp> { program, entry, options: &options };
        UtgardGp::validate(&cx).iter().any(|violation| violation.message.contains("slots do not exist"))
    };
    for fact in [Fact::ViewportScale, Fact::ViewportOffset] {
        for value in [0, 1, 16383, 16384, 16385, 0x7fff, 0x8000, 65534, 65535] {
            let mut program = bare(&[Word::default()]);
            program.facts.set_number(fact, value);
            let entry = UtgardGp::entries(&program).remove(0);
            // An entry cannot state 65535: there it means that the number is not known.
            assert_eq!(
                is_refused(&program, &entry),
                value > 16383 && value != 65535,
                "{} {value}",
                fact.name()
            );
        }
    }
    // `Entry::extra` has 32 bits for the prefetch, but values above 65535 do not exist.
    let program = bare(&[Word::default()]);
    for prefetch in [0, 65534, 65535, 65536, u32::MAX] {
        let mut entry = UtgardGp::entries(&program).remove(0);
        entry.extra[1] = prefetch;
        assert_eq!(is_refused(&program, &entry), prefetch > 65535, "{prefetch}");
    }
}

#[test]
fn notes_of_a_compiler_give_a_program_whose_file_can_be_read_or_are_ignored() {
    let program = bare(&[Word::default()]);
    for prefetch in [0, 65534, 65535, 65536, u32::MAX] {
        let notes = format!("uniform_size 48\nconstant_size 0\nprefetch {prefetch}\n");
        let noted = UtgardGp::annotate(&program, &notes);
        assert_eq!(noted.is_some(), prefetch <= 65534, "{prefetch}");
        if let Some(noted) = noted {
            assert_eq!(decode(&encode(&noted)), Ok(noted));
        }
    }
}

#[test]
fn a_program_has_one_file_form() {
    let magic = Word::from_bits(u128::from_le_bytes(MAGIC));
    let program = bare(&[magic, Word::default()]);
    let bytes = encode(&program);
    assert_eq!(bytes.len(), HEADER + 32, "code that begins like a container is put into one");
    assert_eq!(decode(&bytes), Ok(program));
    let tail = Program { tail: vec![9; 16], ..bare(&[Word::default()]) };
    assert_eq!(decode(&encode(&tail)), Ok(tail), "a tail as large as a word would become a word");
    let tail = Program { tail: vec![9; 15], ..bare(&[Word::default()]) };
    assert_eq!(encode(&tail).len(), 31);
}

proptest! {
    #![proptest_config(super::random::config(2000))]

    #[test]
    fn any_word_equals_its_fields(bits in any::<u128>()) {
        let word = Word::from_bits(bits);
        prop_assert_eq!(word.to_bits(), bits);
        prop_assert_eq!(Word::from_fields(&word.fields()), Some(word));
    }

    #[test]
    fn a_field_changes_its_own_bits_only(word in any_word(), at in 0usize..39, value in any::<u16>()) {
        let id = FieldId::ALL[at];
        let most = id.field().max() as u16;
        prop_assert_eq!(word.with_field(id, most + 1), None);
        let mut values = word.fields();
        values[at] = most + 1;
        prop_assert_eq!(Word::from_fields(&values), None);
        let changed = word.with_field(id, value & most).unwrap();
        prop_assert_eq!(changed.field(id), value & most);
        let mask = id.field().max() << id.field().low;
        prop_assert_eq!(changed.to_bits() & !mask, word.to_bits() & !mask);
    }

    #[test]
    fn any_program_round_trips_as_a_file(program in any_program()) {
        let bytes = encode(&program);
        prop_assert_eq!(decode(&bytes), Ok(program));
    }

    #[test]
    fn accepted_bytes_round_trip(mut bytes in prop::collection::vec(any::<u8>(), 0..200), form in 0u8..3, small in any::<[u8; 24]>()) {
        if form > 0 {
            bytes.splice(0..0, MAGIC);
        }
        if form > 1 {
            // A header with small numbers, so that some are accepted.
            let header: Vec<u8> = small.iter().enumerate().map(|(k, b)| if k % 2 == 0 { b & 3 } else { 0 }).collect();
            bytes.splice(16..16, header);
        }
        if let Ok(program) = decode(&bytes) {
            prop_assert_eq!(encode(&program), bytes);
        }
    }
}
