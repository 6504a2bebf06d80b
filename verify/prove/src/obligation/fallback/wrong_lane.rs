//! Corrupted lanes after words of the fallback: see [`crate::obligation::wrong_lane`].

use super::{Fallback, LaneBefore};
use crate::claims::ClaimBuilder;
use crate::host::SymbolicHost;
use crate::obligation::FIRST_DRAWS;
use crate::obligation::wrong_lane::{
    STOPS, corrupted_lane, find_undetected_output, has_claim_about, unrelated_value,
};
use crate::term::Terms;
use lockstep_core::ir::eval::{self, Stop};
use lockstep_core::ir::{self, BlockId, Op, Var};
use lockstep_core::isa::{End, KILLED, LaneState, Refinement, Syntax};

impl<I: Syntax + Refinement> Fallback<'_, '_, '_, I> {
    /// Describes a corruption of the initial state for which no claim fails; `None` if a claim fails for each corruption.
    pub(super) fn find_undetected_at_start(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        first: &LaneState<I::Lane<Terms>>,
        control: &I::ControlState,
        after: &eval::Lane<Terms>,
    ) -> Option<String> {
        let cx = self.cx;
        let claims_of = |fallback: &mut Self, lane: &eval::Lane<Terms>| {
            let mut claims = ClaimBuilder::listing();
            fallback.claim_initial_state(d, first, control, lane, &mut claims);
            claims
        };
        let claims = claims_of(self, &eval::Lane { stop: Some(Stop::Finished), ..after.clone() });
        if !has_claim_about(&claims, "the lane continues", None) {
            return Some("a lane that has ended".to_owned());
        }
        let claims = claims_of(self, &eval::Lane { fuel: after.fuel + 1, ..after.clone() });
        if !has_claim_about(&claims, "first value of fuel", None) {
            return Some("wrong fuel".to_owned());
        }
        let wrong = corrupted_lane::<I>(self.registers, d, program, after);
        let claims = claims_of(self, &wrong);
        let number = unrelated_value::<I>(self.registers, d, program.vars[self.pc].key);
        let killed = unrelated_value::<I>(self.registers, d, KILLED);
        for (name, value) in [("the first word", number), ("first value of killed", killed)] {
            if !has_claim_about(&claims, name, Some(value)) {
                return Some(format!("a wrong value: {name}"));
            }
        }
        let (lane, mut due) = self.registers.lane_with_keys(d, &cx, control, 0);
        let encoded = I::fallback_state(d, &mut SymbolicHost::default(), &cx, control, &lane, 0);
        due.extend(encoded.into_iter().map(|(key, _)| key));
        due.retain(|key| self.storage.contains_key(key));
        due.into_iter().find_map(|key| {
            let value = unrelated_value::<I>(self.registers, d, key);
            let name = format!("first value of {}", I::var_name(cx.entry, key));
            (!has_claim_about(&claims, &name, Some(value))).then(|| format!("a wrong {name}"))
        })
    }

    /// Describes a corruption of a lane after a word for which no claim fails; `None` if a claim fails for each corruption.
    pub(super) fn find_undetected(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        l: usize,
        before: &LaneBefore,
        reference: &LaneState<I::Lane<Terms>>,
        after: &eval::Lane<Terms>,
    ) -> Option<String> {
        let cx = self.cx;
        let claims_of = |fallback: &mut Self, lane: &eval::Lane<Terms>| {
            let mut claims = ClaimBuilder::listing();
            fallback.compare(d, program, l, before, reference, lane, &mut claims);
            claims
        };
        let about = |what: &str| format!("lane {l}: {what}");
        let (ends, done) = (about("how it ends"), about("the word is done"));
        let next = about("the next word");
        let as_it_is = claims_of(self, after);
        if [&ends, &done, &next].iter().any(|name| has_claim_about(&as_it_is, name, None)) {
            // A claim about the end or the next word fails already for the unchanged lane.
            return None;
        }
        let control = I::control(&cx, &reference.lane);
        let end = match (reference.end, &control) {
            (Some(End::OutOfFuel), _) => Some(Stop::OutOfFuel),
            (Some(End::Hung), _) => Some(Stop::Hung),
            (Some(_), _) | (None, None) => Some(Stop::Finished),
            (None, Some(_)) => None,
        };
        for stop in STOPS.into_iter().filter(|stop| stop.is_some() && *stop != end) {
            if !has_claim_about(&claims_of(self, &eval::Lane { stop, ..after.clone() }), &ends, None) {
                return Some(format!("a lane with {stop:?}"));
            }
        }
        let wrong = corrupted_lane::<I>(self.registers, d, program, after);
        let claims = claims_of(self, &wrong);
        if after.stop.is_none() {
            let at = BlockId(u32::MAX);
            if !has_claim_about(
                &claims_of(self, &eval::Lane { next_block: at, ..after.clone() }),
                &done,
                None,
            ) {
                return Some("a block other than the one that dispatches".to_owned());
            }
            let key = program.vars[self.pc].key;
            let number = unrelated_value::<I>(self.registers, d, key);
            if !has_claim_about(&claims, &next, Some(number)) {
                return Some("a wrong next word".to_owned());
            }
        }
        if matches!(end, Some(Stop::OutOfFuel | Stop::Hung)) {
            return None;
        }
        if !has_claim_about(
            &claims_of(self, &eval::Lane { fuel: after.fuel + 1, ..after.clone() }),
            &about("fuel"),
            None,
        ) {
            return Some("wrong fuel".to_owned());
        }
        let killed = unrelated_value::<I>(self.registers, d, KILLED);
        if !has_claim_about(&claims, &about("killed"), Some(killed)) {
            return Some("a wrong kill mark".to_owned());
        }
        let Some(control) = control.filter(|_| end.is_none()) else {
            return find_undetected_output::<I>(&claims, program, cx.entry, l, &wrong);
        };
        if self.invariant.remove(&control) {
            let claims = claims_of(self, after);
            self.invariant.insert(control.clone());
            if !has_claim_about(&claims, &about("the control state is in the invariant"), None) {
                return Some("a control state outside the invariant".to_owned());
            }
        }
        // The registers of the next word's lane for which the fallback has a variable, and its control state.
        let (lane, mut due) = self.registers.lane_with_keys(d, &cx, &control, 0);
        let encoded = I::fallback_state(d, &mut SymbolicHost::default(), &cx, &control, &lane, 0);
        due.extend(encoded.into_iter().map(|(key, _)| key));
        due.retain(|key| self.storage.contains_key(key));
        due.into_iter().find_map(|key| {
            let value = unrelated_value::<I>(self.registers, d, key);
            let name = I::var_name(cx.entry, key);
            (!has_claim_about(&claims, &about(&name), Some(value)))
                .then(|| format!("a wrong value of {name}"))
        })
    }

    /// Returns the name of a mutant that evaluation refutes and in which a write of the word is dropped, so that the variable keeps its old value.
    /// `None` if there is none among the last writes to [`MAX_DROPS`] variables.
    #[allow(clippy::too_many_arguments)] // two machines, before and after
    pub(super) fn find_detected_drop(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        block: Option<BlockId>,
        l: usize,
        before: &LaneBefore,
        reference: &LaneState<I::Lane<Terms>>,
        after: &mut eval::Lane<Terms>,
    ) -> Option<String> {
        let block = block?;
        let first = program.blocks.get(block.0 as usize)?.insts.start as usize;
        let mut seen: Vec<usize> = Vec::new();
        // Of several writes to a variable only the last is visible after the word.
        for (at, inst) in program.block(block).iter().enumerate().rev() {
            let Op::Write(Var(var)) = inst.op else { continue };
            let var = var as usize;
            if seen.contains(&var) || seen.len() >= MAX_DROPS {
                continue;
            }
            seen.push(var);
            let Some(old) = before.vars.get(var) else { continue };
            let new = std::mem::replace(&mut after.vars[var], old.clone());
            let mut claims = ClaimBuilder::default();
            self.compare(d, program, l, before, reference, after, &mut claims);
            after.vars[var] = new;
            if claims.is_refuted(d, &self.boundaries, 0..FIRST_DRAWS) {
                return Some(format!("%{} {:?}: dropped", first + at, inst.op));
            }
        }
        None
    }
}

/// The maximum number of writes of a word that are dropped to find one whose loss is detected.
const MAX_DROPS: usize = 6;
