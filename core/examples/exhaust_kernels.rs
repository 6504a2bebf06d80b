//! Compares the executor's kernel for each operation with the operation's definition: all 2^32 numbers for one operand, all pairs of boundary values
//! for two.
//!
//! `cargo run --release -p lockstep-core --example exhaust_kernels [-- --boundary]` runs every level that this processor has. With `--boundary`
//! single operands take boundary values only. Exits with 0 only if operations were compared and all agreed.

use lockstep_core::exec::Level;
use lockstep_core::exec::check::{Extent, kernels_in_parallel};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let extent =
        if std::env::args().any(|arg| arg == "--boundary") { Extent::Boundary } else { Extent::Exhaustive };
    let levels: Vec<Level> = Level::available().collect();
    let start = Instant::now();
    let progress = |done: usize, all: usize| {
        let seconds = start.elapsed().as_secs_f64();
        if seconds >= 2.0 {
            let left = seconds / done as f64 * (all - done) as f64;
            eprint!("\r{done} of {all} parts, {seconds:.0} s, about {left:.0} s left   ");
        }
    };
    let reports = kernels_in_parallel(&levels, extent, &progress);
    eprintln!();
    let mut wrong = 0;
    for report in &reports {
        if let Some(m) = &report.mismatch {
            println!(
                "{}, {:?}: operands {:x?}, expected {:#010x}, got {:#010x}",
                report.op, m.level, m.operands, m.expected, m.actual
            );
            wrong += 1;
        }
    }
    let compared: u64 = reports.iter().map(|report| report.count).sum();
    let all = reports.iter().filter(|report| report.count >= 1 << 32).count();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{levels:?}: {} operations, {all} of them on all 2^32 numbers, {compared} sets of operands on each level, {seconds:.0} s",
        reports.len()
    );
    println!("{wrong} operations differ");
    let enough = extent == Extent::Boundary || all > 0;
    if wrong == 0 && compared > 0 && enough { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
