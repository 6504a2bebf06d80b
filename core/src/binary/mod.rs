//! Bits and bytes: layout tables, a cursor, and the error every decoder speaks.

mod cursor;
mod error;
mod layout;

pub use cursor::Cursor;
pub use error::{DecodeError, Problem};
pub use layout::{Bits, Field, Layout, Use};
