//! The report as `JUnit` XML for CI systems: a suite for each instruction set with a test case for each item, and a suite of the skipped files.
//! Nothing is counted twice: a finding in an item belongs to the item's test case, and every other finding is a test case of its own.

use super::markup::escape;
use super::{Report, Reported};
use crate::corpus::{Judgement, Skipped};
use crate::legality::sources;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A test case.
struct Case {
    name: String,
    result: Outcome,
    /// Remarks that are not failures.
    output: Vec<String>,
}

enum Outcome {
    Passed,
    /// The reason why the item was not run or the file was skipped.
    Skipped(String),
    /// The names of the violated claims, a sentence about each failure, and the full descriptions.
    Failed(String, String, String),
}

/// Returns one sentence for each failed claim of an item that no finding reports.
fn unreported_claims(item: &Judgement, reported: &BTreeSet<&str>) -> Vec<String> {
    let claims = item.failed.iter().map(|oracle| oracle.name()).filter(|claim| !reported.contains(claim));
    claims.map(|claim| format!("the claim '{claim}' fails")).collect()
}

fn of_item(report: &Report, item: &Judgement) -> Case {
    let findings: Vec<&Reported> = report.findings.iter().filter(|f| is_of(f, item)).collect();
    let reported: BTreeSet<&str> = findings.iter().map(|finding| finding.claim.as_str()).collect();
    let mut messages: Vec<String> = findings.iter().map(|finding| finding.message.clone()).collect();
    messages.extend(unreported_claims(item, &reported));
    let result = match (&item.refused, messages.is_empty()) {
        (_, false) => {
            let claims = findings.iter().map(|finding| finding.claim.as_str());
            let claims: BTreeSet<&str> = claims.chain(item.failed.iter().map(|o| o.name())).collect();
            let claims: Vec<&str> = claims.into_iter().collect();
            let details: Vec<String> =
                findings.iter().map(|f| format!("{}\n{}", f.signature, f.detail.trim_end())).collect();
            Outcome::Failed(claims.join(" "), messages.join("; "), details.join("\n\n"))
        }
        (Some(reason), true) => Outcome::Skipped(reason.clone()),
        (None, true) => Outcome::Passed,
    };
    let output =
        item.violations.iter().map(|violation| format!("{}: {violation}", violation.location(&item.name)));
    let output = output.chain(sources(&item.violations).into_iter().map(str::to_owned)).collect();
    Case { name: item.name.clone(), result, output }
}

fn is_of(finding: &Reported, item: &Judgement) -> bool {
    finding.item == item.name && finding.isa == item.isa.name()
}

fn of_finding(finding: &Reported) -> Case {
    let (claim, message) = (finding.claim.clone(), finding.message.clone());
    let result = Outcome::Failed(claim, message, finding.detail.clone());
    Case { name: format!("{} ({})", finding.signature, finding.item), result, output: Vec::new() }
}

fn of_skipped(skip: &Skipped) -> Case {
    let result = Outcome::Skipped(skip.reason.clone());
    Case { name: skip.name.clone(), result, output: Vec::new() }
}

/// Returns the suites with their names.
fn suites(report: &Report) -> Vec<(&str, Vec<Case>)> {
    let alone = |finding: &&Reported| !report.items.iter().any(|item| is_of(finding, item));
    let denied: BTreeSet<&str> = report.findings.iter().map(|finding| finding.item.as_str()).collect();
    let mut suites: Vec<(&str, Vec<Case>)> = Vec::new();
    for row in &report.isas {
        let items = report.items.iter().filter(|item| item.isa.name() == row.isa);
        let findings = report.findings.iter().filter(|finding| finding.isa == row.isa).filter(alone);
        let cases = items.map(|item| of_item(report, item)).chain(findings.map(of_finding)).collect();
        suites.push((&row.isa, cases));
    }
    suites.retain(|(_, cases)| !cases.is_empty());
    let skipped = report.skipped.iter().filter(|skip| !denied.contains(skip.name.as_str()));
    let skipped: Vec<Case> = skipped.map(of_skipped).collect();
    if !skipped.is_empty() {
        suites.push(("skipped", skipped));
    }
    suites
}

/// Returns the XML attributes with the numbers of test cases.
fn counts<'a>(cases: impl Iterator<Item = &'a Case> + Clone) -> String {
    let failed = cases.clone().filter(|case| matches!(case.result, Outcome::Failed(..))).count();
    let skipped = cases.clone().filter(|case| matches!(case.result, Outcome::Skipped(_))).count();
    format!("tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\"", cases.count())
}

/// Returns the report as XML.
pub fn junit(report: &Report) -> String {
    let suites = suites(report);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all = counts(suites.iter().flat_map(|(_, cases)| cases));
    let _ = writeln!(out, "<testsuites name=\"lockstep\" {all} time=\"{:.3}\">", report.seconds);
    for (name, cases) in &suites {
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", escape(name), counts(cases.iter()));
        for case in cases {
            write_case(&mut out, name, case);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn write_case(out: &mut String, suite: &str, case: &Case) {
    let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\"", escape(suite), escape(&case.name));
    if matches!(case.result, Outcome::Passed) && case.output.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push('>');
    match &case.result {
        Outcome::Passed => {}
        Outcome::Skipped(reason) => {
            let _ = write!(out, "<skipped message=\"{}\"/>", escape(reason));
        }
        Outcome::Failed(claim, message, detail) => {
            let (claim, message, detail) = (escape(claim), escape(message), escape(detail));
            let _ = write!(out, "<failure type=\"{claim}\" message=\"{message}\">{detail}</failure>");
        }
    }
    if !case.output.is_empty() {
        let _ = write!(out, "<system-out>{}</system-out>", escape(&case.output.join("\n")));
    }
    out.push_str("</testcase>\n");
}
