//! Tests on other people's files: each file round-trips as bytes and as text.

use lockstep_core::isa::Stage;
use lockstep_core::isa::a2xx::program::{Clause, Program, Slot};
use lockstep_core::isa::a2xx::{assemble, container, decode, disassemble, encode, interface};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Returns the folder of the corpus; `None` if it is missing.
pub(crate) fn folder() -> Option<PathBuf> {
    crate::material::material("a2xx")
}

/// Returns the name of each file without the suffix, and the file's bytes; empty if the corpus is missing.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let Some(root) = folder() else { return Vec::new() };
    let mut files: Vec<_> = fs::read_dir(root.join("open"))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    assert_eq!(files.len(), 72, "the number of files in the manifest");
    files
}

/// Asserts that a program round-trips as bytes and as text.
#[track_caller]
pub(crate) fn round_trip(name: &str, bytes: &[u8]) -> Program {
    let program = decode::decode(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(encode::encode(&program), bytes, "{name}");
    text_round_trip(name, &program);
    program
}

/// Asserts that a program round-trips as text.
#[track_caller]
pub(crate) fn text_round_trip(name: &str, program: &Program) {
    let text = disassemble::disassemble(program);
    match assemble::assemble(&text) {
        Ok(again) => assert_eq!(again, *program, "{name}:\n{text}"),
        Err(errors) => panic!("{name}: {errors:#?}\n{text}"),
    }
}

#[test]
fn files_round_trip_as_bytes_and_as_text() {
    let mut counts = BTreeMap::<&str, usize>::new();
    for (name, bytes) in files() {
        let program = round_trip(&name, &bytes);
        for shader in &program.shaders {
            for clause in &shader.clauses {
                *counts.entry(clause.op().row().mnemonic).or_default() += 1;
                if let Clause::Exec(e) = clause {
                    assert_eq!(
                        e.seq >> (2 * e.slot_count()),
                        0,
                        "{name}: SEQ has no bits for slots that do not run"
                    );
                }
            }
            for slot in &shader.slots {
                let kind = match slot {
                    Slot::Alu(_) => "ALU",
                    Slot::Vertex(_) | Slot::Texture(_) => "FETCH",
                    Slot::Raw(_) => "raw",
                };
                *counts.entry(kind).or_default() += 1;
            }
        }
    }
    eprintln!("{counts:?}");
}

#[test]
fn the_number_of_clauses_equals_that_of_the_golden_runs() {
    // The field `cf_slots` of runs.json was computed by the interpreter that wrote the file.
    let Some(root) = folder() else { return };
    let mut seen = 0;
    for (name, bytes) in files() {
        let Ok(runs) = fs::read_to_string(root.join(format!("golden/{name}.runs.json"))) else { continue };
        let (_, rest) = runs.split_once("\"cf_slots\":").unwrap();
        let slots: usize = rest.split(',').next().unwrap().parse().unwrap();
        let program = decode::decode(&bytes).unwrap();
        assert_eq!(program.shaders[0].clauses.len(), 2 * slots, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 71);
}

#[test]
fn the_inferred_stage_equals_that_of_the_manifest() {
    let Some(root) = folder() else { return };
    let manifest = fs::read_to_string(root.join("MANIFEST.tsv")).unwrap();
    let mut lines = manifest.lines();
    let header: Vec<_> = lines.next().unwrap().split('\t').collect();
    let column = |name| header.iter().position(|h| *h == name).unwrap();
    for line in lines {
        let cells: Vec<_> = line.split('\t').collect();
        let bytes = fs::read(root.join(cells[column("file")])).unwrap();
        let program = decode::decode(&bytes).unwrap();
        let stage = if cells[column("stage")] == "vs" { Stage::Vertex } else { Stage::Fragment };
        assert_eq!(interface::entries(&program)[0].stage, stage, "{}", cells[0]);
    }
}

#[test]
fn real_files_are_recognized_by_their_first_bytes() {
    for (name, bytes) in files() {
        assert!(container::recognizes(&bytes[..16]), "{name}");
    }
}

#[test]
fn the_stage_follows_from_fetches_allocations_or_exports() {
    let stage = |text: &str| interface::entries(&assemble::assemble(text).unwrap())[0].stage;
    assert_eq!(stage("EXEC_END\nALU: ADDv export0 = R0, R0"), Stage::Fragment);
    assert_eq!(stage("EXEC_END\nALU: ADDv export62 = R0, R0"), Stage::Vertex);
    assert_eq!(stage("ALLOC POSITION SIZE(0x0)\nEXEC_END\nALU: ADDv R0 = R0, R0"), Stage::Vertex);
    let fetch = "FETCH: VERTEX R0.xyzw = R0.x FMT_32 SIGNED STRIDE(4) CONST(1)";
    assert_eq!(stage(&format!("EXEC_END\n{fetch}")), Stage::Vertex);
}

#[test]
fn operations_that_set_state_write_no_register() {
    for op in ["SET_TEX_LOD", "SET_GRADIENTS_H", "SET_GRADIENTS_V"] {
        let text = format!(
            "EXEC_END\nFETCH: {op} R1.xyzw = R0.xyz CONST(0) LOCATION(CENTER)\nALU: ADDv export0 = R1, R1"
        );
        let entry = interface::entries(&assemble::assemble(&text).unwrap()).remove(0);
        assert!(entry.interface.inputs.iter().any(|port| port.slot == 1 && port.mask == 15), "{op}");
    }
}

#[test]
fn inputs_are_registers_that_may_be_read_before_they_are_written() {
    let interface = |text: &str| interface::entries(&assemble::assemble(text).unwrap()).remove(0);
    let inputs = |text: &str| {
        let entry = interface(text);
        entry.interface.inputs.iter().map(|p| (p.slot, p.mask)).collect::<Vec<_>>()
    };
    // With these masks, R0.xy and R1.x are read. R2 is written before it is read.
    assert_eq!(
        inputs(
            "EXEC_END\nALU: ADDv R2.xy__ = R0, R1.xxxx FILL(RETAIN_PREV)\nALU: MULv R3.x___ = R2, R2.yyyy FILL(RETAIN_PREV)"
        ),
        [(0, 3), (1, 1)]
    );
    // A write that a jump or a predicate may skip does not count.
    let jump = "COND_JMP ADDR(0x2) DIR(1) COND(1)\nEXEC\nALU: ADDv R0 = C0, C0\nEXEC_END\nALU: ADDv R1 = R0, R0\nNOP";
    assert_eq!(inputs(jump), [(0, 15)]);
    assert_eq!(inputs("EXEC_END\nALU: ADDvEQ R0 = C0, C0\nALU: ADDv R1 = R0, R0"), [(0, 15)]);
    let all =
        "LOOP_START ADDR(0x2) LOOP_ID(3)\nLOOP_END ADDR(0x1) LOOP_ID(3)\nCOND_EXEC BOOL_ADDR(0x7) COND(1)
        FETCH: VERTEX R0.xyzw = R0.x FMT_32 SIGNED STRIDE(4) CONST(20, 2)
        FETCH: SAMPLE R1.xyzw = R0.xyz CONST(5) LOCATION(CENTER)
        ALU: ADDv R2 = C200, R1
        EXEC_END
        ALU: ADDv export0 = R2, R2";
    let entry = interface(all);
    let i = &entry.interface;
    assert_eq!((i.ints, i.bools, i.constants, &i.samplers[..]), (4, 8, 201, &[5][..]));
    assert_eq!(entry.extra, [0, 1 << (62 - 32), 0, 0]);
    assert_eq!(interface("EXEC_END\nALU: ADDv R0 = C[a0+1], C0").interface.constants, 512);
}
