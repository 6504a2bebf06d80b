//! Dialects: accepts the listings of vkd3d-shader and MojoShader as they are.

use super::super::opcode::Opcode;
use super::super::registers::COUNTER;
use super::super::word::UsageName;
use crate::text::{Kind, Token};

/// Other names for usages of `dcl`, with the amount that is added to the index (VKD).
const USAGES: [(&str, UsageName, u8); 4] = [
    ("texture", UsageName::TexCoord, 0),
    ("specular", UsageName::Color, 1),
    ("blend", UsageName::BlendIndices, 0),
    ("weight", UsageName::BlendWeight, 0),
];

/// The name of a usage, and the amount that is added to its index.
pub(super) fn usage(letters: &str) -> (&str, u8) {
    let other = USAGES.iter().find(|(theirs, ..)| *theirs == letters);
    other.map_or((letters, 0), |(_, ours, more)| (ours.name(), *more))
}

/// Whether a suffix is redundant for the operation: `if_nz`, `texkill_nz` (VKD).
pub(super) fn is_redundant_suffix(op: Opcode, suffix: &str) -> bool {
    suffix == "nz" && matches!(op, Opcode::If | Opcode::Ifc | Opcode::Texkill)
}

/// The name of a register that exists once, if it is written with a number: `aL0` (VKD).
pub(super) fn without_number(name: &str) -> Option<&str> {
    name.strip_suffix('0').filter(|name| name.eq_ignore_ascii_case(COUNTER))
}

/// Recognises the lines that MojoShader prints before the program itself: from `SHADER:` to `OUTPUT:`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Preface {
    /// No line has been read except versions.
    #[default]
    Unread,
    Inside,
    Over,
}

impl Preface {
    /// Whether the preface has begun and no program has followed yet.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Preface::Inside)
    }

    /// Processes a line that is not empty. Returns whether it belongs to the preface.
    pub(super) fn takes(&mut self, line: &[Token<'_>], is_version: bool) -> bool {
        let begins = |word: &str| {
            matches!(line, [first, colon, ..]
                if first.text == word && colon.kind == Kind::Sign(':'))
        };
        match self {
            Preface::Unread if begins("SHADER") => *self = Preface::Inside,
            // A version that a user put before the preface is allowed.
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
