//! The two shaders written by hand for x86-64: one vector operation for each operation of the shader, in its order, so that the results are the same bit for
//! bit. Nothing is fused, because the shaders' language fuses nothing.

use crate::{Places, request};
use lockstep_core::exec::WIDTH;
use lockstep_core::host::{Environment, sample};

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
                // SAFETY: the slice has as many numbers as are read, and the address needs no alignment.
                unsafe { $load(from.as_ptr()) }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn store(to: &mut [f32], at: usize, v: $vector) {
                let to = &mut to[at..at + $lanes];
                // SAFETY: the slice has as many numbers as are written, and the address needs no alignment.
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

            /// `corpora/agal/programs/transform_light.agal.txt`.
            #[target_feature(enable = $features)]
            pub(crate) fn vertex(env: &Environment, places: &Places, inputs: &[f32], outputs: &mut [f32]) {
                let Ok(c) = <&[[f32; 4]; 12]>::try_from(&env.constants[..12]) else { return };
                let (Ok(i), Ok(o)) = (
                    <&[usize; 12]>::try_from(&places.inputs[..12]),
                    <&[usize; 12]>::try_from(&places.outputs[..12]),
                ) else {
                    return;
                };
                let blocks = inputs
                    .chunks_exact(places.input_block)
                    .zip(outputs.chunks_exact_mut(places.output_block));
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

            /// [`crate::FRAGMENT`]. The texture is read by the sampler that all engines share, one lane after another.
            #[target_feature(enable = $features)]
            pub(crate) fn fragment(env: &Environment, places: &Places, inputs: &[f32], outputs: &mut [f32]) {
                let (c, i, o) = (&env.constants, &places.inputs, &places.outputs);
                let blocks = inputs
                    .chunks_exact(places.input_block)
                    .zip(outputs.chunks_exact_mut(places.output_block));
                for (input, output) in blocks {
                    let mut texels = [0.0; 4 * WIDTH];
                    for lane in 0..WIDTH {
                        let texel =
                            sample(&env.textures[0], &request(input[i[0] + lane], input[i[1] + lane]));
                        for (k, value) in texel.into_iter().enumerate() {
                            texels[k * WIDTH + lane] = value;
                        }
                    }
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
