//! The values of registers before a step.

use crate::host::register;
use crate::term::{Map, Terms};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{self, Ty, VarKey};
use lockstep_core::isa::{Context, Entry, KILLED, Refinement, Syntax};

/// The values of registers before a step: unknowns.
pub(super) struct Registers<'a> {
    entry: &'a Entry,
    types: Map<VarKey, Ty>,
    /// The unknowns that were requested so far, by lane and key.
    unknowns: Map<u64, Scalar<Terms>>,
}

impl<'a> Registers<'a> {
    /// Creates the registers of a program that is run from this entry.
    pub(super) fn new(entry: &'a Entry) -> Self {
        Registers { entry, types: [(KILLED, Ty::Bool)].into_iter().collect(), unknowns: Map::default() }
    }

    /// Records the types that a program declares.
    pub(super) fn declare(&mut self, program: &ir::Program) {
        self.types.extend(program.vars.iter().map(|v| (v.key, v.ty)));
    }

    /// Returns the value of a register before the step.
    pub(super) fn before<I: Syntax>(&mut self, d: &Terms, lane: usize, key: VarKey) -> Scalar<Terms> {
        let place = (lane as u64) << 32
            | u64::from(key.file) << 24
            | u64::from(key.index) << 8
            | u64::from(key.component);
        if let Some(known) = self.unknowns.get(&place) {
            return known.clone();
        }
        let name = || {
            let name = if key == KILLED { "killed".to_owned() } else { I::var_name(self.entry, key) };
            format!("lane{lane}.{name}")
        };
        let unknown = register(d, self.types.get(&key).copied().unwrap_or(Ty::F32), lane, key, name);
        self.unknowns.insert(place, unknown.clone());
        unknown
    }

    /// Returns the reference's lane at a node.
    pub(super) fn lane<I: Syntax + Refinement>(
        &mut self,
        d: &Terms,
        cx: &Context<'_, I>,
        control: &I::ControlState,
        lane: usize,
    ) -> I::Lane<Terms> {
        self.lane_with_keys(d, cx, control, lane).0
    }

    /// Returns the reference's lane at a node, with the keys of all registers from which it was built.
    pub(super) fn lane_with_keys<I: Syntax + Refinement>(
        &mut self,
        d: &Terms,
        cx: &Context<'_, I>,
        control: &I::ControlState,
        lane: usize,
    ) -> (I::Lane<Terms>, Vec<VarKey>) {
        let mut asked = Vec::new();
        let made = I::refine(d, cx, control, &mut |key| {
            asked.push(key);
            self.before::<I>(d, lane, key)
        });
        (made, asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::term;
    use lockstep_core::isa::Format;
    use lockstep_core::isa::pica200::Pica200;
    use lockstep_core::isa::pica200::variables::File;
    use std::collections::HashSet;

    #[test]
    fn each_register_of_each_lane_has_an_unknown_of_its_own() {
        let program = Pica200::assemble(".raw vertex, outputs=0x1, entry=0x0\nend").unwrap();
        let entry = &Pica200::entries(&program)[0];
        let (d, mut registers) = (Terms::default(), Registers::new(entry));
        let keys = [File::Temporary, File::Output].map(|file| {
            (0..16).flat_map(move |index| (0..4).map(move |component| file.key(index, component)))
        });
        let keys: Vec<VarKey> = keys.into_iter().flatten().collect();
        let mut before = |lane, key| term(&registers.before::<Pica200>(&d, lane, key)).1;
        let unknowns: HashSet<_> = (0..4)
            .flat_map(|lane| keys.iter().map(move |key| (lane, *key)))
            .map(|(l, k)| before(l, k))
            .collect();
        assert_eq!(unknowns.len(), 4 * 2 * 16 * 4);
        assert!(unknowns.contains(&before(3, keys[0])), "the same register has the same unknown");
    }
}
