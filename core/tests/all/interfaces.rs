//! An entry's interface lists everything that a program reads.
//!
//! The interface comes from a table of the operands that each operation reads; the reference does not use that table. This test runs the reference
//! twice on every instance of a lowering rule, with different numbers in everything outside the interface. The results must be equal. This detects a
//! row that omits a component of an operand, a constant, or a texture. Float constants keep their numbers in programs that read them by an index
//! or may read the slots of a viewport.

use crate::flow::Random;
use lockstep_core::host::{
    ConcreteHost, Dimension, EffectRecord, Environment, LaneInput, SamplerState, Texels, Texture,
};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{BlockId, Op, VarKey};
use lockstep_core::isa::agal::interface::INSTANCE_SLOT;
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::lower_with_nodes;
use lockstep_core::isa::utgard_gp::interface::EntryFacts;
use lockstep_core::isa::{Context, End, Entry, Isa, IsaId, Options, Refinement, State, run};
use lockstep_core::value::{Concrete, same};
use lockstep_core::with_isa;
use std::collections::BTreeSet;

/// At least as many input slots, constants, integer or Boolean constants, and texture units as any interface lists.
const SLOTS: usize = 64;
const CONSTANTS: usize = 600;
const FLAGS: usize = 300;
const UNITS: u8 = 32;
/// The number of environments drawn for each rule instance.
const DRAWS: usize = 4;
/// The number of environments to draw from.
const POOL: u32 = 12;

fn texture(r: &mut Random) -> Texture {
    let texels = (0..4).map(|_| r.four()).collect();
    let state = SamplerState::default();
    Texture { dimension: Dimension::Two, size: [2, 2, 1], levels: 1, texels: Texels::Explicit(texels), state }
}

fn environment(r: &mut Random) -> Environment {
    Environment {
        constants: (0..CONSTANTS).map(|_| r.four()).collect(),
        ints: (0..FLAGS).map(|_| std::array::from_fn(|_| r.below(4) as i32)).collect(),
        bools: (0..FLAGS).map(|_| r.one_in(2)).collect(),
        textures: (0..UNITS).map(|_| texture(r)).collect(),
        lanes: (0..4).map(|_| LaneInput { slots: (0..SLOTS).map(|_| r.four()).collect() }).collect(),
        fuel: 40,
        effects: 16,
        ..Environment::default()
    }
}

/// Whether a program reads float constants by an index. A program that is not lowered has no instruction at its entry.
fn reads_indexed_constants<I: Isa>(cx: &Context<'_, I>) -> bool {
    lower_with_nodes(cx).is_ok_and(|(program, _)| {
        let mut blocks = (0..program.blocks.len()).map(|number| program.block(BlockId(number as u32)));
        blocks.any(|insts| insts.iter().any(|inst| matches!(inst.op, Op::UniformAt(_))))
    })
}

/// Whether the position of a program for Utgard GP may be transformed after the program, by constants at the viewport's slots.
fn has_viewport(isa: IsaId, entry: &Entry) -> bool {
    isa == IsaId::UtgardGp && EntryFacts::from_words(entry.extra).viewport_scale.is_some()
}

/// Returns `env` with the numbers of `other` in everything that the interface of `entry` does not list, and in the float constants from number
/// `constants`.
fn with_other_unlisted(
    isa: IsaId,
    env: &Environment,
    entry: &Entry,
    constants: usize,
    other: &Environment,
) -> Environment {
    let mut other = other.clone();
    let interface = &entry.interface;
    for (lane, kept) in other.lanes.iter_mut().zip(&env.lanes) {
        for port in &interface.inputs {
            let (to, from) = (&mut lane.slots[usize::from(port.slot)], &kept.slots[usize::from(port.slot)]);
            // The interface lists one component of AGAL's instance number, whichever components the program reads, so all four keep their values.
            let mask = if isa == IsaId::Agal && port.slot == INSTANCE_SLOT { 15 } else { port.mask };
            for c in (0..4).filter(|c| mask >> c & 1 == 1) {
                to[c] = from[c];
            }
        }
    }
    other.constants[..constants].clone_from_slice(&env.constants[..constants]);
    let listed = [interface.ints, interface.bools].map(usize::from);
    other.ints[..listed[0]].clone_from_slice(&env.ints[..listed[0]]);
    other.bools[..listed[1]].clone_from_slice(&env.bools[..listed[1]]);
    for unit in &interface.samplers {
        other.textures[usize::from(*unit)] = env.textures[usize::from(*unit)].clone();
    }
    other
}

/// A lane: its initial state, its end, its final state, whether it was killed, and its effects.
struct FinalLane {
    start: State<Concrete>,
    end: Option<End>,
    state: State<Concrete>,
    killed: bool,
    effects: Vec<EffectRecord>,
}

