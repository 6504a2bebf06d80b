//! Tests of Mali Utgard GP: bytes, text, rules, facets, edits, and control flow on both engines.

mod bytes;
mod corpus;
mod edits;
mod facets;
mod flow;
mod golden;
mod random;
mod rules;
mod text;
