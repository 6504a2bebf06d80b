//! Benchmarks of the engines: the reference, the executor at each level of this processor, and the same shaders written by hand with vector
//! instructions.
//!
//! All contenders must agree bit for bit before any is timed. Times are medians of rounds in which the contenders alternate, on one core, with 1024
//! lanes that stay in the cache; the reference runs without recording Freedoms.

#[path = "../aim/mod.rs"]
mod aim;
#[cfg(target_arch = "x86_64")]
mod handwritten;
mod measure;
mod short;

use aim::{Bound, aim};
use lockstep_core::exec::{Batch, Compiled, Level, Plan, Planner, WIDTH};
use lockstep_core::host::{
    Access, ConcreteHost, Dimension, Environment, Filter, LaneInput, Lod, SampleRequest, SamplerState,
    Texels, Texture, sample,
};
use lockstep_core::ir;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::run::{run, start};
use lockstep_core::isa::{Context, Entry, Format, Legality, Options, Reference, Syntax, Tables};
use lockstep_core::value::{Concrete, same};
use measure::{Contender, seconds};
use std::hint::black_box;

const VERTEX: &str = include_str!("../../../corpora/agal/programs/transform_light.agal.txt");

/// A fragment shader for a lit texture: one bilinear read, a normalised normal, a light, an ambient term.
pub(crate) const FRAGMENT: &str = "version 1 fragment
tex ft0, v0, fs0 <2d,linear,mipnone,clamp>
nrm ft1.xyz, v1.xyz
dp3 ft1.w, ft1.xyz, fc0.xyz
sat ft1.w, ft1.w
mul ft2.xyz, ft1.w, fc1.xyz
add ft2.xyz, ft2.xyz, fc2.xyz
mul ft0.xyz, ft0.xyz, ft2.xyz
mov oc, ft0
";

/// A program of 20 instructions, to time its preparation.
const TWENTY: &str = "version 1 vertex
m44 vt0, va0, vc0
mov op, vt0
m33 vt1.xyz, va1, vc4
nrm vt1.xyz, vt1.xyz
sub vt2, vc8, vt0
nrm vt2.xyz, vt2.xyz
dp3 vt3.x, vt1.xyz, vt2.xyz
max vt3.x, vt3.x, vc9.x
mul vt4.xyz, vt3.x, vc10.xyz
add vt5.xyz, vt1.xyz, vt2.xyz
nrm vt5.xyz, vt5.xyz
dp3 vt3.y, vt5.xyz, vt1.xyz
max vt3.y, vt3.y, vc9.x
mul vt3.y, vt3.y, vt3.y
mul vt3.y, vt3.y, vt3.y
mul vt6.xyz, vt3.y, vc11.xyz
add vt4.xyz, vt4.xyz, vt6.xyz
add vt4.xyz, vt4.xyz, vc12.xyz
mov v0, va2
mov v1, vt4.xyzz
";

const LANES: usize = 1024;

/// The offsets in a block of the components that a kernel reads and writes.
pub(crate) struct Offsets {
    /// The offsets of the inputs, by input number (slot * 4 + component).
    pub(crate) inputs: Vec<usize>,
    /// The offsets of the outputs, by output number (slot * 4 + component).
    pub(crate) outputs: Vec<usize>,
    /// Size of a block of inputs, in numbers.
    pub(crate) input_block: usize,
    /// Size of a block of outputs, in numbers.
    pub(crate) output_block: usize,
}

/// A shader written by hand, over whole blocks of [`WIDTH`] lanes.
pub(crate) type Kernel = unsafe fn(&Environment, &Offsets, &[f32], &mut [f32]);

/// A program with its only entry.
struct Shader {
    program: <Agal as Format>::Program,
    entry: Entry,
    options: Options,
}

impl Shader {
    fn new(text: &str) -> Shader {
        let program = Agal::assemble(text).unwrap_or_else(|errors| panic!("{errors:?}"));
        let entry = Agal::entries(&program).swap_remove(0);
        Shader { program, entry, options: Options::new(Agal::option_specs()) }
    }

    fn context(&self) -> Context<'_, Agal> {
        Context { program: &self.program, entry: &self.entry, options: &self.options }
    }
}

/// Pseudo-random numbers between -1 and 1, the same in every run.
fn numbers(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}

fn environment() -> Environment {
    let mut next = numbers(1);
    let mut vec4 = || [next(), next(), next(), next()];
    let constants = (0..16).map(|_| vec4()).collect();
    let lanes = (0..LANES).map(|_| LaneInput { slots: (0..4).map(|_| vec4()).collect() }).collect();
    let texture = Texture {
        dimension: Dimension::Two,
        size: [256, 256, 1],
        levels: 1,
        texels: Texels::Explicit((0..256 * 256).map(|_| vec4()).collect()),
        ..Texture::default()
    };
    Environment { constants, lanes, textures: vec![texture], fuel: 0, ..Environment::default() }
}

