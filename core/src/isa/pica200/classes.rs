//! The opcode × modifier classes that coverage is counted in.
//!
//! An instruction belongs to one class of each kind that applies to it: what it writes (`dest`, `mask`), how it reads each source (`a.file`, `a.swizzle`,
//! `a.lane` for scalars, `a.sign`), what offsets a uniform (`index`), the operators of `cmp`, the conditions, targets and branches of flow. Classes are
//! not combined with one another.

use super::names::index_name;
use super::opcode::{Format, Lanes, MaskRule, Opcode, TABLE};
use super::program::{Descriptor, Instruction, Program, Register, Source, Target};
use super::word::{Comparison, Index};
use crate::isa::ClassPoint;

/// How a write mask is classed; bit 0 = x.
fn mask_class(mask: u8, rule: MaskRule) -> Option<&'static str> {
    Some(match (rule, mask) {
        (MaskRule::Unused, _) => return None,
        (MaskRule::Address, _) => match mask & 3 {
            0 => return None,
            1 => "x",
            2 => "y",
            _ => "xy",
        },
        (_, 0) => return None,
        (_, 1) => "x",
        (_, 2) => "y",
        (_, 4) => "z",
        (_, 8) => "w",
        (_, 0xf) => "full",
        _ => "partial",
    })
}

fn swizzle_class(source: &Source) -> &'static str {
    if source.select == Descriptor::XYZW {
        "identity"
    } else if source.select == (source.select & 3) * 0x55 {
        "replicated"
    } else {
        "permuted"
    }
}

/// Whether an operation reads one component of its source.
fn scalar(op: Opcode) -> bool {
    op.row().lanes == Lanes::First(1)
}

const LANES: [&str; 4] = ["x", "y", "z", "w"];
const SOURCES: [&str; 3] = ["a", "b", "c"];
/// How the tests of a condition combine, by number.
const CONDITIONS: [&str; 4] = ["or", "and", "x", "y"];

/// Whether what a condition expects of `cmp.x`, or of `cmp.y`, matters.
fn looks(condop: u8, y: bool) -> bool {
    condop < 2 || (condop == 3) == y
}

fn truth(value: u8) -> &'static str {
    if value == 0 { "false" } else { "true" }
}

/// The classes of an instruction; none for a word whose opcode has no known meaning, whose descriptor is missing, or that there is not.
pub fn classes(program: &Program, word: u32) -> Vec<ClassPoint> {
    let Some(instruction) = program.code.get(word as usize) else { return Vec::new() };
    let Some(op) = instruction.op() else { return Vec::new() };
    let mut found = Vec::with_capacity(12);
    let mut class = |what: &str, which: &str| {
        found.push(ClassPoint { opcode: op.row().mnemonic, modifier: format!("{what}={which}") });
    };
    match instruction {
        Instruction::Plain(_) => class("form", "plain"),
        Instruction::Emission(i) => {
            class("slot", &i.vtx.to_string());
            class("primitive", truth(i.prim));
            class("reversed", truth(i.winding));
        }
        Instruction::Conditional(i) => {
            if op == Opcode::Call {
                class("form", "plain");
            } else {
                class("condition", CONDITIONS[usize::from(i.condop & 3)]);
                if looks(i.condop, false) {
                    class("x", truth(i.refx));
                }
                if looks(i.condop, true) {
                    class("y", truth(i.refy));
                }
            }
            if op == Opcode::Jmpc {
                class("target", target(word, i.dst));
            }
            if op == Opcode::Ifc {
                class("else", truth(i.num));
            }
        }
        Instruction::Uniform(i) => match op {
            Opcode::Jmpu => {
                class("wanted", truth(u8::from(i.num & 1 == 0)));
                class("target", target(word, i.dst));
            }
            Opcode::Ifu => class("else", truth(i.num)),
            _ => class("form", "plain"),
        },
        _ => described(program, instruction, op, &mut class),
    }
    found
}

fn target(word: u32, dst: u16) -> &'static str {
    if u32::from(dst) > word { "forward" } else { "backward" }
}

