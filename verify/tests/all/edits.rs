//! Tests of edits for every instruction set. The minimiser finds every edit that makes a program smaller, even if no other edit keeps the failure.
//! Mutation draws from the same edits, and all applicable edits have the same probability.

use lockstep::case::Case;
use lockstep::generate::{Entropy, Generate, ProgramRequest, any_edit, case};
use lockstep::minimize::{Minimized, Size, minimize};
use lockstep_core::isa::{Edit, Edits, Format, Isa, IsaId};
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

/// Returns the bytes of a program before, in and after an instruction.
fn split_at_instruction<I: Isa>(program: &I::Program, at: u32) -> [Vec<u8>; 3] {
    let bytes = I::encode(program);
    let span = I::spans(program)[at as usize].clone();
    [&bytes[..span.start], &bytes[span.clone()], &bytes[span.end..]].map(<[u8]>::to_vec)
}

/// Returns the programs that an edit makes of two instructions, given by their positions.
type EditOfPair<I> = fn(&<I as Format>::Program, u32, u32) -> Vec<<I as Format>::Program>;

/// Edits all pairs of instructions of generated programs, and checks that only one instruction changes: `changed` takes the positions of the pair and
/// returns that of this instruction. Returns the number of edited programs.
fn check_pairs<I: Generate>(edit: EditOfPair<I>, changed: fn(u32, u32) -> u32) -> usize {
    let mut count = 0;
    for seed in 0..40 {
        let program = I::decode(&short::<I>(seed).bytes).unwrap();
        let positions = I::edit_positions(&program);
        for (from, to) in (0..=positions).flat_map(|from| (0..=positions).map(move |to| (from, to))) {
            for edited in edit(&program, from, to) {
                let place = format!("{}, seed {seed}: {from} to {to}", I::ID);
                let at = changed(from, to);
                let parts = [&program, &edited].map(|program| split_at_instruction::<I>(program, at));
                let is_equal: [bool; 3] = std::array::from_fn(|k| parts[0][k] == parts[1][k]);
                assert_eq!(is_equal, [true, false, true], "{place}: before, in and after the instruction");
                let decoded = I::decode(&parts[1].concat()).ok();
                assert!(decoded == Some(edited), "{place}: does not decode to itself");
                count += 1;
            }
        }
    }
    count
}

#[test]
fn a_redirected_result_changes_one_instruction() {
    for &isa in IsaId::ALL {
        let redirected = with_isa!(isa, I => check_pairs::<I>(I::redirected, |from, _| from));
        println!("{isa}: {redirected} redirected results");
        // A word of the geometry processor names no register for its result.
        let is_expected = if isa == IsaId::UtgardGp { redirected == 0 } else { redirected > 200 };
        assert!(is_expected, "{isa}: {redirected}");
    }
}

#[test]
fn a_forwarded_operand_changes_one_instruction() {
    for &isa in IsaId::ALL {
        let forwarded = with_isa!(isa, I => check_pairs::<I>(I::forwarded, |_, to| to));
        println!("{isa}: {forwarded} forwarded operands");
        // A word of the geometry processor names no register for its result.
        let is_expected = if isa == IsaId::UtgardGp { forwarded == 0 } else { forwarded > 20 };
        assert!(is_expected, "{isa}: {forwarded}");
    }
}
