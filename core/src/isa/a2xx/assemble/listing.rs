//! Reads listings of Mesa and freedreno, which print the raw words before each line.
//!
//! ```text
//!     6003 0095 1000    EXEC ADDR(0x3) CNT(0x6)
//! 03: 1d481000 00393e88 0000000c   FETCH:  VERTEX  R1.xyz_ = R0.x …
//! 0e: 4c170402 00060000 a1030a00   ALU:  MULv  R2.xyz_ = R3.zzzw, C10
//!                                        RECIP_IEEE  R4.x___ = R0
//! ```
//!
//! Only the raw words are read. A clause consists of three 16-bit parts, lowest first; a slot consists of its number and three 32-bit words. The text
//! after the words is ignored, because the tools that print it are known to be wrong in places. Lines without words continue the line above and are
//! ignored too. Comments and the directive `.a2xx` may precede the first line with words; the stage in the directive is checked against the words.

use super::super::decode::{self, MAX_FILE_SIZE};
use super::super::disassemble::HEAD;
use super::super::program::{Order, Program};
use super::super::word::SLOT;
use super::{COMMENTS, MAX_ERRORS, check_stage_name, too_large};
use crate::binary::exact;
use crate::isa::Stage;
use crate::text::{Diagnostic, Span, WithSpans};
use std::collections::BTreeMap;

/// The raw words at the beginning of a line: three 16-bit parts of a clause, or the number and the three words of a slot.
#[derive(Debug, PartialEq, Eq)]
enum Words {
    Clause([u16; 3]),
    Slot(u32, [u32; 3]),
}

