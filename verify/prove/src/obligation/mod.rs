//! Obligations: enumerated from the tables, as tasks that are solved as far as possible without a solver.

pub mod algebra;
mod audit;
mod controls;
mod effects;
mod expected;
mod fallback;
pub mod folds;
mod kernels;
mod layout;
mod listed;
mod lowering;
mod pairs;
pub(crate) mod probes;
mod programs;
mod registers;
mod sequences;
mod simulate;
mod whole;
mod witness;
mod words;
mod wrong_lane;

use crate::claims::{Claims, OpenGoal};
use crate::goal::Goal;
use crate::mutate::Mutation;
use crate::sabotage::{self, Sabotage};
use crate::verdict::Verdict;
use expected::MissingObligation;
use lockstep_core::ir::Program;
use lockstep_core::isa::{Entry, Format, Isa};
use serde::Serialize;
use std::collections::HashSet;
use std::ops::Range;
use tracing::field::Empty;

/// The kind of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Bit fields tile their word; splitting a word and joining its fields are inverse.
    Layout,
    /// The reference and the lowering of one instruction agree.
    LoweringRule,
    /// The reference and a lowered program agree, block by block.
    Step,
    /// The reference and the fallback agree for each word, in every control state.
    Fallback,
    /// Both sides of a rewrite rule are equal under its guard, and the guard can hold.
    RewriteRule,
    /// A fold made by the term constructor is a valid rule.
    Fold,
    /// An axiom about `exp2`, `sin` or `cos`, tested on values.
    Axiom,
    /// The reference, the lowering, the fallback and the rewritten program agree on whole runs of a program.
    Program,
    /// The executor's kernel for an operation, or the machine code of a kernel, computes the operation's meaning.
    Kernel,
    /// Every opcode and coverage point of the tables has a lowering rule.
    Coverage,
    /// A false claim that only the solver can refute is refuted.
    FalseClaim,
}

impl Kind {
    /// All kinds, in the order of reports.
    pub const ALL: [Kind; 11] = [
        Kind::Layout,
        Kind::LoweringRule,
        Kind::Step,
        Kind::Fallback,
        Kind::RewriteRule,
        Kind::Fold,
        Kind::Axiom,
        Kind::Program,
        Kind::Kernel,
        Kind::Coverage,
        Kind::FalseClaim,
    ];

    /// Returns the name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Layout => "layouts",
            Kind::LoweringRule => "lowering rules",
            Kind::Step => "step simulation",
            Kind::Fallback => "fallback words",
            Kind::RewriteRule => "rewrite rules",
            Kind::Fold => "term folds",
            Kind::Axiom => "axioms",
            Kind::Program => "whole programs",
            Kind::Kernel => "kernels",
            Kind::Coverage => "coverage",
            Kind::FalseClaim => "false claims",
        }
    }
}

/// The status of a mutant before the solver is used.
#[derive(Clone, Debug)]
pub enum MutantStatus {
    /// Values were found for which the mutant differs from the original.
    Refuted,
    /// The mutant is equivalent, because both sides of each of its claims become the same term.
    Equivalent,
    /// Claims that could refute the mutant are missing, for this reason.
    Unclaimed(String),
    /// Evaluation found no difference, and the mutant changes only arithmetic. The lowering rules of the opcode have the same kind of mutants, and
    /// there the solver decides those that evaluation does not.
    DecidedByRule,
    /// Only a solver can decide whether the mutant differs.
    OpenGoal(Vec<OpenGoal>),
    /// The mutant drops an effect or a kill mark. Unless it is refuted, it needs a written reason, whatever the solver's answer is. Contains the
    /// status that the mutant has otherwise.
    NeedsReason(Box<MutantStatus>),
}

impl MutantStatus {
    /// Returns the status for a mutant of `program`: [`MutantStatus::NeedsReason`] if it drops an effect or a kill mark and is not refuted.
    fn of(self, mutation: &Mutation, program: &Program) -> MutantStatus {
        if !mutation.drops_effect_or_kill(program) {
            return self;
        }
        match if sabotage::is(Sabotage::DropsEquivalent) { MutantStatus::Equivalent } else { self } {
            MutantStatus::Refuted => MutantStatus::Refuted,
            other => MutantStatus::NeedsReason(Box::new(other)),
        }
    }
}

/// An obligation, solved as far as possible without a solver.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The kind of the obligation.
    pub kind: Kind,
    /// The unique name.
    pub name: String,
    /// The claims.
    pub claims: Claims,
    /// A verdict that was reached without a solver.
    pub settled: Option<Verdict>,
    /// The fuel of the runs that the claims cover; `None` if they cover all runs.
    pub fuel: Option<u64>,
    /// Mutants, by name.
    pub mutants: Vec<(String, MutantStatus)>,
}

