//! Any 64 words, with any targets, lower both ways and mean what the reference says.

#![allow(clippy::unwrap_used)]

use lockstep_core::exec::{Batch, Level, Plan, Planner};
use lockstep_core::host::{Bound, Environment, LaneInput};
use lockstep_core::ir::{LowerError, Mode, lower, verify};
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::pica200::program::{Container, Descriptor, DescriptorRow, Instruction, Program, Raw};
use lockstep_core::isa::{Context, End, Entry, Interface, Isa, Options, Port, Stage, run};
use lockstep_core::value::{Concrete, same};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 32) as u32
    }
    fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }
    fn float(&mut self) -> f32 {
        match self.below(8) {
            0 => 0.0,
            1 => f32::from_bits(self.next()),
            2 => self.below(7) as f32 - 3.0,
            _ => self.below(4096) as f32 / 64.0 - 32.0,
        }
    }
}

/// Opcodes that steer, and some that compute.
const FLOW: [u32; 17] =
    [0x20, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x29, 0x2c, 0x2d, 0x24, 0x28, 0x27, 0x29, 0x22, 0x2a];

fn program(r: &mut Random, words: u32) -> Program {
    let near = r.below(2) == 0;
    let code = (0..words).map(|at| {
        let word = r.next();
        let word = match r.below(10) {
            0 => word,
            1..=4 => {
                let kinds = FLOW.len() as u32 - r.below(3);
                let op = FLOW[r.below(kinds) as usize];
                let dst = if near { (at + r.below(12)).saturating_sub(3) } else { r.below(words + 2) };
                let num = if near { r.below(6) } else { r.below(words) };
                op << 26 | (word & 0x03c0_0000) | dst << 10 | num
            }
            _ => {
                let op = [0u32, 2, 3, 7, 8, 9, 0xc, 0x12, 0x12, 0x13, 0x2b, 0x2e, 0x2f, 0x38, 0x30]
                    [r.below(15) as usize];
                (op << 26 | word & 0x03ff_ffff) & !0x7f | r.below(16)
            }
        };
        Instruction::from_word(word)
    });
    let code = code.collect();
    let descriptors =
        (0..16).map(|_| DescriptorRow { descriptor: Descriptor::from_word(r.next()), second: 0 }).collect();
    let raw = Raw { stage: Stage::Geometry, output_mask: r.next() as u16, start: r.below(4.min(words)) };
    Program { container: Container::Raw(raw), code, descriptors }
}

fn environment(r: &mut Random) -> Environment {
    let four = |r: &mut Random| std::array::from_fn(|_| r.float());
    Environment {
        constants: (0..96).map(|_| four(r)).collect(),
        ints: (0..4).map(|_| std::array::from_fn(|_| r.below(4) as i32)).collect(),
        bools: (0..16).map(|_| r.below(2) == 0).collect(),
        fuel: 60,
        effects: 5,
        lanes: (0..8).map(|_| LaneInput { slots: (0..20).map(|_| four(r)).collect() }).collect(),
        ..Environment::default()
    }
}

fn differences(seed: u64, ends: &mut [u32; 4], refused: &mut u32) {
    let mut r = Random(seed);
    let words = if seed.is_multiple_of(4) { 4 + r.below(12) } else { 64 };
    let program = program(&mut r, words);
    let env = environment(&mut r);
    let mut options = Options::new(Pica200::axes());
    for axis in 0..Pica200::axes().len() {
        if r.below(3) == 0 {
            options.set(axis, r.below(3) as u8);
        }
    }
    let Container::Raw(raw) = &program.container else { unreachable!() };
    let entry = Entry {
        stage: raw.stage,
        start: raw.start,
        version: 0,
        interface: Interface {
            inputs: vec![Port { slot: 16, mask: 15 }, Port { slot: 18, mask: 5 }],
            outputs: (0..16).map(|slot| Port { slot, mask: 15 }).collect(),
            ..Interface::default()
        },
        extra: [u32::MAX, u32::from(raw.output_mask), 0, 0],
    };
    let cx: Context<'_, Pica200> = Context { program: &program, entry: &entry, options: &options };
    for mode in [Mode::Auto, Mode::Nodes, Mode::Fallback] {
        let ir = match lower(&cx, mode) {
            Ok(ir) => ir,
            Err(LowerError::TooManyNodes) => {
                *refused += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}, {mode:?}: {error}"),
        };
        verify(&ir).unwrap();
        let (mut planner, mut plan, mut batch) = (Planner::default(), Plan::default(), Batch::new());
        planner.plan(&ir, &mut plan);
        batch.run(&plan, &env, Level::detect());
        for lane in 0..env.lanes.len() {
            let mut d = Concrete;
            let mut host = Bound::<true>::new(&env, lane);
            let mut group = run::start::<Pica200, _, _>(&d, &mut host, &cx, 1, env.fuel);
            run::run(&mut d, &mut host, &cx, &mut group);
            let end = match group[0].end.unwrap() {
                End::Finished if host.overflowed(0) => End::EffectsFull,
                end => end,
            };
            let place = format!("seed {seed}, {mode:?}, lane {lane}");
            assert_eq!(end, batch.end(lane), "{place}");
            ends[end as usize] += 1;
            if matches!(end, End::OutOfFuel | End::Hung) {
                continue;
            }
            assert_eq!(host.records(0), batch.effects(lane), "{place}");
            for slot in 0..16 {
                for (c, value) in Pica200::output(&cx, &group[0].lane, slot).into_iter().enumerate() {
                    let other = batch.output(lane, slot * 4 + c as u16);
                    assert!(same(value, other), "{place}, o{slot}.{c}: {value:?} {other:?}");
                }
            }
        }
    }
}

#[test]
fn any_words_lower_both_ways_and_agree() {
    let (mut ends, mut refused) = ([0; 4], 0);
    for seed in 0..400 {
        differences(seed, &mut ends, &mut refused);
    }
    let all: u32 = ends.iter().sum();
    assert!(ends.iter().all(|n| *n > all / 100), "too few ends of some kind: {ends:?}");
    assert!(refused < 160, "{refused} of 400 need too many nodes");
}
