//! Edits: small changes to programs, for mutation and minimisation.
//!
//! Fields are numbered as in [`FieldId`]. One additional field, [`PART_FIELD`], resets a [`Part`] of a word to the no-op; its value is the part's
//! number. Operands refer to earlier words by distance, so moving words usually changes a program's meaning or makes it invalid. An edit that adds a
//! hazard is refused. A hazard is an operand that cannot reach its result, a broken complex function, or a value that is read before it arrives.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod excerpt;

pub use excerpt::{excerpts, strip};

use super::container::{self, MAX_FILE_SIZE};
use super::facets::TABLE;
use super::hazards::hazards;
use super::opcode::{self, Unit};
use super::options::OPTION_SPECS;
use super::program::{Program, Word};
use super::rules::Rule;
use super::source::UNUSED;
use super::validate::MAX_WORDS;
use super::word::{COUNT, FieldId};
use crate::binary::exact;
use crate::isa::edit::{aligned_runs, aligned_runs_at, swap_and_copies};
use crate::isa::facet::Site;
use crate::isa::{Edit, Options};

/// The field number that denotes parts of a word.
#[allow(clippy::cast_possible_truncation)] // asserted
pub const PART_FIELD: u16 = {
    assert!(COUNT <= u16::MAX as usize, "the number of a field has 16 bits");
    COUNT as u16
};

/// A part of a word that can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Part {
    /// The whole word.
    Word,
    /// Adder 0.
    Acc0,
    /// Adder 1.
    Acc1,
    /// Multiplier 0; in a wide operation, which uses both multipliers, also multiplier 1.
    Mul0,
    /// Multiplier 1; in a wide operation also multiplier 0.
    Mul1,
    /// The complex unit.
    Complex,
    /// The pass unit.
    Pass,
    /// The store of x and y.
    Store0,
    /// The store of z and w.
    Store1,
    /// The branch, and the field `unknown_1`, which marks branches and temporary stores.
    Branch,
    /// The load port.
    Load,
    /// Read port 0.
    Port0,
    /// Read port 1.
    Port1,
}

impl Part {
    /// All parts, by number.
    pub const ALL: [Part; 13] = [
        Part::Word,
        Part::Acc0,
        Part::Acc1,
        Part::Mul0,
        Part::Mul1,
        Part::Complex,
        Part::Pass,
        Part::Store0,
        Part::Store1,
        Part::Branch,
        Part::Load,
        Part::Port0,
        Part::Port1,
    ];

    /// Returns the word with this part reset to the no-op.
    fn remove(self, word: &Word) -> Word {
        let (mut word, nop) = (*word, Word::default());
        match self {
            Part::Word => word = nop,
            Part::Acc0 | Part::Acc1 => {
                word.acc[usize::from(self == Part::Acc1)] = nop.acc[0];
                if word.acc == nop.acc {
                    word.acc_op = nop.acc_op;
                }
            }
            Part::Mul0 | Part::Mul1 => {
                if matches!(word.mul_op, 0 | 3) {
                    word.mul[usize::from(self == Part::Mul1)] = nop.mul[0];
                } else {
                    word.mul = nop.mul;
                }
                // Complex2 cannot remain once mul 0 is removed.
                if word.mul[0] == nop.mul[0] {
                    word.mul_op = nop.mul_op;
                }
            }
            Part::Complex => (word.complex_op, word.complex_src) = (nop.complex_op, nop.complex_src),
            Part::Pass => (word.pass_op, word.pass_src) = (nop.pass_op, nop.pass_src),
            Part::Store0 => word.store[0] = nop.store[0],
            Part::Store1 => word.store[1] = nop.store[1],
            Part::Branch => {
                (word.branch, word.branch_target, word.branch_target_lo) = (0, 0, nop.branch_target_lo);
                word.unknown_1 = 0;
            }
            Part::Load => word.load = nop.load,
            Part::Port0 => (word.port0, word.port0_attribute) = (0, 0),
            Part::Port1 => word.port1 = 0,
        }
        word
    }
}

