//! Coverage of instruction sets: which opcode × modifier classes cases have, and in which of them a wrong result would be seen.
//!
//! A class is *seen* when a case that runs has an instruction of it. It is *live* when, besides, changing what one such instruction does
//! changes what the case compares: an output, a kill mark, the end of a lane or an effect. Only live classes are tested by comparing
//! engines.

mod live;

use crate::case::{Case, Resolved};
use lockstep_core::isa::{ClassPoint, Isa, Level};
use serde::Serialize;
use std::collections::BTreeSet;

/// What a set of cases covers of one instruction set.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The classes there are.
    pub points: usize,
    /// Of these, seen.
    pub seen: usize,
    /// Of these, live.
    pub live: usize,
    /// Those that are not live, as `opcode modifier`, seen ones among them.
    pub missing: Vec<String>,
    /// Cases looked at.
    pub cases: usize,
    /// Cases of another instruction set, and those without a program that can be run.
    pub skipped: usize,
}

/// Coverage as it grows from case to case.
#[derive(Debug)]
pub struct Coverage<I: Isa> {
    all: BTreeSet<ClassPoint>,
    seen: BTreeSet<ClassPoint>,
    live: BTreeSet<ClassPoint>,
    cases: usize,
    skipped: usize,
    isa: std::marker::PhantomData<I>,
}

impl<I: Isa> Default for Coverage<I> {
    fn default() -> Self {
        Coverage {
            all: I::all_classes().into_iter().collect(),
            seen: BTreeSet::new(),
            live: BTreeSet::new(),
            cases: 0,
            skipped: 0,
            isa: std::marker::PhantomData,
        }
    }
}

impl<I: Isa> Coverage<I> {
    /// Nothing covered.
    pub fn new() -> Coverage<I> {
        Coverage::default()
    }

    /// Adds what a case covers. An instruction is tampered with only while one of its classes is not live yet.
    pub fn add(&mut self, case: &Case) {
        self.cases += 1;
        let resolved = if case.isa == I::ID { case.resolve::<I>().ok() } else { None };
        let Some(resolved) = resolved.filter(is_legal) else {
            self.skipped += 1;
            return;
        };
        let cx = resolved.context();
        let mut probe = None;
        for word in 0..I::words(&cx) {
            let classes = I::classes(&resolved.program, word);
            if classes.iter().any(|class| self.all.contains(class) && !self.live.contains(class)) {
                let probe = probe.get_or_insert_with(|| live::Probe::new(cx, &resolved.env));
                if probe.is_live(word) {
                    self.live.extend(classes.iter().filter(|class| self.all.contains(class)).cloned());
                }
            }
            self.seen.extend(classes.into_iter().filter(|class| self.all.contains(class)));
        }
    }

    /// Whether a class is live.
    pub fn is_live(&self, class: &ClassPoint) -> bool {
        self.live.contains(class)
    }

    /// The classes that are not live.
    pub fn missing(&self) -> Vec<ClassPoint> {
        self.all.difference(&self.live).cloned().collect()
    }

    /// The report.
    pub fn report(&self) -> Report {
        Report {
            points: self.all.len(),
            seen: self.seen.len(),
            live: self.live.len(),
            missing: self.missing().iter().map(|c| format!("{} {}", c.opcode, c.modifier)).collect(),
            cases: self.cases,
            skipped: self.skipped,
        }
    }
}

fn is_legal<I: Isa>(resolved: &Resolved<I>) -> bool {
    I::validate(&resolved.context()).iter().all(|violation| violation.level < Level::Error)
}

/// What cases cover of an instruction set.
pub fn measure<'a, I: Isa>(cases: impl IntoIterator<Item = &'a Case>) -> Report {
    let mut coverage = Coverage::<I>::new();
    cases.into_iter().for_each(|case| coverage.add(case));
    coverage.report()
}

/// The instructions of a case's program that are live in it.
pub fn live_words<I: Isa>(case: &Case) -> Vec<u32> {
    let Some(resolved) = case.resolve::<I>().ok().filter(is_legal) else { return Vec::new() };
    let cx = resolved.context();
    let mut probe = live::Probe::new(cx, &resolved.env);
    (0..I::words(&cx)).filter(|word| probe.is_live(*word)).collect()
}
