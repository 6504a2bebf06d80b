//! Edits: what they change, what they refuse, and that programs remain well formed.

use crate::d3d9::random::{Random, shader};
use lockstep_core::isa::Edit;
use lockstep_core::isa::d3d9::assemble::assemble;
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::disassemble::disassemble;
use lockstep_core::isa::d3d9::edit::*;
use lockstep_core::isa::d3d9::encode::encode;
use lockstep_core::isa::d3d9::interface::entries;
use lockstep_core::isa::d3d9::program::Program;
use lockstep_core::isa::d3d9::validate::validate;

fn read(text: &str) -> Program {
    assemble(text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The lines after an edit, without the version.
fn lines(text: &str, edit: Edit) -> Option<Vec<String>> {
    let program = apply(&read(text), &edit)?;
    Some(disassemble(&program).lines().skip(1).map(|l| l.trim().to_owned()).collect())
}

const BLOCKS: &str =
    "vs_3_0\nmov r0, v0\nif b0\nmov r0, v1\nelse\nrep i0\nadd r0, r0, v2\nendrep\nendif\nmov r1, r0";

#[test]
fn removal_keeps_blocks_well_formed() {
    let remove = |at, count| lines(BLOCKS, Edit::Remove { at, count });
    assert_eq!(remove(1, 7).unwrap(), ["mov r0, v0", "mov r1, r0"]);
    assert_eq!(remove(4, 3).unwrap(), ["mov r0, v0", "if b0", "mov r0, v1", "else", "endif", "mov r1, r0"]);
    assert_eq!(remove(3, 1).unwrap().len(), 8, "else alone: the branches become one");
    for (at, count) in [(1, 1), (4, 1), (6, 2), (0, 9), (0, 10), (9, 1), (0, 0), (u32::MAX, u32::MAX)] {
        assert_eq!(remove(at, count), None, "{at} {count}");
    }
}

#[test]
fn comments_stay_where_they_are() {
    let text = "ps_2_0\n.comment 1\nnop\nmov r0, r0\n.comment 2\nnop\n.comment 3";
    let positions = |edit| {
        let program = apply(&read(text), &edit).unwrap();
        assert_eq!(decode(&encode(&program)).unwrap(), program);
        program.comments.iter().map(|c| c.before).collect::<Vec<_>>()
    };
    assert_eq!(positions(Edit::Remove { at: 0, count: 1 }), [0, 1, 2]);
    assert_eq!(positions(Edit::Remove { at: 1, count: 2 }), [0, 1, 1]);
    assert_eq!(positions(Edit::Copy { from: 1, at: 0 }), [0, 3, 4]);
    assert_eq!(positions(Edit::Field { at: 3, field: COMMENT_FIELD, value: 1 }), [0, 3]);
}

#[test]
fn fields_are_set_by_number() {
    let one =
        |text: &str, field, value| lines(text, Edit::Field { at: 0, field, value }).map(|mut l| l.remove(0));
    let some = |text: &str, field, value| one(text, field, value).unwrap();
    let mov = "vs_3_0\nmov r1.xy, -c[a0.x + 3]";
    assert_eq!(some(mov, DEST_FIELD, 5), "mov r5.xy, -c[a0.x + 3]");
    assert_eq!(some(mov, DEST_FIELD + 4, 4), "mov r1.z, -c[a0.x + 3]");
    assert_eq!(some(mov, DEST_FIELD + 5, 1), "mov_sat r1.xy, -c[a0.x + 3]");
    assert_eq!(some(mov, SOURCE_FIELD, 0), "mov r1.xy, -c[a0.x]");
    assert_eq!(some(mov, SOURCE_FIELD + 2, 0), "mov r1.xy, -c3");
    assert_eq!(some(mov, SOURCE_FIELD + 4, 0), "mov r1.xy, -c[a0.x + 3].x");
    assert_eq!(some(mov, SOURCE_FIELD + 5, 0), "mov r1.xy, c[a0.x + 3]");
    assert_eq!(some(mov, SOURCE_FIELD + 8 + 4, 0xff), "mov r1.xy, -c[a0.w + 3]");
    assert_eq!(some(mov, 3, 1), "(p0) mov r1.xy, -c[a0.x + 3]");
    assert_eq!(some("vs_3_0\n(!p0.x) mov r0, r1", 3, 0), "mov r0, r1");
    assert_eq!(some("vs_3_0\n(!p0.x) mov r0, r1", PREDICATE_FIELD + 5, 0), "(p0.x) mov r0, r1");
    assert_eq!(some("vs_3_0\nadd r0, v0, v1", 0, 5), "mul r0, v0, v1");
    assert_eq!(some("vs_3_0\nadd r0, v0, v1", SOURCE_FIELD + SOURCE_FIELDS, 7), "add r0, v0, v7");
    assert_eq!(some("vs_1_1\nmov r0, c3", SOURCE_FIELD + 2, 1), "mov r0, c[a0.x + 3]");
    assert_eq!(some("ps_3_0\nmov r0, v3", SOURCE_FIELD + 2, 1), "mov r0, v[aL + 3]");
    assert_eq!(some("ps_2_0\ndef c0, 1, 2, 3, 4", IMMEDIATE_FIELD + 2, 0), "def c0, 1, 2, 0, 4");
    assert_eq!(some("vs_3_0\ndcl_texcoord2 v0", USAGE_FIELD, 10), "dcl_color2 v0");
    assert_eq!(some("ps_3_0\nif_gt r0.x, r1.x\nendif", 1, 2), "if_eq r0.x, r1.x");
    // Edits that do not apply; each message gives the reason.
    assert_eq!(one("vs_3_0\nadd r0, v0, v1", 0, 1), None, "add has more operands than mov");
    assert_eq!(one("vs_1_1\nmov r0, r1", 3, 1), None, "no predicates before version 2");
    assert_eq!(one("vs_3_0\nmov r0, r1", 2, 1), None, "the length is not a field");
    assert_eq!(one("vs_3_0\nmov r0, r1", DEST_FIELD, 0), None, "nothing changes");
    assert_eq!(one(mov, DEST_FIELD + 4, 0xf4), None, "the value does not fit");
    assert_eq!(one(mov, SOURCE_FIELD + 2, 2), None, "the value does not fit");
    assert_eq!(one(mov, 3, 2), None, "the value does not fit");
    assert_eq!(one("vs_3_0\nif b0\nendif", 0, 38), None, "an edit does not change block instructions");
}

#[test]
fn versions_change_only_if_all_instructions_remain_legal() {
    let version = |text: &str, value: u64| {
        let program = read(text);
        let at = program.instructions.len() as u32;
        apply(&program, &Edit::Field { at, field: VERSION_FIELD, value }).map(|p| disassemble(&p))
    };
    assert_eq!(version("vs_2_0\nmov r0, v0", 0x300).unwrap(), "vs_3_0\nmov r0, v0\n");
    assert_eq!(version("vs_2_0\nmov r0, v0", 0x101), None, "without lengths the layout would change");
    assert_eq!(version("ps_1_1\ntex t0", 0x104), None);
    assert_eq!(version("vs_2_0\nsgn r0, v0, r1, r2", 0x300), None);
    assert_eq!(version("vs_2_0\nnop", 0x200), None);
}

/// Every offered edit applies, changes something, and leaves a program that decodes, disassembles and validates.
#[test]
fn edited_random_programs_decode() {
    let mut random = Random(0xed17);
    let mut count = 0;
    for round in 0..400 {
        let program = decode(&shader(&mut random)).unwrap();
        let offered = edits(&program);
        count += offered.len();
        for (k, edit) in offered.iter().enumerate() {
            // All edits of some programs, and some edits of all programs.
            if round % 8 != 0 && k % 7 != 0 {
                continue;
            }
            let edited = apply(&program, edit).unwrap_or_else(|| panic!("{edit:?} does not apply"));
            assert_ne!(edited, program, "{edit:?}");
            let back = decode(&encode(&edited)).unwrap_or_else(|e| panic!("{edit:?}: {e}"));
            assert_eq!(back, edited, "{edit:?}");
            validate(&edited, &entries(&edited)[0]);
        }
        for _ in 0..50 {
            let len = program.instructions.len() as u64 + 2;
            let (at, field) = (random.below(len) as u32, random.below(130) as u16);
            let edit = Edit::Field { at, field, value: random.next() };
            if let Some(edited) = apply(&program, &edit) {
                assert_eq!(decode(&encode(&edited)).unwrap(), edited, "{edit:?}\n{}", disassemble(&program));
            }
        }
    }
    assert!(count > 10_000, "{count}");
}
