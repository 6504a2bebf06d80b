//! Tables of the rules that a validator judges by.

use super::{Level, Violation};

/// A row of a table of rules; `R` is the enum of the rules of one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct RuleRow<R> {
    /// Its name.
    pub rule: R,
    /// Its number: the vendor's where there is one, else a number of our own.
    pub code: u16,
    /// How serious it is.
    pub level: Level,
    /// What is wrong with a program that breaks it.
    pub meaning: &'static str,
    /// Where it is written.
    pub source: &'static str,
}

impl<R> RuleRow<R> {
    /// The rule, broken at an instruction, or by the program as a whole.
    pub fn violation(&self, word: Option<u32>) -> Violation {
        let RuleRow { code, level, source, .. } = *self;
        Violation { code, level, word, message: self.meaning.to_owned(), source }
    }
}

/// Declares the rules of an instruction set, a row each: name, number, level, what is wrong with a program that breaks it, source. Before them
/// stand the names of those that leave something undefined.
///
/// This gives the enum `Rule` with `row` and `code`, and the table `RULES` in its order.
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

        /// Those that, where they are broken, may let a program depend on what no document gives a value, such as a register that nothing wrote.
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
