//! Compares exp2, log2, sin and cos with CORE-MATH on each of the 2^32 binary32 inputs, in scalar and lane form.
//!
//! `cargo run --release -p lockstep-core --example exhaust_elementary [-- NAME...]` checks the named functions, or all four. It exits with 0 only if
//! all requested functions were compared on every input without a difference. NaNs count as equal.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use lockstep_core::value::{elementary, same};

/// A name, the scalar and the lane form, and the CORE-MATH function.
type Function = (&'static str, fn(f32) -> f32, fn(&mut [f32], &[f32]), fn(f32) -> f32);

const FUNCTIONS: [Function; 4] = [
    ("exp2", elementary::exp2, |out, x| elementary::exp2_lanes(out, x), core_math::exp2f),
    ("log2", elementary::log2, |out, x| elementary::log2_lanes(out, x), core_math::log2f),
    ("sin", elementary::sin, |out, x| elementary::sin_lanes(out, x), core_math::sinf),
    ("cos", elementary::cos, |out, x| elementary::cos_lanes(out, x), core_math::cosf),
];

/// Inputs that a thread processes at a time.
const BLOCK: u64 = 1 << 12;
const INPUTS: u64 = 1 << 32;
/// Mismatches printed for each function.
const SHOWN: u64 = 10;

/// Counts shared by the threads that check one function.
#[derive(Default)]
struct Progress {
    /// The first input that no thread has taken yet.
    next: AtomicU64,
    checked: AtomicU64,
    mismatches: AtomicU64,
}

fn work(&(name, scalar, lanes, referee): &Function, progress: &Progress) {
    let mut x = vec![0.0; BLOCK as usize];
    let mut wide = x.clone();
    loop {
        let start = progress.next.fetch_add(BLOCK, Ordering::Relaxed);
        if start >= INPUTS {
            return;
        }
        for (offset, x) in x.iter_mut().enumerate() {
            *x = f32::from_bits(start as u32 + offset as u32);
        }
        lanes(&mut wide, &x);
        for (&x, &wide) in x.iter().zip(&wide) {
            let (single, expected) = (scalar(x), referee(x));
            let agree = same(single, expected) && same(wide, expected);
            if !agree && progress.mismatches.fetch_add(1, Ordering::Relaxed) < SHOWN {
                let [x, single, wide, expected] = [x, single, wide, expected].map(f32::to_bits);
                println!(
                    "{name}({x:#010x}): scalar {single:#010x}, lanes {wide:#010x}, expected {expected:#010x}"
                );
            }
        }
        progress.checked.fetch_add(BLOCK, Ordering::Relaxed);
    }
}

/// Whether all inputs were compared without a difference.
fn check(function: &Function) -> bool {
    let (progress, start) = (Progress::default(), Instant::now());
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(function, &progress))).collect();
        let mut last_report = Instant::now();
        while workers.iter().any(|worker| !worker.is_finished()) {
            thread::sleep(Duration::from_millis(50));
            if last_report.elapsed() >= Duration::from_secs(5) {
                last_report = Instant::now();
                let percent = progress.checked.load(Ordering::Relaxed) * 100 / INPUTS;
                println!("{}: {percent} %, {:.0} s", function.0, start.elapsed().as_secs_f64());
            }
        }
    });
    let (checked, mismatches) = (progress.checked.into_inner(), progress.mismatches.into_inner());
    println!(
        "{}: {checked} inputs, {mismatches} mismatches, {:.1} s",
        function.0,
        start.elapsed().as_secs_f64()
    );
    checked == INPUTS && mismatches == 0
}

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = names.iter().find(|name| FUNCTIONS.iter().all(|f| f.0 != **name)) {
        eprintln!("no function is called {unknown}");
        return ExitCode::FAILURE;
    }
    let chosen = FUNCTIONS.iter().filter(|f| names.is_empty() || names.iter().any(|name| name == f.0));
    // Every function runs even if an earlier one fails, so the verdicts are collected first.
    let verdicts: Vec<bool> = chosen.map(check).collect();
    if !verdicts.is_empty() && verdicts.iter().all(|&clean| clean) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
