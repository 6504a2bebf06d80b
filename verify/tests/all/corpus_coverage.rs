//! Every coverage point is live in some program of the corpora: changing a result of the instruction changes an output.

use lockstep::corpus::{load_own, own_corpora};
use lockstep::coverage::Coverage;
use lockstep::generate::Generate;
use lockstep_core::isa::IsaId;
use lockstep_core::isa::facet::points;
use lockstep_core::with_isa;

/// The number of environments in which each program is run.
const ENVIRONMENTS: u64 = 12;
/// The minimum number of our own programs for each instruction set.
const PROGRAMS: usize = 25;

fn covered<I: Generate>() {
    let corpora = own_corpora(None).unwrap();
    let mut coverage = Coverage::<I>::new();
    let mut programs = 0;
    for item in load_own(&corpora, &[I::ID]).items {
        if item.content.program().is_some() {
            programs += 1;
        }
        // The program is run at every entry and in every environment.
        item.content.cases(0..ENVIRONMENTS).iter().for_each(|case| coverage.add(case));
    }
    let missing = coverage.missing();
    println!(
        "{}: {programs} programs, {} of {} coverage points live",
        I::ID,
        points::<I>().len() - missing.len(),
        points::<I>().len()
    );
    assert!(programs >= PROGRAMS, "{programs}");
    let list: Vec<String> = missing.iter().map(|c| format!("{} {}", c.opcode, c.modifier)).collect();
    assert!(list.is_empty(), "{} not live: {}", list.len(), list.join(", "));
}

#[test]
fn our_programs_are_live_in_every_coverage_point() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => covered::<I>());
    }
}
