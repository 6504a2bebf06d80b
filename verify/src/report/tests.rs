//! Tests that reports with unusual content are well formed, and that the verdict follows from what was checked.

mod fields;

use super::*;
use crate::corpus::Kind;
use crate::engine::{Statistics, Validated};
use crate::legality::Levels;
use crate::shared::SharedReport;
use lockstep_core::isa::Level;
use std::path::Path;
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
        cut: Vec::new(),
        runs: u64::from(lanes > 0),
        idle: 0,
        lanes,
        compared: Statistics { components: lanes * 4, ..Statistics::default() },
        rewritten: 0,
        registers: 0,
        vectors: 0,
        violations: Vec::new(),
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
        path: Some("dir with space/ü.agal".to_owned()),
        count: 3,
        detail: "<script>alert(1)</script>".to_owned(),
        ..Reported::default()
    }
}

#[test]
fn the_verdict_follows_from_judgements_proofs_and_findings() {
    let verdict = |fill: &dyn Fn(&mut Builder)| {
        let mut builder = Builder::default();
        fill(&mut builder);
        builder.finish(Duration::ZERO).verdict
    };
    assert_eq!(verdict(&|_| {}), Exit::Inconclusive);
    assert_eq!(verdict(&|b| b.add_judgements(vec![judgement(0)])), Exit::Inconclusive);
    assert_eq!(verdict(&|b| b.add_judgements(vec![judgement(4)])), Exit::Clean);
    let unknown = Proofs {
        counts: ProofCounts { proved: 5, unknown: 1, ..ProofCounts::default() },
        ..Proofs::default()
    };
    assert_eq!(verdict(&|b| b.add_proofs(Some(IsaId::Agal), unknown.clone())), Exit::Inconclusive);
    assert_eq!(
        verdict(&|b| {
            b.add_judgements(vec![judgement(4)]);
            b.count_unreadable("x".to_owned(), "y".to_owned());
        }),
        Exit::Usage
    );
    assert_eq!(
        verdict(&|b| {
            b.add_judgements(vec![judgement(4)]);
            b.add_finding(finding());
        }),
        Exit::Findings
    );
    // Only compared components make a run conclusive: round trips alone do not.
    let mut bytes_only = judgement(0);
    (bytes_only.decoded, bytes_only.bytes, bytes_only.text, bytes_only.runs) = (true, true, true, 1);
    assert_eq!(verdict(&|b| b.add_judgements(vec![bytes_only.clone()])), Exit::Inconclusive);
    let compared = Statistics {
        components: 0,
        nan: 5,
        uniform: 6,
        no_fallback: 7,
        too_many: 8,
        ..Statistics::default()
    };
    let nothing = Judgement { compared, runs: 1, idle: 2, rewritten: 3, vectors: 4, ..judgement(5) };
    assert_eq!(verdict(&|b| b.add_judgements(vec![nothing.clone()])), Exit::Inconclusive);
    // An instruction set was requested, but no item of it was judged.
    let mut builder = Builder::new(&[IsaId::Agal]);
    let proved = Proofs { counts: ProofCounts { proved: 5, ..ProofCounts::default() }, ..Proofs::default() };
    builder.add_proofs(Some(IsaId::Agal), proved);
    let report = builder.finish(Duration::ZERO);
    assert_eq!(report.verdict, Exit::Inconclusive);
    assert!(report.notes.iter().any(|note| note.contains("nothing was compared for agal")));
    let mut wrong = judgement(4);
    wrong.problems.push("refused".to_owned());
    assert_eq!(verdict(&|b| b.add_judgements(vec![wrong.clone()])), Exit::Findings);
}

#[test]
fn validated_machine_code_is_counted() {
    let mut builder = Builder::default();
    for (compilations, instructions) in [(2, 300), (4, 50)] {
        let mut one = judgement(4);
        one.compared.validated = Validated { compilations, instructions };
        builder.add_judgements(vec![one]);
    }
    let report = builder.finish(Duration::ZERO);
    let note = report.notes.iter().find(|note| note.contains("machine code")).unwrap();
    assert_eq!(note, "the machine code of 6 compilations was validated: 350 instructions");
}

