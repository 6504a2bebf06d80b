//! Tests of AGAL: bytes, text, rules, facets, edits, and control flow on both engines.

mod edits;
mod facets;
mod flow;
mod player;
mod rules;
mod text;
