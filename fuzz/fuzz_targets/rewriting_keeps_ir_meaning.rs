//! Rewriting keeps the meaning of IR programs.

#![no_main]

lockstep_fuzz::claim!(Rewriting);