#[test]
fn left_out_lowerings_are_counted_in_notes() {
    let mut builder = Builder::default();
    for (no_fallback, too_many) in [(3, 0), (4, 2), (0, 0)] {
        let mut one = judgement(4);
        (one.compared.no_fallback, one.compared.too_many) = (no_fallback, too_many);
        builder.add_judgements(vec![one]);
    }
    let report = builder.finish(Duration::ZERO);
    let notes: Vec<&String> = report.notes.iter().filter(|note| note.contains("left out")).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].starts_with("agal: 7 runs by the fallback"), "{notes:?}");
    assert!(notes[1].starts_with("agal: 2 runs by nodes"), "{notes:?}");
    assert_eq!(report.verdict, Exit::Clean);
}

#[test]
fn markup_survives_awkward_content() {
    let mut builder = Builder::default();
    builder.add_judgements(vec![judgement(4)]);
    builder.add_finding(finding());
    builder.add_skipped([Skipped { name: "<x>".to_owned(), reason: "a & b".to_owned() }]);
    let report = builder.finish(Duration::from_millis(1500));
    for text in [junit(&report), html(&report)] {
        assert!(!text.contains("<script>") && !text.contains('\u{1}') && !text.contains("1 < 2"), "{text}");
        assert!(text.contains("&lt;script&gt;"));
    }
    // Every XML tag is closed. Attributes contain no '<', so the counts must balance.
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
    let sarif = sarif(&report, Path::new("/here"));
    let location =
        &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(location, "dir%20with%20space/%C3%BC.agal");
}

#[test]
fn sarif_has_locations_and_distinct_fingerprints() {
    let mut builder = Builder::default();
    for (path, line, column) in [
        ("/here/a/x.agal.txt", Some(3), Some(7)),
        ("/other/x.agal.txt", Some(3), None),
        ("./y.agal", None, None),
    ] {
        builder.add_finding(Reported {
            item: path.to_owned(),
            path: Some(path.to_owned()),
            line,
            column,
            ..finding()
        });
    }
    builder.add_finding(Reported { item: "rule r".to_owned(), path: None, ..finding() });
    builder.add_finding(Reported {
        item: "z.agal".to_owned(),
        path: Some("z.agal".to_owned()),
        byte_offset: Some(31),
        byte_length: Some(24),
        ..finding()
    });
    let sarif = sarif(&builder.finish(Duration::ZERO), Path::new("/here"));
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    let place = |n: usize| &results[n]["locations"][0]["physicalLocation"];
    assert_eq!(place(0)["artifactLocation"]["uri"], "a/x.agal.txt");
    assert_eq!(place(0)["region"], serde_json::json!({ "startLine": 3, "startColumn": 7 }));
    assert_eq!(place(1)["artifactLocation"]["uri"], "file:///other/x.agal.txt");
    assert_eq!(place(1)["region"], serde_json::json!({ "startLine": 3 }));
    assert_eq!(place(2)["artifactLocation"]["uri"], "y.agal");
    assert!(place(2)["region"].is_null() && place(3).is_null(), "{results:?}");
    assert_eq!(place(4)["region"], serde_json::json!({ "byteOffset": 31, "byteLength": 24 }));
    let marks =
        results.iter().map(|result| result["partialFingerprints"]["lockstepSignature/v1"].to_string());
    assert_eq!(marks.collect::<std::collections::BTreeSet<_>>().len(), 5, "{results:?}");
    let base = place(0)["artifactLocation"]["uriBaseId"].as_str().expect("a name");
    assert!(!sarif["runs"][0]["originalUriBaseIds"][base].is_null(), "{sarif}");
}

/// Returns the numbers of tests, failures and skipped tests twice: as stated by the first tag of this name, and as counted in all of `xml`.
fn tests_of(xml: &str, tag: &str) -> [[usize; 3]; 2] {
    let head = xml.lines().find(|line| line.trim_start().starts_with(&format!("<{tag} "))).expect("a tag");
    let said = ["tests", "failures", "skipped"].map(|key| {
        let (_, rest) = head.split_once(&format!(" {key}=\"")).expect("an attribute");
        rest.split('"').next().and_then(|n| n.parse().ok()).expect("a number")
    });
    [said, ["<testcase ", "<failure ", "<skipped "].map(|tag| xml.matches(tag).count())]
}

