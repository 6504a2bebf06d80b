//! Legality: the rules that a program has to keep, and the check of them.

use super::{Context, Format, RuleInfo, Violation};

/// Lists the rules that a program breaks.
pub trait Legality: Format {
    /// Every rule.
    fn rules() -> Vec<RuleInfo>;
    /// Whether a program that breaks the rule of this number may depend on a value that no document defines; never, by default.
    fn leaves_undefined(_rule: u16) -> bool {
        false
    }
    /// Every violation of a rule, in program order.
    fn validate(cx: &Context<'_, Self>) -> Vec<Violation>;
}
