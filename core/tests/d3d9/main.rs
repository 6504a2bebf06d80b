//! The format rooms of Direct3D 9: bytes, text, rules and edits.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../material/mod.rs"]
mod material;

mod bytes;
mod classes;
mod corpus;
mod edits;
mod golden;
mod listings;
mod outside;
mod own;
mod random;
mod rules;
mod text;
