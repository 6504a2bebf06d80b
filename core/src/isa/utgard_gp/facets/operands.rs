//! Facets of operands: source, component, and load offset.

use super::feed::OperandSlot;
use super::{functions, units};
use crate::binary::exact;
use crate::isa::component::NAMES;
use crate::isa::facet::choice::{Choice, field_value, names, value, with_first};
use crate::isa::facet::{Site, Sited};
use crate::isa::utgard_gp::opcode::{Op, Unit};
use crate::isa::utgard_gp::program::{Load, Program, Word};
use crate::isa::utgard_gp::source::{ResultOf, Source};
use crate::isa::utgard_gp::vocabulary::{LOAD, Offset, Port};

/// The facet name of the first operand.
pub(super) const A: &str = "a";
/// The facet name of the second operand.
pub(super) const B: &str = "b";
/// The facet name of the last operand of complex1.
pub(super) const D: &str = "d";
/// The facet name that the condition of a select and the condition of a branch share.
pub(super) const CONDITION: &str = "condition";

const fn result(of: ResultOf, age: u8) -> Source {
    Source::Result { of, age }
}

/// The kind of a second operand that leaves the first unchanged.
pub(super) const IDENTITY_KIND: &str = "identity";
/// The kind of an operand from the load port.
pub(super) const LOAD_KIND: &str = LOAD;

/// The kinds of operands: name, source (component x if it has components), and whether read port 0 reads an attribute.
#[rustfmt::skip]
const TABLE: [(&str, Source, bool); 18] = [
    (IDENTITY_KIND, Source::Identity, false),
    (Port::Attribute.name(), Source::Port0(0), true),
    ("register0", Source::Port0(0), false),
    ("attribute.1", Source::Port0Before(0), true),
    ("register0.1", Source::Port0Before(0), false),
    ("register1", Source::Port1(0), false),
    (LOAD_KIND, Source::Load(0), false),
    ("acc0.1", result(ResultOf::Acc0, 1), false),
    ("acc1.1", result(ResultOf::Acc1, 1), false),
    ("mul0.1", result(ResultOf::Mul0, 1), false),
    ("mul1.1", result(ResultOf::Mul1, 1), false),
    ("pass.1", result(ResultOf::Pass, 1), false),
    ("complex.1", result(ResultOf::Complex, 1), false),
    ("acc0.2", result(ResultOf::Acc0, 2), false),
    ("acc1.2", result(ResultOf::Acc1, 2), false),
    ("mul0.2", result(ResultOf::Mul0, 2), false),
    ("mul1.2", result(ResultOf::Mul1, 2), false),
    ("pass.2", result(ResultOf::Pass, 2), false),
];

/// Returns the names of the kinds. The flags state whether the identity, mul 0's result of the previous word, and the complex unit's result are
/// included.
const fn kinds_with<const N: usize>(identity: bool, mul0: bool, complex: bool) -> [&'static str; N] {
    let mut names = [""; N];
    let (mut count, mut k) = (0, 0);
    while k < TABLE.len() {
        let is_kept = match TABLE[k].1 {
            Source::Identity => identity,
            Source::Result { of: ResultOf::Mul0, age: 1 } => mul0,
            Source::Result { of: ResultOf::Complex, .. } => complex,
            _ => true,
        };
        if is_kept {
            names[count] = TABLE[k].0;
            count += 1;
        }
        k += 1;
    }
    assert!(count == N, "N is the number of selected kinds");
    names
}

/// The names of all kinds.
pub(super) const KINDS: [&str; TABLE.len()] = kinds_with(true, true, true);
/// The kinds possible for a first operand.
pub const FIRST: [&str; 17] = kinds_with(false, true, true);
/// The kinds possible for a second operand.
pub(super) const SECOND: [&str; 17] = kinds_with(true, true, false);
/// The kinds possible for the last operand of complex1. Mul 0's result of the previous word is excluded because it is the result of complex2.
pub(super) const LAST: [&str; 15] = kinds_with(false, false, false);

/// The names of the load port's offsets.
pub(super) const OFFSETS: [&str; 4] = names(&CHOICES);
const CHOICES: [Choice; 4] = with_first(Offset::VALUES, Load::NO_OFFSET);

/// Returns the operands of a unit that facets describe, each with its name. The units of a lookup and of complex2 have a single operand for
/// the whole function.
fn operand_slots(program: &Program, site: Site) -> Vec<(&'static str, OperandSlot)> {
    let Some((word, op)) = units::at(program, site) else { return Vec::new() };
    let k = usize::from(site.unit);
    match op.row().unit {
        Unit::Acc if !op.reads_second() => vec![(A, OperandSlot::AccA(k))],
        Unit::Acc => vec![(A, OperandSlot::AccA(k)), (B, OperandSlot::AccB(k))],
        Unit::Mul => {
            let k = usize::from(site.unit == ResultOf::Mul1 as u8);
            match op {
                // A and C are the result of the lookup and B is that of complex2; only D can have any source.
                Op::Complex1 => vec![(D, OperandSlot::MulB(1))],
                Op::Complex2 => vec![(A, OperandSlot::MulA(0))],
                Op::Select => {
                    vec![
                        (A, OperandSlot::MulA(0)),
                        (CONDITION, OperandSlot::MulB(0)),
                        (B, OperandSlot::MulA(1)),
                    ]
                }
                _ => vec![(A, OperandSlot::MulA(k)), (B, OperandSlot::MulB(k))],
            }
        }
        Unit::Complex if word.named_op(Unit::Complex) == Some(Op::SetAddr01) => Vec::new(),
        Unit::Complex => vec![(A, OperandSlot::Complex)],
        Unit::Pass => vec![(A, OperandSlot::Pass)],
    }
}