fn described(program: &Program, instruction: &Instruction, op: Opcode, class: &mut dyn FnMut(&str, &str)) {
    let Some(descriptor) = program.descriptor(instruction) else { return };
    if let Some(which) = mask_class(descriptor.write_mask(), op.row().mask) {
        class("mask", which);
    }
    match instruction.dst() {
        Some(Target::Output(_)) => class("dest", "output"),
        Some(Target::Temporary(_)) => class("dest", "temporary"),
        None => {}
    }
    let mut index = "none";
    for (source, name) in program.sources(instruction).into_iter().flatten().zip(SOURCES) {
        let file = match source.register {
            Register::Input(_) => "input",
            Register::Temporary(_) => "temporary",
            Register::Uniform(_) => "uniform",
        };
        class(&format!("{name}.file"), file);
        class(&format!("{name}.sign"), if source.negate { "negative" } else { "positive" });
        if scalar(op) {
            class(&format!("{name}.lane"), LANES[source.component(0)]);
        } else {
            class(&format!("{name}.swizzle"), swizzle_class(&source));
        }
        if matches!(source.register, Register::Uniform(_)) && source.idx != 0 {
            index = index_name(source.idx);
        }
    }
    class("index", index);
    if let Instruction::Compare(i) = instruction {
        for (name, operator) in [("x.operator", i.cmpx), ("y.operator", i.cmpy)] {
            match Comparison::from_number(operator) {
                Some(which) => class(name, which.name()),
                None => class(name, &operator.to_string()),
            }
        }
    }
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
        let truths = ["false", "true"];
        match (row.format, op) {
            (Format::Plain, _) | (_, Opcode::Call | Opcode::Callu | Opcode::Loop) => {
                class("form", &["plain"]);
            }
            (Format::Emission, _) => {
                class("slot", &["0", "1", "2"]);
                class("primitive", &truths);
                class("reversed", &truths);
            }
            (Format::Conditional, _) => {
                class("condition", &CONDITIONS);
                class("x", &truths);
                class("y", &truths);
            }
            (Format::Uniform, Opcode::Jmpu) => class("wanted", &truths),
            _ => {}
        }
        match op {
            Opcode::Jmpc | Opcode::Jmpu => class("target", &["forward", "backward"]),
            Opcode::Ifc | Opcode::Ifu => class("else", &truths),
            _ => {}
        }
        match row.mask {
            MaskRule::Components | MaskRule::Broadcast => {
                class("mask", &["x", "y", "z", "w", "partial", "full"]);
                class("dest", &["output", "temporary"]);
            }
            MaskRule::Address => class("mask", &["x", "y", "xy"]),
            MaskRule::Unused => {}
        }
        for (n, name) in SOURCES.into_iter().enumerate().take(op.sources()) {
            let files = ["input", "temporary", "uniform"];
            class(&format!("{name}.file"), if op.wide() == Some(n) { &files } else { &files[..2] });
            class(&format!("{name}.sign"), &["positive", "negative"]);
            if scalar(op) {
                class(&format!("{name}.lane"), &LANES);
            } else {
                class(&format!("{name}.swizzle"), &["identity", "replicated", "permuted"]);
            }
        }
        if op.wide().is_some() {
            class("index", &Index::ALL.map(Index::name));
        }
        if op == Opcode::Cmp {
            for name in ["x.operator", "y.operator"] {
                class(name, &Comparison::ALL.map(Comparison::name));
                class(name, &["6", "7"]);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::interface::entries;
    use super::super::program::{Container, DescriptorRow, Raw};
    use super::super::validate::validate;
    use super::*;
    use crate::isa::{Level, Stage};
    use std::collections::BTreeSet;

    /// Programs with one instruction of every opcode in many forms: all descriptors' parts one at a time, all words' fields at their ends.
    fn variants(op: Opcode) -> Vec<(Instruction, Descriptor)> {
        let plain = Instruction::from_word(op.row().number << 26);
        let mut all = Vec::new();
        let masks = (0..16).map(|mask| Descriptor { mask, ..Descriptor::default() });
        let selects =
            (0..=255).map(|s| Descriptor { select1: s, select2: s, select3: s, ..Descriptor::default() });
        let signs = (0..8).map(|n| Descriptor {
            negate1: n & 1,
            negate2: n >> 1 & 1,
            negate3: n >> 2,
            ..Descriptor::default()
        });
        all.extend(masks.chain(selects).chain(signs).map(|d| (plain, d)));
        for field in plain.layout().fields.iter().filter(|f| f.name != "opcode" && f.name != "desc") {
            for value in 0..=(field.max() as u32).min(0x7f) {
                let changed = plain.with_field(field.name, value);
                for name in ["src1", "src2", "src3"] {
                    // Only wide sources reach the uniforms.
                    if changed.layout().field(name).is_some_and(|field| field.max() >= 0x40) {
                        all.push((changed.with_field(name, 0x40), Descriptor::default()));
                    }
                }
                all.push((changed.with_field("condop", 2), Descriptor::default()));
                all.push((changed.with_field("condop", 3), Descriptor::default()));
                all.push((changed, Descriptor::default()));
            }
        }
        all
    }

    #[test]
    fn the_list_is_exactly_what_legal_programs_reach() {
        let mut reached = BTreeSet::new();
        for row in TABLE {
            for (instruction, descriptor) in variants(row.opcode) {
                for at in [1, 6] {
                    // A loop around it, so that breaks are legal and jumps have somewhere to go.
                    let nop = Instruction::from_word(0x21 << 26);
                    let mut code = vec![nop; 20];
                    code[0] = Instruction::from_word(0x29 << 26 | 12 << 10);
                    code[at] = instruction;
                    code[18] = Instruction::from_word(0x22 << 26);
                    let raw = Raw { stage: Stage::Geometry, output_mask: 0, start: 0 };
                    let program = Program {
                        container: Container::Raw(raw),
                        code,
                        descriptors: vec![DescriptorRow { descriptor, second: 0 }],
                    };
                    let found = validate(&program, &entries(&program)[0]);
                    if found.iter().all(|v| v.level < Level::Error) {
                        reached.extend(classes(&program, at as u32));
                    }
                }
            }
        }
        let all = all_classes();
        let listed: BTreeSet<_> = all.iter().cloned().collect();
        assert_eq!(all.len(), listed.len(), "no class is listed twice");
        let missing: Vec<_> = listed.difference(&reached).collect();
        assert!(missing.is_empty(), "listed, not reached: {missing:?}");
        let new: Vec<_> = reached.difference(&listed).collect();
        assert!(new.is_empty(), "reached, not listed: {new:?}");
        eprintln!("{} classes", all.len());
    }
}
