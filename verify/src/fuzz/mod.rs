//! What the fuzz targets do. A target is one call into here, so that the same bodies run as ordinary tests.
//!
//! An input is a binary [`crate::case::Case`], which names its instruction set, or anything else: then its first byte is [`lockstep_core::isa::IsaId::number`]
//! and the rest are raw bytes or text, as the target reads them. The number of targets therefore does not grow with instruction
//! sets. Of [`Target::Generated`] the first byte draws the instruction set and the rest makes the choices of its generator. The environment variable `LOCKSTEP_ISA` restricts a run to one of them.

mod body;
mod input;
mod mutate;
mod report;
mod seeds;
mod tally;

pub use body::{judge, misplaced};
pub use input::restriction;
pub use mutate::{crossover, mutate};
pub use seeds::{plant, seeds};
pub use tally::Tally;

use crate::corpus::Suspect;
use crate::engine::Statistics;
use crate::oracle::{Failure, Skip};

/// A claim that is fuzzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Bytes decode losslessly or are rejected.
    Bytes,
    /// Text parses without panic and round trips.
    Text,
    /// The executor equals the reference.
    Execution,
    /// Rewriting keeps the meaning of IR.
    Rewriting,
    /// Cases parse without panic and round trip.
    Cases,
    /// The executor equals the reference, on programs that a generator makes of the fuzzer's own bytes.
    Generated,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 6] =
        [Target::Bytes, Target::Text, Target::Execution, Target::Rewriting, Target::Cases, Target::Generated];

    /// The claim, which is the name of the fuzz target.
    pub fn name(self) -> &'static str {
        match self {
            Target::Bytes => "bytes_decode_losslessly_or_are_rejected",
            Target::Text => "text_parses_without_panic_and_round_trips",
            Target::Execution => "executor_equals_reference",
            Target::Rewriting => "rewriting_keeps_ir_meaning",
            Target::Cases => "cases_parse_without_panic",
            Target::Generated => "generated_programs_run_alike",
        }
    }
}

/// What came of one input.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It reached the comparison, and the claim holds.
    Compared(Statistics),
    /// It did not reach the comparison.
    Passed(Pass),
    /// The claim fails.
    Fails(Box<Broken>),
}

/// Why an input did not reach the comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Pass {
    /// It is for an instruction set that this run leaves out.
    OtherIsa,
    /// It is neither a case nor what else the target takes.
    Unreadable,
    /// It is a case with nothing to compare.
    Skip(Skip),
}

/// A claim that fails on an input.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The claim and the case, where there is a case.
    pub suspect: Option<Suspect>,
    /// How it fails.
    pub failure: Failure,
}

/// Whether an input is worth keeping in a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// If it shows anything new.
    Yes,
    /// Never.
    No,
}

/// Judges one input, counts it, prints the count now and then, and says whether the input is worth keeping.
///
/// # Panics
/// If the claim fails, with the finding as message; its case has been minimised and written to a file by then.
pub fn run(target: Target, data: &[u8]) -> Kept {
    let answer = judge(target, data);
    tally::count(target, &answer);
    match answer {
        Answer::Compared(_) => Kept::Yes,
        Answer::Passed(pass) => {
            if pass == Pass::OtherIsa {
                Kept::No
            } else {
                Kept::Yes
            }
        }
        Answer::Fails(broken) => panic!("{}", report::report(target, &broken)),
    }
}
