//! Widens the results of instructions by their tolerances.

use super::Tolerances;
use crate::coverage::{DirectEffects, direct_effects};
use crate::judge::numbers::Numbers;
use lockstep_core::host::Effect;
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::isa::{CONTROL, Context, CoverPoint, EFFECTS, Isa, KILLED};
use lockstep_core::value::range::{Ranged, Ranges};
use std::collections::BTreeMap;

/// The tolerances of the results of a program's instructions.
pub(super) struct Widening<'a, I: Isa> {
    cx: Context<'a, I>,
    general: Numbers,
    /// For each instruction with an inexact opcode, the coverage points of its inexact units with their tolerances.
    inexact_units: BTreeMap<u32, Vec<(CoverPoint, Numbers)>>,
    direct_effects: BTreeMap<u32, DirectEffects>,
}

impl<'a, I: Isa> Widening<'a, I> {
    pub(super) fn new(tolerances: &Tolerances, cx: Context<'a, I>) -> Widening<'a, I> {
        let points_of = I::cover_points(cx.program);
        let inexact = |word: u32| -> Vec<(CoverPoint, Numbers)> {
            let tolerance = |point: CoverPoint| Some((tolerances.inexact.get(point.opcode).copied()?, point));
            let units = points_of(word).into_iter().filter_map(tolerance);
            units.map(|(numbers, point)| (point, tolerances.general.wider(&numbers))).collect()
        };
        let words = (0..I::instruction_count(&cx)).map(|word| (word, inexact(word)));
        Widening {
            cx,
            general: tolerances.general,
            inexact_units: words.filter(|(_, units)| !units.is_empty()).collect(),
            direct_effects: direct_effects(&cx),
        }
    }

    /// Whether an instruction has an inexact opcode.
    pub(super) fn is_inexact(&self, word: u32) -> bool {
        self.inexact_units.contains_key(&word)
    }

    /// Whether an instruction's results may differ from the reference's.
    pub(super) fn has_tolerance(&self, word: u32) -> bool {
        self.is_inexact(word) || self.general != Numbers::default()
    }

    /// Widens the registers that an instruction has just written. Returns `None` if its effects are unknown, or if it is inexact and writes anything
    /// but floats.
    pub(super) fn widen_registers(&self, d: &Ranges, word: u32, lane: &mut I::Lane<Ranges>) -> Option<()> {
        let effects = self.direct_effects.get(&word)?;
        let is_inexact = self.is_inexact(word);
        if is_inexact && (effects.writes.contains(&KILLED) || self.selects_next(word, effects)) {
            return None;
        }
        for (key, value) in I::state(d, &self.cx, lane) {
            if !effects.writes.contains(&key) && !effects.stores.contains(&key.file) {
                continue;
            }
            match value {
                Scalar::F(value) => {
                    let value = self.widened(d, word, key, value);
                    I::set_state(&self.cx, lane, key, Scalar::F(value));
                }
                _ if is_inexact => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// Whether the results of an instruction's inexact units may select the next one. Lowered instructions that also write a register select none;
    /// they may only be at the end of a block.
    fn selects_next(&self, word: u32, effects: &DirectEffects) -> bool {
        let is_declared = I::direct_effects(self.cx.program, word).is_some();
        let mut units = self.inexact_units.get(&word).into_iter().flatten();
        effects.writes.contains(&CONTROL)
            && units.any(|(point, _)| I::unit_writes(self.cx.program, word, point, CONTROL))
            && (is_declared || effects.writes.len() == 1 && effects.stores.is_empty())
    }

    /// Widens the values of an effect of an instruction.
    pub(super) fn widen_effect(&self, d: &Ranges, word: u32, effect: &mut Effect<Ranges>) {
        for (component, value) in (0..).zip(&mut effect.values) {
            let key = VarKey { file: EFFECTS, index: effect.index, component };
            *value = self.widened(d, word, key, *value);
        }
    }

    /// Returns a value that `word` has written to `key` as a new value within the tolerance. Without a tolerance it is the same value.
    fn widened(&self, d: &Ranges, word: u32, key: VarKey, value: Ranged) -> Ranged {
        let units = self.inexact_units.get(&word).into_iter().flatten();
        let writers = units.filter(|(point, _)| I::unit_writes(self.cx.program, word, point, key));
        let numbers = writers.fold(self.general, |all, (_, numbers)| all.wider(numbers));
        if numbers == Numbers::default() { value } else { d.new_value(numbers.widen(&value.range)) }
    }
}
