//! Tests of the rules: each example breaks exactly one rule.

use super::corpus::files;
use lockstep_core::isa::a2xx::interface::{XENOS, entries};
use lockstep_core::isa::a2xx::program::Program;
use lockstep_core::isa::a2xx::rules::{RULES, Rule};
use lockstep_core::isa::a2xx::validate::validate;
use lockstep_core::isa::a2xx::{assemble, decode};
use lockstep_core::isa::{Level, Stage};
use std::collections::{BTreeMap, BTreeSet};

#[track_caller]
fn program(text: &str) -> Program {
    assemble::assemble(text).unwrap_or_else(|e| panic!("{e:#?}\n{text}"))
}

/// Returns the numbers and positions of the broken rules.
#[track_caller]
fn broken(text: &str) -> Vec<(u16, Option<u32>)> {
    let program = program(text);
    let found = validate(&program, &entries(&program)[0]);
    found.iter().map(|v| (v.code, v.word)).collect()
}

const SLOT: &str = "ALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END ADDR(0x1) CNT(0x1)\n";

/// Returns rules, each with a program that breaks it and the index of the offending word.
fn examples() -> Vec<(Rule, String, Option<u32>)> {
    use Rule::*;
    let slot = |line: &str| format!("{SLOT}{line}");
    let alu = |line: &str| slot(&format!("ALU: {line}"));
    let vertex = |rest: &str| slot(&format!("FETCH: VERTEX R1.{rest}"));
    let head = |line: &str| format!("{line}\nEXEC_END ADDR(0x2) CNT(0x1)\nNOP\nNOP\nALU: ADDv R0 = R0, R0");
    let fetch = "xyzw = R0.x FMT_32_FLOAT SIGNED STRIDE(4) CONST(1, 0)";
    vec![
        (NoEnd, "EXEC ADDR(0x2) CNT(0x1)\nALU: ADDv R0 = R0, R0\nCOND_JMP ADDR(0x0) DIR(0) FORCE_CALL\nNOP\nNOP".into(), None),
        (Target, "COND_JMP ADDR(0x4) DIR(1) COND(1)\nEXEC_END ADDR(0x2) CNT(0x1)\nALU: ADDv R0 = R0, R0\nNOP\nNOP".into(), Some(0)),
        (Target, "LOOP_START ADDR(0x4) LOOP_ID(0)\nLOOP_END ADDR(0x1) LOOP_ID(0)\nEXEC_END ADDR(0x2) CNT(0x1)\nALU: ADDv R0 = R0, R0\nNOP".into(), Some(0)),
        (Count, "EXEC_END ADDR(0x1) CNT(0x7) SEQ(0x0)\n".to_owned() + &(1..8).map(|k| format!("{k:#x}: ALU: ADDv R0 = R0, R0\n")).collect::<String>(), Some(0)),
        (Range, "EXEC ADDR(0x1) CNT(0x2) SEQ(0x0)\nEXEC_END ADDR(0x1) CNT(0x1)\nALU: ADDv R0 = R0, R0".into(), Some(0)),
        (Range, "EXEC_END ADDR(0x0) CNT(0x1) SEQ(0x0)".into(), Some(0)),
        (BothKinds, "EXEC ADDR(0x1) CNT(0x1)\nALU: RAW 0 0 0\nEXEC_END ADDR(0x1) CNT(0x1) SEQ(0x1)".into(), Some(2)),
        (Depth, (0..5).map(|_| "LOOP_START ADDR(0xb) LOOP_ID(0)\n").collect::<String>() + &(0..5).map(|k| format!("LOOP_END ADDR({}) LOOP_ID(0)\n", 5 - k)).collect::<String>() + "NOP\nEXEC_END ADDR(0x6) CNT(0x1)\nALU: ADDv R0 = R0, R0", Some(4)),
        (Depth, "EXEC ADDR(0x2) CNT(0x1)\nALU: ADDv R0 = R0, R0\nCOND_CALL ADDR(0x1) DIR(0) COND(1)\nEXEC_END ADDR(0x3) CNT(0x0)\nNOP".into(), Some(1)),
        (StrayEnd, "LOOP_END ADDR(0x0) LOOP_ID(0)\nEXEC_END ADDR(0x1) CNT(0x1)\nALU: ADDv R0 = R0, R0".into(), Some(0)),
        (VectorOpcode, alu("OP(30) R0 = R0, R0"), Some(2)),
        (ScalarOpcode, alu("ADDv R0 = R0, R0\nOP(41) R1.x___ = R0"), Some(2)),
        (FetchOpcode, slot("FETCH: OP(2) R0.xyzw = R0.xyz CONST(0) LOCATION(CENTER)"), Some(2)),
        (ExportNumber, alu("ADDv export4 = R0, R0"), Some(2)),
        (SubIndex, vertex("xyzw = R0.x FMT_32_FLOAT SIGNED STRIDE(4) CONST(1, 3)"), Some(2)),
        (FetchSwizzle, vertex(&fetch.replace("xyzw", "xy?w")), Some(2)),
        (FetchSwizzle, slot("FETCH: SAMPLE R0.???? = R0.xyz CONST(0) LOCATION(CENTER)"), Some(2)),
        (Filter, slot("FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ANISO(6) LOCATION(CENTER)"), Some(2)),
        (Filter, slot("FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ARBITRARY(6) LOCATION(CENTER)"), Some(2)),
        (VertexBit, vertex(&format!("{fetch} ONE19(0)")), Some(2)),
        (RunsOff, "EXEC_END ADDR(0x1) CNT(0x0)\nNOP\n".replace("EXEC_END ADDR(0x1) CNT(0x0)", "NOP").replace("NOP\nNOP", "COND_EXEC_END ADDR(0x1) CNT(0x1) COND(1)\nALU: ADDv R0 = R0, R0"), None),
        (Reserved, head("EXEC ADDR(0x2) CNT(0x0) BOOL_ADDR(0x1)"), Some(0)),
        (Reserved, head("ALLOC PARAM/PIXEL SIZE(0x0) ZERO4(0x1)"), Some(0)),
        (Reserved, head("COND_JMP ADDR(0x1) DIR(1) COND(1) ZERO15(0x1)"), Some(0)),
        (Reserved, vertex(&format!("{fetch} ZERO54(0x1)")), Some(2)),
        (Reserved, slot("FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) LOCATION(CENTER) DIM(2D)"), Some(2)),
        (Reserved, slot("FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) LOCATION(CENTER) ZERO73(0x1)"), Some(2)),
        (Sequence, "EXEC_END ADDR(0x1) CNT(0x1) SEQ(0x4)\n0x1: ALU: ADDv R0 = R0, R0".into(), Some(0)),
        (Address9, "EXEC ADDR(0x1) CNT(0x1)\nALU: ADDv R0 = R0, R0\nEXEC_END ADDR(0x200) CNT(0x0)".into(), Some(1)),
        (AddressMode, head("EXEC ADDR(0x2) CNT(0x0) ABSOLUTE_ADDR"), Some(0)),
        (Payload, head("NOP PAYLOAD(0x1)"), Some(0)),
        (Unreached, "EXEC_END ADDR(0x1) CNT(0x1)\nALU: ADDv R0 = R0, R0\nNOP PAYLOAD(0x1)".into(), Some(1)),
        (AllocSize, head("ALLOC PARAM/PIXEL SIZE(0x8)"), Some(0)),
        (NoAlloc, "EXEC_END ADDR(0x1) CNT(0x1)\nALU: ADDv export0 = R0, R0".into(), Some(0)),
        (ParameterSize, "ALLOC POSITION SIZE(0x0)\nALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END ADDR(0x2) CNT(0x1)\nALU: ADDv export1 = R0, R0\nNOP".into(), Some(4)),
        (BothWrite, alu("ADDv R0.xy__ = R0, R0\nMAXs R0._y__ = R0"), Some(2)),
        (PredicateUnused, alu("ADDv R0 = R0, R0 PRED_COND"), Some(2)),
        (PredicateUnused, vertex(&format!("{fetch} PRED_COND")), Some(2)),
        (ScalarDest, alu("ADDv export1.x___ = R0, R0\nMAXs export1._y__ = R0 SDEST(5)"), Some(2)),
        (KillInVertex, "ALLOC POSITION SIZE(0x0)\nEXEC_END ADDR(0x1) CNT(0x1)\nALU: KILLEv R0 = R0, R1".into(), Some(2)),
        (RelativeExport, alu("ADDv export[aL+0] = R0, R0"), Some(2)),
        (AbsConst, alu("ADDv R0 = C0, R0 ABS_CONST"), Some(2)),
        (NoVertexFormat, vertex("xyzw = R0.x FMT_DXT1 SIGNED STRIDE(4) CONST(1, 0)"), Some(2)),
        (NoVertexFormat, vertex("xyzw = R0.x TYPE(0x2d) SIGNED STRIDE(4) CONST(1, 0)"), Some(2)),
        (ExportAgain, "ALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END\nALU: ADDv export0 = R0, R0\nALU: ADDv export0._y__ = R0, R0".into(), Some(3)),
        (NoFullFetch, vertex(&format!("{fetch} MINI_FETCH")), Some(2)),
        (TooLong, "EXEC_END ADDR(0x1) CNT(0x1)\nALU: ADDv R0 = R0, R0\n".to_owned() + &(2..400).map(|k| format!("{k:#x}: RAW 0 0 0\n")).collect::<String>(), None),
    ]
}