#[test]
fn junit_counts_each_item_and_finding_once() {
    let mut failing = judgement(4);
    failing.failed.insert(crate::oracle::Oracle::Execution);
    let mut wrong = Judgement { name: "wrong".to_owned(), ..judgement(4) };
    wrong.record_problem("wrong".to_owned(), "it does not decode".to_owned());
    let refused = Judgement { name: "refused".to_owned(), refused: Some("r".to_owned()), ..judgement(4) };
    let mut builder = Builder::default();
    builder.add_finding(Reported { item: failing.name.clone(), ..finding() });
    builder.add_finding(Reported { item: "shared".to_owned(), isa: "shared".to_owned(), ..finding() });
    builder.add_judgements(vec![
        failing,
        wrong,
        refused,
        Judgement { name: "fine".to_owned(), ..judgement(4) },
    ]);
    builder.add_skipped([Skipped { name: "x".to_owned(), reason: "y".to_owned() }]);
    let xml = junit(&builder.finish(Duration::ZERO));
    // The six test cases are four items, a finding outside of all items, and a skipped file.
    assert_eq!(tests_of(&xml, "testsuites"), [[6, 3, 2]; 2], "{xml}");
    assert!(
        xml.contains("type=\"execution\"") && xml.contains("&lt;script&gt;"),
        "the finding is missing: {xml}"
    );
}

#[test]
fn occurrences_are_counted_and_skipped_files_grouped_by_reason() {
    let mut builder = Builder::default();
    builder.add_finding(finding());
    builder.add_finding(Reported { count: 1, ..finding() });
    builder.add_skipped((0..100).map(|n| Skipped { name: format!("n{n}"), reason: "not ours".to_owned() }));
    let page = html(&builder.finish(Duration::ZERO));
    assert!(page.contains("seen once") && page.contains("seen 3 times"), "{page}");
    assert!(page.contains("name=\"viewport\"") && page.contains("prefers-color-scheme:dark"), "{page}");
    assert_eq!(
        page.matches("<details").count(),
        3,
        "two findings, and a hundred files under one reason: {page}"
    );
    assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
}

fn violation(rule: u16, level: Level) -> crate::legality::LocatedViolation {
    crate::legality::LocatedViolation {
        isa: IsaId::Agal,
        entry: Some(0),
        level,
        rule,
        instruction: Some(2),
        column: None,
        byte_offset: None,
        byte_length: None,
        line: Some(5),
        text: Some("mov <x>".to_owned()),
        message: "m".to_owned(),
        source: "s".to_owned(),
        sources: vec!["S: a <title> (a page)".to_owned()],
    }
}

