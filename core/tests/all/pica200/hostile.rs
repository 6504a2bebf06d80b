//! Tests of decoding hand-made, truncated and random files.

use crate::pica200::corpus::corpus;
use lockstep_core::binary::Problem;
use lockstep_core::isa::pica200::decode::{MAX_FILE_SIZE, decode, recognizes};
use lockstep_core::isa::pica200::encode::encode;
use lockstep_core::isa::pica200::interface::entries;
use proptest::prelude::*;

/// A minimal file with one of each part, made by hand from S2.
pub(crate) fn small() -> Vec<u8> {
    let mut words: Vec<u32> = vec![
        0x424c_5644,
        1,
        0x4c, // DVLB, one DVLE
        0x504c_5644,
        0,
        0x28,
        4,
        0x38,
        1,
        0x40,
        0,
        0,
        0, // DVLP: code at 28h, one descriptor
        0x0202_5880,
        0x4c00_0000,
        0x2e20_4000,
        0x8800_0000, // add, mov, flr, end
        0x0d86_c36f,
        0,
    ];
    assert_eq!(words.len() * 4, 0x4c);
    words.extend([
        0x454c_5644,
        0x0000_1002,
        0,
        4,
        0x0001_0001,
        0, // DVLE, picasso, vertex
        0x40,
        1,
        0x54,
        1,
        0x64,
        1,
        0x6c,
        1,
        0x74,
        8, // constants, labels, outputs, uniforms, symbols
        0x005f_0002,
        0x00_0000,
        0x3f_0000,
        0xbf_0000,
        0x40_8000, // c95 = (0, 1, -1, 3)
        0x0000_0001,
        0,
        0,
        4, // label 1 at word 0
        0x0000_0000,
        0x0000_000f, // o0.xyzw is the position
        0,
        0x0013_0010, // c0 to c3
    ]);
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(b"mtx\0lab\0tail");
    bytes
}

#[test]
fn a_file_written_by_hand_decodes() {
    let bytes = small();
    let program = decode(&bytes).unwrap();
    assert_eq!(encode(&program), bytes);
    assert_eq!((program.code.len(), program.descriptors.len()), (4, 1));
    let lockstep_core::isa::pica200::program::Container::Shbin(shbin) = &program.container else { panic!() };
    let dvle = &shbin.dvles[0];
    assert_eq!((dvle.version, dvle.kind, dvle.main, dvle.end), (0x1002, 0, 0, 4));
    assert_eq!((dvle.input_mask, dvle.output_mask), (1, 1));
    assert_eq!((dvle.constants.rows[0].kind, dvle.constants.rows[0].id), (2, 95));
    assert_eq!((dvle.labels.rows[0].id, dvle.labels.rows[0].symbol), (1, 4));
    assert_eq!((dvle.outputs.rows[0].kind, dvle.outputs.rows[0].mask), (0, 0xf));
    assert_eq!((dvle.uniforms.rows[0].first, dvle.uniforms.rows[0].last), (0x10, 0x13));
    assert_eq!(dvle.symbols.rows, b"mtx\0lab\0");
    // The reserved words of the DVLP, and the bytes after the symbols.
    assert_eq!(shbin.gaps.iter().map(|g| g.bytes.len()).collect::<Vec<_>>(), [12, 4]);

    let mut env = lockstep_core::host::Environment::default();
    lockstep_core::isa::pica200::interface::preset(&program, &entries(&program)[0], &mut env);
    assert_eq!(env.constants[95], [0.0, 1.0, -1.0, 3.0]);
}

#[test]
fn truncations_are_refused_or_read_in_full() {
    for bytes in corpus().into_iter().flatten().map(|f| f.bytes).chain([small()]) {
        let parts_end = bytes.len() - trailing(&bytes);
        for len in 0..bytes.len() {
            match decode(&bytes[..len]) {
                Ok(program) => {
                    assert!(len >= parts_end);
                    assert_eq!(encode(&program), &bytes[..len]);
                }
                Err(error) => {
                    assert!(len < parts_end && error.is_truncation(), "{len}: {error}");
                    assert!(error.offset <= bytes.len() as u64);
                }
            }
        }
    }
}

/// Returns the number of bytes at the end of a file that are in none of its parts.
fn trailing(bytes: &[u8]) -> usize {
    match decode(bytes).unwrap().container {
        lockstep_core::isa::pica200::program::Container::Shbin(shbin) => shbin
            .gaps
            .last()
            .filter(|gap| gap.offset as usize + gap.bytes.len() == bytes.len())
            .map_or(0, |gap| gap.bytes.len()),
        lockstep_core::isa::pica200::program::Container::Raw(_) => 0,
    }
}

