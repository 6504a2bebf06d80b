//! Values that never meet.

use crate::isa::facet::Apart;

const INDEXING: &str = "only vertex programs index";

/// The list.
pub(super) const APART: &[Apart] = &[
    Apart::in_word("index", "stage=fragment", INDEXING),
    Apart::in_word("index_lane", "stage=fragment", INDEXING),
];
