//! Obligations, enumerated from the tables: what there is to prove, as tasks that come as far as they can without a solver.

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
mod simulate;
mod whole;
mod witness;
mod words;
mod wrong_lane;

use crate::claims::{Claims, Open};
use crate::goal::Goal;
use crate::mutate::Mutation;
use crate::sabotage::{self, Sabotage};
use crate::verdict::Verdict;
use expected::Lost;
use lockstep_core::ir::Program;
use lockstep_core::isa::{Entry, Isa};
use serde::Serialize;
use std::collections::HashSet;
use std::ops::Range;
use tracing::field::Empty;

/// What kind of thing is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Bit fields tile their word; taking a word apart and putting it together are inverse.
    Layout,
    /// The reference and the lowering of one instruction agree.
    LoweringRule,
    /// The reference and a lowered program agree block by block.
    Step,
    /// The reference and the fallback agree word by word, whatever the control state.
    Fallback,
    /// Both sides of a rewrite rule are equal under its guard, which can hold.
    RewriteRule,
    /// A fold that the term constructor has made is such a rule too.
    Fold,
    /// What the solver is told of the correctly rounded functions, tried on numbers.
    Axiom,
    /// A program from beginning to end: reference, lowering, fallback and rewritten.
    Program,
    /// What the executor runs for an operation is what the operation means.
    Kernel,
    /// Everything the tables name has an obligation.
    Coverage,
    /// What does not hold, and which the solver alone refutes, comes out refuted.
    FalseClaim,
}

impl Kind {
    /// All of them, in the order of reports.
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

    /// Name in tables.
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

/// What is known of a mutant without a solver.
#[derive(Clone, Debug)]
pub enum Fate {
    /// Numbers on which it differs were found.
    Refuted,
    /// It comes to the same terms: it is no mistake.
    Equivalent,
    /// Nothing was claimed that it could be refuted by, or not all; why.
    Unclaimed(String),
    /// No numbers were found on which it differs, and it is a mistake in arithmetic alone: those were made in the lowering rules of
    /// the opcode too, where a solver judged what numbers did not.
    OfRule,
    /// It would take a solver.
    Open(Vec<Open>),
    /// It drops an effect or a kill mark, which is no mistake only for a reason, whatever the solver says; what else is known of it.
    Lasting(Box<Fate>),
}

impl Fate {
    /// The same of a mutant of `program`, with the reason that it needs if it drops what lasts.
    fn of(self, mutation: &Mutation, program: &Program) -> Fate {
        if !mutation.is_lasting(program) {
            return self;
        }
        match if sabotage::is(Sabotage::DropsEquivalent) { Fate::Equivalent } else { self } {
            Fate::Refuted => Fate::Refuted,
            other => Fate::Lasting(Box::new(other)),
        }
    }
}

/// An obligation as far as it came without a solver.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What kind.
    pub kind: Kind,
    /// Unique name.
    pub name: String,
    /// The claims.
    pub claims: Claims,
    /// A verdict that needs no solver in any case.
    pub settled: Option<Verdict>,
    /// The claims are for runs within this much fuel; the program can take more.
    pub fuel: Option<u64>,
    /// Mutants, by name.
    pub mutants: Vec<(String, Fate)>,
}

impl Attempt {
    /// Goes on from claims to what numbers say: a refutation, or smaller goals.
    pub(crate) fn on_numbers(&mut self, boundaries: &[u32]) {
        if self.refuted(boundaries, 0..FEW, &|_| true) {
            return;
        }
        self.claims.open.iter_mut().for_each(|open| open.reduce(boundaries, &HashSet::new()));
        // Goals that have parts get their share when a part fails.
        self.refuted(boundaries, FEW..2 * DRAWS, &|open| open.parts.is_none());
    }

