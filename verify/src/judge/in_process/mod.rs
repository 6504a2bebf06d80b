//! Judges a subject within a fuzzer's process, so that coverage of the subject's own code guides the campaign.
//!
//! Subjects in C and C++ link the static library of `verify/libfuzzer`, which exports libFuzzer's and AFL++'s entry points and calls this module. For
//! subjects in Rust, which implement [`Subject`], [`crate::fuzz_subject`] defines a target of `cargo fuzz`. `docs/libfuzzer.md` describes both.
//!
//! An input is a case, binary or as text; any other input selects a generated program. The subject is asked about a case only if it is within the
//! profile and the reference finishes it. Answers are compared as by `lockstep judge`. A disagreement is minimised and printed, and ends the process,
//! so that the fuzzer saves the input. Crashes and hangs are detected by the fuzzer.
//!
//! ```
//! use lockstep::judge::in_process::{Session, Settings};
//! use lockstep::judge::{Engine, OwnEngine};
//! use lockstep_core::isa::IsaId;
//!
//! // Any type that implements `lockstep::judge::Subject`; here, Lockstep's own executor.
//! let subject = OwnEngine::new(IsaId::Agal, Engine::Executor);
//! let mut session = Session::open(subject, IsaId::Agal, None, Settings::default()).unwrap();
//! let (mut data, mut size) = (vec![0; 4096], 0);
//! for seed in 0..20 {
//!     size = session.inputs.mutate(&mut data, size, 4096, seed, None);
//!     if let Err(case) = session.judge(&data[..size]) {
//!         panic!("{}", session.report(&case));
//!     }
//! }
//! assert!(session.counts().starts_with("lockstep: 20 inputs, "));
//! ```

mod inputs;
mod session;
mod settings;
mod tally;

pub use inputs::{FuzzerMutator, Inputs};
pub use session::{DisagreeingCase, Session};
pub use settings::Settings;

use super::connection::StartError;
use super::plugin::{Plugin, abi::Symbol};
use super::subject::Subject;
use crate::fuzz::Keep;
use lockstep_core::isa::IsaId;
use std::cell::RefCell;

/// The exit status if the campaign cannot start.
const UNUSABLE: i32 = 2;

/// A session that prints its counts when its thread ends. A fuzzer ends by calling `exit` on its main thread, which also drops the thread-local
/// values.
struct Counted(Session);

impl Drop for Counted {
    fn drop(&mut self) {
        eprint!("{}", self.0.counts());
    }
}

thread_local! {
    /// The session of this thread. A fuzzer makes all calls on its main thread.
    static SESSION: RefCell<Option<Counted>> = const { RefCell::new(None) };
}

/// Stores the session for later calls, or ends the process if it could not be opened.
fn begin(opened: Result<Session, StartError>) {
    match opened {
        Ok(session) => {
            eprintln!("{}", session.subject_summary());
            SESSION.set(Some(Counted(session)));
        }
        Err(error) => {
            eprintln!("lockstep: {error}");
            std::process::exit(UNUSABLE);
        }
    }
}

/// Starts the campaign of this thread against a subject in Rust, with settings from environment variables. Ends the process if the subject or a
/// setting is unusable.
pub fn start(isa: IsaId, subject: impl Subject + 'static) {
    let opened = Settings::from_environment().and_then(|settings| {
        settings.isa_among(&[isa])?;
        Ok((settings.profile_for(isa)?, settings))
    });
    begin(
        opened.map_err(StartError).and_then(|(given, settings)| Session::open(subject, isa, given, settings)),
    );
}

/// Starts the campaign against a subject that is linked into this program and implements `lockstep.h`. Does nothing if it is already started.
pub fn start_linked(symbol: Symbol) {
    if SESSION.with_borrow(Option::is_none) {
        let settings = Settings::from_environment().map_err(StartError);
        begin(settings.and_then(|settings| Session::linked(symbol, settings)));
    }
}

/// Returns the converter of inputs for a linked subject without opening it, for a fuzzer whose mutator and subject run in different processes.
///
/// # Errors
/// If a setting or the linked library is unusable, or the library does not support the instruction set or has a malformed profile.
pub fn linked_inputs(symbol: Symbol) -> Result<Inputs, String> {
    let settings = Settings::from_environment()?;
    let subject = Plugin::linked(symbol, Vec::new())?;
    let isa = settings.isa_among(&subject.isas())?;
    let profile = match settings.profile_for(isa)? {
        Some(given) => given,
        None => subject.profile(isa)?.unwrap_or_default(),
    };
    Ok(Inputs::new(isa, profile, &subject.abilities()))
}

/// Calls a function with this thread's session. Ends the process if there is no session.
fn with_session<T>(call: impl FnOnce(&mut Session) -> T) -> T {
    SESSION.with_borrow_mut(|session| {
        let Some(Counted(session)) = session else {
            eprintln!("lockstep: the campaign was not started");
            std::process::exit(UNUSABLE);
        };
        call(session)
    })
}

/// Judges one input, and returns whether the fuzzer should keep it. If the subject disagrees with the reference, the finding is minimised and
/// printed, and the process is aborted.
pub fn test_one(data: &[u8]) -> Keep {
    with_session(|session| match session.judge(data) {
        Ok(true) => Keep::Yes,
        Ok(false) => Keep::No,
        Err(case) => {
            let report = session.report(&case);
            eprint!("\n{report}\n{}", session.counts());
            std::process::abort();
        }
    })
}

/// Mutates an input as [`Inputs::mutate`] does.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    blind: Option<FuzzerMutator<'_>>,
) -> usize {
    with_session(|session| session.inputs.mutate(data, size, max_size, seed, blind))
}

/// Combines two inputs as [`Inputs::crossover`] does.
pub fn crossover(first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    with_session(|session| session.inputs.crossover(first, second, out, seed))
}

/// Defines a target of `cargo fuzz` that judges a subject in Rust. The arguments are the instruction set and the subject, which implements
/// [`Subject`](crate::judge::Subject). The crate that calls it depends on `libfuzzer-sys`, and begins with `#![no_main]`.
///
/// ```text
/// #![no_main]
/// lockstep::fuzz_subject!(lockstep_core::isa::IsaId::Agal, my_crate::Decoder::new());
/// ```
#[macro_export]
macro_rules! fuzz_subject {
    ($isa:expr, $subject:expr) => {
        use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};

        fuzz_target!(init: $crate::judge::in_process::start($isa, $subject), |data: &[u8]| -> libfuzzer_sys::Corpus {
            match $crate::judge::in_process::test_one(data) {
                $crate::fuzz::Keep::Yes => libfuzzer_sys::Corpus::Keep,
                $crate::fuzz::Keep::No => libfuzzer_sys::Corpus::Reject,
            }
        });

        fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::judge::in_process::mutate(data, size, max_size, seed, Some(&libfuzzer_sys::fuzzer_mutate))
        });

        fuzz_crossover!(|first: &[u8], second: &[u8], out: &mut [u8], seed: u32| {
            $crate::judge::in_process::crossover(first, second, out, seed)
        });
    };
}
