//! The observable result of a program, to compare two that must be equivalent.

use lockstep_core::host::{ConcreteHost, EffectRecord, Environment};
use lockstep_core::ir::Program;
use lockstep_core::ir::eval::{Lane, Stop, run};
use lockstep_core::ir::random::{Rules, Source};
use lockstep_core::value::{Concrete, canonical_bits};

/// Builds a program that obeys all rules from a tape of random choices.
pub(crate) fn program(tape: &[u32]) -> Program {
    lockstep_core::ir::random::program(&mut Source::tape(tape), Rules::Strict)
}

/// Builds an environment of four lanes from a tape of random choices.
pub(crate) fn environment(tape: &[u32]) -> Environment {
    lockstep_core::ir::random::environment(&mut Source::tape(tape), 4)
}

/// The comparable result of a lane: how it ended, whether it was killed, its effects, and its outputs if it finished.
#[derive(Debug, PartialEq)]
pub(crate) struct LaneOutcome {
    pub stop: Option<Stop>,
    pub killed: bool,
    pub outputs: Vec<u32>,
    pub records: Vec<EffectRecord>,
}

/// Runs the first group of lanes and returns the result of each lane.
pub(crate) fn outcome(program: &Program, environment: &Environment) -> Vec<LaneOutcome> {
    let mut d = Concrete;
    let mut host = ConcreteHost::<false>::new(environment, 0);
    let mut lanes: Vec<Lane<Concrete>> =
        (0..program.group).map(|_| Lane::new(&d, &mut host, program, environment.fuel)).collect();
    run(&mut d, &mut host, program, &mut lanes);
    let results = lanes.iter().enumerate().map(|(l, lane)| LaneOutcome {
        stop: lane.stop,
        killed: lane.killed,
        outputs: match lane.stop {
            Some(Stop::Finished) => {
                program.outputs.iter().map(|(_, v)| canonical_bits(lane.vars[v.0 as usize].f(&d))).collect()
            }
            _ => Vec::new(),
        },
        records: host.records(l).to_vec(),
    });
    results.collect()
}
