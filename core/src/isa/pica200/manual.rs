//! The manual, generated from the tables of the instruction set.

mod notes;

use super::Pica200;
use super::names::SEMANTICS;
use super::opcode::{Format, MaskRule, TABLE};
use super::program::{CALL_DEPTH, DESCRIPTORS, IF_DEPTH, LOOP_DEPTH, MEMORY, UNIFORMS, VERTEX_MEMORY};
use super::rules::RULES;
use super::word::{Comparison, Index, LAYOUTS, OWN_LAYOUTS};
use crate::isa::manual::{OWN_WORD, exclusions, facets, options, print_layouts, rules};
use crate::isa::{OptionSpec, Stage};
use crate::text::table;
use notes::{EXCLUSIONS, LEGEND, NOTES};
use std::fmt::Write as _;

/// Returns the manual as Markdown. `specs` are the options.
pub fn manual(specs: &[OptionSpec]) -> String {
    let mut text = String::from(
        "# PICA200\n\n\
         The shader units of the Nintendo 3DS. Instructions are words of 32 bits, little endian; arithmetic ones name a row of a table of operand\n\
         descriptors, which hold write mask, swizzles and signs. A file is an SHBIN (`DVLB`), or the raw form of this project (`PICA`, stage, output mask,\n\
         entry, counts, instructions, descriptors of 8 bytes).\n",
    );
    opcodes(&mut text);
    print_layouts(&mut text, &LAYOUTS, "{}");
    print_layouts(&mut text, &OWN_LAYOUTS, OWN_WORD);
    registers(&mut text);
    names(&mut text);
    facets::<Pica200>(&mut text);
    rules(&mut text, RULES);
    options(&mut text, specs);
    exclusions(&mut text, NOTES, EXCLUSIONS);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\n{LEGEND}");
    text
}

/// Returns the format's number and its operands in assembly text.
fn format(format: Format, mask: MaskRule) -> (&'static str, &'static str) {
    match format {
        Format::Plain => ("0", ""),
        Format::Binary => ("1", "dest, a (wide), b"),
        Format::BinaryInverse => ("1i", "dest, a, b (wide)"),
        Format::Unary if mask == MaskRule::Address => ("1u", "a0, a (wide)"),
        Format::Unary => ("1u", "dest, a (wide)"),
        Format::Compare => ("1c", "a (wide), operator, operator, b"),
        Format::Conditional => ("2", "condition, DST, NUM"),
        Format::Uniform => ("3", "uniform, DST, NUM"),
        Format::Emission => ("4", "slot, prim inv"),
        Format::Ternary => ("5", "dest, a, b (wide), c"),
        Format::TernaryInverse => ("5i", "dest, a, b, c (wide)"),
    }
}

fn opcodes(text: &mut String) {
    let rows: Vec<_> = TABLE
        .iter()
        .map(|row| {
            let number = if row.number == row.last {
                format!("0x{:02x}", row.number)
            } else {
                format!("0x{:02x} to 0x{:02x}", row.number, row.last)
            };
            let mask = match row.mask {
                MaskRule::Components => "components",
                MaskRule::Broadcast => "components that receive the result",
                MaskRule::Address => "x and y",
                MaskRule::Unused => "",
            };
            let (name, operands) = format(row.format, row.mask);
            vec![
                number,
                row.mnemonic.into(),
                row.aliases.join(", "),
                name.into(),
                operands.into(),
                mask.into(),
                if row.stages == [Stage::Geometry] { "geometry" } else { "both" }.into(),
                row.meaning.into(),
                row.source.into(),
            ]
        })
        .collect();
    let head = ["number", "name", "also", "format", "operands", "mask", "stages", "meaning", "source"];
    table(text, "Opcodes (bits 26 to 31)", &head, &rows);
}

fn registers(text: &mut String) {
    let file = |name: &str, count: u16, wide: &str, narrow: &str, dest: &str| {
        vec![name.into(), count.to_string(), wide.into(), narrow.into(), dest.into()]
    };
    let rows = [
        file("v, inputs", 16, "0x00 to 0x0f", "0x00 to 0x0f", ""),
        file("o, outputs", 16, "", "", "0x00 to 0x0f"),
        file("r, temporaries", 16, "0x10 to 0x1f", "0x10 to 0x1f", "0x10 to 0x1f"),
        file("c, float uniforms", UNIFORMS, "0x20 to 0x7f", "", ""),
        file("i, integer uniforms", 4, "", "", ""),
        file("b, Boolean uniforms", 16, "", "", ""),
    ];
    table(text, "Registers", &["file", "count", "wide source", "narrow source", "destination"], &rows);
    let _ = writeln!(
        text,
        "\nProgram memory holds {MEMORY} words, of which vertex units have {VERTEX_MEMORY}; a table has at most {DESCRIPTORS} descriptors. Calls nest\n\
         at most {CALL_DEPTH} deep, conditional blocks {IF_DEPTH}, loops {LOOP_DEPTH}."
    );
}

fn names(text: &mut String) {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let row =
        |kind: &str, name: &str, number: u16| vec![kind.to_owned(), name.to_owned(), number.to_string()];
    rows.extend(Index::NAMES.iter().skip(1).map(|(name, n)| row("address register", name, u16::from(*n))));
    rows.extend(Comparison::NAMES.iter().map(|(name, n)| row("comparison", name, u16::from(*n))));
    rows.extend(SEMANTICS.iter().map(|(name, n)| row("output", name, *n)));
    table(text, "Names in assembly text", &["kind", "name", "number"], &rows);
}

#[cfg(test)]
mod tests {
    use super::super::options::OPTION_SPECS;
    use super::*;
    use crate::isa::manual::tests::assert_complete;

    #[test]
    fn every_row_of_every_table_is_in_the_manual() {
        let text = manual(OPTION_SPECS);
        let find =
            |what: &str| assert!(text.contains(&what.replace('|', "\\|")) || text.contains(what), "{what}");
        for row in TABLE {
            find(&format!("| 0x{:02x}", row.number));
            find(row.meaning);
        }
        for row in EXCLUSIONS {
            for cell in row {
                find(cell);
            }
        }
        assert_complete::<Pica200, _>(&text, RULES);
    }
}
