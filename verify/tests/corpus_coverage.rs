//! The programs of the corpora are jointly live in every opcode × modifier class: changing a result changes an output.

#![allow(clippy::unwrap_used)]

use lockstep::case::Case;
use lockstep::corpus::{Content, load_own, own_corpora, sample};
use lockstep::coverage::Coverage;
use lockstep::generate::Generate;
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;

/// Environments in which each program is run until its classes are live.
const ENVIRONMENTS: u64 = 12;
/// Programs of our own that each instruction set has at the least.
const PROGRAMS: usize = 25;

fn covered<I: Generate>() {
    let corpora = own_corpora(None).unwrap();
    let mut coverage = Coverage::<I>::new();
    let mut programs = 0;
    for item in load_own(&corpora, &[I::ID]).items {
        let bytes = match &item.content {
            Content::Program { bytes, .. } => bytes.clone(),
            Content::Case(case) => case.bytes.clone(),
            Content::Vectors { .. } => continue,
        };
        programs += 1;
        let program = I::decode(&bytes).unwrap();
        let entry = I::entries(&program).remove(0);
        for seed in 0..ENVIRONMENTS {
            coverage.add(&Case::new::<I>(&program, sample::<I>(&program, &entry, seed)));
        }
    }
    let missing = coverage.missing();
    println!(
        "{}: {programs} programs, {} of {} classes live",
        I::ID,
        I::all_classes().len() - missing.len(),
        I::all_classes().len()
    );
    assert!(programs >= PROGRAMS, "{programs}");
    let list: Vec<String> = missing.iter().map(|c| format!("{} {}", c.opcode, c.modifier)).collect();
    assert!(list.is_empty(), "{} not live: {}", list.len(), list.join(", "));
}

#[test]
fn our_programs_are_live_in_every_class() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => covered::<I>());
    }
}
