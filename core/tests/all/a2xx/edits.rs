//! Edits: the results decode, encode and round-trip as text, and addresses are adjusted.

use super::corpus::{files, text_round_trip};
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::a2xx::edit::{apply, edits};
use lockstep_core::isa::a2xx::opcode::{CfOp, ScalarOp, VectorOp};
use lockstep_core::isa::a2xx::program::{Clause, Exec, Kind, Order, Program, Shader, Slot};
use lockstep_core::isa::a2xx::{assemble, decode, disassemble, encode};
use lockstep_core::isa::{Edit, Edits, Format};

#[track_caller]
fn program(text: &str) -> Program {
    assemble::assemble(text).unwrap_or_else(|e| panic!("{e:#?}\n{text}"))
}

fn words(text: &str) -> Vec<String> {
    text.lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|l| !l.is_empty() && !l.starts_with(".a2xx"))
        .collect()
}

/// Asserts that an edit of a listing has this result; `None` asserts that the edit does not apply.
#[track_caller]
fn check(edit: Edit, before: &str, after: Option<&str>) {
    let edited = apply(&program(before), &edit).map(|p| words(&disassemble::disassemble(&p)));
    assert_eq!(edited, after.map(words));
}

const LOOP: &str = "
    EXEC ADDR(0x3) CNT(0x2)
      ALU: ADDv R0 = R1, R2
      FETCH: SAMPLE R3.xyzw = R0.xyz CONST(0) LOCATION(CENTER)
    COND_JMP ADDR(0x3) DIR(1) COND(1)
    COND_JMP ADDR(0x0) DIR(0) FORCE_CALL
    EXEC ADDR(0x5) CNT(0x1)
      ALU: MULv R0 = R3, R3
    EXEC_END ADDR(0x6) CNT(0x1)
      ALU: MAXv export0 = R0, R0 ; gl_FragColor
    NOP
";

#[test]
fn addresses_are_adjusted_when_words_are_inserted_or_removed() {
    // Removing a clause that runs a slot removes the slot.
    check(
        Edit::Remove { at: 3, count: 1 },
        LOOP,
        Some(
            "EXEC ADDR(0x2) CNT(0x2)
             ALU: ADDv R0 = R1, R2
             FETCH: SAMPLE R3.xyzw = R0.xyz CONST(0) LOCATION(CENTER)
             COND_JMP ADDR(0x3) DIR(1) COND(1)
             COND_JMP ADDR(0x0) DIR(0) FORCE_CALL
             EXEC_END ADDR(0x4) CNT(0x1)
             ALU: MAXv export0 = R0, R0 ; gl_FragColor",
        ),
    );
    // Removing a jump moves the targets after it.
    check(
        Edit::Remove { at: 2, count: 1 },
        LOOP,
        Some(
            "EXEC ADDR(0x2) CNT(0x2)
             ALU: ADDv R0 = R1, R2
             FETCH: SAMPLE R3.xyzw = R0.xyz CONST(0) LOCATION(CENTER)
             COND_JMP ADDR(0x2) DIR(1) COND(1)
             EXEC ADDR(0x4) CNT(0x1)
             ALU: MULv R0 = R3, R3
             EXEC_END ADDR(0x5) CNT(0x1)
             ALU: MAXv export0 = R0, R0 ; gl_FragColor",
        ),
    );
    // Removing a slot adjusts the count, the kinds and the addresses after it.
    let without_alu = LOOP
        .replace("ADDR(0x3) CNT(0x2)", "ADDR(0x3) CNT(0x1)")
        .replace("      ALU: ADDv R0 = R1, R2\n", "")
        .replace("ADDR(0x5) CNT", "ADDR(0x4) CNT")
        .replace("ADDR(0x6) CNT", "ADDR(0x5) CNT");
    check(Edit::Remove { at: 6, count: 1 }, LOOP, Some(&without_alu));
    // Copying a slot adjusts them, too.
    let twice = LOOP
        .replace("ADDR(0x3) CNT(0x2)", "ADDR(0x3) CNT(0x3)")
        .replace("      FETCH", "      ALU: MULv R0 = R3, R3\n      FETCH")
        .replace("ADDR(0x5) CNT", "ADDR(0x6) CNT")
        .replace("EXEC_END ADDR(0x6) CNT", "EXEC_END ADDR(0x7) CNT");
    check(Edit::Copy { from: 8, at: 7 }, LOOP, Some(&twice));
    // Swapped slots keep their kinds.
    let swapped = LOOP
        .replace("      ALU: ADDv R0 = R1, R2\n", "")
        .replace("LOCATION(CENTER)\n", "LOCATION(CENTER)\n      ALU: ADDv R0 = R1, R2\n");
    check(Edit::Swap { at: 6 }, LOOP, Some(&swapped));
    // The copied clause replaces the NOP that padded the clauses to an even number, and targets after the copy move.
    let more = LOOP
        .replace("COND_JMP ADDR(0x3)", "COND_JMP ADDR(0x4)")
        .replace(
            "COND_JMP ADDR(0x0) DIR(0) FORCE_CALL\n",
            "COND_JMP ADDR(0x0) DIR(0) FORCE_CALL\nCOND_JMP ADDR(0x0) DIR(0) FORCE_CALL\n",
        )
        .replace("    NOP\n", "");
    check(Edit::Copy { from: 2, at: 2 }, LOOP, Some(&more));
}

