//! Text parses without panic; text that parses, and the disassembly of any program, round trips.

#![no_main]

lockstep_fuzz::claim!(Text);
