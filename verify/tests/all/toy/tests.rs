//! The toy instruction set passes every check of an instruction set. The toy with a wrong lowering does not.

use super::Toy;
use lockstep::case::Case;
use lockstep::corpus::own_corpora;
use lockstep::fuzz::{Answer, Target, judge_case, judge_raw};
use lockstep::generate::{Entropy, Generate, any_case_of, noise};
use lockstep::oracle::{Oracle, Verdict, ask_isa};
use lockstep_core::isa::{Isa, Tables};
use lockstep_prove::cache::Cache;
use lockstep_prove::obligation::{Kind, Programs, of_isa};
use lockstep_prove::report::Report;
use lockstep_prove::run::Settings;
use std::collections::BTreeMap;

type Right = Toy<false>;
type Wrong = Toy<true>;

fn cases<I: Generate>() -> impl Iterator<Item = Case> {
    (0..200).map(|seed| any_case_of::<I>(&mut Entropy::seeded(seed)))
}

/// Returns how often each oracle's claim holds and how often it fails.
fn verdicts<I: Generate>() -> BTreeMap<Oracle, [usize; 2]> {
    let mut all = BTreeMap::new();
    for case in cases::<I>() {
        for oracle in Oracle::ALL {
            let [holds, fails] = all.entry(oracle).or_insert([0, 0]);
            match ask_isa::<I>(oracle, &case) {
                Verdict::Holds(_) => *holds += 1,
                Verdict::Fails(_) => *fails += 1,
                Verdict::Skipped(_) => {}
            }
        }
    }
    all
}

#[test]
fn every_claim_holds_for_the_right_toy() {
    for (oracle, [holds, fails]) in verdicts::<Right>() {
        assert!(holds > 100 && fails == 0, "{}: {holds} hold, {fails} fail", oracle.name());
    }
}

#[test]
fn only_execution_fails_for_the_wrong_toy() {
    for (oracle, [holds, fails]) in verdicts::<Wrong>() {
        assert!(
            holds > 10 && (fails > 50) == (oracle == Oracle::Execution),
            "{}: {holds}, {fails}",
            oracle.name()
        );
    }
}

/// Returns how often a fuzz body compared something without a failure, and how often it found a failure.
fn answers<I: Generate>(target: Target) -> [usize; 2] {
    let mut found = [0, 0];
    let mut add = |answer| match answer {
        Answer::Compared(_) => found[0] += 1,
        Answer::Fails(_) => found[1] += 1,
        Answer::NotCompared(_) => {}
    };
    for (seed, case) in (0..).zip(cases::<I>()) {
        add(judge_raw::<I>(target, &noise::<I>(&mut Entropy::seeded(seed))));
        if let Ok(program) = I::decode(&case.bytes) {
            add(judge_raw::<I>(target, I::disassemble(&program).as_bytes()));
        }
        let data = case.bytes.clone();
        add(judge_case::<I>(target, case, &data));
    }
    found
}

#[test]
fn fuzz_bodies_judge_the_toy() {
    for target in [Target::Bytes, Target::Text, Target::Execution, Target::Rewriting] {
        let [compared, fails] = answers::<Right>(target);
        assert!(compared > 100 && fails == 0, "{target:?}: {compared} compared, {fails} fail");
    }
    assert!(answers::<Wrong>(Target::Execution)[1] > 50);
}

fn proofs<I: Isa>() -> Report {
    let texts = [
        ("straight", "add 1, 0, 2\nmul 3, 1, 1\nend 0, 0, 0\n"),
        ("loop", "add 1, 1, 2\njge 0, 0, 1\nmul 3, 1, 1\nend 0, 0, 0\n"),
    ];
    let bytes = |text| I::encode(&I::assemble(text).expect("a program"));
    let all = texts.map(|(name, text)| (name.to_owned(), bytes(text))).to_vec();
    let settings = Settings { threads: 1, check_domain: false, ..Settings::default() };
    // The folds that are applied are proved by cached answers, which serve all instruction sets.
    let cache = own_corpora(None).expect("the corpora").join("proofs/cache.jsonl");
    let cache = Cache::read(&cache).expect("the cache of proofs");
    let tasks = of_isa::<I>(&Programs { all, covering: Vec::new() });
    lockstep_prove::replay(&tasks, &cache, &settings)
}

#[test]
fn the_toy_is_proved_and_the_wrong_one_refuted() {
    let report = proofs::<Right>();
    let open: Vec<_> = report.unknown().map(|outcome| &outcome.name).collect();
    assert!(report.is_green(), "{open:?}");
    for kind in [Kind::Layout, Kind::LoweringRule, Kind::Step, Kind::Fallback, Kind::Program, Kind::Coverage]
    {
        let some = report.outcomes.iter().filter(|outcome| outcome.kind == kind).count();
        assert!(some > 0, "{}", kind.name());
    }
    let refuted: Vec<String> = proofs::<Wrong>().refuted().map(|outcome| outcome.name.clone()).collect();
    assert!(refuted.iter().any(|name| name.starts_with("toy lowering rules add")), "{refuted:?}");
    let word = |word: u32| format!("toy fallback words loop: word {word}");
    assert!(refuted.contains(&word(0)) && !refuted.contains(&word(2)), "{refuted:?}");
}

#[test]
fn the_toy_has_a_manual() {
    let manual = Right::manual();
    for row in Right::opcodes() {
        assert!(manual.contains(row.meaning), "{}", row.meaning);
    }
    assert!(manual.contains("a jump leads to an instruction"), "{manual}");
}
