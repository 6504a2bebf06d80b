//! Runs the reference on groups of lanes. Lanes at the lowest position step first, and every backward transfer and every call costs fuel.

use super::{Context, Reference, Refinement, registers};
use crate::exec::StandardMode;
use crate::host::{End, Host};
use crate::value::Domain;

/// A lane of a group: its machine state, and state that does not depend on the instruction set.
#[derive(Clone, Debug)]
pub struct LaneState<L> {
    /// The instruction set's machine state.
    pub lane: L,
    /// Remaining fuel. A run ends with [`End::OutOfFuel`] where a transfer needs fuel and none is left.
    pub fuel: u32,
    /// How the lane ended; `None` while it runs.
    pub end: Option<End>,
}

/// Whether a transfer costs a unit of fuel. A transfer costs fuel if its target is not after the current position, or if it is a call.
///
/// Between two units of fuel, a lane runs each instruction at most once per call depth. Fuel therefore bounds the running time.
pub fn costs_fuel<I: Reference>(from: &I::Position, to: &I::Position) -> bool {
    to <= from || I::calls(to) > I::calls(from)
}

/// Starts `n` lanes (1, or 4 for a quad) at the entry, with their initial registers.
pub fn start<I: Refinement, D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    cx: &Context<'_, I>,
    n: usize,
    fuel: u32,
) -> Vec<LaneState<I::Lane<D>>> {
    let start = |number| {
        let mut lane = I::start(d, host, cx, number);
        registers::set_initial(d, host, cx, number, &mut lane);
        LaneState { lane, fuel, end: None }
    };
    (0..n).map(start).collect()
}

/// The maximum number of lanes of a group: one for each bit of a set of lanes (`u8`).
const MAX_LANES: usize = 8;

/// The position of each lane of a group, by lane number; `None` for lanes that have ended.
struct Positions<I: Reference>([Option<I::Position>; MAX_LANES]);

impl<I: Reference> Positions<I> {
    /// Returns the positions of a group, and marks lanes at the end of the program as finished.
    fn of<D: Domain>(cx: &Context<'_, I>, group: &mut [LaneState<I::Lane<D>>]) -> Positions<I> {
        let mut all = Positions([None; MAX_LANES]);
        for (running, position) in group.iter_mut().zip(&mut all.0) {
            if running.end.is_none() {
                *position = I::position(cx, &running.lane);
                if position.is_none() {
                    running.end = Some(End::Finished);
                }
            }
        }
        all
    }

    /// Returns the lowest position and the set of lanes at it (bit k = lane k).
    fn lowest(&self) -> Option<(I::Position, u8)> {
        let mut lowest = None;
        for (k, position) in self.0.iter().enumerate() {
            let Some(position) = *position else { continue };
            match lowest {
                Some((low, _)) if position > low => {}
                Some((low, active)) if position == low => lowest = Some((low, active | 1 << k)),
                _ => lowest = Some((position, 1 << k)),
            }
        }
        lowest
    }

    /// Implements [`step`], and updates the positions.
    fn step<D: Domain, H: Host<D>>(
        &mut self,
        d: &mut D,
        host: &mut H,
        cx: &Context<'_, I>,
        group: &mut [LaneState<I::Lane<D>>],
    ) -> Option<I::Position> {
        let (position, active) = self.lowest()?;
        I::step(d, host, cx, group, active);
        for (k, (running, at)) in group.iter_mut().zip(&mut self.0).enumerate() {
            if active >> k & 1 == 0 {
                continue;
            }
            // The instruction itself may have ended the lane.
            *at = if running.end.is_none() { I::position(cx, &running.lane) } else { None };
            match at {
                None => running.end = running.end.or(Some(End::Finished)),
                Some(next) if costs_fuel::<I>(&position, next) => match running.fuel.checked_sub(1) {
                    Some(left) => running.fuel = left,
                    None => {
                        running.end = Some(End::OutOfFuel);
                        *at = None;
                    }
                },
                Some(_) => {}
            }
        }
        Some(position)
    }
}

/// Runs the lanes at the lowest position through one instruction. Returns that position, or `None` once every lane has ended.
pub fn step<I: Reference, D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Context<'_, I>,
    group: &mut [LaneState<I::Lane<D>>],
) -> Option<I::Position> {
    Positions::of(cx, group).step(d, host, cx, group)
}

/// Runs a group until all lanes have ended.
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
    let mut positions = Positions::of(cx, group);
    while positions.step(d, host, cx, group).is_some() {}
}
