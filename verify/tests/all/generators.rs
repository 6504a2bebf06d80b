//! The quality of generators: their programs are valid, run, have results that usually differ between lanes, and reach all coverage points.

use lockstep::case::Case;
use lockstep::coverage::{Coverage, live_instructions};
use lockstep::engine::Statistics;
use lockstep::generate::{
    Entropy, Generate, ProgramRequest, any_case, case, case_for_program, case_with, crossover, mutate, noise,
};
use lockstep::oracle::{Engines, Oracle, Skip, Verdict, ask, execution_with};
use lockstep_core::host::Environment;
use lockstep_core::isa::facet::points;
use lockstep_core::isa::{IsaId, Legality, Level, Syntax, Tables};
use lockstep_core::with_isa;
use std::collections::BTreeSet;
use std::time::Instant;

/// The number of programs from which shares are computed.
const JUDGED: u64 = 800;
/// The number of programs in the other tests: those that count coverage points, near-valid programs, and noise.
const PROGRAMS: u64 = 1500;
/// The maximum number of programs requested for a coverage point that random programs have not made live.
const REQUESTED: u64 = 100;

/// Runs a check for every instruction set.
macro_rules! each {
    ($check:ident) => {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => $check::<I>());
        }
    };
}

fn plain<I: Generate>(seed: u64) -> Case {
    case::<I>(&mut Entropy::seeded(seed), &ProgramRequest::default())
}

/// Checks an oracle's claim on case number `k`. The execution oracle compares every tier and lowering for one case in [`SHARE`], or for all if
/// `LOCKSTEP_ALL_ENGINES` is set, and the best tier with the default lowering for the others. Validating machine code of both lowerings takes most of
/// the time of a case, and what these tests measure does not depend on it.
fn check(oracle: Oracle, case: &Case, k: u64) -> Verdict {
    let all = k.is_multiple_of(SHARE) || std::env::var_os("LOCKSTEP_ALL_ENGINES").is_some();
    if all || oracle != Oracle::Execution {
        return ask(oracle, case);
    }
    with_isa!(case.isa, I => execution_with::<I>(case, &Engines::fast()))
}

/// One in this many cases is compared with every tier and lowering.
const SHARE: u64 = 8;

fn listing<I: Syntax + Tables>(case: &Case) -> String {
    case.resolve::<I>().map_or_else(|e| e.to_string(), |r| I::disassemble(&r.program))
}

fn violations<I: Tables + Legality>(case: &Case) -> Vec<lockstep_core::isa::Violation> {
    I::validate(&case.resolve::<I>().unwrap().context())
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole as f64
}

fn shares<I: Generate>() {
    let started = Instant::now();
    let (mut holds, mut clean, mut words, mut live) = (0, 0, 0, 0);
    let mut sum = Statistics::default();
    for seed in 0..JUDGED {
        let case = plain::<I>(seed);
        let broken = violations::<I>(&case);
        assert!(
            broken.iter().all(|v| v.level < Level::Error),
            "seed {seed}: {}\n{}",
            broken[0],
            listing::<I>(&case)
        );
        clean += u64::from(broken.is_empty());
        for oracle in Oracle::ALL {
            let verdict = check(oracle, &case, seed);
            if let Verdict::Fails(failure) = &verdict {
                panic!("{}, seed {seed}, {}: {failure:?}\n{}", I::ID, oracle.name(), listing::<I>(&case));
            }
            if let (Oracle::Execution, Verdict::Holds(statistics)) = (oracle, verdict) {
                holds += 1;
                sum += statistics;
            }
        }
        if seed % 4 == 0 {
            words += u64::from(I::instruction_count(&case.resolve::<I>().unwrap().context()));
            live += live_instructions::<I>(&case).len() as u64;
        }
    }
    let holds = percent(holds, JUDGED);
    let (nan, uniform) = (percent(sum.nan, sum.components), percent(sum.uniform, sum.components));
    let (clean, live) = (percent(clean, JUDGED), percent(live, words));
    println!(
        "{}: {JUDGED} programs of {:.1} instructions, {holds:.1} % compared, {nan:.1} % of components NaN, {uniform:.1} % alike, \
         {clean:.1} % without warnings, {live:.1} % of instructions live, {:.1?}",
        I::ID,
        words as f64 * 4.0 / JUDGED as f64,
        started.elapsed()
    );
    let id = I::ID;
    assert!(sum.components > 0 && words > 0, "{id}: nothing was compared");
    assert!(holds >= I::HEALTH.compared, "{id}: programs that reach the comparison: {holds:.1} %");
    // A component that is NaN in every lane counts twice here; the bound still holds.
    let uninformative = nan + uniform;
    assert!(
        uninformative <= I::HEALTH.uninformative,
        "{id}: NaN {nan:.1} %, equal in all lanes {uniform:.1} %"
    );
    assert!(clean >= I::HEALTH.clean, "{id}: programs without warnings: {clean:.1} %");
    assert!(live >= I::HEALTH.live, "{id}: instructions that are live: {live:.1} %");
}

