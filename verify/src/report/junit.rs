//! `JUnit` XML, as CI systems read it: a suite for each instruction set, a test case for each item and each finding.

use super::markup::escape;
use super::{Report, Reported};
use crate::corpus::Judgement;
use std::fmt::Write;

/// What is wrong with an item, in short: the findings say more.
fn wrong(item: &Judgement) -> Option<String> {
    let claims = item.failed.iter().map(|oracle| format!("the claim '{}' fails", oracle.name()));
    let all: Vec<String> = claims.chain(item.problems.iter().cloned()).collect();
    (!item.clean()).then(|| all.join("; "))
}

fn is_skipped(item: &Judgement) -> bool {
    item.clean() && item.refused.is_some()
}

/// The XML document.
pub fn junit(report: &Report) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let tests = report.items.len() + report.findings.len() + report.skipped.len();
    let _ = writeln!(
        out,
        "<testsuites name=\"lockstep\" tests=\"{tests}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
        report.findings.len() + report.items.iter().filter(|j| !j.clean()).count(),
        report.skipped.len() + report.items.iter().filter(|j| is_skipped(j)).count(),
        report.seconds
    );
    for row in &report.isas {
        let items: Vec<_> = report.items.iter().filter(|j| j.isa.name() == row.isa).collect();
        let findings: Vec<&Reported> = report.findings.iter().filter(|f| f.isa == row.isa).collect();
        let refused = items.iter().filter(|j| is_skipped(j)).count();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{refused}\">",
            escape(&row.isa),
            items.len() + findings.len(),
            findings.len() + items.iter().filter(|j| !j.clean()).count()
        );
        for item in items {
            let _ = write!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\"",
                escape(&row.isa),
                escape(&item.name)
            );
            if let Some(wrong) = wrong(item) {
                let _ = writeln!(out, "><failure message=\"{}\"/></testcase>", escape(&wrong));
                continue;
            }
            match &item.refused {
                Some(reason) => {
                    let _ = writeln!(out, "><skipped message=\"{}\"/></testcase>", escape(reason));
                }
                None => out.push_str("/>\n"),
            }
        }
        for finding in findings {
            let _ = writeln!(
                out,
                "    <testcase classname=\"{}\" name=\"{} ({})\"><failure type=\"{}\" message=\"{}\">{}</failure></testcase>",
                escape(&row.isa),
                escape(&finding.signature),
                escape(&finding.item),
                escape(&finding.claim),
                escape(&finding.message),
                escape(&finding.detail)
            );
        }
        out.push_str("  </testsuite>\n");
    }
    if !report.skipped.is_empty() {
        let n = report.skipped.len();
        let _ = writeln!(out, "  <testsuite name=\"skipped\" tests=\"{n}\" failures=\"0\" skipped=\"{n}\">");
        for skip in &report.skipped {
            let _ = writeln!(
                out,
                "    <testcase classname=\"skipped\" name=\"{}\"><skipped message=\"{}\"/></testcase>",
                escape(&skip.name),
                escape(&skip.reason)
            );
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}
