//! What follows from a table, made once in a process.

use super::array::{Instances, instances};
use super::reach::{Reached, reach};
use crate::isa::{ClassPoint, Isa, RuleProgram};
use std::sync::OnceLock;

/// The points and the instances of a table, once they were asked for.
#[derive(Debug)]
pub struct Memo<P: 'static> {
    reached: OnceLock<Reached>,
    instances: OnceLock<Instances<P>>,
}

impl<P> Memo<P> {
    /// Nothing so far.
    #[allow(clippy::new_without_default)] // statics begin so, and nothing else does
    pub const fn new() -> Memo<P> {
        Memo { reached: OnceLock::new(), instances: OnceLock::new() }
    }
}

/// The coverage points of an instruction set, in the order of its table: those that setters reach. It takes the time of validating several
/// thousand small programs when it is first called.
pub fn points<I: Isa>() -> &'static [ClassPoint] {
    &reached::<I>().points
}

/// The places in [`super::Table::around`] of the contexts in which a setter reaches a point; none if it is no point.
pub fn contexts<I: Isa>(point: &ClassPoint) -> &'static [usize] {
    reached::<I>().contexts.get(point).map_or(&[], Vec::as_slice)
}

/// The instances of the lowering rules of an instruction set. It takes the time of validating some tens of thousands of small programs when it
/// is first called.
pub fn rule_instances<I: Isa>() -> &'static [RuleProgram<I::Program>] {
    &covering::<I>().all
}

/// The pairs of values of two facets of one opcode, each reached in one context, that are in no instance, as `facet=value`.
pub fn unmet<I: Isa>() -> &'static [[String; 2]] {
    &covering::<I>().unmet
}

fn covering<I: Isa>() -> &'static Instances<I::Program> {
    let table = I::facets();
    table.memo.instances.get_or_init(|| instances::<I>(table))
}

fn reached<I: Isa>() -> &'static Reached {
    let table = I::facets();
    table.memo.reached.get_or_init(|| reach::<I>(table))
}
