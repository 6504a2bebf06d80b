//! Options: named choices for points on which the documents of an instruction set disagree.

use crate::value::Freedom;
use std::sync::atomic::{AtomicU64, Ordering};

/// An option: one point on which the documents disagree.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The name used on the command line and in case files.
    pub name: &'static str,
    /// The question that the choices answer, with the sources.
    pub meaning: &'static str,
    /// Names of the choices; the first is the default.
    pub choices: &'static [&'static str],
    /// The Freedom that a run records where the choice makes a difference; [`Freedom::Strictness`] if only the validator reads the option.
    pub freedom: Freedom,
}

/// The maximum number of options of an instruction set.
pub(super) const MAX_OPTIONS: usize = 64;

/// The options of a run: one choice for each option of the instruction set.
///
/// Semantics read choices through [`Options::get`], which records the option. A proof then only has to cover the options that an opcode reads.
#[derive(Debug)]
pub struct Options {
    specs: &'static [OptionSpec],
    choices: [u8; MAX_OPTIONS],
    read: AtomicU64,
}

impl Clone for Options {
    fn clone(&self) -> Self {
        Options { specs: self.specs, choices: self.choices, read: AtomicU64::new(0) }
    }
}

impl PartialEq for Options {
    fn eq(&self, other: &Self) -> bool {
        self.choices == other.choices
    }
}

/// The reason why an option setting was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// No option has this name.
    #[error("there is no option '{name}'; the options are {known}")]
    UnknownOption {
        /// The unknown option name.
        name: String,
        /// The names of the existing options.
        known: String,
    },
    /// The option has no choice of this name.
    #[error("option '{option}' has no choice '{choice}'; its choices are {known}")]
    UnknownChoice {
        /// The name of the option.
        option: &'static str,
        /// The unknown choice name.
        choice: String,
        /// The names of the existing choices.
        known: String,
    },
}

impl Options {
    /// Creates options with the default choices.
    pub fn new(specs: &'static [OptionSpec]) -> Options {
        debug_assert!(specs.len() <= MAX_OPTIONS);
        Options { specs, choices: [0; MAX_OPTIONS], read: AtomicU64::new(0) }
    }

    /// Returns the descriptions of the options.
    pub fn specs(&self) -> &'static [OptionSpec] {
        self.specs
    }

    /// Returns the choice of an option, given by its index in the table, and records the read.
    #[inline(always)]
    pub fn get(&self, option: usize) -> u8 {
        // Most reads find the bit set already and skip the atomic write. `fetch_or` keeps bits that other threads set.
        let mark = 1u64 << option;
        if self.read.load(Ordering::Relaxed) & mark == 0 {
            self.read.fetch_or(mark, Ordering::Relaxed);
        }
        self.choices[option]
    }

    /// Returns the choice of an option without recording the read: for printing and searching, and for validators, which do not affect semantics.
    pub fn peek(&self, option: usize) -> u8 {
        self.choices[option]
    }

    /// Returns the choices of all options, by index, without recording reads. Two [`Options`] are equal if all of their choices are equal.
    pub fn choices(&self) -> &[u8] {
        &self.choices[..self.specs.len()]
    }

    /// Sets an option by index. The choice is taken modulo the number of choices.
    pub fn set(&mut self, option: usize, choice: u8) {
        if let Some(a) = self.specs.get(option) {
            self.choices[option] = choice % a.choices.len() as u8;
        }
    }

    /// Sets an option by name.
    ///
    /// # Errors
    /// If the option or the choice does not exist; the message lists those that do.
    pub fn set_named(&mut self, name: &str, choice: &str) -> Result<(), OptionsError> {
        let known = |names: &mut dyn Iterator<Item = &str>| names.collect::<Vec<_>>().join(", ");
        let Some(at) = self.specs.iter().position(|a| a.name == name) else {
            let known = known(&mut self.specs.iter().map(|a| a.name));
            return Err(OptionsError::UnknownOption { name: name.to_owned(), known });
        };
        let option = &self.specs[at];
        match option.choices.iter().position(|c| *c == choice) {
            Some(c) => self.choices[at] = c as u8,
            None => {
                let known = known(&mut option.choices.iter().copied());
                return Err(OptionsError::UnknownChoice {
                    option: option.name,
                    choice: choice.to_owned(),
                    known,
                });
            }
        }
        Ok(())
    }

    /// Iterates over the options whose choice is not the default, with the names of option and choice.
    pub fn changed(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        self.specs
            .iter()
            .zip(self.choices)
            .filter(|(_, c)| *c != 0)
            .map(|(a, c)| (a.name, a.choices[usize::from(c)]))
    }

    /// Returns the options read since the last call, as a bit set over indices, and clears the set.
    pub fn take_read(&self) -> u64 {
        self.read.swap(0, Ordering::Relaxed)
    }
}

/// Declares the options of an instruction set, one row each: identifier, name in text, choices with the default first, Freedom, meaning.
///
/// Defines the enum `Choice` of the options, with its method `option`, and the table `OPTION_SPECS` in the same order.
macro_rules! specs {
    ($($name:ident = $text:literal, [$($choice:literal),*], $freedom:ident, $meaning:literal;)*) => {
        /// The options, by index.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Choice { $(#[doc = $meaning] $name,)* }

        /// All options. The first choice of each is the default.
        pub static OPTION_SPECS: &[$crate::isa::OptionSpec] = &[$($crate::isa::OptionSpec {
            name: $text,
            meaning: $meaning,
            choices: &[$($choice),*],
            freedom: $crate::value::Freedom::$freedom,
        },)*];

        impl Choice {
            /// The option's index in [`OPTION_SPECS`].
            #[inline(always)]
            pub const fn option(self) -> usize {
                self as usize
            }
        }
    };
}
pub(crate) use specs;

#[cfg(test)]
mod tests {
    use super::*;

    static OPTION_SPECS: &[OptionSpec] = &[
        OptionSpec { name: "a", meaning: "", choices: &["x", "y"], freedom: Freedom::IndexRange },
        OptionSpec { name: "b", meaning: "", choices: &["p", "q", "r"], freedom: Freedom::Unwritten },
    ];

    #[test]
    fn option_reads_are_recorded_once_and_only_where_they_happen() {
        let options = Options::new(OPTION_SPECS);
        assert_eq!(options.take_read(), 0);
        options.get(1);
        options.get(1);
        assert_eq!(options.take_read(), 0b10);
        assert_eq!(options.take_read(), 0);
    }

    #[test]
    fn errors_about_wrong_names_list_the_valid_ones() {
        let mut options = Options::new(OPTION_SPECS);
        assert!(options.set_named("b", "r").is_ok());
        assert_eq!(options.changed().collect::<Vec<_>>(), [("b", "r")]);
        let error = options.set_named("c", "r").unwrap_err().to_string();
        assert!(error.contains("'c'") && error.contains("a, b"), "{error}");
        let error = options.set_named("b", "z").unwrap_err().to_string();
        assert!(error.contains("'z'") && error.contains("p, q, r"), "{error}");
    }
}
