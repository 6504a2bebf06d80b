//! Random programs: whatever decodes round-trips as bytes and as text.

use super::corpus::{round_trip, text_round_trip};
use crate::diagnostics::check_diagnostics;
use lockstep_core::isa::a2xx::program::{Kind, Order, Program, Slot};
use lockstep_core::isa::a2xx::{assemble, decode, disassemble, encode};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

/// Draws the words of two clauses: an EXEC whose slots are likely to exist, and any clause.
fn clauses(area: u64, slots: u64) -> impl Strategy<Value = [u32; 3]> {
    let exec = (area..area + slots, 0u64..7, any::<u64>(), 0u64..8).prop_map(|(addr, cnt, bits, op)| {
        let op = [1, 2, 3, 4, 5, 6, 13, 14][op as usize];
        addr | cnt << 12 | (bits & 0xfff_ffff_8000 & !(u64::MAX << (16 + 2 * cnt) & 0xfff_0000)) | op << 44
    });
    let other = prop_oneof![
        4 => any::<u64>(),
        // Only the opcode and a few low bits, as in real programs.
        2 => (0u64..16, 0u64..64).prop_map(|(op, low)| op << 44 | low),
    ];
    (exec, other, any::<bool>()).prop_map(|(a, b, swap)| {
        let [a, b] = if swap { [b, a] } else { [a, b] }.map(|w: u64| w & 0xffff_ffff_ffff);
        [a as u32, (a >> 32 | b << 16) as u32, (b >> 16) as u32]
    })
}

/// Draws the words of a program whose first clause runs slots after the clauses.
pub(super) fn dwords() -> impl Strategy<Value = Vec<u32>> {
    (1u64..4, 1u64..9)
        .prop_flat_map(|(area, slots)| {
            let kinds = any::<u32>();
            let head = proptest::collection::vec(clauses(area, slots), area as usize);
            let body = proptest::collection::vec(any::<[u32; 3]>(), slots as usize);
            (Just(area), kinds, head, body, proptest::collection::vec(any::<u32>(), 0..3))
        })
        .prop_map(|(area, kinds, mut head, body, tail)| {
            let cnt = (body.len() as u32).min(6);
            head[0][0] = area as u32 | cnt << 12 | (kinds << 16 & 0xfff_ffff & !(u32::MAX << (16 + 2 * cnt)));
            head[0][1] = head[0][1] & 0xffff_0000 | 0x1000;
            head.into_iter().chain(body).flatten().chain(tail).collect()
        })
}

pub(super) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_round_trip_as_bytes_and_as_text(words in dwords()) {
        round_trip("random", &bytes(&words));
    }

    #[test]
    fn any_dwords_round_trip_as_bytes_and_as_text(words in proptest::collection::vec(any::<u32>(), 3..40)) {
        round_trip("random", &bytes(&words));
    }

    #[test]
    fn xenos_files_are_big_endian(words in dwords()) {
        let little = decode::decode(&bytes(&words)).unwrap();
        let swapped: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
        let big = decode::decode_as(&swapped, Order::Big).unwrap();
        prop_assert_eq!(&big.shaders, &little.shaders);
        prop_assert_eq!(encode::encode(&big), swapped);
        text_round_trip("big-endian", &big);
    }

    #[test]
    fn any_text_is_a_program_or_an_error(text in "[A-Za-z0-9_.,;:|()=+@\\[\\]\n -]{0,200}") {
        match assemble::assemble(&text) {
            Ok(program) => text_round_trip("any text", &program),
            Err(errors) => check_diagnostics(&text, &errors)?,
        }
    }

    #[test]
    fn listings_with_one_character_changed_assemble_or_are_rejected(
        words in dwords(), at in any::<prop::sample::Index>(), letter in "[ -~\n]",
    ) {
        let mut text = disassemble::disassemble(&decode::decode(&bytes(&words)).unwrap());
        let at = at.index(text.len());
        text.replace_range(at..=at, &letter);
        if let Ok(program) = assemble::assemble(&text) {
            let again = decode::decode_as(&encode::encode(&program), program.order).unwrap();
            prop_assert_eq!(&again, &program);
            text_round_trip("changed", &program);
        }
    }
}

#[test]
fn random_programs_have_slots_of_every_kind() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = [0; 4];
    for _ in 0..300 {
        let words = dwords().new_tree(&mut runner).unwrap().current();
        let program: Program = decode::decode(&bytes(&words)).unwrap();
        assert_eq!(program.kind, Kind::Bare);
        for slot in &program.shaders[0].slots {
            seen[match slot {
                Slot::Alu(_) => 0,
                Slot::Vertex(_) => 1,
                Slot::Texture(_) => 2,
                Slot::Raw(_) => 3,
            }] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n >= 10), "{seen:?}");
}
