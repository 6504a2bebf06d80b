//! Names in assembly text. Assembler and disassembler both read these tables.

use super::opcode::{TABLE, Unit};
use super::program::Word;
use super::source::{ResultOf, Source, Stored};
use crate::isa::utgard_gp::interface::REGISTERS;

/// The letters of the components.
pub(super) const LETTERS: [&str; 4] = ["x", "y", "z", "w"];

/// The component of a letter.
pub(super) fn component(letter: &str) -> Option<u8> {
    LETTERS.iter().position(|l| *l == letter).map(|c| c as u8)
}

/// The name of an operation's number: the table's, or `op` and the number, as other tools have it. The acc and complex units' 0 to 15
/// all have one.
pub(super) fn op_name(unit: Unit, number: u8) -> String {
    match TABLE.iter().find(|r| r.unit == unit && r.number == number) {
        Some(row) => row.name.to_owned(),
        None if unit == Unit::Complex && number == 0 => "nop".to_owned(),
        None => format!("op{number}"),
    }
}

/// Number of operations that a unit's field can name.
pub(super) fn op_count(unit: Unit) -> u8 {
    if unit == Unit::Complex { 16 } else { 8 }
}

/// The number of an operation by one of its names; `op` and any number is read too.
pub(super) fn op_number(unit: Unit, name: &str) -> Option<u8> {
    let row = TABLE.iter().find(|r| r.unit == unit && (r.name == name || r.aliases.contains(&name)));
    if let Some(row) = row {
        return Some(row.number);
    }
    if unit == Unit::Complex && name == "nop" {
        return Some(0);
    }
    name.strip_prefix("op")?.parse().ok().filter(|n| *n < op_count(unit))
}

/// The names of a unit's operations, for suggestions.
pub(super) fn op_names(unit: Unit) -> impl Iterator<Item = &'static str> {
    TABLE
        .iter()
        .filter(move |r| r.unit == unit)
        .flat_map(|r| std::iter::once(r.name).chain(r.aliases.iter().copied()))
}

/// An operand as it is printed. `before` is the word before, whose port 0 codes 28 to 31 read.
pub(super) fn source_name(code: u8, second: bool, word: &Word, before: Option<&Word>) -> String {
    let port0 = |w: &Word| if w.port0_attribute != 0 { "attribute" } else { "register[0]" };
    let letter = |c: u8| LETTERS[usize::from(c & 3)];
    match Source::decode(code, second) {
        Source::Port0(c) => format!("{}.{}", port0(word), letter(c)),
        Source::Port1(c) => format!("register[1].{}", letter(c)),
        Source::Load(c) => format!("uniform.{}", letter(c)),
        Source::Port0Before(c) => format!("{}.{}[1]", before.map_or("register[0]", port0), letter(c)),
        Source::Result { of, age } => format!("{}.out[{age}]", of.name()),
        Source::Identity => "ident".to_owned(),
        Source::Unused => "unused".to_owned(),
        Source::Unknown(c) => format!("unknown{}", c - 8),
    }
}

/// What is stored, as it is printed.
pub(super) fn stored_name(code: u8) -> String {
    match Stored::decode(code) {
        Stored::Result(of) => format!("{}.out", of.name()),
        Stored::Nothing => "unused".to_owned(),
        Stored::Unknown => "unknown_5".to_owned(),
    }
}

/// The name of a component of the state: registers, address registers, varyings, temporaries.
pub fn register_name(register: usize, component: usize) -> String {
    format!("${}.{}", register % REGISTERS, LETTERS[component & 3])
}

/// The name of a varying.
pub fn varying_name(number: u16) -> String {
    format!("v{number}")
}

/// The name of an attribute.
pub fn attribute_name(number: u16) -> String {
    format!("a{number}")
}

/// Units whose results operands and stores name, by name.
pub(super) fn result_of(name: &str, index: Option<u64>) -> Option<ResultOf> {
    match (name, index) {
        ("acc", Some(0)) => Some(ResultOf::Acc0),
        ("acc", Some(1)) => Some(ResultOf::Acc1),
        ("mul", Some(0)) => Some(ResultOf::Mul0),
        ("mul", Some(1)) => Some(ResultOf::Mul1),
        ("pass", None) => Some(ResultOf::Pass),
        ("complex", None) => Some(ResultOf::Complex),
        _ => None,
    }
}
