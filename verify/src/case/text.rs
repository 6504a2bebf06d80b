//! The text form of a case: a TOML document. The program is assembly text if that preserves every byte, otherwise hexadecimal.

use super::{Case, EntryRef, from_toml};
use crate::head::conflicting_head;
use crate::oracle::caught;
use lockstep_core::host::Environment;
use lockstep_core::isa::{IsaId, Syntax};
use lockstep_core::text::Diagnostic;
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The keys of a case file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    isa: IsaId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    #[serde(default)]
    entry: EntryRef,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    options: BTreeMap<String, String>,
    env: Environment,
}

/// The reason a text is not a case.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TextError {
    /// The text exceeds a limit, is not TOML, or does not have the keys of a case; the message contains line and column.
    #[error("{0}")]
    Form(String),
    /// The program text does not assemble; lines are counted within this text, from 1.
    #[error("the program does not assemble: {}", .0.first().map_or_else(String::new, ToString::to_string))]
    Program(Vec<Diagnostic>),
    /// `hex` contains a character other than hexadecimal digits and white space, at this index from 0, or an odd number of digits; then the index is
    /// the length of the text in characters.
    #[error("'hex' is not pairs of hexadecimal digits (at character {0})")]
    Hex(usize),
    /// Neither or both of `program` and `hex` are given.
    #[error("a case has either 'program' or 'hex'")]
    ProgramKeys,
}

fn assemble<I: Syntax>(text: &str) -> Result<Vec<u8>, TextError> {
    if let Some(other) = conflicting_head(text, I::ID, "the case says") {
        return Err(TextError::Program(vec![other]));
    }
    I::assemble(text).map(|p| I::encode(&p)).map_err(TextError::Program)
}

fn disassemble<I: Syntax>(bytes: &[u8]) -> Option<String> {
    let program = I::decode(bytes).ok()?;
    let text = I::disassemble(&program);
    // Text is used only if it assembles to exactly the original bytes.
    (I::assemble(&text).ok().map(|p| I::encode(&p)).as_deref() == Some(bytes)).then_some(text)
}

impl Case {
    /// Returns the text form; `note` is written under the key `note` and may have several lines.
    pub fn to_text(&self, note: Option<&str>) -> String {
        let program = caught(|| with_isa!(self.isa, I => disassemble::<I>(&self.bytes)));
        self.form(note, program.unwrap_or_default())
    }

    /// Returns the text form with the program in hexadecimal; the program is not decoded.
    pub fn to_hex_text(&self, note: Option<&str>) -> String {
        self.form(note, None)
    }

    fn form(&self, note: Option<&str>, program: Option<String>) -> String {
        let hex = program.is_none().then(|| self.bytes.iter().map(|b| format!("{b:02x}")).collect());
        let form = Form {
            isa: self.isa,
            note: note.map(str::to_owned),
            program,
            hex,
            entry: self.entry.clone(),
            options: self.options.clone(),
            env: self.env.clone(),
        };
        let text = toml::to_string(&form);
        // Serialising cannot fail: the form consists of tables, lists, texts, and numbers within TOML's range.
        debug_assert!(text.is_ok(), "{text:?}");
        text.unwrap_or_default()
    }

    /// Parses the text form.
    ///
    /// # Errors
    /// If the text exceeds a limit, is not TOML with the right keys, has both or none of `program` and `hex`, `hex` is not hexadecimal, or the
    /// program does not assemble or names another instruction set. The error contains the position, unless both or none of `program` and `hex` are
    /// given.
    pub fn from_text(text: &str) -> Result<Case, TextError> {
        let form: Form = from_toml(text).map_err(TextError::Form)?;
        let bytes = match (form.program, form.hex) {
            (Some(program), None) => with_isa!(form.isa, I => assemble::<I>(&program))?,
            (None, Some(hex)) => parse_hex(&hex)?,
            _ => return Err(TextError::ProgramKeys),
        };
        Ok(Case { isa: form.isa, bytes, entry: form.entry, options: form.options, env: form.env })
    }
}

fn parse_hex(text: &str) -> Result<Vec<u8>, TextError> {
    let mut digits = Vec::new();
    for (at, c) in text.chars().enumerate() {
        match c.to_digit(16) {
            Some(digit) => digits.push(digit as u8),
            None if c.is_whitespace() => {}
            None => return Err(TextError::Hex(at)),
        }
    }
    if digits.len() % 2 == 1 {
        return Err(TextError::Hex(text.chars().count()));
    }
    Ok(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
