//! Deliberate faults for testing crash handling; not in release builds.
//!
//! `LOCKSTEP_PLANT=panic:HEX` makes every check of a program that contains these bytes panic. With `abort`, `overflow` or `hang` in place of `panic`,
//! the check aborts, overflows the stack or hangs. With `once=FILE`, it creates the file and aborts, unless the file exists.
//! `LOCKSTEP_PLANT=wrong:ENGINE` flips the kill mark of the last lane in that engine's outcome.

use crate::engine::Outcome;
use std::sync::OnceLock;

/// Changes the outcome of an engine if the environment variable plants a fault in that engine.
pub(super) fn corrupt_outcome(engine: &dyn Fn() -> String, run: &mut Outcome) {
    static FAULT: OnceLock<Option<String>> = OnceLock::new();
    let wrong = || std::env::var("LOCKSTEP_PLANT").ok()?.strip_prefix("wrong:").map(str::to_owned);
    if let (Some(wrong), Some(lane)) = (FAULT.get_or_init(wrong), run.lanes.last_mut())
        && *wrong == engine()
    {
        lane.killed = !lane.killed;
    }
}

/// Triggers the planted fault if the program contains its bytes.
pub(super) fn trigger(program: &[u8]) {
    static FAULT: OnceLock<Option<(String, Vec<u8>)>> = OnceLock::new();
    let Some((what, pattern)) = FAULT.get_or_init(read) else { return };
    if !program.windows(pattern.len()).any(|bytes| bytes == pattern) {
        return;
    }
    if let Some(file) = what.strip_prefix("once=") {
        if std::fs::File::create_new(file).is_ok() {
            std::process::abort();
        }
        return;
    }
    match what.as_str() {
        "abort" => std::process::abort(),
        "overflow" => drop(std::hint::black_box(deep(1))),
        "hang" => std::thread::sleep(std::time::Duration::from_mins(10)),
        _ => panic!("planted"),
    }
}

fn read() -> Option<(String, Vec<u8>)> {
    let text = std::env::var("LOCKSTEP_PLANT").ok()?;
    let (what, hex) = text.rsplit_once(':').filter(|_| !text.starts_with("wrong:"))?;
    let bytes = (0..hex.len() / 2).filter_map(|n| u8::from_str_radix(hex.get(2 * n..2 * n + 2)?, 16).ok());
    let bytes: Vec<u8> = bytes.collect();
    (!bytes.is_empty()).then(|| (what.to_owned(), bytes))
}

#[allow(unconditional_recursion)] // the planted fault
fn deep(n: u64) -> u64 {
    let frame = std::hint::black_box([n; 64]);
    deep(n.wrapping_add(frame[3])).wrapping_add(frame[5])
}