#[test]
fn edits_that_do_not_apply_return_none() {
    check(Edit::Remove { at: 0, count: 0 }, LOOP, None);
    check(Edit::Remove { at: 5, count: 2 }, LOOP, None);
    check(Edit::Remove { at: 0, count: u32::MAX }, LOOP, None);
    check(Edit::Remove { at: 0, count: 6 }, LOOP, None);
    check(Edit::Swap { at: 5 }, LOOP, None);
    check(Edit::Swap { at: 9 }, LOOP, None);
    check(Edit::Copy { from: 0, at: 7 }, LOOP, None);
    check(Edit::Copy { from: 6, at: 0 }, LOOP, None);
    check(Edit::Copy { from: 99, at: 0 }, LOOP, None);
    check(Edit::Field { at: 6, field: 999, value: 0 }, LOOP, None);
    // The field already has this value.
    check(Edit::Field { at: 6, field: 0, value: 0 }, LOOP, None);
}

#[test]
fn operations_of_alu_slots_are_replaced_only_by_fillers() {
    let before = program("EXEC_END\nALU: FRACv R0 = R1\nSIN R2.x___ = R3");
    let opcodes = |program: &Program| match &program.shaders[0].slots[0] {
        Slot::Alu(alu) => (alu.vop, alu.sop),
        other => panic!("{other:?}"),
    };
    let (vector, scalar) = opcodes(&before);
    let vectors = [vector, VectorOp::Max as u8, VectorOp::Add as u8];
    let scalars = [scalar, ScalarOp::RetainPrev as u8, ScalarOp::Maxs as u8];
    // Words 0 and 1 are clauses.
    let listed = edits(&before).into_iter().filter(|edit| matches!(edit, Edit::Field { at: 2, .. }));
    let edited: Vec<(u8, u8)> = listed.map(|edit| opcodes(&apply(&before, &edit).unwrap())).collect();
    assert!(edited.iter().any(|edited| *edited == (vectors[1], scalar)), "{edited:?}");
    for (vop, sop) in edited {
        assert!(vectors.contains(&vop) && scalars.contains(&sop), "vector {vop}, scalar {sop}");
    }
}

#[test]
fn edits_of_real_programs_decode() {
    let (mut tried, mut given, mut random) = (0, 0, 1u32);
    for (name, bytes) in files() {
        let program = decode::decode(&bytes).unwrap();
        let words = program.words();
        let listed = if words < 40 { edits(&program) } else { Vec::new() };
        let mut next = |bound: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % bound
        };
        let wild: Vec<Edit> = (0..400)
            .map(|k| match k % 4 {
                0 => Edit::Remove { at: next(words + 2), count: next(6) },
                1 => Edit::Swap { at: next(words + 2) },
                2 => Edit::Copy { from: next(words + 2), at: next(words + 2) },
                _ => Edit::Field {
                    at: next(words + 2),
                    field: next(32) as u16,
                    value: u64::from(next(1 << 14)),
                },
            })
            .collect();
        for (k, edit) in listed.iter().chain(&wild).enumerate() {
            tried += 1;
            let Some(edited) = apply(&program, edit) else {
                assert!(k >= listed.len(), "{name}: {edit:?} is listed but does not apply");
                continue;
            };
            given += 1;
            assert_ne!(edited, program, "{name}: {edit:?}");
            let again = decode::decode(&encode::encode(&edited)).unwrap();
            assert_eq!(again, edited, "{name}: {edit:?}");
            if k % 16 == 0 {
                text_round_trip(&format!("{name}: {edit:?}"), &edited);
            }
        }
    }
    if tried > 0 {
        assert!(given * 3 > tried, "{given} of {tried}");
        eprintln!("{given} of {tried} edits apply");
    }
}

