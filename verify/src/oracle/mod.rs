//! The oracles: claims about a case that hold, fail, or do not apply.
//!
//! | oracle | claim |
//! |---|---|
//! | `bytes` | a program that decodes encodes to the same bytes; otherwise decoding fails with position and reason |
//! | `text` | a program that decodes disassembles to text that assembles to the same bytes |
//! | `validity` | a program without error-level violations lowers to IR that verifies, with both kinds of lowering; one with them is refused; no result depends on the contents of registers before the first instruction, unless a rule says that a value is undefined |
//! | `execution` | reference and executor agree on every lane, with both kinds of lowering and on every tier of the machine |
//! | `rewriting` | rewriting the IR changes no outcome |

mod bytes;
mod execution;
mod panics;
#[cfg(debug_assertions)]
mod planted;
mod rewriting;
mod text;
mod undefined;
mod validity;

use crate::case::{Case, CaseError};
use crate::engine::{Difference, Statistics};
use lockstep_core::isa::{Entry, Isa, Syntax};
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};

pub use execution::{Comparison, Engines, execution_with};
pub use panics::{Panic, caught, record_panic_positions};

/// A claim about cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Oracle {
    /// Encoding a decoded program returns the same bytes.
    Bytes,
    /// Assembling a disassembled program returns the same bytes.
    Text,
    /// The validator is right about which programs can be run, and about which depend on undefined values.
    Validity,
    /// Reference and executor produce equal outcomes.
    Execution,
    /// Rewriting preserves meaning.
    Rewriting,
}

impl Oracle {
    /// All oracles.
    pub const ALL: [Oracle; 5] =
        [Oracle::Bytes, Oracle::Text, Oracle::Validity, Oracle::Execution, Oracle::Rewriting];

    /// Returns the name used on the command line and in findings.
    pub fn name(self) -> &'static str {
        match self {
            Oracle::Bytes => "bytes",
            Oracle::Text => "text",
            Oracle::Validity => "validity",
            Oracle::Execution => "execution",
            Oracle::Rewriting => "rewriting",
        }
    }
}

impl Oracle {
    /// Returns the claim as a sentence.
    pub fn claim(self) -> &'static str {
        match self {
            Oracle::Bytes => "a program that decodes encodes to the same bytes",
            Oracle::Text => "a program that decodes disassembles to text that assembles to the same bytes",
            Oracle::Validity => {
                "the validator is right about which programs can be run, and about which depend on undefined values"
            }
            Oracle::Execution => "reference and executor agree on every lane",
            Oracle::Rewriting => "rewriting the intermediate representation changes no outcome",
        }
    }
}

/// The result of checking an oracle's claim on a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The claim holds; contains statistics of the comparison.
    Holds(Statistics),
    /// The case was not compared; contains the reason.
    Skipped(Skip),
    /// The claim is violated.
    Fails(Failure),
}

/// The reason a case was not compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Skip {
    /// The case cannot be run.
    Unresolved(CaseError),
    /// The program violates this rule at error level, so it is not lowered.
    Illegal(lockstep_core::isa::Violation),
    /// Only the ends of lanes were compared.
    NothingCompared,
    /// No lane finished on either engine, or the program has no entry, so no output was compared.
    NoLaneFinished,
    /// The program has too many nodes for the lowering by nodes, and the fallback cannot represent it exactly.
    TooLarge,
}

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Skip::Unresolved(error) => error.fmt(f),
            Skip::Illegal(violation) => violation.fmt(f),
            Skip::NothingCompared => f.write_str("the program produces nothing to compare"),
            Skip::NoLaneFinished => f.write_str("no lane finished"),
            Skip::TooLarge => f.write_str("the program has too many nodes, and no exact fallback"),
        }
    }
}

/// How a claim is violated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The two sides of the comparison, such as `reference / executor (avx2, nodes)`.
    pub between: String,
    /// A sentence about the failure.
    pub message: String,
    /// The first difference between two runs; `None` if the failure is not a difference between runs.
    pub difference: Option<Difference>,
    /// The number of the instruction word, if the failure is about an instruction.
    pub word: Option<u32>,
    /// The line of the program's listing, from 0, if the failure is about a line.
    pub line: Option<u32>,
}

impl Failure {
    pub(crate) fn new(between: impl Into<String>, message: impl Into<String>) -> Failure {
        Failure { between: between.into(), message: message.into(), difference: None, word: None, line: None }
    }

