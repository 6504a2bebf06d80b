//! Text: the lexer assemblers share, and diagnostics with places.

mod diagnostic;


pub use diagnostic::{Diagnostic, Place};

