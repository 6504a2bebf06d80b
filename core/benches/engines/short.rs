//! Shaders in short formats, in which the result of each operation is rounded or flushed. These shaders are compared with the same shaders in plain
//! binary32, and with shaders written by hand.
//!
//! The figures are from the fastest round of each contender, which other work on the machine disturbs least.

use crate::aim::{Bound, aim};
use crate::measure::{Contender, fastest};
use crate::{Kernel, LANES, numbers, offsets, stream_inputs};
use lockstep_core::exec::{Batch, Compiled, Level, Plan, WIDTH};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::ir;
use lockstep_core::isa::lowering::{self, Mode};
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::{Context, Isa, Options};
use lockstep_core::value::same;
use std::hint::black_box;

const TRANSFORM: &str = include_str!("../../../corpora/pica200/programs/basic_transform.pica200.txt");
const SKINNING: &str = include_str!("../../../corpora/pica200/programs/skinning_palette.pica200.txt");
const DIFFUSE: &str = include_str!("../../../corpora/utgard_gp/programs/diffuse.utgard_gp.txt");

/// The names of options, each with its choice.
type Named = [(&'static str, &'static str)];

/// The number of bones in the palette.
const BONES: u32 = 20;

/// Returns the plan of a program, and an environment for it. Constants and inputs are between -1 and 1, except that the second input of the lanes
/// contains the numbers of bones.
fn prepared<I: Isa>(text: &str, options: &Named) -> Prepared {
    let program = I::assemble(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let entry = I::entries(&program).swap_remove(0);
    let mut set = Options::new(I::option_specs());
    for (name, choice) in options {
        set.set_named(name, choice).unwrap_or_else(|error| panic!("{error}"));
    }
    let cx: Context<'_, I> = Context { program: &program, entry: &entry, options: &set };
    let lowered = lowering::lower_validated(&cx, Mode::Auto).unwrap_or_else(|error| panic!("{error}"));
    let plan = lockstep_core::exec::plan(&ir::rewrite::rewrite(&lowered));

    let mut next = numbers(1);
    let mut vec4 = || [next(), next(), next(), next()];
    let constants = (0..96).map(|_| vec4()).collect();
    let lane = |lane: u32| {
        let mut slots: Vec<[f32; 4]> = (0..4).map(|_| vec4()).collect();
        slots[1] = [lane % BONES, lane * 7 % BONES, 0, 0].map(|bone| bone as f32);
        LaneInput { slots }
    };
    let lanes = (0..LANES as u32).map(lane).collect();
    let mut env = Environment { constants, lanes, fuel: 0, ..Environment::default() };
    I::preset(&program, &entry, &mut env);
    (plan, env)
}

/// The levels that are measured: the best level of the interpreter and, if the processor has one, the best level of the compiler.
fn levels() -> impl Iterator<Item = Level> {
    let compiled = [Level::Jit512, Level::Jit256].into_iter().find(|level| level.is_available());
    std::iter::once(Level::detect()).chain(compiled)
}

/// A plan and an environment for it.
type Prepared = (Plan, Environment);

/// The aims for a shader in a short format.
#[derive(Clone, Copy)]
struct Aims {
    /// The maximum run time, as a multiple of the run time in plain binary32.
    plain: f64,
    /// The minimum speed, as a share of the speed of the kernel written by hand.
    by_hand: f64,
}

/// Times a shader in plain binary32 and in a short format at each level, and the hand-written kernel for the short format, if there is one. The
/// kernel must give the same bits as the shader in the short format.
fn contest(title: &str, plain: &Prepared, short: &Prepared, kernel: Option<Kernel>, aims: Aims) {
    let blank = |plan: &Plan| vec![0.0; LANES / WIDTH * plan.outputs().len() * WIDTH];
    let inputs = [plain, short].map(|(plan, env)| stream_inputs(plan, env));
    let mut contenders = Vec::new();
    for level in levels() {
        for ((plan, env), (inputs, format)) in
            [plain, short].into_iter().zip(inputs.iter().zip(["binary32", "short"]))
        {
            let name = format!("{format}, {level:?}").to_lowercase();
            let (mut batch, mut outputs) = (Batch::new(), blank(plan));
            if level.is_compiled() {
                let compiled = Compiled::new(plan, level).unwrap_or_else(|error| panic!("{error}"));
                contenders.push(Contender::new(name, move || {
                    let inputs = black_box(inputs);
                    batch.stream_compiled(plan, env, &compiled, inputs, black_box(&mut outputs), LANES);
                }));
            } else {
                contenders.push(Contender::new(name, move || {
                    batch.stream(plan, env, level, black_box(inputs), black_box(&mut outputs), LANES);
                }));
            }
        }
    }
    if let Some(kernel) = kernel {
        let (plan, env) = short;
        let (offsets, mut expected, mut outputs) = (offsets(plan), blank(plan), blank(plan));
        let inputs = &inputs[1];
        Batch::new().stream(plan, env, Level::detect(), inputs, &mut expected, LANES);
        // SAFETY: `by_hand` only returns kernels that this processor supports.
        let go = move |outputs: &mut [f32]| unsafe { kernel(env, &offsets, black_box(inputs), outputs) };
        go(&mut outputs);
        let wrong = outputs.iter().zip(&expected).position(|(a, b)| !same(*a, *b));
        assert_eq!(wrong, None, "{title}: the hand-written kernel differs");
        contenders.push(Contender::new("short, hand-written, avx512", move || go(black_box(&mut outputs))));
    }
    let times = fastest(&mut contenders);
    println!("{title}");
    for (contender, time) in contenders.iter().zip(&times) {
        println!("  {:<28} {:>10.2} M vertices/s", contender.name, LANES as f64 / time / 1e6);
    }
    for (level, times_at) in levels().zip(times.chunks_exact(2)) {
        let label = format!("short format, compared with binary32, {level:?}").to_lowercase();
        aim(&label, "times", Bound::AtMost, aims.plain, times_at[1] / times_at[0]);
        if kernel.is_some() {
            let label = format!("speed, compared with hand-written, {level:?}").to_lowercase();
            aim(&label, "times", Bound::AtLeast, aims.by_hand, times[times.len() - 1] / times_at[1]);
        }
    }
    println!();
}

#[cfg(target_arch = "x86_64")]
fn by_hand() -> [Option<Kernel>; 2] {
    if is_x86_feature_detected!("avx512f") {
        [Some(hand::transform), Some(hand::diffuse)]
    } else {
        [None, None]
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn by_hand() -> [Option<Kernel>; 2] {
    [None, None]
}

pub(crate) fn contests() {
    let plain: &Named = &[("number", "f32"), ("subnormal", "keep"), ("negative_zero", "keep")];
    let [transform, diffuse] = by_hand();
    let aims = Aims { plain: 2.0, by_hand: 1.0 };
    for (title, text, kernel) in
        [("PICA200, two transforms", TRANSFORM, transform), ("PICA200, skinning", SKINNING, None)]
    {
        contest(title, &prepared::<Pica200>(text, plain), &prepared::<Pica200>(text, &[]), kernel, aims);
    }
    let plain = prepared::<UtgardGp>(DIFFUSE, &[("subnormals", "keep")]);
    let aims = Aims { plain: 2.0, by_hand: 0.5 };
    contest("Utgard GP, diffuse light", &plain, &prepared::<UtgardGp>(DIFFUSE, &[]), diffuse, aims);
}

/// The hand-written kernels, for AVX-512. Values that are the same in all lanes are computed once.
#[cfg(target_arch = "x86_64")]
mod hand {
    use crate::Offsets;
    use lockstep_core::exec::WIDTH;
    use lockstep_core::host::Environment;
    use std::arch::x86_64::*;

    const LANES: usize = 16;

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(from: &[f32], at: usize) -> __m512 {
        let from = &from[at..at + LANES];
        // SAFETY: the slice is as long as the load, which needs no alignment.
        unsafe { _mm512_loadu_ps(from.as_ptr()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(to: &mut [f32], at: usize, v: __m512) {
        let to = &mut to[at..at + LANES];
        // SAFETY: the slice is as long as the store, which needs no alignment.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), v) }
    }

    /// Replaces numbers below 2^-62 in magnitude by +0.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn flush_below_f24(x: __m512) -> __m512 {
        let magnitude = _mm512_abs_ps(x);
        let least = _mm512_set1_ps(f32::from_bits((127 - 62) << 23));
        let kept = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(magnitude, least);
        _mm512_maskz_mov_ps(kept, x)
    }

    /// Rounds to f24 toward zero, without subnormals and -0.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn round(x: __m512) -> __m512 {
        let scale = f32::from_bits((127 + 64) << 23);
        let x = _mm512_mul_ps(_mm512_mul_ps(x, _mm512_set1_ps(scale)), _mm512_set1_ps(1.0 / scale));
        let magnitude = _mm512_abs_ps(x);
        let least = _mm512_set1_ps(f32::from_bits((127 - 62) << 23));
        let kept = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(magnitude, least);
        let bits = _mm512_castps_si512(x);
        _mm512_castsi512_ps(_mm512_maskz_and_epi32(kept, bits, _mm512_set1_epi32(!0x7f)))
    }

    /// The rounded product, in which zero times infinity is zero.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn product(a: __m512, b: __m512) -> __m512 {
        let product = _mm512_mul_ps(a, b);
        let numbers = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(a, b);
        let undefined = _mm512_mask_cmp_ps_mask::<_CMP_UNORD_Q>(numbers, product, product);
        round(_mm512_mask_mov_ps(product, undefined, _mm512_setzero_ps()))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn dot4(row: &[f32; 4], v: &[__m512; 4]) -> __m512 {
        let mut sum = product(_mm512_set1_ps(row[0]), v[0]);
        for c in 1..4 {
            sum = round(_mm512_add_ps(sum, product(_mm512_set1_ps(row[c]), v[c])));
        }
        sum
    }

    /// Runs `corpora/pica200/programs/basic_transform.pica200.txt`.
    #[target_feature(enable = "avx512f")]
    pub(super) fn transform(env: &Environment, offsets: &Offsets, inputs: &[f32], outputs: &mut [f32]) {
        let flushed = |v: f32| if v.abs() < f32::from_bits((127 - 62) << 23) { 0.0 } else { v };
        let rows: [[f32; 4]; 8] = std::array::from_fn(|row| env.constants[row].map(flushed));
        let blocks =
            inputs.chunks_exact(offsets.input_block).zip(outputs.chunks_exact_mut(offsets.output_block));
        let (i, o) = (&offsets.inputs, &offsets.outputs);
        for (input, output) in blocks {
            for at in (0..WIDTH).step_by(LANES) {
                let position: [__m512; 4] = std::array::from_fn(|c| flush_below_f24(load(input, i[c] + at)));
                // Results of `dot4` need no `flush_below_f24`, because `round` replaces small numbers as well.
                let eye = [4, 5, 6, 7].map(|row| dot4(&rows[row], &position));
                for c in 0..4 {
                    store(output, o[c] + at, dot4(&rows[c], &eye));
                }
                for c in 4..12 {
                    store(output, o[c] + at, load(input, i[c] + at));
                }
            }
        }
    }

    /// Replaces subnormals by zeros of the same sign.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn flush(x: __m512) -> __m512 {
        let bits = _mm512_castps_si512(x);
        let tiny = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(0x7f80_0000));
        _mm512_castsi512_ps(_mm512_mask_and_epi32(bits, tiny, bits, _mm512_set1_epi32(i32::MIN)))
    }

    /// Runs `corpora/utgard_gp/programs/diffuse.utgard_gp.txt`.
    #[target_feature(enable = "avx512f")]
    pub(super) fn diffuse(env: &Environment, offsets: &Offsets, inputs: &[f32], outputs: &mut [f32]) {
        let flushed = |v: f32| if v.abs() < f32::MIN_POSITIVE { 0f32.copysign(v) } else { v };
        let [direction, colour, ambient] = [0, 1, 2].map(|slot| env.constants[slot].map(flushed));
        let last = env.constants[2][3];
        let blocks =
            inputs.chunks_exact(offsets.input_block).zip(outputs.chunks_exact_mut(offsets.output_block));
        let (i, o) = (&offsets.inputs, &offsets.outputs);
        for (input, output) in blocks {
            for at in (0..WIDTH).step_by(LANES) {
                let product = |c: usize| {
                    flush(_mm512_mul_ps(flush(load(input, i[4 + c] + at)), _mm512_set1_ps(direction[c])))
                };
                let sum = flush(_mm512_add_ps(product(0), product(1)));
                let sum = flush(_mm512_add_ps(product(2), sum));
                let light = _mm512_max_ps(sum, _mm512_setzero_ps());
                for c in 0..3 {
                    let lit = flush(_mm512_mul_ps(_mm512_set1_ps(colour[c]), light));
                    store(output, o[4 + c] + at, flush(_mm512_add_ps(lit, _mm512_set1_ps(ambient[c]))));
                }
                store(output, o[7] + at, _mm512_set1_ps(last));
                for c in 0..4 {
                    store(output, o[c] + at, flush(load(input, i[c] + at)));
                }
            }
        }
    }
}
