//! The limits of A2xx. Sources of the numbers: mesa, xenia, xdk (see the manual's list of sources).

use crate::limits::{Broken, Limit, Unlimited, check, least, most};
use lockstep_core::isa::Stage;
use lockstep_core::isa::a2xx::assemble::assemble;
use lockstep_core::isa::a2xx::interface::entries;
use lockstep_core::isa::a2xx::rules::RULES;
use lockstep_core::isa::a2xx::validate::validate;
use std::fmt::Write as _;

const ALU: &str = "ALU: ADDv R0 = R0, R0\n";

/// Returns a program that allocates position, parameters (or pixels) and memory exports, and runs the slot `line`. A comment names the stage.
fn slot(stage: &str, line: &str) -> String {
    format!(
        "; {stage}\nALLOC POSITION SIZE(0x0)\nALLOC PARAM/PIXEL SIZE(0x7)\nALLOC MEMORY SIZE(0x0)\nEXEC_END\n{line}"
    )
}

fn export(stage: &str, n: i64) -> String {
    slot(stage, &format!("ALU: ADDv export{n} = R0, R0"))
}

fn loops(_: &str, n: i64) -> String {
    let starts: String = (0..n).map(|k| format!("LOOP_START ADDR({:#x}) LOOP_ID(0)\n", 2 * n - k)).collect();
    let ends: String = (0..n).map(|k| format!("LOOP_END ADDR({:#x}) LOOP_ID(0)\n", n - k)).collect();
    format!("{starts}{ends}EXEC_END\n{ALU}")
}

/// Returns a program with `n` nested calls: for each k below `n`, clause 2 k calls clause 2 k + 2.
fn calls(_: &str, n: i64) -> String {
    let mut text = format!("COND_CALL ADDR(0x2) DIR(1) FORCE_CALL\nEXEC_END\n{ALU}");
    for k in 1..n {
        let next = 2 * k + 2;
        writeln!(text, "COND_CALL ADDR({next:#x}) DIR(1) FORCE_CALL\nRETURN ADDR(0x0) DIR(0)").unwrap();
    }
    text + "RETURN ADDR(0x0) DIR(0)\n"
}

