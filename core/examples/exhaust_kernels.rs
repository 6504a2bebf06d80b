//! Compares what the executor runs for each operation with what the operation means: all 2^32 numbers where there is one operand, all pairs of
//! boundary values where there are two.
//!
//! `cargo run --release -p lockstep-core --example exhaust_kernels [-- --boundary]` runs every level that this processor has. With
//! `--boundary` one operand takes boundary values only. Exits with 0 only if operations were compared and all agreed.

use lockstep_core::exec::Level;
use lockstep_core::exec::check::{Extent, kernels_on};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let extent =
        if std::env::args().any(|arg| arg == "--boundary") { Extent::Boundary } else { Extent::Exhaustive };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut compared = 0;
    let mut wrong = 0;
    for level in Level::available() {
        let start = Instant::now();
        let progress = |done: usize, all: usize| {
            if start.elapsed().as_secs() >= 2 {
                eprint!("\r{level:?}: {done} of {all}");
            }
        };
        let reports = kernels_on(level, extent, threads, &progress);
        eprint!("\r");
        let count: u64 = reports.iter().map(|report| report.count).sum();
        for report in reports.iter().filter(|report| report.mismatch.is_some()) {
            println!("{level:?}, {}: {:x?}", report.op, report.mismatch);
            wrong += 1;
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("{level:?}: {} operations, {count} sets of operands, {seconds:.0} s", reports.len());
        compared += count;
    }
    println!("{wrong} operations differ");
    if wrong == 0 && compared > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
