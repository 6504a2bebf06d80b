//! The format rooms of Direct3D 9: bytes, text, rules and edits.

mod bytes;
mod corpus;
mod golden;
mod random;
mod rules;
mod text;