    /// Goes on after some parts have `failed`, if goals of this obligation `need` it: to a refutation, or to other parts.
    pub(crate) fn revise(
        &mut self,
        boundaries: &[u32],
        failed: &HashSet<Goal>,
        need: &dyn Fn(&Open) -> bool,
    ) -> bool {
        if !self.claims.open.iter().any(need) {
            return false;
        }
        if !self.refuted(boundaries, FEW..2 * DRAWS, need) {
            let open = self.claims.open.iter_mut().filter(|open| need(open));
            open.for_each(|open| open.reduce(boundaries, failed));
        }
        true
    }

    /// Whether some mutant has to be refuted for the verdict to count: of everything but what is false itself.
    pub(crate) fn needs_witness(&self) -> bool {
        self.kind != Kind::FalseClaim
    }

    /// The same with a mutant more.
    fn with(mut self, mutant: impl Into<String>, fate: Fate) -> Attempt {
        self.mutants.push((mutant.into(), fate));
        self
    }

    /// Whether one of some draws refutes one of some goals, which settles the obligation.
    fn refuted(&mut self, boundaries: &[u32], draws: Range<u64>, some: &dyn Fn(&Open) -> bool) -> bool {
        let terms: usize = self.claims.open.iter().filter(|o| some(o)).map(|o| o.goal.nodes.len()).sum();
        let affordable = (EFFORT / terms.max(1) as u64).max(LEAST);
        let draws = draws.start..draws.end.min(draws.start + affordable);
        if let Some(example) = self.claims.refute(boundaries, draws, some) {
            self.settled = Some(Verdict::Refuted(Box::new(example)));
            // What is wrong itself says nothing of those who are wrong too.
            self.mutants.clear();
            return true;
        }
        false
    }

    fn new(kind: Kind, name: String, claims: Claims) -> Attempt {
        Attempt { kind, name, claims, settled: None, fuel: None, mutants: Vec::new() }
    }

    fn settled(kind: Kind, name: String, verdict: Verdict) -> Attempt {
        Attempt { settled: Some(verdict), ..Attempt::new(kind, name, Claims::default()) }
    }
}

/// The span of an obligation while it is attempted.
struct Attempting(tracing::span::EnteredSpan);

impl Attempting {
    fn begin(kind: Kind, name: &str) -> Attempting {
        let kind = kind.name();
        let sizes =
            tracing::debug_span!("obligation", kind, name, claims = Empty, goals = Empty, mutants = Empty);
        Attempting(sizes.entered())
    }

    /// Ends the span, with what there was to do.
    fn end(self, attempt: Attempt) -> Attempt {
        self.0.record("claims", attempt.claims.count());
        self.0.record("goals", attempt.claims.open.len());
        self.0.record("mutants", attempt.mutants.len());
        attempt
    }
}

/// Finds the obligations that there have to be and are not among these.
type Missing = dyn Fn(&[Attempt]) -> Vec<Lost> + Send + Sync;

/// Some obligations, to be attempted together.
pub struct Task {
    /// Name, for filters: that of its obligations, or the beginning of it.
    pub name: String,
    run: Box<dyn Fn(&[u32]) -> Vec<Attempt> + Send + Sync>,
    /// The kind of its obligations, and which there have to be and are not: see [`expected`].
    expected: Option<(Kind, Box<Missing>)>,
}

impl Task {
    fn new(name: impl Into<String>, run: impl Fn(&[u32]) -> Vec<Attempt> + Send + Sync + 'static) -> Task {
        Task { name: name.into(), run: Box::new(run), expected: None }
    }

    /// With what finds those of its obligations that there have to be and are not.
    fn expecting(
        self,
        kind: Kind,
        missing: impl Fn(&[Attempt]) -> Vec<Lost> + Send + Sync + 'static,
    ) -> Task {
        Task { expected: Some((kind, Box::new(missing))), ..self }
    }

    /// Attempts its obligations. Those that there are not and have to be are among them, and nothing is known of them.
    pub(crate) fn attempts(&self, boundaries: &[u32]) -> Vec<Attempt> {
        let mut all = (self.run)(boundaries);
        let Some((kind, missing)) = &self.expected else { return all };
        let lost = missing(&all).into_iter().map(|Lost { name, reason }| {
            Attempt::settled(*kind, name, Verdict::Unknown { reason: reason.to_owned() })
        });
        let lost: Vec<Attempt> = lost.collect();
        all.extend(lost);
        all
    }
}

