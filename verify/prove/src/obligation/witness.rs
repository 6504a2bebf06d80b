//! What shows that an obligation can fail: a mutant that numbers refute.
//!
//! An obligation that notices nothing proves nothing. Where none of its mutants is refuted, or it has none, writes are dropped one by one until
//! one is missed; where none is, a register is written that nobody asked for, or lanes end too early.

use super::Fate;
use super::lowering::mutants;
use super::simulate::Simulation;
use crate::mutate::{drops, returns, writes};
use crate::term::Terms;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{self, Nodes, Ty, VarKey};
use lockstep_core::isa::{Context, Isa};

/// How many mutants are tried. Writes to what nobody reads any more are not missed.
const TRIED: usize = 2000;

/// These mutants, with one that is refuted among them if there is one.
pub(super) fn witnessed<I: Isa>(
    simulation: &mut Simulation<'_, I>,
    d: &Terms,
    cx: Context<'_, I>,
    program: &ir::Program,
    nodes: &Nodes<I::Config>,
    mut found: Vec<(String, Fate)>,
    boundaries: &[u32],
) -> Vec<(String, Fate)> {
    let refuted = |(_, fate): &(String, Fate)| matches!(fate, Fate::Refuted);
    if found.iter().any(refuted) {
        return found;
    }
    let mut one = |mutation| {
        mutants(simulation, d, program, vec![mutation], &|_| true, boundaries).into_iter().find(refuted)
    };
    let mut witness = drops(program).take(TRIED).find_map(&mut one);
    if witness.is_none()
        && let Some(register) = register(d, cx, program, nodes)
    {
        witness = writes(program, register).find_map(&mut one);
    }
    found.extend(witness.or_else(|| returns(program).find_map(&mut one)));
    found
}

/// A float register that a lane holds at the first node.
fn register<I: Isa>(
    d: &Terms,
    cx: Context<'_, I>,
    program: &ir::Program,
    nodes: &Nodes<I::Config>,
) -> Option<VarKey> {
    let (_, config) = nodes.first()?;
    let type_of = |key| program.vars.iter().find(|v| v.key == key).map_or(Ty::F32, |v| v.ty);
    let lane = I::refine(d, &cx, config, &mut |key| Scalar::literal(d, type_of(key), 0));
    let state = I::state(d, &cx, &lane);
    let holds_float = |(key, value): &(VarKey, Scalar<Terms>)| matches!(value, Scalar::F(_)).then_some(*key);
    state.iter().find_map(holds_float)
}
