//! AGAL's edits: what they change, what they refuse, and that blocks remain well formed.

use lockstep_core::isa::Edit;
use lockstep_core::isa::agal::assemble::assemble;
use lockstep_core::isa::agal::decode::{MAX_FILE_SIZE, decode};
use lockstep_core::isa::agal::disassemble::disassemble;
use lockstep_core::isa::agal::edit::{A_FIELD, B_FIELD, DEST_FIELD, OPCODE_FIELD, apply, edits};
use lockstep_core::isa::agal::encode::encode;
use lockstep_core::isa::agal::interface::entries;
use lockstep_core::isa::agal::program::Program;
use lockstep_core::isa::agal::validate::validate;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn read(text: &str) -> Program {
    assemble(text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

const BLOCKS: &str =
    "version 2 fragment\nmov ft0, v0\nife v0.x, v1.x\nmov ft0, v1\nels\nadd ft0, ft0, v2\neif\nmov oc, ft0\n";

/// The lines after an edit, without the header.
fn lines(text: &str, edit: Edit) -> Option<Vec<String>> {
    let program = apply(&read(text), &edit)?;
    Some(disassemble(&program).lines().skip(1).map(|l| l.trim().to_owned()).collect())
}

#[test]
fn removal_keeps_blocks_well_formed() {
    let remove = |at, count| lines(BLOCKS, Edit::Remove { at, count });
    assert_eq!(remove(1, 5).unwrap(), ["mov ft0, v0", "mov oc, ft0"]);
    assert_eq!(remove(3, 2).unwrap(), ["mov ft0, v0", "ife v0.x, v1.x", "mov ft0, v1", "eif", "mov oc, ft0"]);
    assert_eq!(remove(3, 1).unwrap().len(), 6, "els alone: the branches become one");
    for (at, count) in
        [(1, 1), (5, 1), (1, 4), (2, 4), (5, 2), (0, 7), (0, 8), (7, 1), (0, 0), (u32::MAX, u32::MAX)]
    {
        assert_eq!(remove(at, count), None, "{at} {count}");
    }
}

#[test]
fn fields_are_set_by_number() {
    let set =
        |text: &str, field, value| lines(&format!("version 2 {text}"), Edit::Field { at: 0, field, value });
    let one = |text: &str, field, value| set(text, field, value).unwrap().remove(0);
    let mov = "vertex\nmov vt0, vc[va1.y+3].xyz";
    assert_eq!(one(mov, DEST_FIELD, 5), "mov vt5, vc[va1.y+3].xyz");
    assert_eq!(one(mov, DEST_FIELD + 1, 2), "mov vt0.y, vc[va1.y+3].xyz");
    assert_eq!(one(mov, A_FIELD, 0), "mov vt0, vc[va0.y+3].xyz");
    assert_eq!(one(mov, A_FIELD + 2, 0xe4), "mov vt0, vc[va1.y+3]");
    assert_eq!(one(mov, A_FIELD + 9, 0), "mov vt0, vc1.xyz", "the index is removed with its enabling bit");
    assert_eq!(one("vertex\nadd vt0, va0, va1", B_FIELD + 3, 2), "add vt0, va0, vt1");
    assert_eq!(
        one("fragment\ntex ft0, v0, fs0 <2d,2>", B_FIELD + 1, 0),
        "tex ft0, v0, fs0 <2d,nearest,nomip,clamp>"
    );
    assert_eq!(one("vertex\nadd vt0, va0, va1", OPCODE_FIELD, 3), "mul vt0, va0, va1");
    assert_eq!(one("fragment\nife v0.x, v1.x\neif", OPCODE_FIELD, 0x1f), "ifl v0.x, v1.x");
    // The sampler's word is kept when it becomes a source.
    assert!(one("fragment\ntex ft0, v0, fs0 <2d>", OPCODE_FIELD, 0).starts_with(".token 0x0, 0x020f0000"));
    for (text, field, value) in [
        (mov, A_FIELD, 1),
        (mov, DEST_FIELD + 1, 0xf2),
        (mov, DEST_FIELD, 1 << 16),
        (mov, OPCODE_FIELD, 0x21),
        ("fragment\neif", OPCODE_FIELD, 0),
        ("fragment\neif", OPCODE_FIELD, 0x20),
        (mov, OPCODE_FIELD + 1, 1),
        ("vertex\nadd vt0, va0, va1", B_FIELD + 11, 1),
    ] {
        assert_eq!(set(text, field, value), None, "{text} {field} {value}");
    }
}

#[test]
fn copies_and_swaps_keep_blocks_well_formed() {
    assert_eq!(lines(BLOCKS, Edit::Copy { from: 0, at: 7 }).unwrap()[7], "mov ft0, v0");
    assert_eq!(lines(BLOCKS, Edit::Copy { from: 0, at: 8 }), None);
    assert_eq!(lines(BLOCKS, Edit::Copy { from: 1, at: 0 }), None);
    assert_eq!(lines(BLOCKS, Edit::Swap { at: 0 }).unwrap()[..2], ["ife v0.x, v1.x", "mov ft0, v0"]);
    assert_eq!(lines("version 2 fragment\nife v0.x, v1.x\neif", Edit::Swap { at: 0 }), None);
    assert_eq!(lines(BLOCKS, Edit::Swap { at: 6 }), None);
}

#[test]
fn edits_minimise_a_program_to_the_required_instructions() {
    let mut program = read(
        "version 2 fragment\nmov ft0, v0\nife v0.z, v1.y\nmov ft0, v1\nsin ft1.xyz, fc3.zzx\nels\nadd ft0, ft0, v2\neif\n\
         tex ft3, v4.yx, fs2 <cube,linear,miplinear,clamp,-2>\nmov oc, ft0\n",
    );
    // The program must keep a sin and a read of a cube map.
    let keeps = |p: &Program| {
        p.tokens.iter().any(|t| t.opcode == 0x0f)
            && p.tokens.iter().any(|t| t.sampler().is_some_and(|s| s.dimension == 1))
    };
    while let Some(smaller) = edits(&program)
        .iter()
        .take_while(|e| !matches!(e, Edit::Swap { .. } | Edit::Copy { .. }))
        .filter(|e| !matches!(e, Edit::Field { field: OPCODE_FIELD, .. }))
        .filter_map(|e| apply(&program, e))
        .find(keeps)
    {
        program = smaller;
    }
    let text = disassemble(&program);
    assert_eq!(program.tokens.len(), 4, "{text}");
    assert!(text.contains("fs0 <cube,nearest,nomip,clamp>") && text.contains("v0"), "{text}");
    // A constant may be replaced by an input.
    assert!(text.contains("sin ft0.x, v0\n"), "{text}");
}

#[test]
fn the_number_of_edits_grows_linearly_with_the_program() {
    // The most deeply nested program of the largest size. A list with an edit for each pair of instructions would have millions of entries.
    let depth = (MAX_FILE_SIZE - 7) / 24 / 2;
    let text = "ife v0.x, v1.x\n".repeat(depth) + &"eif\n".repeat(depth);
    let program = read(&format!("version 2 fragment\n{text}"));
    let count = edits(&program).len();
    assert!((depth..64 * depth).contains(&count), "{count}");
}

fn any_program() -> impl Strategy<Value = Program> {
    let line = prop_oneof![
        4 => "(add|mul|min|crs) ft[0-3]\\.(x|xy|yz|xyz), v[0-2]\\.(x|zyx|xyz), ft[0-3]",
        2 => "tex ft[0-3], v[0-3], fs[0-3] <(2d|cube),(linear|nearest),(nomip|miplinear),(clamp|repeat),(1|0|-2)>",
        2 => "if[egl] v0\\.(x|y), fc[01]\\.(x|y)",
        1 => Just("els".to_owned()),
        2 => Just("eif".to_owned()),
        1 => "\\.token 0x[0-2][0-9a-f], 0x[0-9a-f]{1,8}, 0x[0-9a-f]{1,16}, 0x[0-9a-f]{1,16}",
    ];
    proptest::collection::vec(line, 1..16)
        .prop_map(|lines| read(&format!("version 2 fragment\n{}", lines.join("\n"))))
}

/// Numbers of the block structure rules that a program breaks.
fn structure(program: &Program) -> Vec<u16> {
    let found = validate(program, &entries(program)[0]);
    found.iter().map(|v| v.code).filter(|c| [3623, 3739, 3752].contains(c)).collect()
}

/// Failures are kept next to this file, so that integration tests can replay them.
fn config(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig { cases, failure_persistence: Some(Box::new(persistence)), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn every_listed_edit_applies_and_leaves_a_program(program in any_program()) {
        let before = structure(&program);
        for edit in edits(&program) {
            let edited = apply(&program, &edit);
            prop_assert!(edited.is_some(), "{:?}", edit);
            let edited = edited.unwrap();
            prop_assert!(edited != program, "{:?}", edit);
            let back = decode(&encode(&edited));
            prop_assert_eq!(back.as_ref(), Ok(&edited));
            if before.is_empty() {
                prop_assert_eq!(structure(&edited), [0u16; 0], "{:?}\n{}", edit, disassemble(&edited));
            }
            if let Edit::Remove { count, .. } = edit {
                prop_assert_eq!(edited.tokens.len(), program.tokens.len() - count as usize);
            }
        }
    }

    #[test]
    fn any_edit_applies_or_is_refused(program in any_program(), at in 0u32..20, count in any::<u32>(), field in 0u16..40, value in any::<u64>()) {
        for edit in [
            Edit::Remove { at, count: count % 20 },
            Edit::Remove { at, count },
            Edit::Swap { at },
            Edit::Copy { from: at, at: count % 20 },
            Edit::Field { at, field, value },
            Edit::Facet { at, unit: (value % 2) as u8, facet: field as u8, value: (count % 8) as u8 },
        ] {
            if let Some(edited) = apply(&program, &edit) {
                prop_assert_eq!(decode(&encode(&edited)), Ok(edited));
            }
        }
    }
}
