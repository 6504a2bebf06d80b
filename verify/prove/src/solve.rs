//! The solver. Outside of tests, Z3 is called only here and in [`crate::independent`], and only with feature `solver`.

use crate::cache::Answer;
use crate::goal::Goal;
use crate::number::{self, Assignment};
use crate::smt;
use crate::term::{Function, Ty};
use std::collections::HashMap;
use tracing::field::Empty;
use z3::ast::{Ast, BV, Bool, Dynamic, Float};
use z3::{FuncDecl, Params, SatResult, Solver, Sort, Symbol, Tactic};

/// Returns the solver's name and version, as written in the cache.
pub fn version() -> String {
    let version = z3::full_version();
    format!("Z3 {}", version.trim_start_matches("Z3").split_whitespace().next().unwrap_or_default())
}

/// The tactics that do best on multiplications, where the default solver does worst.
const PIPELINE: [&str; 8] = [
    "simplify",
    "propagate-values",
    "fpa2bv",
    "ackermannize_bv",
    "simplify",
    "solve-eqs",
    "bit-blast",
    "sat",
];

/// The limit of the first attempt. A caller that allows no more gets only this attempt.
const FIRST: u32 = crate::run::FIRST_LIMIT;

fn limited(solver: Solver, limit: u32) -> Solver {
    let mut params = Params::new();
    params.set_u32("rlimit", limit);
    solver.set_params(&params);
    solver
}

fn pipeline() -> Solver {
    let mut tactic = Tactic::new(PIPELINE[0]);
    for name in &PIPELINE[1..] {
        tactic = tactic.and_then(&Tactic::new(name));
    }
    tactic.solver()
}

/// Asks for a model of the negated goal: first the default solver within a small limit, then, if more is allowed, the tactics, then the default
/// solver again.
///
/// `limit` is the limit of each attempt, in the solver's units of work ([`UNITS_PER_SECOND`](crate::run)). Each attempt has its own context, so that
/// its result does not depend on earlier queries. Returns the answer and its cost. A model is replayed by evaluation, and counts only if its values
/// refute the goal.
pub fn solve(goal: &Goal, limit: u32) -> (Answer, u64) {
    let query = smt::query(goal);
    let span = tracing::debug_span!("query", bytes = query.len(), cost = Empty);
    let _span = span.enter();
    let mut cost = 0;
    let attempts = if limit <= FIRST { 1 } else { 3 };
    for attempt in 0..attempts {
        let (answer, units) = z3::with_z3_config(&z3::Config::new(), || {
            let solver = match attempt {
                0 => limited(Solver::new(), limit.min(FIRST)),
                1 => limited(pipeline(), limit),
                _ => limited(Solver::new(), limit),
            };
            solver.from_string(query.as_str());
            // If the solver cannot read the text it has no assertions, which is satisfiable: never a proof.
            let answer = match solver.check() {
                SatResult::Unsat => Some(Answer::Unsat),
                SatResult::Unknown => None,
                SatResult::Sat => solver.get_model().and_then(|model| counterexample(goal, &model)),
            };
            (answer, units(&solver))
        });
        cost += units;
        span.record("cost", cost);
        if let Some(answer) = answer {
            return (answer, cost);
        }
    }
    (Answer::Unknown(limit), cost)
}

/// Returns the work that a solver in its own context has done, in its units.
fn units(solver: &Solver) -> u64 {
    match solver.get_statistics().value("rlimit count") {
        Some(z3::StatisticsValue::UInt(units)) => units.into(),
        _ => 0,
    }
}

/// Returns the values of a model as an answer if they refute the goal.
fn counterexample(goal: &Goal, model: &z3::Model) -> Option<Answer> {
    let mut recorded = FromModel { model, goal, seen: Vec::new() };
    let mut values = Vec::new();
    number::evaluate(goal, &mut recorded, &mut values);
    number::refutes(goal, &values).then_some(Answer::Sat(recorded.seen))
}

/// Reads values from a model and records those that were requested.
struct FromModel<'a> {
    model: &'a z3::Model,
    goal: &'a Goal,
    seen: Vec<(u32, Vec<u32>, u32)>,
}

fn sort(ty: Ty) -> Sort {
    match ty {
        Ty::F => Sort::float32(),
        Ty::I => Sort::bitvector(32),
        Ty::B => Sort::bool(),
    }
}

