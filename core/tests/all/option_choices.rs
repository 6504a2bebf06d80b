//! Every choice of every option makes a difference to some form of the lowering rules.
//!
//! Proofs about options use these forms. If no form distinguishes a choice from the default, no proof covers that choice. The reference runs each
//! instruction of a form from random register values, once under the default and once under the choice.

use crate::flow::Random;
use lockstep_core::host::{
    Buffer, ConcreteHost, Dimension, EffectRecord, Environment, Filter, LaneInput, MipFilter, SamplerState,
    Texels, Texture,
};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{Ty, VarKey};
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::lower_with_nodes;
use lockstep_core::isa::{Context, End, Isa, IsaId, LaneState, Options, run};
use lockstep_core::value::Concrete;
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers at which documents differ: none, both zeros, subnormals, numbers halfway between integers, bounds, large ones.
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
        // A number that uses many bits of the mantissa, so that sums depend on their order.
        _ => (r.next() as i32) as f32 / 3e8,
    }
}

/// Integers of either sign, also outside of a byte.
fn integer(r: &mut Random) -> i32 {
    match r.below(4) {
        0 => 0,
        1 => r.below(4) as i32,
        2 => r.below(600) as i32 - 300,
        _ => r.below(16) as i32 - 12,
    }
}

fn environment(r: &mut Random) -> Environment {
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

/// The result of a lane: its end, whether it was killed, its registers, position and outputs as text, and its effects.
type LaneResult = (Option<End>, bool, Vec<String>, Vec<EffectRecord>);

fn text(value: &Scalar<Concrete>) -> String {
    match value {
        Scalar::F(v) if v.is_nan() => "nan".to_owned(),
        Scalar::F(v) => format!("{:08x}", v.to_bits()),
        Scalar::I(v) => v.to_string(),
        Scalar::B(v) => v.to_string(),
    }
}

/// A register before the step: a function of the seed, the lane and the register.
fn before(types: &BTreeMap<VarKey, Ty>, seed: u64, lane: usize, key: VarKey) -> Scalar<Concrete> {
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

/// Returns the results of the lanes after one step from a node.
fn stepped<I: Isa>(
    cx: &Context<'_, I>,
    control: &I::ControlState,
    types: &BTreeMap<VarKey, Ty>,
    env: &Environment,
    seed: u64,
) -> Vec<LaneResult> {
    let mut d = Concrete;
    let mut host = ConcreteHost::<false>::new(env, 0);
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
            values.push(text(&Scalar::F(I::output(cx, &running.lane, slot)[usize::from(c)])));
        }
        (running.end, I::killed(&running.lane), values, host.records(at).to_vec())
    });
    left.collect()
}

/// The choices of options under which every form of the lowering rules behaves as with the default, as `option=choice`.
fn idle_choices<I: Isa>() -> Vec<String> {
    let mut r = Random(0x0b7);
    let pool: Vec<Environment> = (0..24).map(|_| environment(&mut r)).collect();
    let mut open: BTreeSet<(usize, u8)> = BTreeSet::new();
    for (option, spec) in I::option_specs().iter().enumerate() {
        open.extend((1..spec.choices.len() as u8).map(|choice| (option, choice)));
    }
    for form in rule_instances::<I>() {
        for entry in &I::entries(&form.program) {
            let mut options = Options::new(I::option_specs());
            let lowered =
                lower_with_nodes(&Context::<I> { program: &form.program, entry, options: &options });
            let Ok((program, nodes)) = lowered else { continue };
            let types: BTreeMap<VarKey, Ty> = program.vars.iter().map(|var| (var.key, var.ty)).collect();
            for (_, control) in &nodes {
                for (seed, env) in (0..).zip(&pool) {
                    if open.is_empty() {
                        return Vec::new();
                    }
                    options.take_read();
                    let run = |options: &Options| {
                        let cx = Context::<I> { program: &form.program, entry, options };
                        stepped(&cx, control, &types, env, seed)
                    };
                    let plain = run(&options);
                    let read = options.take_read();
                    if open.iter().all(|(option, _)| read >> option & 1 == 0) {
                        break;
                    }
                    open.retain(|(option, choice)| {
                        if read >> option & 1 == 0 {
                            return true;
                        }
                        options.set(*option, *choice);
                        let other = run(&options);
                        options.set(*option, 0);
                        format!("{plain:?}") == format!("{other:?}")
                    });
                }
            }
        }
    }
    let name = |(option, choice): (usize, u8)| {
        let spec = &I::option_specs()[option];
        format!("{}={}", spec.name, spec.choices[usize::from(choice)])
    };
    open.into_iter().map(name).collect()
}

/// The choices that no form distinguishes from the default, each with the reason. Test vectors show the effect of those choices that change numbers.
fn undistinguished(isa: IsaId) -> &'static [(&'static str, &'static str)] {
    match isa {
        IsaId::Agal => &[
            ("direct_fields=ignore", LEGALITY),
            ("sampler_reuse=accept", LEGALITY),
            ("mask_w=accept", LEGALITY),
        ],
        IsaId::D3d9 => &[
            ("pow_zero=one", "the formula gives 1, too, unless zero_times=ieee"),
            ("vertex_processing=software", LEGALITY),
        ],
        IsaId::Pica200 => &[],
        IsaId::A2xx => &[
            (
                "dot=xyzw_first",
                "a first product of -0 shows it, which there is only under legacy_multiply=ieee",
            ),
            ("stride_unit=bytes", VERSION),
            ("mini_fetch=never", VERSION),
            ("half_float=ieee", VERSION),
        ],
        IsaId::UtgardGp => &[("unwritten=nan", "steps begin with registers that something has written")],
        IsaId::Unlisted(_) => &[],
    }
}

const LEGALITY: &str = "it concerns which programs are legal, not what a program does";
const VERSION: &str =
    "it is the default of the version that forms have; the other choice is the default of Xenos";

#[test]
fn each_choice_of_each_option_makes_a_difference_to_some_form() {
    let all: Vec<_> =
        IsaId::ALL.iter().map(|isa| (*isa, with_isa!(*isa, I => idle_choices::<I>()))).collect();
    for (isa, idle) in all {
        let known: Vec<&str> = undistinguished(isa).iter().map(|(choice, _)| *choice).collect();
        assert_eq!(idle, known, "{isa}: choices of options that are in no proof of a lowering rule");
    }
}
