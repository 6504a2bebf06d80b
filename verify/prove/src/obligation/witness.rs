//! Finds a witness that an obligation can fail: a mutant that evaluation refutes.
//!
//! An obligation that no mistake can violate proves nothing. If an obligation has no refuted mutant, further mutants are tried until one is refuted.
//! Each has one change: a write or an effect is dropped, or a write to a float register is added at the end of a block, or lanes end after a block.

use super::MutantStatus;
use super::lowering::mutants;
use super::simulate::Simulation;
use crate::mutate::{drops, returns, writes};
use crate::term::Terms;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{self, Ty, VarKey};
use lockstep_core::isa::lowering::Nodes;
use lockstep_core::isa::{Context, Refinement, Syntax};

/// The maximum number of dropped writes and effects that are tried. Dropping a write to a register that is not read again is not detected, so many
/// may be needed.
const MAX_MUTANTS: usize = 2000;

/// Returns these mutants, with a refuted one added if none is among them and one can be found.
pub(super) fn with_witness<I: Syntax + Refinement>(
    simulation: &mut Simulation<'_, I>,
    d: &Terms,
    cx: Context<'_, I>,
    program: &ir::Program,
    nodes: &Nodes<I::ControlState>,
    mut found: Vec<(String, MutantStatus)>,
    boundaries: &[u32],
) -> Vec<(String, MutantStatus)> {
    let refuted =
        |(_, mutant_status): &(String, MutantStatus)| matches!(mutant_status, MutantStatus::Refuted);
    if found.iter().any(refuted) {
        return found;
    }
    let mut one = |mutation| {
        mutants(simulation, d, program, vec![mutation], &|_| true, boundaries).into_iter().find(refuted)
    };
    let mut witness = drops(program).take(MAX_MUTANTS).find_map(&mut one);
    if witness.is_none()
        && let Some(register) = float_register(d, cx, program, nodes)
    {
        witness = writes(program, register).find_map(&mut one);
    }
    found.extend(witness.or_else(|| returns(program).find_map(&mut one)));
    found
}

/// Returns a float register of the lane at the first node, if there is one.
fn float_register<I: Refinement>(
    d: &Terms,
    cx: Context<'_, I>,
    program: &ir::Program,
    nodes: &Nodes<I::ControlState>,
) -> Option<VarKey> {
    let (_, control) = nodes.first()?;
    let type_of = |key| program.vars.iter().find(|v| v.key == key).map_or(Ty::F32, |v| v.ty);
    let lane = I::refine(d, &cx, control, &mut |key| Scalar::literal(d, type_of(key), 0));
    let state = I::state(d, &cx, &lane);
    let holds_float = |(key, value): &(VarKey, Scalar<Terms>)| matches!(value, Scalar::F(_)).then_some(*key);
    state.iter().find_map(holds_float)
}
