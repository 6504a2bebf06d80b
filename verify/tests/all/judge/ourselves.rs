//! Tests of the ways to connect a subject, with our own engines as subjects.

use super::check_clean_over_96;
use lockstep_core::isa::IsaId;

#[test]
fn our_engines_are_clean_through_the_protocol() {
    for isa in IsaId::ALL {
        for engine in ["reference", "executor"] {
            let subject = format!("'{}' serve --isa {isa} --engine {engine}", env!("CARGO_BIN_EXE_lockstep"));
            check_clean_over_96(&subject, isa, &format!("lockstep {engine}"));
        }
    }
}
