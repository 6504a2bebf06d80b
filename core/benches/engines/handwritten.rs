//! Two shaders written by hand for x86-64: one vector operation for each operation of the shader, in its order, so that the results are identical bit
//! for bit. Nothing is fused, because AGAL has no fused operations.

use crate::Offsets;
use lockstep_core::exec::WIDTH;
use lockstep_core::host::{Environment, Texels};

macro_rules! kernels {
    ($module:ident, $features:literal, $vector:ident, $lanes:literal, $load:ident, $store:ident, $set:ident, $add:ident, $mul:ident, $div:ident,
     $sqrt:ident, $min:ident, $max:ident) => {
        pub(crate) mod $module {
            use super::*;
            use std::arch::x86_64::*;

            #[inline]
            #[target_feature(enable = $features)]
            fn load(from: &[f32], at: usize) -> $vector {
                let from = &from[at..at + $lanes];
                // SAFETY: the slice is at least as long as the load, which needs no alignment.
                unsafe { $load(from.as_ptr()) }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn store(to: &mut [f32], at: usize, v: $vector) {
                let to = &mut to[at..at + $lanes];
                // SAFETY: the slice is at least as long as the store, which needs no alignment.
                unsafe { $store(to.as_mut_ptr(), v) }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn dot3(a: [$vector; 3], b: [$vector; 3]) -> $vector {
                $add($add($mul(a[0], b[0]), $mul(a[1], b[1])), $mul(a[2], b[2]))
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn splat3(v: [f32; 4]) -> [$vector; 3] {
                [$set(v[0]), $set(v[1]), $set(v[2])]
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn normalize(v: [$vector; 3]) -> [$vector; 3] {
                let scale = $div($set(1.0), $sqrt(dot3(v, v)));
                [$mul(v[0], scale), $mul(v[1], scale), $mul(v[2], scale)]
            }

            /// Runs `corpora/agal/programs/transform_light.agal.txt`.
            #[target_feature(enable = $features)]
            pub(crate) fn vertex(env: &Environment, offsets: &Offsets, inputs: &[f32], outputs: &mut [f32]) {
                let Ok(c) = <&[[f32; 4]; 12]>::try_from(&env.constants[..12]) else { return };
                let (Ok(i), Ok(o)) = (
                    <&[usize; 12]>::try_from(&offsets.inputs[..12]),
                    <&[usize; 12]>::try_from(&offsets.outputs[..12]),
                ) else {
                    return;
                };
                let blocks = inputs
                    .chunks_exact(offsets.input_block)
                    .zip(outputs.chunks_exact_mut(offsets.output_block));
                for (input, output) in blocks {
                    for at in (0..WIDTH).step_by($lanes) {
                        let p = [
                            load(input, i[0] + at),
                            load(input, i[1] + at),
                            load(input, i[2] + at),
                            load(input, i[3] + at),
                        ];
                        for row in 0..4 {
                            let xyz = dot3([p[0], p[1], p[2]], splat3(c[row]));
                            store(output, o[row] + at, $add(xyz, $mul(p[3], $set(c[row][3]))));
                        }
                        let n = [load(input, i[4] + at), load(input, i[5] + at), load(input, i[6] + at)];
                        let n =
                            normalize([dot3(n, splat3(c[4])), dot3(n, splat3(c[5])), dot3(n, splat3(c[6]))]);
                        let light = $max(dot3(n, splat3(c[8])), $set(c[9][0]));
                        for k in 0..3 {
                            let colour = $add($mul(light, $set(c[10][k])), $set(c[11][k]));
                            store(output, o[8 + k] + at, $max($min(colour, $set(1.0)), $set(0.0)));
                        }
                        store(output, o[11] + at, $set(c[9][1]));
                        for k in 0..4 {
                            store(output, o[4 + k] + at, load(input, i[8 + k] + at));
                        }
                    }
                }
            }

            /// Computes the two texels along an axis of `size` texels, clamped to the axis, and the weight of the second texel, for finite
            /// coordinates.
            #[inline]
            #[target_feature(enable = $features)]
            fn taps(
                u: &[f32],
                size: f32,
                first: &mut [u32; WIDTH],
                second: &mut [u32; WIDTH],
                weight: &mut [f32; WIDTH],
            ) {
                let u = &u[..WIDTH];
                for lane in 0..WIDTH {
                    let q = u[lane] * size - 0.5;
                    let base = q.floor();
                    weight[lane] = q - base;
                    let clamp = |at: f32| {
                        let inside = if at > 0.0 { at } else { 0.0 };
                        let inside = if inside < size - 1.0 { inside } else { size - 1.0 };
                        // SAFETY: between 0 and 65534, which fits in i32.
                        unsafe { inside.to_int_unchecked::<i32>() as u32 }
                    };
                    first[lane] = clamp(base);
                    second[lane] = clamp(base + 1.0);
                }
            }

            /// Returns a if f is 0, otherwise a + f * (b - a).
            #[inline]
            #[target_feature(enable = $features)]
            fn lerp(f: f32, a: __m128, b: __m128) -> __m128 {
                if f == 0.0 { a } else { _mm_add_ps(a, _mm_mul_ps(_mm_set1_ps(f), _mm_sub_ps(b, a))) }
            }

            /// Reads a two-dimensional texture with bilinear filtering and clamped coordinates. All texels must be present.
            #[inline]
            #[target_feature(enable = $features)]
            fn bilinear(
                texels: &[[f32; 4]],
                width: u16,
                height: u16,
                u: &[f32],
                v: &[f32],
                out: &mut [f32; 4 * WIDTH],
            ) {
                assert_eq!(texels.len(), usize::from(width) * usize::from(height), "all texels");
                let (mut x, mut right, mut fx) = ([0; WIDTH], [0; WIDTH], [0.0; WIDTH]);
                let (mut y, mut below, mut fy) = ([0; WIDTH], [0; WIDTH], [0.0; WIDTH]);
                taps(u, f32::from(width), &mut x, &mut right, &mut fx);
                taps(v, f32::from(height), &mut y, &mut below, &mut fy);
                // SAFETY: `taps` clamps to the plane, and the assertion ensures that the whole plane is present.
                let at = |x: u32, y: u32| unsafe {
                    _mm_loadu_ps(texels.as_ptr().add(y as usize * usize::from(width) + x as usize).cast())
                };
                for four in (0..WIDTH).step_by(4) {
                    let read = |lane: usize| {
                        let upper = lerp(fx[lane], at(x[lane], y[lane]), at(right[lane], y[lane]));
                        let lower = lerp(fx[lane], at(x[lane], below[lane]), at(right[lane], below[lane]));
                        lerp(fy[lane], upper, lower)
                    };
                    let (mut a, mut b, mut c, mut d) =
                        (read(four), read(four + 1), read(four + 2), read(four + 3));
                    _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d);
                    for (k, row) in [a, b, c, d].into_iter().enumerate() {
                        let to = &mut out[k * WIDTH + four..][..4];
                        // SAFETY: the slice is at least as long as the store, which needs no alignment.
                        unsafe { _mm_storeu_ps(to.as_mut_ptr(), row) };
                    }
                }
            }

            /// Runs [`crate::FRAGMENT`].
            #[target_feature(enable = $features)]
            pub(crate) fn fragment(
                env: &Environment,
                offsets: &Offsets,
                inputs: &[f32],
                outputs: &mut [f32],
            ) {
                let (c, i, o) = (&env.constants, &offsets.inputs, &offsets.outputs);
                let texture = &env.textures[0];
                let Texels::Explicit(plane) = &texture.texels else { return };
                let blocks = inputs
                    .chunks_exact(offsets.input_block)
                    .zip(outputs.chunks_exact_mut(offsets.output_block));
                for (input, output) in blocks {
                    let mut texels = [0.0; 4 * WIDTH];
                    bilinear(
                        plane,
                        texture.size[0],
                        texture.size[1],
                        &input[i[0]..],
                        &input[i[1]..],
                        &mut texels,
                    );
                    for at in (0..WIDTH).step_by($lanes) {
                        let n = normalize([
                            load(input, i[4] + at),
                            load(input, i[5] + at),
                            load(input, i[6] + at),
                        ]);
                        let light = dot3(n, splat3(c[0]));
                        let light = $max($min(light, $set(1.0)), $set(0.0));
                        for k in 0..3 {
                            let shade = $add($mul(light, $set(c[1][k])), $set(c[2][k]));
                            store(output, o[k] + at, $mul(load(&texels, k * WIDTH + at), shade));
                        }
                        store(output, o[3] + at, load(&texels, 3 * WIDTH + at));
                    }
                }
            }
        }
    };
}

kernels!(
    avx512,
    "avx512f",
    __m512,
    16,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_set1_ps,
    _mm512_add_ps,
    _mm512_mul_ps,
    _mm512_div_ps,
    _mm512_sqrt_ps,
    _mm512_min_ps,
    _mm512_max_ps
);
kernels!(
    avx2,
    "avx2",
    __m256,
    8,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_set1_ps,
    _mm256_add_ps,
    _mm256_mul_ps,
    _mm256_div_ps,
    _mm256_sqrt_ps,
    _mm256_min_ps,
    _mm256_max_ps
);