#[test]
fn each_rule_has_a_small_program_that_breaks_only_it() {
    let mut seen = BTreeSet::from([Rule::EntryMismatch]);
    for (rule, text, word) in examples() {
        assert_eq!(broken(&text), [(rule.row().code, word)], "{rule:?}:\n{text}");
        seen.insert(rule);
    }
    assert_eq!(seen.len(), RULES.len(), "{seen:?}");
}

#[test]
fn exports_of_other_components_or_on_other_paths_are_not_duplicates() {
    let clauses = |first: &str, second: &str, line: &str| {
        format!(
            "ALLOC PARAM/PIXEL SIZE(0x0)\n{first}\nALU: ADDv export0.x___ = R0, R0\n{second}\nALU: {line}"
        )
    };
    let again = |text: String| broken(&text).contains(&(58, Some(5)));
    assert!(again(clauses("EXEC", "EXEC_END", "ADDv export0.xyz_ = R0, R0")));
    assert!(!again(clauses("EXEC", "EXEC_END", "ADDv export0._yz_ = R0, R0")));
    assert!(!again(clauses("EXEC", "EXEC_END", "ADDv export1.xyz_ = R0, R0")));
    assert!(!again(clauses("EXEC", "EXEC_END", "ADDvEQ export0.xyz_ = R0, R0")));
    assert!(!again(clauses("COND_EXEC COND(1)", "COND_EXEC_END COND(0)", "ADDv export0.xyz_ = R0, R0")));
}

