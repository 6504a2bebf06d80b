//! Bytes decode losslessly or are rejected.

#![no_main]

lockstep_fuzz::claim!(Bytes);
