//! The oracles: claims about a case that hold, fail, or do not apply.
//!
//! | oracle | claim |
//! |---|---|
//! | `bytes` | what decodes encodes to the same bytes; what does not says where and why |
//! | `text` | what decodes disassembles to text that assembles to the same bytes |
//! | `validity` | a program without error-level violations lowers to IR that verifies, both ways of lowering; one with them is refused |
//! | `execution` | reference and executor agree on every lane, in both ways of lowering and at every level of the machine |
//! | `rewriting` | rewriting the IR changes no outcome |

mod bytes;
mod execution;
mod panics;
#[cfg(debug_assertions)]
mod planted;
mod rewriting;
mod text;
mod validity;

use crate::case::{Case, CaseError};
use crate::engine::{Difference, Statistics};
use lockstep_core::isa::{Entry, Isa};
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};

pub use execution::{Engines, execution_with};
pub use panics::{Panic, caught, keep_places};

/// A claim about cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Oracle {
    /// Decoding loses nothing.
    Bytes,
    /// Disassembling loses nothing.
    Text,
    /// Validator and lowering agree on what can be run.
    Validity,
    /// Reference and executor agree.
    Execution,
    /// Rewriting keeps meaning.
    Rewriting,
}

impl Oracle {
    /// All of them.
    pub const ALL: [Oracle; 5] =
        [Oracle::Bytes, Oracle::Text, Oracle::Validity, Oracle::Execution, Oracle::Rewriting];

    /// The name used on the command line and in findings.
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
    /// The claim in words.
    pub fn claim(self) -> &'static str {
        match self {
            Oracle::Bytes => "what decodes encodes to the same bytes",
            Oracle::Text => "what decodes disassembles to text that assembles to the same bytes",
            Oracle::Validity => "validator and lowering agree on what can be run",
            Oracle::Execution => "reference and executor agree on every lane",
            Oracle::Rewriting => "rewriting the intermediate representation changes no outcome",
        }
    }
}

/// What came of asking an oracle about a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The claim holds; how much was compared.
    Holds(Statistics),
    /// The case never reached the comparison; why.
    Skipped(Skip),
    /// The claim fails.
    Fails(Failure),
}

/// Why a case did not reach a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Skip {
    /// It has nothing to run.
    Unresolved(CaseError),
    /// The program is illegal, and both the validator and the lowering say so.
    Illegal(lockstep_core::isa::Violation),
    /// Nothing that lanes leave behind was compared but how they ended.
    NothingCompared,
    /// No lane finished, in either engine, so no output was compared.
    NoLaneFinished,
    /// It has too many nodes, and the fallback is not exact for it.
    TooLarge,
}

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Skip::Unresolved(error) => error.fmt(f),
            Skip::Illegal(violation) => violation.fmt(f),
            Skip::NothingCompared => f.write_str("the program leaves nothing behind to compare"),
            Skip::NoLaneFinished => f.write_str("no lane finished"),
            Skip::TooLarge => f.write_str("it has too many nodes, and the fallback is not exact for it"),
        }
    }
}

/// How a claim fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What was compared with what, such as `reference / executor (avx2, nodes)`.
    pub between: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Where two runs part, if that is what failed.
    pub difference: Option<Difference>,
    /// The instruction, if the failure is about one.
    pub word: Option<u32>,
    /// The line of the program's listing, from 0, if the failure is about one.
    pub line: Option<u32>,
}

impl Failure {
    pub(crate) fn new(between: impl Into<String>, message: impl Into<String>) -> Failure {
        Failure { between: between.into(), message: message.into(), difference: None, word: None, line: None }
    }

    fn runs<I: Isa>(entry: &Entry, between: impl Into<String>, difference: Difference) -> Failure {
        let place = difference.place.name::<I>(entry);
        let message =
            format!("lane {}, {place}: {} against {}", difference.lane, difference.left, difference.right);
        Failure { between: between.into(), message, difference: Some(difference), word: None, line: None }
    }
}

/// Asks one oracle about a case. Every claim includes that nothing panics.
pub fn ask(oracle: Oracle, case: &Case) -> Verdict {
    let verdict = caught(|| with_isa!(case.isa, I => ask_isa::<I>(oracle, case)));
    verdict.unwrap_or_else(|panic| Verdict::Fails(panic.failure()))
}

fn ask_isa<I: Isa>(oracle: Oracle, case: &Case) -> Verdict {
    #[cfg(debug_assertions)]
    planted::strike(&case.bytes);
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
    use crate::generate::{Entropy, Generate, Wish, case};
    use lockstep_core::isa::{End, IsaId};
    use std::collections::BTreeSet;

    /// Whether the reference leaves anything to compare in a case, and whether a lane of it finishes.
    fn leaves<I: Isa>(case: &Case) -> (bool, bool) {
        let resolved = case.resolve::<I>().expect("a generated case");
        let run = reference(&resolved.context(), &resolved.env);
        let same = compare(&resolved.entry, &run, &run).expect("a run is like itself");
        (same.components > 0, run.lanes.iter().any(|lane| lane.end == End::Finished))
    }

    /// Cases of a seed: as it is, without fuel, with room for no effect and for one, and each of these without outputs.
    fn cases<I: Generate>(seed: u64) -> Vec<Case> {
        let whole = case::<I>(&mut Entropy::seeded(seed), &Wish { size: Some(6), ..Wish::default() });
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
    fn what_is_run_holds_only_where_a_lane_finished_and_something_was_compared() {
        let mut seen = BTreeSet::new();
        for &isa in IsaId::ALL {
            for seed in 0..40 {
                let cases = with_isa!(isa, I => cases::<I>(seed));
                for case in cases {
                    // An entry that the program does not have is illegal in some instruction sets.
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
                                assert!(finished, "{isa}, seed {seed}: nobody finished, which is the reason");
                                false
                            }
                            Verdict::Skipped(Skip::NoLaneFinished) => {
                                assert!(!finished, "{isa}, seed {seed}: somebody finished");
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
