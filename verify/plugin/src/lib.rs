//! Lockstep's own engines behind `verify/include/lockstep.h`, so that the door for libraries is tested against itself. The arguments are the engine,
//! `reference` or `executor`, or `bug` and the name of a known bug that is re-enacted.
//!
//! What the host hands over is taken at its word: the header says which pointers lead where, and for how long. Nothing is kept after a call.
#![allow(unsafe_code)]

mod read;
mod write;

use lockstep::judge::bugs::reenacted;
use lockstep::judge::plugin::abi::{
    ABI, Batch, Decoded, Environment, Greeting, Program, Room, Subject as Raw, verdict,
};
use lockstep::judge::{Engine, Ours, Subject, Verdict};
use lockstep_core::isa::IsaId;
use std::ffi::c_void;
use std::ptr::null_mut;

/// The description with its pointers, which lead to constants.
struct Description(Raw);

// SAFETY: nothing is ever written to it, or to what its pointers lead to.
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
});

/// The exported function of the header.
// SAFETY: nothing else here has this name.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn lockstep_subject_v1() -> *const Raw {
    &raw const DESCRIPTION.0
}

/// Opens an engine.
///
/// # Safety
/// The arguments are as the header says.
unsafe extern "C-unwind" fn open(greeting: *const Greeting, message: *mut Room) -> *mut c_void {
    // SAFETY: handed on.
    let opened = unsafe { read::greeting(&*greeting) }.and_then(|(greeting, arguments)| {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut ours = match words.as_slice() {
            ["reference"] => Ours::new(greeting.isa, Engine::Reference),
            [] | ["executor"] => Ours::new(greeting.isa, Engine::Executor),
            ["bug", name] => reenacted(greeting.isa, name, true)?,
            other => return Err(format!("there is no engine '{}'", other.join(" "))),
        };
        ours.hello(&greeting)?;
        Ok(ours)
    });
    match opened {
        Ok(ours) => Box::into_raw(Box::new(ours)).cast(),
        Err(why) => {
            // SAFETY: handed on.
            unsafe { write::text(message, Some(why.as_bytes())) };
            null_mut()
        }
    }
}

/// Reads a program.
///
/// # Safety
/// The arguments are as the header says, and `instance` is what `open` returned.
unsafe extern "C-unwind" fn decode(instance: *mut c_void, program: *const Program, to: *mut Decoded) -> u32 {
    // SAFETY: handed on.
    let (ours, program) = unsafe { (&mut *instance.cast::<Ours>(), read::program(&*program)) };
    match program.and_then(|program| ours.decode(&program).map_err(|failure| failure.message)) {
        // SAFETY: handed on.
        Ok(decoded) => unsafe { write::decoded(&mut *to, &decoded) },
        Err(why) => {
            // SAFETY: handed on.
            unsafe { write::text(&raw mut (*to).message, Some(why.as_bytes())) };
            verdict::FAILED
        }
    }
}

/// Runs a program.
///
/// # Safety
/// The arguments are as the header says, and `instance` is what `open` returned.
unsafe extern "C-unwind" fn run(
    instance: *mut c_void,
    program: *const Program,
    environment: *const Environment,
    to: *mut Batch,
) -> u32 {
    // SAFETY: handed on.
    let (ours, program, environment, to) =
        unsafe { (&mut *instance.cast::<Ours>(), &*program, &*environment, &mut *to) };
    // SAFETY: handed on.
    let asked = unsafe { read::run(program, environment) };
    match asked.and_then(|run| ours.run(&run).map_err(|failure| failure.message)) {
        // SAFETY: handed on.
        Ok(ran) => unsafe { write::ran(to, program, &ran) },
        Err(why) => {
            // SAFETY: handed on.
            unsafe { write::text(&raw mut to.message, Some(why.as_bytes())) };
            verdict::FAILED
        }
    }
}

/// Ends an engine.
///
/// # Safety
/// `instance` is what `open` returned, and nothing is called with it afterwards.
unsafe extern "C-unwind" fn close(instance: *mut c_void) {
    // SAFETY: `open` made it so.
    drop(unsafe { Box::from_raw(instance.cast::<Ours>()) });
}

/// A verdict as the header has it.
fn returned(of: Verdict) -> u32 {
    match of {
        Verdict::Accepted => verdict::ACCEPTED,
        Verdict::Rejected => verdict::REJECTED,
        Verdict::Unsupported => verdict::UNSUPPORTED,
    }
}
