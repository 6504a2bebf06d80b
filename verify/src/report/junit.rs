//! `JUnit` XML, as CI systems read it: a suite for each instruction set, a test case for each item and each finding.

use super::markup::escape;
use super::{Report, Reported};
use std::fmt::Write;

/// The XML document.
pub fn junit(report: &Report) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let tests = report.items.len() + report.findings.len() + report.skipped.len();
    let _ = writeln!(
        out,
        "<testsuites name=\"lockstep\" tests=\"{tests}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
        report.findings.len(),
        report.skipped.len() + report.refused.len(),
        report.seconds
    );
    for row in &report.isas {
        let items: Vec<_> = report.items.iter().filter(|j| j.isa.name() == row.isa).collect();
        let findings: Vec<&Reported> = report.findings.iter().filter(|f| f.isa == row.isa).collect();
        let refused = items.iter().filter(|j| j.refused.is_some()).count();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{refused}\">",
            escape(&row.isa),
            items.len() + findings.len(),
            findings.len()
        );
        for item in items {
            let _ = write!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\"",
                escape(&row.isa),
                escape(&item.name)
            );
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
