//! The reference semantics of an instruction set: the effect of one instruction on a group of lanes, as in the manual, over any [`Domain`].

use super::{Context, Format, LaneState};
use crate::host::Host;
use crate::value::Domain;
use std::fmt::Debug;

/// Executes programs one instruction at a time, called by [`run`](super::run).
pub trait Reference: Format {
    /// The reference's state of one lane.
    type Lane<D: Domain>: Clone + Debug;
    /// The position of a lane. Positions are ordered by the active call sites first, then by the program counter.
    type Position: Copy + Ord + Debug;
    /// Returns the number of lanes that run together: 1, the default, or 4 where derivatives are needed.
    fn group(_cx: &Context<'_, Self>) -> u8 {
        1
    }
    /// Creates a lane at the entry. `lane` is its number in the group.
    fn start<D: Domain, H: Host<D>>(
        d: &D,
        host: &mut H,
        cx: &Context<'_, Self>,
        lane: usize,
    ) -> Self::Lane<D>;
    /// Returns the position of a lane; `None` at the end of the program.
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> Option<Self::Position>;
    /// Returns the number of active calls at a position, for [`costs_fuel`](super::run::costs_fuel). The default is 0, for positions that do not
    /// contain call sites. A call then costs fuel at the return, or at the call itself if it jumps backwards.
    fn calls(_position: &Self::Position) -> usize {
        0
    }
    /// Executes one instruction for the `active` lanes (bit k = lane k), all of which are at the same position.
    fn step<D: Domain, H: Host<D>>(
        d: &mut D,
        host: &mut H,
        cx: &Context<'_, Self>,
        group: &mut [LaneState<Self::Lane<D>>],
        active: u8,
    );
    /// Returns the value of an output register; zeros for a slot that has none.
    fn output<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &Self::Lane<D>, slot: u16) -> [D::F; 4];
    /// Returns the sticky kill mark of a lane.
    fn killed<D: Domain>(lane: &Self::Lane<D>) -> D::B;
}

/// Returns the value of a register; zeros if there is none.
pub(super) fn value_or_zeros<D: Domain>(d: &D, register: Option<&[D::F; 4]>) -> [D::F; 4] {
    register.cloned().unwrap_or_else(|| std::array::from_fn(|_| d.f(0.0)))
}