#[test]
fn programs_are_valid_run_and_distinguish_lanes() {
    each!(shares);
}

fn check_warnings<I: Generate>() {
    for seed in 0..JUDGED {
        let case = plain::<I>(seed);
        if let Some(v) = violations::<I>(&case).iter().find(|v| I::HEALTH.never.contains(&v.code)) {
            panic!("{}, seed {seed}: {v}\n{}", I::ID, listing::<I>(&case));
        }
    }
}

#[test]
fn programs_have_no_forbidden_warning() {
    each!(check_warnings);
}

fn reach<I: Generate>() {
    let started = Instant::now();
    let mut coverage = Coverage::<I>::new();
    (0..PROGRAMS).for_each(|seed| coverage.add(&plain::<I>(seed)));
    let by_chance = coverage.report();
    for point in coverage.missing() {
        let request = ProgramRequest { size: Some(8), ..ProgramRequest::default() };
        for seed in 0..REQUESTED {
            let points = std::slice::from_ref(&point);
            coverage.add(&case_with::<I>(&mut Entropy::seeded(seed), points, &request));
            if coverage.is_live(&point) {
                break;
            }
        }
    }
    let report = coverage.report();
    println!(
        "{}: of {} coverage points {} are live after {PROGRAMS} programs, {} after {}, {:.1?}",
        I::ID,
        report.points,
        by_chance.live,
        report.live,
        report.cases,
        started.elapsed()
    );
    assert!(report.points > 0 && report.skipped == 0);
    let reached = percent(by_chance.live as u64, report.points as u64);
    assert!(reached >= I::HEALTH.reached, "{}: only {} are live in random programs", I::ID, by_chance.live);
    assert_eq!(report.missing, Vec::<String>::new(), "{}: never live", I::ID);
}

#[test]
fn every_coverage_point_is_live_in_some_program() {
    each!(reach);
}

fn check_determinism<I: Generate>() {
    let mut e = Entropy::seeded(9);
    let bytes: Vec<u8> = (0..2100).map(|_| e.bits() as u8).collect();
    for seed in 0..100 {
        // Compared as bytes, because NaN is not equal to itself.
        assert_eq!(plain::<I>(seed).to_bytes(), plain::<I>(seed).to_bytes());
        assert_ne!(plain::<I>(seed).bytes, plain::<I>(seed + 1).bytes);
        let part = &bytes[seed as usize..][..20 * seed as usize];
        let again = || any_case(I::ID, &mut Entropy::from_bytes(part));
        assert_eq!(again().to_bytes(), again().to_bytes());
    }
}

#[test]
fn the_same_choices_make_the_same_case() {
    each!(check_determinism);
}

