//! Programs that a generator makes of the fuzzer's own bytes run alike on executor and reference, so that coverage guides what is generated.

#![no_main]

lockstep_fuzz::claim!(Generated, blind);
