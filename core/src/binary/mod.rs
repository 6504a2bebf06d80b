//! Bits and bytes: words and their layouts, a cursor, and the error type of all decoders.

mod cursor;
mod error;
mod layout;
mod list;
mod word;

pub use cursor::Cursor;
pub(crate) use cursor::exact;
pub use error::{DecodeError, Problem};
pub use layout::{Bits, Field, FieldKind, Layout};
pub use list::List;
pub(crate) use word::{stack_fields, vocabulary, words};
