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
    /// Whether the rules find every program that depends on a register that it leaves unwritten on some path. If false, the default, the rules only ask
    /// whether any earlier instruction writes the register, like the vendor's own validator.
    fn finds_unwritten_paths() -> bool {
        false
    }
    /// Returns all rule violations, in program order.
    fn validate(cx: &Context<'_, Self>) -> Vec<Violation>;
}
