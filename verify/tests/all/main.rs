//! Tests of the harness through its public interface and its command line. The tests are one executable, because each further executable would have
//! to be linked and would instantiate generic code again. `growth` is a separate executable, because it has its own allocator.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on fails

mod bad_input;
mod cli;
mod containers;
mod control_flow_faults;
mod corpus_coverage;
mod deciding_bits;
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
mod heads;
mod installed;
mod interactions;
mod judge;
mod machine_code;
mod many_entries;
#[path = "../../../core/tests/all/material.rs"]
mod material;
mod minimise;
mod option_instances;
mod options;
mod progress;
mod proof_account;
mod proof_cache;
mod proptest_execution;
mod proptest_roundtrip;
mod ranges;
mod readme;
mod real;
mod real_programs;
mod registers;
mod run_output;
mod set_state;
mod snapshots;
mod sources;
mod toy;
mod unchanged;
mod variants_proved;
mod vectors;
mod verb_options;
mod verbs;
mod whole_check;
mod witness_facts;
mod witnesses;
mod worst;
