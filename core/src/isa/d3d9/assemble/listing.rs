//! Accepts unchanged listings of vkd3d-shader and MojoShader.

use super::super::opcode::Opcode;
use super::super::registers::COUNTER;
use super::super::word::UsageName;
use crate::text::{Kind, Token};

/// Names that vkd3d-shader prints for usages of `dcl`, each with the documented usage and an offset that is added to the usage index.
const USAGES: [(&str, UsageName, u8); 4] = [
    ("texture", UsageName::TexCoord, 0),
    ("specular", UsageName::Color, 1),
    ("blend", UsageName::BlendIndices, 0),
    ("weight", UsageName::BlendWeight, 0),
];

/// Returns the documented name of a usage, and the offset that is added to its index.
pub(super) fn usage(letters: &str) -> (&str, u8) {
    let other = USAGES.iter().find(|(theirs, ..)| *theirs == letters);
    other.map_or((letters, 0), |(_, ours, more)| (ours.name(), *more))
}

/// Whether vkd3d-shader prints this suffix although it adds no information to the operation: `if_nz`, `texkill_nz`.
pub(super) fn is_redundant_suffix(op: Opcode, suffix: &str) -> bool {
    suffix == "nz" && matches!(op, Opcode::If | Opcode::Ifc | Opcode::Texkill)
}

/// Returns `aL` for `aL0`, as vkd3d-shader prints the loop counter; `None` for every other name.
pub(super) fn without_number(name: &str) -> Option<&str> {
    name.strip_suffix('0').filter(|name| name.eq_ignore_ascii_case(COUNTER))
}

/// The state of the parser that skips the lines which MojoShader prints before the program: from `SHADER:` to `OUTPUT:`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Preface {
    /// No line except version lines has been read.
    #[default]
    Unread,
    Inside,
    Over,
}

impl Preface {
    /// Whether the preface has begun but the program has not.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Preface::Inside)
    }

    /// Processes a line that is not empty. Returns whether the line belongs to the preface.
    pub(super) fn skip_line(&mut self, line: &[Token<'_>], is_version: bool) -> bool {
        let begins = |word: &str| {
            matches!(line, [first, colon, ..]
                if first.text == word && colon.kind == Kind::Punct(':'))
        };
        match self {
            Preface::Unread if begins("SHADER") => *self = Preface::Inside,
            // A user may have put a version line before the preface.
            Preface::Unread if is_version => {}
            Preface::Unread => *self = Preface::Over,
            Preface::Inside if begins("OUTPUT") => {
                *self = Preface::Over;
                return true;
            }
            Preface::Inside | Preface::Over => {}
        }
        matches!(self, Preface::Inside)
    }
}
