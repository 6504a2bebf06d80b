//! Edits: what they change, which addresses are adjusted, and that the result encodes and decodes.

use crate::pica200::corpus::corpus;
use crate::pica200::hostile::small;
use crate::pica200::random::{config, program};
use crate::pica200::text::{read, words};
use lockstep_core::isa::Edit;
use lockstep_core::isa::pica200::assemble::assemble;
use lockstep_core::isa::pica200::decode::decode;
use lockstep_core::isa::pica200::disassemble::disassemble;
use lockstep_core::isa::pica200::edit::{DESCRIPTOR_FIELD, OPCODE_FIELD, WORD_FIELD, apply, edits};
use lockstep_core::isa::pica200::encode::encode;
use lockstep_core::isa::pica200::interface::entries;
use lockstep_core::isa::pica200::program::{Container, Instruction, Program};
use proptest::prelude::*;

/// Returns the words of the program after an edit of its text.
fn after(text: &str, edit: Edit) -> Vec<u32> {
    let program =
        apply(&read(&format!(".raw vertex\n{text}")), &edit).unwrap_or_else(|| panic!("{edit:?}: {text}"));
    program.code.iter().map(Instruction::to_word).collect()
}

#[test]
fn targets_are_adjusted_when_words_are_inserted_or_removed() {
    let raw = |text: &str| words(&format!(".raw vertex\n{text}"));
    let text = "call 6, 2\njmpc cmp.x, 5\nifu b0, 4, 1\nnop\nnop\nend\nnop\nnop";
    let out = |at, count| after(text, Edit::Remove { at, count });
    assert_eq!(out(3, 1), raw("call 5, 2\njmpc cmp.x, 4\nifu b0, 3, 1\nnop\nend\nnop\nnop"));
    assert_eq!(out(4, 1), raw("call 5, 2\njmpc cmp.x, 4\nifu b0, 4, 0\nnop\nend\nnop\nnop"));
    assert_eq!(out(7, 1), raw("call 6, 1\njmpc cmp.x, 5\nifu b0, 4, 1\nnop\nnop\nend\nnop"));
    assert_eq!(out(4, 3), raw("call 4, 1\njmpc cmp.x, 4\nifu b0, 4, 0\nnop\nnop"));
    assert_eq!(
        after("for i0, 3\nnop\nnop\nnop\nend", Edit::Remove { at: 3, count: 1 }),
        raw("for i0, 2\nnop\nnop\nend")
    );
    let copy = |from, at| after(text, Edit::Copy { from, at });
    assert_eq!(copy(5, 0)[..4], raw("end\ncall 7, 2\njmpc cmp.x, 6\nifu b0, 5, 1"));
    assert_eq!(copy(5, 7), raw("call 6, 3\njmpc cmp.x, 5\nifu b0, 4, 1\nnop\nnop\nend\nnop\nend\nnop"));
    // A copy inserted at a target becomes the new target.
    assert_eq!(copy(5, 6)[0], raw("call 6, 3")[0]);
    assert_eq!(after("nop\nend", Edit::Swap { at: 0 }), raw("end\nnop"));
    // The unused fields of a break are not adjusted.
    let spare = "breakc cmp.x {num=3, dst=9}\nnop\nend";
    assert_eq!(after(spare, Edit::Remove { at: 1, count: 1 }), raw("breakc cmp.x {num=3, dst=9}\nend"));
}

#[test]
fn fields_change_only_their_own_instruction() {
    let text = ".raw vertex\nadd r0, r1, r2\nadd r3, r1, r2\nend";
    let program = read(text);
    assert_eq!(program.descriptors.len(), 1);
    // The write mask is the first field of a descriptor; bit 3 is x.
    let masked = apply(&program, &Edit::Field { at: 1, field: DESCRIPTOR_FIELD, value: 8 }).unwrap();
    assert_eq!(masked.code, read(".raw vertex\nadd r0, r1, r2\nadd r3.x, r1, r2\nend").code);
    assert_eq!((masked.descriptors.len(), masked.descriptors[0]), (2, program.descriptors[0]));
    // The reverse edit finds the original row.
    let back = apply(&masked, &Edit::Field { at: 1, field: DESCRIPTOR_FIELD, value: 15 }).unwrap();
    assert_eq!(back.code, program.code);
    // Nothing else uses the second row: it is changed in place.
    let again = apply(&masked, &Edit::Field { at: 1, field: DESCRIPTOR_FIELD, value: 4 }).unwrap();
    assert_eq!(again.descriptors.len(), 2);
    let dst = apply(&program, &Edit::Field { at: 0, field: WORD_FIELD + 4, value: 0x15 }).unwrap();
    assert_eq!(dst.code[0], read(".raw vertex\nadd r5, r1, r2").code[0]);
    let op = apply(&program, &Edit::Field { at: 0, field: OPCODE_FIELD, value: 8 }).unwrap();
    assert_eq!(op.code[0], read(".raw vertex\nmul r0, r1, r2").code[0]);
}

