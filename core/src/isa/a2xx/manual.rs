//! The printed manual of A2xx.

mod notes;

use super::A2xx;
use super::format::LISTED;
use super::opcode::{CF_TABLE, FETCH_TABLE, Row, SCALAR_TABLE, ScalarShape, VECTOR_TABLE};
use super::rules::RULES;
use super::word::{LAYOUTS, OUTER_LAYOUTS};
use crate::isa::OptionSpec;
use crate::isa::manual::{exclusions, facets, options, print_layouts, rules};
use crate::text::table;
use notes::{EXCLUSIONS, NOTES};

/// Returns the manual as Markdown. `specs` are the options to list.
pub fn manual(specs: &[OptionSpec]) -> String {
    let mut text = String::from(
        "# Adreno A2xx\n\n\
         A shader is made of slots of 96 bits. The first slots hold control-flow clauses, two of 48 bits each; clauses run the other slots as ALU,\n\
         a vector operation and a scalar one, or as FETCH. The end of the clauses is the lowest slot that a reachable clause runs. Dwords are\n\
         little endian; those of Xenos, the sibling in the Xbox 360, are big endian. Xenos object files are recognised; bare Xenos words are\n\
         read from files with the extension `.xenos`.\n",
    );
    opcodes(&mut text);
    print_layouts(&mut text, &LAYOUTS, "Bits of {}");
    print_layouts(&mut text, &OUTER_LAYOUTS, "Bits of {}");
    formats(&mut text);
    facets::<A2xx>(&mut text);
    rules(&mut text, RULES);
    options(&mut text, specs);
    exclusions(&mut text, NOTES, EXCLUSIONS);
    text
}

fn row<T: Copy>(row: &Row<T>, operands: &str) -> Vec<String> {
    let texts = [row.mnemonic, row.xdk, operands, row.meaning, row.source].map(str::to_owned);
    [vec![row.number.to_string()], texts.to_vec()].concat()
}

fn opcodes(text: &mut String) {
    let head = ["number", "name", "Xenos compiler", "operands", "meaning", "source"];
    let clauses: Vec<_> = CF_TABLE.iter().map(|r| row(r, "")).collect();
    table(text, "Clauses", &head, &clauses);
    let operands = |n| ["", "a", "a, b", "c, a, b"][n];
    let vector: Vec<_> = VECTOR_TABLE.iter().map(|r| row(r, operands(r.opcode.sources()))).collect();
    table(text, "Vector operations", &head, &vector);
    let shape = |shape| match shape {
        ScalarShape::None => "",
        ScalarShape::One => "a",
        ScalarShape::OnePrevious => "a, PS",
        ScalarShape::Two => "a, b",
        ScalarShape::TwoPrevious => "a, b, PS",
        ScalarShape::Constant => "constant a, register b",
    };
    let scalar: Vec<_> = SCALAR_TABLE.iter().map(|r| row(r, shape(r.opcode.shape()))).collect();
    table(text, "Scalar operations", &head, &scalar);
    let fetches: Vec<_> = FETCH_TABLE.iter().map(|r| row(r, "")).collect();
    table(text, "Fetches", &head, &fetches);
}

fn formats(text: &mut String) {
    let rows: Vec<_> =
        LISTED.iter().map(|(number, name)| vec![number.to_string(), format!("FMT_{name}")]).collect();
    table(text, "Formats (mesa, xenia)", &["number", "name"], &rows);
}

#[cfg(test)]
mod tests {
    use super::super::opcode::INFO;
    use super::super::options::OPTION_SPECS;
    use super::*;
    use crate::isa::manual::tests::assert_complete;

    #[test]
    fn every_row_of_every_table_is_printed() {
        let text = manual(OPTION_SPECS);
        for row in INFO {
            assert!(text.contains(&format!("| {} ", row.mnemonic)), "{}", row.mnemonic);
        }
        for layout in &OUTER_LAYOUTS {
            assert!(
                text.contains(&format!("## Bits of {}, {} bits ", layout.name, layout.bits)),
                "{}",
                layout.name
            );
        }
        assert_complete::<A2xx, _>(&text, RULES);
    }
}
