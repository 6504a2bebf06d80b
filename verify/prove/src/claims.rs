//! Pairs of terms that an obligation says are equal, gathered path by path.

use crate::goal::{Goal, Names};
use crate::number;
use crate::term::{Term, Terms};
use crate::verdict::Counterexample;
use lockstep_core::value::Domain;
use std::collections::HashSet;

/// A claim that is not settled by its sides being one term.
#[derive(Clone, Debug)]
pub struct Open {
    /// What must be equal: a register component, an output, the next instruction.
    pub what: String,
    /// The goal.
    pub goal: Goal,
    /// What its symbols are called.
    pub names: Names,
    /// Smaller goals that imply it.
    pub parts: Option<Vec<Open>>,
}

impl Open {
    /// Looks for smaller goals that imply it, not among those that have failed.
    pub fn reduce(&mut self, boundaries: &[u32], failed: &HashSet<Goal>) {
        self.parts = crate::reduce::reduce(self, boundaries, failed);
    }

    /// The goals to ask first: its parts, or itself.
    pub fn first(&self) -> &[Open] {
        self.parts.as_deref().unwrap_or(std::slice::from_ref(self))
    }

    /// The counterexample that term values make.
    pub fn counterexample(&self, values: &[u32]) -> Counterexample {
        Counterexample::new(&self.what, &self.goal, &self.names, values)
    }
}

/// What an obligation comes to before any solver is asked.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Claims settled by equal terms.
    pub same: u64,
    /// The others.
    pub open: Vec<Open>,
    /// Set if not all paths were followed: how many were.
    pub cut: Option<u64>,
}

impl Claims {
    /// Claims that two values are equal on the present path.
    pub fn equal(&mut self, d: &Terms, what: impl FnOnce() -> String, left: Term, right: Term) {
        if left == right || d.under_path(left) == d.under_path(right) {
            self.same += 1;
            return;
        }
        let path = d.path();
        let (goal, names) = Goal::new(&d.arena(), path.taken(), left, right);
        self.open.push(Open { what: what(), goal, names, parts: None });
    }

    /// Claims something about control: it must hold wherever the present path is taken.
    pub fn holds(&mut self, d: &Terms, what: impl FnOnce() -> String, holds: bool) {
        let (left, right) = (d.b(true).0, d.b(holds).0);
        self.equal(d, what, left, right);
    }

    /// A claim among `some` refuted by one of these draws, with its counterexample.
    pub fn refute(
        &self,
        boundaries: &[u32],
        draws: std::ops::Range<u64>,
        some: &dyn Fn(&Open) -> bool,
    ) -> Option<Counterexample> {
        let mut values = Vec::new();
        self.open
            .iter()
            .filter(|open| some(open))
            .find(|open| number::search(&open.goal, boundaries, draws.clone(), &mut values))
            .map(|open| open.counterexample(&values))
    }
}
