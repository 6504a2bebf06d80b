//! Tables of a validator's rules.

use super::{Level, Violation};

/// A row of a table of rules; `R` is the enum of the rules of one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct RuleRow<R> {
    /// Its name.
    pub rule: R,
    /// Its number: the vendor's if there is one, else one of the project's own.
    pub code: u16,
    /// How serious it is.
    pub level: Level,
    /// The error in a program that breaks it.
    pub meaning: &'static str,
    /// The source, as a citation.
    pub source: &'static str,
}

/// A rule as others list it, without its name.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo {
    /// Its number.
    pub code: u16,
    /// How serious it is.
    pub level: Level,
    /// The error in a program that breaks it.
    pub meaning: &'static str,
    /// The source, as a citation.
    pub source: &'static str,
}

impl<R> RuleRow<R> {
    /// The row without the name.
    pub fn info(&self) -> RuleInfo {
        let RuleRow { code, level, meaning, source, .. } = *self;
        RuleInfo { code, level, meaning, source }
    }

    /// The violation of the rule at an instruction, or by the program as a whole.
    pub fn violation(&self, word: Option<u32>) -> Violation {
        self.info().violation(word)
    }
}

impl RuleInfo {
    /// The violation of the rule at an instruction, or by the program as a whole.
    pub fn violation(&self, word: Option<u32>) -> Violation {
        let RuleInfo { code, level, meaning, source } = *self;
        Violation { code, level, word, message: meaning.to_owned(), source }
    }
}

/// Declares the rules of an instruction set, one row each: name, number, level, the error in a program that breaks it, source. The names after
/// `undefined:` are the rules whose violation leaves something undefined.
///
/// Defines the enum `Rule` with its methods `row` and `code`, and the table `RULES` in the same order.
macro_rules! rules {
    (undefined: $($undefined:ident)*; $($name:ident $code:literal $level:ident $meaning:literal, $source:literal;)*) => {
        /// A rule, by name.
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
            /// Its row.
            pub fn row(self) -> &'static $crate::isa::RuleRow<Rule> {
                &RULES[self as usize]
            }

            /// Its number.
            pub const fn code(self) -> u16 {
                match self { $(Rule::$name => $code,)* }
            }
        }
    };
}
pub(crate) use rules;
