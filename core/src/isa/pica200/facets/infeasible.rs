//! Pairs of facet values that no instruction of a legal program can have.

use crate::isa::facet::Infeasible;

const NOT_WRITTEN: &str = "no instruction writes this register file";
const NOT_READ: &str = "outputs cannot be read";

/// The list of infeasible pairs, each with its reason.
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("condition=x", "ref.y", "the condition does not test y"),
    Infeasible::in_word("condition=y", "ref.x", "the condition does not test x"),
    Infeasible::in_word("overlap=a", "a.file=input", NOT_WRITTEN),
    Infeasible::in_word("overlap=a", "a.file=uniform", NOT_WRITTEN),
    Infeasible::in_word("overlap=b", "b.file=input", NOT_WRITTEN),
    Infeasible::in_word("overlap=b", "b.file=uniform", NOT_WRITTEN),
    Infeasible::in_word("overlap=c", "c.file=input", NOT_WRITTEN),
    Infeasible::in_word("overlap=c", "c.file=uniform", NOT_WRITTEN),
    Infeasible::in_word("overlap=a", "dest=output", NOT_READ),
    Infeasible::in_word("overlap=b", "dest=output", NOT_READ),
    Infeasible::in_word("overlap=c", "dest=output", NOT_READ),
];