fn any_bytes<I: Generate>() {
    let noise: Vec<u8> = (0..3000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    let monotone = [vec![], vec![0; 900], vec![0xff; 900], noise];
    for bytes in monotone.iter().flat_map(|b| (0..=b.len()).step_by(37).map(|end| &b[..end])) {
        let case = case::<I>(&mut Entropy::from_bytes(bytes), &ProgramRequest::default());
        assert!(violations::<I>(&case).iter().all(|v| v.level < Level::Error), "{}", listing::<I>(&case));
        assert!(case.bytes.len() < 1 << 16);
    }
}

#[test]
fn any_bytes_generate_a_valid_program_that_ends() {
    each!(any_bytes);
}

fn granted<I: Generate>() {
    let (mut met, mut asked) = (0, 0);
    for point in points::<I>() {
        let points = std::slice::from_ref(point);
        let case = case_with::<I>(&mut Entropy::seeded(asked), points, &ProgramRequest::default());
        let resolved = case.resolve::<I>().unwrap();
        let has = (0..I::instruction_count(&resolved.context()))
            .any(|w| I::facets().points(&resolved.program, w).contains(point));
        (met, asked) = (met + u64::from(has), asked + 1);
    }
    println!("{}: {met} of {asked} requested coverage points met at the first attempt", I::ID);
    assert_eq!(met, asked, "{}", I::ID);
}

/// A requested coverage point is produced by the generator itself or by the setters of facets.
#[test]
fn every_requested_coverage_point_is_generated() {
    each!(granted);
}

fn meets_requests<I: Generate>() {
    // Opcodes without any effect have no coverage point.
    let acting: BTreeSet<&str> = points::<I>().iter().map(|point| point.opcode).collect();
    assert!(!acting.is_empty());
    for (k, opcode) in I::opcodes().iter().enumerate().filter(|(_, o)| acting.contains(o.mnemonic)) {
        let request =
            ProgramRequest { opcode: Some(opcode.mnemonic), size: Some(5), ..ProgramRequest::default() };
        let case = case::<I>(&mut Entropy::seeded(k as u64), &request);
        let resolved = case.resolve::<I>().unwrap();
        let mut words = 0..I::instruction_count(&resolved.context());
        let has = words
            .any(|w| I::facets().points(&resolved.program, w).iter().any(|c| c.opcode == opcode.mnemonic));
        assert!(has, "{}: {}", opcode.mnemonic, listing::<I>(&case));
    }
    assert!(!I::STAGES.is_empty());
    for &stage in I::STAGES {
        for seed in 0..20 {
            let request = ProgramRequest { stage: Some(stage), ..ProgramRequest::default() };
            let program = I::program(&mut Entropy::seeded(seed), &request);
            assert!(
                I::entries(&program).iter().any(|entry| entry.stage == stage),
                "{}: requested {stage:?}\n{}",
                I::ID,
                I::disassemble(&program)
            );
        }
    }
}

#[test]
fn requests_are_met() {
    each!(meets_requests);
}

/// Fails if case number `k` violates the claim of an oracle: see [`check`]. Returns whether the case was run, even if no lane finished.
fn check_oracles(case: &Case, k: u64, what: &str) -> bool {
    let mut ran = false;
    for oracle in Oracle::ALL {
        match check(oracle, case, k) {
            Verdict::Fails(failure) => {
                panic!("{what}, {}: {failure:?}\n{}", oracle.name(), case.to_text(None))
            }
            Verdict::Holds(_)
            | Verdict::Skipped(Skip::NoLaneFinished | Skip::NothingCompared | Skip::TooLarge) => {
                ran |= oracle == Oracle::Execution;
            }
            Verdict::Skipped(Skip::Unresolved(_) | Skip::Illegal(_)) => {}
        }
    }
    ran
}

fn broken<I: Generate>() {
    let (mut refused, mut warned, mut accepted) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let mut e = Entropy::seeded(seed);
        let mut outside = e.fork();
        let program = I::near_valid(&mut e, &ProgramRequest { size: Some(6), ..ProgramRequest::default() });
        let case = case_for_program::<I>(&mut outside, &program);
        let ran = check_oracles(&case, seed, &format!("seed {seed}"));
        let level = violations::<I>(&case).iter().map(|v| v.level).max();
        assert_eq!(
            ran,
            level < Some(Level::Error),
            "{} seed {seed}: refused but run, or legal but not run",
            I::ID
        );
        match level {
            Some(Level::Error) => refused += 1,
            Some(Level::Warning) => warned += 1,
            None => accepted += 1,
        }
    }
    println!("{}: near-valid: {refused} refused, {warned} with warnings, {accepted} accepted", I::ID);
    let (refused, unnoticed) = (percent(refused, PROGRAMS), percent(accepted, PROGRAMS));
    assert!(refused >= I::HEALTH.refused, "{}: refused {refused:.1} %", I::ID);
    assert!(unnoticed <= I::HEALTH.unnoticed, "{}: unnoticed {unnoticed:.1} %", I::ID);
    assert!(!I::HEALTH.warnings || warned > 0, "{}: no program breaks only warnings", I::ID);
}