/// Returns the component that a source reads; `None` if the source is not a port.
fn component_of(source: Source) -> Option<u8> {
    match source {
        Source::Port0(c) | Source::Port0Before(c) | Source::Port1(c) | Source::Load(c) => Some(c & 3),
        _ => None,
    }
}

/// Returns the kind of source that an operand reads.
fn kind(program: &Program, site: Site, slot: OperandSlot) -> Option<&'static str> {
    let at = site.word as usize;
    let word = program.words.get(at)?;
    let source = slot.source(word);
    let port0 = |word: &Word| word.port0_attribute != 0;
    let attribute = match source {
        Source::Port0(_) => port0(word),
        Source::Port0Before(_) => port0(program.words.get(at.checked_sub(1)?)?),
        _ => false,
    };
    let same = |kind: Source| match (kind, source) {
        (Source::Port0(_), Source::Port0(_))
        | (Source::Port0Before(_), Source::Port0Before(_))
        | (Source::Port1(_), Source::Port1(_))
        | (Source::Load(_), Source::Load(_)) => true,
        (kind, source) => kind == source,
    };
    let row = TABLE.iter().find(|(_, kind, of_attribute)| same(*kind) && *of_attribute == attribute)?;
    Some(row.0)
}

/// Returns the kind of the operand called `name`.
pub(super) fn kinds(program: &Program, site: Site, name: &str) -> Vec<&'static str> {
    let slot = operand_slots(program, site).into_iter().find(|(known, _)| *known == name);
    slot.and_then(|(_, slot)| kind(program, site, slot)).into_iter().collect()
}

/// Sets the kind of source of the operand called `name`.
pub(super) fn set_kind(program: &Program, site: Site, name: &str, value: &str) -> Option<Sited<Program>> {
    let (_, slot) = operand_slots(program, site).into_iter().find(|(known, _)| *known == name)?;
    if kind(program, site, slot) == Some(value) {
        return Some((program.clone(), site));
    }
    let (_, source, attribute) = TABLE.iter().find(|(name, ..)| *name == value)?;
    functions::change_operand(program, site, slot, |words, component| {
        words.provide(*source, *attribute, component, slot.is_second())
    })
}

/// Returns the components that operands read from ports.
pub(super) fn components(program: &Program, site: Site) -> Vec<&'static str> {
    let Some(word) = program.words.get(site.word as usize) else { return Vec::new() };
    let mut found = Vec::new();
    for (_, slot) in operand_slots(program, site) {
        if let Some(component) = component_of(slot.source(word)) {
            let letter = NAMES[usize::from(component)];
            if !found.contains(&letter) {
                found.push(letter);
            }
        }
    }
    found
}

/// Makes the first operand that reads a port read this component, and each further such operand the next component. If none reads a port, the first
/// operand becomes a load.
pub(super) fn set_component(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let component = exact::<u8, _>(NAMES.iter().position(|letter| *letter == value)?);
    let word = program.words.get(site.word as usize)?;
    let all = operand_slots(program, site);
    let ports: Vec<_> =
        all.iter().filter_map(|(_, slot)| Some((*slot, component_of(slot.source(word))?))).collect();
    if ports.is_empty() {
        let (_, first) = all.first()?;
        return functions::change_operand(program, site, *first, |words, _| {
            words.provide(Source::Load(0), false, component, first.is_second())
        });
    }
    let mut made = (program.clone(), site);
    for (k, (slot, was)) in ports.into_iter().enumerate() {
        let component = (component + exact::<u8, _>(k)) & 3;
        // The codes of a port's components are consecutive.
        made = functions::change_operand(&made.0, made.1, slot, |words, _| {
            let code = slot.code(words.word());
            Some(code - was + component)
        })?;
    }
    Some(made)
}

/// Returns the offset of the load port, if the unit reads the load port.
pub(super) fn offset(program: &Program, site: Site) -> Vec<&'static str> {
    let Some((word, op)) = units::at(program, site) else { return Vec::new() };
    let loads = op == Op::Clamp
        || operand_slots(program, site).iter().any(|(_, slot)| matches!(slot.source(word), Source::Load(_)));
    let held = value(&CHOICES, word.load.offset);
    held.filter(|_| loads).into_iter().collect()
}

/// Sets the offset of the load port. If the unit does not read the load port, its first operand becomes a load.
pub(super) fn set_offset(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let number = field_value(&CHOICES, value)?;
    let (word, op) = units::at(program, site)?;
    let all = operand_slots(program, site);
    let load = all.iter().find(|(_, slot)| matches!(slot.source(word), Source::Load(_)));
    let (_, slot) = load.or(all.first())?;
    let stays = load.is_some() || op == Op::Clamp;
    functions::change_operand(program, site, *slot, |words, component| {
        words.word().load.offset = number;
        if stays {
            return Some(slot.code(words.word()));
        }
        words.provide(Source::Load(0), false, component, slot.is_second())
    })
}

/// Returns the component that an operand reads, or a default for the operand's position.
pub(super) fn component_at(word: &Word, slot: OperandSlot) -> u8 {
    component_of(slot.source(word)).unwrap_or(match slot {
        OperandSlot::MulA(0) | OperandSlot::AccA(_) | OperandSlot::Complex | OperandSlot::Pass => 0,
        OperandSlot::MulB(_) | OperandSlot::AccB(_) => 1,
        OperandSlot::MulA(_) => 2,
    })
}
