//! Builds an SMT-LIB query from claims, and puts it to Z3.

use super::agree::{Claim, Pair, Part};
use super::lemma;
use super::logic::{Logic, Truth};
use super::outside::Terms;
use crate::sabotage::{self, Sabotage};
use lockstep_core::ir;
use lockstep_core::isa::{Refinement, Syntax};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use z3::ast::Bool;
use z3::{Model, Params, SatResult, Solver, Tactic};

/// The maximum number of paths through one part: four lanes that each decide up to three times.
const MAX_PATHS: u64 = 4096;

/// The query of an obligation: the negation of the conjunction of its claims.
pub struct Query {
    /// The query in SMT-LIB, with names that depend only on the query.
    pub text: String,
    /// The formula of the query, from which lemma instances are made.
    formula: Bool,
    /// The number of claims.
    pub claims: u64,
    /// The number of paths.
    pub paths: u64,
    /// The number of feasibility queries put to Z3 to find the paths.
    pub asked: u64,
}

impl Query {
    /// Runs both machines, the reference and the IR evaluator, through `parts` and negates the conjunction of the claims.
    ///
    /// # Errors
    /// If there are too many paths, the paths do not cover every case or Z3 does not decide whether they do, or claims are missing from the query.
    pub fn new<I: Syntax + Refinement>(
        pair: &Pair<'_, I>,
        program: &ir::Program,
        parts: &[Part],
    ) -> Result<Query, Fault> {
        Query::with_limits(pair, program, parts, &Limits { paths: MAX_PATHS, every_case: EVERY_CASE_LIMIT })
    }

    /// Builds the query as [`Query::new`] does, within given limits.
    ///
    /// # Errors
    /// As [`Query::new`].
    pub fn with_limits<I: Syntax + Refinement>(
        pair: &Pair<'_, I>,
        program: &ir::Program,
        parts: &[Part],
        limits: &Limits,
    ) -> Result<Query, Fault> {
        let (mut d, source) = (Logic::default(), Terms::default());
        let mut goal = Goal::default();
        let (mut claims, mut said, mut paths) = (0, 0, 0);
        for part in parts {
            d.paths().borrow_mut().begin();
            let mut all: Vec<(Vec<Bool>, Vec<Bool>)> = Vec::new();
            loop {
                let found = pair.claims(&mut d, &source, program, *part);
                claims += found.len() as u64;
                paths += 1;
                said += found.iter().filter(|claim| !matches!(claim.holds, Truth::Literal(true))).count();
                all.push((d.take_answered(), terms(&found)));
                if !d.paths().borrow_mut().advance() {
                    break;
                }
                if all.len() as u64 >= limits.paths {
                    let last = all.last().map(|(conditions, _)| &conditions[..]).unwrap_or_default();
                    let reason =
                        format!("{part}: more than {} paths; the last one's conditions", limits.paths);
                    return Err(Fault::Open { reason, query: text(last) });
                }
            }
            check_every_case(*part, all.iter().map(|(conditions, _)| &conditions[..]), limits.every_case)?;
            goal.add(all);
        }
        if goal.claim_count != said {
            return Err(Fault::Gap(format!("{} of {said} claims are in the query", goal.claim_count)));
        }
        if claims == 0 {
            return Err(Fault::Gap("nothing is claimed".to_owned()));
        }
        let formula = Bool::and(&goal.all).not();
        let asked = d.paths().borrow().asked;
        Ok(Query { text: text(std::slice::from_ref(&formula)), formula, claims, paths, asked })
    }

    /// Returns the text of the query with ground instances of the lemmas for its terms; `None` if there are no instances.
    pub fn with_lemmas(&self) -> Option<String> {
        let mut all = lemma::instances(&self.formula);
        if all.is_empty() {
            return None;
        }
        all.push(self.formula.clone());
        Some(text(&all))
    }