/// A program to prove things about: name and bytes.
pub type Named = (String, Vec<u8>);

/// The programs of an instruction set that proofs are about.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// Those that get every obligation.
    pub all: Vec<Named>,
    /// Covering arrays of modifiers: every instruction is proved under the default options, and no more.
    pub covering: Vec<Named>,
}

/// Every obligation of an instruction set, and about these programs of it.
pub fn of_isa<I: Isa>(programs: &Programs) -> Vec<Task> {
    let mut all = layout::tasks::<I>();
    all.extend(lowering::tasks::<I>());
    all.extend(programs::tasks::<I>(&programs.all));
    all.extend(programs::covering::<I>(&programs.covering));
    all.extend(words::tasks::<I>(&programs.all));
    all.extend(whole::tasks::<I>(&programs.all));
    all
}

/// The obligations of an instruction set's lowering rules, as they are among all of [`of_isa`].
#[cfg(all(test, feature = "solver"))]
pub(crate) fn of_rules<I: Isa>() -> Vec<Task> {
    lowering::tasks::<I>()
}

/// The entries of a program, each with what is put behind the program's name where there are several.
fn entries<I: Isa>(program: &I::Program) -> Vec<(Entry, String)> {
    let entries = I::entries(program);
    let several = entries.len() > 1;
    let number = |k: usize| if several { format!(" entry {k}") } else { String::new() };
    entries.into_iter().enumerate().map(|(k, entry)| (entry, number(k))).collect()
}

/// Where there is no obligation, because the program is refused: listed by name with the reason.
fn refused(kind: Kind, name: String, reason: &dyn std::fmt::Display) -> Attempt {
    Attempt::settled(kind, name, Verdict::NotApplicable { reason: reason.to_string() })
}

/// The obligations that belong to no instruction set: rewrite rules, axioms, the executor's kernels and false claims. Folds are obligations once they have fired.
pub fn shared() -> Vec<Task> {
    let mut all = algebra::tasks();
    all.extend(kernels::tasks());
    all.extend(probes::tasks());
    all
}

/// Values that are computed to refute one obligation, and the draws that each of its claims gets in any case: with thousands of
/// claims, one that does not hold is seldom alone.
const EFFORT: u64 = 100_000_000;
const LEAST: u64 = 300;
/// The draws that come first, since most that can be refuted is refuted by one of them.
const FEW: u64 = 24;
/// The draws that a mutant gets before it is left to the solver.
const DRAWS: u64 = 2000;

/// The fate of a mutant that makes these claims; `of_rule` if the solver is not to be asked because a rule had the same mutant.
fn fate(mut claims: Claims, of_rule: bool, boundaries: &[u32]) -> Fate {
    if sabotage::is(Sabotage::MutantsEquivalent) {
        return Fate::Equivalent;
    }
    if claims.open.is_empty() {
        return match unclaimed(&claims) {
            Some(why) => Fate::Unclaimed(why),
            None => Fate::Equivalent,
        };
    }
    if claims.is_refuted(boundaries, 0..FEW) || claims.is_refuted(boundaries, FEW..DRAWS) {
        Fate::Refuted
    } else if of_rule {
        Fate::OfRule
    } else {
        claims.open.iter_mut().for_each(|open| open.reduce(boundaries, &HashSet::new()));
        Fate::Open(claims.open)
    }
}

/// Why claims that all hold say nothing of a mutant: there are none, or not all that there should be.
fn unclaimed(claims: &Claims) -> Option<String> {
    let cut = |paths| format!("only {paths} paths were followed");
    let nothing = || (claims.count() == 0).then(|| "nothing is claimed of it".to_owned());
    claims.missed.clone().or_else(|| claims.cut.map(cut)).or_else(nothing)
}
