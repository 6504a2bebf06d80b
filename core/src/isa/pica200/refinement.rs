//! Refinement: maps a node and the values of its variables to a lane of the reference, and back.

use super::lower::ControlState;
use super::reference::{Call, If, Lane, Loop};
use super::variables::{File, NO_FRAME};
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::isa::{KILLED, State};
use crate::value::Domain;

/// Returns the register banks and their files.
fn banks<D: Domain>(lane: &mut Lane<D>) -> [(File, &mut [[D::F; 4]; 16]); 3] {
    [
        (File::Temporary, &mut lane.temporaries),
        (File::Output, &mut lane.outputs),
        (File::Inactive, &mut lane.inactive),
    ]
}

/// Returns the lane at a node, given the values of the variables.
pub(super) fn refine<D: Domain>(
    d: &D,
    control: &ControlState,
    value: &mut dyn FnMut(VarKey) -> Scalar<D>,
) -> Lane<D> {
    let mut lane = Lane::new(d, control.pc);
    lane.killed = value(KILLED).b(d);
    for (file, bank) in banks(&mut lane) {
        for (n, register) in bank.iter_mut().enumerate() {
            for (c, component) in register.iter_mut().enumerate() {
                *component = value(file.key(n, c)).f(d);
            }
        }
    }
    for (c, address) in lane.address.iter_mut().enumerate() {
        *address = value(File::Address.key(0, c)).i(d);
    }
    for (c, bit) in lane.cmp.iter_mut().enumerate() {
        *bit = value(File::Condition.key(0, c)).b(d);
    }
    for (c, chosen) in lane.emission.iter_mut().enumerate() {
        *chosen = value(File::Emission.key(0, c)).i(d);
    }
    // The oldest frames are pushed first.
    for &(end, back) in control.calls.iter().rev() {
        lane.calls.push(Call { end, return_address: back });
    }
    for &(end, target) in control.arms.iter().rev() {
        lane.ifs.push(If { end, target });
    }
    for (k, &(end, start)) in control.loops.iter().enumerate().rev() {
        let [counter, step, outer] = [0, 1, 2].map(|c| value(File::Loop.key(k, c)).i(d));
        lane.loops.push(Loop { start, end, counter, step, outer });
    }
    lane
}

/// Returns the node of a lane.
pub(super) fn control<D: Domain>(lane: &Lane<D>) -> ControlState {
    ControlState {
        pc: lane.pc,
        calls: lane.calls.frames().iter().flatten().map(|call| (call.end, call.return_address)).collect(),
        arms: lane.ifs.frames().iter().flatten().map(|arm| (arm.end, arm.target)).collect(),
        loops: lane.loops.frames().iter().flatten().map(|pass| (pass.end, pass.start)).collect(),
    }
}

/// Returns the state of a lane by key. A lane that has ended has no stacks. Only the outputs in `double_banked` are included, because the others are
/// neither written nor emitted.
pub(super) fn state<D: Domain>(d: &D, double_banked: u32, ended: bool, lane: &Lane<D>) -> State<D> {
    // The pattern names every field, so that a new field of `Lane` does not compile until it is handled here.
    let Lane { pc: _, temporaries, outputs, inactive, address, cmp, emission, calls, ifs, loops, killed: _ } =
        lane;
    let mut all = State::<D>::with_capacity(256);
    for (file, bank) in [(File::Temporary, temporaries), (File::Output, outputs), (File::Inactive, inactive)]
    {
        for (n, register) in bank.iter().enumerate() {
            if file != File::Temporary && double_banked >> n & 1 == 0 {
                continue;
            }
            all.extend(register.iter().enumerate().map(|(c, v)| (file.key(n, c), Scalar::F(v.clone()))));
        }
    }
    let ints = [(File::Address, address), (File::Emission, emission)];
    for (file, values) in ints {
        all.extend(values.iter().enumerate().map(|(c, v)| (file.key(0, c), Scalar::I(v.clone()))));
    }
    all.extend(cmp.iter().enumerate().map(|(c, v)| (File::Condition.key(0, c), Scalar::B(v.clone()))));
    let mut frame = |file: File, k: usize, addresses: Option<[u32; 2]>| {
        let addresses = addresses.filter(|_| !ended).map_or([NO_FRAME; 2], |p| p.map(|v| v as i32));
        all.extend(addresses.into_iter().enumerate().map(|(c, v)| (file.key(k, c), Scalar::I(d.i(v)))));
    };
    for (k, call) in calls.frames().iter().enumerate() {
        frame(File::Call, k, call.map(|Call { end, return_address: back }| [end, back]));
    }
    for (k, arm) in ifs.frames().iter().enumerate() {
        frame(File::Arm, k, arm.map(|If { end, target }| [end, target]));
    }
    for (k, pass) in loops.frames().iter().enumerate() {
        frame(File::LoopPlace, k, pass.as_ref().map(|f| [f.start, f.end]));
    }
    for (k, pass) in loops.frames().iter().enumerate().filter(|_| !ended) {
        if let Some(Loop { start: _, end: _, counter, step, outer }) = pass {
            for (c, v) in [counter, step, outer].into_iter().enumerate() {
                all.push((File::Loop.key(k, c), Scalar::I(v.clone())));
            }
        }
    }
    all
}

/// Sets the value of a lane for one key of [`state`] or, for [`KILLED`], the lane's kill mark. Addresses in frames are control state and stay
/// unchanged.
pub(super) fn set_state<D: Domain>(lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
    let (n, c) = (usize::from(key.index), usize::from(key.component));
    let is = |file: File| key.file == file as u8;
    match value {
        Scalar::B(mark) if key == KILLED => lane.killed = mark,
        Scalar::B(bit) if is(File::Condition) => {
            if let Some(slot) = lane.cmp.get_mut(c) {
                *slot = bit;
            }
        }
        Scalar::I(value) => {
            let slot = if is(File::Address) {
                lane.address.get_mut(c)
            } else if is(File::Emission) {
                lane.emission.get_mut(c)
            } else if is(File::Loop) {
                let pass = lane.loops.frames_mut().get_mut(n).and_then(Option::as_mut);
                pass.and_then(|pass| [&mut pass.counter, &mut pass.step, &mut pass.outer].into_iter().nth(c))
            } else {
                None
            };
            if let Some(slot) = slot {
                *slot = value;
            }
        }
        Scalar::F(value) => {
            for (file, bank) in banks(lane) {
                if is(file)
                    && let Some(slot) = bank.get_mut(n).and_then(|register| register.get_mut(c))
                {
                    *slot = value.clone();
                }
            }
        }
        Scalar::B(_) => {}
    }
}
