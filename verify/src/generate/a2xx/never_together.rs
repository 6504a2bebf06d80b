//! Modifiers that never occur together in generated programs.

use crate::generate::NeverTogether;

/// The pairs of facet values that never occur together, in addition to those that the facets exclude.
pub(super) const NEVER_TOGETHER: &[NeverTogether] = &[NeverTogether::only_in_rule_instances(
    "dest=relative",
    "mask=none",
    "an instruction with an empty mask has no destination",
)];
