//! Programs that are generated from the fuzzer's bytes give the same results in the executor and the reference. Coverage thus guides the generation.

#![no_main]

lockstep_fuzz::claim!(Generated, blind);
