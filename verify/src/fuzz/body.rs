//! The bodies of the fuzz targets: judge one input.

use super::input::{Input, is_left_out, isas, read};
use super::{Answer, NotCompared, Target, Violated};
use crate::case::Case;
use crate::corpus::Suspect;
use crate::engine::Statistics;
use crate::generate::{Entropy, any_case};
use crate::oracle::{Engines, Failure, Oracle, Verdict, ask_isa, execution_with};
use lockstep_core::isa::Isa;
use lockstep_core::text::Diagnostic;
use lockstep_core::with_isa;

/// Judges one input. The answer depends only on the input (and `LOCKSTEP_ISA`).
pub fn judge(target: Target, data: &[u8]) -> Answer {
    match target {
        Target::Cases => return cases(data),
        Target::Generated => return generated(data),
        Target::Bytes | Target::Text | Target::Execution | Target::Rewriting => {}
    }
    match read(data) {
        Input::Unreadable => Answer::Passed(NotCompared::Unreadable),
        Input::OtherIsa => Answer::Passed(NotCompared::OtherIsa),
        Input::Raw(isa, bytes) => with_isa!(isa, I => judge_raw::<I>(target, bytes)),
        Input::Case(case) => with_isa!(case.isa, I => judge_case::<I>(target, *case, data)),
    }
}

/// Judges raw bytes or a text of the instruction set `I`; the other targets need a case.
pub fn judge_raw<I: Isa>(target: Target, bytes: &[u8]) -> Answer {
    match target {
        Target::Text => text_of::<I>(bytes),
        Target::Bytes => asked::<I>(Oracle::Bytes, Case::bare(I::ID, bytes)),
        _ => Answer::Passed(NotCompared::Unreadable),
    }
}

/// Judges a case of the instruction set `I`. `data` is the input that it was read from.
pub fn judge_case<I: Isa>(target: Target, case: Case, data: &[u8]) -> Answer {
    match target {
        Target::Execution | Target::Generated => execution::<I>(case, data),
        Target::Bytes => asked::<I>(Oracle::Bytes, case),
        Target::Rewriting => asked::<I>(Oracle::Rewriting, case),
        Target::Text | Target::Cases => asked::<I>(Oracle::Text, case),
    }
}

/// Generates a case from the bytes and runs it on every engine.
fn generated(data: &[u8]) -> Answer {
    let taken = isas();
    let Some((first, choices)) = data.split_first() else { return Answer::Passed(NotCompared::Unreadable) };
    let Some(isa) = taken.get(usize::from(*first) % taken.len().max(1)) else {
        return Answer::Passed(NotCompared::OtherIsa);
    };
    let case = any_case(*isa, &mut Entropy::from_bytes(choices));
    with_isa!(*isa, I => judge_case::<I>(Target::Generated, case, data))
}

fn asked<I: Isa>(oracle: Oracle, case: Case) -> Answer {
    let verdict = ask_isa::<I>(oracle, &case);
    judged(oracle, case, verdict)
}

fn judged(oracle: Oracle, case: Case, verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Holds(statistics) => Answer::Compared(statistics),
        Verdict::Skipped(skip) => Answer::Passed(NotCompared::Skip(skip)),
        Verdict::Fails(failure) => {
            Answer::Fails(Box::new(Violated { suspect: Some(Suspect { oracle, case }), failure }))
        }
    }
}

fn failed(between: &str, message: String) -> Answer {
    let failure = Failure { between: between.to_owned(), message, difference: None, word: None, line: None };
    Answer::Fails(Box::new(Violated { suspect: None, failure }))
}

/// One input in sixteen is run on every tier with both kinds of lowering, the others with the default tier and lowering.
fn execution<I: Isa>(case: Case, data: &[u8]) -> Answer {
    let engines = if checksum(data).is_multiple_of(16) { Engines::all() } else { Engines::fast() };
    let verdict = execution_with::<I>(&case, &engines);
    judged(Oracle::Execution, case, verdict)
}

/// FNV-1a.
fn checksum(data: &[u8]) -> u32 {
    data.iter().fold(0x811c_9dc5, |h, byte| (h ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

fn text_of<I: Isa>(text: &[u8]) -> Answer {
    let Ok(text) = std::str::from_utf8(text) else { return Answer::Passed(NotCompared::Unreadable) };
    let between = "assemble / encode / decode";
    match I::assemble(text) {
        Ok(program) => {
            let bytes = I::encode(&program);
            match I::decode(&bytes) {
                Ok(again) if again == program => asked::<I>(Oracle::Text, Case::bare(I::ID, &bytes)),
                Ok(_) => failed(between, "the program read back differs".to_owned()),
                Err(error) => failed(between, format!("what was assembled does not decode: {error}")),
            }
        }
        Err(diagnostics) => match misplaced(text, &diagnostics) {
            None => Answer::Passed(NotCompared::Unreadable),
            Some(message) => failed("assemble", message),
        },
    }
}

/// The first error in the positions of diagnostics; a refusal without a diagnostic is an error too. Lines are counted from 1 and end with a line
/// feed, columns are characters from 1, and offset and length are bytes.
pub fn misplaced(text: &str, diagnostics: &[Diagnostic]) -> Option<String> {
    if diagnostics.is_empty() {
        return Some("text is refused without a reason".to_owned());
    }
    let outside = diagnostics.iter().find(|d| {
        let (start, end) = (d.place.offset as usize, d.place.offset as usize + d.place.len as usize);
        if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            return true;
        }
        let before = &text[..start];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        d.place.line as usize != 1 + before.matches('\n').count()
            || d.place.column as usize != 1 + before[line..].chars().count()
    });
    outside.map(|d| format!("a diagnostic is not about the text: {:?}, {}", d.place, d.message))
}

fn cases(data: &[u8]) -> Answer {
    let compared = Answer::Compared(Statistics { components: data.len() as u64, ..Statistics::default() });
    if let Some(case) = Case::from_bytes(data) {
        if is_left_out(case.isa) {
            return Answer::Passed(NotCompared::OtherIsa);
        }
        // Cases are compared as bytes, since they may hold a NaN.
        let written = case.to_bytes();
        return match Case::from_bytes(&written) {
            Some(again) if again.to_bytes() == written => {
                text_form(&case).map_or(compared, |m| failed("case / text", m))
            }
            Some(_) => failed("case / bytes", "the case read back differs".to_owned()),
            None => failed("case / bytes", "the bytes of a case do not read as a case".to_owned()),
        };
    }
    let Ok(text) = std::str::from_utf8(data) else { return Answer::Passed(NotCompared::Unreadable) };
    match Case::from_text(text) {
        Ok(case) if is_left_out(case.isa) => Answer::Passed(NotCompared::OtherIsa),
        Ok(case) => text_form(&case).map_or(compared, |m| failed("case / text", m)),
        Err(_) => Answer::Passed(NotCompared::Unreadable),
    }
}

/// The first error in the text form of a case.
fn text_form(case: &Case) -> Option<String> {
    let text = case.to_text(None);
    match Case::from_text(&text) {
        // Text has a single NaN, and so has the debug output, which shows every field.
        Ok(again) => (again.to_text(None) != text || format!("{again:?}") != format!("{case:?}"))
            .then(|| "the case read back from text differs".to_owned()),
        Err(error) => Some(format!("the text of a case does not read as a case: {error}")),
    }
}
