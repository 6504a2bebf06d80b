//! Text round trip: a program that decodes disassembles to text that assembles to the same program.

use super::{Failure, Skip, Verdict};
use crate::case::CaseError;
use crate::engine::Statistics;
use lockstep_core::isa::Syntax;
use lockstep_core::text::Diagnostic;

pub(super) fn check<I: Syntax>(bytes: &[u8]) -> Verdict {
    match I::decode(bytes) {
        Ok(program) => round_trip(&program, bytes.len(), I::disassemble, I::assemble),
        Err(error) => Verdict::Skipped(Skip::Unresolved(CaseError::Decode(error))),
    }
}

/// Checks that the text that `write` returns for a program of `size` bytes assembles to the same program.
fn round_trip<P: PartialEq>(
    program: &P,
    size: usize,
    write: impl Fn(&P) -> String,
    read: impl Fn(&str) -> Result<P, Vec<Diagnostic>>,
) -> Verdict {
    let text = write(program);
    match read(&text) {
        Ok(again) if again == *program => {
            Verdict::Holds(Statistics { components: size as u64, ..Statistics::default() })
        }
        Ok(again) => {
            let second = write(&again);
            let same = text.lines().zip(second.lines()).take_while(|(a, b)| a == b).count();
            // One text may be the beginning of the other.
            let line = (same < text.lines().count().max(second.lines().count())).then_some(same);
            let message = match line {
                Some(line) => format!(
                    "line {}: '{}' reads back as '{}' after assembly and disassembly",
                    line + 1,
                    text.lines().nth(line).unwrap_or_default(),
                    second.lines().nth(line).unwrap_or_default()
                ),
                None => "the text is the same, but the assembled program differs".to_owned(),
            };
            let line = line.map(|line| line as u32);
            Verdict::Fails(Failure { line, ..Failure::new("disassemble / assemble", message) })
        }
        Err(errors) => {
            let message = errors.first().map_or_else(|| "no reason given".to_owned(), ToString::to_string);
            let message = format!("the disassembly is refused by the assembler: {message}");
            let line = errors.first().map(|error| error.span.line.saturating_sub(1));
            Verdict::Fails(Failure { line, ..Failure::new("disassemble / assemble", message) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::text::Span;

    #[test]
    fn a_text_with_fewer_or_more_lines_differs_at_the_first_line_that_only_one_has() {
        let write = |lines: &usize| "add\n".repeat(*lines);
        let line_after = |again: usize| match round_trip(&2, 3, write, |_| Ok(again)) {
            Verdict::Fails(failure) => (failure.line, failure.message),
            other => (None, format!("{other:?}")),
        };
        let expected = |line: u32, change: &str| {
            (Some(line), format!("line {}: {change} after assembly and disassembly", line + 1))
        };
        assert_eq!(line_after(1), expected(1, "'add' reads back as ''"));
        assert_eq!(line_after(3), expected(2, "'' reads back as 'add'"));
    }

    #[test]
    fn text_that_is_refused_or_another_program_is_a_failure() {
        let write = |program: &u32| format!("add\n{program}\n");
        let number = |text: &str| text.lines().nth(1).and_then(|line| line.parse::<u32>().ok()).unwrap_or(0);
        let said = |read: &dyn Fn(&str) -> Result<u32, Vec<Diagnostic>>, same: bool| {
            let write = |program: &u32| if same { "add".to_owned() } else { write(program) };
            match round_trip(&7, 3, write, read) {
                Verdict::Fails(failure) => failure.message,
                other => format!("{other:?}"),
            }
        };
        let holds = Verdict::Holds(Statistics { components: 3, ..Statistics::default() });
        assert_eq!(round_trip(&7, 3, write, |text| Ok(number(text))), holds);
        assert_eq!(
            said(&|text| Ok(number(text) + 1), false),
            "line 2: '7' reads back as '8' after assembly and disassembly"
        );
        assert_eq!(said(&|_| Ok(8), true), "the text is the same, but the assembled program differs");
        let place = Span { line: 1, column: 2, offset: 1, len: 1 };
        let refused = said(&|_| Err(vec![Diagnostic::new(place, "no")]), false);
        assert_eq!(refused, "the disassembly is refused by the assembler: 1:2: no");
    }
}
