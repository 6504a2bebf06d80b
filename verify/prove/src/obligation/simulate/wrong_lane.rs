//! Corrupted lanes in step simulation: see [`crate::obligation::wrong_lane`].

use super::{ReferenceRun, Simulation};
use crate::claims::ClaimBuilder;
use crate::obligation::wrong_lane::{
    STOPS, corrupted_lane, find_undetected_output, has_claim_about, unrelated_value,
};
use crate::term::Terms;
use lockstep_core::ir::eval::{self, Stop};
use lockstep_core::ir::{self, BlockId, VarKey};
use lockstep_core::isa::{KILLED, LaneState, Refinement, Syntax};

impl<I: Syntax + Refinement> Simulation<'_, I> {
    /// Describes a corruption of the initial state for which no claim fails; `None` if a claim fails for each corruption.
    pub(super) fn find_undetected_at_start(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        first: &LaneState<I::Lane<Terms>>,
        after: &eval::Lane<Terms>,
    ) -> Option<String> {
        let cx = self.cx;
        let claims_of = |simulation: &mut Self, lane: &eval::Lane<Terms>| {
            let mut claims = ClaimBuilder::listing();
            simulation.compare_start(d, program, first, lane, &mut claims);
            claims
        };
        for at in self.wrong_blocks(after.next_block) {
            let claims = claims_of(self, &eval::Lane { next_block: at, ..after.clone() });
            if !has_claim_about(&claims, "the first instruction", None) {
                return Some(format!("block {} in its place", at.0));
            }
        }
        for stop in STOPS.into_iter().filter(|stop| *stop != after.stop) {
            let claims = claims_of(self, &eval::Lane { stop, ..after.clone() });
            if !has_claim_about(&claims, "the first instruction", None) {
                return Some(format!("a lane with {stop:?}"));
            }
        }
        let claims = claims_of(self, &eval::Lane { fuel: after.fuel + 1, ..after.clone() });
        if !has_claim_about(&claims, "first value of fuel", None) {
            return Some("wrong fuel".to_owned());
        }
        let wrong = corrupted_lane::<I>(&mut self.registers, d, program, after);
        let claims = claims_of(self, &wrong);
        let killed = unrelated_value::<I>(&mut self.registers, d, KILLED);
        if !has_claim_about(&claims, "first value of killed", Some(killed)) {
            return Some("a wrong kill mark".to_owned());
        }
        let (control, _) = self.leaders.get(&after.next_block).cloned()?;
        let (_, mut due) = self.registers.lane_with_keys(d, &cx, &control, 0);
        due.extend(I::state(d, &cx, &first.lane).into_iter().map(|(key, _)| key));
        due.retain(|key| self.storage.contains_key(key));
        self.find_unclaimed(d, &claims, &due, "first value of ")
    }

    /// Describes a corruption of a lane after a step for which no claim fails; `None` if a claim fails for each corruption.
    pub(super) fn find_undetected(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        l: usize,
        block: BlockId,
        ran: &ReferenceRun<I>,
        after: &eval::Lane<Terms>,
    ) -> Option<String> {
        let cx = self.cx;
        let claims_of = |simulation: &mut Self, lane: &eval::Lane<Terms>| {
            let mut claims = ClaimBuilder::listing();
            simulation.compare(d, program, l, block, ran, lane, &mut claims);
            claims
        };
        let next = format!("lane {l}: the next instruction");
        if has_claim_about(&claims_of(self, after), &next, None) {
            // The claim about the next instruction fails already for the unchanged lane.
            return None;
        }
        for stop in STOPS.into_iter().filter(|stop| *stop != after.stop) {
            if !has_claim_about(&claims_of(self, &eval::Lane { stop, ..after.clone() }), &next, None) {
                return Some(format!("a lane with {stop:?}"));
            }
        }
        if after.stop.is_none() {
            for at in self.wrong_blocks(after.next_block) {
                if !has_claim_about(
                    &claims_of(self, &eval::Lane { next_block: at, ..after.clone() }),
                    &next,
                    None,
                ) {
                    return Some(format!("block {} in its place", at.0));
                }
            }
        }
        if matches!(after.stop, Some(Stop::OutOfFuel | Stop::Hung)) {
            return None;
        }
        let claims = claims_of(self, &eval::Lane { fuel: after.fuel + 1, ..after.clone() });
        if !has_claim_about(&claims, &format!("lane {l}: fuel"), None) {
            return Some("wrong fuel".to_owned());
        }
        let wrong = corrupted_lane::<I>(&mut self.registers, d, program, after);
        let claims = claims_of(self, &wrong);
        let killed = unrelated_value::<I>(&mut self.registers, d, KILLED);
        if !has_claim_about(&claims, &format!("lane {l}: killed"), Some(killed)) {
            return Some("a wrong kill mark".to_owned());
        }
        if after.stop.is_some() {
            return find_undetected_output::<I>(&claims, program, cx.entry, l, &wrong);
        }
        let (control, _) = self.leaders.get(&after.next_block).cloned()?;
        let mut due = self.registers.lane_with_keys(d, &cx, &control, 0).1;
        due.retain(|key| self.storage.contains_key(key));
        self.find_unclaimed(d, &claims, &due, &format!("lane {l}: "))
    }

    /// Returns a block that starts with a node at a different position, and a block number that does not exist.
    fn wrong_blocks(&self, block: BlockId) -> Vec<BlockId> {
        let position_of =
            |at: &BlockId| self.leaders.get(at).map(|(control, _)| I::control_position(control));
        let here = position_of(&block);
        let other = self.order.iter().copied().find(|other| position_of(other) != here);
        other.into_iter().chain([BlockId(u32::MAX)]).collect()
    }

    /// Describes a wrong value of a register in `due` that no claim detects; `None` if claims detect all of them.
    fn find_unclaimed(
        &mut self,
        d: &Terms,
        claims: &ClaimBuilder,
        due: &[VarKey],
        prefix: &str,
    ) -> Option<String> {
        due.iter().find_map(|key| {
            let value = unrelated_value::<I>(&mut self.registers, d, *key);
            let name = format!("{prefix}{}", I::var_name(self.cx.entry, *key));
            (!has_claim_about(claims, &name, Some(value))).then(|| format!("a wrong {name}"))
        })
    }
}
