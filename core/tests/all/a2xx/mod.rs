//! Tests of Adreno A2xx: bytes, text, rules, facets, direct effects, edits, and control flow on both engines.

mod bytes;
mod corpus;
mod direct_effects;
mod edits;
mod facets;
mod flow;
mod golden;
mod hostile;
mod listings;
mod official;
mod random;
mod rules;
mod seed;
mod text;
