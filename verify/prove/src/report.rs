//! The report of a run.

use crate::asking::INTERRUPTED;
use crate::cache::Fault;
use crate::obligation::Kind;
use crate::verdict::Verdict;
use lockstep_core::text;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Whether the obligation `name` is `whole` or about a part of it, such as one of its entries: the name is `whole`, or `whole` followed by a space, a
/// colon or a comma and more text. `agal step simulation foobar` is no part of `agal step simulation foo`.
pub fn is_part_of(name: &str, whole: &str) -> bool {
    name.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':', ',']))
}

/// One obligation with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The kind of the obligation.
    pub kind: Kind,
    /// The unique name.
    pub name: String,
    /// The number of claims.
    pub claims: u64,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The results for the obligation's mutants.
    pub mutants: MutantTally,
}

/// The results for the mutants of an obligation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MutantTally {
    /// The number of mutants.
    pub all: u64,
    /// The number of refuted mutants: values were found for which they differ from the original.
    pub refuted: u64,
    /// The number of mutants that were proved equivalent.
    pub equivalent: u64,
    /// Mutants of arithmetic that evaluation did not refute and that are not decided here, by name. The lowering rules of the same opcodes have
    /// mutants of the same kind, which are decided there.
    pub of_rules: Vec<String>,
    /// The mutants that are neither refuted nor equivalent nor in `of_rules`.
    pub surviving: Vec<Survivor>,
}

/// A mutant that is neither refuted nor equivalent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// The names of the obligation and the mutant.
    pub key: String,
    /// Why it is acceptable that the mutant survives, if a reason has been written.
    pub reason: Option<String>,
}

/// The check of one domain operation against the solver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// The operation.
    pub operation: String,
    /// Number of operand tuples compared.
    pub tuples: u64,
    /// The first difference of the results, or an error of the solver; `None` if the results agree.
    pub difference: Option<String>,
}

/// The results of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Every obligation.
    pub outcomes: Vec<Outcome>,
    /// The domain check. Without a solver, only the operations whose check is in the cache; with a filter, none.
    pub checks: Vec<Checked>,
    /// What makes the run incomplete, one sentence each: expected obligations that are missing, differences from the ledger, an interrupt. Filled in
    /// by the caller, which has the list of expected obligations.
    pub lost: Vec<String>,
    /// Whether the run was stopped before its end.
    pub stopped: bool,
    /// Keys of recorded reasons whose mutants do not survive.
    pub unused_reasons: Vec<String>,
    /// The linked solver, if there is one.
    pub solver: Option<String>,
    /// The solvers whose answers are in the cache.
    pub cached_by: Vec<String>,
    /// The number of distinct queries, which are about claims whose sides are different terms.
    pub queries: usize,
    /// Queries answered by the cache.
    pub cached: usize,
    /// Queries put to the solver.
    pub asked: usize,
    /// The number of queries put to the solver although the cache has an answer, to check that answer.
    pub again: usize,
    /// The cached answers that had to be put to the solver again, since they cost less than about a second, but were not.
    pub not_again: Vec<String>,
    /// Problems with the cache or the solver.
    pub faults: Vec<Fault>,
    /// The time spent on building and evaluating terms, before the cache and the solver are used, in seconds.
    pub seconds_terms: f64,
    /// The time for generalising the folds that fired and evaluating them, in seconds.
    pub seconds_folds: f64,
    /// The total time, in seconds.
    pub seconds: f64,
}

impl Report {
    /// Whether the run passes: something was proved, no obligation is refuted, unknown or lost, the domain check found no difference, every surviving
    /// mutant has a reason and every reason a mutant, the cache is intact, and no answer that was due for a recheck was used without it.
    pub fn is_green(&self) -> bool {
        self.outcomes.iter().any(|o| matches!(o.verdict, Verdict::Proved { .. }))
            && self.outcomes.iter().all(|o| o.verdict.is_green())
            && self.checks.iter().all(|c| c.difference.is_none())
            && self.lost.is_empty()
            && self.unused_reasons.is_empty()
            && self.faults.is_empty()
            && self.not_again.is_empty()
            && self.survivors().all(|s| s.reason.is_some())
    }

    /// Returns the obligations that are refuted.
    pub fn refuted(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(|o| matches!(o.verdict, Verdict::Refuted(_)))
    }

    /// Whether a failure would occur again in every run: an obligation is refuted, evaluation and the solver differ on an operation, or an answer is
    /// contradicted.
    pub fn has_findings(&self) -> bool {
        self.refuted().next().is_some()
            || self.checks.iter().any(|c| c.difference.is_some())
            || self.faults.iter().any(|f| f.contradicted)
    }

    /// Returns the obligations whose verdict is unknown.
    pub fn unknown(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(|o| matches!(o.verdict, Verdict::Unknown { .. }))
    }

