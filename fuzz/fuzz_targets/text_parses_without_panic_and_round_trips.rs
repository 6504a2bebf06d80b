//! Text parses without a panic. Text that parses round-trips, and so does the disassembly of any program.

#![no_main]

lockstep_fuzz::claim!(Text);
