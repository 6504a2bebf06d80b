//! Obligations that the corpora require and the prover does not produce are reported as lost, by name.

use lockstep::proof::{ProofSettings, Refusals, obligation_differences, prove};
use lockstep_core::isa::IsaId;
use lockstep_prove::report::Report;
use lockstep_prove::verdict::Verdict;
use std::path::Path;

const ISAS: [IsaId; 1] = [IsaId::Pica200];
const PROGRAM: &str = "break_plain";

/// Returns a folder of corpora with one program and no cache.
fn corpora() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("pica200/programs");
    std::fs::create_dir_all(&programs).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/pica200/programs");
    let file = format!("{PROGRAM}.pica200.txt");
    std::fs::copy(own.join(&file), programs.join(&file)).unwrap();
    folder
}

fn wanted(filter: &str) -> ProofSettings {
    ProofSettings { filter: Some(filter.to_owned()), ..ProofSettings::default() }
}

fn lost_of(report: &Report, corpora: &Path) -> Vec<String> {
    obligation_differences(report, corpora, &ISAS, Some(PROGRAM), &Refusals::new())
}

#[test]
fn every_obligation_that_is_dropped_is_named() {
    let folder = corpora();
    let report = prove(folder.path(), &ISAS, &wanted(PROGRAM)).unwrap();
    assert_eq!(report.lost, Vec::<String>::new());
    let setting = |name: &str| name.contains('=');
    // Folds belong to no program, so a filter keeps them.
    let of_program = |name: &&str| name.contains(PROGRAM) && !setting(name);
    let plain: Vec<&str> = report.outcomes.iter().map(|o| o.name.as_str()).filter(of_program).collect();
    assert!(plain.len() > 10, "{plain:?}");
    for name in plain {
        let mut without = report.clone();
        without.outcomes.retain(|o| o.name != name);
        let said = lost_of(&without, folder.path());
        let [only] = said.as_slice() else { panic!("without {name}: {said:?}") };
        let (start, what) = only.rsplit_once(": ").unwrap();
        assert!(name.starts_with(start) && what == "this expected obligation is missing", "{only}");
    }
}

#[test]
fn an_unlisted_refusal_is_reported_as_lost() {
    let folder = corpora();
    let mut report = prove(folder.path(), &ISAS, &wanted(PROGRAM)).unwrap();
    let name = format!("pica200 fallback words {PROGRAM}");
    report.outcomes.retain(|o| !o.name.starts_with(&name));
    let mut refusal = report.outcomes[0].clone();
    refusal.name = name.clone();
    refusal.verdict = Verdict::NotApplicable { reason: "too big".to_owned() };
    report.outcomes.push(refusal);
    assert_eq!(
        lost_of(&report, folder.path()),
        [format!("{name}: refused by the prover, but not listed: too big")]
    );
    let listed = Refusals::from([(name, "it is too big".to_owned())]);
    assert_eq!(
        obligation_differences(&report, folder.path(), &ISAS, Some(PROGRAM), &listed),
        Vec::<String>::new()
    );
}

#[test]
fn a_refusal_excuses_no_other_program_whose_name_begins_alike() {
    let folder = corpora();
    let programs = folder.path().join("pica200/programs");
    let own = format!("{PROGRAM}.pica200.txt");
    std::fs::copy(programs.join(&own), programs.join(format!("{PROGRAM}2.pica200.txt"))).unwrap();
    let mut report = prove(folder.path(), &ISAS, &wanted(PROGRAM)).unwrap();
    assert_eq!(report.lost, Vec::<String>::new());
    // The first program is refused, and all obligations of both are gone.
    let name = format!("pica200 fallback words {PROGRAM}");
    let mut refusal = report.outcomes[0].clone();
    report.outcomes.retain(|o| !o.name.starts_with(&name));
    refusal.name = name.clone();
    refusal.verdict = Verdict::NotApplicable { reason: "too big".to_owned() };
    report.outcomes.push(refusal);
    let listed = Refusals::from([(name.clone(), "it is too big".to_owned())]);
    let lost = obligation_differences(&report, folder.path(), &ISAS, Some(PROGRAM), &listed);
    assert!(lost.len() > 2 && lost.iter().all(|line| line.starts_with(&format!("{name}2: "))), "{lost:?}");
}

#[test]
fn a_program_that_cannot_be_read_is_lost() {
    let folder = corpora();
    let programs = folder.path().join("pica200/programs");
    std::fs::write(programs.join("broken.pica200.txt"), ".proc main\n  nonsense\n.end\n").unwrap();
    let report = prove(folder.path(), &ISAS, &wanted(PROGRAM)).unwrap();
    let [only] = report.lost.as_slice() else { panic!("{:?}", report.lost) };
    assert!(only.starts_with("pica200 programs/broken: "), "{only}");
    assert!(!report.is_green());
}

#[test]
fn duplicate_obligation_names_are_reported() {
    let folder = corpora();
    let mut report = prove(folder.path(), &ISAS, &wanted(PROGRAM)).unwrap();
    let again = report.outcomes[0].clone();
    report.outcomes.push(again.clone());
    assert_eq!(lost_of(&report, folder.path()), [format!("{}: two obligations have this name", again.name)]);
}

#[test]
fn a_filter_that_matches_nothing_is_reported() {
    let folder = corpora();
    let report = prove(folder.path(), &ISAS, &wanted("no such obligation")).unwrap();
    assert_eq!(report.lost, ["no obligation has 'no such obligation' in its name"]);
    assert!(!report.is_green());
}

#[test]
fn missing_programs_and_obligations_are_reported_as_lost() {
    let folder = corpora();
    std::fs::remove_dir_all(folder.path().join("pica200/programs")).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/proofs");
    let proofs = folder.path().join("proofs");
    std::fs::create_dir_all(&proofs).unwrap();
    for file in ["cache.jsonl", "survivors.json", "ledger.tsv"] {
        std::fs::copy(own.join(file), proofs.join(file)).unwrap();
    }
    let lost = prove(folder.path(), &ISAS, &ProofSettings::default()).unwrap().lost;
    let begins = |start: &str| lost.iter().any(|line| line.starts_with(start));
    assert!(begins("pica200 programs: "), "{lost:?}");
    // Obligations about programs are gone; those about tables remain.
    for kind in ["fallback words", "whole programs"] {
        assert!(begins(&format!("pica200 {kind}: there are none any more (ledger)")), "{lost:?}");
    }
    assert!(begins("pica200 step simulation: "), "{lost:?}");
    assert!(!begins("pica200 lowering rules") && !begins("shared") && !begins("agal"), "{lost:?}");
    std::fs::write(proofs.join("ledger.tsv"), "what\n").unwrap();
    let lost = prove(folder.path(), &ISAS, &ProofSettings::default()).unwrap().lost;
    assert!(lost.iter().any(|line| line.starts_with("shared ledger: ledger.tsv: line 1 is not")), "{lost:?}");
}