#[test]
fn broken_programs_are_refused_or_run_equally_on_all_engines() {
    each!(broken);
}

fn ordered<I: Generate>() {
    let mut several = 0;
    for seed in 0..PROGRAMS {
        let mut e = Entropy::seeded(seed);
        let program = I::near_valid(&mut e, &ProgramRequest { size: Some(6), ..ProgramRequest::default() });
        let violations = violations::<I>(&case_for_program::<I>(&mut e, &program));
        let words = violations.iter().filter_map(|v| v.word);
        assert!(words.is_sorted(), "{}: {violations:?}", I::ID);
        several += usize::from(violations.len() > 1);
    }
    assert!(several > 20, "{}: {several}", I::ID);
}

#[test]
fn violations_are_in_program_order() {
    each!(ordered);
}

fn noisy<I: Generate>() {
    let mut decoded = 0;
    for seed in 0..PROGRAMS {
        let bytes = noise::<I>(&mut Entropy::seeded(seed));
        decoded += u64::from(I::decode(&bytes).is_ok());
        check_oracles(&Case { bytes, ..plain::<I>(0) }, seed, &format!("seed {seed}"));
    }
    let ([least, most], share) = (I::HEALTH.decoded, percent(decoded, PROGRAMS));
    assert!((least..=most).contains(&share), "{}: {decoded} of {PROGRAMS} decode", I::ID);
}

#[test]
fn noise_is_decoded_or_refused() {
    each!(noisy);
}

fn mutants<I: Generate>() {
    let (mut ran, mut changed, mut crossed, mut longest) = (0, 0, 0, 0);
    let (chains, steps) = (400, 3);
    for seed in 0..chains {
        let mut e = Entropy::seeded(seed);
        let mut case = any_case(I::ID, &mut e);
        for _ in 0..steps {
            let next = mutate(&case, &mut e);
            changed += u64::from(next.to_bytes() != case.to_bytes());
            ran += u64::from(check_oracles(&next, seed, &format!("mutant of {seed}")));
            case = next;
            longest = longest.max(case.bytes.len());
        }
        let (a, b) = (plain::<I>(seed), plain::<I>(seed + 1000));
        if let Some(child) = crossover(&a, &b, &mut e) {
            crossed += 1;
            check_oracles(&child, seed, &format!("child of {seed}"));
        }
        // Fuzzers may pass any bytes.
        let bytes = e.bytes(300);
        let wild = Case { bytes, ..case };
        mutate(&wild, &mut e);
        crossover(&wild, &a, &mut e);
        mutate(&Case { env: Environment::default(), ..a }, &mut Entropy::from_bytes(&[]));
    }
    println!(
        "{}: of {} mutants {changed} differ and {ran} run; {crossed} children, at most {longest} bytes",
        I::ID,
        chains * steps
    );
    assert!(changed * 10 > chains * steps * 9, "{changed}");
    assert!(percent(ran, chains * steps) >= I::HEALTH.mutants, "{}: {ran}", I::ID);
    assert!(crossed > 0 && longest < 64 << 10);
}

#[test]
fn mutants_are_cases() {
    each!(mutants);
}
