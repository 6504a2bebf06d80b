//! Sections of the printed manuals that are the same for every instruction set.

use super::facet::points;
use super::{Legality, Level, OpcodeInfo, OptionSpec, RuleInfo, RuleRow, Tables};
use crate::binary::{Field, FieldKind, Layout};
use crate::text::table;
use std::fmt::Write as _;

/// A behaviour of a listed source that no option covers, as three texts: source, behaviour, reason.
pub(crate) type Exclusion = [&'static str; 3];

/// The title of the table of a word of Lockstep's own, which no document defines: see [`Tables::own_layouts`].
pub(crate) const OWN_WORD: &str = "Lockstep's own word: {}";

/// Returns the bit range of a field as text.
fn bits(field: &Field) -> String {
    let (low, high) = (field.low, field.low + field.width - 1);
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}

/// Describes the type of a field's contents.
pub(crate) fn holds(field: &Field) -> String {
    match field.kind {
        FieldKind::Number => "a number".into(),
        FieldKind::Signed => "a number in two's complement".into(),
        FieldKind::Elements(1) => format!("{} bits", field.width),
        FieldKind::Elements(bits) => format!("{} numbers of {bits} bits", field.width / bits),
        FieldKind::Reserved => "reserved, zero".into(),
        FieldKind::Fixed(value) => format!("always {value}"),
        FieldKind::Choice(choices) => {
            let names: Vec<_> = choices.iter().map(|(value, name)| format!("{value} {name}")).collect();
            names.join(", ")
        }
    }
}

/// Prints the word layouts, one table each. `{}` in `title` stands for a word's name.
pub(crate) fn print_layouts(text: &mut String, layouts: &[Layout], title: &str) {
    for layout in layouts {
        print_layout(text, layout, &title.replace("{}", layout.name), holds);
    }
}

/// Prints the layout of a word. `holds` describes the type of a field's contents.
pub(crate) fn print_layout(
    text: &mut String,
    layout: &Layout,
    title: &str,
    holds: impl Fn(&Field) -> String,
) {
    let row = |field: &Field| vec![bits(field), field.name.into(), holds(field), field.meaning.into()];
    let rows: Vec<_> = layout.fields.iter().map(row).collect();
    let title = format!("{title}, {} bits ({})", layout.bits, layout.source);
    table(text, &title, &["bits", "field", "holds", "meaning"], &rows);
}

/// Prints the table of the validator's rules.
pub(crate) fn rules<R>(text: &mut String, rules: &[RuleRow<R>]) {
    rule_table(text, rules.iter().map(RuleRow::info));
}

fn rule_table(text: &mut String, rules: impl Iterator<Item = RuleInfo>) {
    let row = |rule: RuleInfo| {
        let level = if rule.level == Level::Error { "error" } else { "warning" };
        vec![rule.code.to_string(), level.into(), rule.meaning.into(), rule.source.into()]
    };
    let rows: Vec<_> = rules.map(row).collect();
    table(text, "Rules", &["number", "level", "what is wrong", "source"], &rows);
}

/// Returns a manual that consists only of the sections that every instruction set has.
pub(super) fn plain<I: Tables + Legality>() -> String {
    let mut text = format!("# {}\n", I::ID);
    let row = |op: &OpcodeInfo| {
        vec![op.number.to_string(), op.mnemonic.into(), op.meaning.into(), op.source.into()]
    };
    let rows: Vec<_> = I::opcodes().iter().map(row).collect();
    table(&mut text, "Opcodes", &["number", "name", "meaning", "source"], &rows);
    print_layouts(&mut text, I::layouts(), "{}");
    print_layouts(&mut text, I::outer_layouts(), "{}");
    print_layouts(&mut text, I::own_layouts(), OWN_WORD);
    facets::<I>(&mut text);
    rule_table(&mut text, I::rules().into_iter());
    options(&mut text, I::option_specs());
    text
}

/// Prints the options: the points on which the documents disagree.
pub(crate) fn options(text: &mut String, specs: &[OptionSpec]) {
    let row = |option: &OptionSpec| {
        let freedom = format!("{:?}", option.freedom);
        vec![option.name.into(), option.choices.join(", "), option.meaning.into(), freedom]
    };
    let rows: Vec<_> = specs.iter().map(row).collect();
    let head = ["option", "choices", "meaning", "freedom"];
    table(text, "Options (the first choice is the default)", &head, &rows);
}

/// Prints notes on consequences of the definitions, and a table of the behaviours of sources that no option covers.
pub(crate) fn exclusions(text: &mut String, notes: &[&str], rows: &[Exclusion]) {
    text.push_str("\n## Notes\n");
    for note in notes {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n* {note}");
    }
    text.push('\n');
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
    let head = ["source", "behaviour", "why there is no option"];
    table(text, "Behaviour of sources that no option covers", &head, &rows);
}

/// Prints the facets, which coverage reports and filters use. There is one row for each facet and each group of opcodes with the same values.
pub(crate) fn facets<I: Tables + Legality>(text: &mut String) {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for facet in I::facets().facets {
        // Opcodes grouped by the values that they have.
        let mut by_values: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
        for points in points::<I>().chunk_by(|a, b| a.opcode == b.opcode) {
            let opcode = points[0].opcode;
            let has = |value: &&&str| points.contains(&facet.point(opcode, value));
            let values: Vec<&str> = facet.values.iter().filter(has).copied().collect();
            match by_values.iter_mut().find(|row| row.0 == values) {
                Some((_, opcodes)) => opcodes.push(opcode),
                None if !values.is_empty() => by_values.push((values, vec![opcode])),
                None => {}
            }
        }
        rows.extend(by_values.into_iter().map(|(values, opcodes)| {
            vec![facet.name.into(), facet.meaning.into(), opcodes.join(", "), values.join(", ")]
        }));
    }
    let title = "Facets: the properties of an instruction, or of one unit of it";
    table(text, title, &["facet", "meaning", "opcodes", "values"], &rows);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Fails unless a manual lists every facet, field, option and rule of an instruction set, and all lines of each table have the same number of
    /// characters.
    pub(in crate::isa) fn assert_complete<I: Tables + Legality, R>(text: &str, rules: &[RuleRow<R>]) {
        let find = |what: &str| {
            assert!(text.contains(what) || text.contains(&what.replace('|', "\\|")), "{what}");
        };
        for facet in I::facets().facets {
            find(&format!("| {} ", facet.name));
            find(facet.meaning);
            for value in facet.values {
                find(value);
            }
        }
        let layouts = I::layouts().iter().chain(I::outer_layouts()).chain(I::own_layouts());
        for field in layouts.flat_map(|layout| layout.fields) {
            assert!(!field.meaning.is_empty(), "{}", field.name);
            let is_its = |line: &str| {
                let cells: Vec<_> = line.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
                cells.len() == 4
                    && [cells[0], cells[1], cells[3]] == [&bits(field), field.name, field.meaning]
            };
            assert!(text.lines().any(is_its), "{} with its meaning", field.name);
        }
        for option in I::option_specs() {
            find(&format!("| {} ", option.name));
            find(&format!("| {} ", option.choices.join(", ")));
            find(option.meaning);
        }
        for rule in rules {
            find(rule.meaning);
        }
        let mut head = None;
        for line in text.lines() {
            let width = line.starts_with('|').then(|| line.chars().count());
            assert!(width.is_none() || head.is_none() || width == head, "{line}");
            head = width;
        }
    }
}
