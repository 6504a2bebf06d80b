//! Replaces reads of a result by reads of an operand of the instruction that computes it, for minimisation.

use super::super::program::{Instruction, Program, Register, Target, Ternary};
use super::super::word::fields;
use crate::isa::edit::distinct_changes;

/// Returns the programs in which instruction `to` reads a source of instruction `from` instead of the temporary that `from` writes, and keeps its own
/// swizzles and signs. Empty if one of the two does not exist, if `from` writes no temporary, if an operand of `to` cannot name the source, or if
/// nothing would change.
pub fn forwarded(program: &Program, from: u32, to: u32) -> Vec<Program> {
    let instruction = |at: u32| program.code.get(at as usize);
    let (Some(writer), Some(reader)) = (instruction(from), instruction(to)) else { return Vec::new() };
    let Some(Target::Temporary(number)) = writer.dst() else { return Vec::new() };
    let written = Register::Temporary(number);
    let sources = writer.sources().into_iter().flatten();
    let readers = sources.filter_map(|source| reading(reader, written, source));
    let edited = |reader| {
        let mut edited = program.clone();
        edited.code[to as usize] = reader;
        edited
    };
    distinct_changes(reader, readers).into_iter().map(edited).collect()
}

/// Returns an instruction whose reads of the register `written` are replaced by reads of a source, given by its register number and its index. `None`
/// if the number does not fit the field of an operand.
fn reading(reader: &Instruction, written: Register, (number, idx): (u8, u8)) -> Option<Instruction> {
    let layout = reader.layout();
    let mut word = reader.to_word();
    for (name, own) in fields::SOURCES.into_iter().zip(reader.sources()) {
        if own.is_none_or(|(own, _)| Register::source(own) != written) {
            continue;
        }
        let field = layout.field(name)?;
        word = field.replace_in(word, u32::from(number))?;
        // Only a wide operand can name a uniform and has an index.
        if field.width == Ternary::src2.width {
            word = layout.field(fields::IDX)?.replace_in(word, u32::from(idx))?;
        }
    }
    Some(Instruction::from_word(word))
}

#[cfg(test)]
mod tests {
    use crate::isa::pica200::Pica200;
    use crate::isa::{Edits, Syntax};

    #[test]
    fn a_read_of_a_result_becomes_a_read_of_its_operand() {
        let read = |second: &str| {
            let text = format!(".raw vertex, outputs=0xf\nadd r0, c4[a0.x], v5\n{second}\nmov o0, r1\nend\n");
            Pica200::assemble(&text).unwrap()
        };
        let program = read("mul r1.x, r0, v1");
        let forwarded = ["mul r1.x, c4[a0.x], v1", "mul r1.x, v5, v1"].map(read);
        assert_eq!(Pica200::forwarded(&program, 0, 1), forwarded);
        // A narrow operand cannot name a uniform. Swizzle and sign stay.
        let both = read("mul r1.x, r0, -r0.zzyx");
        assert_eq!(Pica200::forwarded(&both, 0, 1), [read("mul r1.x, v5, -v5.zzyx")]);
        // Instructions without a destination read registers, too.
        let address = read("mova a0.x, r0");
        assert_eq!(Pica200::forwarded(&address, 0, 1).len(), 2);
        // The other register is not read, no temporary is written, or there is no such instruction.
        for (from, to) in [(0, 2), (1, 0), (2, 1), (3, 1), (0, 3), (0, 4), (4, 0)] {
            assert!(Pica200::forwarded(&program, from, to).is_empty(), "{from} {to}");
        }
    }
}