#[test]
fn broken_rules_are_in_every_report_and_fail_if_they_are_denied() {
    let report = |levels: Levels, rules: bool| {
        let mut builder = Builder::default();
        builder.set_policy(levels, Denials { rules, ..Denials::default() });
        let violations = vec![violation(1, Level::Warning), violation(2, Level::Error)];
        builder.add_judgements(vec![Judgement { violations, ..judgement(4) }]);
        builder.finish(Duration::ZERO)
    };
    let plain = report(Levels::default(), false);
    assert_eq!((plain.verdict, plain.isas[0].violations), (Exit::Clean, 2));
    let levels_of = |report: &Report| {
        let sarif = sarif(report, Path::new("/"));
        let results = sarif["runs"][0]["results"].as_array().expect("a list").clone();
        let all = results.iter().filter(|r| r["ruleId"].as_str().is_some_and(|id| id.starts_with("agal:")));
        all.map(|result| result["level"].as_str().expect("text").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(levels_of(&plain), ["warning", "error"]);
    for text in [junit(&plain), html(&plain), table(&plain.isas)] {
        assert!(!text.contains("mov <x>"), "{text}");
    }
    assert!(junit(&plain).contains("instruction 2: m (s)"));
    assert!(html(&plain).contains("warning[agal:1]: instruction 2: m (s)"));
    // The cited sources are spelled out, once in each place.
    let escaped = "S: a &lt;title&gt; (a page)";
    assert_eq!(junit(&plain).matches(escaped).count(), 1);
    assert_eq!(html(&plain).matches(escaped).count(), 2, "for each of two rules");
    let rules = sarif(&plain, Path::new("/"))["runs"][0]["tool"]["driver"]["rules"].clone();
    let help = |id: &str| {
        let all = rules.as_array().expect("a list");
        all.iter().find(|rule| rule["id"] == id).expect("a rule")["help"]["text"].clone()
    };
    assert_eq!([help("agal:1"), help("agal:2")], ["S: a <title> (a page)"; 2]);
    let denied = report(Levels::default(), true);
    assert!(denied.findings.iter().all(|found| found.detail.ends_with("S: a <title> (a page)")));
    assert_eq!(denied.verdict, Exit::Findings);
    let signatures: Vec<&str> = denied.findings.iter().map(|f| f.signature.as_str()).collect();
    assert_eq!(signatures, ["agal-rule-1-a<b>&\"c\".agal", "agal-rule-2-a<b>&\"c\".agal"]);
    assert_eq!(levels_of(&denied), ["error", "error"]);
    assert_eq!(tests_of(&junit(&denied), "testsuites"), [[1, 1, 0]; 2]);
    let rules = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let lowered = report(Levels { warn: rules(&["agal:2"]), ..Levels::default() }, false);
    assert_eq!(levels_of(&lowered), ["warning", "warning"]);
    let allowed = report(Levels { allow: rules(&["1", "agal:2"]), ..Levels::default() }, true);
    assert_eq!((allowed.verdict, levels_of(&allowed).len()), (Exit::Clean, 0));
}

#[test]
fn refused_or_skipped_items_fail_if_denied() {
    let verdict = |denials: Denials| {
        let mut builder = Builder::default();
        builder.set_policy(Levels::default(), denials);
        let refused = Judgement { name: "r".to_owned(), refused: Some("why".to_owned()), ..judgement(4) };
        builder.add_judgements(vec![judgement(4), refused]);
        builder.add_skipped([Skipped { name: "dir/x".to_owned(), reason: "y".to_owned() }]);
        let report = builder.finish(Duration::ZERO);
        let xml = junit(&report);
        let [said, there] = tests_of(&xml, "testsuites");
        assert!(said == there && said[0] == 3, "{xml}");
        (report.verdict, report.findings.into_iter().map(|f| f.signature).collect::<Vec<_>>())
    };
    assert_eq!(verdict(Denials::default()).0, Exit::Clean);
    let refused = verdict(Denials { refused: true, ..Denials::default() });
    assert_eq!(refused, (Exit::Findings, vec!["agal-refused-r".to_owned()]));
    let skipped = verdict(Denials { skipped: true, ..Denials::default() });
    assert_eq!(skipped, (Exit::Findings, vec!["unknown-skipped-x".to_owned()]));
}

#[test]
fn a_refused_program_is_shown_where_it_breaks_the_first_rule_at_error_level() {
    let mut builder = Builder::default();
    builder.set_policy(Levels::default(), Denials { refused: true, ..Denials::default() });
    let warning = crate::legality::LocatedViolation { line: Some(3), ..violation(1, Level::Warning) };
    let violations = vec![warning, violation(2, Level::Error)];
    builder.add_judgements(vec![Judgement { refused: Some("why".to_owned()), violations, ..judgement(0) }]);
    let report = sarif(&builder.finish(Duration::ZERO), Path::new("/"));
    let results = report["runs"][0]["results"].as_array().expect("a list");
    let refused = results.iter().find(|result| result["ruleId"] == "refused").expect("a result");
    let place = &refused["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"a".into(), &5.into()));
}

#[test]
fn a_finding_has_its_marked_line_in_every_report() {
    let exhibit = crate::blame::Exhibit {
        listing: ["mov <a>, b", "sub c, d", "mov e, f"].map(str::to_owned).to_vec(),
        marked: vec![1],
        guilty: None,
        note: None,
    };
    let detail = exhibit.text();
    let mut builder = Builder::default();
    builder.add_judgements(vec![judgement(4)]);
    let message = "it fails; at instruction 1: sub c, d".to_owned();
    builder.add_finding(Reported { message, detail, exhibit: Some(exhibit), ..finding() });
    let report = builder.finish(Duration::ZERO);
    let page = html(&report);
    assert!(
        page.contains("      mov &lt;a&gt;, b\n<mark>    &gt; sub c, d</mark>\n      mov e, f\n"),
        "{page}"
    );
    let mut json = Vec::new();
    report.json(&mut json).expect("memory");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["findings"][0]["exhibit"]["marked"], serde_json::json!([1]));
    assert_eq!(json["findings"][0]["exhibit"]["listing"][1], "sub c, d");
    let document = sarif(&report, Path::new("/"));
    let text = document["runs"][0]["results"][0]["message"]["text"].as_str().expect("text");
    assert!(text.starts_with("it fails; at instruction 1: sub c, d"), "{text}");
    assert!(junit(&report).contains("message=\"it fails; at instruction 1: sub c, d\""));
}

#[test]
fn json_names_its_schema_and_reads_back() {
    let mut builder = Builder::default();
    builder.add_judgements(vec![judgement(4)]);
    let mut bytes = Vec::new();
    builder.finish(Duration::ZERO).json(&mut bytes).expect("memory");
    let value: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(value["schema"], SCHEMA);
    assert_eq!(value["verdict"], "clean");
    assert_eq!(value["isas"][0]["components"], 16);
    assert_eq!(value["items"][0]["name"], "a<b>&\"c\".agal");
}

#[test]
fn shared_proofs_have_a_row_of_their_own() {
    let mut builder = Builder::new(&[IsaId::Agal]);
    builder.add_judgements(vec![judgement(4)]);
    let counts = ProofCounts { proved: 7, ..ProofCounts::default() };
    let refuted = vec![("rule r".to_owned(), "x = 1".to_owned())];
    builder.add_proofs(None, Proofs { counts, refuted, unknown: Vec::new() });
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
    builder.add_judgements(vec![failing, Judgement { name: "fine".to_owned(), ..judgement(4) }]);
    let xml = junit(&builder.finish(Duration::ZERO));
    let case =
        xml.lines().find(|line| line.contains("testcase") && line.contains("&quot;c&quot;.agal")).unwrap();
    assert!(case.contains("<failure") && case.contains("rewriting"), "{case}");
    assert!(xml.lines().any(|line| line.contains("name=\"fine\"/>")), "{xml}");
    assert!(xml.contains("failures=\"1\""), "{xml}");
}

/// An XML element with its attributes and the names of the elements it contains.
struct Element<'x> {
    name: &'x str,
    attributes: Vec<(&'x str, &'x str)>,
    /// The names of the contained elements, at any depth.
    inside: Vec<&'x str>,
}

/// Returns every element of a document without comments, in the order of their ends.
fn elements(xml: &str) -> Vec<Element<'_>> {
    let (mut open, mut done): (Vec<Element<'_>>, Vec<Element<'_>>) = (Vec::new(), Vec::new());
    for tag in xml.split('<').skip(2).map(|part| part.split('>').next().expect("a tag ends")) {
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.last().map(|e| e.name), Some(name), "{xml}");
            done.extend(open.pop());
            continue;
        }
        let body = tag.trim_end_matches('/');
        let (name, rest) = body.split_once(' ').unwrap_or((body, ""));
        let quoted: Vec<&str> = rest.split('"').collect();
        let attributes =
            quoted.chunks_exact(2).map(|pair| (pair[0].trim().trim_end_matches('='), pair[1])).collect();
        for around in &mut open {
            around.inside.push(name);
        }
        open.push(Element { name, attributes, inside: Vec::new() });
        if tag.ends_with('/') {
            done.extend(open.pop());
        }
    }
    assert!(open.is_empty(), "{xml}");
    done
}

