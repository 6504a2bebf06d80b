//! Utgard GP: words, files, text, listings of other tools, rules, edits.

mod bytes;
mod classes;
mod corpus;
mod edits;
mod listing;
mod random;
mod rules;
mod text;
