//! Redirects a result to the register that a later instruction writes, for minimisation.

use super::super::opcode::Opcode;
use super::super::program::{Instruction, Program};
use super::super::word::fields;
use crate::isa::edit::redirected_destination;

/// Returns the program in which instruction `from` writes to the register that `to` writes, and keeps the write mask of `from`. Empty if one of the
/// two writes no register, or if both write the same one.
pub fn redirected(program: &Program, from: u32, to: u32) -> Vec<Program> {
    let redirected = || {
        let number = |at: u32| destination(program.code.get(at as usize)?);
        let number = redirected_destination([from, to], number, |_, to| to)?;
        let writer = program.code.get(from as usize)?;
        let field = writer.layout().fields.iter().find(|field| field.name == fields::DST)?;
        let mut edited = program.clone();
        edited.code[from as usize] = Instruction::from_word(field.replace_in(writer.to_word(), number)?);
        Some(edited)
    };
    redirected().into_iter().collect()
}

/// Returns the number of the register that an instruction writes; `None` if it writes none.
fn destination(instruction: &Instruction) -> Option<u32> {
    let writes = instruction.flow().is_none()
        && instruction.op().is_some_and(|op| op != Opcode::Mova)
        && instruction.layout().fields.iter().any(|field| field.name == fields::DST);
    writes.then(|| instruction.field(fields::DST))
}

#[cfg(test)]
mod tests {
    use crate::isa::pica200::Pica200;
    use crate::isa::{Edits, Syntax};

    #[test]
    fn a_result_is_redirected_to_the_register_of_a_later_one() {
        let read = |lines: [&str; 5]| {
            Pica200::assemble(&format!(".raw vertex, outputs=0xf\n{}\nend\n", lines.join("\n"))).unwrap()
        };
        let lines =
            ["mov r1.xy, v0", "mova a0.x, v1", "add r2, r1, r1", "cmp v0.x, eq, eq, v1", "mov o3, r2"];
        let program = read(lines);
        let first = |line| read([line, lines[1], lines[2], lines[3], lines[4]]);
        assert_eq!(Pica200::redirected(&program, 0, 2), [first("mov r2.xy, v0")]);
        assert_eq!(Pica200::redirected(&program, 0, 4), [first("mov o3.xy, v0")]);
        let third = read([lines[0], lines[1], "add o3, r1, r1", lines[3], lines[4]]);
        assert_eq!(Pica200::redirected(&program, 2, 4), [third]);
        // No register is written, the register is the same, or there is no such instruction.
        for (from, to) in [(1, 4), (3, 4), (0, 1), (0, 3), (0, 5), (0, 6), (2, 2)] {
            assert!(Pica200::redirected(&program, from, to).is_empty(), "{from} {to}");
        }
    }
}
