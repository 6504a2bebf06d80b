//! Tests of PICA200 that run no programs: bytes, text, rules, edits.

mod corpus;
mod edits;
mod facets;
mod golden;
mod hostile;
mod listings;
mod operands;
mod picasso;
mod random;
mod rules;
mod text;
mod words;
