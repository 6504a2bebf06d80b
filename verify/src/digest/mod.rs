//! Digests (hashes) of the results for programs. Digests reveal whether a change to a table or to a listing changed results that were not meant to
//! change.
//!
//! If digests are equal, the same programs are accepted, the same rules are violated at the same positions, and listings and lowered IR are equal as
//! text. The messages of errors and violations are not included.

mod hash;
mod population;

pub use hash::Hash;
pub use population::{NoPrograms, population};

use crate::case::{Case, CaseError};
use lockstep_core::ir::print;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Isa, lower};
use std::fmt;

/// The accumulated results for a sequence of programs, as one hash for each kind of result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    programs: Hash,
    verdicts: Hash,
    listings: Hash,
    lowered: Hash,
}

/// The last processing stage that a program reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// The program does not decode, or the case's entry or options do not exist.
    Bytes,
    /// The program is listed and validated, but not lowered.
    Listing,
    /// The program is lowered.
    Ir,
}

impl Digest {
    /// Adds the results of a case; its environment is not used. Returns the stage that the case reached.
    pub fn add<I: Isa>(&mut self, case: &Case) -> Reached {
        self.programs.add(&case.bytes);
        let resolved = match case.resolve::<I>() {
            Ok(resolved) => resolved,
            Err(error) => {
                self.verdicts.add(refusal(&error).as_bytes());
                return Reached::Bytes;
            }
        };
        self.listings.add(I::disassemble(&resolved.program).as_bytes());
        let cx = resolved.context();
        for violation in I::validate(&cx) {
            let verdict = format!("{} {:?} {:?}", violation.code, violation.level, violation.word);
            self.verdicts.add(verdict.as_bytes());
        }
        self.verdicts.add(b"judged");
        match lower(&cx, Mode::Auto) {
            Ok(ir) => {
                self.lowered.add(print(&ir).as_bytes());
                Reached::Ir
            }
            Err(_) => {
                self.lowered.add(b"not lowered");
                Reached::Listing
            }
        }
    }
}

/// Returns the position of a decode error without its message, or `no entry` for any other error.
fn refusal(error: &CaseError) -> String {
    match error {
        CaseError::Decode(error) => format!("at {}", error.offset),
        _ => "no entry".to_owned(),
    }
}

impl fmt::Display for Digest {
    /// Prints the four numbers in order: programs, verdicts, listings, lowered IR.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Digest { programs, verdicts, listings, lowered } = self;
        write!(f, "{programs} {verdicts} {listings} {lowered}")
    }
}
