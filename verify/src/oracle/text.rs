//! What decodes disassembles to text that assembles to the same bytes.

use super::{Failure, Skip, Verdict};
use crate::case::CaseError;
use crate::engine::Statistics;
use lockstep_core::isa::Isa;

pub(super) fn check<I: Isa>(bytes: &[u8]) -> Verdict {
    let program = match I::decode(bytes) {
        Ok(program) => program,
        Err(error) => return Verdict::Skipped(Skip::Unresolved(CaseError::Decode(error))),
    };
    let text = I::disassemble(&program);
    match I::assemble(&text) {
        Ok(again) if again == program => {
            Verdict::Holds(Statistics { components: bytes.len() as u64, ..Statistics::default() })
        }
        Ok(again) => {
            let second = I::disassemble(&again);
            let line = text.lines().zip(second.lines()).position(|(a, b)| a != b);
            let message = match line {
                Some(line) => format!(
                    "line {}: '{}' comes back as '{}'",
                    line + 1,
                    text.lines().nth(line).unwrap_or_default(),
                    second.lines().nth(line).unwrap_or_default()
                ),
                None => "the text is the same, the program is not".to_owned(),
            };
            Verdict::Fails(Failure::new("disassemble / assemble", message))
        }
        Err(errors) => {
            let message = errors.first().map_or_else(|| "no reason given".to_owned(), ToString::to_string);
            Verdict::Fails(Failure::new("disassemble / assemble", format!("own text is refused: {message}")))
        }
    }
}
