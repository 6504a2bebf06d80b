//! Legality: the rules for well-formed programs, and the validator that checks them.

use super::{Context, Format, RuleInfo, Violation};

/// Lists rules and checks programs against them.
pub trait Legality: Format {
    /// Returns every rule of the instruction set.
    fn rules() -> Vec<RuleInfo>;
    /// Whether a program that violates this rule may depend on a value that no document defines. False by default.
    fn leaves_undefined(_rule: u16) -> bool {
        false
    }
    /// Returns all rule violations, in program order.
    fn validate(cx: &Context<'_, Self>) -> Vec<Violation>;
}