/// Returns the program after an edit. `None` if the edit is out of range, changes nothing, leaves no instruction, makes the program too large to
/// decode, moves a branch target past the end, adds a hazard, or sets a facet value that needs an inserted word.
pub fn apply(program: &Program, edit: &Edit) -> Option<Program> {
    let edited = change(program, edit)?;
    if edited == *program {
        return None;
    }
    let hazards = hazard_count(&edited);
    (hazards == 0 || hazards <= hazard_count(program)).then_some(edited)
}

/// Applies an edit without the check for hazards.
fn change(program: &Program, edit: &Edit) -> Option<Program> {
    let len = program.words.len();
    let mut words;
    match *edit {
        Edit::Remove { at, count } => {
            let range = at as usize..(at as usize).checked_add(count as usize)?;
            let removed = program.words.get(range.clone())?;
            if removed.is_empty() || removed.len() == len {
                return None;
            }
            words = [&program.words[..range.start], &program.words[range.end..]].concat();
            // A branch into the removed range goes to the word after it.
            let moved = |target: usize| {
                if target < range.end { target.min(range.start) } else { target - range.len() }
            };
            shift_branch_targets(&mut words, len, moved)?;
        }
        Edit::Swap { at } => {
            let at = at as usize;
            if at.checked_add(2)? > len {
                return None;
            }
            words = program.words.clone();
            words.swap(at, at + 1);
        }
        Edit::Copy { from, at } => {
            let (word, at) = (*program.words.get(from as usize)?, at as usize);
            if at > len {
                return None;
            }
            words = program.words.clone();
            words.insert(at, word);
            // Branches to the word after the copy go to the copy first.
            shift_branch_targets(&mut words, len, |target| target + usize::from(target > at))?;
        }
        Edit::Field { at, field, value } => {
            let word = program.words.get(at as usize)?;
            let changed = if field == PART_FIELD {
                Part::ALL.get(usize::try_from(value).ok()?)?.remove(word)
            } else {
                word.with_field(*FieldId::ALL.get(usize::from(field))?, u16::try_from(value).ok()?)?
            };
            words = program.words.clone();
            words[at as usize] = changed;
        }
        Edit::Facet { at, unit, facet, value } => {
            let (made, _) = TABLE.set(program, Site { word: at, unit }, facet, value)?;
            // Setting a facet may insert words; such an edit is not a simplification.
            if made.words.len() != len {
                return None;
            }
            words = made.words;
        }
    }
    let mut edited = Program { words, tail: program.tail.clone(), facts: program.facts.clone() };
    // If the compiler's prefetch fact was right before, keep it right.
    if let Some(prefetch) = program.facts.prefetch
        && prefetch == last_attribute(program)
    {
        edited.facts.prefetch = Some(last_attribute(&edited));
    }
    (container::size(&edited) <= MAX_FILE_SIZE).then_some(edited)
}

/// Returns the index of the last word that reads an attribute, or 0.
fn last_attribute(program: &Program) -> u16 {
    exact::<u16, _>(program.words.iter().rposition(|w| w.port0_attribute != 0).unwrap_or(0))
}

/// Adjusts branch targets below `len`, the original number of words, to where the target words have moved. `None` if a target is past the end or
/// cannot be encoded.
fn shift_branch_targets(words: &mut [Word], len: usize, moved: impl Fn(usize) -> usize) -> Option<()> {
    let now = words.len();
    for word in words.iter_mut().filter(|w| w.branch != 0) {
        let target = word.target() as usize;
        if target < len {
            let target = moved(target);
            if target >= now {
                return None;
            }
            word.set_target(u32::try_from(target).ok()?)?;
        }
    }
    Some(())
}