fn small_with(at: usize, value: u32) -> Vec<u8> {
    let mut bytes = small();
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

#[test]
fn errors_have_offsets() {
    let error = |bytes: &[u8]| decode(bytes).unwrap_err();
    let e = error(&small_with(0, 0));
    assert!(e.offset == 0 && e.field == "magic" && matches!(e.problem, Problem::Value { found: 0, .. }));
    // A DVLB with 2^32 - 1 entries.
    let e = error(&small_with(4, u32::MAX));
    assert!(e.is_truncation() && e.field == "DVLE offsets", "{e}");
    let e = error(&small_with(12, 0));
    assert!(e.offset == 12 && e.field == "DVLP magic", "{e}");
    // Code that is longer than the file, begins after its end, or overlaps the descriptors.
    assert_eq!(error(&small_with(0x18, 0x4000_0000)).field, "code");
    assert_eq!(error(&small_with(0x14, u32::MAX)).field, "code");
    // The start is beyond the end of the file, so the error is at the end.
    assert_eq!(error(&small_with(0x14, u32::MAX)).offset, small_with(0x14, u32::MAX).len() as u64);
    let e = error(&small_with(0x18, 5));
    assert!(
        matches!(e.problem, Problem::Value { expected, .. } if expected.contains("no other part")),
        "{e}"
    );
    assert_eq!((e.offset, e.field), (0x44, "descriptors"));
    // A DVLE at an offset without one.
    assert_eq!(error(&small_with(8, 0x44)).field, "DVLE magic");
    assert_eq!(error(&small_with(8, u32::MAX)).field, "DVLE");
    // Every table of the DVLE, with a huge count and with a huge offset.
    for (n, field) in ["constants", "labels", "outputs", "uniforms", "symbols"].into_iter().enumerate() {
        let at = 0x4c + 0x18 + 8 * n;
        assert_eq!(error(&small_with(at + 4, u32::MAX)).field, field);
        assert_eq!(error(&small_with(at, u32::MAX)).field, field);
        // Overlapping the DVLE's own header.
        let e = error(&small_with(at, 0));
        assert!(matches!(e.problem, Problem::Value { .. }), "{e}");
        // The offset of an empty table may be anything.
        let mut empty = small_with(at, u32::MAX);
        empty[at + 4..at + 8].fill(0);
        let program = decode(&empty).unwrap();
        assert_eq!(encode(&program), empty);
    }
    assert!(matches!(error(&vec![0; MAX_FILE_SIZE + 1]).problem, Problem::TooLarge { .. }));
}

#[test]
fn two_entries_may_share_one_dvle() {
    let bytes = small();
    let mut twice = bytes[..4].to_vec();
    twice.extend(2u32.to_le_bytes());
    twice.extend(0x50u32.to_le_bytes());
    twice.extend(0x50u32.to_le_bytes());
    twice.extend(&bytes[12..]);
    let program = decode(&twice).unwrap();
    assert_eq!(encode(&program), twice);
    let both = entries(&program);
    assert_eq!((both.len(), both[0].start, &both[0].interface), (2, 0, &both[1].interface));
    // The disassembly has both and gives the same program.
    let text = lockstep_core::isa::pica200::disassemble::disassemble(&program);
    assert_eq!(lockstep_core::isa::pica200::assemble::assemble(&text).as_ref(), Ok(&program), "{text}");
    // Headers that overlap partially are an error.
    let mut overlapping = twice.clone();
    overlapping[12..16].copy_from_slice(&0x54u32.to_le_bytes());
    assert_eq!(decode(&overlapping).unwrap_err().field, "DVLE magic");
}

#[test]
fn tables_may_overlap_only_each_other() {
    let constants = 0x4c + 0x18;
    // Constants overlapping the label, and the label with the output after it; uniforms within the symbols.
    for (at, offset) in [(constants, 0x54), (constants, 0x50), (constants + 0x18, 0x76)] {
        let file = small_with(at, offset);
        let program = decode(&file).unwrap();
        assert_eq!(encode(&program), file, "{offset:x}");
        let text = lockstep_core::isa::pica200::disassemble::disassemble(&program);
        assert_eq!(lockstep_core::isa::pica200::assemble::assemble(&text).as_ref(), Ok(&program), "{text}");
    }
    // A table overlapping the end of the header.
    let e = decode(&small_with(constants, 0x3f)).unwrap_err();
    assert_eq!((e.offset, e.field), (0x4c + 0x3f, "constants"));
    // Entries that refer to one DVLE so often that its tables would be many times as large as the file.
    let bytes = small();
    let times = 200u32;
    let mut many = bytes[..4].to_vec();
    many.extend(times.to_le_bytes());
    for _ in 0..times {
        many.extend((0x4c + 4 * (times - 1)).to_le_bytes());
    }
    many.extend(&bytes[12..]);
    let e = decode(&many).unwrap_err();
    assert!(matches!(e.problem, Problem::Value { expected, .. } if expected.contains("eight times")), "{e}");
}

/// The parts of a file may together be at most eight times as large as the file. A file within this limit is read, however often its tables are
/// shared.
#[test]
fn parts_of_eight_times_the_file_are_read_and_larger_ones_are_not() {
    let bytes = small();
    // Entries that refer to one DVLE. Four symbols make the sum of all parts a multiple of eight.
    let times = 201u32;
    let with_rest = |rest: usize| {
        let mut many = bytes[..4].to_vec();
        many.extend(times.to_le_bytes());
        for _ in 0..times {
            many.extend((0x4c + 4 * (times - 1)).to_le_bytes());
        }
        many.extend(&bytes[12..]);
        // The number of symbols is the last word of the DVLE's header.
        let at = 0x4c + 4 * (times as usize - 1) + 0x3c;
        many[at..at + 4].copy_from_slice(&4u32.to_le_bytes());
        many.extend(vec![0; rest]);
        many
    };
    // The header of the DVLB with its offsets, that of the DVLP, four instructions and a descriptor; for each entry, the header of the DVLE, a
    // constant, a label, an output, a uniform and four symbols. A DVLE shared by two entries counts each time.
    let total = 8 + 4 * times + 0x1c + 4 * 4 + 8 + times * (0x40 + 0x14 + 0x10 + 8 + 8 + 4);
    let smallest = total as usize / 8;
    assert_eq!(total % 8, 0);
    let rest = smallest - with_rest(0).len();
    let enough = with_rest(rest);
    assert_eq!(enough.len(), smallest);
    assert_eq!(encode(&decode(&enough).unwrap()), enough);
    let e = decode(&with_rest(rest - 1)).unwrap_err();
    assert!(matches!(e.problem, Problem::Value { expected, .. } if expected.contains("eight times")), "{e}");
}

/// A loader sets the uniforms that exist: b0 to b15, i0 to i3, c0 to c95 (S1). Constants for other numbers are skipped.
#[test]
fn constants_are_set_for_each_uniform_that_exists_and_for_no_other() {
    for (kind, count) in [(0u32, 16), (1, 4), (2, 96), (3, 0)] {
        for id in (0..100u32).chain([127, 128, 255, 256, 0xffff]) {
            let mut bytes = small_with(0x4c + 0x40, kind | id << 16);
            // One in each form: true, (1, 0, 0, 0), and f24 with a set bit.
            bytes[0x4c + 0x44..0x4c + 0x48].copy_from_slice(&1u32.to_le_bytes());
            let program = decode(&bytes).unwrap();
            let mut env = lockstep_core::host::Environment::default();
            let entry = &entries(&program)[0];
            lockstep_core::isa::pica200::interface::preset(&program, entry, &mut env);
            let lengths = [env.bools.len(), env.ints.len(), env.constants.len()];
            let expected: [usize; 3] =
                std::array::from_fn(|k| if k == kind as usize && id < count { id as usize + 1 } else { 0 });
            assert_eq!(lengths, expected, "constant {id} of kind {kind}");
        }
    }
}

#[test]
fn raw_files_decode_as_documented() {
    let mut bytes = b"PICA".to_vec();
    bytes.extend([1, 0, 0x05, 0x80]);
    for word in [3u32, 1, 1, 0x8800_0001, 0x0d86_c36f, 0xf] {
        bytes.extend(word.to_le_bytes());
    }
    assert!(recognizes(&bytes));
    let program = decode(&bytes).unwrap();
    assert_eq!(encode(&program), bytes);
    let entry = &entries(&program)[0];
    assert_eq!((entry.start, entry.stage), (3, lockstep_core::isa::Stage::Geometry));
    assert_eq!(lockstep_core::isa::pica200::interface::output_mask(entry), 0x8005);
    for len in 0..bytes.len() {
        assert!(decode(&bytes[..len]).unwrap_err().is_truncation());
    }
    bytes.push(0);
    assert_eq!(decode(&bytes).unwrap_err().problem, Problem::Trailing { count: 1 });
    bytes[4] = 2;
    assert_eq!(decode(&bytes).unwrap_err().field, "stage");
}

proptest! {
    #![proptest_config(crate::pica200::random::config(400))]

    #[test]
    fn any_change_of_a_file_is_read_in_full_or_refused(
        changes in proptest::collection::vec((0usize..250, any::<u8>()), 1..8),
    ) {
        let mut bytes = small();
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        if let Ok(program) = decode(&bytes) {
            prop_assert_eq!(encode(&program), bytes);
            entries(&program);
        }
    }

    #[test]
    fn any_bytes_are_read_in_full_or_refused(
        bytes in proptest::collection::vec(any::<u8>(), 1..300), at in any::<prop::sample::Index>(), form in 0..4,
    ) {
        let words = bytes.len() / 4;
        let bytes = match form {
            0 => bytes,
            1 => [b"DVLB", &bytes[..]].concat(),
            // Random bytes are hardly ever a program, so half of the cases are close to one. This one is a file with one of each part and one random
            // byte.
            2 => {
                let mut file = small();
                let at = at.index(file.len());
                file[at] = bytes[0];
                file
            }
            // This one is a raw program with random instructions and a random output mask.
            _ => {
                let head = [&b"PICA\0\0"[..], &bytes[..2.min(bytes.len())], &[0; 4]].concat();
                let counts = [(words as u32).to_le_bytes(), [0; 4]].concat();
                [&head, &counts, &bytes[..4 * words]].concat()
            }
        };
        if let Ok(program) = decode(&bytes) {
            prop_assert_eq!(encode(&program), bytes);
        }
    }
}