/// Runs the reference once on all lanes. Stores the outputs lane by lane, with the ports of a lane in order.
fn reference(cx: &Context<'_, Agal>, env: &Environment, outputs: &mut Vec<f32>) {
    let group = usize::from(Agal::group(cx));
    let mut host = ConcreteHost::<false>::new(env, 0);
    let mut d = Concrete;
    outputs.clear();
    for base in (0..env.lanes.len()).step_by(group) {
        host.restart(base);
        let mut lanes = start::<Agal, _, _>(&d, &mut host, cx, group, env.fuel);
        run(&mut d, &mut host, cx, &mut lanes);
        for lane in &lanes {
            let components = cx.entry.interface.components();
            outputs.extend(
                components.map(|(slot, c)| {
                    Agal::output::<Concrete>(&Concrete, cx, &lane.lane, slot)[usize::from(c)]
                }),
            );
        }
    }
}

/// Returns the offsets of the plan's inputs and outputs.
fn offsets(plan: &Plan) -> Offsets {
    let table = |list: &[(u16, u32)]| {
        let mut table = vec![usize::MAX; 16];
        for (at, (number, _)) in list.iter().enumerate() {
            table[usize::from(*number)] = at * WIDTH;
        }
        table
    };
    Offsets {
        inputs: table(plan.inputs()),
        outputs: table(plan.outputs()),
        input_block: plan.inputs().len() * WIDTH,
        output_block: plan.outputs().len() * WIDTH,
    }
}

/// Returns the inputs of all lanes in the plan's layout.
fn stream_inputs(plan: &Plan, env: &Environment) -> Vec<f32> {
    let mut stream = Vec::new();
    for block in env.lanes.chunks(WIDTH) {
        for (number, _) in plan.inputs() {
            let (slot, component) = (usize::from(number / 4), usize::from(number % 4));
            stream.extend(block.iter().map(|lane| lane.slots[slot][component]));
        }
    }
    stream
}

/// Panics unless `stream` equals the reference's outputs.
fn check_outputs(engine: &str, cx: &Context<'_, Agal>, offsets: &Offsets, expected: &[f32], stream: &[f32]) {
    let mut expected = expected.iter();
    for lane in 0..LANES {
        for port in &cx.entry.interface.outputs {
            for c in (0..4).filter(|c| port.mask >> c & 1 == 1) {
                let at = offsets.outputs[usize::from(port.slot) * 4 + c];
                let got = stream[lane / WIDTH * offsets.output_block + at + lane % WIDTH];
                let value = expected.next().copied().unwrap_or(f32::NAN);
                assert!(
                    same(got, value),
                    "{engine}, lane {lane}, slot {} component {c}: {got:?}, expected {value:?}",
                    port.slot
                );
            }
        }
    }
}

/// The request of the texture instruction in [`FRAGMENT`].
pub(crate) fn request(u: f32, v: f32) -> SampleRequest<f32> {
    let state = SamplerState { min: Filter::Linear, mag: Filter::Linear, ..SamplerState::default() };
    SampleRequest {
        dimension: Dimension::Two,
        state: Some(state),
        access: Access::PLAIN,
        coords: [u, v, 0.0],
        lod: Lod::Base,
    }
}

