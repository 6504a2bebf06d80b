//! SARIF 2.1.0, as code-scanning services read it: a rule for each claim, a result for each finding.

use super::Report;
use super::build::{ENGINE, READABLE};
use crate::oracle::Oracle;
use serde_json::{Value, json};
use std::fmt::Write;

/// The claims that results name besides the oracles.
const OTHER: [(&str, &str); 5] = [
    (READABLE, "What is ours, or what a person wants checked, can be read."),
    (ENGINE, "What all instruction sets share does what its definition says, on every tier."),
    ("vector", "A number that follows from the documents comes out of both engines."),
    ("corpus", "Every program of the project's own corpora decodes, validates and runs."),
    ("proof", "Every obligation is proved."),
];

fn claim(oracle: Oracle) -> &'static str {
    match oracle {
        Oracle::Bytes => "What decodes encodes to the same bytes.",
        Oracle::Text => "What decodes disassembles to text that assembles to the same bytes.",
        Oracle::Validity => "Validator and lowering agree on what can be run.",
        Oracle::Execution => "Reference and executor agree on every lane.",
        Oracle::Rewriting => "Rewriting the intermediate representation changes no outcome.",
    }
}

/// The document.
pub fn sarif(report: &Report) -> Value {
    let oracles = Oracle::ALL.into_iter().map(|oracle| (oracle.name(), claim(oracle)));
    let rules: Vec<Value> = oracles
        .chain(OTHER)
        .map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }))
        .collect();
    let results: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "ruleId": finding.claim,
                "level": "error",
                "message": { "text": format!("{}\n\n{}", finding.message, finding.detail) },
                "partialFingerprints": { "lockstepSignature/v1": finding.signature },
                "locations": [{
                    "physicalLocation": { "artifactLocation": { "uri": uri(&finding.item) } }
                }],
                "properties": { "isa": finding.isa, "count": finding.count, "reproduce": finding.reproduce },
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "lockstep", "version": report.version, "rules": rules } },
            "invocations": [{ "executionSuccessful": report.exit != 2, "exitCode": report.exit }],
            "results": results,
        }],
    })
}

/// A path as a relative URI reference: every byte outside the unreserved characters and the slash is written as `%XX`.
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
