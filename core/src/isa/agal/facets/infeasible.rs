//! Pairs of values that no instruction of a legal program has.

use crate::isa::facet::Infeasible;

const NOT_WRITTEN: &str = "operations write no inputs and no constants";
const INDEXING: &str = "only vertex programs index";

/// The list.
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("index", "stage=fragment", INDEXING),
    Infeasible::in_word("index.component", "stage=fragment", INDEXING),
    Infeasible::in_word("overlap=a", "a.file=constant", NOT_WRITTEN),
    Infeasible::in_word("overlap=a", "a.file=input", NOT_WRITTEN),
    Infeasible::in_word("overlap=b", "b.file=constant", NOT_WRITTEN),
    Infeasible::in_word("overlap=b", "b.file=input", NOT_WRITTEN),
];
