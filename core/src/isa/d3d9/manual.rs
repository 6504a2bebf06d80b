//! The manual, generated from the tables of the instruction set.

mod notes;

use super::D3d9;
use super::limits::{Bound, LIMITS};
use super::modifier::Modifier;
use super::names::{ALIASES, SUB_OPCODE};
use super::opcode::{Mask, Opcode, Operands, Row, TABLE};
use super::profile::Profile;
use super::registers::REGISTER_NAMES;
use super::rules::RULES;
use super::slots::opcode_slots;
use super::word::{Comparison, LAYOUTS, ResultModifier, Shift};
use crate::isa::OptionSpec;
use crate::isa::component::LETTERS;
use crate::isa::manual::{exclusions, facets, options, print_layouts, rules};
use crate::text::table;
use notes::{EXCLUSIONS, NOTES};

/// Returns the manual as Markdown. `specs` are the options.
pub fn manual(specs: &[OptionSpec]) -> String {
    let mut text = String::from(
        "# Direct3D 9 shaders\n\n\
         Vertex and pixel shader models 1.0 to 3.0. A file is u32 words, little endian: a version token, instructions and comments, and END,\n\
         which is 0x0000ffff. From version 2 on an instruction contains its length; before, the opcode determines it. An instruction's words are\n\
         its first one, the usage word of dcl, the destination, the predicate, the sources, and the immediates of def, defi and defb; from\n\
         version 2 on a relative address is a word after the operand that it belongs to.\n",
    );
    opcodes(&mut text);
    print_layouts(&mut text, &LAYOUTS, "The {} word");
    facets::<D3d9>(&mut text);
    registers(&mut text);
    limits(&mut text);
    spellings(&mut text);
    rules(&mut text, RULES);
    options(&mut text, specs);
    exclusions(&mut text, NOTES, EXCLUSIONS);
    text
}

/// Returns operands as letters: u usage, d destination, s source, i immediate.
fn letters(o: Operands) -> String {
    let part = |letter: &str, n: u8| letter.repeat(usize::from(n));
    [part("u", o.usage.into()), part("d", o.dest.into()), part("s", o.sources), part("i", o.immediates)]
        .concat()
}