/// A hand-written kernel and its name.
type Named = Option<(&'static str, Kernel)>;

/// The hand-written vertex and fragment shaders, at the widest level of this processor.
#[cfg(target_arch = "x86_64")]
fn by_hand() -> [Named; 2] {
    use handwritten::{avx2, avx512};
    if is_x86_feature_detected!("avx512f") {
        let name = "hand-written, avx512";
        [Some((name, avx512::vertex)), Some((name, avx512::fragment))]
    } else if is_x86_feature_detected!("avx2") {
        let name = "hand-written, avx2";
        [Some((name, avx2::vertex)), Some((name, avx2::fragment))]
    } else {
        [None, None]
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn by_hand() -> [Named; 2] {
    [None, None]
}

fn contest(title: &str, unit: &str, shader: &Shader, kernel: Named) {
    let (cx, env) = (shader.context(), environment());
    let program = ir::rewrite::rewrite(
        &lowering::lower_validated(&cx, Mode::Auto).unwrap_or_else(|error| panic!("{error}")),
    );
    let plan = lockstep_core::exec::plan(&program);
    let (offsets, inputs) = (offsets(&plan), stream_inputs(&plan, &env));
    let blank = || vec![0.0; LANES / WIDTH * offsets.output_block];

    let mut expected = Vec::new();
    reference(&cx, &env, &mut expected);
    let mut contenders = vec![Contender::new("reference", {
        let (cx, env, mut outputs) = (&cx, &env, Vec::new());
        move || reference(cx, env, black_box(&mut outputs))
    })];
    for level in Level::available() {
        let (mut batch, mut outputs) = (Batch::new(), blank());
        batch.stream(&plan, &env, level, &inputs, &mut outputs, LANES);
        check_outputs(&format!("{level:?}"), &cx, &offsets, &expected, &outputs);
        let (plan, env, inputs) = (&plan, &env, &inputs);
        let name = format!("executor, {level:?}").to_lowercase();
        if level.is_compiled() {
            let compiled = Compiled::new(plan, level).unwrap_or_else(|error| panic!("{error}"));
            contenders.push(Contender::new(name, move || {
                batch.stream_compiled(
                    plan,
                    env,
                    &compiled,
                    black_box(inputs),
                    black_box(&mut outputs),
                    LANES,
                );
            }));
        } else {
            contenders.push(Contender::new(name, move || {
                batch.stream(plan, env, level, black_box(inputs), black_box(&mut outputs), LANES);
            }));
        }
    }
    if let Some((name, kernel)) = kernel {
        let mut outputs = blank();
        let (env, offsets, inputs) = (&env, &offsets, &inputs);
        // SAFETY: `by_hand` only returns kernels that this processor supports.
        let go = move |outputs: &mut [f32]| unsafe { kernel(env, offsets, black_box(inputs), outputs) };
        go(&mut outputs);
        check_outputs(name, &cx, offsets, &expected, &outputs);
        contenders.push(Contender::new(name, move || go(black_box(&mut outputs))));
    }

    let hand_at = kernel.map(|_| contenders.len() - 1);
    if let Some(&(u, _)) = plan.inputs().first().filter(|_| plan.quads()) {
        assert_eq!(u, 0, "the coordinates come first");
        contenders.push(Contender::new("texture reads, one by one", || {
            for block in inputs.chunks_exact(offsets.input_block) {
                for lane in 0..WIDTH {
                    black_box(sample(&env.textures[0], &request(block[lane], block[WIDTH + lane])));
                }
            }
        }));
    }

    let (mut batch, best) = (Batch::new(), Level::detect());
    let run_at = contenders.len();
    let (by_lane, lanes) = (&plan, &env);
    let run = move || batch.run(by_lane, black_box(lanes), best);
    contenders.push(Contender::new("executor, lane by lane", run));

    let times = seconds(&mut contenders);
    let hand = hand_at.map(|at| times[at]);
    println!("{title}: {} instructions, all results equal bit for bit", Agal::instruction_count(&cx));
    println!("  {:<26} {:>14} {:>14} {:>18}", "", format!("M {unit}/s"), "x reference", "x hand-written");
    for (contender, time) in contenders.iter().zip(&times) {
        let of_hand = hand.map_or_else(|| "-".to_owned(), |hand| format!("{:.3}", hand / time));
        let rate = LANES as f64 / time / 1e6;
        println!("  {:<26} {rate:>14.2} {:>14.1} {of_hand:>18}", contender.name, times[0] / time);
    }
    let streamed = times[Level::available().filter(|level| !level.is_compiled()).count()];
    aim("Batch::run, compared with Batch::stream", "times", Bound::AtMost, 1.4, times[run_at] / streamed);
    println!();
}

fn preparation() {
    let shader = Shader::new(TWENTY);
    let cx = shader.context();
    let (mut planner, mut plan) = (Planner::default(), Plan::default());
    let lowered = || lowering::lower_validated(&cx, Mode::Auto).unwrap_or_else(|error| panic!("{error}"));
    let program = lowered();
    let bytes = {
        let mut large = shader.program.clone();
        large.tokens = large.tokens.iter().copied().cycle().take(4096).collect();
        let bytes = Agal::encode(&large);
        assert_eq!(Agal::decode(&bytes).as_ref(), Ok(&large), "the bytes decode to the program");
        bytes
    };
    let (mut compiled, compiled_plan) = (Compiled::default(), lockstep_core::exec::plan(&program));
    let level = [Level::Jit512, Level::Jit256].into_iter().find(|level| level.is_available());
    let mut contenders = [
        Contender::new("lowering", || {
            black_box(lowered());
        }),
        Contender::new("planning", || planner.plan(black_box(&program), &mut plan)),
        Contender::new("rewriting", || {
            black_box(ir::rewrite::rewrite(black_box(&program)));
        }),
        Contender::new("validation", || {
            black_box(Agal::validate(black_box(&cx)));
        }),
        Contender::new("decoding", || {
            let _ = black_box(Agal::decode(black_box(&bytes)));
        }),
        Contender::new("compiling", || {
            if let Some(level) = level {
                compiled.replace(black_box(&compiled_plan), level).unwrap_or_else(|error| panic!("{error}"));
            }
        }),
    ];
    let times = seconds(&mut contenders);
    println!("preparation of a program of {} instructions", Agal::instruction_count(&cx));
    aim("lowering and planning", "us", Bound::AtMost, 8.0, (times[0] + times[1]) * 1e6);
    for (contender, time) in contenders.iter().zip(&times).take(4) {
        println!("  {:<26} {:>14.1} us", contender.name, time * 1e6);
    }
    if level.is_some() {
        println!("  {:<26} {:>14.1} us", "compiling", times[5] * 1e6);
    }
    println!("  {:<26} {:>14.0} MB/s", "decoding", bytes.len() as f64 / times[4] / 1e6);
}

fn main() {
    short::contests();
    let [vertex, fragment] = by_hand();
    contest("vertex shader, transform and light", "vertices", &Shader::new(VERTEX), vertex);
    // The engines share one sampler; the hand-written shader has its own, specialised for this texture.
    let title = "fragment shader, lit texture";
    contest(title, "fragments", &Shader::new(FRAGMENT), fragment);
    preparation();
}
