//! The units of a word as sites, and their facets: which of two equal units is used, which operands or results are negated, and whether the operation
//! is a move.

use super::feed::{OperandSlot, Words};
use super::{functions, operands};
use crate::isa::facet::{Site, Sited};
use crate::isa::utgard_gp::opcode::{Op, Unit};
use crate::isa::utgard_gp::program::{Program, Word};
use crate::isa::utgard_gp::source::{IDENTITY, NOT_STORED, ResultOf, Source, StoreSource};
use crate::isa::utgard_gp::vocabulary::{self as names, Form, Negated, StoreKind};

/// Number of sites in a word: six units in the order of [`ResultOf`], two store units, the branch.
pub(super) const COUNT: u8 = 9;
/// The site of the first store unit.
pub(super) const STORE: u8 = 6;
/// The site of the first multiplier.
const MUL0: u8 = ResultOf::Mul0 as u8;
/// The site of the branch.
pub(super) const BRANCH: u8 = 8;
/// Facet value: multiplier 1 multiplies while complex2 uses multiplier 0.
const MUL1_BESIDE_COMPLEX2: &str = "mul1 beside complex2";
/// The values of the facet that distinguishes the two units of the same kind.
pub(super) const EQUAL: [&str; 5] = [
    ResultOf::Acc0.value(),
    ResultOf::Acc1.value(),
    ResultOf::Mul0.value(),
    ResultOf::Mul1.value(),
    MUL1_BESIDE_COMPLEX2,
];

/// Returns the opcode at a site.
pub(super) fn opcode(program: &Program, site: Site) -> Option<&'static str> {
    let word = program.words.get(site.word as usize)?;
    match site.unit {
        STORE | 7 => {
            let store = word.store[usize::from(site.unit - STORE)];
            if store.sources == [NOT_STORED; 2] {
                return None;
            }
            store.target().kind().map(StoreKind::opcode)
        }
        BRANCH => (word.branch != 0).then_some(names::BRANCH),
        _ => Some(at(program, site)?.1.row().qualified),
    }
}

/// Returns the word of a site and the operation of its unit. Setting an address register counts as an operation.
pub(super) fn at(program: &Program, site: Site) -> Option<(&Word, Op)> {
    let word = program.words.get(site.word as usize)?;
    let of = *ResultOf::ALL.get(usize::from(site.unit))?;
    let sets =
        || word.address_set().filter(|_| of == ResultOf::Complex).and_then(|_| word.named_op(Unit::Complex));
    Some((word, word.result_op(of).or_else(sets)?))
}

/// Returns which of the two units of the same kind the site is.
pub(super) fn unit(program: &Program, site: Site) -> Vec<&'static str> {
    let Some((word, op)) = at(program, site) else { return Vec::new() };
    let name = match (op.row().unit, op, site.unit) {
        (Unit::Acc, ..) | (_, Op::Mul, MUL0) => ResultOf::ALL[usize::from(site.unit)].value(),
        (_, Op::Mul, _) if word.named_op(Unit::Mul) == Some(Op::Complex2) => MUL1_BESIDE_COMPLEX2,
        (_, Op::Mul, _) => ResultOf::Mul1.value(),
        _ => return Vec::new(),
    };
    vec![name]
}

/// Moves the operation to the other unit of the same kind, and adjusts all uses of the results of both units. For [`MUL1_BESIDE_COMPLEX2`], also
/// inserts a complex function whose complex2 uses multiplier 0.
pub(super) fn set_unit(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (word, op) = at(program, site)?;
    if unit(program, site).contains(&value) {
        return Some((program.clone(), site));
    }
    let multiplies = op == Op::Mul && word.named_op(Unit::Mul) == Some(Op::Mul);
    let takes = match ResultOf::from_value(value).map(ResultOf::unit) {
        Some(Unit::Acc) => op.row().unit == Unit::Acc,
        _ => multiplies,
    };
    let mut words = Words { all: program.words.clone(), at: site.word as usize, open: Vec::new() };
    let mut unit = site.unit;
    if takes && (value != MUL1_BESIDE_COMPLEX2 || unit == ResultOf::Mul0 as u8) {
        exchange(&mut words, op.row().unit);
        unit ^= 1;
    }
    if takes && value == MUL1_BESIDE_COMPLEX2 {
        let word = words.word();
        let is_free = word.mul[0] == Word::default().mul[0] && word.complex_op == 0;
        return if is_free {
            functions::begin(&mut words).map(|()| functions::finish(program, words, unit))
        } else {
            None
        };
    }
    takes.then(|| functions::finish(program, words, unit))
}

