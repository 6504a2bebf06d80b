//! Tests of the harness through its public interface and its command line, in one executable: each further one would have to be linked and would
//! instantiate generic code again. `growth` is a separate one, because it has its own allocator.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on fails

mod cli;
mod containers;
mod corpus_coverage;
mod decided;
mod detection;
mod edits;
mod evidence;
mod findings;
mod float_modes;
mod fuel;
mod fuzz_bodies;
mod gate;
mod generators;
mod golden;
mod golden_runs_a2xx;
mod golden_runs_agal;
mod golden_runs_d3d9;
mod golden_runs_pica200;
mod golden_runs_utgard_gp;
mod heads;
mod installed;
mod interactions;
mod judge;
mod many_entries;
#[path = "../../../core/tests/all/material.rs"]
mod material;
mod minimise;
mod misled;
mod option_instances;
mod options;
mod proof_account;
mod proof_cache;
mod proptest_execution;
mod proptest_roundtrip;
mod ranges;
mod readme;
mod real;
mod real_programs;
mod refused;
mod run_says;
mod said;
mod set_state;
mod sources;
mod toy;
mod unchanged;
mod variants_proved;
mod vectors;
mod verbs;
mod witness_facts;
mod witness_facts_pica200;
mod witnesses;
mod worst;