/// Counts the hazards: results that do not exist, broken functions, and values read too early. The count is 0 if the program is too long to check.
fn hazard_count(program: &Program) -> usize {
    if program.words.len() > MAX_WORDS as usize {
        return 0;
    }
    let codes = Rule::BlockHistory.row().code..=Rule::EarlyAddress.row().code;
    let found = hazards(&program.words, program, &Options::new(OPTION_SPECS));
    found.iter().filter(|v| codes.contains(&v.code)).count()
}

/// Returns the edits worth trying, in an order that suits minimisation: removals of words from large to small, removals of parts from large to small,
/// then simpler fields, other operations, and edits that do not shrink the program. [`apply`] may still refuse some because of a hazard.
pub fn edits(program: &Program) -> Vec<Edit> {
    let len = program.words.len();
    let mut all = Vec::new();
    all.extend(aligned_runs(len).map(|run| Edit::Remove { at: exact(run.start), count: exact(run.len()) }));
    for part in Part::ALL {
        // Uses follow definitions, so removing from the end succeeds more often.
        all.extend(
            program
                .words
                .iter()
                .enumerate()
                .rev()
                .filter_map(|(at, word)| removal(word, exact::<u32, _>(at), part)),
        );
    }
    for (at, word) in program.words.iter().enumerate() {
        simplify(program, exact::<u32, _>(at), word, &mut all);
    }
    for at in 0..exact::<u32, _>(len) {
        all.extend(swap_and_copies(at, exact::<u32, _>(len)));
    }
    all
}

/// Returns the edit that removes a part of a word; `None` if the part equals that of the no-op.
fn removal(word: &Word, at: u32, part: Part) -> Option<Edit> {
    (part.remove(word) != *word).then_some(Edit::Field { at, field: PART_FIELD, value: part as u64 })
}

/// Returns the number of positions at which edits begin: one for each word.
pub fn positions(program: &Program) -> u32 {
    exact::<u32, _>(program.words.len())
}

/// The maximum number of edits at one position.
pub const MAX_EDITS: usize = 192;

/// Returns those of [`edits`] that begin at word `at`.
pub fn edits_at(program: &Program, at: u32) -> Vec<Edit> {
    let Some(word) = program.words.get(at as usize) else { return Vec::new() };
    let runs = aligned_runs_at(program.words.len(), at as usize);
    let mut all = Vec::with_capacity(MAX_EDITS);
    all.extend(runs.map(|run| Edit::Remove { at, count: exact(run.len()) }));
    all.extend(Part::ALL.into_iter().filter_map(|part| removal(word, at, part)));
    simplify(program, at, word, &mut all);
    all.extend(swap_and_copies(at, positions(program)));
    all
}

/// Adds edits to simpler fields, to simpler facet values, and to other operations of units that are in use.
fn simplify(program: &Program, at: u32, word: &Word, all: &mut Vec<Edit>) {
    let (fields, nop) = (word.fields(), Word::default().fields());
    let field = |id: FieldId, value: u16| {
        let edit = Edit::Field { at, field: id as u16, value: u64::from(value) };
        (fields[id as usize] != value).then_some(edit)
    };
    use FieldId::{AccOp, ComplexOp, MulOp, PassOp};
    all.extend(FieldId::ALL.into_iter().filter_map(|id| field(id, nop[id as usize])));
    all.extend(TABLE.simplifications(program, at));
    let used = |codes: &[u8]| codes.iter().any(|c| *c != UNUSED);
    let [m0, m1] = word.mul;
    let [a0, a1] = word.acc;
    for (unit, id, live) in [
        (Unit::Acc, AccOp, used(&[a0.a, a0.b, a1.a, a1.b])),
        (Unit::Mul, MulOp, used(&[m0.a, m0.b, m1.a, m1.b])),
        (Unit::Complex, ComplexOp, used(&[word.complex_src])),
        (Unit::Pass, PassOp, used(&[word.pass_src])),
    ] {
        let rows = opcode::TABLE.iter().filter(|row| live && row.unit == unit);
        all.extend(rows.filter_map(|row| field(id, u16::from(row.number))));
    }
}
