//! Checks that claims can fail. After a block has run on random values, the end, the fuel, the kill mark, the variables and the array elements of the
//! lowered program's lane are corrupted, and effects are removed. Some claim about each of them must fail. The required claims are determined from
//! the declarations and from the registers of the next node's lane.

use super::{Claim, Pair, Part, Run, Subject, same_effects};
use crate::independent::replay::RandomSource;
use lockstep_core::ir;
use lockstep_core::ir::eval::{self, Scalar, Stop};
use lockstep_core::isa::lowering::Nodes;
use lockstep_core::isa::{Refinement, Syntax};
use lockstep_core::value::Concrete;
use std::cell::RefCell;

/// The number of random samples on which a block is run: lanes branch differently on some of them.
const DRAWS: u64 = 4;

/// Every value of a lane's `stop`, including none.
const STOPS: [Option<Stop>; 4] = [None, Some(Stop::Finished), Some(Stop::OutOfFuel), Some(Stop::Hung)];

/// Returns a number that differs from `value`.
fn different_number(value: f32) -> f32 {
    if value == 1.0 { 2.0 } else { 1.0 }
}

impl<I: Syntax + Refinement> Pair<'_, I> {
    /// Describes a part that `parts` lack (the initial state or a block), or a corrupted field of a lane for which no claim fails; `None` if there is
    /// neither.
    pub fn find_unclaimed(
        &self,
        program: &ir::Program,
        nodes: &Nodes<I::ControlState>,
        parts: &[Part],
    ) -> Option<String> {
        let group = usize::from(program.group.max(1));
        let whole = (1u8 << group) - 1;
        if !parts.contains(&Part::Start) {
            return Some("the initial state".to_owned());
        }
        for (block, _) in nodes {
            let of_block = |wanted: &dyn Fn(u8) -> bool| {
                parts.iter().any(|part| {
                    matches!(part, Part::Block { block: b, lanes, active } if b == block && *lanes == group && wanted(*active))
                })
            };
            if !of_block(&|active| active == whole) || group > 1 && !of_block(&|active| active != whole) {
                return Some(format!("block {}, run by all lanes and by some of them", block.0));
            }
        }
        parts.iter().find_map(|part| {
            let Part::Block { block, lanes, active } = *part else { return None };
            (0..DRAWS).find_map(|draw| {
                let what = self.find_unclaimed_after(program, &RandomSource(draw), part)?;
                Some(format!("block {}, {active:b} of {lanes} lanes: no claim fails for {what}", block.0))
            })
        })
    }

    /// Describes a corrupted field of a lane after a block for which no claim fails; `None` if a claim fails for each field.
    fn find_unclaimed_after(
        &self,
        program: &ir::Program,
        drawn: &RandomSource,
        part: &Part,
    ) -> Option<String> {
        let Part::Block { block, lanes, active } = *part else { return None };
        let mut run =
            Run { pair: self, source: drawn, program, before: RefCell::default(), claims: Vec::new() };
        let d = &mut Concrete;
        let both = run.run_both(d, block, lanes, active)?;
        for l in 0..lanes {
            let (reference, after) = (&both.group[l], &both.after[l]);
            let mut claims_of = |lane: &eval::Lane<Concrete>| -> Vec<Claim<Concrete>> {
                run.claims.clear();
                run.compare(&Concrete, l, both.control, reference, lane);
                std::mem::take(&mut run.claims)
            };
            let fails =
                |claims: &[Claim<Concrete>], of: Subject| claims.iter().any(|c| c.subject == of && !c.holds);
            if claims_of(after).iter().any(|claim| claim.subject == Subject::Next && !claim.holds) {
                // The claim about the next instruction fails already for the unchanged lane.
                continue;
            }
            for stop in STOPS.into_iter().filter(|stop| *stop != after.stop) {
                if !fails(&claims_of(&eval::Lane { stop, ..after.clone() }), Subject::Next) {
                    return Some(format!("lane {l} with {stop:?}"));
                }
            }
            if matches!(after.stop, Some(Stop::OutOfFuel | Stop::Hung)) {
                continue;
            }
            if !fails(&claims_of(&eval::Lane { fuel: after.fuel + 1, ..after.clone() }), Subject::Fuel) {
                return Some("wrong fuel".to_owned());
            }
            let mut wrong = after.clone();
            wrong.killed = !wrong.killed;
            for value in &mut wrong.vars {
                *value = match value {
                    Scalar::F(v) => Scalar::F(different_number(*v)),
                    Scalar::I(v) => Scalar::I(*v ^ 1),
                    Scalar::B(v) => Scalar::B(!*v),
                };
            }
            wrong.arrays.iter_mut().flatten().for_each(|value| *value = different_number(*value));
            let claims = claims_of(&wrong);
            if !fails(&claims, Subject::Killed) {
                return Some("a wrong kill mark".to_owned());
            }
            let next = if after.stop.is_none() {
                self.leaders.get(&after.next_block).map(|(next, _)| next)
            } else {
                None
            };
            let state = I::state(&Concrete, &self.cx, &reference.lane);
            let is_due = |key| {
                state.iter().any(|(k, _)| *k == key) || next.is_some_and(|next| self.depends_on(next, key))
            };
            let arrays = program.arrays.iter().flat_map(|decl| (0..decl.len as usize).map(|n| decl.key(n)));
            for key in program.vars.iter().map(|decl| decl.key).chain(arrays) {
                if !fails(&claims, Subject::Register(key)) && is_due(key) {
                    return Some(format!("a wrong value of {}", self.name(Subject::Register(key))));
                }
            }
            if after.stop.is_some() {
                for (number, _) in &program.outputs {
                    if !fails(&claims, Subject::Output(*number)) {
                        return Some(format!("a wrong {}", self.name(Subject::Output(*number))));
                    }
                }
            }
            for k in (0..both.lowered_effects[l].len()).filter(|k| both.lowered_effects[l][*k].when) {
                let mut without = both.lowered_effects[l].clone();
                without.remove(k);
                if same_effects(&Concrete, &both.reference_effects[l], &without) {
                    return Some(format!("a missing effect {k}"));
                }
            }
        }
        None
    }
}
