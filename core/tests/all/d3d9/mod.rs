//! The format rooms of Direct3D 9: bytes, text, rules and edits.

mod bytes;
mod corpus;
mod edits;
mod facets;
mod golden;
mod interface;
mod listings;
mod outside;
mod own;
mod random;
mod rules;
mod text;
