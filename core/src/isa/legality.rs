//! Legality: the rules for well-formed programs, and the validator that checks them.

use super::{Context, Format, Level, Options, RuleInfo, Tables, Violation};

/// Lists rules and checks programs against them.
pub trait Legality: Format {
    /// Returns every rule of the instruction set.
    fn rules() -> Vec<RuleInfo>;
    /// Whether a program that violates this rule may depend on a value that no document defines. False by default.
    fn leaves_undefined(_rule: u16) -> bool {
        false
    }
    /// Whether the rules find every program that depends on a register that it leaves unwritten on some path. If false, the default, the rules only
    /// check whether any earlier instruction writes the register, like the vendor's own validator.
    fn finds_unwritten_paths() -> bool {
        false
    }
    /// Returns all rule violations in program order; violations of the program as a whole come before or after those of instructions.
    fn validate(cx: &Context<'_, Self>) -> Vec<Violation>;
}

/// Whether a program has at least one entry, and no entry violates a rule at error level under default options.
pub fn is_legal<I: Tables + Legality>(program: &I::Program) -> bool {
    is_legal_under::<I>(program, &Options::new(I::option_specs()))
}

/// Like [`is_legal`], under the given options.
pub(super) fn is_legal_under<I: Tables + Legality>(program: &I::Program, options: &Options) -> bool {
    let entries = I::entries(program);
    !entries.is_empty()
        && entries.iter().all(|entry| {
            let cx: Context<'_, I> = Context { program, entry, options };
            I::validate(&cx).iter().all(|violation| violation.level != Level::Error)
        })
}