#[test]
fn removals_alone_minimise_a_program() {
    for (name, bytes) in files() {
        let mut program = decode::decode(&bytes).unwrap();
        if program.words() > 40 {
            continue;
        }
        // Always apply the first edit that removes words, until there is none.
        while let Some(smaller) = edits(&program)
            .iter()
            .filter(|e| matches!(e, Edit::Remove { .. }))
            .filter_map(|e| apply(&program, e))
            .find(|p| p.words() < program.words())
        {
            program = smaller;
        }
        assert!(program.words() <= 4, "{name}:\n{}", disassemble::disassemble(&program));
    }
}

#[test]
fn edits_update_the_container() {
    // A Xenos object: header, description of the shader at 36, program at 44 (fd-notes).
    let head = [0x102a_1100u32, 44, 24, 0, 0, 0, 36, 0, 0, 0, 24];
    let words = [0x0000_1001u32, 0x2000, 0, 0x1400_0000, 0, 0xe200_0000];
    let bytes: Vec<u8> = head.iter().chain(&words).flat_map(|w| w.to_be_bytes()).collect();
    let program = decode::decode(&bytes).unwrap();
    let edited = apply(&program, &Edit::Copy { from: 2, at: 3 }).unwrap();
    let after = encode::encode(&edited);
    let size = |at: usize| u32::from_be_bytes(after[at..at + 4].try_into().unwrap());
    assert_eq!((size(8), size(40), after.len()), (36, 36, bytes.len() + 12));
    text_round_trip("xenos", &edited);
    assert_eq!(apply(&edited, &Edit::Remove { at: 3, count: 1 }), Some(program));
}

#[test]
fn merged_clauses_drop_the_bits_of_unused_slots() {
    let mut whole = program(LOOP);
    let text = "
    EXEC ADDR(0x2) CNT(0x1)
      ALU: MULv R0 = R3, R3
    EXEC_END ADDR(0x3) CNT(0x1)
      ALU: MAXv export0 = R0, R0 ; gl_FragColor
    NOP
    NOP
    ";
    whole.shaders = program(text).shaders;
    for clause in &mut whole.shaders[0].clauses {
        if let Clause::Exec(exec) = clause {
            (exec.vc, exec.seq) = (0x3f, 0xfff);
        }
    }
    let entry = A2xx::entries(&whole).remove(0);
    let stripped = A2xx::strip(&whole, &entry).expect("a clause fewer");
    let Clause::Exec(merged) = stripped.shaders[0].clauses[0] else { panic!("{stripped:?}") };
    assert_eq!((merged.cnt, merged.vc, merged.seq), (2, 0b11, 0b1111));
}

/// Consecutive clauses that run nothing merge into one. Up to as many NOPs are removed from the end as clauses were merged, even beyond 65535.
#[test]
fn any_number_of_merged_clauses_is_counted() {
    for merged in [10usize, 65_535, 65_536, 65_537, 70_000] {
        let run = |op: CfOp| Clause::Exec(Exec { opcode: op as u8, ..Exec::default() });
        let mut clauses = vec![run(CfOp::Exec); merged];
        clauses.push(run(CfOp::ExecEnd));
        clauses.resize((merged + 11).next_multiple_of(2), Clause::from_word(0));
        let shader = Shader { clauses, slots: Vec::new(), tail: Vec::new(), stage: None };
        let gaps = vec![Vec::new(); 2];
        let whole = Program { kind: Kind::Bare, order: Order::Little, shaders: vec![shader], gaps };
        let entry = A2xx::entries(&whole).remove(0);
        let stripped = A2xx::strip(&whole, &entry).expect("fewer clauses");
        // The clause that ends the program, and a NOP beside it.
        let expected = [run(CfOp::ExecEnd), Clause::from_word(0)];
        assert_eq!(stripped.shaders[0].clauses, expected, "{merged}");
    }
}
