//! Edits: their results, and which edits are refused.

use super::random::{any_program, corpus};
use lockstep_core::isa::utgard_gp::assemble::assemble;
use lockstep_core::isa::utgard_gp::decode::decode;
use lockstep_core::isa::utgard_gp::disassemble::{disassemble, disassemble_word};
use lockstep_core::isa::utgard_gp::edit::{PART_FIELD, Part, apply, edits};
use lockstep_core::isa::utgard_gp::encode::encode;
use lockstep_core::isa::utgard_gp::interface::entries;
use lockstep_core::isa::utgard_gp::options::OPTION_SPECS;
use lockstep_core::isa::utgard_gp::program::{Program, Word};
use lockstep_core::isa::utgard_gp::validate::validate;
use lockstep_core::isa::utgard_gp::word::FieldId;
use lockstep_core::isa::{Edit, Level, Options};
use proptest::prelude::*;

fn read(text: &str) -> Program {
    assemble(text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// Returns the words after an edit, as text.
fn lines(text: &str, edit: Edit) -> Option<Vec<String>> {
    let program = apply(&read(text), &edit)?;
    Some((0..program.words.len() as u32).map(|k| disassemble_word(&program, k)).collect())
}

const LOOP: &str = "nop; acc[0].mov(uniform.x); pass.mov(acc[0].out[1]), branch(5), unknown_1(13);\
    nop; nop; end: nop; pass.mov(uniform.x), branch(1), unknown_1(13);";

fn targets(text: &str, edit: Edit) -> Option<Vec<u32>> {
    let program = apply(&read(text), &edit)?;
    Some(program.words.iter().filter(|w| w.branch != 0).map(Word::target).collect())
}

#[test]
fn branches_follow_their_targets() {
    let remove = |at, count| targets(LOOP, Edit::Remove { at, count });
    assert_eq!(remove(0, 1), Some(vec![4, 0]));
    assert_eq!(remove(3, 2), Some(vec![3, 1]));
    assert_eq!(remove(3, 3), Some(vec![3, 1]), "the target is removed: the next word");
    assert_eq!(remove(4, 1), Some(vec![4, 1]));
    assert_eq!(remove(6, 1), Some(vec![5]));
    assert_eq!(remove(5, 2), None, "the target would be past the end");
    for (at, count) in [(0, 7), (0, 8), (7, 1), (0, 0), (u32::MAX, u32::MAX)] {
        assert_eq!(remove(at, count), None, "{at} {count}");
    }
    let copy = |from, at| targets(LOOP, Edit::Copy { from, at });
    assert_eq!(copy(0, 0), Some(vec![6, 2]));
    assert_eq!(copy(0, 5), Some(vec![5, 1]), "the copy is the new target");
    assert_eq!(copy(0, 7), Some(vec![5, 1]));
    assert_eq!(copy(0, 8), None);
    assert_eq!(copy(7, 0), None);
    let far = format!("pass.mov(uniform.x), branch(511), unknown_1(13); {}", "nop;".repeat(511));
    assert_eq!(targets(&far, Edit::Copy { from: 3, at: 1 }), None, "a word's target has nine bits");
    assert_eq!(targets(&far, Edit::Remove { at: 1, count: 255 }), Some(vec![256]));
}

#[test]
fn edits_that_separate_a_result_from_its_reader_are_refused() {
    // Word 2 reads a result of word 1.
    assert_eq!(lines(LOOP, Edit::Remove { at: 1, count: 1 }), None);
    assert_eq!(lines(LOOP, Edit::Swap { at: 1 }), None);
    assert_eq!(lines(LOOP, Edit::Copy { from: 0, at: 2 }), None);
    assert_eq!(lines(LOOP, Edit::Swap { at: 5 }).unwrap()[6], "nop", "no result is read across these two");
    let store = "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); nop; nop; register[0].load(1), pass.mov(register[0].x);";
    assert_eq!(lines(store, Edit::Remove { at: 1, count: 1 }), None, "the register would be read too early");
    assert!(lines(store, Edit::Copy { from: 1, at: 1 }).is_some());
    let function = "mul[0].complex2(uniform.x, uniform.x), complex.rcp(uniform.x);\
        mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], uniform.x); nop; acc[0].mov(mul[0].out[2]);";
    for at in 0..3 {
        assert_eq!(lines(function, Edit::Remove { at, count: 1 }), None, "{at}");
        // Repeating the start of a function is harmless.
        assert_eq!(lines(function, Edit::Copy { from: at, at: at + 1 }).is_some(), at == 0, "{at}");
    }
    assert!(lines(function, Edit::Remove { at: 3, count: 1 }).is_some());
    let field = |field: FieldId, value| Edit::Field { at: 1, field: field as u16, value };
    assert_eq!(lines(function, field(FieldId::Mul1Src1, 13)), None, "with another operand it is no function");
    // A program with a hazard may be changed as long as the hazard does not get worse.
    let bad = "pass.mov(acc[0].out[1]); nop;";
    assert!(lines(bad, Edit::Remove { at: 1, count: 1 }).is_some());
    assert!(lines(bad, Edit::Field { at: 0, field: PART_FIELD, value: 0 }).is_some());
}

#[test]
fn fields_and_parts_are_set_by_number() {
    let text = "uniform.load(3), attribute.load(2), register[1].load(4), mul[0].complex2(uniform.x, uniform.x), mul[1].mov(uniform.y),\
        acc[0].max(uniform.z, attribute.x), acc[1].max(uniform.z, uniform.w), complex.rcp(uniform.x), pass.mov(uniform.w),\
        store[0].varying(1, acc[0].out, unused), store[1].varying(1, acc[1].out, pass.out), branch(0), unknown_1(13);";
    let part = |part: Part| {
        let before = disassemble_word(&read(text), 0);
        let after =
            lines(text, Edit::Field { at: 0, field: PART_FIELD, value: part as u64 }).unwrap().remove(0);
        let gone: Vec<_> = before.split(", ").filter(|item| !after.split(", ").any(|a| a == *item)).collect();
        gone.join(", ")
    };
    assert_eq!(part(Part::Acc1), "acc[1].max(uniform.z, uniform.w)");
    assert_eq!(part(Part::Mul1), "mul[1].mov(uniform.y)");
    assert_eq!(part(Part::Mul0), "mul[0].complex2(uniform.x, uniform.x)");
    assert_eq!(part(Part::Complex), "complex.rcp(uniform.x)");
    assert_eq!(part(Part::Branch), "branch(0), unknown_1(13)");
    assert_eq!(part(Part::Store1), "store[1].varying(1, acc[1].out, pass.out)");
    assert_eq!(part(Part::Port1), "register[1].load(4)");
    assert_eq!(lines(text, Edit::Field { at: 0, field: PART_FIELD, value: 0 }).unwrap(), ["nop"]);
    let load = lines(text, Edit::Field { at: 0, field: FieldId::LoadAddr as u16, value: 511 }).unwrap();
    assert!(load[0].starts_with("uniform.load(511)"));
    for (field, value) in
        [(PART_FIELD, 13), (PART_FIELD + 1, 0), (FieldId::LoadAddr as u16, 3), (u16::MAX, 0)]
    {
        assert_eq!(lines(text, Edit::Field { at: 0, field, value }), None, "{field} {value}");
    }
    assert_eq!(lines(text, Edit::Field { at: 1, field: 0, value: 0 }), None);
}

#[test]
fn the_prefetch_count_follows_the_words() {
    let program = read(".prefetch 1\nnop; attribute.load(3), pass.mov(attribute.x);");
    let moved = apply(&program, &Edit::Remove { at: 0, count: 1 }).unwrap();
    assert_eq!(moved.facts.prefetch, Some(0));
    let wrong = read(".prefetch 7\nnop; attribute.load(3), pass.mov(attribute.x);");
    assert_eq!(apply(&wrong, &Edit::Remove { at: 0, count: 1 }).unwrap().facts.prefetch, Some(7));
}

/// Returns whether the program has no errors.
fn sound(program: &Program) -> bool {
    validate(program, &entries(program)[0], &Options::new(OPTION_SPECS))
        .iter()
        .all(|v| v.level < Level::Error)
}

/// Greedy minimisation, as in the harness, with a predicate that needs one chain of results.
#[test]
fn edits_minimise_a_real_program_to_the_required_words() {
    let Some(files) = corpus("lst") else { return };
    let (_, bytes, _) = files.iter().find(|(name, ..)| name == "armc_triangle_unlinked").unwrap();
    let keeps = |p: &Program| sound(p) && p.words.iter().any(|w| w.pass_op == 6 && w.pass_src == 26);
    let mut program = decode(bytes).unwrap();
    assert!(keeps(&program));
    let mut tries = 0;
    'again: loop {
        for edit in edits(&program) {
            tries += 1;
            assert!(tries < 100_000);
            let shrinks = matches!(edit, Edit::Remove { .. } | Edit::Field { field: PART_FIELD, .. });
            if shrinks && let Some(smaller) = apply(&program, &edit).filter(keeps) {
                program = smaller;
                continue 'again;
            }
        }
        break;
    }
    // The clamp of a reciprocal: lookup and square, complex1, the clamp two words later.
    assert_eq!(program.words.len(), 4, "{}", disassemble(&program));
    assert!(disassemble_word(&program, 2) == "nop", "{}", disassemble(&program));
    eprintln!("{tries} tries\n{}", disassemble(&program));
}

#[test]
fn edits_of_real_programs_cause_no_hazard() {
    let Some(files) = corpus("lst") else { return };
    let (mut applied, mut refused, mut illegal) = (0, 0, 0);
    for (name, bytes, _) in files.iter().filter(|f| f.1.len() < 16 * 12) {
        let program = decode(bytes).unwrap();
        for edit in edits(&program) {
            let Some(edited) = apply(&program, &edit) else {
                refused += 1;
                continue;
            };
            applied += 1;
            assert_eq!(decode(&encode(&edited)).as_ref(), Ok(&edited), "{name} {edit:?}");
            let found = validate(&edited, &entries(&edited)[0], &Options::new(OPTION_SPECS));
            // An edit of a field may break a rule of its own word, but not one about several words.
            assert!(found.iter().all(|v| !(40..=52).contains(&v.code)), "{name} {edit:?}: {found:?}");
            illegal += usize::from(found.iter().any(|v| v.level == Level::Error));
        }
    }
    eprintln!("{applied} edits applied, {refused} refused, {illegal} with an error of their own word");
    assert!(applied > refused / 4 && illegal < applied / 2);
}

proptest! {
    #![proptest_config(super::random::config(256))]

    #[test]
    fn any_edit_applies_or_is_refused(program in any_program(), at in 0u32..14, count in any::<u32>(), field in 0u16..42, value in any::<u64>()) {
        for edit in [
            Edit::Remove { at, count: count % 14 },
            Edit::Remove { at, count },
            Edit::Swap { at },
            Edit::Copy { from: at, at: count % 14 },
            Edit::Field { at, field, value },
            Edit::Field { at, field: PART_FIELD, value: value % 14 },
        ] {
            if let Some(edited) = apply(&program, &edit) {
                prop_assert!(edited != program);
                prop_assert_eq!(decode(&encode(&edited)), Ok(edited));
            }
        }
    }
}
