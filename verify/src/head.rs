//! The first line of an assembly text, which may say whose it is.

use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::text::{Diagnostic, Place};
use lockstep_core::with_isa;

/// What some editors put before a text.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The instruction set whose texts begin as this one does, behind comments and empty lines.
pub(crate) fn isa_of_text(text: &str) -> Option<IsaId> {
    head(text.trim_start_matches(BYTE_ORDER_MARK)).map(|(isa, _)| isa)
}

/// What is wrong with a text that begins as that of another instruction set than `isa`; `None` for any other text. `says` is who says `isa`, as in
/// `the file's name says`.
pub(crate) fn other_head(text: &str, isa: IsaId, says: &str) -> Option<Diagnostic> {
    let (begins, place) = head(text).filter(|(begins, _)| *begins != isa)?;
    let message = format!("text of {begins} begins so, but {says} {isa}");
    let help = format!("one of the two is wrong: `--isa {begins}` reads it as what it begins as");
    Some(Diagnostic::new(place, message).with_help(help))
}

/// The instruction set that the first line names which is no comment, and where that stands.
fn head(text: &str) -> Option<(IsaId, Place)> {
    let is_comment = |line: &str| ["//", ";", "#", "--"].iter().any(|mark| line.starts_with(mark));
    let mut offset = 0;
    let mut lines = text.split_inclusive('\n').enumerate().map(|(number, line)| {
        let blanks = &line[..line.len() - line.trim_start().len()];
        let place = Place {
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
