//! The messages of the protocol: JSON-RPC 2.0, one per line. `verify/PROTOCOL.md` describes them.

use super::subject::{
    Answer, Decoded, Greeting, Hello, ProgramData, Question, Ran, RunData, Traced, Translation,
};
use serde::{Deserialize, Serialize};

/// The maximum length in bytes of a line that a subject may send.
pub const MAX_LINE: usize = 4 << 20;

/// The JSON-RPC code for an unknown method.
pub const METHOD_NOT_FOUND: i64 = -32601;

/// A message from the host to a subject.
#[derive(Serialize)]
struct Request<'a, P> {
    jsonrpc: &'a str,
    id: u64,
    method: &'a str,
    params: P,
}

/// A message from the host, as parsed by a subject.
#[derive(Deserialize)]
pub(super) struct Incoming {
    pub(super) id: u64,
    #[serde(flatten)]
    pub(super) call: Call,
}

#[derive(Deserialize)]
#[serde(tag = "method", content = "params", rename_all = "snake_case")]
pub(super) enum Call {
    Initialize(Greeting),
    Decode(Box<ProgramData>),
    Run(Box<RunData>),
    Trace(Box<RunData>),
    Translate(Box<ProgramData>),
}

/// A subject's answer to one message.
#[derive(Serialize, Deserialize)]
pub(super) struct Response<T> {
    pub(super) jsonrpc: String,
    pub(super) id: Option<u64>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<Error>,
}

fn none<T>() -> Option<T> {
    None
}

/// The error object of a message that could not be answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Error {
    pub(super) code: i64,
    pub(super) message: String,
}

/// The result of a message of any kind; its fields show the kind.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Outgoing {
    Hello(Box<Hello>),
    Ran(Ran),
    Decoded(Decoded),
    Traced(Traced),
    Translated(Box<Translation>),
}

/// Returns the first message, with the greeting.
pub(super) fn greeting(id: u64, greeting: &Greeting) -> String {
    line(&Request { jsonrpc: "2.0", id, method: "initialize", params: greeting })
}

/// Returns one line, without the newline, with a batch of questions numbered from `first`.
pub fn batch(first: u64, questions: &[Question]) -> String {
    let all = (first..).zip(questions).map(|(id, question)| match question {
        Question::Decode(program) => line(&Request { jsonrpc: "2.0", id, method: "decode", params: program }),
        Question::Run(run) => line(&Request { jsonrpc: "2.0", id, method: "run", params: run }),
        Question::Trace(run) => line(&Request { jsonrpc: "2.0", id, method: "trace", params: run }),
        Question::Translate(program) => {
            line(&Request { jsonrpc: "2.0", id, method: "translate", params: program })
        }
    });
    format!("[{}]", all.collect::<Vec<_>>().join(","))
}

/// Returns a message as text, without the newline.
pub(super) fn line(message: &impl Serialize) -> String {
    let text = serde_json::to_string(message);
    // Serialising cannot fail: names are strings, and floats are bits.
    debug_assert!(text.is_ok(), "{text:?}");
    text.unwrap_or_default()
}

/// Parses a line with one answer or a list of answers whose results have the type `T`.
///
/// # Errors
/// What is wrong, as the predicate of a sentence about the line.
pub(super) fn responses<T: serde::de::DeserializeOwned>(line: &[u8]) -> Result<Vec<Response<T>>, String> {
    let wrong = |error: serde_json::Error| format!("is not a JSON-RPC answer: {error}");
    let text = line.trim_ascii();
    let all: Vec<Response<T>> = match text.first() {
        Some(b'[') => serde_json::from_slice(text).map_err(wrong)?,
        Some(b'{') => vec![serde_json::from_slice(text).map_err(wrong)?],
        _ => return Err("is neither a JSON object nor a list of them".to_owned()),
    };
    match all.iter().find(|one| one.jsonrpc != "2.0") {
        Some(one) => Err(format!("is an answer of JSON-RPC '{}', not 2.0", one.jsonrpc)),
        None => Ok(all),
    }
}

/// Parses an answer according to its question.
///
/// # Errors
/// The JSON parser's message about the malformed part.
pub(super) fn answer(question: &Question, result: serde_json::Value) -> Result<Answer, String> {
    let read = match question {
        Question::Decode(_) => serde_json::from_value(result).map(Answer::Decoded),
        Question::Run(_) => serde_json::from_value(result).map(Answer::Ran),
        Question::Trace(_) => serde_json::from_value(result).map(Answer::Traced),
        Question::Translate(_) => {
            serde_json::from_value(result).map(|translation| Answer::Translated(Box::new(translation)))
        }
    };
    read.map_err(|error| error.to_string())
}
