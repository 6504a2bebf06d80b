//! Programs generated from the fuzzer's bytes run alike on executor and reference, so coverage guides the generation.

#![no_main]

lockstep_fuzz::claim!(Generated, blind);