#[test]
fn junit_counts_equal_the_number_of_elements() {
    let mut failing = judgement(4);
    failing.failed.insert(crate::oracle::Oracle::Rewriting);
    let mut wrong = judgement(4);
    wrong.record_problem("k".to_owned(), "p".to_owned());
    let refused = Judgement { refused: Some("r".to_owned()), ..judgement(0) };
    let other = Judgement { isa: IsaId::D3d9, ..judgement(4) };
    let skipped = || Skipped { name: "<x>".to_owned(), reason: "a & b".to_owned() };
    let parts: [&dyn Fn(&mut Builder); 4] = [
        &|b| b.add_judgements(vec![judgement(4), failing.clone(), other.clone()]),
        &|b| b.add_judgements(vec![refused.clone(), wrong.clone()]),
        &|b| b.add_finding(finding()),
        &|b| b.add_skipped([skipped(), skipped()]),
    ];
    for chosen in 0..1 << parts.len() {
        let mut builder = Builder::default();
        (0..parts.len()).filter(|n| chosen >> n & 1 == 1).for_each(|n| parts[n](&mut builder));
        let report = builder.finish(Duration::ZERO);
        let xml = junit(&report);
        let all = elements(&xml);
        let suites: Vec<_> = all.iter().filter(|e| e.name.starts_with("testsuite")).collect();
        for suite in &suites {
            for (attribute, element) in
                [("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")]
            {
                let said = suite.attributes.iter().find(|(name, _)| *name == attribute).expect("a count").1;
                let there = suite.inside.iter().filter(|name| **name == element).count();
                assert_eq!(said, there.to_string(), "{attribute} of {:?} in {xml}", suite.attributes);
            }
        }
        assert_eq!(suites.last().map(|suite| suite.name), Some("testsuites"));
    }
}

