//! The refinement of AGAL: maps a node and the values of its variables to a lane of the reference, and back.

use super::DEPTH;
use super::program::File;
use super::reference::Lane;
use super::variables;
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::isa::{KILLED, State};
use crate::value::Domain;

/// Returns a lane at position `pc` whose registers have the variables' values.
pub(super) fn refine<D: Domain>(d: &D, pc: u32, value: &mut dyn FnMut(VarKey) -> Scalar<D>) -> Lane<D> {
    let mut lane = Lane { pc, killed: value(KILLED).b(d), ..Lane::new(d) };
    for (key, register) in registers(&mut lane) {
        *register = value(key).f(d);
    }
    lane
}

/// Returns the values of a lane's registers, as values of the corresponding variables.
pub(super) fn state<D: Domain>(lane: &Lane<D>) -> State<D> {
    let mut lane = lane.clone();
    registers(&mut lane).map(|(key, register)| (key, Scalar::F(register.clone()))).collect()
}

/// Sets the register component or the kill mark to which a variable key refers. Unknown keys, and values of another type, change nothing.
pub(super) fn set_state<D: Domain>(lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
    match value {
        Scalar::B(mark) if key == KILLED => lane.killed = mark,
        Scalar::F(value) => {
            if let Some(register) = component(lane, key) {
                *register = value;
            }
        }
        _ => {}
    }
}

/// Returns the register component to which a variable key refers.
fn component<D: Domain>(lane: &mut Lane<D>, key: VarKey) -> Option<&mut D::F> {
    let (outputs, depth) = lane.outputs.split_at_mut(DEPTH);
    let registers = match File::from_number(key.file)? {
        File::Temporary => &mut lane.temporaries[..],
        File::Output => outputs,
        File::Varying => &mut lane.varyings[..],
        File::Depth => depth,
        _ => return None,
    };
    registers.get_mut(usize::from(key.index))?.get_mut(usize::from(key.component))
}

/// Iterates over every register component of a lane, with the key of its variable.
fn registers<D: Domain>(lane: &mut Lane<D>) -> impl Iterator<Item = (VarKey, &mut D::F)> {
    // There is no `..`, so that a new field of `Lane` does not compile until it is handled here.
    let Lane { pc: _, temporaries, outputs, varyings, killed: _ } = lane;
    let (outputs, depth) = outputs.split_at_mut(DEPTH);
    [
        (File::Temporary, &mut temporaries[..]),
        (File::Output, outputs),
        (File::Varying, &mut varyings[..]),
        (File::Depth, depth),
    ]
    .into_iter()
    .flat_map(|(file, registers)| {
        registers.iter_mut().enumerate().flat_map(move |(index, register)| {
            register
                .iter_mut()
                .enumerate()
                .map(move |(component, value)| (variables::key(file, index as u16, component), value))
        })
    })
}
