//! The report as an HTML page without scripts or external resources, for light and dark screens of any width.

use super::markup::escape;
use super::{Report, Reported, Row};
use crate::blame::is_marked;
use crate::corpus::Skipped;
use crate::legality::{LocatedViolation as Violation, sources};
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = "\
:root{color-scheme:light dark;--text:#1f2328;--page:#fff;--faint:#59636e;--line:#d1d9e0;--box:#f6f8fa;--good:#116329;--bad:#b3141d;--doubt:#7d4e00}\
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--page:#0d1117;--faint:#9198a1;--line:#3d444d;--box:#161b22;--good:#56d364;--bad:#ff7b72;--doubt:#e3b341}}\
*{box-sizing:border-box}\
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem;color:var(--text);background:var(--page);overflow-wrap:anywhere}\
.wide{overflow-x:auto}table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}\
th:first-child,td:first-child{text-align:left}\
pre{overflow:auto;padding:.7rem;border:1px solid var(--line);background:var(--box);overflow-wrap:normal;font-size:13px}\
details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:.4rem .8rem}summary{cursor:pointer}\
ul{margin:.3rem 0;padding-left:1.4rem}.faint{color:var(--faint)}\
mark{color:var(--bad);background:none;font-weight:bold}\
.clean{color:var(--good)}.findings,.error{color:var(--bad)}.inconclusive,.usage,.warning{color:var(--doubt)}";

/// Returns the number of occurrences as a phrase: `seen once`, or `seen 3 times`.
pub fn seen(count: u64) -> String {
    if count == 1 { "seen once".to_owned() } else { format!("seen {count} times") }
}

/// Returns the report as an HTML page.
pub fn html(report: &Report) -> String {
    let verdict = format!("{:?}", report.verdict).to_lowercase();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>lockstep: {verdict}</title>\n<style>{STYLE}</style></head><body>\n\
         <h1>lockstep check: <span class=\"{verdict}\">{verdict}</span></h1>\n<p class=\"faint\">Version {}, {:.1} seconds.</p>\n",
        escape(report.version),
        report.seconds
    );
    counts(&mut out, report);
    if !report.findings.is_empty() {
        let _ = writeln!(out, "<h2>Findings: {}</h2>", report.findings.len());
    }
    for (n, finding) in report.findings.iter().enumerate() {
        of_finding(&mut out, finding, n == 0);
    }
    violations(&mut out, report);
    for (title, list) in [("Refused", &report.refused), ("Skipped", &report.skipped)] {
        skipped(&mut out, title, list);
    }
    if !report.notes.is_empty() {
        out.push_str("<h2>Notes</h2>\n<ul>");
        for note in &report.notes {
            let _ = writeln!(out, "<li>{}</li>", escape(note));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</body></html>\n");
    out
}

/// Writes the table of counts, without rows and columns that contain only zeros.
fn counts(out: &mut String, report: &Report) {
    let mut rows: Vec<[String; 14]> = report.isas.iter().map(Row::cells).collect();
    rows.retain(|cells| cells[1..].iter().any(|cell| cell != "0"));
    if rows.is_empty() {
        return;
    }
    let shown: Vec<usize> =
        (0..Row::HEADS.len()).filter(|n| rows.iter().any(|cells| cells[*n] != "0")).collect();
    out.push_str("<div class=\"wide\"><table><thead><tr>");
    for n in &shown {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(Row::HEADS[*n]));
    }
    out.push_str("</tr></thead><tbody>\n");
    for cells in rows {
        out.push_str("<tr>");
        for n in &shown {
            let _ = write!(out, "<td>{}</td>", escape(&cells[*n]));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

fn of_finding(out: &mut String, finding: &Reported, open: bool) {
    let place = finding.line.map_or_else(String::new, |line| format!(", line {line}"));
    let _ = writeln!(
        out,
        "<details{}><summary><b class=\"error\">{}</b> <span class=\"faint\">{}</span></summary>\n\
         <p>{}</p><p class=\"faint\">{}{place}</p>",
        if open { " open" } else { "" },
        escape(&finding.signature),
        seen(finding.count),
        escape(&finding.message),
        escape(&finding.item)
    );
    if finding.detail.trim_end() != finding.message {
        let lines = finding.detail.lines().map(|line| {
            let text = escape(line);
            if is_marked(line) { format!("<mark>{text}</mark>\n") } else { format!("{text}\n") }
        });
        let _ = writeln!(out, "<pre>{}</pre>", lines.collect::<String>());
    }
    // The description of a minimised finding already contains the command.
    if let Some(again) = finding.reproduce.as_ref().filter(|again| !finding.detail.contains(*again)) {
        let _ = writeln!(out, "<p>Again: <code>{}</code></p>", escape(again));
    }
    out.push_str("</details>\n");
}

/// Writes the broken rules, grouped by rule.
fn violations(out: &mut String, report: &Report) {
    let mut rules: BTreeMap<(&str, u16), Vec<(&str, &Violation)>> = BTreeMap::new();
    for item in &report.items {
        for violation in &item.violations {
            let key = (violation.isa.name(), violation.rule);
            rules.entry(key).or_default().push((&item.name, violation));
        }
    }
    let total: usize = rules.values().map(Vec::len).sum();
    if total > 0 {
        let _ = writeln!(out, "<h2>Broken rules: {total}</h2>");
    }
    for ((isa, rule), all) in rules {
        let Some((_, first)) = all.first() else { continue };
        let level = format!("{:?}", first.level).to_lowercase();
        let _ = writeln!(
            out,
            "<details><summary><b class=\"{level}\">{level} {isa}:{rule}</b> {} <span class=\"faint\">{}</span></summary><ul>",
            escape(&first.message),
            seen(all.len() as u64)
        );
        for (item, violation) in &all {
            let text = escape(&violation.to_string()).replace("\n  ", "<br><code>");
            let end = if violation.text.is_some() { "</code>" } else { "" };
            let _ = writeln!(out, "<li>{}: {text}{end}</li>", escape(&violation.location(item)));
        }
        out.push_str("</ul>");
        for source in sources(all.iter().map(|(_, violation)| *violation)) {
            let _ = writeln!(out, "<p class=\"faint\">{}</p>", escape(source));
        }
        out.push_str("</details>\n");
    }
}

/// Writes a list of inputs, grouped by reason.
fn skipped(out: &mut String, title: &str, list: &[Skipped]) {
    if list.is_empty() {
        return;
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for skip in list {
        reasons.entry(&skip.reason).or_default().push(&skip.name);
    }
    let _ = writeln!(out, "<h2>{title}: {}</h2>", list.len());
    for (reason, names) in reasons {
        let reason = escape(reason);
        if let [name] = names[..] {
            let _ = writeln!(out, "<p><code>{}</code>: {reason}</p>", escape(name));
            continue;
        }
        let _ = writeln!(out, "<details><summary>{}: {reason}</summary><ul>", names.len());
        for name in names {
            let _ = writeln!(out, "<li><code>{}</code></li>", escape(name));
        }
        out.push_str("</ul></details>\n");
    }
}

impl Row {
    /// The column headings of the table.
    pub(super) const HEADS: [&'static str; 14] = [
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
        "rules",
        "proofs",
        "findings",
    ];

    /// Returns the cells of a row.
    pub(super) fn cells(&self) -> [String; 14] {
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
            self.violations.to_string(),
            proofs,
            self.findings.to_string(),
        ]
    }
}
