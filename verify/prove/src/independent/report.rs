//! The report of the independent prover.

use super::instance::Outcome;
use super::judge::{ProofStep, Verdict};
use super::mutants::MutantVerdict;
use lockstep_core::isa::IsaId;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// The result for a lemma.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LemmaResult {
    /// The lemma's name.
    pub name: String,
    /// Why the lemma is not proved; `None` if it is proved.
    pub difference: Option<String>,
}

/// The results of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The instruction sets that must have obligations.
    pub wanted: Vec<IsaId>,
    /// Every obligation, by instruction set and name.
    pub outcomes: Vec<Outcome>,
    /// The number of distinct queries of the obligations.
    pub distinct: usize,
    /// Mutants that evaluation refutes, with the prover's result for each, and the rules that failed to provide mutants.
    pub mutants: Vec<MutantVerdict>,
    /// The number of mutants requested for each instruction set.
    pub wanted_mutants: usize,
    /// The results for the lemmas.
    pub lemmas: Vec<LemmaResult>,
    /// Disagreements with the main prover, as sentences.
    pub disagreements: Vec<String>,
    /// The number of threads.
    pub threads: usize,
    /// Total time in seconds.
    pub seconds: f64,
}

/// The minimum percentage of an instruction set's obligations that must be confirmed.
pub const MIN_CONFIRMED_PERCENT: f64 = 99.0;

/// The maximum number of lines of an open obligation's query that are shown.
const MAX_SHOWN_LINES: usize = 12;

/// The counts of one instruction set's obligations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// All obligations.
    pub obligations: usize,
    /// Distinct queries of the obligations.
    pub queries: usize,
    /// Confirmed obligations, by the form of the query that sufficed.
    pub confirmed: BTreeMap<ProofStep, usize>,
    /// Obligations under more than one non-default option.
    pub combined: usize,
    /// Refuted obligations.
    pub refuted: usize,
    /// Obligations whose paths or claims omit something.
    pub gaps: usize,
    /// Obligations without a verdict.
    pub open: usize,
}

impl Report {
    /// Counts the obligations by instruction set.
    pub fn counts(&self) -> BTreeMap<IsaId, Count> {
        let mut counts: BTreeMap<IsaId, Count> = BTreeMap::new();
        let mut seen = HashSet::new();
        for outcome in &self.outcomes {
            let count = counts.entry(outcome.isa).or_default();
            count.obligations += 1;
            count.combined += usize::from(outcome.changed > 1);
            count.queries +=
                usize::from(!outcome.query.is_empty() && seen.insert((outcome.isa, &outcome.query)));
            match &outcome.verdict {
                Verdict::Confirmed { how } => *count.confirmed.entry(*how).or_default() += 1,
                Verdict::Refuted(_) => count.refuted += 1,
                Verdict::Gap { .. } => count.gaps += 1,
                Verdict::Open { .. } => count.open += 1,
            }
        }
        counts
    }

    /// Whether an obligation is refuted or omits something, a mutant is confirmed, a lemma is not proved, or the main prover disagrees.
    pub fn has_findings(&self) -> bool {
        self.outcomes.iter().any(|o| matches!(o.verdict, Verdict::Refuted(_) | Verdict::Gap { .. }))
            || self.mutants.iter().any(|m| m.confirmed.is_some())
            || !self.disagreements.is_empty()
            || self.lemmas.iter().any(|l| l.difference.is_some())
    }