#[test]
fn characters_are_escaped_or_replaced_in_xml() {
    for c in '\0'..=char::MAX {
        let escaped = super::markup::escape(&c.to_string());
        // XML 1.0, Char: U+007F to U+009F are replaced as well. The standard permits them, but discourages all except U+0085.
        let is_kept =
            matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{7e}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
        let read = match escaped.as_str() {
            "&amp;" => '&',
            "&lt;" => '<',
            "&gt;" => '>',
            "&quot;" => '"',
            "&#39;" => '\'',
            plain => {
                assert!(!plain.contains(['&', '<', '>', '"', '\'']), "{plain}");
                plain.chars().next().expect("one character")
            }
        };
        assert_eq!(read, if is_kept { c } else { '\u{fffd}' }, "{c:?}");
    }
}

#[test]
fn sarif_has_relative_paths_and_the_exit_status() {
    // RFC 3986: each percent sign is followed by two hexadecimal digits; all other characters are unreserved or slashes.
    let path: String = (1..0x250).filter_map(char::from_u32).collect();
    let mut builder = Builder::default();
    builder.add_judgements(vec![judgement(4)]);
    builder.add_finding(Reported { item: path.clone(), path: Some(path.clone()), ..finding() });
    let mut report = builder.finish(Duration::ZERO);
    let document = sarif(&report, Path::new("/here"));
    let location = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let uri = location["artifactLocation"]["uri"].as_str().expect("a reference");
    let (mut read, mut rest) = (Vec::new(), uri.as_bytes());
    while let [first, others @ ..] = rest {
        rest = others;
        if *first != b'%' {
            assert!(first.is_ascii_alphanumeric() || b"-._~/".contains(first), "{uri}");
            read.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(&rest[..2]).expect("digits");
        read.push(u8::from_str_radix(digits, 16).expect("digits"));
        rest = &rest[2..];
    }
    assert_eq!(String::from_utf8(read).as_deref(), Ok(path.as_str()));
    // A run with findings counts as successful in SARIF; only `Exit::Usage` (unusable arguments or an unreadable input) makes it unsuccessful.
    for exit in [Exit::Clean, Exit::Findings, Exit::Usage, Exit::Inconclusive] {
        report.exit = exit.code();
        let invocation = &sarif(&report, Path::new("/here"))["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], exit != Exit::Usage);
        assert_eq!(invocation["exitCode"], exit.code());
    }
    assert_eq!([Exit::Clean, Exit::Findings, Exit::Usage, Exit::Inconclusive].map(Exit::code), [0, 1, 2, 3]);
}

#[test]
fn each_number_is_aligned_below_its_heading() {
    let proofs = ProofCounts { proved: 1000, cached: 200, bounded: 31, tested: 32, unknown: 33, refuted: 34 };
    let row = Row {
        isa: "x".to_owned(),
        programs: 11,
        decoded: 12,
        bytes: 13,
        text: 14,
        run: 15,
        refused: 16,
        lanes: 17,
        components: 18,
        rewritten: 19,
        violations: 22,
        vectors: 20,
        proofs,
        findings: 21,
    };
    let cells = row.cells();
    // The headings are the field names of a row as JSON, except for the first heading, `rules` (field `violations`) and `proofs` (several numbers).
    let json = serde_json::to_value(&row).expect("JSON");
    for (head, cell) in Row::HEADS.iter().zip(&cells).skip(1).filter(|(head, _)| **head != "proofs") {
        let name = if *head == "rules" { "violations" } else { *head };
        assert_eq!(json[name].to_string(), *cell, "{head}");
    }
    let at = Row::HEADS.iter().position(|head| *head == "proofs").expect("a column");
    assert_eq!(cells[at], "1200, 200 cached, 31 bounded, 32 tested, 33 UNKNOWN, 34 REFUTED");
    assert_eq!(proofs.total(), 1330);
    let mut twice = proofs;
    twice += proofs;
    assert_eq!((twice.total(), twice.cached, twice.refuted), (2660, 400, 68));
}

#[test]
fn table_rows_are_sums_over_judgements() {
    let program = Judgement { rewritten: 5, refused: Some("r".to_owned()), vectors: 1, ..judgement(4) };
    let vectors = Judgement { kind: Kind::Vectors, vectors: 7, ..judgement(3) };
    let mut builder = Builder::default();
    builder.add_judgements(vec![
        program.clone(),
        vectors,
        program,
        Judgement { decoded: false, ..judgement(0) },
    ]);
    let part =
        SharedReport { name: "p".to_owned(), lanes: 1, components: 2, vectors: 3, problems: Vec::new() };
    builder.add_shared(part.clone());
    builder.add_shared(part);
    let report = builder.finish(Duration::ZERO);
    let row = |isa: &str| report.isas.iter().find(|row| row.isa == isa).expect("a row").clone();
    let agal = Row {
        isa: "agal".to_owned(),
        programs: 3,
        decoded: 2,
        bytes: 2,
        text: 2,
        run: 2,
        refused: 2,
        lanes: 11,
        components: 44,
        rewritten: 10,
        vectors: 9,
        ..Row::default()
    };
    assert_eq!(row("agal"), agal);
    let shared = Row { isa: "shared".to_owned(), lanes: 2, components: 4, vectors: 6, ..Row::default() };
    assert_eq!(row("shared"), shared);
}

#[test]
fn unchecked_items_keep_a_run_from_being_clean() {
    let part = |components, problems: &[&str]| SharedReport {
        name: "part".to_owned(),
        components,
        problems: problems.iter().map(|p| (*p).to_owned()).collect(),
        ..SharedReport::default()
    };
    let proofs = |unknown: u64, named: usize| Proofs {
        counts: ProofCounts { unknown, ..ProofCounts::default() },
        refuted: Vec::new(),
        unknown: vec!["o".to_owned(); named],
    };
    let finish = |fill: &dyn Fn(&mut Builder)| {
        let mut builder = Builder::default();
        builder.add_judgements(vec![judgement(4)]);
        builder.add_shared(part(1, &[]));
        fill(&mut builder);
        builder.finish(Duration::ZERO)
    };
    let ways: [(&str, &dyn Fn(&mut Builder), Exit); 9] = [
        ("nothing else", &|_| {}, Exit::Clean),
        (
            "a skipped file",
            &|b| b.add_skipped([Skipped { name: String::new(), reason: String::new() }]),
            Exit::Clean,
        ),
        ("an unreadable input", &|b| b.count_unreadable("x".to_owned(), "y".to_owned()), Exit::Usage),
        ("an empty folder", &|b| b.add_empty_folder("x".to_owned()), Exit::Inconclusive),
        ("an interrupt", &|b| b.add_unfinished("x".to_owned()), Exit::Inconclusive),
        ("an unknown proof, counted", &|b| b.add_proofs(None, proofs(1, 0)), Exit::Inconclusive),
        ("an unknown proof, named", &|b| b.add_proofs(None, proofs(0, 1)), Exit::Inconclusive),
        ("a shared part without a comparison", &|b| b.add_shared(part(0, &[])), Exit::Inconclusive),
        ("a shared part with a problem", &|b| b.add_shared(part(1, &["p"])), Exit::Findings),
    ];
    for (what, fill, verdict) in ways {
        assert_eq!(finish(fill).verdict, verdict, "{what}");
    }
    // All problems of one shared part are a single finding, which contains their number and descriptions.
    let report = finish(&|b| b.add_shared(part(1, &["first", "second", "third"])));
    let found: Vec<_> =
        report.findings.iter().map(|f| (f.count, f.message.as_str(), f.detail.as_str())).collect();
    assert_eq!(found, [(3, "first", "first\nsecond\nthird")]);
}
