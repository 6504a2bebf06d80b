//! Digests of what is made of programs: a change of a table or a listing that is meant to change no program shows in them if it does.
//!
//! Equal digests say that programs are accepted and refused alike, that the same rules are broken at the same places, that listings and
//! lowered IR are the same texts. Sentences of errors and violations are no part of them.

mod hash;
mod population;

pub use hash::Hash;
pub use population::{Blank, population};

use crate::case::{Case, CaseError};
use lockstep_core::ir::{Mode, print};
use lockstep_core::isa::{Isa, lower};
use std::fmt;

/// What is made of programs one after the other, as one number for each kind of product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    programs: Hash,
    verdicts: Hash,
    listings: Hash,
    lowered: Hash,
}

/// How far a program came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// It does not decode, or has no such entry.
    Bytes,
    /// It is listed and judged, and has no IR.
    Listing,
    /// It is lowered.
    Ir,
}

impl Digest {
    /// Adds what is made of a case; its environment has no part in it. How far the case came.
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

/// Where bytes are refused, without the sentence.
fn refusal(error: &CaseError) -> String {
    match error {
        CaseError::Decode(error) => format!("at {}", error.offset),
        _ => "no entry".to_owned(),
    }
}

impl fmt::Display for Digest {
    /// The four numbers in order: programs, verdicts, listings, lowered IR.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Digest { programs, verdicts, listings, lowered } = self;
        write!(f, "{programs} {verdicts} {listings} {lowered}")
    }
}
