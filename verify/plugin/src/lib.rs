//! A shared library that offers Lockstep's own engines through the function of `verify/include/lockstep.h`, to test how Lockstep loads and calls
//! libraries. The arguments in the greeting select the engine: `reference`, `executor` (the default), `sampling`, which evaluates the lowered program
//! and reads textures through the host, or `bug` and the name of a known bug to reproduce.
//!
//! The host's data is trusted: the header specifies what each pointer points to, and for how long. No pointer is kept after a call.
#![allow(unsafe_code)]

mod read;
mod sampling;
mod write;

use lockstep::judge::bugs::reenacted;
use lockstep::judge::plugin::abi::{
    ABI, Batch, Decoded, Environment, Greeting, Program, REGISTERS, Room, Subject as Raw, Trace, verdict,
};
use lockstep::judge::{Engine, OwnEngine, Subject, Verdict};
use lockstep_core::isa::IsaId;
use std::ffi::c_void;
use std::ptr::null_mut;

/// The subject's description as the header declares it; its pointers refer to constants.
struct Description(Raw);

// SAFETY: neither the structure nor anything its pointers refer to is ever written.
unsafe impl Sync for Description {}

static DESCRIPTION: Description = Description(Raw {
    size: size_of::<Raw>(),
    abi: ABI,
    isas: (1 << IsaId::ALL.len()) - 1,
    name: c"lockstep, as a library".as_ptr(),
    version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
    profile: std::ptr::null(),
    open: Some(open),
    decode: Some(decode),
    run: Some(run),
    close: Some(close),
    trace: Some(trace),
    translate: None,
    abilities: REGISTERS,
    language: 0,
});

/// An engine that `open` created; the host passes it to the other functions as `instance`.
struct Opened {
    ours: OwnEngine,
    /// Whether textures are read through the host.
    samples: bool,
}

/// The entry point that the header declares: returns the description of the subject.
// SAFETY: no other symbol here has this name.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn lockstep_subject_v1() -> *const Raw {
    &raw const DESCRIPTION.0
}

/// Opens an engine.
///
/// # Safety
/// The arguments are as the header requires.
unsafe extern "C-unwind" fn open(greeting: *const Greeting, message: *mut Room) -> *mut c_void {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let opened = unsafe { read::greeting(&*greeting) }.and_then(|(greeting, arguments)| {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut ours = match words.as_slice() {
            ["reference"] => OwnEngine::new(greeting.isa, Engine::Reference),
            [] | ["executor" | "sampling"] => OwnEngine::new(greeting.isa, Engine::Executor),
            ["bug", name] => reenacted(greeting.isa, name, true)?,
            other => {
                let message = "the engines are 'reference', 'executor', 'sampling' and 'bug NAME'";
                return Err(format!("there is no engine '{}': {message}", other.join(" ")));
            }
        };
        ours.hello(&greeting)?;
        Ok(Opened { ours, samples: words == ["sampling"] })
    });
    match opened {
        Ok(opened) => Box::into_raw(Box::new(opened)).cast(),
        Err(why) => {
            // SAFETY: the caller guarantees it: see `# Safety` of this function.
            unsafe { write::text(message, Some(why.as_bytes())) };
            null_mut()
        }
    }
}

/// Decodes a program.
///
/// # Safety
/// The arguments are as the header requires, and `instance` is what `open` returned.
unsafe extern "C-unwind" fn decode(instance: *mut c_void, program: *const Program, to: *mut Decoded) -> u32 {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let (ours, program) = unsafe { (&mut (*instance.cast::<Opened>()).ours, read::program(&*program)) };
    match program.and_then(|program| ours.decode(&program).map_err(|failure| failure.message)) {
        // SAFETY: the caller guarantees it: see `# Safety` of this function.
        Ok(decoded) => unsafe { write::decoded(&mut *to, &decoded) },
        Err(why) => {
            // SAFETY: the caller guarantees it: see `# Safety` of this function.
            unsafe { write::text(&raw mut (*to).message, Some(why.as_bytes())) };
            verdict::FAILED
        }
    }
}

/// Runs a program.
///
/// # Safety
/// The arguments are as the header requires, and `instance` is what `open` returned.
unsafe extern "C-unwind" fn run(
    instance: *mut c_void,
    program: *const Program,
    environment: *const Environment,
    to: *mut Batch,
) -> u32 {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let (opened, program, environment, to) =
        unsafe { (&mut *instance.cast::<Opened>(), &*program, &*environment, &mut *to) };
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let mut sampler = |unit, request: &_| unsafe { sampling::sample(environment, unit, request) };
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let asked = unsafe { read::run(program, environment) }.and_then(|run| {
        let ran =
            if opened.samples { opened.ours.run_with(&run, &mut sampler) } else { opened.ours.run(&run) };
        ran.map_err(|failure| failure.message)
    });
    match asked {
        // SAFETY: the caller guarantees it: see `# Safety` of this function.
        Ok(ran) => unsafe { write::ran(to, program, environment, &ran) },
        Err(why) => {
            // SAFETY: the caller guarantees it: see `# Safety` of this function.
            unsafe { write::text(&raw mut to.message, Some(why.as_bytes())) };
            verdict::FAILED
        }
    }
}

/// Runs a program and writes the steps of each lane.
///
/// # Safety
/// The arguments are as the header requires, and `instance` is what `open` returned.
unsafe extern "C-unwind" fn trace(
    instance: *mut c_void,
    program: *const Program,
    environment: *const Environment,
    to: *mut Trace,
) -> u32 {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let (ours, program, environment, to) =
        unsafe { (&mut (*instance.cast::<Opened>()).ours, &*program, &*environment, &mut *to) };
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let asked = unsafe { read::run(program, environment) };
    match asked.and_then(|run| ours.trace(&run).map_err(|failure| failure.message)) {
        // SAFETY: the caller guarantees it: see `# Safety` of this function.
        Ok(traced) => unsafe { write::traced(to, &traced) },
        Err(why) => {
            // SAFETY: the caller guarantees it: see `# Safety` of this function.
            unsafe { write::text(&raw mut to.message, Some(why.as_bytes())) };
            verdict::FAILED
        }
    }
}

/// Closes an engine.
///
/// # Safety
/// `instance` is what `open` returned, and is not used afterwards.
unsafe extern "C-unwind" fn close(instance: *mut c_void) {
    // SAFETY: `open` created it with `Box::into_raw`.
    drop(unsafe { Box::from_raw(instance.cast::<Opened>()) });
}

/// Returns the header's number for a verdict.
fn verdict_number(value: Verdict) -> u32 {
    match value {
        Verdict::Accepted => verdict::ACCEPTED,
        Verdict::Rejected => verdict::REJECTED,
        Verdict::Unsupported => verdict::UNSUPPORTED,
    }
}
