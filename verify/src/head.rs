//! The first line of an assembly text, which may name the instruction set.

use lockstep_core::isa::IsaId;
use lockstep_core::text::{Diagnostic, Span};
use lockstep_core::with_isa;

/// The byte order mark that some editors put before a text.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the instruction set named by the first line that is neither empty nor a comment.
pub(crate) fn isa_of_text(text: &str) -> Option<IsaId> {
    head(text.trim_start_matches(BYTE_ORDER_MARK)).map(|(isa, _)| isa)
}

/// Returns the error for a text whose first line names an instruction set other than `isa`; `None` for any other text. `says` is the part of the
/// message that names the origin of `isa`, such as `the file's name says`.
pub(crate) fn conflicting_head(text: &str, isa: IsaId, says: &str) -> Option<Diagnostic> {
    let (begins, place) = head(text).filter(|(begins, _)| *begins != isa)?;
    let message = format!("this begins like text of {begins}, but {says} {isa}");
    let help = format!("one of the two is wrong: `--isa {begins}` reads it as {begins}");
    Some(Diagnostic::new(place, message).with_help(help))
}

/// Returns the instruction set named by the first line that is neither empty nor a comment, and the position of that line.
fn head(text: &str) -> Option<(IsaId, Span)> {
    let is_comment = |line: &str| ["//", ";", "#", "--"].iter().any(|mark| line.starts_with(mark));
    let mut offset = 0;
    let mut lines = text.split_inclusive('\n').enumerate().map(|(number, line)| {
        let blanks = &line[..line.len() - line.trim_start().len()];
        let place = Span {
            line: number as u32 + 1,
            column: blanks.chars().count() as u32 + 1,
            offset: (offset + blanks.len()) as u32,
            len: line.trim().len() as u32,
        };
        offset += line.len();
        (line.trim(), place)
    });
    let (first, place) = lines.find(|(line, _)| !line.is_empty() && !is_comment(line))?;
    let isa = IsaId::ALL.iter().copied().find(|isa| with_isa!(*isa, I => I::begins_text(first)))?;
    Some((isa, place))
}
