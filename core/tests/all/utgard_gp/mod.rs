//! Utgard GP: words, files, text, listings of other tools, rules, edits.

mod bytes;
mod corpus;
mod edits;
mod facets;
mod listing;
mod random;
mod rules;
mod text;