    /// Returns the obligations about programs that are refused, for which there is nothing to prove: name and reason.
    pub fn not_applicable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.outcomes.iter().filter_map(|o| match &o.verdict {
            Verdict::NotApplicable { reason } => Some((o.name.as_str(), reason.as_str())),
            _ => None,
        })
    }

    /// Returns the mutants that are neither refuted nor equivalent nor left to the lowering rules.
    pub fn survivors(&self) -> impl Iterator<Item = &Survivor> {
        self.outcomes.iter().flat_map(|o| &o.mutants.surviving)
    }

    /// Returns the number of obligations by kind and verdict.
    pub fn counts(&self) -> BTreeMap<(Kind, &'static str), u64> {
        let mut counts = BTreeMap::new();
        for o in &self.outcomes {
            *counts.entry((o.kind, o.verdict.name())).or_default() += 1;
        }
        counts
    }

    /// Returns the sums and lists of mutants over all obligations of a kind.
    pub fn mutants(&self, kind: Kind) -> MutantTally {
        let mut sum = MutantTally::default();
        for o in self.outcomes.iter().filter(|o| o.kind == kind) {
            sum.all += o.mutants.all;
            sum.refuted += o.mutants.refuted;
            sum.equivalent += o.mutants.equivalent;
            sum.of_rules.extend(o.mutants.of_rules.iter().map(|m| format!("{}: {m}", o.name)));
            sum.surviving.extend(o.mutants.surviving.iter().cloned());
        }
        sum
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts();
        for kind in Kind::ALL {
            let of_kind: Vec<String> = counts
                .iter()
                .filter(|((k, _), _)| *k == kind)
                .map(|((_, v), n)| format!("{n} {v}"))
                .collect();
            if of_kind.is_empty() {
                continue;
            }
            let m = self.mutants(kind);
            write!(f, "{:16} {}", kind.name(), of_kind.join(", "))?;
            if m.all > 0 {
                let left = m.surviving.len();
                write!(f, "; mutants: {} refuted, {} equivalent, {left} surviving", m.refuted, m.equivalent)?;
                if !m.of_rules.is_empty() {
                    write!(f, ", {} not decided here", m.of_rules.len())?;
                }
            }
            writeln!(f)?;
        }
        if !self.checks.is_empty() {
            let tuples: u64 = self.checks.iter().map(|c| c.tuples).sum();
            let bad = self.checks.iter().filter(|c| c.difference.is_some()).count();
            writeln!(
                f,
                "{:16} {} operations on {tuples} operand tuples, {bad} differ",
                "domain check",
                self.checks.len()
            )?;
        }
        for o in self.refuted() {
            if let Verdict::Refuted(example) = &o.verdict {
                writeln!(f, "\nREFUTED {}\n{example}", o.name)?;
            }
        }
        // Obligations left by an interrupt are counted, not listed.
        let mut left = 0;
        for o in self.unknown() {
            match &o.verdict {
                Verdict::Unknown { reason } if reason.ends_with(INTERRUPTED) => left += 1,
                Verdict::Unknown { reason } => writeln!(f, "UNKNOWN {}: {reason}", o.name)?,
                _ => {}
            }
        }
        if left > 0 {
            let left = text::count(left, "obligation");
            writeln!(f, "UNKNOWN {left} left by the interrupt")?;
        }
        for (name, reason) in self.not_applicable() {
            writeln!(f, "NOT APPLICABLE {name}: {reason}")?;
        }
        for lost in &self.lost {
            writeln!(f, "LOST {lost}")?;
        }
        for c in self.checks.iter().filter(|c| c.difference.is_some()) {
            writeln!(f, "DIFFERS {}: {}", c.operation, c.difference.as_deref().unwrap_or_default())?;
        }
        for s in self.survivors().filter(|s| s.reason.is_none()) {
            writeln!(f, "SURVIVES {}", s.key)?;
        }
        for fault in &self.faults {
            writeln!(f, "{} {}", if fault.contradicted { "CONTRADICTED" } else { "DAMAGED" }, fault.what)?;
        }
        for missed in &self.not_again {
            writeln!(f, "NOT ASKED AGAIN {missed}")?;
        }
        for key in &self.unused_reasons {
            writeln!(f, "UNUSED REASON {key}")?;
        }
        let solver = match &self.solver {
            Some(solver) if self.again > 0 => {
                format!("{} put to {solver}, of which {} again", self.asked, self.again)
            }
            Some(solver) => format!("{} put to {solver}", self.asked),
            None => format!("answers by {}", self.cached_by.join(", ")),
        };
        writeln!(
            f,
            "{}, {}; {} left, {} in the cache, {solver}; {:.1} s, of which {:.1} s terms and {:.1} s folds",
            text::count(self.outcomes.len(), "obligation"),
            text::count(self.outcomes.iter().map(|o| o.claims).sum::<u64>(), "claim"),
            text::count(self.queries, "query"),
            self.cached,
            self.seconds,
            self.seconds_terms,
            self.seconds_folds,
        )
    }
}
