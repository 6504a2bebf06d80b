//! The entry points of an AFL++ mutator. AFL++ loads them from a shared library into its own process, which does not run the subject.

use crate::{bytes, lockstep_subject_v1};
use lockstep::judge::in_process::{Inputs, linked_inputs};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

/// The mutator's state, which is kept between calls.
struct Mutator {
    inputs: Inputs,
    /// The seed of the last mutation; each mutation first adds 1.
    seed: u32,
    /// The last mutated input, which AFL++ may read until the next call.
    out: Vec<u8>,
}

/// A mutation combines two inputs if its seed is a multiple of this number and AFL++ passes a second input.
const CROSSOVER_PERIOD: u32 = 8;

/// Reads the settings and the subject's profile. Returns null, which makes AFL++ exit, if any of them is unusable.
// SAFETY: AFL++'s name for this function; nothing else in the library has it.
#[unsafe(no_mangle)]
pub extern "C" fn afl_custom_init(_: *mut c_void, seed: c_uint) -> *mut c_void {
    match linked_inputs(lockstep_subject_v1) {
        Ok(inputs) => Box::into_raw(Box::new(Mutator { inputs, seed, out: Vec::new() })).cast(),
        Err(error) => {
            eprintln!("lockstep: {error}");
            null_mut()
        }
    }
}

/// Mutates an input, or combines it with another one. Returns the size of the result, to which `out` then points until the next call.
///
/// # Safety
/// `state` is what `afl_custom_init` returned; `data` and `other` point to as many bytes as stated, or `other` is null; `out` can be written.
// SAFETY: AFL++'s name for this function; nothing else in the library has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_fuzz(
    state: *mut c_void,
    data: *const u8,
    size: usize,
    out: *mut *const u8,
    other: *const u8,
    other_size: usize,
    max_size: usize,
) -> usize {
    // SAFETY: required of the caller.
    let (state, data, other) =
        unsafe { (&mut *state.cast::<Mutator>(), bytes(data, size), bytes(other, other_size)) };
    let Mutator { inputs, seed, out: buffer } = state;
    *seed = seed.wrapping_add(1);
    buffer.clear();
    buffer.resize(max_size, 0);
    let written = if !other.is_empty() && seed.is_multiple_of(CROSSOVER_PERIOD) {
        inputs.crossover(data, other, buffer, *seed)
    } else {
        let size = data.len().min(max_size);
        buffer[..size].copy_from_slice(&data[..size]);
        inputs.mutate(buffer, size, max_size, *seed, None)
    };
    // SAFETY: required of the caller. The buffer lives until the next call.
    unsafe { out.write(buffer.as_ptr()) };
    written
}

/// Frees the mutator's state.
///
/// # Safety
/// `state` is what `afl_custom_init` returned, and is not used afterwards.
// SAFETY: AFL++'s name for this function; nothing else in the library has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_deinit(state: *mut c_void) {
    // SAFETY: `afl_custom_init` created it with `Box::into_raw`.
    drop(unsafe { Box::from_raw(state.cast::<Mutator>()) });
}