impl Obligation {
    /// Evaluates the claims on random values: settles the obligation if one is refuted, otherwise splits them into smaller goals.
    pub(crate) fn evaluate_claims(&mut self, boundaries: &[u32]) {
        if self.refuted(boundaries, 0..FIRST_DRAWS, &|_| true) {
            return;
        }
        self.claims.open.iter_mut().for_each(|open| open.reduce(boundaries, &HashSet::new()));
        // Goals with parts get these draws only when a part fails.
        self.refuted(boundaries, FIRST_DRAWS..2 * DRAWS, &|open| open.parts.is_none());
    }

    /// Revises the goals for which `has_failed` returns true, because one of their parts is in `failed`: evaluates these goals on random values and,
    /// if none is refuted, splits each into other parts. Returns whether `has_failed` returned true for any goal.
    pub(crate) fn revise(
        &mut self,
        boundaries: &[u32],
        failed: &HashSet<Goal>,
        has_failed: &dyn Fn(&OpenGoal) -> bool,
    ) -> bool {
        if !self.claims.open.iter().any(has_failed) {
            return false;
        }
        if !self.refuted(boundaries, FIRST_DRAWS..2 * DRAWS, has_failed) {
            let open = self.claims.open.iter_mut().filter(|open| has_failed(open));
            open.for_each(|open| open.reduce(boundaries, failed));
        }
        true
    }

    /// Whether the verdict counts only if some mutant is refuted. True for all obligations except false claims.
    pub(crate) fn needs_witness(&self) -> bool {
        self.kind != Kind::FalseClaim
    }

    /// Adds a mutant.
    fn with_mutant(mut self, mutant: impl Into<String>, mutant_status: MutantStatus) -> Obligation {
        self.mutants.push((mutant.into(), mutant_status));
        self
    }

    /// Whether one of these draws refutes a goal for which `wanted` returns true. If so, this settles the obligation.
    fn refuted(&mut self, boundaries: &[u32], draws: Range<u64>, wanted: &dyn Fn(&OpenGoal) -> bool) -> bool {
        let terms: usize = self.claims.open.iter().filter(|o| wanted(o)).map(|o| o.goal.nodes.len()).sum();
        let affordable = (MAX_EVALUATIONS / terms.max(1) as u64).max(MIN_DRAWS);
        let draws = draws.start..draws.end.min(draws.start + affordable);
        if let Some(example) = self.claims.refute(boundaries, draws, wanted) {
            self.settled = Some(Verdict::Refuted(Box::new(example)));
            // Mutants of a refuted obligation are irrelevant.
            self.mutants.clear();
            return true;
        }
        false
    }

    fn new(kind: Kind, name: String, claims: Claims) -> Obligation {
        Obligation { kind, name, claims, settled: None, fuel: None, mutants: Vec::new() }
    }

    fn settled(kind: Kind, name: String, verdict: Verdict) -> Obligation {
        Obligation { settled: Some(verdict), ..Obligation::new(kind, name, Claims::default()) }
    }
}

/// The tracing span of an obligation while it is attempted.
struct ObligationSpan(tracing::span::EnteredSpan);

impl ObligationSpan {
    fn begin(kind: Kind, name: &str) -> ObligationSpan {
        let kind = kind.name();
        let sizes =
            tracing::debug_span!("obligation", kind, name, claims = Empty, goals = Empty, mutants = Empty);
        ObligationSpan(sizes.entered())
    }

    /// Ends the span and records the sizes.
    fn end(self, obligation: Obligation) -> Obligation {
        self.0.record("claims", obligation.claims.count());
        self.0.record("goals", obligation.claims.open.len());
        self.0.record("mutants", obligation.mutants.len());
        obligation
    }
}

/// A function that returns the expected obligations missing from those given.
type FindMissing = dyn Fn(&[Obligation]) -> Vec<MissingObligation> + Send + Sync;

/// Obligations that are attempted together.
pub struct Task {
    /// The name that filters use: the common prefix of the names of the task's obligations.
    pub name: String,
    run: Box<dyn Fn(&[u32]) -> Vec<Obligation> + Send + Sync>,
    /// The kind of the task's obligations, and a function that finds missing ones: see [`expected`].
    expected: Option<(Kind, Box<FindMissing>)>,
}

impl Task {
    fn new(name: impl Into<String>, run: impl Fn(&[u32]) -> Vec<Obligation> + Send + Sync + 'static) -> Task {
        Task { name: name.into(), run: Box::new(run), expected: None }
    }

    /// Adds a function that finds missing obligations.
    fn expecting(
        self,
        kind: Kind,
        missing: impl Fn(&[Obligation]) -> Vec<MissingObligation> + Send + Sync + 'static,
    ) -> Task {
        Task { expected: Some((kind, Box::new(missing))), ..self }
    }

    /// Attempts the obligations of the task. Expected obligations that are missing are included with the verdict unknown.
    pub(crate) fn obligations(&self, boundaries: &[u32]) -> Vec<Obligation> {
        let mut all = (self.run)(boundaries);
        let Some((kind, missing)) = &self.expected else { return all };
        let lost = missing(&all).into_iter().map(|MissingObligation { name, reason }| {
            Obligation::settled(*kind, name, Verdict::Unknown { reason: reason.to_owned() })
        });
        let lost: Vec<Obligation> = lost.collect();
        all.extend(lost);
        all
    }
}