fn final_lanes<I: Refinement>(cx: &Context<'_, I>, env: &Environment) -> Vec<FinalLane> {
    let mut d = Concrete;
    let size = usize::from(I::group(cx));
    let mut host = ConcreteHost::<false>::new(env, 0);
    let mut group = run::start::<I, _, _>(&d, &mut host, cx, size, env.fuel);
    let starts: Vec<_> = group.iter().map(|running| I::state(&d, cx, &running.lane)).collect();
    run::run(&mut d, &mut host, cx, &mut group);
    let lanes = group.iter().zip(starts).enumerate().map(|(k, (running, start))| {
        let mut state = I::state(&d, cx, &running.lane);
        // Outputs may be transformed after the last instruction, so they are compared in addition to the registers.
        for (at, (slot, c)) in cx.entry.interface.components().enumerate() {
            let key = VarKey { file: OUTPUTS, index: at as u16, component: c };
            state.push((key, Scalar::F(I::output(&d, cx, &running.lane, slot)[usize::from(c)])));
        }
        let killed = I::killed(&running.lane);
        FinalLane { start, end: running.end, state, killed, effects: host.records(k).to_vec() }
    });
    lanes.collect()
}

/// A file number that no instruction set uses.
const OUTPUTS: u8 = 200;

fn equal(a: &Scalar<Concrete>, b: &Scalar<Concrete>) -> bool {
    match (a, b) {
        (Scalar::F(x), Scalar::F(y)) => same(*x, *y),
        (Scalar::I(x), Scalar::I(y)) => x == y,
        (Scalar::B(x), Scalar::B(y)) => x == y,
        _ => false,
    }
}

/// Returns whether two lanes behaved the same. Input registers are part of the state even if nothing reads them, so registers with different initial
/// values are ignored.
fn behave_equally(a: &FinalLane, b: &FinalLane) -> bool {
    let ignored: BTreeSet<VarKey> =
        a.start.iter().zip(&b.start).filter(|(x, y)| !equal(&x.1, &y.1)).map(|(x, _)| x.0).collect();
    let mut compared = a.state.iter().zip(&b.state).filter(|(x, _)| !ignored.contains(&x.0));
    (a.end, a.killed) == (b.end, b.killed)
        && a.effects == b.effects
        && a.state.len() == b.state.len()
        && compared.all(|(x, y)| x.0 == y.0 && equal(&x.1, &y.1))
}

fn check_interfaces<I: Isa>() -> (usize, usize) {
    let mut r = Random(0x100c);
    let pool: Vec<Environment> = (0..POOL).map(|_| environment(&mut r)).collect();
    let (mut runs, mut outputs) = (0, 0);
    for instance in rule_instances::<I>() {
        for entry in &I::entries(&instance.program) {
            outputs += entry.interface.components().count();
            let options = Options::new(I::option_specs());
            let cx: Context<'_, I> = Context { program: &instance.program, entry, options: &options };
            // An index may exceed the float constants of the interface; the environment determines the values there. An interface of Utgard GP does
            // not list the slots of the viewport, which the transform of the position reads.
            let has_unlisted = reads_indexed_constants(&cx) || has_viewport(I::ID, entry);
            let listed = usize::from(entry.interface.constants);
            let constants = if has_unlisted { CONSTANTS } else { listed.min(CONSTANTS) };
            // An interface is independent of the options: it lists everything read under any options.
            for draw in 0..DRAWS {
                let options = if draw == 0 { Options::new(I::option_specs()) } else { r.options::<I>() };
                let cx: Context<'_, I> = Context { program: &instance.program, entry, options: &options };
                let env = &pool[r.below(POOL) as usize];
                let other = with_other_unlisted(I::ID, env, entry, constants, &pool[r.below(POOL) as usize]);
                let (normal, changed) = (final_lanes(&cx, env), final_lanes(&cx, &other));
                assert!(
                    normal.len() == changed.len()
                        && normal.iter().zip(&changed).all(|(a, b)| behave_equally(a, b)),
                    "{}: {}: the results depend on an input, constant or texture that the interface does not list\n{}\n{:?}",
                    I::ID,
                    instance.name,
                    I::disassemble(&instance.program),
                    entry.interface
                );
                runs += 1;
            }
        }
    }
    (runs, outputs)
}

#[test]
fn programs_read_nothing_outside_their_interface() {
    for &isa in IsaId::ALL {
        let (runs, outputs) = with_isa!(isa, I => check_interfaces::<I>());
        println!("{isa}: {runs} runs, {outputs} outputs");
        assert!(runs > 300, "{isa}: {runs} runs");
    }
}

/// Checks that an output that does not exist reads as zeros and not as another register.
fn check_absent_outputs<I: Isa>() {
    let env = environment(&mut Random(0x100c));
    let options = Options::new(I::option_specs());
    for instance in rule_instances::<I>() {
        for entry in &I::entries(&instance.program) {
            let cx: Context<'_, I> = Context { program: &instance.program, entry, options: &options };
            let (mut d, mut host) = (Concrete, ConcreteHost::<false>::new(&env, 0));
            let size = usize::from(I::group(&cx));
            let mut group = run::start::<I, _, _>(&d, &mut host, &cx, size, env.fuel);
            run::run(&mut d, &mut host, &cx, &mut group);
            for slot in (64..128).chain([u16::MAX]) {
                let output = I::output(&d, &cx, &group[0].lane, slot);
                assert_eq!(output, [0.0; 4], "{}: {}: slot {slot}", I::ID, instance.name);
            }
        }
    }
}

#[test]
fn outputs_that_do_not_exist_are_zeros() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_absent_outputs::<I>());
    }
}
