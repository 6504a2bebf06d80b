//! Tests of PICA200: bytes, text, rules, facets, edits, and control flow on both engines.

mod bytes;
mod corpus;
mod edits;
mod encodings;
mod facets;
mod flow;
mod golden;
mod hostile;
mod operands;
mod picasso;
mod random;
mod rules;
mod text;
