//! The verdict on one query.

use super::agree::{Pair, Part};
use super::exact::{Extent, exactly};
use super::query::{Query, Reply, Way, ask};
use super::replay::{Drawn, Example, FromModel, replay};
use lockstep_core::ir;
use lockstep_core::isa::Isa;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Mutex;

/// How Z3 found that a query has no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Whatever the unknown functions are.
    AnyFunctions,
    /// With ground instances of proved lemmas about them.
    Lemmas,
    /// With rounding and conversions taken exactly.
    ExactRounding,
    /// With all arithmetic taken exactly.
    ExactArithmetic,
}

/// What came of an obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// Z3 found no model of the query.
    Confirmed {
        /// How.
        how: How,
    },
    /// The two machines differ on these numbers.
    Refuted(Box<Example>),
    /// Neither.
    Open {
        /// Why.
        reason: String,
        /// The query, in SMT-LIB.
        query: String,
    },
}

/// Verdicts by query. What was answered once is not asked again.
pub type Memo = Mutex<HashMap<String, Verdict>>;

/// Effort for an attempt at a query, in Z3's unit.
const QUICK: u32 = 4_000_000;
const LONG: u32 = 30_000_000;
/// Draws of numbers on which an obligation is tried before its arithmetic is taken exactly.
const DRAWS: u64 = 200;

/// An obligation: two machines, and the parts of their work that it is about.
pub struct Matter<'a, 'c, I: Isa> {
    /// The two machines.
    pub pair: &'a Pair<'c, I>,
    /// The lowered program.
    pub program: &'a ir::Program,
    /// What is run.
    pub parts: &'a [Part],
}

impl<I: Isa> Matter<'_, '_, I> {
    /// Asks in each of these ways until one answers: whether there is no model, or numbers that refute.
    fn attempt(&self, text: &str, ways: &[(u32, Way)]) -> Result<bool, Box<Example>> {
        for (effort, way) in ways {
            match ask(text, *effort, *way) {
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

    fn climb(&self, query: &Query) -> Result<Verdict, Box<Example>> {
        let confirmed = |how| Ok(Verdict::Confirmed { how });
        if self.attempt(&query.text, &[(QUICK, Way::Incremental)])? {
            return confirmed(How::AnyFunctions);
        }
        let lemmas = query.with_lemmas();
        if let Some(text) = &lemmas
            && self.attempt(text, &[(QUICK, Way::Incremental), (LONG, Way::Default)])?
        {
            return confirmed(How::Lemmas);
        }
        for seed in 0..DRAWS {
            if let Some(example) = replay(self.pair, self.program, self.parts, &Drawn(seed)) {
                return Err(Box::new(example));
            }
        }
        let text = lemmas.as_ref().unwrap_or(&query.text);
        let ways = [(LONG, Way::Default), (LONG, Way::Pipeline)];
        for (extent, how) in [(Extent::Cheap, How::ExactRounding), (Extent::All, How::ExactArithmetic)] {
            if let Some(text) = exactly(text, extent)
                && self.attempt(&text, &ways)?
            {
                return confirmed(how);
            }
        }
        let reason = "models that do not hold on numbers, or no answer, also with exact arithmetic";
        Ok(Verdict::Open { reason: reason.to_owned(), query: query.text.clone() })
    }

    /// The verdict.
    pub fn judge(&self, query: &Query, memo: &Memo) -> Verdict {
        let key = query.key();
        if let Some(verdict) = memo.lock().ok().and_then(|memo| memo.get(&key).cloned()) {
            return verdict;
        }
        let verdict = self.climb(query).unwrap_or_else(Verdict::Refuted);
        if let Ok(mut memo) = memo.lock() {
            memo.insert(key, verdict.clone());
        }
        verdict
    }
}
