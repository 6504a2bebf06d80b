//! Judges a decoder or executor inside libFuzzer or AFL++. This static library contains the fuzzer's entry points and is linked with a subject that
//! exports the function of `verify/include/lockstep.h`. `docs/libfuzzer.md` describes its use; [`lockstep::judge::in_process`] contains the logic.
//!
//! This crate is only the C boundary: pointers with lengths become slices, and no pointer is kept after a call.
#![allow(unsafe_code)]

pub mod afl;

use lockstep::fuzz::Keep;
use lockstep::judge::in_process;
use lockstep::judge::plugin::abi::Subject;
use std::ffi::{c_char, c_int};

unsafe extern "C-unwind" {
    /// The function that the subject exports; `lockstep.h` declares it.
    fn lockstep_subject_v1() -> *const Subject;
}

/// libFuzzer's own mutator: takes data, size and maximum size, and returns the new size.
type OwnMutator = unsafe extern "C" fn(*mut u8, usize, usize) -> usize;

// The address of libFuzzer's own mutator; null in programs without libFuzzer. In assembly, since stable Rust cannot declare weak symbols.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
std::arch::global_asm!(
    ".weak LLVMFuzzerMutate",
    ".pushsection .data.rel.ro.lockstep_own_mutator, \"aw\"",
    ".p2align 3",
    ".globl lockstep_own_mutator",
    ".hidden lockstep_own_mutator",
    "lockstep_own_mutator:",
    ".quad LLVMFuzzerMutate",
    ".popsection",
);

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
unsafe extern "C" {
    #[link_name = "lockstep_own_mutator"]
    static OWN_MUTATOR: Option<OwnMutator>;
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn own_mutator() -> Option<OwnMutator> {
    // SAFETY: the assembly above defines it as a constant word: null, or the address of a function that libFuzzer declares with this type.
    unsafe { OWN_MUTATOR }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn own_mutator() -> Option<OwnMutator> {
    None
}

/// Returns bytes that the fuzzer passes, such as an input, as a slice; empty for a null pointer.
///
/// # Safety
/// `at` is null, or points to `size` readable bytes that nothing writes while the result is used.
unsafe fn bytes<'a>(at: *const u8, size: usize) -> &'a [u8] {
    // SAFETY: required of the caller.
    if at.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(at, size) } }
}

/// Returns a buffer of the fuzzer, to be written to, as a slice; empty for a null pointer.
///
/// # Safety
/// `at` is null, or points to `size` initialised bytes that nothing else uses while the result is used.
unsafe fn bytes_mut<'a>(at: *mut u8, size: usize) -> &'a mut [u8] {
    // SAFETY: required of the caller.
    if at.is_null() { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(at, size) } }
}

/// Opens the subject, if not yet open, with the settings from environment variables. Exits with status 2 if the subject or a setting is unusable.
// SAFETY: the fuzzer's name for this function; nothing else in the program has it.
#[unsafe(no_mangle)]
pub extern "C" fn LLVMFuzzerInitialize(_: *mut c_int, _: *mut *mut *mut c_char) -> c_int {
    in_process::start_linked(lockstep_subject_v1);
    0
}

/// Judges one input. Returns 0, or -1 for an input that is not worth keeping. Aborts on a finding.
///
/// # Safety
/// `data` points to `size` bytes.
// SAFETY: the fuzzer's name for this function; nothing else in the program has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> c_int {
    // Not every driver calls `LLVMFuzzerInitialize`.
    in_process::start_linked(lockstep_subject_v1);
    // SAFETY: required of the caller.
    match in_process::test_one(unsafe { bytes(data, size) }) {
        Keep::Yes => 0,
        Keep::No => -1,
    }
}

/// Changes an input in place and returns its new size.
///
/// # Safety
/// `data` points to `max_size` bytes, of which the first `size` are the input.
// SAFETY: the fuzzer's name for this function; nothing else in the program has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn LLVMFuzzerCustomMutator(
    data: *mut u8,
    size: usize,
    max_size: usize,
    seed: u32,
) -> usize {
    in_process::start_linked(lockstep_subject_v1);
    // SAFETY: required of the caller.
    let data = unsafe { bytes_mut(data, max_size) };
    let own = own_mutator();
    let blind = |data: &mut [u8], size: usize, max_size: usize| {
        let max_size = max_size.min(data.len());
        // SAFETY: libFuzzer changes at most `max_size` bytes, and there are as many.
        own.map_or(size, |own| unsafe { own(data.as_mut_ptr(), size.min(max_size), max_size) })
    };
    in_process::mutate(data, size, max_size, seed, own.is_some().then_some(&blind))
}

/// Writes a combination of two inputs and returns its size.
///
/// # Safety
/// `first` and `second` point to as many bytes as stated, and `out` to `max_size`.
// SAFETY: the fuzzer's name for this function; nothing else in the program has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn LLVMFuzzerCustomCrossOver(
    first: *const u8,
    first_size: usize,
    second: *const u8,
    second_size: usize,
    out: *mut u8,
    max_size: usize,
    seed: u32,
) -> usize {
    in_process::start_linked(lockstep_subject_v1);
    // SAFETY: required of the caller.
    let (first, second, out) =
        unsafe { (bytes(first, first_size), bytes(second, second_size), bytes_mut(out, max_size)) };
    in_process::crossover(first, second, out, seed)
}
