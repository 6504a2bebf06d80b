//! The operands of an instruction, as both engines read them.

use super::traced::{LeafDomain, LeafSet, Leaves, Origin, RecordingHost, Tracked};
use super::{LETTERS, Operand};
use crate::case::Resolved;
use crate::stepping::control::PC_KEY;
use crate::stepping::{Shown, StepState, VariableIndex};
use lockstep_core::host::ConcreteHost;
use lockstep_core::ir::eval::{Lane, Scalar, run_block};
use lockstep_core::ir::{Program, VarKey};
use lockstep_core::isa::{CONTROL, Isa, KILLED, LaneState, Legality, Refinement, Syntax, run};
use lockstep_core::value::{Concrete, Domain};

/// Returns the values (of registers, inputs, constants, texels and buffers) from which the reference and the lowered program computed the values of
/// `keys` in one instruction. If `keys` is empty, the keys of all values that the instruction changed are used instead.
pub(super) fn collect<I: Isa>(
    resolved: &Resolved<I>,
    program: &Program,
    lane: usize,
    moment: &StepState<'_, I>,
    keys: &[VarKey],
) -> Vec<Operand> {
    let at = lane % moment.left.len().max(1);
    let base = lane - at;
    let mut leaves = Leaves::default();
    let mut left = by_reference(resolved, base, at, moment, keys, &mut leaves);
    let right = by_lowering(resolved, program, base, at, moment, keys, &mut leaves);
    // State that has no variable in the lowered program, such as targets of pending stores, cannot differ there.
    let places = VariableIndex::of(program);
    left.retain(|number| match leaves.0[*number].origin {
        Origin::State(key) => key == KILLED || places.value(&moment.right[at], key).is_some(),
        _ => true,
    });
    let all = leaves.0.iter().enumerate();
    all.filter_map(|(number, leaf)| {
        let by = match (left.contains(&number), right.contains(&number)) {
            (false, false) => return None,
            (true, true) => None,
            (true, false) => Some("read by the reference only".to_owned()),
            (false, true) => Some("read by the lowered program only".to_owned()),
        };
        let name = name::<I>(resolved, &leaf.origin);
        let name = match leaf.lane.filter(|lane| *lane != at) {
            Some(other) => format!("{name} of lane {}", base + other),
            None => name,
        };
        Some(Operand { name, value: leaf.value.clone(), by })
    })
    .collect()
}

fn name<I: Syntax>(resolved: &Resolved<I>, origin: &Origin) -> String {
    let entry = &resolved.entry;
    match *origin {
        Origin::State(key) if key == KILLED => "killed".to_owned(),
        Origin::State(key) => I::var_name(entry, key),
        Origin::Input(slot, c) => format!("{}.{}", I::input_name(entry, slot), LETTERS[c]),
        Origin::Constant(slot, c) => format!("{}.{}", I::constant_name(entry, slot), LETTERS[c]),
        Origin::Int(slot, c) => format!("i{slot}.{}", LETTERS[c]),
        Origin::Bool(slot) => format!("b{slot}"),
        Origin::Texel(unit, c) => format!("texture {unit} {}", LETTERS[c]),
        Origin::Element(buffer, index, c) => format!("buffer {buffer}[{index}] {}", LETTERS[c]),
    }
}

/// Returns a value of the lane's state as a traced leaf.
fn state_leaf(leaves: &mut Leaves, lane: usize, key: VarKey, value: &Scalar<Concrete>) -> Scalar<LeafDomain> {
    let number = leaves.intern(Some(lane), Origin::State(key), || Shown::of(value));
    match value {
        Scalar::F(v) => Scalar::F(Tracked::leaf(*v, number)),
        Scalar::I(v) => Scalar::I(Tracked::leaf(*v, number)),
        Scalar::B(v) => Scalar::B(Tracked::leaf(*v, number)),
    }
}

