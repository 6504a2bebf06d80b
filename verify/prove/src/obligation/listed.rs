//! Checks the registers that [`Refinement::state`] lists for a lane at a node. The list must include every variable and array element of the
//! program from which the node's lane is built, once and with its value.
//!
//! The claims after a step cover only the registers that [`Refinement::state`] lists, so an omitted register would not be compared. A list that omits
//! a register is therefore an error.
//!
//! [`Refinement::state`]: lockstep_core::isa::Refinement::state

use crate::host::term;
use crate::term::{Set, Terms};
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;

/// The registers listed at a node.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// The keys in list order, each with whether the program declares it.
    keys: Vec<(VarKey, bool)>,
    /// The number of listed registers that the program declares.
    pub(super) declared: usize,
}

impl Listed {
    /// Checks the list `state` of a lane that was built from the values `before` of the keys `asked`; `declares` returns whether the program declares
    /// a key.
    ///
    /// # Errors
    /// If a register is listed twice, or if a register that the program declares and from which the lane was built is listed with a different value
    /// or not at all.
    pub(super) fn new(
        state: &[(VarKey, Scalar<Terms>)],
        asked: &[VarKey],
        declares: &dyn Fn(VarKey) -> bool,
        before: &mut dyn FnMut(VarKey) -> Scalar<Terms>,
        name: &dyn Fn(VarKey) -> String,
    ) -> Result<Listed, String> {
        let made_of: Set<VarKey> = asked.iter().copied().collect();
        let mut keys = Vec::with_capacity(state.len());
        let mut seen: Set<VarKey> = Set::default();
        for (key, value) in state {
            if !seen.insert(*key) {
                return Err(format!("{} is listed twice", name(*key)));
            }
            let declared = declares(*key);
            if declared && made_of.contains(key) && term(value) != term(&before(*key)) {
                return Err(format!("{} is listed with a different value", name(*key)));
            }
            keys.push((*key, declared));
        }
        let lost = asked.iter().find(|key| declares(**key) && !seen.contains(*key));
        if let Some(key) = lost {
            return Err(format!("{} is not listed", name(*key)));
        }
        let declared = keys.iter().filter(|(_, declared)| *declared).count();
        Ok(Listed { keys, declared })
    }

    /// Returns how many of the first `count` listed registers the program declares.
    pub(super) fn declared_of(&self, count: usize) -> usize {
        self.keys.iter().take(count).filter(|(_, declared)| *declared).count()
    }

    /// Whether the program declares the register at an index of the list; `None` if that register is not `key`.
    pub(super) fn declares(&self, at: usize, key: VarKey) -> Option<bool> {
        self.keys.get(at).filter(|(listed, _)| *listed == key).map(|(_, declared)| *declared)
    }
}