    /// Returns the query restricted to these values of its unknowns. If the query has no model, the restricted one has none either.
    pub fn restricted_to(&self, values: &[Bool]) -> Query {
        let mut all = values.to_vec();
        all.push(self.formula.clone());
        let formula = Bool::and(&all);
        Query { text: text(std::slice::from_ref(&formula)), formula, ..*self }
    }

    /// Returns the query's hash, which identifies it.
    pub fn key(&self) -> String {
        Sha256::digest(&self.text).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The reason why no query could be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The query is too large, or Z3 gave no answer.
    Open {
        /// The part of the obligation at which building the query ended, and why.
        reason: String,
        /// The formula concerned, in SMT-LIB: the conditions of the last path, or the query without an answer.
        query: String,
    },
    /// The claims omit something: a fault of the independent prover.
    Gap(String),
}

/// Limits for building a query.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of paths through one part.
    pub paths: u64,
    /// The limit for the check that the paths cover every case, in Z3's units of work.
    pub every_case: u32,
}

/// The default limit for the check that paths cover every case, in Z3's units: more than for the feasibility queries that it combines.
const EVERY_CASE_LIMIT: u32 = 20_000_000;

/// Checks that for all values of the unknowns one of the paths is taken, given the answers on each path. The check is independent of the order in
/// which the paths were followed, and of which answers were considered feasible.
fn check_every_case<'a>(
    part: Part,
    paths: impl Iterator<Item = &'a [Bool]>,
    effort: u32,
) -> Result<(), Fault> {
    let mut cases: Vec<Bool> = Vec::new();
    for conditions in paths {
        if conditions.is_empty() {
            return Ok(());
        }
        cases.push(Bool::and(conditions));
    }
    let solver = Solver::new();
    let mut params = Params::new();
    params.set_u32("rlimit", effort);
    solver.set_params(&params);
    // After the first push Z3 uses its incremental solver.
    solver.push();
    let none = Bool::or(&cases).not();
    solver.assert(&none);
    match solver.check() {
        SatResult::Unsat => Ok(()),
        SatResult::Sat => Err(Fault::Gap(format!("{part}: {} paths leave a case out", cases.len()))),
        SatResult::Unknown => {
            let reason = format!("{part}: no answer whether {} paths cover every case", cases.len());
            Err(Fault::Open { reason, query: text(&[none]) })
        }
    }
}

/// Returns the claims other than the literal true.
fn terms(claims: &[Claim<Logic>]) -> Vec<Bool> {
    claims
        .iter()
        .filter_map(|claim| match &claim.holds {
            Truth::Literal(true) => None,
            other => Some(other.term()),
        })
        .skip(usize::from(sabotage::is(Sabotage::IndependentClaimLost)))
        .collect()
}

/// A conjunction under construction.
#[derive(Default)]
struct Goal {
    all: Vec<Bool>,
    seen: HashSet<Bool>,
    /// The number of claims in the conjunction, counting repeated ones.
    claim_count: usize,
}

impl Goal {
    fn push(&mut self, claim: Bool) {
        if self.seen.insert(claim.clone()) {
            self.all.push(claim);
        }
    }

    /// Adds the claims of the paths through one part. Claims made on every path are added without a condition.
    fn add(&mut self, paths: Vec<(Vec<Bool>, Vec<Bool>)>) {
        let mut count: HashMap<Bool, usize> = HashMap::new();
        for (_, claims) in &paths {
            let mut seen = HashSet::new();
            for claim in claims.iter().filter(|claim| seen.insert(*claim)) {
                *count.entry(claim.clone()).or_default() += 1;
            }
        }
        let all = paths.len();
        for (conditions, claims) in paths {
            let (outright, here): (Vec<Bool>, Vec<Bool>) =
                claims.into_iter().partition(|claim| count.get(claim) == Some(&all));
            self.claim_count += outright.len() + here.len();
            for claim in outright {
                self.push(claim);
            }
            if !here.is_empty() {
                self.push(Bool::and(&conditions).implies(Bool::and(&here)));
            }
        }
    }
}

