//! Tables of a validator's rules.

use super::{Level, Violation};

/// A row of a table of validator rules. `R` is the enum of the rules of one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct RuleRow<R> {
    /// The rule's enum value.
    pub rule: R,
    /// The rule's number: the vendor's if there is one, otherwise Lockstep's own.
    pub code: u16,
    /// The severity of a violation.
    pub level: Level,
    /// Describes the error in a program that violates the rule.
    pub meaning: &'static str,
    /// The source, as a citation.
    pub source: &'static str,
}

/// A validator rule in the form common to all instruction sets, without the enum value.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo {
    /// The rule's number.
    pub code: u16,
    /// The severity of a violation.
    pub level: Level,
    /// Describes the error in a program that violates the rule.
    pub meaning: &'static str,
    /// The source, as a citation.
    pub source: &'static str,
}

impl<R> RuleRow<R> {
    /// Returns the row without the enum value.
    pub fn info(&self) -> RuleInfo {
        let RuleRow { code, level, meaning, source, .. } = *self;
        RuleInfo { code, level, meaning, source }
    }

    /// Creates a violation of the rule at an instruction, or by the program as a whole (`None`).
    pub fn violation(&self, word: Option<u32>) -> Violation {
        self.info().violation(word)
    }
}

impl RuleInfo {
    /// Creates a violation of the rule at an instruction, or by the program as a whole (`None`).
    pub fn violation(&self, word: Option<u32>) -> Violation {
        let RuleInfo { code, level, meaning, source } = *self;
        Violation { code, level, word, message: meaning.to_owned(), source }
    }
}

/// Declares the rules of an instruction set, one row each: identifier, number, level, the error in a program that violates the rule, source. The
/// identifiers after `undefined:` are the rules whose violation makes a program depend on a value that no document defines.
///
/// Defines the enum `Rule` with its methods `row` and `code`, the table `RULES` in the same order, and the list `UNDEFINED` of the rules after
/// `undefined:`.
macro_rules! rules {
    (undefined: $($undefined:ident)*; $($name:ident $code:literal $level:ident $meaning:literal, $source:literal;)*) => {
        /// The validator rules.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule { $(#[doc = $meaning] $name,)* }

        /// The rules, in order of [`Rule`].
        pub static RULES: &[$crate::isa::RuleRow<Rule>] = &[$($crate::isa::RuleRow {
            rule: Rule::$name,
            code: $code,
            level: $crate::isa::Level::$level,
            meaning: $meaning,
            source: $source,
        },)*];

        /// The rules whose violation may make a program depend on a value that no document defines, such as an unwritten register.
        pub static UNDEFINED: &[Rule] = &[$(Rule::$undefined,)*];

        impl Rule {
            /// Returns the rule's row in the table.
            pub fn row(self) -> &'static $crate::isa::RuleRow<Rule> {
                &RULES[self as usize]
            }

            /// Returns the rule's number.
            pub const fn code(self) -> u16 {
                match self { $(Rule::$name => $code,)* }
            }
        }
    };
}
pub(crate) use rules;
