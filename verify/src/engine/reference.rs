//! The reference as an engine.

use super::outcome::{LaneOutcome, Outcome};
use lockstep_core::host::{ConcreteHost, Environment};
use lockstep_core::isa::registers::output;
use lockstep_core::isa::run::{run, start};
use lockstep_core::isa::{Context, End, LaneState, Refinement};
use lockstep_core::value::{Concrete, FreedomSet};

/// Runs every lane on the reference and records which Freedoms the run touched.
pub fn reference<I: Refinement>(cx: &Context<'_, I>, env: &Environment) -> Outcome {
    reference_with::<I, true>(cx, env)
}

/// Runs every lane on the reference. Without `TRACK`, Freedoms are not recorded, which saves time.
pub fn reference_with<I: Refinement, const TRACK: bool>(cx: &Context<'_, I>, env: &Environment) -> Outcome {
    let group = usize::from(I::group(cx));
    let _span = tracing::debug_span!("reference", lanes = env.lanes.len()).entered();
    let mut lanes = Vec::with_capacity(env.lanes.len());
    let mut freedoms = FreedomSet::default();
    let mut d = Concrete;
    for base in (0..env.lanes.len()).step_by(group) {
        let mut host = ConcreteHost::<TRACK>::new(env, base);
        // Quads are always complete: lanes beyond the last one are helper lanes with zero inputs, and are not reported.
        let mut running = start::<I, _, _>(&d, &mut host, cx, group, env.fuel);
        run(&mut d, &mut host, cx, &mut running);
        for (l, lane) in running.iter().enumerate().take(env.lanes.len() - base) {
            lanes.push(lane_outcome::<I, TRACK>(cx, lane, &host, l));
        }
        freedoms = freedoms.union(host.freedoms());
    }
    Outcome { lanes, freedoms }
}

/// Returns the outcome of a lane that has ended. `number` is the lane's number in its group, from 0.
pub(crate) fn lane_outcome<I: Refinement, const TRACK: bool>(
    cx: &Context<'_, I>,
    lane: &LaneState<I::Lane<Concrete>>,
    host: &ConcreteHost<'_, TRACK>,
    number: usize,
) -> LaneOutcome {
    let components = cx.entry.interface.components();
    let outputs = components.map(|(slot, c)| output(&Concrete, cx, &lane.lane, slot)[usize::from(c)]);
    let end = lane.end.unwrap_or(End::Hung);
    LaneOutcome {
        end: if end == End::Finished && host.overflowed(number) { End::EffectsFull } else { end },
        killed: I::killed(&lane.lane),
        outputs: outputs.collect(),
        effects: host.records(number).to_vec(),
    }
}