const LIMITS: &[Limit] = &[
    most("slots of a clause", &[4], "xenia, mesa", &[("a clause", 6)], |_, n| {
        format!("EXEC_END ADDR(0x1) CNT({n:#x}) SEQ(0x0)\n")
            + &(1..8).map(|k| format!("{k:#x}: {ALU}")).collect::<String>()
    }),
    most("slots of a program", &[56], "mesa, xenia", &[("a program", 384)], |_, n| {
        format!("EXEC_END ADDR(0x1) CNT(0x1)\n{ALU}")
            + &(2..n).map(|k| format!("{k:#x}: RAW 0 0 0\n")).collect::<String>()
    }),
    most("slots from the first", &[5], "xenia, mesa", &[("one slot", 1)], |_, n| {
        format!("EXEC ADDR(0x1) CNT({n:#x}) SEQ(0x0)\nEXEC_END ADDR(0x1) CNT(0x1)\n{ALU}")
    }),
    least("the first slot", &[5], "xenia, mesa", &[("one slot of clauses", 1)], |_, n| {
        format!("EXEC ADDR({n:#x}) CNT(0x1) SEQ(0x0)\nEXEC_END ADDR(0x1) CNT(0x1)\n{ALU}")
    }),
    most("the target of a jump", &[3], "xenia, mesa", &[("four clauses", 3)], |_, n| {
        format!("COND_JMP ADDR({n:#x}) DIR(1) COND(1)\nEXEC_END ADDR(0x2) CNT(0x1)\n{ALU}NOP\nNOP")
    }),
    most("nested loops", &[7], "mesa, xenia", &[("loops", 4)], loops),
    most("nested calls", &[7], "mesa, xenia", &[("calls", 4)], calls),
    most("the address of EXEC", &[43], "xenia", &[("Adreno", 511)], |_, n| {
        format!("EXEC ADDR(0x1) CNT(0x1)\n{ALU}EXEC_END ADDR({n:#x}) CNT(0x0)")
    }),
    most("the size of ALLOC", &[47], "xenia", &[("ALLOC", 7)], |_, n| {
        format!("ALLOC PARAM/PIXEL SIZE({n:#x})\nEXEC_END ADDR(0x1) CNT(0x1)\n{ALU}")
    }),
    most("SEQ of one slot", &[42], "xenia, mesa", &[("EXEC", 3)], |_, n| {
        format!("EXEC_END ADDR(0x1) CNT(0x1) SEQ({n:#x})\n0x1: RAW 0 0 0")
    }),
    most("parameters", &[13], "mesa, xenia", &[("vertex", 15)], export),
    most("memory exports", &[13], "mesa, xenia", &[("vertex", 37), ("fragment", 37)], export),
    least("memory exports", &[13], "mesa, xenia", &[("vertex", 32), ("fragment", 32)], export),
    most("position and point size", &[13], "mesa, xenia", &[("vertex", 62)], |v, n| {
        // The legal numbers are 62 and 63. No number follows 63, so the program past the limit uses 61, which only fragment shaders may export to.
        export(v, if n == 62 { 63 } else { 61 })
    }),
    least("position and point size", &[13], "mesa, xenia", &[("vertex", 62)], export),
    most("colours", &[13], "mesa, xenia", &[("fragment", 3)], export),
    most("depth", &[13], "mesa, xenia", &[("fragment", 61)], export),
    least("depth", &[13], "mesa, xenia", &[("fragment", 61)], export),
    most("a parameter under SIZE", &[49], "xenia, mesa", &[("vertex", 7)], export),
    most(
        "the second number of a vertex constant",
        &[14],
        "xenia, mesa",
        &[("vertex", 2), ("fragment", 2)],
        |v, n| slot(v, &format!("FETCH: VERTEX R1.xyzw = R0.x FMT_32_FLOAT SIGNED STRIDE(4) CONST(1, {n})")),
    ),
    most("the anisotropic filter", &[16], "xenia, mesa", &[("vertex", 5), ("fragment", 5)], |v, n| {
        slot(v, &format!("FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ANISO({n}) LOCATION(CENTER)"))
    }),
    least("the anisotropic filter", &[16], "xenia, mesa", &[("vertex", 7), ("fragment", 7)], |v, n| {
        slot(v, &format!("FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ANISO({n}) LOCATION(CENTER)"))
    }),
    most("the arbitrary filter", &[16], "xenia, mesa", &[("vertex", 5), ("fragment", 5)], |v, n| {
        slot(v, &format!("FETCH: SAMPLE R0.xyzw = R0.xyz CONST(0) ARBITRARY({n}) LOCATION(CENTER)"))
    }),
    most("vector operations", &[10], "xdk, xenia, mesa", &[("ALU", 29)], |v, n| {
        slot(v, &format!("ALU: OP({n}) R0 = R0, R0"))
    }),
    most("scalar operations", &[11], "xdk, xenia, mesa", &[("ALU", 50)], |v, n| {
        slot(v, &format!("ALU: ADDv R0 = R0, R0\nOP({n}) R1.x___ = R0"))
    }),
];

/// The rules that have no numeric limit, by what they require.
const UNLIMITED: Unlimited = &[
    ("A referenced entry, fetch or format exists or does not.", &[1, 12, 57]),
    ("Concerns the position of a clause and reachability.", &[2, 6, 8, 40, 46]),
    ("Bits without meaning are zero or have a required value.", &[15, 17, 41, 44, 45, 51, 52, 54, 55]),
    ("Restricts a feature to stages.", &[53]),
    ("Requires or forbids an earlier allocation, fetch or write.", &[48, 50, 58, 59]),
];

#[test]
fn each_limit_is_exact() {
    let broken = |text: &str| -> Result<Vec<Broken>, String> {
        let mut program = assemble(text).map_err(|e| format!("{e:?}"))?;
        program.shaders[0].stage = text
            .starts_with("; fragment")
            .then_some(Stage::Fragment)
            .or(text.starts_with("; vertex").then_some(Stage::Vertex));
        let entry = &entries(&program)[0];
        Ok(validate(&program, entry).into_iter().map(|v| (v.code, v.level)).collect())
    };
    let all: Vec<u16> = RULES.iter().map(|row| row.code).collect();
    check(LIMITS, &all, UNLIMITED, &["vertex", "fragment"], broken);
}