fn leaves_of(value: &Scalar<LeafDomain>) -> &LeafSet {
    match value {
        Scalar::F(v) => &v.from,
        Scalar::I(v) => &v.from,
        Scalar::B(v) => &v.from,
    }
}

/// Whether an instruction changed a key: its new value is another number than before, or depends on anything but the key's previous value.
fn changed(leaves: &Leaves, lane: usize, key: VarKey, value: &Scalar<LeafDomain>) -> bool {
    let from = leaves_of(value);
    let shown = match value {
        Scalar::F(v) => Shown::float(v.value),
        Scalar::I(v) => Shown::int(v.value),
        Scalar::B(v) => Shown::truth(v.value),
    };
    let is_same = |number: &usize| {
        leaves.0.get(*number).is_some_and(|leaf| {
            leaf.lane == Some(lane) && leaf.origin == Origin::State(key) && leaf.value == shown
        })
    };
    from.len() != 1 || !from.iter().all(is_same)
}

fn by_reference<I: Legality + Refinement>(
    resolved: &Resolved<I>,
    base: usize,
    at: usize,
    moment: &StepState<'_, I>,
    keys: &[VarKey],
    leaves: &mut Leaves,
) -> LeafSet {
    let (cx, mut d) = (resolved.context(), LeafDomain::default());
    let mut group = Vec::new();
    for (number, running) in moment.left.iter().enumerate() {
        let concrete = &running.lane;
        let Some(control) = I::control(&cx, concrete).filter(|_| running.end.is_none()) else {
            // The lane has ended and takes no part, so its state does not matter.
            let inner = ConcreteHost::<false>::new(&resolved.env, base);
            let mut host = RecordingHost { inner, leaves, effects: Default::default() };
            let lane = I::start(&d, &mut host, &cx, number);
            group.push(LaneState { lane, fuel: 0, end: Some(lockstep_core::isa::End::Finished) });
            continue;
        };
        let state: std::collections::HashMap<VarKey, Scalar<Concrete>> =
            I::state(&Concrete, &cx, concrete).into_iter().collect();
        let killed = Scalar::B(I::killed(concrete));
        let mut value = |key: VarKey| {
            let held = if key == KILLED { Some(&killed) } else { state.get(&key) };
            held.map_or_else(|| Scalar::F(d.f(0.0)), |held| state_leaf(leaves, number, key, held))
        };
        let lane = I::refine(&d, &cx, &control, &mut value);
        group.push(LaneState { lane, fuel: running.fuel, end: None });
    }
    let inner = ConcreteHost::<false>::new(&resolved.env, base);
    let mut host = RecordingHost { inner, leaves, effects: Default::default() };
    run::step::<I, _, _>(&mut d, &mut host, &cx, &mut group);
    let mut from = LeafSet::new();
    if keys.is_empty() || keys.contains(&CONTROL) {
        from.extend(&d.decided);
    }
    if keys.is_empty() {
        from.extend(&host.effects[at & 3]);
    }
    let after = group.get(at).map(|running| I::state(&d, &cx, &running.lane)).unwrap_or_default();
    let killed = group.get(at).map(|running| (KILLED, Scalar::B(I::killed(&running.lane))));
    let own = I::direct_effects(&resolved.program, moment.word);
    for (key, value) in after.iter().chain(killed.iter()) {
        let wanted = if keys.is_empty() {
            own.as_ref().is_none_or(|own| own.contains(key)) && changed(leaves, at, *key, value)
        } else {
            keys.contains(key)
        };
        if wanted {
            from.extend(leaves_of(value));
        }
    }
    from
}

