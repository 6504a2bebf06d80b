//! Text parses without panic; what parses, and what any program disassembles to, round trips.

#![no_main]

lockstep_fuzz::claim!(Text);