#[test]
fn a_mini_fetch_needs_an_earlier_full_fetch() {
    let fetch = "FETCH: VERTEX R1.xyzw = R0.x FMT_32_FLOAT SIGNED STRIDE(4) CONST(1, 0)";
    let two = |first: &str, second: &str| {
        broken(&format!("ALLOC PARAM/PIXEL SIZE(0x0)\nEXEC\n{fetch}{first}\nEXEC_END\n{fetch}{second}"))
    };
    assert_eq!(two("", " MINI_FETCH"), []);
    assert_eq!(two(" MINI_FETCH", ""), [(59, Some(4))]);
    assert_eq!(two(" MINI_FETCH", " MINI_FETCH"), [(59, Some(4)), (59, Some(5))]);
}

#[test]
fn of_several_allocations_of_parameters_the_largest_is_used() {
    let beyond = |first: u8, second: u8| {
        broken(&format!(
            "ALLOC POSITION SIZE(0x0)\nALLOC PARAM/PIXEL SIZE({first:#x})\nALLOC PARAM/PIXEL SIZE({second:#x})\nEXEC_END ADDR(0x2) CNT(0x1)\n\
             ALU: ADDv export3 = R0, R0"
        ))
        .iter()
        .any(|(code, _)| *code == 49)
    };
    assert!(beyond(1, 1) && !beyond(3, 1) && !beyond(1, 3));
}