/// A program about which obligations are proved: its name and bytes.
pub type NamedProgram = (String, Vec<u8>);

/// The programs of an instruction set that are proved.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// Programs with all kinds of obligations.
    pub all: Vec<NamedProgram>,
    /// Programs of covering arrays, with only one kind of obligation: step simulation under the default options.
    pub covering: Vec<NamedProgram>,
}

/// Returns every obligation of an instruction set, including those about the given programs.
pub fn of_isa<I: Isa>(programs: &Programs) -> Vec<Task> {
    let mut all = layout::tasks::<I>();
    all.extend(lowering::tasks::<I>());
    all.extend(programs::tasks::<I>(&programs.all));
    all.extend(programs::covering::<I>(&programs.covering));
    all.extend(words::tasks::<I>(&programs.all));
    all.extend(whole::tasks::<I>(&programs.all));
    all.extend(whole::with_registers::<I>(&programs.all));
    all
}

/// Returns the obligations of an instruction set's lowering rules, which are among those of [`of_isa`].
#[cfg(all(test, feature = "solver"))]
pub(crate) fn of_rules<I: Isa>() -> Vec<Task> {
    lowering::tasks::<I>()
}

/// Returns the entries of a program, each with a suffix for the names of its obligations; the suffix is empty if there is only one entry.
fn entries<I: Format>(program: &I::Program) -> Vec<(Entry, String)> {
    let entries = I::entries(program);
    let several = entries.len() > 1;
    let number = |k: usize| if several { format!(" entry {k}") } else { String::new() };
    entries.into_iter().enumerate().map(|(k, entry)| (entry, number(k))).collect()
}

/// Returns a placeholder for the obligation of a program that is refused, with the reason.
fn refused(kind: Kind, name: String, reason: &dyn std::fmt::Display) -> Obligation {
    Obligation::settled(kind, name, Verdict::NotApplicable { reason: reason.to_string() })
}

/// Makes the task that proves one program equivalent to another, each given with the number of its entry: see [`crate::variant`].
pub(crate) fn variant<I: Isa>(name: &str, original: (Vec<u8>, usize), variant: (Vec<u8>, usize)) -> Task {
    let name = format!("{} {} {name}", I::ID, Kind::Program.name());
    Task::new(name.clone(), move |boundaries| {
        whole::variant::<I>(&name, (&original.0, original.1), (&variant.0, variant.1), boundaries)
    })
}

/// Returns the obligations shared by all instruction sets: rewrite rules, axioms, the executor's kernels, the instruction sequences of compiled
/// kernels, and false claims. Folds become obligations when they fire.
pub fn shared() -> Vec<Task> {
    let mut all = algebra::tasks();
    all.extend(kernels::tasks());
    all.extend(sequences::tasks());
    all.extend(probes::tasks());
    all
}

/// The maximum number of values computed to refute one obligation, but at least [`MIN_DRAWS`] draws for each claim. Among thousands of claims, a
/// false claim is seldom the only one.
const MAX_EVALUATIONS: u64 = 100_000_000;
const MIN_DRAWS: u64 = 300;
/// The number of draws tried first: most of what can be refuted is refuted by one of them.
const FIRST_DRAWS: u64 = 24;
/// The number of draws tried on a mutant before it is left to the solver.
const DRAWS: u64 = 2000;

/// Returns the status of a mutant with these claims; with `of_rule` it is not put to the solver, because a lowering rule had the same mutant.
fn mutant_status(mut claims: Claims, of_rule: bool, boundaries: &[u32]) -> MutantStatus {
    if sabotage::is(Sabotage::MutantsEquivalent) {
        return MutantStatus::Equivalent;
    }
    if claims.open.is_empty() {
        return match unclaimed(&claims) {
            Some(why) => MutantStatus::Unclaimed(why),
            None => MutantStatus::Equivalent,
        };
    }
    if claims.is_refuted(boundaries, 0..FIRST_DRAWS) || claims.is_refuted(boundaries, FIRST_DRAWS..DRAWS) {
        MutantStatus::Refuted
    } else if of_rule {
        MutantStatus::DecidedByRule
    } else {
        claims.open.iter_mut().for_each(|open| open.reduce(boundaries, &HashSet::new()));
        MutantStatus::OpenGoal(claims.open)
    }
}

/// Returns why claims that all hold prove nothing about a mutant: there are none, or some are missing.
fn unclaimed(claims: &Claims) -> Option<String> {
    let cut = |paths| format!("only {paths} paths were followed");
    let nothing = || (claims.count() == 0).then(|| "nothing is claimed about it".to_owned());
    claims.missed.clone().or_else(|| claims.cut.map(cut)).or_else(nothing)
}
