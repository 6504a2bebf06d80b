//! The names of a shader's inputs and uniforms: the symbols of its DVLE.

use super::interface::dvle_index;
use super::program::{Container, Program};
use crate::isa::{Entry, InputFile, Label};
use std::ops::Range;

/// The numbers of each file's registers in symbols.
static FILES: [(InputFile, Range<u16>); 4] = [
    (InputFile::Input, 0..0x10),
    (InputFile::Constant, 0x10..0x70),
    (InputFile::Int, 0x70..0x74),
    (InputFile::Bool, 0x78..0x88),
];

/// Returns the symbols of inputs and uniforms in the entry's DVLE; none for a raw program. A symbol that would continue past its file ends with the
/// file.
pub(super) fn labels(program: &Program, entry: &Entry) -> Vec<Label> {
    let Container::Shbin(shbin) = &program.container else { return Vec::new() };
    let Some(dvle) = dvle_index(entry).and_then(|n| shbin.dvles.get(n)) else { return Vec::new() };
    let named = dvle.uniforms.rows.iter().filter_map(|row| {
        let bytes = dvle.symbols.rows.get(row.symbol as usize..)?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let (file, numbers) = FILES.iter().find(|(_, numbers)| numbers.contains(&row.first))?;
        let name = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let last = row.last.clamp(row.first, numbers.end - 1);
        Some(Label { file: *file, first: row.first - numbers.start, count: last - row.first + 1, name })
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::super::assemble::assemble;
    use super::super::interface::entries;
    use super::*;

    #[test]
    fn symbols_name_inputs_and_uniforms() {
        let text = ".fvec matrix[4], colour\n.bool lit\n.in position v1\n.out pos position o0\n\
                    .proc main\nmov pos, v1\nend\n.end\n";
        let program = assemble(text).expect("text");
        let all = labels(&program, &entries(&program)[0]);
        let find =
            |name: &str| all.iter().find(|label| label.name == name).map(|l| (l.file, l.first, l.count));
        assert_eq!(find("position"), Some((InputFile::Input, 1, 1)));
        assert_eq!(find("matrix").map(|(file, _, count)| (file, count)), Some((InputFile::Constant, 4)));
        assert_eq!(find("lit").map(|(file, _, count)| (file, count)), Some((InputFile::Bool, 1)));
    }

    #[test]
    fn a_symbol_ends_with_its_file() {
        let text = ".fvec matrix[4]\n.bool lit\n.in position v1\n.out pos position o0\n\
                    .proc main\nmov pos, v1\nend\n.end\n";
        let mut program = assemble(text).expect("text");
        let Container::Shbin(shbin) = &mut program.container else { panic!("not an SHBIN") };
        for row in &mut shbin.dvles[0].uniforms.rows {
            row.last = u16::MAX;
        }
        let ends = labels(&program, &entries(&program)[0]).into_iter();
        let mut ends: Vec<_> = ends.map(|label| (label.name, label.first + label.count)).collect();
        ends.sort();
        let expected = [("lit", 16), ("matrix", 96), ("position", 16)];
        assert_eq!(ends, expected.map(|(name, end)| (name.to_owned(), end)));
    }
}
