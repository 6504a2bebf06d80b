//! Tests the axioms about the correctly rounded functions on all 2^32 numbers; a proof run tests every 4099th.
//!
//! `cargo run --release -p lockstep-prove --example exhaust_axioms`. Exits with 0 only if there are axioms and all hold.

use lockstep_prove::obligation::algebra::exhaust_axioms;
use std::process::ExitCode;

fn main() -> ExitCode {
    let found = match exhaust_axioms() {
        Ok(found) => found,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for (name, refuted) in &found {
        match refuted {
            Some(bits) => println!("{name}: does not hold for {bits:#010x} ({:e})", f32::from_bits(*bits)),
            None => println!("{name}: holds for every number"),
        }
    }
    let well = !found.is_empty() && found.iter().all(|(_, refuted)| refuted.is_none());
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
