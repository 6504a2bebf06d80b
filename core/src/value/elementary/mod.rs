//! exp2, log2, sin and cos on binary32, as the correctly rounded result: nearest, ties to even, for each of the 2^32 inputs.
//!
//! Nothing here calls a mathematical library. Only IEEE `+ - * /` and integer operations are used, so a result is the same on every machine, whatever
//! instructions the compiler picks.
//!
//! Each function has two halves. The *enclosure* is short, branch-free and computed in binary64; it yields two binary32 numbers, the roundings of a
//! lower and of an upper bound of the true value. If they agree, that is the result, since rounding is monotonic. If they do not, for about one in
//! ten thousand inputs, the *fallback* evaluates the function to about 100 bits in integer fixed point (`fixed`), which is more than any binary32
//! input needs.
//! Arguments of sin and cos beyond 2^20 always take the fallback, reduced by as many bits of 1/(2 pi) as they need (`reduction`).
//!
//! The scalar forms and the lane forms run the same two halves and give the same bits.

mod exp2;
mod fixed;
mod log2;
mod reduction;
#[cfg(test)]
mod tests;
mod trig;

use fixed::Fixed;

/// One function, given by its two halves.
trait Function {
    /// Bounds the relative error of [`Function::estimate`]: that of its polynomial, plus a few roundings of 2^-53.
    const ERROR: f64;

    /// f(x) in binary64, to within [`Function::ERROR`] wherever the enclosure relies on it.
    fn estimate(x: f32) -> f64;

    /// f(x) to about 100 bits, for an x whose f(x) is neither special nor trivial.
    fn exact(x: f32) -> Fixed;

    /// f(x) rounded, for any x, slowly.
    fn fallback(x: f32) -> f32;

    /// The roundings of a lower and of an upper bound of f(x), in either order; if both have the same bits, that is f(x).
    #[inline(always)]
    fn enclose(x: f32) -> (f32, f32) {
        bounds(Self::estimate(x), Self::ERROR)
    }
}

/// `y` minus and plus the relative `error`, each rounded to binary32.
#[inline(always)]
fn bounds(y: f64, error: f64) -> (f32, f32) {
    ((y * (1.0 - error)) as f32, (y * (1.0 + error)) as f32)
}

/// Lanes handled per check for lanes that need the fallback: one AVX-512 register of binary32.
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
        // Padding with 1, which takes the fast path in all four functions.
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

        #[doc = concat!("[`", stringify!($name), "()`] of each element of `x`, into the element of `out` at the same place.")]
        ///
        /// The slices are meant to have the same length; elements beyond the shorter one are unchanged. Always inlined, so that inside a function
        /// with `#[target_feature]` it is compiled for those features; the bits do not depend on them.
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
