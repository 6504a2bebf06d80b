//! Runs the reference on sets, on every path of each group of lanes.

use super::widening::Widening;
use super::{EffectRanges, LaneRanges, PathRanges, Tolerances, is_limited};
use crate::case::Resolved;
use crate::judge::traced::word;
use lockstep_core::host::{Environment, RangeHost};
use lockstep_core::isa::registers::output;
use lockstep_core::isa::run::{LaneState, start, step};
use lockstep_core::isa::{Context, End, Isa, IsaId};
use lockstep_core::value::Domain;
use lockstep_core::value::range::{Ranges, paths};

/// The maximum number of paths of a group.
const MAX_PATHS: usize = 16;
/// The maximum number of steps of a group on all of its paths together.
const MAX_STEPS: usize = 4096;

/// Returns the paths of each group of lanes; `None` for a group that is undecided.
pub(super) fn groups<I: Isa>(
    tolerances: &Tolerances,
    resolved: &Resolved<I>,
) -> Vec<Option<Vec<PathRanges>>> {
    let cx = resolved.context();
    let widening = Widening::new(tolerances, cx);
    let mut env = Environment { lanes: Vec::new(), ..resolved.env.clone() };
    let groups = resolved.env.lanes.chunks(usize::from(I::group(&cx)));
    groups
        .map(|lanes| {
            env.lanes = lanes.to_vec();
            group(&widening, cx, &env)
        })
        .collect()
}

/// Returns the paths of the group that `env` contains; `None` if not all of them are known, or if one of them limits no result.
fn group<I: Isa>(
    widening: &Widening<'_, I>,
    cx: Context<'_, I>,
    env: &Environment,
) -> Option<Vec<PathRanges>> {
    let (mut all, mut steps) = (Vec::new(), MAX_STEPS);
    let is_complete = paths(MAX_PATHS, |d| {
        let path = path(d, widening, cx, env, &mut steps).filter(limits_results);
        let is_known = path.is_some();
        all.extend(path);
        is_known
    });
    is_complete.then_some(all)
}

/// Whether the sets of a path exclude any answer of a subject.
fn limits_results(path: &PathRanges) -> bool {
    let sets = |lane: &LaneRanges| {
        let effects = lane.effects.iter().flat_map(|effect| effect.values);
        lane.outputs.iter().copied().chain(effects).collect::<Vec<_>>()
    };
    path.iter().flat_map(sets).any(|set| is_limited(&set))
}

/// Runs a group along the path of `d`, which takes at most `steps` steps.
fn path<I: Isa>(
    d: &mut Ranges,
    widening: &Widening<'_, I>,
    cx: Context<'_, I>,
    env: &Environment,
    steps: &mut usize,
) -> Option<PathRanges> {
    let size = usize::from(I::group(&cx));
    let mut host = RangeHost::new(env, size);
    let mut lanes = start::<I, _, _>(d, &mut host, &cx, size, env.fuel);
    loop {
        let before: Vec<_> =
            lanes.iter().map(|lane| (I::position(&cx, &lane.lane), word::<I, _>(&cx, lane))).collect();
        let effects = host.effects().len();
        let Some(position) = step::<I, _, _>(d, &mut host, &cx, &mut lanes) else { break };
        *steps = steps.checked_sub(1)?;
        let stepped = before.into_iter().enumerate().filter(|(_, (at, _))| *at == Some(position));
        for (number, (_, word)) in stepped {
            let Some(word) = word.filter(|word| widening.has_tolerance(*word)) else { continue };
            let lane = &mut lanes[number];
            // The last word of Utgard GP also transforms the outputs, after it has computed its results.
            if I::ID == IsaId::UtgardGp && lane.end.is_some() && widening.is_inexact(word) {
                return None;
            }
            widening.widen_registers(d, word, &mut lane.lane)?;
            let own = host.effects_mut().iter_mut().skip(effects).filter(|(of, _)| *of == number);
            own.for_each(|(_, effect)| widening.widen_effect(d, word, effect));
        }
    }
    // Lanes beyond those of the environment only complete a group.
    let lanes = lanes.iter().enumerate().take(env.lanes.len());
    lanes.map(|(number, lane)| outcome(d, cx, env, &host, number, lane)).collect()
}

/// Returns the possible outcomes of a lane that has ended; `None` if it has not finished, or if it is unknown whether an effect happens.
fn outcome<I: Isa>(
    d: &Ranges,
    cx: Context<'_, I>,
    env: &Environment,
    host: &RangeHost<'_>,
    number: usize,
    lane: &LaneState<I::Lane<Ranges>>,
) -> Option<LaneRanges> {
    if lane.end != Some(End::Finished) {
        return None;
    }
    let own = host.effects().iter().filter(|(of, _)| *of == number);
    let effect = |(_, effect): &(usize, lockstep_core::host::Effect<Ranges>)| {
        effect.when.known().map(|_| EffectRanges {
            kind: effect.kind,
            index: effect.index,
            mask: effect.mask,
            values: effect.values.map(|value| value.range),
        })
    };
    let effects: Vec<EffectRanges> = own.map(effect).collect::<Option<_>>()?;
    if effects.len() as u64 > u64::from(env.effects) {
        return None;
    }
    let components = cx.entry.interface.components();
    let outputs = components.map(|(slot, c)| output(d, &cx, &lane.lane, slot)[usize::from(c)].range);
    Some(LaneRanges { killed: d.known_b(&I::killed(&lane.lane)), outputs: outputs.collect(), effects })
}
