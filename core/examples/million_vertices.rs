//! A vertex shader compiled to machine code and run on a million vertices, as a user of the library would do it.
//!
//! `cargo run --release -p lockstep-core --example million_vertices`. One vertex in 997 is also run by the reference; exits with 0 only if their results
//! are the same bits. Prints the time for each vertex, with machine code and with the interpreter, both on one core.

use lockstep_core::exec::{Batch, Compiled, Level, Plan, WIDTH, plan};
use lockstep_core::host::{ConcreteHost, Environment, LaneInput};
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::run::{run, start};
use lockstep_core::isa::{Context, Format, Options, Reference, Syntax, Tables, lower};
use lockstep_core::value::{Concrete, same};
use std::error::Error;
use std::time::{Duration, Instant};

const SHADER: &str = "version 1 vertex
m44 op, va0, vc0
m33 vt0.xyz, va1, vc4
nrm vt0.xyz, vt0.xyz
dp3 vt0.w, vt0.xyz, vc8.xyz
max vt0.w, vt0.w, vc8.w
mul vt1, va2, vt0.w
add v0, vt1, vc9
";

const VERTICES: usize = 1_000_000;

/// Vertices in a call: few enough that their numbers stay in the cache.
const CALL: usize = 16 * WIDTH;

/// A vertex as it is stored in a vertex buffer: position, normal and colour.
type Vertex = [[f32; 4]; 3];

/// A vertex buffer, the same in every run.
fn vertices() -> Vec<Vertex> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..VERTICES).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| next()))).collect()
}

/// Copies vertices into blocks of [`WIDTH`] in which components follow one another, in the order of [`Plan::inputs`].
fn gather(plan: &Plan, vertices: &[Vertex], blocks: &mut [f32]) {
    let components = plan.inputs().len();
    for (vertices, block) in vertices.chunks(WIDTH).zip(blocks.chunks_exact_mut(components * WIDTH)) {
        for ((number, _), row) in plan.inputs().iter().zip(block.chunks_exact_mut(WIDTH)) {
            let (slot, component) = (usize::from(number / 4), usize::from(number % 4));
            for (value, vertex) in row.iter_mut().zip(vertices) {
                *value = vertex[slot][component];
            }
        }
    }
}

/// Returns the time that an engine takes for all vertices. `run` receives the inputs and outputs of a call and the number of its vertices. `check`
/// receives the number of the call's first vertex and the outputs.
fn time_all_vertices(
    plan: &Plan,
    vertices: &[Vertex],
    mut run: impl FnMut(&[f32], &mut [f32], usize),
    mut check: impl FnMut(usize, &[f32]),
) -> Duration {
    let mut inputs = vec![0.0; CALL * plan.inputs().len()];
    let mut outputs = vec![0.0; CALL * plan.outputs().len()];
    let mut spent = Duration::ZERO;
    for (call, chunk) in vertices.chunks(CALL).enumerate() {
        gather(plan, chunk, &mut inputs);
        let begin = Instant::now();
        run(&inputs, &mut outputs, chunk.len());
        spent += begin.elapsed();
        check(call * CALL, &outputs);
    }
    spent
}

fn main() -> Result<(), Box<dyn Error>> {
    let program = Agal::assemble(SHADER).map_err(|errors| format!("{errors:?}"))?;
    let entry = Agal::entries(&program).into_iter().next().ok_or("the program has no entry")?;
    let options = Options::new(Agal::option_specs());
    let cx: Context<'_, Agal> = Context { program: &program, entry: &entry, options: &options };

    // Once for each shader: validate, lower, plan, compile.
    let begin = Instant::now();
    let plan = plan(&lower(&cx, Mode::Auto)?);
    let level = Level::available().filter(|level| level.is_compiled()).last();
    let level = level.ok_or("no machine code for this processor")?;
    let compiled = Compiled::new(&plan, level)?;
    println!("prepared in {:?}: {} bytes of code for {level:?}", begin.elapsed(), compiled.code_bytes());

    // Once for each draw call: constants, and any number of vertices.
    let constants =
        (0..10u8).map(|slot| [0.5, -0.25, 0.125, 0.0625].map(|v| v * f32::from(slot + 1))).collect();
    let env = Environment { constants, ..Environment::default() };
    let vertices = vertices();
    let (mut batch, mut compared) = (Batch::new(), 0);
    let mut wrong = None;
    let with_code = time_all_vertices(
        &plan,
        &vertices,
        |inputs, outputs, lanes| batch.stream_compiled(&plan, &env, &compiled, inputs, outputs, lanes),
        |first, outputs| {
            for at in (first..VERTICES.min(first + CALL)).filter(|at| at % 997 == 0) {
                let expected = reference(&cx, &plan, &env, &vertices[at]);
                let index = |k: usize| ((at - first) / WIDTH * plan.outputs().len() + k) * WIDTH + at % WIDTH;
                let equal = |(k, value): (usize, &f32)| same(outputs[index(k)], *value);
                compared += expected.len();
                if !expected.iter().enumerate().all(equal) {
                    wrong.get_or_insert(at);
                }
            }
        },
    );
    if let Some(at) = wrong {
        return Err(format!("vertex {at} differs from the reference").into());
    }
    let interpreted = time_all_vertices(
        &plan,
        &vertices,
        |inputs, outputs, lanes| batch.stream(&plan, &env, Level::detect(), inputs, outputs, lanes),
        |_, _| {},
    );
    let each = |time: Duration| time.as_secs_f64() * 1e9 / VERTICES as f64;
    println!("{VERTICES} vertices, {compared} components equal to the reference's");
    println!("machine code {:.2} ns per vertex, interpreter {:.2} ns", each(with_code), each(interpreted));
    Ok(())
}

/// The components of the outputs of one vertex, in the order of [`Plan::outputs`], as the reference computes them.
fn reference(cx: &Context<'_, Agal>, plan: &Plan, env: &Environment, vertex: &Vertex) -> Vec<f32> {
    let lanes = vec![LaneInput { slots: vertex.to_vec() }];
    let env = Environment { lanes, ..env.clone() };
    let mut host = ConcreteHost::<false>::new(&env, 0);
    let mut lanes = start::<Agal, _, _>(&Concrete, &mut host, cx, 1, env.fuel);
    run(&mut Concrete, &mut host, cx, &mut lanes);
    let output = |number: u16| {
        Agal::output::<Concrete>(&Concrete, cx, &lanes[0].lane, number / 4)[usize::from(number % 4)]
    };
    plan.outputs().iter().map(|(number, _)| output(*number)).collect()
}
