//! Removes ports of registers (initial and final values) that the failure does not need.

use super::FailurePredicate;
use crate::case::{Case, EntryRef};
use lockstep_core::isa::registers::{register, without_registers};
use lockstep_core::isa::{Entry, Format, Interface, Port};

/// Removes ports of registers that the failure does not need, first all together, then one by one. If all are removed together, the case uses the
/// program's own entry again, if the program has such an entry.
pub(super) fn fewer<I: Format>(case: &mut Case, predicate: &mut FailurePredicate<'_>) {
    let EntryRef::Given(entry) = &case.entry else { return };
    let plain = without_registers::<I>(entry);
    if plain == *entry {
        return;
    }
    let entries = I::decode(&case.bytes).map(|program| I::entries(&program)).unwrap_or_default();
    let own = EntryRef::own_number(&entries, &plain);
    let candidate = Case { entry: own.map_or(EntryRef::Given(plain), EntryRef::Own), ..case.clone() };
    if predicate.keeps_failing(&candidate) {
        *case = candidate;
        return;
    }
    let lists: [fn(&mut Interface) -> &mut Vec<Port>; 2] =
        [|interface| &mut interface.inputs, |interface| &mut interface.outputs];
    for list in lists {
        let mut at = 0;
        while let Some(port) = given(case).and_then(|entry| list(&mut entry.interface).get(at).copied()) {
            let mut candidate = case.clone();
            let removed = given(&mut candidate).is_some_and(|entry| {
                let is_register = register::<I>(entry, port.slot).is_some();
                if is_register {
                    list(&mut entry.interface).remove(at);
                }
                is_register
            });
            if removed && predicate.keeps_failing(&candidate) {
                *case = candidate;
            } else {
                at += 1;
            }
        }
    }
}

fn given(case: &mut Case) -> Option<&mut Entry> {
    match &mut case.entry {
        EntryRef::Given(entry) => Some(entry),
        EntryRef::Own(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Entropy, ProgramRequest, case, with_registers};
    use lockstep_core::isa::d3d9::D3d9;

    #[test]
    fn ports_of_registers_that_the_failure_does_not_need_are_removed() {
        let plain = case::<D3d9>(
            &mut Entropy::seeded(1),
            &ProgramRequest { version: Some(0x0201), ..ProgramRequest::default() },
        );
        let full = with_registers::<D3d9>(&mut Entropy::seeded(2), &plain).expect("registers");
        let slots = |case: &Case| -> [Vec<u16>; 2] {
            let EntryRef::Given(entry) = &case.entry else { return Default::default() };
            let slots =
                |ports: &[Port]| ports.iter().map(|port| port.slot).filter(|slot| *slot >= 64).collect();
            [slots(&entry.interface.inputs), slots(&entry.interface.outputs)]
        };
        let [inputs, outputs] = slots(&full);
        assert!(inputs.len() > 10 && outputs.len() >= 2, "{inputs:?} {outputs:?}");
        let minimised = |fails: &mut dyn FnMut(&Case) -> bool| {
            let mut case = full.clone();
            fewer::<D3d9>(&mut case, &mut FailurePredicate { fails, tries: 0 });
            case
        };
        let needs = |case: &Case| slots(case)[0].contains(&inputs[3]) && slots(case)[1].contains(&outputs[1]);
        let small = minimised(&mut |case| needs(case));
        assert_eq!(slots(&small), [vec![inputs[3]], vec![outputs[1]]]);
        assert_eq!(minimised(&mut |_| true).entry, EntryRef::Own(0));
    }
}
