//! The executor equals the reference on every lane.

#![no_main]

lockstep_fuzz::claim!(Execution);
