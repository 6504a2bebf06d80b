//! Operand codes and their meanings, which depend on the operand position.

use super::vocabulary::UNUSED as NO_OPERAND;

pub use super::vocabulary::ResultOf;

/// An operand of a unit. Components are 0 to 3 for x to w.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Component of the register or attribute at read port 0.
    Port0(u8),
    /// Component of the register at read port 1.
    Port1(u8),
    /// Component of the uniform or temporary at the load port.
    Load(u8),
    /// Component of the value that read port 0 provided in the previous word.
    Port0Before(u8),
    /// The result of a unit `age` words before, 1 or 2.
    Result {
        /// The unit that computed the result.
        of: ResultOf,
        /// The distance in words to the word that computed the result: 1 or 2.
        age: u8,
    },
    /// 1.0 for multipliers, +0.0 for adders; only as a second operand.
    Identity,
    /// No operand.
    Unused,
    /// Codes 8 to 11. Codes 9 to 11 are undocumented. Only SEED describes code 8, as another code for no operand, and units treat it so (derived).
    Unknown(u8),
}

// Declares codes with their names in printed layouts and their meanings in a first operand; generates the table of meanings and the field's choices.
macro_rules! codes {
    ($(#[$doc:meta])* $choices:ident, $(#[$meant:meta])* $meanings:ident: [$type:ty; $size:literal] else $at:ident: $other:expr;
     $($code:literal $text:tt $meaning:expr;)*) => {
        $(#[$doc])*
        #[allow(unused_parens)] // around a name that is an expression
        pub const $choices: [(u64, &str); [$($code),*].len()] = [$(($code, $text)),*];

        $(#[$meant])*
        const $meanings: [$type; $size] = {
            let mut $at = 0u8;
            let mut all = [$other; $size];
            while ($at as usize) < $size {
                all[$at as usize] = $other;
                $at += 1;
            }
            $(all[$code] = $meaning;)*
            all
        };
    };
}

const fn result_source(of: ResultOf, age: u8) -> Source {
    Source::Result { of, age }
}

use ResultOf::{Acc0, Acc1, Complex, Mul0, Mul1, Pass};

codes! {
    /// The documented 5-bit operand codes.
    SOURCES,
    /// The meanings of operand codes in a first operand.
    MEANINGS: [Source; 32] else code: Source::Unknown(code);
    0 "port 0 x" Source::Port0(0);
    1 "port 0 y" Source::Port0(1);
    2 "port 0 z" Source::Port0(2);
    3 "port 0 w" Source::Port0(3);
    4 "port 1 x" Source::Port1(0);
    5 "port 1 y" Source::Port1(1);
    6 "port 1 z" Source::Port1(2);
    7 "port 1 w" Source::Port1(3);
    12 "load x" Source::Load(0);
    13 "load y" Source::Load(1);
    14 "load z" Source::Load(2);
    15 "load w" Source::Load(3);
    16 "acc 0, one word before" result_source(Acc0, 1);
    17 "acc 1, one word before" result_source(Acc1, 1);
    18 "mul 0, one word before" result_source(Mul0, 1);
    19 "mul 1, one word before" result_source(Mul1, 1);
    20 "pass, one word before" result_source(Pass, 1);
    21 (NO_OPERAND) Source::Unused;
    22 "complex, one word before; as second operand, 1.0 in mul and +0.0 in acc" result_source(Complex, 1);
    23 "pass, two words before" result_source(Pass, 2);
    24 "acc 0, two words before" result_source(Acc0, 2);
    25 "acc 1, two words before" result_source(Acc1, 2);
    26 "mul 0, two words before" result_source(Mul0, 2);
    27 "mul 1, two words before" result_source(Mul1, 2);
    28 "port 0 x, one word before" Source::Port0Before(0);
    29 "port 0 y, one word before" Source::Port0Before(1);
    30 "port 0 z, one word before" Source::Port0Before(2);
    31 "port 0 w, one word before" Source::Port0Before(3);
}

codes! {
    /// The documented 3-bit store codes.
    STORE_SOURCES,
    /// The meanings of store codes.
    STORED: [StoreSource; 8] else code: StoreSource::Unknown;
    0 "acc 0" StoreSource::Result(Acc0);
    1 "acc 1" StoreSource::Result(Acc1);
    2 "mul 0" StoreSource::Result(Mul0);
    3 "mul 1" StoreSource::Result(Mul1);
    4 (Pass.name()) StoreSource::Result(Pass);
    6 (Complex.name()) StoreSource::Result(Complex);
    7 (NOTHING) StoreSource::Nothing;
}

/// The name of the code for a component that is not stored.
pub const NOTHING: &str = "none";
/// The code for no operand.
pub const UNUSED: u8 = Source::Unused.known_code();
/// Code 8, which only SEED describes: another code for no operand.
pub const ALSO_UNUSED: u8 = 8;
/// The code of the identity in a second operand, and of the complex unit's result elsewhere.
pub const IDENTITY: u8 = result_source(Complex, 1).known_code();
/// The store code for a component that is not stored.
pub const NOT_STORED: u8 = 7;

/// Returns the operand code of the result that a unit computed `age` words before this word.
///
/// # Panics
/// If this result has no code. In the initialiser of a constant, such a panic is a build error.
pub const fn code_of(of: ResultOf, age: u8) -> u8 {
    result_source(of, age).known_code()
}

/// Whether an operand's code denotes an operand, known or unknown.
#[inline]
pub fn is_used(code: u8) -> bool {
    code != UNUSED && code != ALSO_UNUSED
}

impl Source {
    /// Returns the meaning of a 5-bit code; higher bits are ignored. `is_second` states whether the operand is the second one of an acc or mul unit.
    #[inline]
    pub fn decode(code: u8, is_second: bool) -> Source {
        match code & 31 {
            IDENTITY if is_second => Source::Identity,
            code => MEANINGS[usize::from(code)],
        }
    }

    /// Returns the code; `None` for the complex unit's result two words before, which has no code.
    pub fn code(self) -> Option<u8> {
        self.find()
    }

    const fn find(self) -> Option<u8> {
        let wanted = match self {
            Source::Identity => result_source(Complex, 1),
            other => other,
        };
        let mut code = 0;
        while code < MEANINGS.len() {
            if MEANINGS[code].is(wanted) {
                return Some(code as u8);
            }
            code += 1;
        }
        None
    }

    /// Returns the code of a source.
    ///
    /// # Panics
    /// If the source has no code. In the initialiser of a constant, such a panic is a build error.
    pub const fn known_code(self) -> u8 {
        match self.find() {
            Some(code) => code,
            None => panic!("this source has no code"),
        }
    }

    // Derived `==` is not available in constants.
    const fn is(self, other: Source) -> bool {
        match (self, other) {
            (Source::Port0(a), Source::Port0(b))
            | (Source::Port1(a), Source::Port1(b))
            | (Source::Load(a), Source::Load(b))
            | (Source::Port0Before(a), Source::Port0Before(b))
            | (Source::Unknown(a), Source::Unknown(b)) => a == b,
            (Source::Result { of: a, age }, Source::Result { of: b, age: other }) => {
                a as u8 == b as u8 && age == other
            }
            (Source::Unused, Source::Unused) | (Source::Identity, Source::Identity) => true,
            _ => false,
        }
    }
}

/// The source of a stored component: always a result of the same word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreSource {
    /// The result of this unit.
    Result(ResultOf),
    /// Nothing is stored.
    Nothing,
    /// Code 5, which is undocumented.
    Unknown,
}

impl StoreSource {
    /// Returns the meaning of a 3-bit code; higher bits are ignored.
    #[inline]
    pub fn decode(code: u8) -> StoreSource {
        STORED[usize::from(code & 7)]
    }

    /// Returns the code.
    pub const fn code(self) -> u8 {
        match self {
            StoreSource::Result(of) => STORED_CODES[of as usize],
            StoreSource::Nothing => NOT_STORED,
            StoreSource::Unknown => NO_SOURCE,
        }
    }
}

/// The undocumented store code.
const NO_SOURCE: u8 = 5;

/// The store code of each unit's result.
const STORED_CODES: [u8; ResultOf::ALL.len()] = {
    let mut codes = [NOT_STORED; ResultOf::ALL.len()];
    let mut code = 0;
    while code < STORED.len() {
        if let StoreSource::Result(of) = STORED[code] {
            codes[of as usize] = code as u8;
        }
        code += 1;
    }
    codes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_round_trips_in_both_operand_positions() {
        for code in 0..32 {
            for second in [false, true] {
                assert_eq!(Source::decode(code, second).code(), Some(code), "{code} {second}");
            }
        }
        assert_eq!(
            (0..8).map(|c| StoreSource::decode(c).code()).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5, 6, 7]
        );
        assert_eq!(Source::Result { of: ResultOf::Complex, age: 2 }.code(), None);
        assert_ne!(Source::decode(IDENTITY, false), Source::decode(IDENTITY, true));
    }
}
