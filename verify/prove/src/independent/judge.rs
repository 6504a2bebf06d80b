//! Judges an obligation: puts its query to Z3 in stronger and stronger forms, and replays the models.

use super::agree::{Pair, Part};
use super::exact::{Extent, with_exact_functions};
use super::query::{Query, Reply, SolverMethod, ask};
use super::replay::{Example, FromModel, RandomSource, replay};
use lockstep_core::ir;
use lockstep_core::isa::{Lowering, Refinement, Syntax};
use serde::Serialize;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Mutex;

/// A form in which a query is put to Z3: whether lemmas are added, and which functions have their exact meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofStep {
    /// All functions are uninterpreted.
    AnyFunctions,
    /// Ground instances of proved lemmas are added.
    Lemmas,
    /// Rounding and conversions are exact.
    ExactRounding,
    /// All arithmetic is exact.
    ExactArithmetic,
}

impl ProofStep {
    /// The steps tried for an obligation, from weakest to strongest.
    pub const STEPS: [ProofStep; 4] =
        [ProofStep::AnyFunctions, ProofStep::Lemmas, ProofStep::ExactRounding, ProofStep::ExactArithmetic];

    /// Returns the query's text for this step; `None` if another step has the same text.
    fn text<'a>(self, query: &'a Query, lemmas: Option<&'a str>) -> Option<Cow<'a, str>> {
        let helped = lemmas.unwrap_or(&query.text);
        match self {
            ProofStep::AnyFunctions => Some(Cow::Borrowed(&query.text)),
            ProofStep::Lemmas => lemmas.map(Cow::Borrowed),
            ProofStep::ExactRounding => with_exact_functions(helped, Extent::Cheap).map(Cow::Owned),
            ProofStep::ExactArithmetic => with_exact_functions(helped, Extent::All).map(Cow::Owned),
        }
    }

    /// Returns the solving methods of Z3 used at this step, each with its limit.
    fn methods(self) -> &'static [(u32, SolverMethod)] {
        match self {
            ProofStep::AnyFunctions => &[(QUICK_LIMIT, SolverMethod::Incremental)],
            ProofStep::Lemmas => {
                &[(QUICK_LIMIT, SolverMethod::Incremental), (LONG_LIMIT, SolverMethod::Default)]
            }
            ProofStep::ExactRounding | ProofStep::ExactArithmetic => {
                &[(LONG_LIMIT, SolverMethod::Default), (LONG_LIMIT, SolverMethod::Pipeline)]
            }
        }
    }
}

/// The verdict on an obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// Z3 showed that the query has no model.
    Confirmed {
        /// The form of the query that sufficed.
        how: ProofStep,
    },
    /// The reference and the lowered program differ on the inputs of this example.
    Refuted(Box<Example>),
    /// The claims omit something: a fault of the independent prover.
    Gap {
        /// A description of what is omitted.
        reason: String,
    },
    /// Neither confirmed nor refuted.
    Open {
        /// The reason for which there is no verdict.
        reason: String,
        /// The query in SMT-LIB. If no query was completed, the conditions of control flow at which it ended, or the program as a comment.
        query: String,
    },
}

/// Verdicts by query, so that each query is solved once.
pub type Memo = Mutex<HashMap<String, Verdict>>;

/// Limits for one attempt at a query, in Z3's units of work.
const QUICK_LIMIT: u32 = 4_000_000;
const LONG_LIMIT: u32 = 30_000_000;
/// The limit for a query about a mutant with exact rounding or exact arithmetic, in Z3's units. Z3 takes long to find models of exact arithmetic,
/// and no rule needs exact arithmetic to be confirmed. A wrong confirmation that takes more work than this is not detected.
const MUTANT_LIMIT: u32 = 2_000_000;
/// The number of random samples on which an obligation is tried before [`ProofStep::ExactRounding`].
const DRAWS: u64 = 200;

/// An obligation: the reference and a lowered program agree in the parts of their runs that `parts` lists.
pub struct RuleCheck<'a, 'c, I: Lowering> {
    /// The instructions, and the blocks into which they were lowered.
    pub pair: &'a Pair<'c, I>,
    /// The lowered program.
    pub program: &'a ir::Program,
    /// The parts that are run and compared.
    pub parts: &'a [Part],
}

impl<I: Syntax + Refinement> RuleCheck<'_, '_, I> {
    /// Tries these solving methods, each at most within `limit`, until one gives an answer. Returns true if there is no model, and false if there is
    /// no answer or if evaluation does not confirm the model. A model that evaluation confirms is returned as an error.
    fn attempt(&self, text: &str, methods: &[(u32, SolverMethod)], limit: u32) -> Result<bool, Box<Example>> {
        for (effort, method) in methods {
            match ask(text, limit.min(*effort), *method) {
                Reply::Unsat => return Ok(true),
                Reply::Sat(model) => {
                    return replay(self.pair, self.program, self.parts, &FromModel(&model))
                        .map_or(Ok(false), |example| Err(Box::new(example)));
                }
                Reply::Unknown(_) => {}
            }
        }
        Ok(false)
    }

    /// Tries `steps` in turn, each within `limit`. Before [`ProofStep::ExactRounding`] it tries `draws` random samples. Returns the step that
    /// confirms the obligation, or `None` if no step decides. An example that refutes the obligation is returned as an error.
    fn run_triage(
        &self,
        query: &Query,
        steps: &[ProofStep],
        limit: u32,
        draws: u64,
    ) -> Result<Option<ProofStep>, Box<Example>> {
        let lemmas = OnceCell::new();
        for how in steps {
            if *how == ProofStep::ExactRounding {
                for seed in 0..draws {
                    if let Some(example) = replay(self.pair, self.program, self.parts, &RandomSource(seed)) {
                        return Err(Box::new(example));
                    }
                }
            }
            let lemmas = match how {
                ProofStep::AnyFunctions => None,
                _ => lemmas.get_or_init(|| query.with_lemmas()).as_deref(),
            };
            if let Some(text) = how.text(query, lemmas)
                && self.attempt(&text, how.methods(), limit)?
            {
                return Ok(Some(*how));
            }
        }
        Ok(None)
    }

    /// Whether this step alone confirms a mutant; `None` if its query is the same as another step's.
    pub fn confirms(&self, query: &Query, how: ProofStep) -> Option<bool> {
        let lemmas = query.with_lemmas();
        how.text(query, lemmas.as_deref())?;
        let limit = if how < ProofStep::ExactRounding { LONG_LIMIT } else { MUTANT_LIMIT };
        Some(self.run_triage(query, &[how], limit, 0).is_ok_and(|confirmed| confirmed.is_some()))
    }

    /// Judges the obligation.
    pub fn judge(&self, query: &Query, memo: &Memo) -> Verdict {
        let key = query.key();
        if let Some(verdict) = memo.lock().ok().and_then(|memo| memo.get(&key).cloned()) {
            return verdict;
        }
        let verdict = match self.run_triage(query, &ProofStep::STEPS, LONG_LIMIT, DRAWS) {
            Ok(Some(how)) => Verdict::Confirmed { how },
            Ok(None) => {
                let reason = "Z3 gives no answer or only unconfirmed models, even with exact arithmetic";
                Verdict::Open { reason: reason.to_owned(), query: query.text.clone() }
            }
            Err(example) => Verdict::Refuted(example),
        };
        if let Ok(mut memo) = memo.lock() {
            memo.insert(key, verdict.clone());
        }
        verdict
    }
}
