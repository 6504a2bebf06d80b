//! Errors in text, with the place they are about.

/// A stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Byte offset in the text.
    pub offset: u32,
    /// Length in bytes.
    pub len: u32,
}

/// What was read from a text, with the place of each instruction by its number; `None` for an instruction that no text stands for.
pub type Placed<P> = (P, Vec<Option<Place>>);

/// One thing wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("{}:{}: {message}", place.line, place.column)]
pub struct Diagnostic {
    /// Where.
    pub place: Place,
    /// What is wrong, in English.
    pub message: String,
    /// What might be meant instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without a suggestion.
    pub fn new(place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { place, message: message.into(), help: None }
    }

    /// The same with a suggestion.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}
