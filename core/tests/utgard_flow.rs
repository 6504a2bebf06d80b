//! Every compiled program at hand lowers both ways and means what the reference says, under any options.

#![allow(clippy::unwrap_used)]

use lockstep_core::exec::{Batch, Level, Plan, Planner};
use lockstep_core::host::{Bound, Environment, LaneInput};
use lockstep_core::ir::{Mode, lower, verify};
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::{Context, End, Isa, Options, run};
use lockstep_core::value::{Concrete, same};
use std::path::Path;

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

fn compare(name: &str, program: &<UtgardGp as Isa>::Program, seed: u64) -> [u32; 2] {
    let mut r = Random(seed);
    let four = |r: &mut Random| std::array::from_fn(|_| r.float());
    let entry = &UtgardGp::entries(program)[0];
    let mut env = Environment {
        constants: (0..32).map(|_| four(&mut r)).collect(),
        fuel: 40,
        lanes: (0..8).map(|_| LaneInput { slots: (0..16).map(|_| four(&mut r)).collect() }).collect(),
        ..Environment::default()
    };
    UtgardGp::preset(program, entry, &mut env);
    let mut options = Options::new(UtgardGp::axes());
    for axis in 0..UtgardGp::axes().len() {
        if seed > 0 && r.below(3) == 0 {
            options.set(axis, r.below(3) as u8);
        }
    }
    let cx: Context<'_, UtgardGp> = Context { program, entry, options: &options };
    let mut ends = [0; 2];
    for mode in [Mode::Nodes, Mode::Fallback] {
        let ir = lower(&cx, mode).unwrap();
        verify(&ir).unwrap();
        let (mut planner, mut plan, mut batch) = (Planner::default(), Plan::default(), Batch::new());
        planner.plan(&ir, &mut plan);
        batch.run(&plan, &env, Level::detect());
        for lane in 0..env.lanes.len() {
            let mut d = Concrete;
            let mut host = Bound::<true>::new(&env, lane);
            let mut group = run::start::<UtgardGp, _, _>(&d, &mut host, &cx, 1, env.fuel);
            run::run(&mut d, &mut host, &cx, &mut group);
            let end = group[0].end.unwrap();
            let place = format!("{name}, seed {seed}, {mode:?}, lane {lane}");
            assert_eq!(end, batch.end(lane), "{place}");
            ends[usize::from(end != End::Finished)] += 1;
            if end != End::Finished {
                continue;
            }
            for port in &entry.interface.outputs {
                for (c, value) in UtgardGp::output(&cx, &group[0].lane, port.slot).into_iter().enumerate() {
                    if port.mask >> c & 1 == 1 {
                        let other = batch.output(lane, port.slot * 4 + c as u16);
                        assert!(same(value, other), "{place}, v{}.{c}: {value:?} {other:?}", port.slot);
                    }
                }
            }
        }
    }
    ends
}

#[test]
fn compiled_programs_lower_both_ways_and_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora/utgard-gp/open");
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let mut ends = [0; 2];
    let mut files = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "bin") {
            continue;
        }
        let program = UtgardGp::decode(&std::fs::read(&path).unwrap()).unwrap();
        files += 1;
        for seed in 0..6 {
            let [finished, other] = compare(&path.file_name().unwrap().to_string_lossy(), &program, seed);
            ends[0] += finished;
            ends[1] += other;
        }
    }
    assert!(files > 80 && ends[0] > 10 * ends[1], "{files} files, {ends:?}");
}
