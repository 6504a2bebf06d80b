//! Pairs of values that no instruction of a legal program has.

use crate::isa::facet::Infeasible;

/// The list.
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("condition=x", "ref.y", "the condition does not look at y"),
    Infeasible::in_word("condition=y", "ref.x", "the condition does not look at x"),
];
