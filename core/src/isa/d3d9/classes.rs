//! The opcode × modifier classes that coverage is counted in.
//!
//! An instruction belongs to one class of each kind that applies to it: where it stands (`version`), what it writes (`dest`, `mask`,
//! `result`, `shift`), how it reads each source (`a.file`, `a.swizzle`, `a.modifier`, `a.index`), what it compares or how it reads a texture
//! (`control`, `texture`), and under which condition (`predicate`, `coissue`). Classes are not combined with one another: that is some
//! dozens an opcode instead of millions. What never does anything has none: declarations, definitions, labels, `nop` and `phase`.

use super::candidates::found;
use super::names::{LETTERS, RESULTS, SHIFTS};
use super::opcode::{Kind, Opcode};
use super::profile::Profiles;
use super::program::{Dest, File, Index, Instruction, Modifier, Program, Relative, Source, constant_number};
use super::reads::{Textures, scratch};
use super::table::texture_name;
use super::word::{Comparison, TextureType};
use crate::isa::ClassPoint;
use std::cell::OnceCell;

/// The letters that sources are called by.
const SOURCES: [&str; 4] = ["a", "b", "c", "d"];

/// Whether an instruction does something that can be seen.
pub(super) fn acts(op: Opcode) -> bool {
    op.row().kind != Kind::Declaration && !matches!(op, Opcode::Nop | Opcode::Label)
}

/// The classes of an instruction; none for a number that is no opcode, for what never does anything, and for a word that is no instruction.
pub fn classes(program: &Program, word: u32) -> Vec<ClassPoint> {
    classifier(program)(word)
}

/// The classes of any instruction of a program, whose declarations are read once.
pub fn classifier(program: &Program) -> impl Fn(u32) -> Vec<ClassPoint> {
    let textures = OnceCell::new();
    move |word| of_word(program, &|| *textures.get_or_init(|| Textures::of(program)), word)
}

fn of_word(program: &Program, textures: &dyn Fn() -> Textures, word: u32) -> Vec<ClassPoint> {
    let Some(i) = program.instructions.get(word as usize) else { return Vec::new() };
    let Some(op) = i.op().filter(|op| acts(*op)) else { return Vec::new() };
    let mut found = Vec::with_capacity(16);
    let mut class = |what: &str, which: &str| {
        let point = ClassPoint { opcode: op.row().mnemonic, modifier: format!("{what}={which}") };
        if !found.contains(&point) {
            found.push(point);
        }
    };
    if let Some(profile) = program.version.profile() {
        class("version", profile.name());
    }
    if let Some(dest) = &i.dest {
        destination(program, dest, op, &mut class);
    }
    for (k, (source, name)) in i.sources.iter().zip(SOURCES).enumerate() {
        if !scratch(op, k) {
            self::source(program, source, name, &mut class);
        }
    }
    control(program, textures, i, op, &mut class);
    if let Some(predicate) = &i.predicate {
        class("predicate", if predicate.modifier == 0 { "plain" } else { "not" });
        class("predicate_lane", &lanes(predicate));
    }
    if i.coissue != 0 {
        class("coissue", "second");
    }
    found
}

/// Swizzles that name one component by its letter, and the others by what they are.
fn lanes(source: &Source) -> String {
    if source.is_replicated() {
        LETTERS[0][source.component(0)].to_string()
    } else if source.swizzle == Source::XYZW {
        "own".to_owned()
    } else {
        "permuted".to_owned()
    }
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

fn mask_class(mask: u8) -> Option<&'static str> {
    Some(match mask {
        0 => return None,
        1 => "x",
        2 => "y",
        4 => "z",
        8 => "w",
        15 => "full",
        _ => "partial",
    })
}

/// What a register of this file is for, by stage.
fn file_class(program: &Program, file: u8) -> Option<&'static str> {
    if constant_number(file, 0).is_some() {
        return Some("constant");
    }
    Some(match File::from_number(file)? {
        File::Temporary => "temporary",
        File::Input => "input",
        File::Address if program.version.pixel() => "texture",
        File::Address => "address",
        File::Rasterizer | File::ColorOut | File::CoordinateOut | File::PixelColor => "output",
        File::PixelDepth => "depth",
        File::Misc => "misc",
        File::Bool => "bool",
        File::Predicate => "predicate",
        _ => return None,
    })
}

fn index_class(index: &Index) -> Option<String> {
    match File::from_number(index.file)? {
        File::Loop => Some("loop".to_owned()),
        File::Address => Some(LETTERS[0][usize::from(index.swizzle & 3)].to_string()),
        _ => None,
    }
}

fn relative(name: &str, relative: &Relative, class: &mut dyn FnMut(&str, &str)) {
    match relative {
        Relative::No => {}
        Relative::Implied => class(&format!("{name}.index"), "x"),
        Relative::By(index) => {
            if let Some(which) = index_class(index) {
                class(&format!("{name}.index"), &which);
            }
        }
    }
}

fn destination(program: &Program, dest: &Dest, op: Opcode, class: &mut dyn FnMut(&str, &str)) {
    if let Some(which) = file_class(program, dest.file) {
        class("dest", which);
    }
    if let Some(which) = mask_class(dest.mask) {
        class("mask", which);
    }
    relative("dest", &dest.relative, class);
    // Its operand is read: it has no result.
    if op == Opcode::Texkill {
        return;
    }
    for (name, bit) in RESULTS {
        if dest.modifier & bit != 0 {
            class("result", name);
        }
    }
    if dest.modifier == 0 {
        class("result", "plain");
    }
    if let Some((name, _)) = SHIFTS.iter().find(|(_, value)| *value == dest.shift) {
        class("shift", name);
    }
}

fn source(program: &Program, source: &Source, name: &str, class: &mut dyn FnMut(&str, &str)) {
    let Some(file) = file_class(program, source.file) else { return };
    class(&format!("{name}.file"), file);
    if !source.is(File::Bool) {
        class(&format!("{name}.swizzle"), swizzle_class(source));
    }
    if let Some(modifier) = Modifier::from_number(source.modifier) {
        class(&format!("{name}.modifier"), modifier.name());
    }
    relative(name, &source.relative, class);
}

fn control(
    program: &Program,
    textures: &dyn Fn() -> Textures,
    i: &Instruction,
    op: Opcode,
    class: &mut dyn FnMut(&str, &str),
) {
    if op.compares() {
        if let Some(comparison) = Comparison::from_number(i.control) {
            class("control", comparison.name());
        }
    } else if op == Opcode::Tex && program.version.major >= 2 {
        class("control", ["plain", "project", "bias"].get(usize::from(i.control)).unwrap_or(&"other"));
    }
    if let Some(sampler) = i.sources.get(1).filter(|s| s.is(File::Sampler)) {
        let texture = textures().get(sampler.number);
        if texture != TextureType::None as u8
            && let Some(name) = texture_name(texture)
        {
            class("texture", name);
        }
        class("sampler.swizzle", swizzle_class(sampler));
    }
}

/// Every class that an instruction of a legal program can belong to: what generators must reach and corpora should cover.
///
/// Which these are is a matter of the rules, of which there are too many to say it twice: they are the classes of all `candidates` that
/// break none at error level.
pub fn all_classes() -> Vec<ClassPoint> {
    found().classes.keys().cloned().collect()
}

/// The versions in which an instruction of a legal program can belong to a class; none if it is no class.
pub fn class_profiles(class: &ClassPoint) -> Profiles {
    found().classes.get(class).copied().unwrap_or(Profiles::NONE)
}
