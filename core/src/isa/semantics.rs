//! The reference of an instruction set: what one instruction does to a group of lanes, read off the manual, over any [`Domain`].

use super::{Context, Format, LaneState};
use crate::host::Host;
use crate::value::Domain;
use std::fmt::Debug;

/// Runs programs one instruction at a time. [`run`](super::run) drives it.
pub trait Reference: Format {
    /// The reference's state of one lane.
    type Lane<D: Domain>: Clone + Debug;
    /// The position of a lane of the reference: call sites, then program counter.
    type Position: Copy + Ord + Debug;
    /// Lanes that run together: 1, the default, or 4 where derivatives are needed.
    fn group(_cx: &Context<'_, Self>) -> u8 {
        1
    }
    /// A lane at the entry. `lane` is its number in the group.
    fn start<D: Domain, H: Host<D>>(
        d: &D,
        host: &mut H,
        cx: &Context<'_, Self>,
        lane: usize,
    ) -> Self::Lane<D>;
    /// The position of a lane; `None` at the end.
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> Option<Self::Position>;
    /// The number of active calls at a position, for [`costs_fuel`](super::run::costs_fuel); 0, the default, where positions do not show it. A call then costs fuel at
    /// the return, or at the call itself if it jumps backwards.
    fn calls(_position: &Self::Position) -> usize {
        0
    }
    /// Runs the `active` lanes (bit k = lane k), which are at one position, through one instruction.
    fn step<D: Domain, H: Host<D>>(
        d: &mut D,
        host: &mut H,
        cx: &Context<'_, Self>,
        group: &mut [LaneState<Self::Lane<D>>],
        active: u8,
    );
    /// The value of an output register.
    fn output<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>, slot: u16) -> [D::F; 4];
    /// The sticky kill mark of a lane.
    fn killed<D: Domain>(lane: &Self::Lane<D>) -> D::B;
}