/// Returns the literal with these bits.
pub fn literal(ty: Ty, bits: u32) -> Dynamic {
    match ty {
        Ty::F if f32::from_bits(bits).is_nan() => Float::nan32().into(),
        Ty::F => Float::from_f32(f32::from_bits(bits)).into(),
        Ty::I => BV::from_u64(u64::from(bits), 32).into(),
        Ty::B => Bool::from_bool(bits != 0).into(),
    }
}

/// Returns the bits of a literal; `None` for other expressions.
fn bits(value: &Dynamic, ty: Ty) -> Option<u32> {
    match ty {
        Ty::F => {
            let float = value.as_float()?;
            if float.is_nan().simplify().as_bool()? {
                return Some(lockstep_core::value::CANONICAL_NAN);
            }
            float.to_ieee_bv().simplify().as_u64().map(|v| v as u32)
        }
        Ty::I => value.as_bv()?.simplify().as_u64().map(|v| v as u32),
        Ty::B => value.as_bool()?.as_bool().map(u32::from),
    }
}

impl Assignment for FromModel<'_> {
    fn value(&mut self, function: Function, ty: Ty, operands: &[u32]) -> u32 {
        let shape = &self.goal.symbols[function.0 as usize];
        let sorts: Vec<Sort> = shape.operands.iter().map(|t| sort(*t)).collect();
        let sorts: Vec<&Sort> = sorts.iter().collect();
        let decl = FuncDecl::new(Symbol::from(smt::symbol(function.0)), &sorts, &sort(ty));
        let args: Vec<Dynamic> =
            shape.operands.iter().zip(operands).map(|(t, bits)| literal(*t, *bits)).collect();
        let args: Vec<&dyn Ast> = args.iter().map(|a| a as &dyn Ast).collect();
        let value = self.model.eval(&decl.apply(&args), true).and_then(|v| bits(&v, ty)).unwrap_or(0);
        if !self.seen.iter().any(|(f, o, _)| *f == function.0 && o == operands) {
            self.seen.push((function.0, operands.to_vec(), value));
        }
        value
    }
}

/// Evaluates one operation on literals, through the same query text as obligations use.
///
/// `goal` states that the operation on unknowns, one for each operand, equals one more unknown. `types` are the types of the operands and of the
/// result. Each row has the operands and the expected result, as bits. Returns the index of the
/// first row for which the solver has another result.
///
/// # Errors
/// If the solver cannot read the text or does not reduce it to a literal.
pub fn compare_on_literals(
    goal: &Goal,
    types: &[Ty],
    rows: &[(Vec<u32>, u32)],
) -> Result<Option<usize>, String> {
    let solver = Solver::new();
    solver.from_string(smt::query(goal));
    let equal = match solver.get_assertions().as_slice() {
        [only] => only.not(),
        _ => return Err(format!("the solver cannot read the query for {:?}", goal.nodes)),
    };
    let unknowns: Vec<Dynamic> = types
        .iter()
        .enumerate()
        .map(|(k, t)| FuncDecl::new(Symbol::from(smt::symbol(k as u32)), &[], &sort(*t)).apply(&[]))
        .collect();
    // The same few hundred operand values occur over and over.
    let mut known: HashMap<(Ty, u32), Dynamic> = HashMap::new();
    for (at, (operands, expected)) in rows.iter().enumerate() {
        let values: Vec<Dynamic> = types
            .iter()
            .zip(operands.iter().chain([expected]))
            .map(|(t, v)| known.entry((*t, *v)).or_insert_with(|| literal(*t, *v)).clone())
            .collect();
        let pairs: Vec<(&Dynamic, &Dynamic)> = unknowns.iter().zip(&values).collect();
        match equal.substitute(&pairs).simplify().as_bool() {
            Some(true) => {}
            Some(false) => return Ok(Some(at)),
            None => return Err(format!("the solver gives no literal for the operands {operands:x?}")),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::ClaimBuilder;
    use crate::term::Terms;

    #[test]
    fn an_answer_lists_each_application_of_a_function_that_the_goal_reads() {
        let (d, mut claims) = (Terms::default(), ClaimBuilder::default());
        let of = |name: &str| d.apply_f("f", [d.unknown_i(name).0]);
        claims.claim_equal(&d, || "two values of f".to_owned(), of("x").0, of("y").0);
        let open = claims.claims(&d).open;
        let (answer, _) = solve(&open[0].goal, FIRST);
        let Answer::Sat(seen) = answer else { panic!("{answer:?}") };
        assert_eq!(seen.iter().filter(|(_, operands, _)| !operands.is_empty()).count(), 2, "{seen:?}");
    }
}
