//! Facets of `cmp`, and of instructions that test condition bits or Booleans.

use super::super::opcode::Opcode;
use super::super::program::{Conditional, Instruction, Program};
use super::super::word::{Comparison, Condition};
use super::site::{at, described, with_instruction};
use crate::binary::exact;
use crate::isa::facet::{Site, Sited};
use crate::isa::pica200::word::fields;

/// The names of truth values.
pub(super) const TRUTHS: [&str; 2] = ["false", "true"];
/// The comparison operators whose meaning is unknown.
pub const UNKNOWN_OPERATORS: &[&str] = NUMBERS.split_at(Comparison::ALL.len()).1;
const NUMBERS: [&str; 8] = ["0", "1", "2", "3", "4", "5", "6", "7"];
/// The names of the comparison operators, indexed by number.
pub(super) const OPERATORS: [&str; 8] = {
    let known = Comparison::PRINTED;
    let mut all = [""; 8];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < known.len() { known[at] } else { NUMBERS[at] };
        at += 1;
    }
    all
};

pub(super) fn truth(value: u8) -> &'static str {
    TRUTHS[usize::from(value != 0)]
}

/// Returns the number of a truth value: 1 for true.
pub(super) fn number(value: &str) -> Option<u32> {
    TRUTHS.iter().position(|truth| *truth == value).map(exact::<u32, _>)
}

/// Returns an instruction that tests the condition bits, its fields, and how its tests are combined; `None` for any other instruction.
fn tests(program: &Program, site: Site) -> Option<(&Instruction, Conditional, Condition)> {
    match at(program, site)? {
        (Opcode::Call, _) => None,
        (_, instruction @ Instruction::Conditional(word)) => {
            Some((instruction, *word, Condition::from_number(word.condop)?))
        }
        _ => None,
    }
}

/// Returns how the tests of the condition bits combine.
pub(super) fn conditions(program: &Program, site: Site) -> Vec<&'static str> {
    tests(program, site).map(|(.., condition)| condition.name()).into_iter().collect()
}

/// Sets how the tests of the condition bits combine.
pub(super) fn set_condition(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (instruction, ..) = tests(program, site)?;
    let condition = Condition::from_name(value)?;
    with_instruction(program, site, instruction.with_field(fields::CONDOP, condition as u32))
}

/// One of the two condition bits, `cmp.x` and `cmp.y`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bit {
    X,
    Y,
}

impl Bit {
    /// Returns the field with the value that the bit is compared with.
    fn reference(self) -> &'static str {
        match self {
            Bit::X => fields::REFX,
            Bit::Y => fields::REFY,
        }
    }

    /// Returns the field with the operator that computes the bit.
    fn operator(self) -> &'static str {
        match self {
            Bit::X => fields::CMPX,
            Bit::Y => fields::CMPY,
        }
    }

    /// Whether a condition tests this bit.
    fn is_tested_by(self, condition: Condition) -> bool {
        match condition {
            Condition::Either | Condition::Both => true,
            Condition::X => self == Bit::X,
            Condition::Y => self == Bit::Y,
        }
    }
}

/// Returns the value that a bit is compared with, if the condition tests it.
pub(super) fn references(program: &Program, site: Site, bit: Bit) -> Vec<&'static str> {
    let tests = tests(program, site).filter(|(.., condition)| bit.is_tested_by(*condition));
    let reference = tests.map(|(_, word, _)| if bit == Bit::X { word.refx } else { word.refy });
    reference.map(truth).into_iter().collect()
}

/// Sets the value that a bit is compared with.
pub(super) fn set_reference(program: &Program, site: Site, bit: Bit, value: &str) -> Option<Sited<Program>> {
    let (instruction, ..) = tests(program, site).filter(|(.., condition)| bit.is_tested_by(*condition))?;
    with_instruction(program, site, instruction.with_field(bit.reference(), number(value)?))
}

/// Returns the operator that computes a bit.
pub(super) fn operators(program: &Program, site: Site, bit: Bit) -> Vec<&'static str> {
    let Some((Opcode::Cmp, instruction, _)) = described(program, site) else { return Vec::new() };
    OPERATORS.get(instruction.field(bit.operator()) as usize).copied().into_iter().collect()
}

/// Sets the operator that computes a bit.
pub(super) fn set_operator(program: &Program, site: Site, bit: Bit, value: &str) -> Option<Sited<Program>> {
    let Some((Opcode::Cmp, instruction, _)) = described(program, site) else { return None };
    let operator = OPERATORS.iter().position(|operator| *operator == value)?;
    with_instruction(program, site, instruction.with_field(bit.operator(), exact::<u32, _>(operator)))
}

/// Returns the value of the Boolean uniform for which a jump is taken.
pub(super) fn bools(program: &Program, site: Site) -> Vec<&'static str> {
    match at(program, site) {
        Some((Opcode::Jmpu, Instruction::Uniform(word))) => vec![truth(u8::from(!word.is_inverted()))],
        _ => Vec::new(),
    }
}

/// Sets the value of the Boolean uniform for which the jump is taken.
pub(super) fn set_bool(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let Some((Opcode::Jmpu, Instruction::Uniform(word))) = at(program, site) else { return None };
    with_instruction(program, site, Instruction::Uniform(word.with_inverted(number(value)? == 0)))
}
