//! Cases, as bytes and as text, parse without panic and round trip.

#![no_main]

lockstep_fuzz::claim!(Cases);
