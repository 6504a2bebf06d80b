//! Pairs of values that no instruction of a legal program has.

use crate::isa::facet::Infeasible;

const INDEXING: &str = "only vertex programs index";

/// The list.
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("index", "stage=fragment", INDEXING),
    Infeasible::in_word("index.component", "stage=fragment", INDEXING),
];
