//! The refinement of A2xx: maps a node and the values of its variables to a lane of the reference, and back.

use super::lower::ControlState;
use super::program::{Clause, Program, Slot};
use super::reference::{FlowState, Lane, MAX_NESTING, flow, has_mini_fetches};
use super::variables::{File, NO_FRAME};
use crate::host::Host;
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::isa::{Context, Entry, KILLED, State};
use crate::value::Domain;

type Cx<'a> = Context<'a, super::A2xx>;

/// Whether exports may be dropped, which requires a slot that may kill.
fn drops(program: &Program, entry: &Entry) -> bool {
    let kills = |slot: &Slot| match slot {
        Slot::Alu(alu) => {
            alu.vector().is_some_and(super::opcode::VectorOp::kills)
                || alu.scalar().is_some_and(super::opcode::ScalarOp::kills)
        }
        _ => false,
    };
    program.find(entry.start).is_some_and(|(shader, _)| shader.slots.iter().any(kills))
}

/// Calls `visit` for every float, integer and Boolean value of a lane except the kill mark, with its variable key.
fn each_value<D: Domain>(lane: &mut Lane<D>, mut visit: impl FnMut(VarKey, ValueRef<'_, D>)) {
    // There is no `..`, so that a new field of `Lane` does not compile until it is handled here.
    let Lane {
        at: _,
        registers,
        passes,
        a0,
        predicate,
        previous,
        lod: detail,
        gradients,
        index,
        dropped,
        has_mini_fetches: _,
        killed: _,
    } = lane;
    for (n, register) in registers.iter_mut().enumerate() {
        for (c, value) in register.iter_mut().enumerate() {
            visit(File::Register.key(n, c), ValueRef::F(value));
        }
    }
    for (n, passes) in passes.iter_mut().enumerate() {
        visit(File::Pass.key(n, 0), ValueRef::I(passes));
    }
    visit(File::Address.key(0, 0), ValueRef::I(a0));
    visit(File::Flag.key(0, 0), ValueRef::B(predicate));
    visit(File::Flag.key(0, 1), ValueRef::B(dropped));
    visit(File::Float.key(0, 0), ValueRef::F(previous));
    visit(File::Float.key(0, 1), ValueRef::F(detail));
    for (n, gradient) in gradients.iter_mut().enumerate() {
        for (c, value) in gradient.iter_mut().enumerate() {
            visit(File::Gradient.key(n, c), ValueRef::F(value));
        }
    }
    visit(File::Fetch.key(0, 0), ValueRef::I(index));
}

/// A mutable reference to a value of a lane.
enum ValueRef<'a, D: Domain> {
    F(&'a mut D::F),
    I(&'a mut D::I),
    B(&'a mut D::B),
}

/// Returns the lane at a node, given the values of the variables.
pub(super) fn refine<D: Domain>(
    d: &D,
    program: &Program,
    entry: &Entry,
    control: &ControlState,
    value: &mut dyn FnMut(VarKey) -> Scalar<D>,
) -> Lane<D> {
    let mut lane = Lane::new(d);
    lane.has_mini_fetches = program.find(entry.start).is_some_and(|(shader, _)| has_mini_fetches(shader));
    let dropped = File::Flag.key(0, 1);
    let drops = drops(program, entry);
    each_value(&mut lane, |key, value_ref| match value_ref {
        _ if key == dropped && !drops => {}
        ValueRef::F(target) => *target = value(key).f(d),
        ValueRef::I(target) => *target = value(key).i(d),
        ValueRef::B(target) => *target = value(key).b(d),
    });
    lane.killed = value(KILLED).b(d);
    let (clause, slot) = control.clause_and_slot();
    let mut at = FlowState {
        clause: clause as u16,
        slot,
        last_full_fetch: control.last_full_fetch(),
        ..FlowState::default()
    };
    for (call, site) in at.calls.iter_mut().zip(control.sites()) {
        *call = site;
        at.call_depth += 1;
    }
    for (loop_id, id) in at.loops.iter_mut().zip(control.loop_ids()) {
        *loop_id = id;
        at.loop_depth += 1;
    }
    lane.at = at;
    lane
}

/// Returns the numeric and Boolean values of a lane by key, except the kill mark.
pub(super) fn state<D: Domain>(program: &Program, entry: &Entry, lane: &Lane<D>) -> State<D> {
    let mut all = State::<D>::with_capacity(288);
    let dropped = File::Flag.key(0, 1);
    let drops = drops(program, entry);
    each_value(&mut lane.clone(), |key, value_ref| {
        if key != dropped || drops {
            all.push((
                key,
                match value_ref {
                    ValueRef::F(v) => Scalar::F(v.clone()),
                    ValueRef::I(v) => Scalar::I(v.clone()),
                    ValueRef::B(v) => Scalar::B(v.clone()),
                },
            ));
        }
    });
    all
}

/// Returns the values of the fallback's control variables at a clause or slot: return addresses, loops, aL, the last slot of the clause, the word
/// after the clause, and the last full fetch.
pub(super) fn fallback_state<D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    cx: &Cx<'_>,
    lane: &Lane<D>,
) -> State<D> {
    let Some((shader, _)) = cx.program.locate(cx.entry.start) else { return State::<D>::new() };
    let (clauses, slots) = (cx.program.shaders[shader].clauses.len(), cx.program.shaders[shader].slots.len());
    let first = cx.program.first_word(shader);
    let word = |clause: usize| if clause < clauses { first + clause as u32 } else { cx.program.words() };
    let at = &lane.at;
    let int = |v: u32| Scalar::I(d.i(v as i32));
    let mut all = State::<D>::new();
    for frame in 0..MAX_NESTING {
        let site = usize::from(at.call_depth).checked_sub(frame + 1).map(|k| at.calls[k]);
        let back = site.map_or(Scalar::I(d.i(NO_FRAME)), |site| int(word(usize::from(site) + 1)));
        all.push((File::Call.key(frame, 0), back));
    }
    all.push((File::Depth.key(0, 0), int(at.loop_depth.into())));
    if let (true, Some(Clause::Exec(exec))) =
        (at.slot > 0 && slots > 0, cx.program.shaders[shader].clauses.get(usize::from(at.clause)))
    {
        // Slots past the end of the shader do not count.
        let last = (usize::from(exec.addr) + usize::from(exec.slot_count()) - 1).min(clauses / 2 + slots - 1);
        if let Some(last) = last.checked_sub(clauses / 2) {
            let ends = exec.op().is_end();
            let after = if ends { cx.program.words() } else { word(usize::from(at.clause) + 1) };
            all.push((File::Depth.key(0, 1), int(first + (clauses + last) as u32)));
            all.push((File::Depth.key(0, 2), int(after)));
        }
    }
    for (level, id) in at.loops.iter().enumerate().take(at.loop_depth.into()) {
        for (c, value) in flow::constant(d, host, *id).into_iter().enumerate() {
            all.push((File::Loop.key(level, c), Scalar::I(value)));
        }
    }
    all.push((File::Address.key(0, 1), Scalar::I(flow::address(d, host, lane))));
    all.push((File::Fetch.key(0, 1), int(at.last_full_fetch.into())));
    all
}

/// Sets the value of a lane for one key of [`state`] or, for [`KILLED`], the lane's kill mark.
pub(super) fn set_state<D: Domain>(lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
    if key == KILLED {
        if let Scalar::B(mark) = value {
            lane.killed = mark;
        }
        return;
    }
    each_value(lane, |at, value_ref| {
        if at == key {
            match (value_ref, &value) {
                (ValueRef::F(target), Scalar::F(v)) => *target = v.clone(),
                (ValueRef::I(target), Scalar::I(v)) => *target = v.clone(),
                (ValueRef::B(target), Scalar::B(v)) => *target = v.clone(),
                _ => {}
            }
        }
    });
}
