//! Cases, as bytes and as text, parse without a panic and round-trip.

#![no_main]

lockstep_fuzz::claim!(Cases);
