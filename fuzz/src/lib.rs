//! The code that all fuzz targets share. A fuzz target consists of one call of [`claim!`].

pub use libfuzzer_sys;
pub use lockstep::fuzz;

use libfuzzer_sys::Corpus;
use lockstep::fuzz::{Keep, Target};
use std::path::Path;

/// Defines the entry points that libFuzzer calls, for one claim. With `blind`, libFuzzer mutates the bytes itself, without knowledge of programs.
#[macro_export]
macro_rules! claim {
    // Without a mutator and crossover of its own.
    ($target:ident, blind) => {
        const TARGET: $crate::fuzz::Target = $crate::fuzz::Target::$target;

        use $crate::libfuzzer_sys;

        libfuzzer_sys::fuzz_target!(init: $crate::prepare(TARGET), |data: &[u8]| -> libfuzzer_sys::Corpus {
            $crate::judge(TARGET, data)
        });
    };
    ($target:ident) => {
        $crate::claim!($target, blind);

        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::fuzz::mutate(TARGET, data, size, max_size, seed, libfuzzer_sys::fuzzer_mutate)
        });

        libfuzzer_sys::fuzz_crossover!(|first: &[u8], second: &[u8], out: &mut [u8], seed: u32| {
            $crate::fuzz::crossover(first, second, out, seed)
        });
    };
}

/// Fills an empty corpus folder from the repository's corpora before libFuzzer reads it.
///
/// # Panics
/// If `LOCKSTEP_ISA` names no instruction set: such a run would test nothing.
pub fn prepare(target: Target) {
    if let Err(message) = lockstep::fuzz::restriction() {
        panic!("LOCKSTEP_ISA: {message}");
    }
    let corpora = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../corpora"));
    let folder = std::env::args().skip(1).find(|arg| !arg.starts_with('-') && Path::new(arg).is_dir());
    let Some(folder) = folder else { return };
    match lockstep::fuzz::write_seeds(target, corpora, Path::new(&folder)) {
        Ok(0) => {}
        Ok(count) => eprintln!("{}: {count} seeds written to {folder}", target.name()),
        Err(error) => eprintln!("{}: no seeds: {error}", target.name()),
    }
}

/// Judges one input.
pub fn judge(target: Target, data: &[u8]) -> Corpus {
    match lockstep::fuzz::run(target, data) {
        Keep::Yes => Corpus::Keep,
        Keep::No => Corpus::Reject,
    }
}
