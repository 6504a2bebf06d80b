//! Compares, for each kernel of one operand, its sequence of instructions with the kernel's meaning, on all 2^32 words. These sequences are the same
//! for both vector lengths.
//!
//! `cargo run --release -p lockstep-validate --example exhaust_sequences`. Exits with 0 only if all agree. `exhaust_kernels` of lockstep-core runs
//! the emitted code itself on all inputs, which checks that the processor computes what the semantics of its instructions state.

use lockstep_validate::numbers::{agrees, one_operand_kernels};
use lockstep_validate::sequence::Vector;
use rayon::prelude::*;
use std::process::ExitCode;

/// The number of parts into which the words are divided, by their upper bits.
const PARTS: u32 = 64;

fn main() -> ExitCode {
    let subjects = one_operand_kernels();
    let of = |subject: usize| (0..PARTS).map(move |part| (subject, part));
    let parts: Vec<(usize, u32)> = (0..subjects.len()).flat_map(of).collect();
    let first_wrong = |(subject, part): &(usize, u32)| {
        let (kernel, held) = subjects[*subject];
        let size = (1u64 << 32) / u64::from(PARTS);
        let first = u64::from(*part) * size;
        let mut words = (first..first + size).map(|word| word as u32);
        words.find(|word| agrees(kernel, Vector::Bits512, std::iter::once((held, *word))) != Some(true))
    };
    let wrong: Vec<Option<u32>> = parts.par_iter().map(first_wrong).collect();
    let mut all_agree = !parts.is_empty();
    for ((subject, _), word) in parts.iter().zip(&wrong) {
        if let Some(word) = word {
            let (kernel, held) = subjects[*subject];
            println!("{kernel:?} of {held:?} {word:#010x}: differs");
            all_agree = false;
        }
    }
    println!("{} sequences, each on all 2^32 words", parts.len() / PARTS as usize);
    if all_agree { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
