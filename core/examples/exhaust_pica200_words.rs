//! Decodes and encodes all 2^32 instruction words of PICA200, and all operand descriptors: the result must equal the word.
//!
//! `cargo run --release -p lockstep-core --example exhaust_pica200_words`, on all processors. Exits with 0 only if every word was reproduced.

use lockstep_core::isa::pica200::program::{Descriptor, Instruction};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Words that a thread processes at a time.
const CHUNK: u64 = 1 << 24;
const ALL: u64 = 1 << 32;

fn main() -> ExitCode {
    let start = Instant::now();
    let (next, wrong) = (AtomicU64::new(0), AtomicU64::new(0));
    let first_wrong = AtomicU64::new(ALL);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let from = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if from >= ALL {
                        break;
                    }
                    for word in from..from + CHUNK {
                        let word = word as u32;
                        // Inlined together, decoding and encoding are an identity that the compiler would remove; `black_box` prevents that.
                        let instruction = black_box(Instruction::from_word(word));
                        let descriptor = black_box(Descriptor::from_word(word));
                        let same = instruction.to_word() == word && descriptor.to_word() == word;
                        if !same {
                            wrong.fetch_add(1, Ordering::Relaxed);
                            first_wrong.fetch_min(u64::from(word), Ordering::Relaxed);
                        }
                    }
                    let done = from / CHUNK + 1;
                    if done.is_multiple_of(32) {
                        let seconds = start.elapsed().as_secs_f64();
                        println!("{:3} %, {seconds:.1} s", 100 * done / (ALL / CHUNK));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner();
    println!("{ALL} words on {threads} threads in {:.1} s, {wrong} wrong", start.elapsed().as_secs_f64());
    if wrong == 0 {
        return ExitCode::SUCCESS;
    }
    println!("the first is {:#010x}", first_wrong.into_inner());
    ExitCode::FAILURE
}
