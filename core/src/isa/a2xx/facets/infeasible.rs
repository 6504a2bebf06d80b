//! Pairs of facet values that no instruction of a legal program can have.

use crate::isa::facet::Infeasible;

const NO_SLOTS: &str = "a clause that runs no slots has no slot that waits or fetches";
const ADDRESS: &str = "one bit of a slot selects the index register of all its constants";

/// The infeasible pairs of A2xx.
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("cnt=none", "serial", NO_SLOTS),
    Infeasible::in_word("cnt=none", "cache", NO_SLOTS),
    Infeasible::in_word("a.file=constant_al", "b.file=constant_a0", ADDRESS),
    Infeasible::in_word("a.file=constant_a0", "b.file=constant_al", ADDRESS),
    Infeasible::in_word("a.file=constant_al", "c.file=constant_a0", ADDRESS),
    Infeasible::in_word("a.file=constant_a0", "c.file=constant_al", ADDRESS),
    Infeasible::in_word("b.file=constant_al", "c.file=constant_a0", ADDRESS),
    Infeasible::in_word("b.file=constant_a0", "c.file=constant_al", ADDRESS),
];