/// On Xenos bit 7 takes the absolute value of constants, addresses of EXEC have 12 bits, SIZE does not count parameters, and fetches hold the dimension
/// (xenia).
#[test]
fn rules_of_one_version_are_broken_in_that_version_only() {
    use lockstep_core::isa::a2xx::interface::ADRENO;
    let alu = |line: &str| format!("{SLOT}ALU: {line}");
    let fetch = |rest: &str| format!("{SLOT}FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) LOCATION(CENTER) {rest}");
    let vertex = |line: &str| {
        format!(
            "ALLOC POSITION SIZE(0x0)\nALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END ADDR(0x2) CNT(0x1)\nALU: {line}\nNOP"
        )
    };
    for (rule, text, in_adreno, in_xenos) in [
        (Rule::AbsConst, alu("ADDv R0 = C0, R0 ABS_CONST"), true, false),
        (Rule::AbsConst, alu("ADDv R0 = C0, R0"), false, false),
        (
            Rule::Address9,
            "EXEC ADDR(0x1) CNT(0x1)\nALU: ADDv R0 = R0, R0\nEXEC_END ADDR(0x200) CNT(0x0)".to_owned(),
            true,
            false,
        ),
        (Rule::ParameterSize, vertex("ADDv export1 = R0, R0"), true, false),
        (Rule::Reserved, fetch("DIM(2D)"), true, false),
        (Rule::Reserved, fetch(""), false, false),
    ] {
        let program = program(&text);
        for (version, expected) in [(ADRENO, in_adreno), (XENOS, in_xenos)] {
            let mut entry = entries(&program)[0].clone();
            entry.version = version;
            let found = validate(&program, &entry).iter().any(|v| v.code == rule.row().code);
            assert_eq!(found, expected, "{rule:?} in version {version}:\n{text}");
        }
    }
}

#[test]
fn rule_numbers_are_unique() {
    let codes: BTreeSet<_> = RULES.iter().map(|r| r.info().code).collect();
    assert_eq!(codes.len(), RULES.len());
    assert!(RULES.iter().enumerate().all(|(k, row)| row.rule as usize == k));
}

#[test]
fn an_entry_that_is_not_the_shaders_is_refused() {
    let program = program("EXEC_END ADDR(0x1) CNT(0x1)\nALU: ADDv R0 = R0, R1");
    let entry = &entries(&program)[0];
    assert!(validate(&program, entry).is_empty());
    assert_eq!(entry.interface.inputs.len(), 2);
    type Change = fn(&mut lockstep_core::isa::Entry);
    let changes: [Change; 5] = [
        |e| e.start = 1,
        |e| e.stage = Stage::Geometry,
        |e| e.version = 2,
        |e| e.interface.inputs[0].slot = 64,
        |e| e.interface.inputs.swap(0, 1),
    ];
    for change in changes {
        let mut entry = entry.clone();
        change(&mut entry);
        let found = validate(&program, &entry);
        assert_eq!(found.iter().map(|v| v.code).collect::<Vec<_>>(), [1], "{entry:?}");
    }
}

/// Warnings on real programs: the rule, the number of files, and why the warning is right. No file breaks a rule at error level.
const WARNED: [(Rule, usize, &str); 1] =
    [(Rule::ScalarDest, 1, "the Xenos compiler leaves 0 in the field of a scalar half that exports to o1")];

#[test]
fn real_programs_break_no_rule_at_error_level() {
    let mut warned = BTreeMap::<Rule, BTreeSet<String>>::new();
    for (name, bytes) in files() {
        let program = decode::decode(&bytes).unwrap();
        let mut entry = entries(&program)[0].clone();
        if name.starts_with("xenos") {
            entry.version = XENOS;
        }
        for v in validate(&program, &entry) {
            assert_eq!(v.level, Level::Warning, "{name}: {v}");
            let rule = RULES.iter().find(|r| r.code == v.code).unwrap().rule;
            warned.entry(rule).or_default().insert(name.clone());
        }
    }
    if !warned.is_empty() {
        let counts: Vec<_> = warned.iter().map(|(rule, files)| (*rule, files.len())).collect();
        assert_eq!(counts, WARNED.map(|(rule, files, _)| (rule, files)), "{warned:?}");
    }
}
