//! Helpers that run each instruction of the lowering rules' instances once on the reference, with random register values.

use crate::flow::Random;
use lockstep_core::host::{
    Buffer, ConcreteHost, Dimension, EffectRecord, Environment, Filter, LaneInput, MipFilter, SamplerState,
    Texels, Texture,
};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{Ty, VarKey};
use lockstep_core::isa::{Context, End, Isa, LaneState, run};
use lockstep_core::value::{Concrete, FreedomSet};
use std::collections::BTreeMap;

/// Numbers at which documents differ: zero of either sign, subnormals, numbers halfway between integers, bounds, large numbers, infinities and NaN.
const SPECIAL: [f32; 18] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.75,
    200.0,
    1e-40,
    -1e-40,
    1e-20,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    -130.0,
];

fn number(r: &mut Random) -> f32 {
    match r.below(4) {
        0 | 1 => SPECIAL[r.below(SPECIAL.len() as u32) as usize],
        2 => r.float(),
        // With all bits of the mantissa, so that sums depend on their order.
        _ => (r.next() as i32) as f32 / 3e8,
    }
}

/// Returns an integer of either sign, which may not fit a byte.
fn integer(r: &mut Random) -> i32 {
    match r.below(4) {
        0 => 0,
        1 => r.below(4) as i32,
        // A value of an address register of A2xx.
        2 => r.below(512) as i32 - 256,
        _ => r.below(16) as i32 - 12,
    }
}

pub(crate) fn environment(r: &mut Random) -> Environment {
    let four = |r: &mut Random| std::array::from_fn(|_| number(r));
    let texture = |r: &mut Random, dimension| Texture {
        dimension,
        size: [8, 8, 1],
        levels: 4,
        texels: Texels::Explicit((0..6 * 85).map(|_| r.four()).collect()),
        state: SamplerState { min: Filter::Linear, mip: MipFilter::Linear, ..SamplerState::default() },
    };
    Environment {
        constants: (0..600).map(|_| four(r)).collect(),
        ints: (0..16).map(|_| std::array::from_fn(|_| integer(r))).collect(),
        bools: (0..256).map(|_| r.one_in(2)).collect(),
        textures: (0..32)
            .map(|_| {
                let dimension = if r.one_in(3) { Dimension::Cube } else { Dimension::Two };
                texture(r, dimension)
            })
            .collect(),
        buffers: (0..96).map(|_| Buffer { words: (0..64).map(|_| r.next()).collect() }).collect(),
        lanes: (0..4).map(|_| LaneInput { slots: (0..64).map(|_| four(r)).collect() }).collect(),
        fuel: 40,
        effects: 16,
    }
}

/// The state of a lane after a step: its end, whether it is killed, its values as text, and its effects.
pub(crate) type SteppedLane = (Option<End>, bool, Vec<String>, Vec<EffectRecord>);

/// Formats a value so that the texts of two values are equal only if the values are.
pub(crate) fn text(value: &Scalar<Concrete>) -> String {
    match value {
        Scalar::F(v) if v.is_nan() => "nan".to_owned(),
        Scalar::F(v) => format!("{:08x}", v.to_bits()),
        Scalar::I(v) => v.to_string(),
        Scalar::B(v) => v.to_string(),
    }
}

/// Returns a register's value before the step, which depends only on the seed, the lane and the register.
pub(crate) fn before(types: &BTreeMap<VarKey, Ty>, seed: u64, lane: usize, key: VarKey) -> Scalar<Concrete> {
    let VarKey { file, index, component } = key;
    let place = u64::from(file) << 40 | u64::from(index) << 16 | u64::from(component) << 8 | lane as u64;
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ place << 8);
    r.next();
    match types.get(&key).copied().unwrap_or(Ty::F32) {
        Ty::F32 => Scalar::F(number(&mut r)),
        Ty::I32 => Scalar::I(integer(&mut r)),
        Ty::Bool => Scalar::B(r.one_in(2)),
    }
}

/// Runs one step from a node. Returns the states of the lanes after the step, and the Freedoms (points that documents leave open) that the step
/// records.
pub(crate) fn stepped<I: Isa>(
    cx: &Context<'_, I>,
    control: &I::ControlState,
    types: &BTreeMap<VarKey, Ty>,
    env: &Environment,
    seed: u64,
) -> (Vec<SteppedLane>, FreedomSet) {
    let mut d = Concrete;
    let mut host = ConcreteHost::<true>::new(env, 0);
    let lane = |at: usize| I::refine(&Concrete, cx, control, &mut |key| before(types, seed, at, key));
    let mut group: Vec<LaneState<I::Lane<Concrete>>> =
        (0..usize::from(I::group(cx))).map(|at| LaneState { lane: lane(at), fuel: 9, end: None }).collect();
    run::step(&mut d, &mut host, cx, &mut group);
    let left = group.iter().enumerate().map(|(at, running)| {
        let mut values: Vec<String> = I::state(&d, cx, &running.lane)
            .iter()
            .map(|(key, value)| format!("{key:?} {}", text(value)))
            .collect();
        values.push(format!("{:?}", I::position(cx, &running.lane)));
        for (slot, c) in cx.entry.interface.components() {
            values.push(text(&Scalar::F(I::output(&d, cx, &running.lane, slot)[usize::from(c)])));
        }
        (running.end, I::killed(&running.lane), values, host.records(at).to_vec())
    });
    (left.collect(), host.freedoms())
}
