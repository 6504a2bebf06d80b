//! The verdict on one query.

use super::agree::{Pair, Part};
use super::exact::{Extent, exactly};
use super::query::{Query, Reply, Way, ask};
use super::replay::{Drawn, Example, FromModel, replay};
use lockstep_core::ir;
use lockstep_core::isa::Isa;
use serde::Serialize;
use std::borrow::Cow;
use std::cell::OnceCell;
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

impl How {
    /// The ways in which an obligation is tried, the weakest first.
    pub const LADDER: [How; 4] = [How::AnyFunctions, How::Lemmas, How::ExactRounding, How::ExactArithmetic];

    /// The query as it is put to Z3 here; `None` if that is what another rung puts.
    fn text<'a>(self, query: &'a Query, lemmas: Option<&'a str>) -> Option<Cow<'a, str>> {
        let helped = lemmas.unwrap_or(&query.text);
        match self {
            How::AnyFunctions => Some(Cow::Borrowed(&query.text)),
            How::Lemmas => lemmas.map(Cow::Borrowed),
            How::ExactRounding => exactly(helped, Extent::Cheap).map(Cow::Owned),
            How::ExactArithmetic => exactly(helped, Extent::All).map(Cow::Owned),
        }
    }

    /// In what ways Z3 is asked, and with what effort.
    fn ways(self) -> &'static [(u32, Way)] {
        match self {
            How::AnyFunctions => &[(QUICK, Way::Incremental)],
            How::Lemmas => &[(QUICK, Way::Incremental), (LONG, Way::Default)],
            How::ExactRounding | How::ExactArithmetic => &[(LONG, Way::Default), (LONG, Way::Pipeline)],
        }
    }
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
    /// What was claimed leaves something out: a fault of this road.
    Gap {
        /// What.
        reason: String,
    },
    /// None of these.
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
/// The highest effort for one query about a mutant where arithmetic is exact, in Z3's unit. Models of exact arithmetic take Z3 long, and no rule
/// has needed it to be confirmed; a wrong confirmation that takes more effort than this goes unseen.
const MUTANT: u32 = 2_000_000;
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
    /// Asks in each of these ways, with at most this effort, until one answers: whether there is no model, or numbers that refute.
    fn attempt(&self, text: &str, ways: &[(u32, Way)], most: u32) -> Result<bool, Box<Example>> {
        for (effort, way) in ways {
            match ask(text, most.min(*effort), *way) {
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

    /// Tries these rungs in turn, each with at most this effort; before arithmetic is taken exactly, so many draws of numbers. `None` if no
    /// rung decides.
    fn climb(
        &self,
        query: &Query,
        rungs: &[How],
        most: u32,
        draws: u64,
    ) -> Result<Option<How>, Box<Example>> {
        let lemmas = OnceCell::new();
        for how in rungs {
            if *how == How::ExactRounding {
                for seed in 0..draws {
                    if let Some(example) = replay(self.pair, self.program, self.parts, &Drawn(seed)) {
                        return Err(Box::new(example));
                    }
                }
            }
            let lemmas = match how {
                How::AnyFunctions => None,
                _ => lemmas.get_or_init(|| query.with_lemmas()).as_deref(),
            };
            if let Some(text) = how.text(query, lemmas)
                && self.attempt(&text, how.ways(), most)?
            {
                return Ok(Some(*how));
            }
        }
        Ok(None)
    }

    /// Whether this way alone confirms a mutant; `None` if it would put the same query as another way.
    pub fn confirms(&self, query: &Query, how: How) -> Option<bool> {
        let lemmas = query.with_lemmas();
        how.text(query, lemmas.as_deref())?;
        let most = if how < How::ExactRounding { LONG } else { MUTANT };
        Some(self.climb(query, &[how], most, 0).is_ok_and(|confirmed| confirmed.is_some()))
    }

    /// The verdict.
    pub fn judge(&self, query: &Query, memo: &Memo) -> Verdict {
        let key = query.key();
        if let Some(verdict) = memo.lock().ok().and_then(|memo| memo.get(&key).cloned()) {
            return verdict;
        }
        let verdict = match self.climb(query, &How::LADDER, LONG, DRAWS) {
            Ok(Some(how)) => Verdict::Confirmed { how },
            Ok(None) => {
                let reason = "models that do not hold on numbers, or no answer, also with exact arithmetic";
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
