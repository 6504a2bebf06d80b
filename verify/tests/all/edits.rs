//! Tests of edits for every instruction set. The minimiser finds every edit that makes a program smaller, even if no other edit keeps the failure.
//! Mutation draws from the same edits, and all applicable edits have the same probability.

use lockstep::case::Case;
use lockstep::generate::{Entropy, Generate, ProgramRequest, any_edit, case};
use lockstep::minimize::{Minimized, Size, minimize};
use lockstep_core::isa::{Edit, Edits, Isa, IsaId};
use lockstep_core::with_isa;
use std::collections::{BTreeSet, HashMap};

/// The number of programs to minimise.
const PROGRAMS: u64 = 6;
/// The maximum number of edits of new kinds that are tried for each program.
const EDITS: usize = 6;

fn short<I: Generate>(seed: u64) -> Case {
    case::<I>(&mut Entropy::seeded(seed), &ProgramRequest { size: Some(5), ..ProgramRequest::default() })
}

/// Returns the size of a program as the minimiser measures it.
fn size<I: Isa>(case: &Case, program: &I::Program) -> Size {
    let bytes = I::encode(program);
    let words =
        case.with_program::<I>(program).resolve::<I>().map_or(0, |r| I::instruction_count(&r.context()));
    (words, I::disassemble(program).len(), bytes.iter().map(|b| u64::from(*b)).sum())
}

/// Returns the kind of an edit and the number of its field or facet (0 if it has none).
fn kind(edit: &Edit) -> (u8, u16) {
    match edit {
        Edit::Remove { .. } => (0, 0),
        Edit::Swap { .. } => (1, 0),
        Edit::Copy { .. } => (2, 0),
        Edit::Field { field, .. } => (3, *field),
        Edit::Facet { facet, .. } => (4, u16::from(*facet)),
    }
}

fn smaller_edits_are_applied<I: Generate>() {
    let mut kinds = BTreeSet::new();
    for seed in 100..100 + PROGRAMS {
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
fn an_edit_is_taken_if_no_other_keeps_the_failure() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => smaller_edits_are_applied::<I>());
    }
}

/// Returns the edits that apply, each with how often it is listed.
fn applicable<I: Edits>(program: &I::Program, edits: &[Edit]) -> HashMap<Edit, u32> {
    let mut times = HashMap::new();
    for edit in edits.iter().filter(|edit| I::apply(program, edit).is_some()) {
        *times.entry(*edit).or_default() += 1;
    }
    times
}

/// Returns the maximum number of edits at a position of a program.
fn most<I: Isa>(program: &I::Program) -> usize {
    (0..I::edit_positions(program)).map(|at| I::edits_at(program, at).len()).max().unwrap_or(0)
}

/// Checks that the edits of all positions together are the edits of the program. Returns the maximum number of edits at a position over many
/// programs.
fn check_edits_of_positions<I: Generate>() -> usize {
    let generated = |seed: u64, size: usize| {
        let case = case::<I>(
            &mut Entropy::seeded(seed),
            &ProgramRequest { size: Some(size), ..ProgramRequest::default() },
        );
        I::decode(&case.bytes).unwrap()
    };
    for (seed, size) in (0..12).zip([1, 3, 7, 20, 12, 33].into_iter().cycle()) {
        let program = generated(seed, size);
        let places: Vec<Vec<Edit>> =
            (0..I::edit_positions(&program)).map(|at| I::edits_at(&program, at)).collect();
        let all = applicable::<I>(&program, &I::edits(&program));
        assert!(all == applicable::<I>(&program, &places.concat()), "{}, seed {seed}", I::ID);
        assert!(I::edits_at(&program, I::edit_positions(&program)).is_empty());
    }
    // The maximum is taken over generated programs and over programs with changes that generators do not make.
    let mut top = 0;
    for seed in 0..60 {
        let mut program = generated(seed, 24);
        let mut e = Entropy::seeded(seed);
        for _ in 0..8 {
            top = top.max(most::<I>(&program));
            for _ in 0..6 {
                if let Some((edit, edited)) = any_edit::<I>(&program, &mut e) {
                    let Edit::Field { at, field, .. } = edit else {
                        program = edited;
                        continue;
                    };
                    let other = Edit::Field { at, field, value: e.bits() >> e.below(64) };
                    program = I::apply(&program, &other).unwrap_or(edited);
                }
            }
        }
    }
    println!("{}: at most {top} edits at a position", I::ID);
    top
}

