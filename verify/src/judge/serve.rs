//! Serves a subject of this process through the protocol, as the counterpart of [`super::Child`].

use super::subject::Subject;
use super::wire::{Call, Error, Incoming, Outgoing, Response, line};
use std::io::{BufRead, Write};

/// Answers messages until the input ends.
///
/// # Errors
/// If a message cannot be read or an answer cannot be written. Invalid messages are answered with an error.
pub fn serve(subject: &mut dyn Subject, input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    for text in input.lines() {
        let text = text?;
        if text.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str::<Vec<Incoming>>(&text) {
            Ok(all) => line(&all.into_iter().map(|one| answer(subject, one)).collect::<Vec<_>>()),
            Err(_) => match serde_json::from_str::<Incoming>(&text) {
                Ok(one) => line(&answer(subject, one)),
                Err(error) => line(&failed(None, -32600, error.to_string())),
            },
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(subject: &mut dyn Subject, incoming: Incoming) -> Response<Outgoing> {
    let id = Some(incoming.id);
    let result = match incoming.call {
        Call::Initialize(greeting) => match subject.hello(&greeting) {
            Ok(hello) => Outgoing::Hello(Box::new(hello)),
            Err(why) => return failed(id, -32000, why),
        },
        Call::Decode(program) => match subject.decode(&program) {
            Ok(decoded) => Outgoing::Decoded(decoded),
            Err(failure) => return failed(id, failure.kind.code(), failure.message),
        },
        Call::Translate(program) => match subject.translate(&program) {
            Ok(translation) => Outgoing::Translated(Box::new(translation)),
            Err(failure) => return failed(id, failure.kind.code(), failure.message),
        },
        Call::Run(run) => match subject.run(&run) {
            Ok(ran) => Outgoing::Ran(ran),
            Err(failure) => return failed(id, failure.kind.code(), failure.message),
        },
        Call::Trace(run) => match subject.trace(&run) {
            Ok(traced) => Outgoing::Traced(traced),
            Err(failure) => return failed(id, failure.kind.code(), failure.message),
        },
    };
    Response { jsonrpc: "2.0".to_owned(), id, result: Some(result), error: None }
}

fn failed(id: Option<u64>, code: i64, message: String) -> Response<Outgoing> {
    Response { jsonrpc: "2.0".to_owned(), id, result: None, error: Some(Error { code, message }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::ours::{Engine, OwnEngine};
    use lockstep_core::isa::IsaId;
    use serde_json::json;

    #[test]
    fn empty_lines_are_skipped() {
        let input = "\n{}\n  \n{}\n\n";
        let mut output = Vec::new();
        let mut subject = OwnEngine::new(IsaId::Agal, Engine::Reference);
        serve(&mut subject, input.as_bytes(), &mut output).unwrap();
        // An error for each of the two messages, neither of which is a request.
        let said = String::from_utf8(output).unwrap();
        assert!(said.lines().count() == 2 && said.lines().all(|line| line.contains("-32600")), "{said}");
    }

    #[test]
    fn a_question_about_an_unknown_stage_is_invalid() {
        let answer = |stage: &str| {
            let interface =
                json!({"inputs": [], "outputs": [], "constants": 0, "ints": 0, "bools": 0, "samplers": []});
            let extra = [0; 4];
            let entry = json!({"stage": stage, "version": 1, "start": 0, "extra": extra, "interface": interface, "outputs": {}});
            let params = json!({"isa": "agal", "bytes": "", "entry": entry});
            let question =
                json!({"jsonrpc": "2.0", "id": 1, "method": "decode", "params": params}).to_string();
            let mut output = Vec::new();
            let mut subject = OwnEngine::new(IsaId::Agal, Engine::Reference);
            serve(&mut subject, question.as_bytes(), &mut output).unwrap();
            String::from_utf8(output).unwrap()
        };
        let said = answer("fragment");
        assert!(said.contains("\"verdict\":\"rejected\""), "{said}");
        let said = answer("hull");
        assert!(said.contains("-32600") && said.contains("hull"), "{said}");
    }
}
