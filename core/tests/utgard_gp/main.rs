//! Utgard GP: words, files, text, listings of other tools, rules, edits.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../material/mod.rs"]
mod material;

mod bytes;
mod classes;
mod corpus;
mod edits;
mod listing;
mod random;
mod rules;
mod text;