#[test]
fn the_edits_of_all_positions_are_the_edits_of_the_program() {
    let top = |isa| with_isa!(isa, I => (check_edits_of_positions::<I>(), I::MAX_EDITS));
    let tops: Vec<(usize, usize)> = IsaId::ALL.iter().map(|isa| top(*isa)).collect();
    // `MAX_EDITS` is not exceeded. It is at most about twice the maximum, because a draw of a number without an edit is wasted.
    assert!(tops.iter().all(|(top, most)| (most / 2..=*most).contains(top)), "{tops:?}");
}

/// Draws edits of a program and checks that the counts agree with equal probabilities. The sum of the squared deviations, each divided by the
/// expected count, has the mean n - 1 and the variance 2 (n - 1) for n edits (chi-square distribution).
fn draws_are_even<I: Generate>() {
    const EACH: usize = 12;
    let program = I::decode(&short::<I>(7).bytes).unwrap();
    let listed = applicable::<I>(&program, &I::edits(&program));
    let positions: u32 = listed.values().sum();
    let mut e = Entropy::seeded(3);
    let draws = EACH * positions as usize;
    let mut drawn: HashMap<Edit, u32> = HashMap::new();
    for _ in 0..draws {
        let (edit, edited) = any_edit::<I>(&program, &mut e).unwrap();
        assert!(I::apply(&program, &edit).as_ref() == Some(&edited), "{}: {edit:?}", I::ID);
        *drawn.entry(edit).or_default() += 1;
    }
    assert!(drawn.keys().all(|edit| listed.contains_key(edit)), "{}", I::ID);
    let deviations = listed.iter().map(|(edit, times)| {
        let expected = f64::from(*times) * EACH as f64;
        (f64::from(drawn.get(edit).copied().unwrap_or(0)) - expected).powi(2) / expected
    });
    let (sum, free) = (deviations.sum::<f64>(), listed.len() as f64 - 1.0);
    println!("{}: {draws} draws of {} edits, chi-square {sum:.0}", I::ID, listed.len());
    assert!((sum - free).abs() < 4.0 * (2.0 * free).sqrt(), "{}: chi-square {sum} of {free}", I::ID);
}

#[test]
fn applicable_edits_are_drawn_uniformly() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => draws_are_even::<I>());
    }
}

/// Returns the length of the range of bytes outside of which two programs agree.
fn changed_bytes(one: &[u8], other: &[u8]) -> usize {
    let equal = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(a, b)| a == b).count();
    let shorter = one.len().min(other.len());
    let start = equal(&mut one.iter().zip(other));
    let end = equal(&mut one.iter().rev().zip(other.iter().rev())).min(shorter - start);
    one.len().max(other.len()) - start - end
}

/// Redirects results between all pairs of instructions of generated programs. Returns the number of redirected programs.
fn check_redirected<I: Generate>() -> usize {
    /// The maximum size in bytes of an instruction whose result is redirected: that of a token of AGAL.
    const INSTRUCTION: usize = 24;
    let mut redirected = 0;
    for seed in 0..40 {
        let program = I::decode(&short::<I>(seed).bytes).unwrap();
        let bytes = I::encode(&program);
        let positions = I::edit_positions(&program);
        for (from, to) in (0..=positions).flat_map(|from| (0..=positions).map(move |to| (from, to))) {
            for edited in I::redirected(&program, from, to) {
                let place = format!("{}, seed {seed}: {from} to {to}", I::ID);
                let edited_bytes = I::encode(&edited);
                let changed = changed_bytes(&bytes, &edited_bytes);
                assert!((1..=INSTRUCTION).contains(&changed), "{place}: {changed} bytes changed");
                assert!(I::decode(&edited_bytes).ok() == Some(edited), "{place}: does not decode to itself");
                redirected += 1;
            }
        }
    }
    redirected
}

#[test]
fn a_redirected_result_changes_one_instruction() {
    for &isa in IsaId::ALL {
        let redirected = with_isa!(isa, I => check_redirected::<I>());
        println!("{isa}: {redirected} redirected results");
        // A word of the geometry processor names no register for its result.
        assert_eq!(redirected > 200, isa != IsaId::UtgardGp, "{isa}: {redirected}");
    }
}
