//! Context programs: for each opcode, a small legal program that contains the opcode.

use super::super::assemble::assemble;
use super::super::opcode::{MaskRule, Opcode, Row, TABLE};
use super::super::program::Program;
use super::super::word::Comparison;
use crate::isa::facet::{Site, Sited};

/// A condition that tests both bits.
const CONDITION: &str = "cmp.x || cmp.y";

/// Returns the context program of an opcode. An arithmetic instruction has distinct registers, and only `end` follows it. Around a control-flow
/// instruction, each possible successor writes a different register.
pub(super) fn programs(opcode: &'static str) -> Vec<Sited<Program>> {
    let row = TABLE.iter().find(|row| row.mnemonic == opcode);
    let made = row.and_then(|row| {
        let (word, lines) = lines(row);
        let text = format!(".raw {}, outputs=0x9\n{}\n", row.stages[0].name(), lines.join("\n"));
        Some((assemble(&text).ok()?, Site { word, unit: 0 }))
    });
    made.into_iter().collect()
}

/// Returns the address of the instruction, and all lines of the program.
fn lines(row: &Row) -> (u32, Vec<String>) {
    let name = row.mnemonic;
    let all = |word, lines: &[&str]| (word, lines.iter().map(|line| (*line).to_owned()).collect());
    let named = |word, first: &str, rest: &[&str]| {
        (word, [first].iter().chain(rest).map(|line| line.replace("NAME", name)).collect())
    };
    match row.opcode {
        Opcode::Nop | Opcode::Emit => named(0, "NAME", &["mov r0, v1", "end"]),
        Opcode::Setemit => named(0, "NAME 0", &["emit", "end"]),
        Opcode::End => all(1, &["mov r0, v1", name, "mov r1, v1", "end"]),
        Opcode::Break | Opcode::Breakc => {
            let line = if row.opcode == Opcode::Break { name } else { &format!("{name} {CONDITION}") };
            all(2, &["for i1, after", "mov r0, v1", line, "after:", "mov r1, v1", "mov r2, v1", "end"])
        }
        Opcode::Loop => {
            named(0, "NAME i0, after", &["mov r0, v1", "after:", "mov r1, v1", "mov r2, v1", "end"])
        }
        Opcode::Call | Opcode::Callc | Opcode::Callu => {
            let condition = condition(row.opcode);
            let line = format!("{name} {condition}there, 2");
            all(0, &[&line, "mov r0, v1", "end", "there:", "mov r1, v1", "mov r2, v1", "end"])
        }
        Opcode::Ifc | Opcode::Ifu => {
            let line = format!("{name} {}there, 0", condition(row.opcode));
            all(0, &[&line, "mov r0, v1", "there:", "mov r1, v1", "mov r2, v1", "end"])
        }
        Opcode::Jmpc | Opcode::Jmpu => {
            let line = format!("{name} {}there", condition(row.opcode));
            all(1, &["mov r0, v1", &line, "mov r1, v1", "there:", "mov r2, v1", "end"])
        }
        op => {
            let mut operands = Vec::new();
            match row.mask {
                MaskRule::Components | MaskRule::Broadcast => operands.push("r2"),
                MaskRule::Address => operands.push("a0.xy"),
                MaskRule::Unused => {}
            }
            // The input is a source with a narrow register field, so that it remains if another source is changed to a uniform.
            let registers = ["r5", "r6", "r7"];
            let sources = (0..op.sources()).map(|n| if is_input(op, n) { "v3" } else { registers[n] });
            operands.extend(sources);
            if op == Opcode::Cmp {
                operands.splice(1..1, [Comparison::Equal.name(); 2]);
            }
            let line = format!("{name} {}", operands.join(", "));
            all(0, &[&line, "end"])
        }
    }
}

/// Whether the context program reads an input in source `n`: it does in the first source with a narrow register field.
fn is_input(op: Opcode, n: usize) -> bool {
    (0..op.sources()).find(|n| op.wide() != Some(*n)) == Some(n)
}

/// Returns the condition operand of a control-flow instruction and the comma before its target; empty for `call`.
fn condition(op: Opcode) -> String {
    match op {
        Opcode::Call => String::new(),
        Opcode::Callu | Opcode::Ifu | Opcode::Jmpu => "b7, ".to_owned(),
        _ => format!("{CONDITION}, "),
    }
}
