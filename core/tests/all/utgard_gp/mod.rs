//! Tests of Mali Utgard GP: bytes, text, rules, facets, direct effects, edits, and control flow on both engines.

mod bytes;
mod corpus;
mod direct_effects;
mod edits;
mod facets;
mod flow;
mod golden;
mod random;
mod rules;
mod text;
