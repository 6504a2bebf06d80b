//! What an instruction does, as far as its lowering says.

use lockstep_core::ir::explore::PC_FILE;
use lockstep_core::ir::{self, BlockId, Mode, Op, VarKey, fallback_word};
use lockstep_core::isa::{CONTROL, Context, EFFECTS, Isa, KILLED};
use std::collections::{BTreeMap, BTreeSet};

/// What an instruction does.
#[derive(Clone, Debug, Default)]
pub(super) struct Doing {
    /// What it writes: variables, the components of effects, the kill mark, and where control goes, if that is not always on or nothing
    /// else is written.
    pub(super) writes: BTreeSet<VarKey>,
    /// The files of arrays into which it stores.
    pub(super) stores: BTreeSet<u8>,
}

/// What each instruction does: by its own account, or from the lowering that has a block for each.
pub(super) fn doing<I: Isa>(cx: &Context<'_, I>) -> BTreeMap<u32, Doing> {
    let mut all = BTreeMap::<u32, Doing>::new();
    for word in 0..I::words(cx) {
        if let Some(keys) = I::doing(cx.program, word) {
            all.insert(word, Doing { writes: keys.into_iter().collect(), stores: BTreeSet::new() });
        }
    }
    if !all.is_empty() {
        return all;
    }
    let Ok(program) = ir::lower(cx, Mode::Fallback) else { return all };
    for block in (0..program.blocks.len() as u32).map(BlockId) {
        let Some(word) = fallback_word(&program, block) else { continue };
        let doing = all.entry(word).or_default();
        let mut goes_on = false;
        for inst in program.block(block) {
            match inst.op {
                Op::Write(var) if program.var(var).key.file == PC_FILE => {
                    let target = program.args(inst)[0];
                    let on =
                        |other: &ir::Inst| other.result == target && other.op == Op::I32(word as i32 + 1);
                    goes_on = program.block(block).iter().any(on);
                }
                Op::Write(var) => {
                    doing.writes.insert(program.var(var).key);
                }
                Op::Store(array) => {
                    doing.stores.extend(program.arrays.get(array.0 as usize).map(|array| array.file));
                }
                Op::Kill => {
                    doing.writes.insert(KILLED);
                }
                Op::Effect { index, mask, .. } => doing.writes.extend(effect_keys(index, mask)),
                _ => {}
            }
        }
        if !goes_on || (doing.writes.is_empty() && doing.stores.is_empty()) {
            doing.writes.insert(CONTROL);
        }
    }
    all
}

/// The keys of an effect: of its components, or of the first where none counts.
pub(super) fn effect_keys(index: u16, mask: u8) -> impl Iterator<Item = VarKey> {
    let mask = if mask == 0 { 1 } else { mask };
    (0..4u8).filter(move |c| mask >> c & 1 == 1).map(move |component| VarKey {
        file: EFFECTS,
        index,
        component,
    })
}
