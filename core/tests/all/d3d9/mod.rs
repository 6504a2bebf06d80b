//! Tests of Direct3D 9: bytes, text, rules, facets, edits, and control flow on both engines.

mod bytes;
mod corpus;
mod edits;
mod facets;
mod flow;
mod golden;
mod interface;
mod listings;
mod own;
mod random;
mod rules;
mod stages;
mod text;
mod translator;
