//! The rooms of Adreno A2xx that run no programs: bytes, text, rules, edits.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on fails

#[path = "../material/mod.rs"]
mod material;

mod corpus;
mod edit;
mod golden;
mod hostile;
mod listings;
mod official;
mod random;
mod seed;
mod text;
mod validate;
mod words;
