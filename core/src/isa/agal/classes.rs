//! The opcode × modifier classes that coverage is counted in.
//!
//! An instruction belongs to one class of each kind that applies to it: what it writes (`mask`), how it reads each source (`a.swizzle`,
//! `a.file`, `a.lane` for scalars), what indexes (`index`, `index_lane`), each sampler field, and where it stands (`stage`, `version`).
//! Classes are not combined with one another: that is a few dozen an opcode instead of millions.

use super::names::LETTERS;
use super::opcode::{Opcode, Shape, TABLE};
use super::program::{File, Program, Sampler, Source};
use super::reads::is;
use super::word::OPTION_FIELDS;
use crate::isa::{ClassPoint, Stage};

/// How a write mask is classed. `lanes` are the components of the result.
fn mask_class(mask: u8, lanes: u8) -> Option<&'static str> {
    Some(match mask {
        0 => return None,
        1 => "x",
        2 => "y",
        4 => "z",
        8 => "w",
        _ if mask & lanes == lanes => "full",
        _ => "partial",
    })
}

fn swizzle_class(source: &Source) -> &'static str {
    if source.swizzle == Source::XYZW {
        "identity"
    } else if source.is_replicated() {
        "replicated"
    } else {
        "permuted"
    }
}

/// How a source's file is classed; what comes in from outside is one class, for the stage says which file that is.
fn file_class(file: u8) -> Option<&'static str> {
    match File::from_number(file)? {
        File::Constant => Some("constant"),
        File::Temporary => Some("temporary"),
        File::Attribute | File::Varying | File::Instance => Some("input"),
        File::Output | File::Sampler | File::Depth => None,
    }
}

fn index_class(file: u8) -> Option<&'static str> {
    [(File::Attribute, "attribute"), (File::Constant, "constant"), (File::Temporary, "temporary")]
        .into_iter()
        .find_map(|(f, name)| is(file, f).then_some(name))
}

/// The components that a result has.
fn result_lanes(op: Opcode) -> u8 {
    if op.row().writes_w { 0xf } else { 7 }
}

/// Which source operands are scalars.
fn scalar(op: Opcode) -> bool {
    matches!(op.row().shape, Shape::Compare | Shape::Kill)
}

/// Whether a second source may be swizzled.
fn swizzled(op: Opcode, second: bool) -> bool {
    !(second && matches!(op.row().shape, Shape::Matrix { .. }))
}

/// The classes of an instruction; none for a number that is no opcode or a word that is no instruction.
pub fn classes(program: &Program, word: u32) -> Vec<ClassPoint> {
    let Some(token) = program.tokens.get(word as usize) else { return Vec::new() };
    let Some(op) = token.op() else { return Vec::new() };
    let mut found = Vec::with_capacity(16);
    let mut class = |what: &str, which: &str| {
        let point = ClassPoint { opcode: op.row().mnemonic, modifier: format!("{what}={which}") };
        if !found.contains(&point) {
            found.push(point);
        }
    };
    class("stage", program.stage.name());
    class("version", &program.version.to_string());
    if op.has_dest()
        && let Some(which) = mask_class(token.dest.mask, result_lanes(op))
    {
        class("mask", which);
    }
    for (k, (source, name)) in token.sources().zip(["a", "b"]).enumerate() {
        if let Some(which) = file_class(source.file) {
            class(&format!("{name}.file"), which);
        }
        if scalar(op) {
            class(&format!("{name}.lane"), &letter(source.component(0)));
        } else if swizzled(op, k == 1) {
            class(&format!("{name}.swizzle"), swizzle_class(source));
        }
        if source.indirect != 0
            && let Some(which) = index_class(source.index_file)
        {
            class("index", which);
            class("index_lane", &letter(usize::from(source.index_component & 3)));
        }
    }
    if let Some(sampler) = token.sampler() {
        sampler_classes(sampler, &mut class);
    }
    found
}

fn letter(component: usize) -> String {
    LETTERS[0][component].to_string()
}

fn sampler_classes(sampler: &Sampler, class: &mut dyn FnMut(&str, &str)) {
    for field in &OPTION_FIELDS {
        let value = (field.get)(sampler);
        if field.flags && value == 0 {
            class(field.name, "none");
        }
        let shown = |number: u8| if field.flags { value & number != 0 } else { value == number };
        for number in (0..16).filter(|number| shown(*number)) {
            if let Some(which) = field.value_name(number) {
                class(field.name, which);
            }
        }
    }
    class("bias", if sampler.bias == 0 { "zero" } else { "nonzero" });
}

