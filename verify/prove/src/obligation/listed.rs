//! What is listed of a lane at a node: every variable and element of an array that the node's lane is made of, once and with its value.
//!
//! The claims after a step are about what [`Isa::state`] lists. What it leaves out nobody would compare, so that is refused here.
//!
//! [`Isa::state`]: lockstep_core::isa::Isa::state

use crate::host::term;
use crate::term::{Set, Terms};
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;

/// The list of a node.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// In order: what stands for what, and whether the program declares it.
    keys: Vec<(VarKey, bool)>,
    /// How many the program declares.
    pub(super) declared: usize,
}

impl Listed {
    /// Of a lane at a node that was made of the values `before` of what was `asked` for; `declares` says what the program declares.
    ///
    /// # Errors
    /// What is listed twice, has another value than it was made of, or is not listed.
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
                return Err(format!("{} is listed with another value", name(*key)));
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

    /// How many of the first `count` the program declares.
    pub(super) fn declared_of(&self, count: usize) -> usize {
        self.keys.iter().take(count).filter(|(_, declared)| *declared).count()
    }

    /// Whether the program declares what is listed at a place, if it is this.
    pub(super) fn declares(&self, at: usize, key: VarKey) -> Option<bool> {
        self.keys.get(at).filter(|(listed, _)| *listed == key).map(|(_, declared)| *declared)
    }
}
