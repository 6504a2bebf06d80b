//! Random words and programs, and the real programs.

use crate::material::material;
use lockstep_core::isa::utgard_gp::facts::{Facts, Literals};
use lockstep_core::isa::utgard_gp::program::{Program, Word};
use proptest::prelude::*;

/// Returns the configuration for this many cases. Failures are printed, not kept in files.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Draws any word; half of them are close to the no-op, as real words are, with some units active.
pub(crate) fn any_word() -> impl Strategy<Value = Word> {
    let nop = Word::default().to_bits();
    let near = (any::<u128>(), any::<u128>(), any::<u128>()).prop_map(move |(a, b, c)| {
        // Each bit is taken from the no-op with probability 3/4, otherwise it is random.
        let keep = a | b;
        nop & keep | c & !keep
    });
    prop_oneof![any::<u128>(), near].prop_map(Word::from_bits)
}

fn any_facts() -> impl Strategy<Value = Facts> {
    // A slot of the viewport is at most 16383. Prefetch, position and point size are at most 65534, because 65535 in an entry means that the number
    // is not known.
    let number = || prop::option::of(0u16..=65534);
    let slot = || prop::option::of(0u16..=16383);
    let uniforms = prop::option::of(any::<u16>());
    let literals = (0u16..4, prop::collection::vec(any::<u32>(), 0..9));
    let some = (number(), uniforms, slot(), slot(), number(), number(), literals).prop_map(
        |(prefetch, uniforms, viewport_scale, viewport_offset, position, point_size, (slot, bits))| Facts {
            prefetch,
            uniforms,
            viewport_scale,
            viewport_offset,
            position,
            point_size,
            literals: Literals { slot, bits },
        },
    );
    prop_oneof![Just(Facts::default()), some]
}

/// Draws any program that can be encoded as a file.
pub(crate) fn any_program() -> impl Strategy<Value = Program> {
    let tail = prop::collection::vec(any::<u8>(), 0..40);
    let tail = prop_oneof![3 => Just(Vec::new()), 1 => tail];
    (prop::collection::vec(any_word(), 1..12), tail, any_facts()).prop_map(|(words, tail, facts)| Program {
        words,
        tail,
        facts,
    })
}

/// Returns the real programs, if present: the name, the bytes, and the text of the file with the same name and this extension.
pub(crate) fn corpus(extension: &str) -> Option<Vec<(String, Vec<u8>, String)>> {
    let folder = material("utgard-gp/open")?;
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "bin"))
        .map(|p| {
            let name = p.file_stem().unwrap().to_string_lossy().into_owned();
            let beside = std::fs::read_to_string(p.with_extension(extension)).unwrap();
            (name, std::fs::read(&p).unwrap(), beside)
        })
        .collect();
    files.sort();
    assert!(files.len() >= 83, "{} files", files.len());
    Some(files)
}
