//! Runs the reference on groups of lanes: the lanes at the lowest position step first, and every backward transfer and every call costs fuel.

use super::{Context, Reference};
use crate::exec::StandardMode;
use crate::host::{End, Host};
use crate::value::Domain;

/// A lane of a group, with the state that does not depend on the instruction set.
#[derive(Clone, Debug)]
pub struct LaneState<L> {
    /// The instruction set's machine state.
    pub lane: L,
    /// Units of fuel left.
    pub fuel: u32,
    /// How the lane ended; `None` while it runs.
    pub end: Option<End>,
}

/// Whether a transfer costs a unit of fuel: a transfer to a position not after the present one does, and so does a call.
///
/// Between two units of fuel a lane runs each instruction at most once per call depth, so fuel bounds the running time.
pub fn costs_fuel<I: Reference>(from: &I::Position, to: &I::Position) -> bool {
    to <= from || I::calls(to) > I::calls(from)
}

/// Starts `n` lanes (1, or 4 for a quad) at the entry.
pub fn start<I: Reference, D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    cx: &Context<'_, I>,
    n: usize,
    fuel: u32,
) -> Vec<LaneState<I::Lane<D>>> {
    (0..n).map(|lane| LaneState { lane: I::start(d, host, cx, lane), fuel, end: None }).collect()
}

/// Runs the lanes at the lowest position through one instruction. Returns that position, or `None` once every lane has ended.
pub fn step<I: Reference, D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Context<'_, I>,
    group: &mut [LaneState<I::Lane<D>>],
) -> Option<I::Position> {
    let mut lowest = None;
    let mut active = 0u8;
    for (k, running) in group.iter_mut().enumerate() {
        if running.end.is_some() {
            continue;
        }
        let Some(position) = I::position(cx, &running.lane) else {
            running.end = Some(End::Finished);
            continue;
        };
        match lowest {
            Some(low) if position > low => {}
            Some(low) if position == low => active |= 1 << k,
            _ => {
                lowest = Some(position);
                active = 1 << k;
            }
        }
    }
    let position = lowest?;
    I::step(d, host, cx, group, active);
    for (k, running) in group.iter_mut().enumerate() {
        if active >> k & 1 == 0 || running.end.is_some() {
            continue;
        }
        match I::position(cx, &running.lane) {
            None => running.end = Some(End::Finished),
            Some(next) if costs_fuel::<I>(&position, &next) => match running.fuel.checked_sub(1) {
                Some(left) => running.fuel = left,
                None => running.end = Some(End::OutOfFuel),
            },
            Some(_) => {}
        }
    }
    Some(position)
}

/// Runs a group to its end.
pub fn run<I: Reference, D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Context<'_, I>,
    group: &mut [LaneState<I::Lane<D>>],
) {
    let _mode = StandardMode::enter();
    run_to_the_end(d, host, cx, group);
}

#[inline(never)]
fn run_to_the_end<I: Reference, D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Context<'_, I>,
    group: &mut [LaneState<I::Lane<D>>],
) {
    while step(d, host, cx, group).is_some() {}
}
