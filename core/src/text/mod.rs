//! Text: the lexer assemblers share, and diagnostics with places.

mod count;
mod diagnostic;
mod lexer;
mod line;
mod nearest;
mod table;

pub use count::count;
pub use diagnostic::{Diagnostic, Place, Placed};
pub use lexer::{Kind, Lexer, Token};
pub(crate) use line::{Line, Noted, QUOTED, quote, quote_or};
pub use nearest::nearest;
pub(crate) use table::table;

/// No more errors than this are reported of a text.
pub const MOST_ERRORS: usize = 100;
