//! Modifiers that never occur together in generated programs.

use crate::generate::NeverTogether;

/// The pairs of facet values that never occur together, in addition to those that the facets exclude.
pub(super) const NEVER_TOGETHER: &[NeverTogether] = &[
    NeverTogether::only_in_rule_instances(
        "direction=backward",
        "condition=postlog2",
        "generated loops test a counter, which postlog2 cannot read",
    ),
    NeverTogether::only_in_rule_instances(
        "direction=itself",
        "condition=mov",
        "a generated word that branches to itself clamps its counter",
    ),
];
