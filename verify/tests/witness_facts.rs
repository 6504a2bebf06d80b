//! Every fact that others tested on real drivers, consoles and players holds: `../shared/corpora/ISA/witness`, by the rule of its FORMAT.md.

mod facts;
#[path = "../../core/tests/material/mod.rs"]
mod material;
