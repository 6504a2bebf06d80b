//! The paths through a step: at each condition of control flow, Z3 determines whether the condition can be true and, if so, whether it can be false.

use z3::ast::Bool;
use z3::{Params, SatResult, Solver};

/// The limit of one feasibility query, in Z3's units of work (`rlimit`). A path counts as feasible if there is no answer within it.
const SOLVER_LIMIT: u32 = 2_000_000;

/// A condition decided on the current path.
#[derive(Debug)]
struct Fork {
    condition: Bool,
    answer: bool,
    /// Whether the other answer is feasible and has not been followed yet.
    has_open_branch: bool,
}

/// The current path, and the branches that remain to be followed.
#[derive(Debug, Default)]
pub struct Paths {
    forks: Vec<Fork>,
    /// The number of elements of `forks` that the current run has reached.
    passed: usize,
    /// The solver that decides feasibility. The conditions of the current path are asserted in it.
    solver: Option<Solver>,
    /// The number of queries to Z3.
    pub asked: u64,
}

fn condition(fork: &Fork) -> Bool {
    if fork.answer { fork.condition.clone() } else { fork.condition.not() }
}

impl Paths {
    /// Starts again with the first path.
    pub fn begin(&mut self) {
        self.forks.clear();
        self.rewind();
    }

    fn rewind(&mut self) {
        self.passed = 0;
        if let Some(solver) = &self.solver {
            solver.reset();
            for fork in &self.forks {
                solver.assert(condition(fork));
            }
        }
    }

    /// Advances to the next path; false if there is none.
    pub fn advance(&mut self) -> bool {
        self.forks.truncate(self.passed);
        while let Some(mut last) = self.forks.pop() {
            if last.has_open_branch {
                last.answer = !last.answer;
                last.has_open_branch = false;
                self.forks.push(last);
                self.rewind();
                return true;
            }
        }
        false
    }

    /// Returns the truth value of a condition on this path.
    pub fn decide(&mut self, asked: &Bool) -> bool {
        // Answered before on this path. This is checked first: when a path is replayed, the next fork belongs to the next new condition.
        if let Some(fork) = self.forks.iter().take(self.passed).find(|fork| fork.condition == *asked) {
            return fork.answer;
        }
        if let Some(fork) = self.forks.get(self.passed) {
            assert!(fork.condition == *asked, "a replayed path decides a different condition");
            self.passed += 1;
            return fork.answer;
        }
        let yes = self.is_feasible(asked.clone());
        let other = yes && self.is_feasible(asked.not());
        let fork = Fork { condition: asked.clone(), answer: yes, has_open_branch: other };
        if let Some(solver) = &self.solver {
            solver.assert(condition(&fork));
        }
        self.forks.push(fork);
        self.passed += 1;
        yes
    }

    fn is_feasible(&mut self, answer: Bool) -> bool {
        self.asked += 1;
        let solver = self.solver.get_or_insert_with(|| {
            let solver = Solver::new();
            let mut params = Params::new();
            params.set_u32("rlimit", SOLVER_LIMIT);
            solver.set_params(&params);
            // After the first push Z3 uses its incremental solver.
            solver.push();
            solver
        });
        solver.push();
        solver.assert(answer);
        let result = solver.check();
        solver.pop(1);
        result != SatResult::Unsat
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_condition_keeps_its_answer_on_every_path() {
        let [a, b, c] = ["a", "b", "c"].map(Bool::new_const);
        let mut paths = Paths::default();
        paths.begin();
        let mut seen = Vec::new();
        loop {
            let first = paths.decide(&a);
            let second = paths.decide(&b);
            assert_eq!(paths.decide(&a), first);
            seen.push((first, second, paths.decide(&c)));
            if !paths.advance() {
                break;
            }
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 8, "{seen:?}");
    }

    #[test]
    fn contradictory_answers_are_not_a_path() {
        let [a, b] = ["a", "b"].map(Bool::new_const);
        let both = Bool::and(&[a.clone(), b.clone()]);
        let mut paths = Paths::default();
        paths.begin();
        let mut seen = Vec::new();
        loop {
            seen.push([&a, &b, &both].map(|asked| paths.decide(asked)));
            if !paths.advance() {
                break;
            }
        }
        seen.sort_unstable();
        // The last answer is implied by the first two.
        let expected =
            [[false, false, false], [false, true, false], [true, false, false], [true, true, true]];
        assert_eq!(seen, expected);
    }
}
