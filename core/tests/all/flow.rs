//! Shared helpers of the control-flow tests: random numbers, and comparing a program in the reference with its different lowerings in the executor.

use lockstep_core::exec::{Batch, Level, Plan, Planner};
use lockstep_core::host::{ConcreteHost, EffectRecord, Environment};
use lockstep_core::ir::verify;
use lockstep_core::isa::lowering::{LowerError, Mode, lower_validated};
use lockstep_core::isa::{Context, End, Options, Refinement, Syntax, Tables, output_number, run};
use lockstep_core::value::{Concrete, same};
use std::collections::BTreeMap;

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 32) as u32
    }
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }
    /// Returns true with probability 1 / `n`.
    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
    pub(crate) fn float(&mut self) -> f32 {
        match self.below(8) {
            0 => 0.0,
            1 => f32::from_bits(self.next()),
            2 => self.below(7) as f32 - 3.0,
            _ => self.below(4096) as f32 / 64.0 - 32.0,
        }
    }
    pub(crate) fn four(&mut self) -> [f32; 4] {
        std::array::from_fn(|_| self.float())
    }
    /// Draws options; each has a random choice with probability 1/3, otherwise its default.
    pub(crate) fn options<I: Tables>(&mut self) -> Options {
        let mut options = Options::new(I::option_specs());
        for option in 0..I::option_specs().len() {
            if self.one_in(3) {
                options.set(option, self.below(3) as u8);
            }
        }
        options
    }
}

/// Statistics of runs.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// The number of lanes by their end, in the order of [`End`].
    pub(crate) ends: [u32; 4],
    /// The number of lowerings refused because they need too many nodes.
    pub(crate) refused: u32,
    /// The number of effects compared.
    pub(crate) effects: u64,
}

/// Runs a program on both engines, lowered in each of `modes`. Every lane must end in the same way and, unless it ran out of fuel or hung, have the
/// same effects and outputs.
pub(crate) fn compare<I: Syntax + Refinement>(
    name: &str,
    cx: Context<'_, I>,
    env: &Environment,
    modes: &[Mode],
    tally: &mut Tally,
) {
    for &mode in modes {
        let ir = match lower_validated(&cx, mode) {
            Ok(ir) => ir,
            Err(LowerError::TooManyNodes) => {
                tally.refused += 1;
                continue;
            }
            Err(error) => panic!("{name}, {mode:?}: {error}"),
        };
        verify(&ir).unwrap();
        let (mut planner, mut plan, mut batch) = (Planner::default(), Plan::default(), Batch::new());
        planner.plan(&ir, &mut plan);
        batch.run(&plan, env, Level::detect());
        let size = usize::from(I::group(&cx));
        for base in (0..env.lanes.len()).step_by(size) {
            let mut d = Concrete;
            let mut host = ConcreteHost::<true>::new(env, base);
            let mut group = run::start::<I, _, _>(&d, &mut host, &cx, size, env.fuel);
            run::run(&mut d, &mut host, &cx, &mut group);
            for (k, running) in group.iter().enumerate() {
                let lane = base + k;
                let end = match running.end.unwrap() {
                    End::Finished if host.overflowed(k) => End::EffectsFull,
                    end => end,
                };
                let place = format!("{name}, {mode:?}, lane {lane}");
                assert_eq!(end, batch.end(lane), "{place}");
                tally.ends[end as usize] += 1;
                if matches!(end, End::OutOfFuel | End::Hung) {
                    continue;
                }
                assert_eq!(I::killed(&running.lane), batch.is_killed(lane), "{place}");
                assert_eq!(host.records(k), batch.effects(lane), "{place}");
                tally.effects += host.records(k).len() as u64;
                for (slot, c) in cx.entry.interface.components() {
                    let value = I::output(&d, &cx, &running.lane, slot)[usize::from(c)];
                    let other = batch.output(lane, output_number(slot, c));
                    let register = I::output_name(cx.entry, slot);
                    assert!(same(value, other), "{place}, {register}.{c}: {value:?} {other:?}");
                }
            }
        }
    }
}

/// The results of a lane.
pub(crate) struct LaneResult {
    pub(crate) end: End,
    pub(crate) effects: Vec<EffectRecord>,
    /// The components of outputs, by slot and component.
    pub(crate) outputs: BTreeMap<(u16, u8), f32>,
}

/// Runs a program as [`compare`] does and returns the results of the first lane.
pub(crate) fn first_lane<I: Syntax + Refinement>(
    name: &str,
    cx: Context<'_, I>,
    env: &Environment,
    modes: &[Mode],
) -> LaneResult {
    let mut tally = Tally::default();
    compare(name, cx, env, modes, &mut tally);
    assert_eq!(tally.refused, 0, "{name} needs too many nodes");
    let mut d = Concrete;
    let mut host = ConcreteHost::<true>::new(env, 0);
    let mut group = run::start::<I, _, _>(&d, &mut host, &cx, usize::from(I::group(&cx)), env.fuel);
    run::run(&mut d, &mut host, &cx, &mut group);
    let output = |(slot, c)| ((slot, c), I::output(&d, &cx, &group[0].lane, slot)[usize::from(c)]);
    LaneResult {
        end: group[0].end.unwrap(),
        effects: host.records(0).to_vec(),
        outputs: cx.entry.interface.components().map(output).collect(),
    }
}
