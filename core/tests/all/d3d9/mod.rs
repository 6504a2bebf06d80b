//! Tests of the Direct3D 9 format: bytes, text, rules and edits.

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