/// Every class that an instruction of a legal program can belong to: what generators must reach and corpora should cover.
pub fn all_classes() -> Vec<ClassPoint> {
    let mut all = Vec::new();
    for row in TABLE {
        let op = row.opcode;
        let mut class = |what: &str, names: &[&str]| {
            all.extend(
                names
                    .iter()
                    .map(|which| ClassPoint { opcode: row.mnemonic, modifier: format!("{what}={which}") }),
            );
        };
        for stage in row.stages {
            class("stage", &[stage.name()]);
        }
        for version in row.version..=4 {
            class("version", &[&version.to_string()]);
        }
        if op.has_dest() {
            class("mask", &["x", "y", "z", "partial", "full"]);
            if row.writes_w {
                class("mask", &["w"]);
            }
        }
        for (k, name) in ["a", "b"].into_iter().enumerate().take(op.sources()) {
            class(&format!("{name}.file"), &["constant", "temporary", "input"]);
            if scalar(op) {
                class(&format!("{name}.lane"), &["x", "y", "z", "w"]);
            } else if swizzled(op, k == 1) {
                class(&format!("{name}.swizzle"), &["identity", "replicated", "permuted"]);
            }
        }
        if op.sources() > 0 && row.stages.contains(&Stage::Vertex) {
            class("index", &["attribute", "constant", "temporary"]);
            class("index_lane", &["x", "y", "z", "w"]);
        }
        if op.has_sampler() {
            for field in &OPTION_FIELDS {
                let names: Vec<_> = (0..16).filter_map(|value| field.value_name(value)).collect();
                class(field.name, &names);
                if field.flags {
                    class(field.name, &["none"]);
                }
            }
            class("bias", &["zero", "nonzero"]);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::interface::entries;
    use super::super::program::{Dest, Second, Token};
    use super::super::validate::validate;
    use super::*;
    use crate::isa::Level;
    use std::collections::BTreeSet;

    /// A legal instruction to vary: reads input 0 and writes temporary 0.
    fn plain_token(op: Opcode, stage: Stage) -> Token {
        let input = if stage == Stage::Fragment { File::Varying } else { File::Attribute };
        let swizzle = if scalar(op) { 0 } else { Source::XYZW };
        let source = Source::register(input, 0, swizzle);
        Token {
            opcode: op.row().number,
            dest: if op.has_dest() {
                Dest::register(File::Temporary, 0, result_lanes(op))
            } else {
                Dest::default()
            },
            a: if op.sources() > 0 { source } else { Source::default() },
            b: match op.sources() {
                _ if op.has_sampler() => {
                    Second::Sampler(Sampler { file: File::Sampler as u8, ..Sampler::default() })
                }
                // Another register than the first, or a condition would be constant.
                2 => Second::Source(Source { number: 1, ..source }),
                _ => Second::Source(Source::default()),
            },
        }
    }

    /// Instructions around the plain one, one thing changed in each, legal or not.
    fn variants(op: Opcode, stage: Stage) -> Vec<Token> {
        let plain = plain_token(op, stage);
        let mut all = vec![plain];
        let with = |change: &dyn Fn(&mut Token)| {
            let mut token = plain;
            change(&mut token);
            token
        };
        let change_b = |token: &mut Token, change: &dyn Fn(&mut Source)| {
            if let Second::Source(b) = &mut token.b {
                change(b);
            }
        };
        all.extend((0..16).map(|mask| with(&|t| t.dest.mask = mask)));
        for swizzle in 0..=255 {
            all.push(with(&|t| t.a.swizzle = swizzle));
            all.push(with(&|t| change_b(t, &|b| b.swizzle = swizzle)));
        }
        for file in 0..8 {
            all.push(with(&|t| t.a.file = file));
            all.push(with(&|t| change_b(t, &|b| b.file = file)));
            for lane in 0..4 {
                let index = |s: &mut Source| {
                    (s.indirect, s.file, s.index_file, s.index_component) =
                        (1, File::Constant as u8, file, lane);
                };
                all.push(with(&|t| index(&mut t.a)));
                all.push(with(&|t| change_b(t, &index)));
            }
        }
        for value in 0..16 {
            let changes: [fn(&mut Sampler, u8); 7] = [
                |s, v| s.dimension = v,
                |s, v| s.format = v,
                |s, v| s.filter = v,
                |s, v| s.mip = v,
                |s, v| s.wrap = v,
                |s, v| s.special = v,
                |s, v| s.bias = v,
            ];
            for change in changes {
                all.push(with(&|t| {
                    if let Second::Sampler(s) = &mut t.b {
                        change(s, value);
                    }
                }));
            }
        }
        all
    }

    #[test]
    fn the_list_is_exactly_what_legal_programs_reach() {
        let mut reached = BTreeSet::new();
        for row in TABLE {
            for stage in [Stage::Vertex, Stage::Fragment] {
                for version in 1..=4 {
                    for token in variants(row.opcode, stage) {
                        // A program around it: its block is opened, turned or closed, and there is an output.
                        let block = |op| plain_token(op, stage);
                        let mut tokens = match row.shape {
                            Shape::Compare => vec![token, block(Opcode::Eif)],
                            Shape::Marker if row.opcode == Opcode::Els => {
                                vec![block(Opcode::Ife), token, block(Opcode::Eif)]
                            }
                            Shape::Marker => vec![block(Opcode::Ife), token],
                            _ => vec![token],
                        };
                        let at = tokens.iter().position(|t| *t == token).unwrap() as u32;
                        let mut out = plain_token(Opcode::Mov, stage);
                        out.dest.file = File::Output as u8;
                        tokens.push(out);
                        let program = Program { version, stage, tokens };
                        let found = validate(&program, &entries(&program)[0]);
                        if found.iter().all(|v| v.level < Level::Error) {
                            reached.extend(classes(&program, at));
                        }
                    }
                }
            }
        }
        let all = all_classes();
        let listed: BTreeSet<_> = all.iter().cloned().collect();
        assert_eq!(all.len(), listed.len(), "no class is listed twice");
        assert_eq!(
            listed.difference(&reached).collect::<Vec<_>>(),
            Vec::<&ClassPoint>::new(),
            "listed, not reached"
        );
        assert_eq!(
            reached.difference(&listed).collect::<Vec<_>>(),
            Vec::<&ClassPoint>::new(),
            "reached, not listed"
        );
        eprintln!("{} classes", all.len());
    }
}
