//! Reports with awkward content stay well formed, and verdicts follow from what was done.

use super::*;
use crate::corpus::Kind;
use crate::engine::Statistics;
use std::time::Duration;

fn judgement(lanes: u64) -> Judgement {
    Judgement {
        name: "a<b>&\"c\".agal".to_owned(),
        path: "a".to_owned(),
        isa: IsaId::Agal,
        kind: Kind::Program,
        decoded: true,
        bytes: lanes > 0,
        text: lanes > 0,
        valid: lanes > 0,
        refused: None,
        runs: u64::from(lanes > 0),
        idle: 0,
        lanes,
        compared: Statistics { components: lanes * 4, nan: 0, uniform: 0 },
        rewritten: 0,
        vectors: 0,
        problems: Vec::new(),
        problem_keys: Vec::new(),
        failed: std::collections::BTreeSet::new(),
        suspects: Vec::new(),
    }
}

fn finding() -> Reported {
    Reported {
        signature: "agal-execution-add-output".to_owned(),
        isa: "agal".to_owned(),
        claim: "execution".to_owned(),
        message: "1 < 2 & \"x\" ]]> \u{1}".to_owned(),
        item: "dir with space/ü.agal".to_owned(),
        count: 3,
        case: None,
        reproduce: None,
        detail: "<script>alert(1)</script>".to_owned(),
    }
}

#[test]
fn verdicts_follow_from_what_was_done() {
    let verdict = |fill: &dyn Fn(&mut Builder)| {
        let mut builder = Builder::default();
        fill(&mut builder);
        builder.finish(Duration::ZERO).verdict
    };
    assert_eq!(verdict(&|_| {}), Exit::Inconclusive);
    assert_eq!(verdict(&|b| b.judged(vec![judgement(0)])), Exit::Inconclusive);
    assert_eq!(verdict(&|b| b.judged(vec![judgement(4)])), Exit::Clean);
    let unknown = Proofs {
        counts: ProofCounts { proved: 5, unknown: 1, ..ProofCounts::default() },
        ..Proofs::default()
    };
    assert_eq!(verdict(&|b| b.proofs(Some(IsaId::Agal), unknown.clone())), Exit::Inconclusive);
    assert_eq!(
        verdict(&|b| {
            b.judged(vec![judgement(4)]);
            b.broken("x".to_owned(), "y".to_owned());
        }),
        Exit::Usage
    );
    assert_eq!(
        verdict(&|b| {
            b.judged(vec![judgement(4)]);
            b.reported(finding());
        }),
        Exit::Findings
    );
    // Round trips alone compare nothing.
    let mut bytes_only = judgement(0);
    (bytes_only.decoded, bytes_only.bytes, bytes_only.text, bytes_only.runs) = (true, true, true, 1);
    assert_eq!(verdict(&|b| b.judged(vec![bytes_only.clone()])), Exit::Inconclusive);
    // An instruction set that was asked for and of which nothing was judged.
    let mut builder = Builder::new(&[IsaId::Agal]);
    let proved = Proofs { counts: ProofCounts { proved: 5, ..ProofCounts::default() }, ..Proofs::default() };
    builder.proofs(Some(IsaId::Agal), proved);
    let report = builder.finish(Duration::ZERO);
    assert_eq!(report.verdict, Exit::Inconclusive);
    assert!(report.notes.iter().any(|note| note.contains("nothing was compared for agal")));
    let mut wrong = judgement(4);
    wrong.problems.push("refused".to_owned());
    assert_eq!(verdict(&|b| b.judged(vec![wrong.clone()])), Exit::Findings);
}

#[test]
fn markup_survives_awkward_content() {
    let mut builder = Builder::default();
    builder.judged(vec![judgement(4)]);
    builder.reported(finding());
    builder.skipped([Skipped { name: "<x>".to_owned(), reason: "a & b".to_owned() }]);
    let report = builder.finish(Duration::from_millis(1500));
    for text in [junit(&report), html(&report)] {
        assert!(!text.contains("<script>") && !text.contains('\u{1}') && !text.contains("1 < 2"), "{text}");
        assert!(text.contains("&lt;script&gt;"));
    }
    // Every tag of the XML closes: attributes hold no '<', so the counts must balance.
    let xml = junit(&report);
    for tag in ["testsuites", "testsuite", "testcase", "failure"] {
        let opened = xml.matches(&format!("<{tag} ")).count();
        let alone = xml
            .lines()
            .filter(|l| l.trim_start().starts_with(&format!("<{tag} ")) && l.ends_with("\"/>"))
            .count();
        let closed = xml.matches(&format!("</{tag}>")).count();
        assert_eq!(opened, closed + alone, "{tag} in {xml}");
    }
    let sarif = sarif(&report);
    let location =
        &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(location, "dir%20with%20space/%C3%BC.agal");
}

#[test]
fn json_names_its_schema_and_reads_back() {
    let mut builder = Builder::default();
    builder.judged(vec![judgement(4)]);
    let mut bytes = Vec::new();
    builder.finish(Duration::ZERO).json(&mut bytes).expect("memory");
    let value: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(value["schema"], SCHEMA);
    assert_eq!(value["verdict"], "clean");
    assert_eq!(value["isas"][0]["components"], 16);
    assert_eq!(value["items"][0]["name"], "a<b>&\"c\".agal");
}

#[test]
fn what_is_shared_has_a_row_of_its_own() {
    let mut builder = Builder::new(&[IsaId::Agal]);
    builder.judged(vec![judgement(4)]);
    let counts = ProofCounts { proved: 7, ..ProofCounts::default() };
    let refuted = vec![("rule r".to_owned(), "x = 1".to_owned())];
    builder.proofs(None, Proofs { counts, refuted, unknown: Vec::new() });
    let report = builder.finish(Duration::ZERO);
    let rows: Vec<_> =
        report.isas.iter().map(|row| (row.isa.as_str(), row.proofs.proved, row.findings)).collect();
    assert_eq!(rows, [("agal", 0, 0), ("shared", 7, 1)]);
    assert!(junit(&report).contains("<testsuite name=\"shared\""));
    assert_eq!(Builder::new(&[]).finish(Duration::ZERO).isas.len(), IsaId::ALL.len());
}

#[test]
fn items_on_which_a_claim_fails_are_failed_test_cases() {
    let mut failing = judgement(4);
    failing.failed.insert(crate::oracle::Oracle::Rewriting);
    let mut builder = Builder::default();
    builder.judged(vec![failing, Judgement { name: "fine".to_owned(), ..judgement(4) }]);
    let xml = junit(&builder.finish(Duration::ZERO));
    let case =
        xml.lines().find(|line| line.contains("testcase") && line.contains("&quot;c&quot;.agal")).unwrap();
    assert!(case.contains("<failure") && case.contains("rewriting"), "{case}");
    assert!(xml.lines().any(|line| line.contains("name=\"fine\"/>")), "{xml}");
    assert!(xml.contains("failures=\"1\""), "{xml}");
}
