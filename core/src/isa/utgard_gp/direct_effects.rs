//! The direct effects of a word: for each unit, the state keys that it writes, as seen right after the word.
//!
//! The lowering's variables cannot be used for this: in every word, older results age and pending stores arrive, which are not effects of that
//! word.

use super::opcode::{Op, ResultKind, Row, Shape, TABLE};
use super::program::{Program, Target, Word};
use super::source::{ResultOf, StoreSource};
use super::variables::{File, result};
use super::vocabulary::{BRANCH, StoreKind};
use crate::ir::VarKey;
use crate::isa::{CONTROL, CoverPoint};

/// Returns, for each component, the unit whose result is stored and the target of the store; `None` if no result is stored.
fn stored(word: &Word) -> [Option<(ResultOf, Target)>; 4] {
    std::array::from_fn(|c| {
        let store = word.store[c / 2];
        match store.stored()[c % 2] {
            StoreSource::Result(of) => Some((of, store.target())),
            _ => None,
        }
    })
}

/// Whether a unit produces a stage of a complex function whose numeric value is never read: complex1 in the next word represents the whole function
/// and takes the number from its last operand. The only effect of such a unit is that the next word's complex1 is valid.
fn is_stage(word: &Word, of: ResultOf) -> bool {
    let op = word.result_op(of);
    op.is_some_and(|op| op.row().result_kind == ResultKind::Stage && op != Op::Preexp2)
}

/// Returns the state keys that a word writes directly.
pub(super) fn keys(program: &Program, at: u32) -> Vec<VarKey> {
    let Some(word) = program.words.get(at as usize) else { return Vec::new() };
    let mut all: Vec<VarKey> = ResultOf::ALL
        .into_iter()
        .filter(|of| word.result_op(*of).is_some())
        .map(|of| result(of, 1))
        .collect();
    for (c, stored) in stored(word).into_iter().enumerate() {
        match stored {
            Some((_, Target::Varying(n))) => all.push(File::Varying.key(usize::from(n & 15), c)),
            Some((_, Target::Register(_))) => all.push(File::PendingStore.key(0, c)),
            Some((_, Target::Temporary)) => {
                all.extend([File::PendingStore.key(0, c), File::PendingSlot.key(0, 0)]);
            }
            _ => {}
        }
    }
    if let Some(set) = word.address_set() {
        all.extend(set.zero.then(|| File::Address.key(0, 0)));
        all.extend(set.later.map(|_| File::PendingSlot.key(0, 1)));
    }
    if word.branch != 0 || all.is_empty() || ResultOf::ALL.into_iter().any(|of| is_stage(word, of)) {
        all.push(CONTROL);
    }
    all
}

/// Whether unit `of` can be the unit that a coverage point describes.
fn is_of(point: &CoverPoint, of: ResultOf) -> bool {
    let Some(row) = row(point) else { return false };
    let unit = point.modifier.strip_prefix("unit=");
    let is = |other: ResultOf| unit == Some(other.value());
    row.unit == of.unit()
        && match of {
            ResultOf::Acc0 => !is(ResultOf::Acc1),
            ResultOf::Acc1 => !is(ResultOf::Acc0),
            ResultOf::Mul0 => unit.is_none() || is(of),
            ResultOf::Mul1 => row.op == Op::Mul && !is(ResultOf::Mul0),
            ResultOf::Pass | ResultOf::Complex => true,
        }
}

/// Returns the table row of a coverage point's operation; `None` if the point describes a store or a branch.
fn row(point: &CoverPoint) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.qualified == point.opcode)
}

/// Whether the unit that a coverage point describes writes `key`.
pub(super) fn is_effect_of(program: &Program, at: u32, point: &CoverPoint, key: VarKey) -> bool {
    let Some(word) = program.words.get(at as usize) else { return false };
    let is = |file: File| key.file == file as u8;
    if key == CONTROL {
        let stage = |of| {
            is_stage(word, of) && word.result_op(of).is_some_and(|op| op.row().qualified == point.opcode)
        };
        let branch = word.branch != 0 && (point.opcode == BRANCH || is_of(point, ResultOf::Pass));
        return branch || ResultOf::ALL.into_iter().any(stage);
    }
    if is(File::Result) {
        return ResultOf::ALL.into_iter().any(|of| result(of, 1) == key && is_of(point, of));
    }
    if is(File::Varying) || is(File::PendingStore) {
        return stored(word)[usize::from(key.component & 3)].is_some_and(|(of, target)| {
            let stores = target.kind().unwrap_or(StoreKind::Temporary);
            point.opcode == stores.opcode() || is_of(point, of)
        });
    }
    let sets = row(point).is_some_and(|row| matches!(row.shape, Shape::Address | Shape::FromPass));
    let slot = is(File::PendingSlot) && key.component == 0;
    sets || (slot && point.opcode == StoreKind::Temporary.opcode())
}
