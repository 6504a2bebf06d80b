//! Utgard GP: words, files, text, listings of other tools, rules, edits.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bytes;
mod classes;
mod corpus;
mod edits;
mod listing;
mod random;
mod rules;
mod text;