fn by_lowering<I: Legality + Refinement>(
    resolved: &Resolved<I>,
    program: &Program,
    base: usize,
    at: usize,
    moment: &StepState<'_, I>,
    keys: &[VarKey],
    leaves: &mut Leaves,
) -> LeafSet {
    let (mut d, places) = (LeafDomain::default(), VariableIndex::of(program));
    let known: std::collections::HashSet<VarKey> = moment
        .left
        .get(at)
        .map(|running| I::state(&Concrete, &resolved.context(), &running.lane))
        .unwrap_or_default()
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    let inner = ConcreteHost::<false>::new(&resolved.env, base);
    let mut host = RecordingHost { inner, leaves, effects: Default::default() };
    let mut lanes: Vec<Lane<LeafDomain>> =
        moment.right.iter().map(|lane| Lane::new(&d, &mut host, program, lane.fuel)).collect();
    for (number, (lane, concrete)) in lanes.iter_mut().zip(moment.right).enumerate() {
        for ((value, held), decl) in lane.vars.iter_mut().zip(&concrete.vars).zip(&program.vars) {
            *value = state_leaf(host.leaves, number, decl.key, held);
        }
        for ((values, held), decl) in lane.arrays.iter_mut().zip(&concrete.arrays).zip(&program.arrays) {
            for (n, (value, held)) in values.iter_mut().zip(held).enumerate() {
                if let Scalar::F(leaf) = state_leaf(host.leaves, number, decl.key(n), &Scalar::F(*held)) {
                    *value = leaf;
                }
            }
        }
        let killed = state_leaf(host.leaves, number, KILLED, &Scalar::B(concrete.killed));
        lane.killed = killed.b(&d);
        (lane.next_block, lane.stop) = (concrete.next_block, concrete.stop);
    }
    let mut active: Vec<bool> = moment
        .right
        .iter()
        .map(|lane| lane.stop.is_none() && lane.next_block == moment.right[at].next_block)
        .collect();
    run_block(&mut d, &mut host, program, moment.block, &mut lanes, &mut active);
    let mut from = LeafSet::new();
    let Some(lane) = lanes.get(at) else { return from };
    if keys.is_empty() {
        from.extend(&host.effects[at & 3]);
        if let Some(value) = program.blocks[moment.block.0 as usize].terminator.operand() {
            from.extend(leaves_of(lane.value(value)));
        }
    }
    if keys.contains(&CONTROL)
        && let Some(next) = places.value(lane, PC_KEY)
    {
        from.extend(leaves_of(&next));
    }
    let own = I::direct_effects(&resolved.program, moment.word);
    let killed = Scalar::B(lane.killed.clone());
    // Includes keys that did not exist before the instruction: requested keys, and keys that it writes.
    let asked = keys.iter().chain(own.iter().flatten()).chain(&known).copied();
    let asked: std::collections::BTreeSet<VarKey> = asked.collect();
    let all = asked.into_iter().filter_map(|key| Some((key, places.value(lane, key)?)));
    for (key, value) in all.chain([(KILLED, killed)]) {
        let wanted = if keys.is_empty() {
            own.as_ref().is_none_or(|own| own.contains(&key)) && changed(leaves, at, key, &value)
        } else {
            keys.contains(&key)
        };
        if wanted {
            from.extend(leaves_of(&value));
        }
    }
    // State that exists only in the lowered program is omitted.
    from.retain(|number| match &leaves.0[*number].origin {
        Origin::State(key) => *key == KILLED || known.contains(key),
        _ => true,
    });
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_changed_by_another_number_or_by_other_operands() {
        let key = VarKey { file: 0, index: 1, component: 2 };
        let mut leaves = Leaves::default();
        let own = leaves.intern(Some(0), Origin::State(key), || Shown::float(1.0));
        let other = leaves.intern(Some(0), Origin::Bool(3), || Shown::truth(true));
        let value = |number: f32, leaf: usize| Scalar::F(Tracked::leaf(number, leaf));
        assert!(!changed(&leaves, 0, key, &value(1.0, own)), "the number that it had");
        assert!(changed(&leaves, 0, key, &value(-1.0, own)), "neg r0, r0");
        assert!(changed(&leaves, 0, key, &value(1.0, other)), "another operand");
        assert!(changed(&leaves, 1, key, &value(1.0, own)), "the value of another lane");
    }
}
