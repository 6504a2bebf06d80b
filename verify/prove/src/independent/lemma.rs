//! The lemmas: a fixed list of facts about arithmetic that queries may use.
//!
//! Each fact is a formula over the operands of one function. Queries use ground instances for their applications of the function, never quantifiers.
//! Each fact is proved in the exact theory once in every run.

use super::exact::{Extent, with_exact_functions};
use super::logic::{Logic, canonical};
use super::query::{Reply, SolverMethod, ask, text};
use std::collections::HashSet;
use z3::ast::{Ast, BV, Bool, Dynamic};

/// A fact about one function that queries may use once it is proved.
pub struct Lemma {
    /// Name.
    pub name: &'static str,
    /// The function for whose applications the fact is instantiated.
    pub function: &'static str,
    /// Number of operands.
    pub operands: usize,
    /// The fact, about canonical operands.
    statement: fn(&Logic, &[BV]) -> Bool,
}

/// Applies a function to canonical words and returns the canonical result.
fn f(d: &Logic, name: &str, operands: &[BV]) -> BV {
    canonical(&d.apply(name, operands))
}

/// All lemmas.
pub const LEMMAS: &[Lemma] = &[Lemma {
    name: "to_int(trunc a) = to_int a",
    function: "f.trunc",
    operands: 1,
    statement: |d, x| d.apply("f.to_int", &[f(d, "f.trunc", x)]).eq(d.apply("f.to_int", x)),
}];

/// The maximum number of instances in one query.
const MAX_INSTANCES: usize = 4000;

/// Returns the ground instances of all lemmas for the function applications in a formula.
pub fn instances(formula: &Bool) -> Vec<Bool> {
    let d = Logic::default();
    let mut seen: HashSet<Dynamic> = HashSet::new();
    let mut work: Vec<Dynamic> = vec![formula.into()];
    let mut all = Vec::new();
    while let Some(term) = work.pop() {
        if !term.is_app() || !seen.insert(term.clone()) {
            continue;
        }
        let children = term.children();
        if !children.is_empty() {
            let name = term.decl().name();
            let operands: Vec<BV> = children.iter().filter_map(Dynamic::as_bv).collect();
            for lemma in LEMMAS {
                if lemma.function == name && operands.len() == lemma.operands && all.len() < MAX_INSTANCES {
                    all.push((lemma.statement)(&d, &operands));
                }
            }
        }
        work.extend(children);
    }
    let mut seen = HashSet::new();
    all.retain(|instance| seen.insert(instance.clone()));
    all
}

/// The solver's limit for the proof of one lemma, in Z3's units of work.
pub const SOLVER_LIMIT: u32 = 60_000_000;

/// Proves a lemma in the exact theory. `limit` is that of the solver, in its units; [`SOLVER_LIMIT`] suffices for all lemmas.
///
/// # Errors
/// If Z3 finds a model of the lemma's negation or gives no answer: a sentence that names the lemma.
pub fn prove(lemma: &Lemma, limit: u32) -> Result<(), String> {
    let d = Logic::default();
    let operands: Vec<BV> =
        (0..lemma.operands).map(|k| canonical(&BV::new_const(format!("x{k}"), 32))).collect();
    let negation = (lemma.statement)(&d, &operands).not();
    let exact = with_exact_functions(&text(&[negation]), Extent::All)
        .ok_or_else(|| format!("no function of the lemma '{}' has an exact meaning", lemma.name))?;
    match ask(&exact, limit, SolverMethod::Pipeline) {
        Reply::Unsat => Ok(()),
        Reply::Sat(model) => Err(format!("the lemma '{}' does not hold: {model:?}", lemma.name)),
        Reply::Unknown(reason) => Err(reason),
    }
}
