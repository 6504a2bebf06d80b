//! The printed manual of AGAL.

mod notes;

use super::Agal;
use super::limits::LIMITS;
use super::names::{PADDING, file_name};
use super::opcode::{Row, Shape, TABLE};
use super::program::File;
use super::rules::RULES;
use super::word::{LAYOUTS, MAGIC, OPTION_FIELDS, OUTER_LAYOUTS, STAGE_MARKER};
use crate::isa::manual::{exclusions, facets, options, print_layouts, rules};
use crate::isa::{OptionSpec, Stage};
use crate::text::table;
use notes::{EXCLUSIONS, NOTES};
use std::fmt::Write as _;

/// Returns the manual as Markdown. `specs` are the options to list.
pub fn manual(specs: &[OptionSpec]) -> String {
    let mut text = format!(
        "# AGAL\n\n\
         The shader language of Flash Stage3D. A file is a header of 7 bytes (`{:X}`, version as 32 bits, `{:X}`, stage: 0 vertex or 1\n\
         fragment) and tokens of 24 bytes: opcode, destination, first source, second source or sampler, all little endian.\n",
        MAGIC.number, STAGE_MARKER.number
    );
    opcodes(&mut text);
    print_layouts(&mut text, &OUTER_LAYOUTS, "The {} of a program");
    print_layouts(&mut text, &LAYOUTS, "The {} word");
    registers(&mut text);
    sampler_options(&mut text);
    facets::<Agal>(&mut text);
    rules(&mut text, RULES);
    options(&mut text, specs);
    exclusions(&mut text, NOTES, EXCLUSIONS);
    text
}

fn operands(row: &Row) -> String {
    match row.shape {
        Shape::Unary => "dest, a".into(),
        Shape::Binary => "dest, a, b".into(),
        Shape::Matrix { rows, columns } => format!("dest, a, {rows} rows of {columns} from b"),
        Shape::Texture => "dest, a, sampler".into(),
        Shape::Compare => "a, b (scalars)".into(),
        Shape::Marker => String::new(),
        Shape::Kill => "a (scalar)".into(),
    }
}

fn opcodes(text: &mut String) {
    let rows: Vec<_> = TABLE
        .iter()
        .map(|row| {
            let stages = match row.stages {
                [Stage::Vertex] => "vertex",
                [Stage::Fragment] => "fragment",
                _ => "both",
            };
            let mask = match (row.opcode.has_dest(), row.writes_w) {
                (false, _) => "none",
                (true, true) => "any",
                (true, false) => "xyz or less",
            };
            vec![
                format!("0x{:02x}", row.number),
                row.mnemonic.into(),
                operands(row),
                stages.into(),
                row.version.to_string(),
                mask.into(),
                row.meaning.into(),
                row.source.into(),
            ]
        })
        .collect();
    table(
        text,
        "Opcodes",
        &["number", "name", "operands", "stages", "since", "mask", "meaning", "source"],
        &rows,
    );
}

fn registers(text: &mut String) {
    let mut rows = Vec::new();
    for file in File::ALL {
        let mut row = vec![(file as u8).to_string(), format!("{file:?}").to_lowercase()];
        for stage in [Stage::Vertex, Stage::Fragment] {
            let fragment = stage == Stage::Fragment;
            let counts = LIMITS.iter().map(|l| if fragment { l.fragment } else { l.vertex }[file as usize]);
            let counts: Vec<_> = counts.map(|n| if n == 0 { "-".into() } else { n.to_string() }).collect();
            let none = counts.iter().all(|c| c == "-");
            row.push(if none { String::new() } else { file_name(file, stage).into() });
            row.push(counts.join(" / "));
        }
        rows.push(row);
    }
    let head = [
        "type",
        "file",
        "vertex name",
        "vertex, versions 1 / 2 / 3 / 4",
        "fragment name",
        "fragment, versions 1 / 2 / 3 / 4",
    ];
    table(text, "Registers", &head, &rows);
    let instructions: Vec<_> =
        LIMITS.iter().map(|l| format!("{} (version {})", l.instructions, l.version)).collect();
    let _ = writeln!(text, "\nInstructions at most: {}.", instructions.join(", "));
}

fn sampler_options(text: &mut String) {
    let values = OPTION_FIELDS.iter().flat_map(|field| field.values.iter().map(|value| (field.name, value)));
    let rows: Vec<_> =
        values.map(|(field, (name, value))| vec![(*name).into(), field.into(), value.to_string()]).collect();
    table(text, "Sampler options in assembly text", &["option", "field", "value"], &rows);
    text.push_str(
        "\nA number among the options is the level-of-detail bias, a multiple of 0.125 from -16 to 15.875.\n",
    );
    let _ = writeln!(
        text,
        "`{PADDING}e4` sets bits 24 to 31 of the sampler, which should be zero, as two hexadecimal digits."
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::manual::tests::assert_complete;
    use crate::value::Freedom;

    #[test]
    fn every_row_of_every_table_is_in_the_manual() {
        let specs = [OptionSpec {
            name: "an-option",
            meaning: "left|right",
            choices: &["one", "two"],
            freedom: Freedom::Unwritten,
        }];
        let text = manual(&specs);
        let find =
            |what: &str| assert!(text.contains(&what.replace('|', "\\|")) || text.contains(what), "{what}");
        for row in TABLE {
            find(&format!("| 0x{:02x}", row.number));
            find(row.meaning);
        }
        NOTES.iter().chain(EXCLUSIONS.iter().flatten()).for_each(|what| find(what));
        for (name, _) in OPTION_FIELDS.iter().flat_map(|field| field.values) {
            find(&format!("| {name} "));
        }
        find("| an-option | one, two | left\\|right | Unwritten |");
        find("200 (version 1), 1024 (version 2)");
        assert_complete::<Agal, _>(&manual(super::super::options::OPTION_SPECS), RULES);
    }
}
