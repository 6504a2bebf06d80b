//! The exchange shown in `PROTOCOL.md` equals the messages of a real run.

use super::{file, text};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

#[test]
fn the_exchange_in_the_protocol_document_is_real() {
    let description = text(file("PROTOCOL.md"));
    let exchange: Vec<(char, Value)> = description
        .lines()
        .filter_map(|line| {
            let (side, message) = line.split_once(' ').filter(|(side, _)| *side == "<" || *side == ">")?;
            let side = side.chars().next()?;
            Some((side, serde_json::from_str(message).unwrap_or_else(|error| panic!("{message}: {error}"))))
        })
        .collect();
    assert!(exchange.len() == 4, "{exchange:?}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["serve", "--isa", "agal", "--engine", "reference"])
        .env_remove("LOCKSTEP_IN")
        .env_remove("LOCKSTEP_OUT")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    for (side, message) in exchange {
        if side == '<' {
            for request in message.as_array().into_iter().flatten() {
                let params = &request["params"];
                let program = params.get("program").unwrap_or(params);
                let [bytes, code] = ["bytes", "code"].map(|name| program[name].as_str().expect(name));
                // Two digits a byte: a header of 7 bytes, then instructions of 24.
                assert_eq!(bytes.get(14..), Some(code), "the code of AGAL is everything after the header");
                assert!(!code.is_empty() && code.len() % 48 == 0, "{code}");
            }
            writeln!(to, "{message}").unwrap();
            to.flush().unwrap();
        } else {
            let mut line = String::new();
            from.read_line(&mut line).unwrap();
            let mut said: Value = serde_json::from_str(&line).unwrap();
            // The version of the build may differ from the version in the document.
            if let Some(version) = said.pointer_mut("/result/version") {
                *version = "0.1.0".into();
            }
            assert_eq!(said, message, "{line}");
        }
    }
    drop(to);
    assert!(child.wait().unwrap().success());
}