/// Exchanges the adders or the multipliers of a word, and adjusts the stores and operands that use their results.
fn exchange(words: &mut Words, unit: Unit) {
    let word = words.word();
    let pair = if unit == Unit::Acc {
        word.acc.swap(0, 1);
        [ResultOf::Acc0, ResultOf::Acc1]
    } else {
        word.mul.swap(0, 1);
        [ResultOf::Mul0, ResultOf::Mul1]
    };
    let [a, b] = pair.map(|of| StoreSource::Result(of).code());
    for code in word.store.iter_mut().flat_map(|store| &mut store.sources) {
        if *code == a || *code == b {
            *code ^= a ^ b;
        }
    }
    for age in [1, 2] {
        let codes = pair.map(|of| Source::Result { of, age }.code());
        if let ([Some(a), Some(b)], Some(word)) = (codes, words.all.get_mut(words.at + usize::from(age))) {
            OperandSlot::exchange(word, [a, b]);
        }
    }
}

/// Returns which operands of an adder are negated, or whether the result of a multiplier is negated.
pub(super) fn sign(program: &Program, site: Site) -> Vec<&'static str> {
    let Some((word, op)) = at(program, site) else { return Vec::new() };
    let negated = match op.row().unit {
        Unit::Acc => {
            let acc = word.acc[usize::from(site.unit)];
            let two = op.reads_second();
            match (acc.neg_a != 0, two && acc.neg_b != 0) {
                (false, false) => Negated::None,
                (true, false) => Negated::First,
                (false, true) => Negated::Second,
                (true, true) => Negated::Both,
            }
        }
        Unit::Mul if word.mul[usize::from(site.unit == ResultOf::Mul1 as u8)].neg != 0 => Negated::Result,
        Unit::Mul => Negated::None,
        _ => return Vec::new(),
    };
    vec![negated.name()]
}

/// Negates operands of an adder, or the result of a multiplier.
pub(super) fn set_sign(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let negated = Negated::from_name(value)?;
    let (_, op) = at(program, site)?;
    let mut made = program.clone();
    let word = made.words.get_mut(site.word as usize)?;
    let two = op.reads_second();
    match op.row().unit {
        Unit::Acc => {
            let acc = word.acc.get_mut(usize::from(site.unit))?;
            let (a, b) = match negated {
                Negated::None => (0, 0),
                Negated::First => (1, 0),
                Negated::Second if two => (0, 1),
                Negated::Both if two => (1, 1),
                _ => return None,
            };
            (acc.neg_a, acc.neg_b) = (a, if two { b } else { acc.neg_b });
        }
        Unit::Mul => {
            let neg = &mut word.mul[usize::from(site.unit == ResultOf::Mul1 as u8)].neg;
            *neg = match negated {
                Negated::None => 0,
                Negated::Result => 1,
                _ => return None,
            };
        }
        _ => return None,
    }
    Some((made, site))
}

/// Returns whether a sum or a product is a move.
pub(super) fn form(program: &Program, site: Site) -> Vec<&'static str> {
    let Some((word, op)) = at(program, site) else { return Vec::new() };
    let form = match op {
        Op::Add if word.acc[usize::from(site.unit)].is_move(word.acc_op) => Form::Move,
        Op::Add => Form::Sum,
        Op::Mul if word.mul[usize::from(site.unit == ResultOf::Mul1 as u8)].b == IDENTITY => Form::Move,
        Op::Mul => Form::Product,
        _ => return Vec::new(),
    };
    vec![form.name()]
}

/// Makes the operation a move, or makes its second operand a load.
pub(super) fn set_form(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (_, op) = at(program, site)?;
    let is = form(program, site);
    if is.contains(&value) {
        return Some((program.clone(), site));
    }
    let kind = match (op, Form::from_name(value)?) {
        (Op::Add | Op::Mul, Form::Move) => operands::IDENTITY_KIND,
        (Op::Add, Form::Sum) | (Op::Mul, Form::Product) => operands::LOAD_KIND,
        _ => return None,
    };
    let (mut made, site) = operands::set_kind(program, site, operands::B, kind)?;
    if op == Op::Add && kind == operands::IDENTITY_KIND {
        made.words.get_mut(site.word as usize)?.acc[usize::from(site.unit)].neg_b = 1;
    }
    Some((made, site))
}

/// Returns the source of the address registers if the operation sets them without an operand.
pub(super) fn from(program: &Program, site: Site) -> Vec<&'static str> {
    let sets = at(program, site).is_some_and(|(_, op)| op == Op::SetAddr01);
    if sets { vec![ResultOf::Pass.value()] } else { Vec::new() }
}

/// Returns the unchanged program if `value` is the current source; otherwise `None`, because there is no other source.
pub(super) fn set_from(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    from(program, site).contains(&value).then(|| (program.clone(), site))
}