    fn runs<I: Syntax>(entry: &Entry, between: impl Into<String>, difference: Difference) -> Failure {
        let place = difference.place.name::<I>(entry);
        let message =
            format!("lane {}, {place}: {} against {}", difference.lane, difference.left, difference.right);
        Failure { between: between.into(), message, difference: Some(difference), word: None, line: None }
    }
}

/// Checks one oracle's claim on a case. Every claim includes the absence of panics.
pub fn ask(oracle: Oracle, case: &Case) -> Verdict {
    with_isa!(case.isa, I => ask_isa::<I>(oracle, case))
}

/// Like [`ask`], for a case of the instruction set `I`.
pub fn ask_isa<I: Isa>(oracle: Oracle, case: &Case) -> Verdict {
    let verdict = caught(|| check::<I>(oracle, case));
    verdict.unwrap_or_else(|panic| Verdict::Fails(panic.failure()))
}

fn check<I: Isa>(oracle: Oracle, case: &Case) -> Verdict {
    #[cfg(debug_assertions)]
    planted::trigger(&case.bytes);
    match oracle {
        Oracle::Bytes => bytes::check::<I>(&case.bytes),
        Oracle::Text => text::check::<I>(&case.bytes),
        Oracle::Validity => validity::check::<I>(case),
        Oracle::Execution => execution::check::<I>(case),
        Oracle::Rewriting => rewriting::check::<I>(case),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::EntryRef;
    use crate::engine::{compare, reference};
    use crate::generate::{Entropy, Generate, ProgramRequest, case};
    use lockstep_core::isa::{End, IsaId};
    use std::collections::BTreeSet;

    /// Whether the reference produces anything to compare in a case, and whether any lane finishes.
    fn leaves<I: Isa>(case: &Case) -> (bool, bool) {
        let resolved = case.resolve::<I>().expect("a generated case");
        let run = reference(&resolved.context(), &resolved.env);
        let same = compare(&resolved.entry, &run, &run).expect("a run equals itself");
        (same.components > 0, run.lanes.iter().any(|lane| lane.end == End::Finished))
    }

    /// Returns variants of the case that the generator makes from a seed: unchanged, without fuel, with room for no effect, with room for one effect,
    /// and each of these without outputs.
    fn cases<I: Generate>(seed: u64) -> Vec<Case> {
        let whole = case::<I>(
            &mut Entropy::seeded(seed),
            &ProgramRequest { size: Some(6), ..ProgramRequest::default() },
        );
        let mut all = vec![whole; 4];
        all[1].env.fuel = 0;
        all[2].env.effects = 0;
        all[3].env.effects = 1;
        for n in 0..all.len() {
            let mut bare = all[n].clone();
            let mut entry = bare.resolve::<I>().expect("a generated case").entry;
            entry.interface.outputs.clear();
            bare.entry = EntryRef::Given(entry);
            all.push(bare);
        }
        all
    }

    #[test]
    fn a_run_passes_only_if_a_lane_finished_and_values_were_compared() {
        let mut seen = BTreeSet::new();
        for &isa in IsaId::ALL {
            for seed in 0..40 {
                let cases = with_isa!(isa, I => cases::<I>(seed));
                for case in cases {
                    // In some instruction sets, a missing entry is a rule violation.
                    if matches!(ask(Oracle::Validity, &case), Verdict::Skipped(Skip::Illegal(_))) {
                        continue;
                    }
                    let (compared, finished) = with_isa!(isa, I => leaves::<I>(&case));
                    seen.insert((compared, finished));
                    for oracle in [Oracle::Execution, Oracle::Rewriting] {
                        let holds = match ask(oracle, &case) {
                            Verdict::Holds(statistics) => {
                                assert!(statistics.components > 0, "{isa}, seed {seed}");
                                true
                            }
                            Verdict::Skipped(Skip::NothingCompared) => {
                                assert!(finished, "{isa}, seed {seed}: no lane finished");
                                false
                            }
                            Verdict::Skipped(Skip::NoLaneFinished) => {
                                assert!(!finished, "{isa}, seed {seed}: a lane finished");
                                false
                            }
                            other => panic!("{isa}, seed {seed}: {other:?}"),
                        };
                        assert_eq!(holds, compared && finished, "{isa}, seed {seed}, {}", oracle.name());
                    }
                }
            }
        }
        for either in [(false, false), (false, true), (true, true)] {
            assert!(seen.contains(&either), "{either:?} in {seen:?}");
        }
    }
}
