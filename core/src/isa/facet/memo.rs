//! The coverage points and the rule instances of a table, which are computed once per process.

use super::array::{Instances, instances};
use super::reach::{Reached, reach};
use crate::isa::{CoverPoint, Legality, RuleInstance, Syntax, Tables};
use std::sync::OnceLock;

/// A cache for the coverage points and the rule instances of a table, each computed on first use.
#[derive(Debug)]
pub struct Memo<P: 'static> {
    reached: OnceLock<Reached>,
    instances: OnceLock<Instances<P>>,
}

impl<P> Memo<P> {
    /// Creates an empty cache.
    #[allow(clippy::new_without_default)] // used only to initialise statics
    pub const fn new() -> Memo<P> {
        Memo { reached: OnceLock::new(), instances: OnceLock::new() }
    }
}

/// Returns the coverage points of an instruction set, in table order. Only points that setters reach are included. The first call validates several
/// thousand small programs.
pub fn points<I: Tables + Legality>() -> &'static [CoverPoint] {
    &reached::<I>().points
}

/// Returns the contexts in which a setter reaches the point, as indices into the list that [`super::Table::contexts`] returns for the point's opcode.
/// Empty if there is no such coverage point.
pub fn contexts<I: Tables + Legality>(point: &CoverPoint) -> &'static [usize] {
    reached::<I>().contexts.get(point).map_or(&[], Vec::as_slice)
}

/// Returns the instances of the lowering rules of an instruction set. The first call validates tens of thousands of small programs.
pub fn rule_instances<I: Syntax + Tables + Legality>() -> &'static [RuleInstance<I::Program>] {
    &covering::<I>().all
}

/// Returns the uncovered pairs, with each value as `facet=value`. An uncovered pair is two values of different facets that setters reach in one
/// context of an opcode but that no instance combines.
pub fn uncovered<I: Syntax + Tables + Legality>() -> &'static [[String; 2]] {
    &covering::<I>().uncovered
}

fn covering<I: Syntax + Tables + Legality>() -> &'static Instances<I::Program> {
    let table = I::facets();
    table.memo.instances.get_or_init(|| instances::<I>(table))
}

fn reached<I: Tables + Legality>() -> &'static Reached {
    let table = I::facets();
    table.memo.reached.get_or_init(|| reach::<I>(table))
}