/// Returns the different operand forms of an opcode, in the order of the versions.
fn operands(row: &Row) -> String {
    let mut forms: Vec<String> = Vec::new();
    for profile in Profile::ALL.iter().filter(|p| row.versions.has(**p)) {
        let form = row.opcode.operands(profile.version()).map(letters).unwrap_or_default();
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms.join(", ")
}

/// Returns the versions of a table row. Consecutive versions are written as a range.
fn versions(row: &Row) -> String {
    let mut runs: Vec<(Profile, Profile)> = Vec::new();
    let mut before = None;
    for profile in Profile::ALL {
        let here = row.versions.has(*profile);
        match runs.last_mut() {
            Some((_, last)) if here && before == Some(*last) && last.stage() == profile.stage() => {
                *last = *profile;
            }
            _ if here => runs.push((*profile, *profile)),
            _ => {}
        }
        before = Some(*profile);
    }
    let names = runs
        .iter()
        .map(|(a, b)| if a == b { a.name().to_owned() } else { format!("{} to {}", a.name(), b.name()) });
    names.collect::<Vec<_>>().join(", ")
}

fn mask(row: &Row) -> String {
    let letters = |m: u8| (0..4).filter(|k| m >> k & 1 != 0).map(|k| LETTERS[k]).collect::<String>();
    match row.mask {
        Mask::Any => "any".into(),
        Mask::Exactly(m) => letters(m),
        Mask::Within(m) => format!("within {}", letters(m)),
        Mask::SineCosine => "x, y or xy".into(),
        Mask::Vector => "xyz or xyzw".into(),
        Mask::None => "none".into(),
    }
}

/// Returns the different slot counts of an opcode, in the order of the versions.
fn slots(op: Opcode, row: &Row) -> String {
    let mut costs: Vec<String> = Vec::new();
    for profile in Profile::ALL.iter().filter(|p| row.versions.has(**p)) {
        let s = opcode_slots(op, *profile, 0, false);
        let cost = match (s.arithmetic, s.texture) {
            (a, 0) => a.to_string(),
            (0, t) => format!("{t}t"),
            (a, t) => format!("{a}+{t}t"),
        };
        if !costs.contains(&cost) {
            costs.push(cost);
        }
    }
    costs.join(", ")
}

fn opcodes(text: &mut String) {
    let rows: Vec<_> = TABLE
        .iter()
        .map(|row| {
            vec![
                row.number.to_string(),
                row.mnemonic.into(),
                operands(row),
                versions(row),
                mask(row),
                slots(row.opcode, row),
                row.meaning.into(),
                row.source.into(),
            ]
        })
        .collect();
    let head = ["number", "name", "operands", "versions", "mask", "slots", "meaning", "source"];
    table(text, "Opcodes", &head, &rows);
    text.push_str("\nOperands: u usage, d destination, s source, i immediate. Slots: t marks texture slots; some controls and cube textures take more.\n");
}

fn registers(text: &mut String) {
    let rows: Vec<_> = REGISTER_NAMES
        .iter()
        .map(|r| {
            let number = r.single.map_or("any".to_owned(), |n| n.to_string());
            vec![
                (r.file as u8).to_string(),
                r.name.into(),
                number,
                format!("{:?}", r.versions).to_lowercase(),
            ]
        })
        .collect();
    table(text, "Registers", &["type", "name", "number", "where"], &rows);
    text.push_str("\nTypes 11, 12 and 13 are c from 2048, 4096 and 6144 on.\n");
}

fn bound(b: Bound) -> String {
    let number = |n: u16| if n == u16::MAX { "unlimited".to_owned() } else { n.to_string() };
    if b.guaranteed == b.maximum {
        number(b.maximum)
    } else {
        format!("{} to {}", number(b.guaranteed), number(b.maximum))
    }
}

fn limits(text: &mut String) {
    let rows: Vec<_> = LIMITS
        .iter()
        .map(|l| {
            let textures = l.texture_slots.map_or("-".into(), |n| n.to_string());
            let flow = l.flow_count.map_or("-".into(), |n| n.to_string());
            vec![
                l.profile.name().into(),
                bound(l.temporaries),
                bound(l.constants),
                bound(l.ints),
                l.inputs.to_string(),
                l.address_file.to_string(),
                l.samplers.to_string(),
                l.outputs.to_string(),
                bound(l.predicates),
                bound(l.labels),
                bound(l.slots),
                textures,
                bound(l.loop_depth),
                bound(l.call_depth),
                bound(l.static_depth),
                bound(l.dynamic_depth),
                flow,
            ]
        })
        .collect();
    let head = [
        "version",
        "r",
        "c",
        "i, b",
        "v",
        "a, t",
        "s",
        "o, oT",
        "p",
        "l",
        "slots",
        "texture slots",
        "loops",
        "calls",
        "static if",
        "dynamic if",
        "flow",
    ];
    table(text, "Limits (guaranteed to maximum)", &head, &rows);
}

fn spellings(text: &mut String) {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |what: &str, spelt: String, means: String| rows.push(vec![what.into(), spelt, means]);
    for (name, op, control) in ALIASES {
        let means = if op.compares() {
            format!("{}, with a comparison", op.row().mnemonic)
        } else {
            format!("opcode {}, control {control}", op.row().number)
        };
        row("instruction", name.into(), means);
    }
    row(
        "instruction",
        SUB_OPCODE.into(),
        "opcode 3 in vertex shaders, where sub assembles to add with its last source negated".into(),
    );
    for comparison in Comparison::ALL {
        row("comparison", format!("_{}", comparison.name()), format!("{}", comparison as u8));
    }
    for (name, bit) in ResultModifier::VALUES {
        row("result", format!("_{name}"), format!("{bit}"));
    }
    for (name, value) in Shift::VALUES {
        row("shift", format!("_{name}"), format!("{value}"));
    }
    for (before, after, modifier) in Modifier::spellings() {
        row("source", format!("{before}r0{after}"), format!("{}", modifier as u8));
    }
    table(text, "Spellings in assembly text", &["what", "spelt", "field"], &rows);
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
            find(&format!("| {} ", row.number));
            find(row.meaning);
        }
        NOTES.iter().chain(EXCLUSIONS.iter().flatten()).for_each(|what| find(what));
        find("ps_1_2 to ps_3_sw");
        find("dsss, ds");
        assert_complete::<D3d9, _>(&text, RULES);
    }
}
