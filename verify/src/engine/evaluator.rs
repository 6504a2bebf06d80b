//! The IR evaluator as an engine: slow, and used as a third result if reference and executor differ.

use super::outcome::{LaneOutcome, Outcome};
use lockstep_core::host::{ConcreteHost, Effect, Environment, FetchFormat, Host, SampleRequest};
use lockstep_core::ir::eval::{Lane, Stop, run};
use lockstep_core::ir::{Program, Var};
use lockstep_core::isa::{End, Entry, output_number};
use lockstep_core::value::{Concrete, Freedom, FreedomSet};
use std::collections::HashMap;

/// Reads a texture unit; `None` leaves the read to the environment.
pub type Sampler<'a> = dyn FnMut(u8, &SampleRequest<f32>) -> Option<[f32; 4]> + 'a;

/// Runs every lane on the IR evaluator.
pub fn evaluate(entry: &Entry, program: &Program, env: &Environment) -> Outcome {
    evaluate_with(entry, program, env, &mut |_, _| None)
}

/// Runs every lane on the IR evaluator, with textures read by `sampler`.
pub fn evaluate_with(
    entry: &Entry,
    program: &Program,
    env: &Environment,
    sampler: &mut Sampler<'_>,
) -> Outcome {
    let group = usize::from(program.group.max(1));
    let _span = tracing::debug_span!("evaluate", lanes = env.lanes.len()).entered();
    let mut lanes = Vec::with_capacity(env.lanes.len());
    let mut d = Concrete;
    let variables: HashMap<u16, Var> = program.outputs.iter().rev().copied().collect();
    for base in (0..env.lanes.len()).step_by(group) {
        let mut host = Sampled { inner: ConcreteHost::<false>::new(env, base), sampler };
        let mut running: Vec<_> = (0..group).map(|_| Lane::new(&d, &mut host, program, env.fuel)).collect();
        run(&mut d, &mut host, program, &mut running);
        for (l, lane) in running.iter().enumerate().take(env.lanes.len() - base) {
            let value =
                |number: u16| variables.get(&number).map_or(0.0, |var| lane.vars[var.0 as usize].f(&d));
            let end = match lane.stop {
                Some(Stop::Finished) if host.inner.overflowed(l) => End::EffectsFull,
                Some(Stop::Finished) => End::Finished,
                Some(Stop::OutOfFuel) => End::OutOfFuel,
                Some(Stop::Hung) | None => End::Hung,
            };
            let outputs = entry.interface.components().map(|(slot, c)| value(output_number(slot, c)));
            lanes.push(LaneOutcome {
                end,
                killed: lane.killed,
                outputs: outputs.collect(),
                effects: host.inner.records(l).to_vec(),
            });
        }
    }
    Outcome { lanes, freedoms: FreedomSet::default() }
}

/// A host whose textures are read by a function.
struct Sampled<'a, 'b, 'c> {
    inner: ConcreteHost<'a, false>,
    sampler: &'b mut Sampler<'c>,
}

impl Host<Concrete> for Sampled<'_, '_, '_> {
    fn input(&mut self, d: &Concrete, lane: usize, slot: u16) -> [f32; 4] {
        self.inner.input(d, lane, slot)
    }

    fn constant(&mut self, d: &Concrete, slot: &i32) -> [f32; 4] {
        self.inner.constant(d, slot)
    }

    fn int_constant(&mut self, d: &Concrete, slot: u16) -> [i32; 4] {
        self.inner.int_constant(d, slot)
    }

    fn bool_constant(&mut self, d: &Concrete, slot: u16) -> bool {
        self.inner.bool_constant(d, slot)
    }

    fn sample(&mut self, d: &Concrete, unit: u8, request: &SampleRequest<f32>) -> [f32; 4] {
        (self.sampler)(unit, request).unwrap_or_else(|| self.inner.sample(d, unit, request))
    }

    fn fetch(&mut self, d: &Concrete, buffer: u8, format: FetchFormat, index: &i32) -> [f32; 4] {
        self.inner.fetch(d, buffer, format, index)
    }

    fn effect(&mut self, d: &Concrete, lane: usize, effect: Effect<Concrete>) {
        self.inner.effect(d, lane, effect);
    }

    fn record(&mut self, freedom: Freedom, when: &bool) {
        self.inner.record(freedom, when);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::stepping::lowered;
    use lockstep_core::host::LaneInput;
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::pica200::Pica200;

    #[test]
    fn a_lane_with_too_many_effects_ends_as_effects_full() {
        let text = ".raw geometry, outputs=0x1, entry=0x0\nsetemit 0\nemit\nemit\nemit\nend";
        let program = Pica200::assemble(text).unwrap();
        let end = |effects: u32| {
            let lanes = vec![LaneInput::default()];
            let case = Case::new::<Pica200>(
                &program,
                Environment { lanes, effects, fuel: 9, ..Environment::default() },
            );
            let resolved = case.resolve::<Pica200>().unwrap();
            let mut outcome = evaluate(&resolved.entry, &lowered(&resolved).unwrap(), &resolved.env);
            let lane = outcome.lanes.remove(0);
            (lane.end, lane.effects.len())
        };
        // An `emit` has one effect for the vertex and one for each of its outputs.
        assert_eq!(end(6), (End::Finished, 6));
        assert_eq!(end(5), (End::EffectsFull, 5));
    }
}
