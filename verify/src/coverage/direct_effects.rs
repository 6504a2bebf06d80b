//! The direct effects of an instruction: what it writes and stores, as the instruction set declares it or else according to its lowering.

use lockstep_core::ir::{self, BlockId, Op, VarKey};
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::PC_FILE;
use lockstep_core::isa::lowering::{Mode, fallback_word};
use lockstep_core::isa::{CONTROL, Context, EFFECTS, KILLED, Refinement};
use std::collections::{BTreeMap, BTreeSet};

/// The direct effects of an instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct DirectEffects {
    /// The keys that the instruction writes: variables, components of effects and the kill mark. Control flow is included if execution does not
    /// always continue with the next instruction, or if nothing else is written or stored.
    pub(crate) writes: BTreeSet<VarKey>,
    /// The register files of the arrays to which the instruction stores.
    pub(crate) stores: BTreeSet<u8>,
}

/// Returns the direct effects of each instruction: as the instruction set declares them, or else from the lowering with one block for each
/// instruction.
pub(crate) fn direct_effects<I: Refinement>(cx: &Context<'_, I>) -> BTreeMap<u32, DirectEffects> {
    let mut all = BTreeMap::<u32, DirectEffects>::new();
    for word in 0..I::instruction_count(cx) {
        if let Some(keys) = I::direct_effects(cx.program, word) {
            all.insert(word, DirectEffects { writes: keys.into_iter().collect(), stores: BTreeSet::new() });
        }
    }
    if !all.is_empty() {
        return all;
    }
    let Ok(program) = lowering::lower_validated(cx, Mode::Fallback) else { return all };
    for block in (0..program.blocks.len() as u32).map(BlockId) {
        let Some(word) = fallback_word(&program, block) else { continue };
        let direct_effects = all.entry(word).or_default();
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
                    direct_effects.writes.insert(program.var(var).key);
                }
                Op::Store(array) => {
                    direct_effects
                        .stores
                        .extend(program.arrays.get(array.0 as usize).map(|array| array.file));
                }
                Op::Kill => {
                    direct_effects.writes.insert(KILLED);
                }
                Op::Effect { index, mask, .. } => direct_effects.writes.extend(effect_keys(index, mask)),
                _ => {}
            }
        }
        if !goes_on || (direct_effects.writes.is_empty() && direct_effects.stores.is_empty()) {
            direct_effects.writes.insert(CONTROL);
        }
    }
    all
}

/// Returns the keys of an effect: one for each of its components, or the key of the first component if it has none.
pub(super) fn effect_keys(index: u16, mask: u8) -> impl Iterator<Item = VarKey> {
    let mask = if mask == 0 { 1 } else { mask };
    (0..4u8).filter(move |c| mask >> c & 1 == 1).map(move |component| VarKey {
        file: EFFECTS,
        index,
        component,
    })
}
