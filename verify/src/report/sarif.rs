//! The report as SARIF 2.1.0 for code-scanning services: a SARIF rule for each claim and each broken rule of an instruction set, and a result for
//! each finding and each violation.

use super::build::{ENGINE, READABLE, VECTOR};
use super::deny::{REFUSED, RULE, SKIPPED};
use super::{Report, Reported};
use crate::corpus::Judgement;
use crate::legality::LocatedViolation as Violation;
use crate::oracle::Oracle;
use lockstep_core::isa::Level;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// The claims that results may contain besides those of the oracles.
const OTHER: [(&str, &str); 7] = [
    (READABLE, "Files of the project, and those named by the user, can be read."),
    (ENGINE, "The parts that all instruction sets share match their definitions, on every tier."),
    (VECTOR, "Both engines compute the numbers that follow from the documents."),
    ("corpus", "Every program of the project's own corpora decodes, validates and runs."),
    ("proof", "Every obligation is proved."),
    (REFUSED, "Every program can be run."),
    (SKIPPED, "No file is skipped."),
];

/// Returns the SARIF document. Paths below `folder`, the working directory, are written relative to it.
pub fn sarif(report: &Report, folder: &Path) -> Value {
    let oracles = Oracle::ALL.into_iter().map(|oracle| (oracle.name(), sentence(oracle.claim())));
    let mut rules: Vec<Value> = oracles
        .chain(OTHER.map(|(id, text)| (id, text.to_owned())))
        .map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }))
        .collect();
    let mut broken: BTreeMap<String, &Violation> = BTreeMap::new();
    for violation in report.items.iter().flat_map(|item| &item.violations) {
        broken.entry(rule_id(violation)).or_insert(violation);
    }
    rules.extend(broken.iter().map(|(id, violation)| {
        let text = format!("Rule {} of {}: {}", violation.rule, violation.isa, violation.source);
        let mut rule = json!({ "id": id, "shortDescription": { "text": text } });
        if !violation.sources.is_empty() {
            rule["help"] = json!({ "text": violation.sources.join("\n") });
        }
        rule
    }));
    let mut seen = BTreeSet::new();
    // Denied rules are omitted here, since every broken rule is a result of its own below, one per position.
    let findings = report.findings.iter().filter(|finding| finding.claim != RULE);
    let mut results: Vec<Value> = findings.map(|finding| of_finding(finding, folder, &mut seen)).collect();
    for item in &report.items {
        let of_item = item.violations.iter();
        results.extend(of_item.map(|v| of_violation(item, v, report.warnings_denied, folder, &mut seen)));
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "lockstep", "version": report.version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { BASE: { "description": { "text": "The working directory." } } },
            "invocations": [{ "executionSuccessful": report.exit != 2, "exitCode": report.exit }],
            "results": results,
        }],
    })
}

/// Returns the text as a sentence: with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).chain(['.']).collect())
}

/// The name of the working directory in SARIF.
const BASE: &str = "SRCROOT";

fn rule_id(violation: &Violation) -> String {
    format!("{}:{}", violation.isa, violation.rule)
}

fn of_finding(finding: &Reported, folder: &Path, seen: &mut BTreeSet<String>) -> Value {
    // Findings in shared code and proofs have no file.
    let region = region(finding.line, finding.column, finding.byte_offset, finding.byte_length);
    let place = finding.path.as_deref().map(|path| place(path, region, folder));
    let name = json!([{ "name": finding.item, "kind": "module" }]);
    let location = match place {
        Some(place) => json!({ "physicalLocation": place, "logicalLocations": name }),
        None => json!({ "logicalLocations": name }),
    };
    let (message, detail) = (finding.message.as_str(), finding.detail.trim_end());
    let text = if detail == message { message.to_owned() } else { format!("{message}\n\n{detail}") };
    json!({
        "ruleId": finding.claim,
        "level": "error",
        "message": { "text": text },
        "partialFingerprints": fingerprint(&finding.signature, &finding.item, seen),
        "locations": [location],
        "properties": {
            "isa": finding.isa, "count": finding.count, "case": finding.case, "reproduce": finding.reproduce
        },
    })
}

fn of_violation(
    item: &Judgement,
    violation: &Violation,
    denied: bool,
    folder: &Path,
    seen: &mut BTreeSet<String>,
) -> Value {
    let level = match violation.level {
        Level::Warning if !denied => "warning",
        _ => "error",
    };
    let mut name = item.name.clone();
    if let Some(at) = violation.instruction {
        let _ = write!(name, ", instruction {at}");
    }
    let key = format!("{}-{RULE}-{}", violation.isa, violation.rule);
    let Violation { line, column, byte_offset, byte_length, .. } = *violation;
    json!({
        "ruleId": rule_id(violation),
        "level": level,
        "message": { "text": violation.to_string() },
        "partialFingerprints": fingerprint(&key, &name, seen),
        "locations": [{
            "physicalLocation": place(&item.path, region(line, column, byte_offset, byte_length), folder),
            "logicalLocations": [{ "name": name, "kind": "instruction" }],
        }],
        "properties": { "isa": violation.isa.name(), "entry": violation.entry },
    })
}

/// Returns a fingerprint that is unique among the results, since services merge results with equal fingerprints.
fn fingerprint(signature: &str, place: &str, seen: &mut BTreeSet<String>) -> Value {
    let mut all = std::iter::once(signature.to_owned())
        .chain(std::iter::once(format!("{signature} in {place}")))
        .chain((2..).map(|n| format!("{signature} in {place}, {n}")));
    let free = all.find(|text| seen.insert(text.clone())).unwrap_or_default();
    json!({ "lockstepSignature/v1": free })
}

/// Returns a region given by line and column in a text file, or by bytes in any other file.
fn region(line: Option<u32>, column: Option<u32>, byte: Option<u64>, length: Option<u64>) -> Option<Value> {
    match (line, column, byte) {
        (Some(line), Some(column), _) => Some(json!({ "startLine": line, "startColumn": column })),
        (Some(line), None, _) => Some(json!({ "startLine": line })),
        (None, _, Some(byte)) => Some(json!({ "byteOffset": byte, "byteLength": length.unwrap_or(0) })),
        (None, _, None) => None,
    }
}

fn place(path: &str, region: Option<Value>, folder: &Path) -> Value {
    let path = Path::new(path);
    let below = if path.is_absolute() { path.strip_prefix(folder).ok() } else { Some(path) };
    let artifact = match below {
        Some(below) => {
            let text = below.display().to_string();
            json!({ "uri": uri(text.strip_prefix("./").unwrap_or(&text)), "uriBaseId": BASE })
        }
        None => json!({ "uri": format!("file://{}", uri(&path.display().to_string())) }),
    };
    match region {
        Some(region) => json!({ "artifactLocation": artifact, "region": region }),
        None => json!({ "artifactLocation": artifact }),
    }
}

/// Returns a path as a relative URI reference: every byte except unreserved characters and the slash is written as `%XX`.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char);
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