/// Parses the raw words at the beginning of a line; `None` if there are none.
fn words(line: &str) -> Option<Words> {
    let mut parts = line.split_whitespace();
    let mut hex = |digits: usize| {
        let part = parts.next().filter(|p| p.len() == digits && p.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(part, 16).ok()
    };
    let first = line.split_whitespace().next()?;
    if let Some(number) = first.strip_suffix(':') {
        if !(1..=3).contains(&number.len()) {
            return None;
        }
        let number = u32::from_str_radix(number, 16).ok()?;
        let mut rest = line.split_whitespace().skip(1);
        let mut word = || {
            let part = rest.next().filter(|p| p.len() == 8 && p.bytes().all(|b| b.is_ascii_hexdigit()))?;
            u32::from_str_radix(part, 16).ok()
        };
        return Some(Words::Slot(number, [word()?, word()?, word()?]));
    }
    let clause = [hex(4)?, hex(4)?, hex(4)?];
    Some(Words::Clause(clause.map(exact::<u16, _>)))
}

/// Iterates over the lines that are not blank, comments or `@` headers, with their spans.
fn lines(text: &str) -> impl Iterator<Item = (Span, &str)> {
    let mut offset = 0;
    text.split('\n').enumerate().filter_map(move |(number, line)| {
        let start = offset;
        offset += line.len() + 1;
        let inside = line.trim();
        if inside.is_empty()
            || inside.starts_with('@')
            || COMMENTS.iter().any(|mark| inside.starts_with(mark))
        {
            return None;
        }
        let blanks = line.len() - line.trim_start().len();
        let span = Span {
            line: exact::<u32, _>(number) + 1,
            column: exact::<u32, _>(line[..blanks].chars().count()) + 1,
            offset: exact(start + blanks),
            len: exact(inside.split_whitespace().next().map_or(0, str::len)),
        };
        Some((span, line))
    })
}

/// Whether a text is a listing with raw words: the first line that is not blank, a comment, an `@` header or a directive begins with words.
pub(super) fn is_listing(text: &str) -> bool {
    let first = lines(text).find(|(_, line)| !line.trim_start().starts_with('.'));
    first.is_some_and(|(_, line)| words(line).is_some())
}

/// Parses the `.a2xx` directive before the words, and returns the stage it names with its span. Any other directive is an error.
fn head(span: Span, line: &str) -> Result<Option<(Stage, Span)>, Diagnostic> {
    let mut parts = line.split(';').next().unwrap_or_default().split_whitespace();
    let named = parts.next().and_then(|word| word.strip_prefix('.'));
    if named != Some(HEAD) {
        let message = "only '.a2xx' may precede raw words, which Mesa and freedreno print";
        return Err(Diagnostic::new(span, message));
    }
    match (parts.next(), parts.next()) {
        (None, _) => Ok(None),
        (Some(word), None) => {
            let stage = [Stage::Vertex, Stage::Fragment].into_iter().find(|stage| stage.name() == word);
            let stage = stage.map(|stage| Some((stage, span)));
            stage.ok_or_else(|| Diagnostic::new(span, "the stage must be 'vertex' or 'fragment'"))
        }
        _ => Err(Diagnostic::new(span, "only the stage may follow '.a2xx'")),
    }
}

/// Assembles a listing from its raw words.
///
/// # Errors
/// Directives other than one `.a2xx` of the right stage, a slot given twice with different words, a slot among the clauses, more than
/// [`MAX_FILE_SIZE`] bytes, and words that do not decode; sorted by position, and at most [`MAX_ERRORS`].
pub(super) fn read(text: &str) -> Result<WithSpans<Program>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let (mut clauses, mut slots) = (Vec::new(), BTreeMap::new());
    let mut spans = Vec::new();
    let (mut stage, mut headed) = (None, false);
    for (span, line) in lines(text) {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        let begun = !clauses.is_empty() || !slots.is_empty();
        if line.trim_start().starts_with('.') {
            match head(span, line) {
                Ok(named) if !begun && !headed => stage = named,
                Ok(_) => errors
                    .push(Diagnostic::new(span, "this directive may be given only once, before the words")),
                Err(error) => errors.push(error),
            }
            headed = true;
            continue;
        }
        match words(line) {
            Some(Words::Clause(parts)) => {
                clauses.push(parts);
                spans.push(Some(span));
            }
            Some(Words::Slot(number, given)) => {
                // A slot that two clauses run is printed twice.
                let known = slots.insert(number, (given, span));
                if known.is_some_and(|(before, _)| before != given) {
                    errors.push(Diagnostic::new(
                        span,
                        format!("slot {number:#x} is given twice, with different words"),
                    ));
                }
            }
            // A line without words continues the line above.
            None => {}
        }
    }
    let begin = Span { line: 1, column: 1, offset: 0, len: 0 };
    let first = slots.keys().next().copied().unwrap_or(exact::<u32, _>(clauses.len().div_ceil(2))) as usize;
    if clauses.len() > 2 * first {
        let span = slots.values().next().map_or(begin, |(_, span)| *span);
        let message = format!("slot {first:#x} is one of the slots of the {} clauses", clauses.len());
        errors.push(Diagnostic::new(span, message));
    }
    let end = slots.keys().last().map_or(first, |last| *last as usize + 1);
    if errors.is_empty() && end * SLOT > MAX_FILE_SIZE {
        errors.push(Diagnostic::new(begin, too_large()));
    }
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.span.offset);
        errors.truncate(MAX_ERRORS);
        return Err(errors);
    }
    let mut bytes: Vec<u8> = clauses.iter().flatten().flat_map(|part| part.to_le_bytes()).collect();
    bytes.resize(end * SLOT, 0);
    for (number, (given, _)) in &slots {
        let at = *number as usize * SLOT;
        for (k, word) in given.iter().enumerate() {
            bytes[at + 4 * k..][..4].copy_from_slice(&word.to_le_bytes());
        }
    }
    let program = decode::decode_as(&bytes, Order::Little)
        .map_err(|error| vec![Diagnostic::new(begin, format!("these words are not a program: {error}"))])?;
    if let Some(wrong) = program.shaders.first().and_then(|shader| check_stage_name(shader, stage)) {
        return Err(vec![wrong]);
    }
    let (area, count) = program.shaders.first().map_or((0, 0), |s| (s.clauses.len(), s.words()));
    spans.resize(area, None);
    let slot = |at: usize| slots.get(&exact::<u32, _>(area / 2 + at)).map(|(_, span)| *span);
    spans.extend((0..count.saturating_sub(area)).map(slot));
    Ok((program, spans))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinguished_from_text() {
        assert_eq!(words("\t 6003 0095 1000 EXEC"), Some(Words::Clause([0x6003, 0x95, 0x1000])));
        assert_eq!(
            words("0e: 4c170402 00060000 a1030a00\tALU:"),
            Some(Words::Slot(14, [0x4c17_0402, 0x6_0000, 0xa103_0a00]))
        );
        for text in ["EXEC ADDR(0x3)", "ALU: MAXv R0 = R0, R0", "0e: 4c17", "600 0095 1000", "", "ADD: beef"]
        {
            assert_eq!(words(text), None, "{text}");
        }
    }

    #[test]
    fn spans_count_characters_and_bytes() {
        let found: Vec<_> = lines("; é\n\n  é: x\n").map(|(span, _)| span).collect();
        assert_eq!(found, [Span { line: 3, column: 3, offset: 8, len: 3 }]);
    }
}