#[test]
fn edits_that_do_not_apply_are_refused() {
    let program = read(".raw vertex\nnop\nnop\nend");
    for edit in [
        Edit::Remove { at: 0, count: 3 },
        Edit::Remove { at: 0, count: 0 },
        Edit::Remove { at: 2, count: 2 },
        Edit::Remove { at: u32::MAX, count: u32::MAX },
        Edit::Swap { at: 0 },
        Edit::Swap { at: 2 },
        Edit::Copy { from: 3, at: 0 },
        Edit::Copy { from: 0, at: 4 },
        Edit::Field { at: 0, field: DESCRIPTOR_FIELD, value: 0 },
        Edit::Field { at: 0, field: 14, value: 0 },
        Edit::Field { at: 0, field: WORD_FIELD, value: 0 },
        Edit::Field { at: 3, field: WORD_FIELD, value: 0 },
        Edit::Field { at: 0, field: u16::MAX, value: 0 },
    ] {
        assert_eq!(apply(&program, &edit), None, "{edit:?}");
    }
}

/// In a hand-made file, all parts after the code are moved correctly when the code changes its size.
#[test]
fn edits_keep_the_parts_of_a_file() {
    let program = decode(&small()).unwrap();
    let parts = |p: &Program| {
        let Container::Shbin(shbin) = &p.container else { panic!() };
        let d = &shbin.dvles[0];
        let tables = (
            d.constants.rows.clone(),
            d.labels.rows.clone(),
            d.outputs.rows.clone(),
            d.uniforms.rows.clone(),
        );
        let gaps: Vec<_> = shbin.gaps.iter().map(|g| g.bytes.clone()).collect();
        (tables, d.symbols.rows.clone(), gaps, d.main)
    };
    for edit in [Edit::Remove { at: 1, count: 2 }, Edit::Copy { from: 0, at: 2 }] {
        let edited = apply(&program, &edit).unwrap();
        let bytes = encode(&edited);
        let change = (edited.code.len() as i64 - program.code.len() as i64) * 4;
        assert_eq!(bytes.len() as i64, small().len() as i64 + change);
        assert_eq!(parts(&decode(&bytes).unwrap()), parts(&program));
    }
    let row = apply(&program, &Edit::Field { at: 0, field: DESCRIPTOR_FIELD, value: 8 }).unwrap();
    assert_eq!((row.descriptors.len(), parts(&row)), (2, parts(&program)));
    assert_eq!(encode(&row).len(), small().len() + 8);
}

fn check_round_trip(program: &Program) -> Result<(), TestCaseError> {
    let bytes = encode(program);
    let (from_bytes, from_text) = (decode(&bytes), assemble(&disassemble(program)));
    prop_assert_eq!(from_bytes.as_ref(), Ok(program));
    prop_assert_eq!(from_text.as_ref(), Ok(program));
    Ok(())
}

#[test]
fn edited_real_programs_round_trip() {
    let Some(files) = corpus() else { return };
    let mut count = 0;
    for file in files.iter().step_by(7) {
        let program = decode(&file.bytes).unwrap();
        let all = edits(&program);
        assert!(!all.is_empty());
        for edit in all.iter().step_by(37) {
            let edited = apply(&program, edit).unwrap_or_else(|| panic!("{edit:?}"));
            assert_ne!(edited, program);
            check_round_trip(&edited).unwrap();
            assert_eq!(entries(&edited).len(), entries(&program).len());
            count += 1;
        }
    }
    eprintln!("{count} edits");
    assert!(count > 100);
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0u32..40, 0u32..9).prop_map(|(at, count)| Edit::Remove { at, count }),
        (0u32..40).prop_map(|at| Edit::Swap { at }),
        (0u32..40, 0u32..40).prop_map(|(from, at)| Edit::Copy { from, at }),
        (0u32..40, 0u16..26, any::<u64>()).prop_map(|(at, field, value)| Edit::Field { at, field, value }),
    ]
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn edited_programs_round_trip(
        program in program(),
        list in proptest::collection::vec(edit(), 1..12),
    ) {
        let mut program = program;
        for edit in list {
            if let Some(edited) = apply(&program, &edit) {
                program = edited;
            }
        }
        check_round_trip(&program)?;
    }

    #[test]
    fn every_listed_edit_applies(program in program()) {
        for edit in edits(&program) {
            let edited = apply(&program, &edit);
            prop_assert!(edited.is_some_and(|e| e != program), "{:?}", edit);
        }
    }
}