    /// Whether the run passes: each requested instruction set has obligations, of which at least [`MIN_CONFIRMED_PERCENT`] percent are confirmed, the
    /// requested number of mutants was tried for each, no rule failed to provide mutants, and there are no findings.
    pub fn is_green(&self) -> bool {
        let counts = self.counts();
        let enough = |count: &Count| {
            count.confirmed.values().sum::<usize>() as f64
                >= MIN_CONFIRMED_PERCENT / 100.0 * count.obligations as f64
        };
        // A mutant without a query was not tried.
        let asked =
            |isa: &IsaId| self.mutants.iter().filter(|m| m.isa == *isa && !m.tried.is_empty()).count();
        let tried = |isa: &IsaId| asked(isa) >= self.wanted_mutants;
        !self.has_findings()
            && self.mutants.iter().all(|m| m.error.is_none())
            && !counts.is_empty()
            && self.wanted.iter().all(|isa| counts.contains_key(isa))
            && counts.values().all(enough)
            && (self.wanted_mutants == 0 || counts.keys().all(tried))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (isa, count) in self.counts() {
            let confirmed: usize = count.confirmed.values().sum();
            write!(
                f,
                "{isa:10} {} obligations, {} of them under several options, {} distinct queries: {confirmed} confirmed",
                count.obligations, count.combined, count.queries
            )?;
            let by: Vec<String> =
                count.confirmed.iter().map(|(how, n)| format!("{n} {}", name(*how))).collect();
            write!(f, " ({})", by.join(", "))?;
            writeln!(f, ", {} refuted, {} incomplete, {} open", count.refuted, count.gaps, count.open)?;
        }
        let counts = self.counts();
        for isa in self.wanted.iter().filter(|isa| !counts.contains_key(isa)) {
            writeln!(f, "NOTHING TO JUDGE {isa}")?;
        }
        for outcome in &self.outcomes {
            match &outcome.verdict {
                Verdict::Confirmed { .. } => {}
                Verdict::Refuted(example) => write!(f, "REFUTED {}\n{example}", outcome.name)?,
                Verdict::Gap { reason } => writeln!(f, "INCOMPLETE {}: {reason}", outcome.name)?,
                Verdict::Open { reason, query } => {
                    writeln!(f, "OPEN {}: {reason}", outcome.name)?;
                    for line in query.lines().take(MAX_SHOWN_LINES) {
                        writeln!(f, "    {line}")?;
                    }
                    let more = query.lines().count().saturating_sub(MAX_SHOWN_LINES);
                    if more > 0 {
                        writeln!(f, "    and {more} lines more, which --json FILE writes")?;
                    }
                }
            }
        }
        for mutant in &self.mutants {
            if let Some(how) = mutant.confirmed {
                writeln!(f, "CONFIRMED A MUTANT, {}: {}", name(how), mutant.name)?;
            }
            if let Some(error) = &mutant.error {
                writeln!(f, "NO MUTANTS OF {}: {error}", mutant.name)?;
            }
        }
        for sentence in &self.disagreements {
            writeln!(f, "THE PROVERS DISAGREE {sentence}")?;
        }
        for lemma in &self.lemmas {
            if let Some(why) = &lemma.difference {
                writeln!(f, "LEMMA NOT PROVED {}: {why}", lemma.name)?;
            }
        }
        let (claims, paths) = self.outcomes.iter().fold((0, 0), |(c, p), o| (c + o.claims, p + o.paths));
        if self.wanted_mutants > 0 {
            let confirmed = self.mutants.iter().filter(|m| m.confirmed.is_some()).count();
            let tried = |how: ProofStep| self.mutants.iter().filter(|m| m.tried.contains(&how)).count();
            let by: Vec<String> = ProofStep::STEPS.map(|how| format!("{} {}", tried(how), name(how))).into();
            let mutants = || self.mutants.iter().filter(|m| m.error.is_none());
            let all = mutants().count();
            let nothing = mutants().filter(|m| m.tried.is_empty()).count();
            writeln!(
                f,
                "{all} mutants that evaluation refutes: {confirmed} confirmed, {nothing} without a query; queries: {}",
                by.join(", ")
            )?;
        }
        writeln!(
            f,
            "{} obligations, {} distinct queries, {claims} claims, {paths} paths; {} lemmas proved; {:.1} s on {} threads",
            self.outcomes.len(),
            self.distinct,
            self.lemmas.iter().filter(|l| l.difference.is_none()).count(),
            self.seconds,
            self.threads
        )
    }
}

fn name(how: ProofStep) -> &'static str {
    match how {
        ProofStep::AnyFunctions => "for any arithmetic",
        ProofStep::Lemmas => "with lemmas",
        ProofStep::ExactRounding => "with exact rounding",
        ProofStep::ExactArithmetic => "with exact arithmetic",
    }
}
