//! Names of a shader's inputs and constants: declared usages of inputs, and constant names from constant tables.

use super::ctab::{ConstantTable, Set, usage_name};
use super::interface::{input_slot, version};
use super::opcode::Opcode;
use super::program::Program;
use crate::isa::{Entry, InputFile, Label};

/// Returns the usages of inputs, such as `position0`, followed by the constant names from the constant tables.
pub(super) fn labels(program: &Program, entry: &Entry) -> Vec<Label> {
    let version = version(entry);
    // In pixel shaders before 3_0, declarations of inputs have no usage.
    let declares = !version.is_pixel() || version.major >= 3;
    let declared = program.instructions.iter().filter(|i| declares && i.op() == Some(Opcode::Dcl));
    let inputs = declared.filter_map(|i| {
        let (dest, usage) = (i.dest?, i.usage?);
        let name = usage_name(usage.usage)?;
        let first = input_slot(version, dest.file, dest.number)?;
        Some(Label { file: InputFile::Input, first, count: 1, name: format!("{name}{}", usage.index) })
    });
    let tables = program.comments.iter().filter_map(|comment| ConstantTable::read(&comment.words)?.ok());
    let constants = tables.flat_map(|table| table.constants).filter_map(|constant| {
        let file = match constant.set {
            Set::Float => InputFile::Constant,
            Set::Int => InputFile::Int,
            Set::Bool => InputFile::Bool,
            Set::Sampler | Set::Unknown(_) => return None,
        };
        let (first, count) = (constant.register, constant.count);
        Some(Label { file, first, count, name: constant.name })
    });
    inputs.chain(constants).collect()
}

#[cfg(test)]
mod tests {
    use super::super::assemble::assemble;
    use super::super::interface::entries;
    use super::*;

    #[test]
    fn usages_name_the_slots_of_their_registers() {
        let named = |text: &str| {
            let program = assemble(text).expect("text");
            let all = labels(&program, &entries(&program)[0]);
            all.into_iter().map(|label| (label.file, label.first, label.name)).collect::<Vec<_>>()
        };
        let label = |slot, name: &str| (InputFile::Input, slot, name.to_owned());
        let vertex = named("vs_1_1\ndcl_position v3\ndcl_texcoord2 v0\nmov oPos, v3\nmov oT0, v0\n");
        assert_eq!(vertex, [label(3, "position0"), label(0, "texcoord2")]);
        let pixel = named("ps_3_0\ndcl_color1 v2\ndcl_2d s0\nmov oC0, v2\n");
        assert_eq!(pixel, [label(2, "color1")]);
        // A declaration in ps_2_0 has no usage.
        assert_eq!(named("ps_2_0\ndcl v0\ndcl t1\nmov oC0, v0\n"), []);
    }
}