/// Returns assertions as SMT-LIB. Z3 numbers its names in the order in which terms were made; this
/// function renumbers the names in order of appearance.
pub fn text(assertions: &[Bool]) -> String {
    let solver = Solver::new();
    for assertion in assertions {
        solver.assert(assertion);
    }
    let raw = solver.to_smt2();
    let mut text = String::with_capacity(raw.len());
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut rest = raw.as_str();
    while let Some(at) = rest.find(['?', '$']) {
        let (before, name) = rest.split_at(at);
        text.push_str(before);
        let digits = name.get(2..).unwrap_or_default();
        let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if !name[1..].starts_with('x') || length == 0 {
            text.push_str(&name[..1]);
            rest = &name[1..];
            continue;
        }
        let next = numbers.len();
        let number = *numbers.entry(&name[..2 + length]).or_insert(next);
        text.push_str(&name[..2]);
        text.push_str(&number.to_string());
        rest = &name[2 + length..];
    }
    text.push_str(rest);
    text
}

/// Z3's answer.
pub enum Reply {
    /// There is no model.
    Unsat,
    /// There is a model.
    Sat(Model),
    /// No answer, or the text could not be read.
    Unknown(String),
}

/// Z3's solving methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverMethod {
    /// The incremental solver, which starts at once and keeps what it has learned.
    Incremental,
    /// The default solver, which analyses the query first.
    Default,
    /// Bit-blasting and a SAT solver, which is best for exact multiplication.
    Pipeline,
}

fn pipeline() -> Solver {
    let steps =
        ["propagate-values", "fpa2bv", "ackermannize_bv", "simplify", "solve-eqs", "bit-blast", "sat"];
    steps.iter().fold(Tactic::new("simplify"), |all, step| all.and_then(&Tactic::new(step))).solver()
}

/// Puts a query to Z3. `effort` is a limit in Z3's own units of work, so that the answer does not depend on the machine's load.
pub fn ask(text: &str, effort: u32, method: SolverMethod) -> Reply {
    let solver = match method {
        SolverMethod::Pipeline => pipeline(),
        _ => Solver::new(),
    };
    let mut params = Params::new();
    params.set_u32("rlimit", effort);
    solver.set_params(&params);
    if method == SolverMethod::Incremental {
        // After the first push Z3 uses its incremental solver.
        solver.push();
    }
    solver.from_string(text);
    if solver.get_assertions().is_empty() {
        return Reply::Unknown("Z3 cannot read the query".to_owned());
    }
    match solver.check() {
        SatResult::Unsat => Reply::Unsat,
        SatResult::Sat => match solver.get_model() {
            Some(model) => Reply::Sat(model),
            None => Reply::Unknown("Z3 found a model but does not return it".to_owned()),
        },
        SatResult::Unknown => Reply::Unknown(solver.get_reason_unknown().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_miss_a_case_are_reported() {
        let [p, q] = ["p", "q"].map(Bool::new_const);
        let every = |paths: &[&[&Bool]]| {
            let paths: Vec<Vec<Bool>> =
                paths.iter().map(|path| path.iter().map(|answer| (*answer).clone()).collect()).collect();
            check_every_case(Part::Start, paths.iter().map(|path| &path[..]), EVERY_CASE_LIMIT)
        };
        let (not_p, not_q) = (p.not(), q.not());
        let gap = |n: usize| Err(Fault::Gap(format!("start: {n} paths leave a case out")));
        assert_eq!(every(&[&[]]), Ok(()));
        assert_eq!(every(&[&[&p], &[&not_p, &q], &[&not_p, &not_q]]), Ok(()));
        assert_eq!(every(&[]), gap(0));
        assert_eq!(every(&[&[&p]]), gap(1));
        assert_eq!(every(&[&[&p], &[&not_p, &q]]), gap(2));
        // One condition with both answers on one path: no input takes it.
        assert_eq!(every(&[&[&p, &not_p], &[&not_p]]), gap(2));
    }
}
