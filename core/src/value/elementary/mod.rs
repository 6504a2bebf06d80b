//! exp2, log2, sin and cos on binary32. The results are correctly rounded for each of the 2^32 inputs: to nearest, ties to even.
//!
//! No code here calls a mathematical library. Only IEEE `+ - * /` and integer operations are used, so the results are the same on every machine,
//! regardless of the instructions that the compiler selects.
//!
//! Each function has two parts. The *enclosure* is short, branch-free and computed in binary64. It gives two binary32 numbers: a lower and an upper
//! bound of the true value, each rounded. If they are equal, they are the result, since rounding is monotonic. If they differ, which is
//! rare, the *fallback* evaluates the function to about 100 bits in integer fixed point (`fixed`). No binary32 input
//! needs more bits. Arguments of sin and cos beyond 2^20 always take the fallback; `reduction` reduces them with as many bits of 1/(2 pi) as they
//! need.
//!
//! The functions for one number and those for slices (`_lanes`) run the same two parts and give the same bits.

mod exp2;
mod fixed;
mod log2;
mod reduction;
#[cfg(test)]
mod tests;
mod trig;

use fixed::Fixed;

/// One function, given by its two parts: the enclosure and the fallback.
trait Function {
    /// A bound of the relative error of [`Function::estimate`]: the error of the polynomial plus a few roundings of 2^-53.
    const ERROR: f64;

    /// f(x) in binary64. The relative error is below [`Function::ERROR`] for every x for which the enclosure relies on it.
    fn estimate(x: f32) -> f64;

    /// f(x) to about 100 bits. The fallback handles special and trivial cases without it; each function states its valid x.
    fn exact(x: f32) -> Fixed;

    /// f(x) correctly rounded, for any x. This is slow.
    fn fallback(x: f32) -> f32;

    /// A lower and an upper bound of f(x), each rounded, in either order. If both have the same bits, they are f(x) correctly rounded.
    #[inline(always)]
    fn enclose(x: f32) -> (f32, f32) {
        bounds(Self::estimate(x), Self::ERROR)
    }
}

/// `y` decreased and increased by the relative `error`, each rounded to binary32.
#[inline(always)]
fn bounds(y: f64, error: f64) -> (f32, f32) {
    ((y * (1.0 - error)) as f32, (y * (1.0 + error)) as f32)
}

/// The number of lanes after which the code checks for lanes that need the fallback: one AVX-512 register of binary32 numbers.
const CHUNK: usize = 16;

#[inline(always)]
fn scalar<F: Function>(x: f32) -> f32 {
    let (low, high) = F::enclose(x);
    if low.to_bits() == high.to_bits() { low } else { F::fallback(x) }
}

#[inline(always)]
fn chunk<F: Function>(out: &mut [f32; CHUNK], x: &[f32; CHUNK]) {
    let mut differing = [0u32; CHUNK];
    for i in 0..CHUNK {
        let (low, high) = F::enclose(x[i]);
        out[i] = low;
        differing[i] = low.to_bits() ^ high.to_bits();
    }
    if differing.iter().fold(0, |any, bits| any | bits) != 0 {
        for i in 0..CHUNK {
            if differing[i] != 0 {
                out[i] = F::fallback(x[i]);
            }
        }
    }
}

#[inline(always)]
fn lanes<F: Function>(out: &mut [f32], x: &[f32]) {
    let length = out.len().min(x.len());
    let (out_chunks, out_rest) = out[..length].as_chunks_mut::<CHUNK>();
    let (x_chunks, x_rest) = x[..length].as_chunks::<CHUNK>();
    for (out, x) in out_chunks.iter_mut().zip(x_chunks) {
        chunk::<F>(out, x);
    }
    if !x_rest.is_empty() {
        // The padding is 1, for which no function needs the fallback.
        let mut padded = [1.0; CHUNK];
        padded[..x_rest.len()].copy_from_slice(x_rest);
        let mut results = [0.0; CHUNK];
        chunk::<F>(&mut results, &padded);
        out_rest.copy_from_slice(&results[..x_rest.len()]);
    }
}

macro_rules! forms {
    ($(#[$doc:meta])* $name:ident, $lanes:ident, $function:ty) => {
        $(#[$doc])*
        #[inline]
        pub fn $name(x: f32) -> f32 {
            scalar::<$function>(x)
        }

        #[doc = concat!("[`", stringify!($name), "()`] of each element of `x`, into the element of `out` at the same index.")]
        ///
        /// The slices should have the same length; elements of `out` beyond the length of `x` are unchanged. The function is always inlined: a caller
        /// with `#[target_feature]` has it compiled for its features. The bits of the results do not depend on the features.
        #[inline(always)]
        pub fn $lanes(out: &mut [f32], x: &[f32]) {
            lanes::<$function>(out, x);
        }
    };
}

forms!(
    /// 2^x, correctly rounded. Overflow gives infinity, underflow the nearest subnormal or +0; NaN gives NaN.
    exp2, exp2_lanes, exp2::Exp2
);
forms!(
    /// The logarithm of x to base 2, correctly rounded. Either zero gives -infinity, a negative x or NaN gives NaN, 1 gives +0.
    log2, log2_lanes, log2::Log2
);
forms!(
    /// The sine of x radians, correctly rounded. -0 gives -0; an infinity or NaN gives NaN.
    sin, sin_lanes, trig::Sin
);
forms!(
    /// The cosine of x radians, correctly rounded. An infinity or NaN gives NaN.
    cos, cos_lanes, trig::Cos
);
