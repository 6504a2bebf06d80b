//! Text: the lexer that assemblers share, and diagnostics with spans.

mod count;
mod diagnostic;
mod lexer;
mod line;
mod nearest;
mod table;

pub use count::count;
pub use diagnostic::{Diagnostic, Span, WithSpans};
pub use lexer::{Kind, Lexer, Token};
pub(crate) use line::{Line, QUOTED, Reported, quote, quote_or};
pub use nearest::nearest;
pub(crate) use table::table;

/// The maximum number of errors reported for a text.
pub const MAX_ERRORS: usize = 100;
