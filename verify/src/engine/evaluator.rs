//! The IR evaluator as an engine: slow, and used as a third result if reference and executor differ.

use super::outcome::{LaneOutcome, Outcome};
use lockstep_core::host::{ConcreteHost, Environment};
use lockstep_core::ir::eval::{Lane, Stop, run};
use lockstep_core::ir::{Program, Var};
use lockstep_core::isa::{End, Entry, output_number};
use lockstep_core::value::{Concrete, FreedomSet};
use std::collections::HashMap;

/// Runs every lane on the IR evaluator.
pub fn evaluate(entry: &Entry, program: &Program, env: &Environment) -> Outcome {
    let group = usize::from(program.group.max(1));
    let _span = tracing::debug_span!("evaluate", lanes = env.lanes.len()).entered();
    let mut lanes = Vec::with_capacity(env.lanes.len());
    let mut d = Concrete;
    let variables: HashMap<u16, Var> = program.outputs.iter().rev().copied().collect();
    for base in (0..env.lanes.len()).step_by(group) {
        let mut host = ConcreteHost::<false>::new(env, base);
        let mut running: Vec<_> = (0..group).map(|_| Lane::new(&d, &mut host, program, env.fuel)).collect();
        run(&mut d, &mut host, program, &mut running);
        for (l, lane) in running.iter().enumerate().take(env.lanes.len() - base) {
            let value =
                |number: u16| variables.get(&number).map_or(0.0, |var| lane.vars[var.0 as usize].f(&d));
            let end = match lane.stop {
                Some(Stop::Finished) if host.overflowed(l) => End::EffectsFull,
                Some(Stop::Finished) => End::Finished,
                Some(Stop::OutOfFuel) => End::OutOfFuel,
                Some(Stop::Hung) | None => End::Hung,
            };
            let outputs = entry.interface.components().map(|(slot, c)| value(output_number(slot, c)));
            lanes.push(LaneOutcome {
                end,
                killed: lane.killed,
                outputs: outputs.collect(),
                effects: host.records(l).to_vec(),
            });
        }
    }
    Outcome { lanes, freedoms: FreedomSet::default() }
}
