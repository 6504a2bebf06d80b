//! Names in assembly text, shared by assembler and disassembler.

use super::opcode::{TABLE, Unit};
use super::program::Word;
use super::source::{ALSO_UNUSED, Source, StoreSource};
use super::vocabulary::{IDENTITY, NOP, OPERATION, OUT, Port, UNKNOWN, UNKNOWN_STORE, UNUSED};
use crate::isa::component::NAMES;
use crate::isa::utgard_gp::interface::REGISTERS;

/// Returns the number of the component with this letter.
pub(super) fn component(letter: &str) -> Option<u8> {
    (0..).zip(NAMES).find(|(_, name)| *name == letter).map(|(c, _)| c)
}

/// Returns the name of an operation: the one in the table, or else [`OPERATION`] and the number, as other tools print it. Number 0 of the complex
/// unit is [`NOP`].
pub(super) fn op_name(unit: Unit, number: u8) -> String {
    match TABLE.iter().find(|r| r.unit == unit && r.number == number) {
        Some(row) => row.name.to_owned(),
        None if unit == Unit::Complex && number == 0 => NOP.to_owned(),
        None => format!("{OPERATION}{number}"),
    }
}

/// Returns the number of operations that a unit's field can encode.
pub(super) fn op_count(unit: Unit) -> u8 {
    if unit == Unit::Complex { 16 } else { 8 }
}

/// Returns the number of an operation by name or alias; `op` with a number is also accepted.
pub(super) fn op_number(unit: Unit, name: &str) -> Option<u8> {
    let row = TABLE.iter().find(|r| r.unit == unit && (r.name == name || r.aliases.contains(&name)));
    if let Some(row) = row {
        return Some(row.number);
    }
    if unit == Unit::Complex && name == NOP {
        return Some(0);
    }
    name.strip_prefix(OPERATION)?.parse().ok().filter(|n| *n < op_count(unit))
}

/// Returns the names of a unit's operations, for suggestions.
pub(super) fn op_names(unit: Unit) -> impl Iterator<Item = &'static str> {
    TABLE
        .iter()
        .filter(move |r| r.unit == unit)
        .flat_map(|r| std::iter::once(r.name).chain(r.aliases.iter().copied()))
}

/// Returns an operand as text. `before` is the previous word, whose port 0 is read by codes 28 to 31.
pub(super) fn source_name(code: u8, second: bool, word: &Word, before: Option<&Word>) -> String {
    let read = |port: Port, index: &str| format!("{}{index}", port.name());
    let port0 = |w: &Word| {
        if w.port0_attribute != 0 { read(Port::Attribute, "") } else { read(Port::Register, "[0]") }
    };
    let letter = |c: u8| NAMES[usize::from(c & 3)];
    match Source::decode(code, second) {
        Source::Port0(c) => format!("{}.{}", port0(word), letter(c)),
        Source::Port1(c) => format!("{}.{}", read(Port::Register, "[1]"), letter(c)),
        Source::Load(c) => format!("{}.{}", read(Port::Load, ""), letter(c)),
        Source::Port0Before(c) => {
            format!("{}.{}[1]", port0(before.unwrap_or(&Word::default())), letter(c))
        }
        Source::Result { of, age } => format!("{}.{OUT}[{age}]", of.name()),
        Source::Identity => IDENTITY.to_owned(),
        Source::Unused => UNUSED.to_owned(),
        Source::Unknown(c) => format!("{UNKNOWN}{}", c - ALSO_UNUSED),
    }
}

/// Returns a stored result as text.
pub(super) fn stored_name(code: u8) -> String {
    match StoreSource::decode(code) {
        StoreSource::Result(of) => format!("{}.{OUT}", of.name()),
        StoreSource::Nothing => UNUSED.to_owned(),
        StoreSource::Unknown => UNKNOWN_STORE.to_owned(),
    }
}

/// Returns the name of a component of a register.
pub fn register_name(register: usize, component: usize) -> String {
    format!("${}.{}", register % REGISTERS, NAMES[component & 3])
}

/// Returns the name of a varying.
pub fn varying_name(number: u16) -> String {
    format!("v{number}")
}

/// Returns the name of an attribute.
pub fn attribute_name(number: u16) -> String {
    format!("a{number}")
}
