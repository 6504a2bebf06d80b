//! The minimiser applies every edit that makes a program smaller, even if only that edit keeps the failure, for every instruction set.

use lockstep::case::Case;
use lockstep::generate::{Entropy, Generate, ProgramRequest, case};
use lockstep::minimize::{Minimized, Size, minimize};
use lockstep_core::isa::{Edit, Isa, IsaId};
use lockstep_core::with_isa;
use std::collections::BTreeSet;

/// The number of programs to minimise, and of edits tried for each.
const MINIMIZED: u64 = 6;
const EDITS: usize = 6;

fn short<I: Generate>(seed: u64) -> Case {
    case::<I>(&mut Entropy::seeded(seed), &ProgramRequest { size: Some(5), ..ProgramRequest::default() })
}

/// The minimiser's measure of size.
fn size<I: Isa>(case: &Case, program: &I::Program) -> Size {
    let bytes = I::encode(program);
    let words = case.with_program::<I>(program).resolve::<I>().map_or(0, |r| I::words(&r.context()));
    (words, I::disassemble(program).len(), bytes.iter().map(|b| u64::from(*b)).sum())
}

/// The kind of an edit, with its field or facet.
fn kind(edit: &Edit) -> (u8, u16) {
    match edit {
        Edit::Remove { .. } => (0, 0),
        Edit::Swap { .. } => (1, 0),
        Edit::Copy { .. } => (2, 0),
        Edit::Field { field, .. } => (3, *field),
        Edit::Facet { facet, .. } => (4, u16::from(*facet)),
    }
}

fn taken<I: Generate>() {
    let mut kinds = BTreeSet::new();
    for seed in 100..100 + MINIMIZED {
        let case = short::<I>(seed);
        let program = I::decode(&case.bytes).unwrap();
        let whole = size::<I>(&case, &program);
        let smaller: Vec<(Edit, Vec<u8>)> = I::edits(&program)
            .into_iter()
            .filter_map(|edit| {
                let edited = I::apply(&program, &edit)?;
                (size::<I>(&case, &edited) < whole).then(|| (edit, I::encode(&edited)))
            })
            .collect();
        // First, edits of kinds that have not been tried.
        let fresh: Vec<_> = smaller.iter().filter(|(edit, _)| kinds.insert(kind(edit))).collect();
        let rest = smaller.iter().step_by(smaller.len() / 2 + 1);
        for (edit, bytes) in fresh.into_iter().take(EDITS).chain(rest) {
            let mut fails = |c: &Case| c.bytes == case.bytes || c.bytes == *bytes;
            let Minimized::Done { case: small, .. } = minimize(&case, &mut fails) else {
                panic!("the case itself is one that fails")
            };
            assert!(small.bytes == *bytes, "{}, seed {seed}: {edit:?} is not used", I::ID);
        }
    }
    println!("{}: edits of {} kinds were taken", I::ID, kinds.len());
    assert!(kinds.iter().filter(|(kind, _)| *kind == 3).count() >= 4, "{}: {kinds:?}", I::ID);
    let facets = kinds.iter().filter(|(kind, _)| *kind == 4).count();
    assert!(facets >= 4, "{}: {kinds:?}", I::ID);
}

#[test]
fn an_edit_is_taken_where_no_other_keeps_the_failure() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => taken::<I>());
    }
}
