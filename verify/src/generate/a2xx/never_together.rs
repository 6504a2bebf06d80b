//! Modifiers that never occur together in generated programs.

use crate::generate::NeverTogether;

/// The list, besides the pairs that facets rule out.
pub(super) const NEVER_TOGETHER: &[NeverTogether] =
    &[NeverTogether::forms("dest=relative", "mask=none", "what writes nothing has no place to write")];
