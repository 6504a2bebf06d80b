//! The printed manual: the tables, as text.

mod notes;

use super::UtgardGp;
use super::macros::MACROS;
use super::opcode::{self, ResultKind, Shape};
use super::rules::RULES;
use super::source::{ALSO_UNUSED, SOURCES, STORE_SOURCES, UNUSED};
use super::word::{OWN_LAYOUTS, WORD};
use crate::binary::{Field, FieldKind};
use crate::isa::OptionSpec;
use crate::isa::manual::{OWN_WORD, exclusions, facets, holds, options, print_layout, print_layouts, rules};
use crate::text::table;
use notes::{EXCLUSIONS, NOTES};

/// Latencies: the value, how many words after its write it can be read, and an explanation.
pub static LATENCIES: &[(&str, &str, &str)] = &[
    (
        "units",
        "1 and 2",
        "operands name results that a unit computed one or two words before; for complex only one word before (SEED, M)",
    ),
    ("complex1", "2", "operands can name only its result of two words before (SEED; M)"),
    (
        "read port 0",
        "0 and 1",
        "operands name the value that it reads in this word or read one word before (SEED, M)",
    ),
    ("registers", "3", "reads in the two words after a store return the old value (SEED; M; L)"),
    ("temporaries", "4", "loads in the three words after a store return the old value (SEED)"),
    ("address register 0", "0", "address of temporary stores in the same word (SEED)"),
    ("address registers 1 to 3", "4", "offsets that the load port can add (SEED)"),
    (
        "taken branch",
        "1 and the empty cycles",
        "the number of empty cycles is an option; results of units are not available in the target (W; M)",
    ),
];

/// Returns the manual as Markdown. `specs` are the options.
pub fn manual(specs: &[OptionSpec]) -> String {
    let mut text = String::from(
        "# Mali Utgard GP\n\n\
         The vertex processor of ARM's Mali-200, 400 and 450. A program is words of 128 bits, little endian, each of which controls six\n\
         units, two read ports, a load port and two store units for one cycle. Operands name results of the previous two words.\n\
         There is no end mark: the driver sets the number of words. A file holds bare words, or is a container of this project, which\n\
         begins with \"LOCKSTEP-UTG-GP1\" and also holds facts that words cannot encode.\n",
    );
    operations(&mut text);
    word(&mut text);
    print_layouts(&mut text, &OWN_LAYOUTS, OWN_WORD);
    codes(&mut text);
    facets::<UtgardGp>(&mut text);
    latencies(&mut text);
    rules(&mut text, RULES);
    options(&mut text, specs);
    macros(&mut text);
    exclusions(&mut text, NOTES, EXCLUSIONS);
    text
}

fn operations(text: &mut String) {
    let rows: Vec<_> = opcode::TABLE
        .iter()
        .map(|row| {
            let operands = match row.shape {
                Shape::Binary => "a, b",
                Shape::Wide => "a, b, c, d",
                Shape::Select => "condition, if false, if true",
                Shape::One => "a",
                Shape::Clamp => "a, and load x, y",
                Shape::Address => "a",
                Shape::FromPass => "",
            };
            let result = match row.result_kind {
                ResultKind::Number => "a number",
                ResultKind::Stage => "a stage",
                ResultKind::Nothing => "nothing",
            };
            let unit = row.unit.name().into();
            let names: Vec<_> = std::iter::once(&row.name).chain(row.aliases).copied().collect();
            vec![
                unit,
                row.number.to_string(),
                names.join(", "),
                operands.into(),
                result.into(),
                row.meaning.into(),
                row.source.into(),
            ]
        })
        .collect();
    let head = ["unit", "number", "names", "operands", "result", "meaning", "source"];
    table(text, "Operations", &head, &rows);
}

fn word(text: &mut String) {
    let code_or_other = |field: &Field| match field.kind {
        FieldKind::Choice(values) if values.len() == SOURCES.len() => "an operand code".into(),
        FieldKind::Choice(values)
            if values.len() == STORE_SOURCES.len() && field.width == 3 && field.name.contains("src") =>
        {
            "a store code".into()
        }
        _ => holds(field),
    };
    print_layout(text, &WORD, &format!("The {}", WORD.name), code_or_other);
}

fn codes(text: &mut String) {
    let rows = |codes: &[(u64, &str)]| -> Vec<Vec<String>> {
        codes.iter().map(|(code, name)| vec![code.to_string(), (*name).into()]).collect()
    };
    let mut sources = rows(&SOURCES);
    let at = sources.iter().position(|row| row[0].parse::<u64>().is_ok_and(|code| code > ALSO_UNUSED.into()));
    let again = format!("unused; a guess in SEED: the same as {UNUSED}; the validator warns");
    sources.insert(at.unwrap_or(0), vec![ALSO_UNUSED.to_string(), again]);
    table(text, "Operand codes (SEED, M)", &["code", "value"], &sources);
    table(text, "Store codes, all of the same word (SEED, M)", &["code", "value"], &rows(&STORE_SOURCES));
}

fn latencies(text: &mut String) {
    let rows: Vec<_> = LATENCIES
        .iter()
        .map(|(what, words, meaning)| vec![(*what).into(), (*words).into(), (*meaning).into()])
        .collect();
    table(text, "Latencies: when written values can be read", &["what", "words later", "meaning"], &rows);
}

fn macros(text: &mut String) {
    let rows: Vec<_> = MACROS
        .iter()
        .map(|m| {
            let statement = format!("{}({}, {})", m.name, m.form, m.operands.join(", "));
            let words = m.words.matches(';').count().to_string();
            vec![statement, m.meaning.into(), words, m.source.into()]
        })
        .collect();
    let title = "Macros of assembly text (operands but varying and register are slots of uniforms)";
    table(text, title, &["statement", "what the words compute", "words", "source"], &rows);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::manual::tests::assert_complete;
    use crate::isa::utgard_gp::options::OPTION_SPECS;

    #[test]
    fn every_row_of_every_table_is_in_the_manual() {
        let text = manual(OPTION_SPECS);
        let find =
            |what: &str| assert!(text.contains(&what.replace('|', "\\|")) || text.contains(what), "{what}");
        for row in opcode::TABLE {
            find(row.meaning);
            find(row.source);
        }
        for (code, name) in SOURCES.iter().chain(&STORE_SOURCES) {
            let line = text
                .lines()
                .any(|l| l.starts_with(&format!("| {code}")) && l.contains(&format!("| {name} ")));
            assert!(line, "{code} {name}");
        }
        assert_eq!(text.matches("a store code").count(), 4);
        assert_complete::<UtgardGp, _>(&text, RULES);
    }
}
