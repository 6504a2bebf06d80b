//! Errors in text, with their spans.

/// A span of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Span {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Byte offset in the text.
    pub offset: u32,
    /// Length in bytes.
    pub len: u32,
}

/// An assembled program, with the span of each instruction in the text, by instruction number; `None` for an instruction without text of its own.
pub type WithSpans<P> = (P, Vec<Option<Span>>);

/// An error in a text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("{}:{}: {message}", span.line, span.column)]
pub struct Diagnostic {
    /// The location of the error in the text.
    pub span: Span,
    /// The error, in English.
    pub message: String,
    /// A suggestion for a correction, if there is one.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without a suggestion.
    pub fn new(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { span, message: message.into(), help: None }
    }

    /// This diagnostic with a suggestion.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}
