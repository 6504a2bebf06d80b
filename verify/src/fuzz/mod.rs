//! The bodies of the fuzz targets. A target is a single call into this module, so that ordinary tests can run the same bodies.
//!
//! An input is a binary [`crate::case::Case`], which names its instruction set, or a byte with an [`lockstep_core::isa::IsaId::number`] followed by
//! raw bytes or text, depending on the target. So the number of targets does not depend on the number of instruction sets. For [`Target::Generated`],
//! the first byte selects the instruction set, and the generator makes its choices from the other bytes. The environment variable `LOCKSTEP_ISA`
//! restricts a run to one instruction set.

mod body;
mod input;
mod mutate;
mod mutator_cache;
mod report;
mod seeds;
mod tally;

pub use body::{ENVIRONMENTS, judge, judge_case, judge_in, judge_raw, position_error};
pub use input::restriction;
pub use mutate::{crossover, mutate};
pub use seeds::{seeds, write_seeds};
pub use tally::Tally;

use crate::corpus::Suspect;
use crate::engine::Statistics;
use crate::oracle::{Failure, Skip};

/// A claim that is fuzzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Bytes decode losslessly or are rejected without a panic.
    Bytes,
    /// Parsing text never panics, and text round trips.
    Text,
    /// The executor equals the reference.
    Execution,
    /// Rewriting preserves the meaning of IR.
    Rewriting,
    /// Parsing cases never panics, and cases round trip.
    Cases,
    /// The executor equals the reference on programs generated from the fuzzer's bytes.
    Generated,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 6] =
        [Target::Bytes, Target::Text, Target::Execution, Target::Rewriting, Target::Cases, Target::Generated];

    /// Returns the name of the claim, which is the name of the fuzz target.
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

/// The result of judging one input.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Results were compared, and the claim holds.
    Compared(Statistics),
    /// Nothing was compared, for the reason given.
    NotCompared(NotCompared),
    /// The claim is violated.
    Fails(Box<Violated>),
}

/// The reason an input was not compared.
#[derive(Clone, Debug, PartialEq)]
pub enum NotCompared {
    /// The input is for an instruction set that this run excludes.
    OtherIsa,
    /// The input is neither a case nor another form that the target accepts.
    Unreadable,
    /// The input is a case without anything to compare.
    Skip(Skip),
}

/// A claim that is violated on an input.
#[derive(Clone, Debug)]
pub struct Violated {
    /// The claim and the case, if there is a case.
    pub suspect: Option<Suspect>,
    /// How the claim is violated.
    pub failure: Failure,
}

/// Whether an input should be kept in the fuzzer's corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The input is kept if it covers anything new.
    Yes,
    /// The input is never kept.
    No,
}

/// Judges one input, counts it, prints the counts at intervals, and returns whether the fuzzer should keep the input.
///
/// # Panics
/// If the claim is violated: the message is the finding, whose case was minimised and written to a file.
pub fn run(target: Target, data: &[u8]) -> Keep {
    let answer = judge(target, data);
    tally::count(target, &answer);
    match answer {
        Answer::Compared(_) => Keep::Yes,
        Answer::NotCompared(pass) => {
            if pass == NotCompared::OtherIsa {
                Keep::No
            } else {
                Keep::Yes
            }
        }
        Answer::Fails(broken) => panic!("{}", report::report(target, &broken)),
    }
}
