//! One page of HTML without scripts or outside resources.

use super::markup::escape;
use super::{Report, Row};
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}\
table{border-collapse:collapse;margin:1rem 0}th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid #8886}\
th:first-child,td:first-child{text-align:left}pre{overflow:auto;padding:.7rem;border:1px solid #8886}\
.clean{color:#187a2f}.findings{color:#c01c28}.inconclusive,.usage{color:#a15c00}";

/// The page.
pub fn html(report: &Report) -> String {
    let verdict = format!("{:?}", report.verdict).to_lowercase();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>lockstep: {verdict}</title>\n<style>{STYLE}</style>\n\
         <h1>lockstep check: <span class=\"{verdict}\">{verdict}</span></h1>\n<p>Version {}, {:.1} seconds.</p>\n",
        escape(report.version),
        report.seconds
    );
    out.push_str("<table><thead><tr>");
    for head in Row::HEADS {
        let _ = write!(out, "<th>{}</th>", escape(head));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in &report.isas {
        out.push_str("<tr>");
        for cell in row.cells() {
            let _ = write!(out, "<td>{}</td>", escape(&cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
    if !report.findings.is_empty() {
        out.push_str("<h2>Findings</h2>\n");
    }
    for finding in &report.findings {
        let _ = writeln!(
            out,
            "<h3>{}</h3><p>{} ({}, met {} times)</p><pre>{}</pre>",
            escape(&finding.signature),
            escape(&finding.message),
            escape(&finding.item),
            finding.count,
            escape(&finding.detail)
        );
    }
    for (title, list) in [("Refused", &report.refused), ("Skipped", &report.skipped)] {
        if !list.is_empty() {
            let _ = writeln!(out, "<h2>{title}: {}</h2><ul>", list.len());
            for skip in list {
                let _ =
                    writeln!(out, "<li><code>{}</code>: {}</li>", escape(&skip.name), escape(&skip.reason));
            }
            out.push_str("</ul>\n");
        }
    }
    for note in &report.notes {
        let _ = writeln!(out, "<p>{}</p>", escape(note));
    }
    out.push_str("</html>\n");
    out
}

impl Row {
    /// Column heads of the table.
    pub const HEADS: [&'static str; 13] = [
        "ISA",
        "programs",
        "decoded",
        "bytes",
        "text",
        "run",
        "refused",
        "lanes",
        "components",
        "rewritten",
        "vectors",
        "proofs",
        "findings",
    ];

    /// The cells below them.
    pub fn cells(&self) -> [String; 13] {
        let p = &self.proofs;
        let mut proofs = format!("{}", p.proved + p.cached);
        for (n, what) in [
            (p.cached, "cached"),
            (p.bounded, "bounded"),
            (p.tested, "tested"),
            (p.unknown, "UNKNOWN"),
            (p.refuted, "REFUTED"),
        ] {
            if n > 0 {
                let _ = write!(proofs, ", {n} {what}");
            }
        }
        [
            self.isa.clone(),
            self.programs.to_string(),
            self.decoded.to_string(),
            self.bytes.to_string(),
            self.text.to_string(),
            self.run.to_string(),
            self.refused.to_string(),
            self.lanes.to_string(),
            self.components.to_string(),
            self.rewritten.to_string(),
            self.vectors.to_string(),
            proofs,
            self.findings.to_string(),
        ]
    }
}
