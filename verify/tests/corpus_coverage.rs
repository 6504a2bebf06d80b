//! The programs of the corpora are jointly live in every opcode × modifier class: changing a result changes an output.

#![allow(clippy::unwrap_used)]

use lockstep::case::{Case, EntryRef};
use lockstep::corpus::{Content, load_own, own_corpora, sample};
use lockstep::coverage::Coverage;
use lockstep::generate::Generate;
use lockstep_core::isa::{Entry, IsaId};
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
        let (bytes, own) = match item.content {
            Content::Program { bytes, .. } => (bytes, None),
            Content::Case(case) => (case.bytes.clone(), Some(case)),
            Content::Vectors { .. } => continue,
        };
        programs += 1;
        let program = I::decode(&bytes).unwrap();
        let mut entries: Vec<(EntryRef, Entry)> = I::entries(&program)
            .into_iter()
            .enumerate()
            .map(|(number, entry)| (EntryRef::Own(number as u16), entry))
            .collect();
        if let Some(case) = own {
            coverage.add(&case);
            entries.push((case.entry.clone(), case.resolve::<I>().unwrap().entry));
        }
        assert!(!entries.is_empty(), "{} cannot be run", item.name);
        for (number, entry) in entries {
            for seed in 0..ENVIRONMENTS {
                let case = Case::new::<I>(&program, sample::<I>(&program, &entry, seed));
                coverage.add(&Case { entry: number.clone(), ..case });
            }
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
