//! Tests of Adreno A2xx that run no programs: bytes, text, rules, edits.

mod corpus;
mod edit;
mod facets;
mod golden;
mod hostile;
mod listings;
mod official;
mod random;
mod seed;
mod text;
mod validate;
mod words;
