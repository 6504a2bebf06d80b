//! What source codes mean, by the place they stand in.

/// A unit that gives results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ResultOf {
    /// Adder 0.
    Acc0,
    /// Adder 1.
    Acc1,
    /// Multiplier 0, and wide operations.
    Mul0,
    /// Multiplier 1.
    Mul1,
    /// The pass unit.
    Pass,
    /// The complex unit.
    Complex,
}

impl ResultOf {
    /// All of them, in the order of Mesa's listing numbers.
    pub const ALL: [ResultOf; 6] =
        [ResultOf::Acc0, ResultOf::Acc1, ResultOf::Mul0, ResultOf::Mul1, ResultOf::Pass, ResultOf::Complex];

    /// Its name in assembly text.
    pub fn name(self) -> &'static str {
        match self {
            ResultOf::Acc0 => "acc[0]",
            ResultOf::Acc1 => "acc[1]",
            ResultOf::Mul0 => "mul[0]",
            ResultOf::Mul1 => "mul[1]",
            ResultOf::Pass => "pass",
            ResultOf::Complex => "complex",
        }
    }
}

/// An operand of a unit. Components are 0 to 3 for x to w.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Component of the register or attribute at read port 0.
    Port0(u8),
    /// Component of the register at read port 1.
    Port1(u8),
    /// Component of the uniform or temporary at the load port.
    Load(u8),
    /// Component of what read port 0 read one word before.
    Port0Before(u8),
    /// What a unit gave `age` words before, 1 or 2.
    Result {
        /// Which unit.
        of: ResultOf,
        /// How many words before.
        age: u8,
    },
    /// 1.0 for multipliers, +0.0 for adders; only a second operand can be this.
    Identity,
    /// No operand.
    Unused,
    /// Codes 8 to 11. No document knows 9 to 11; the seed takes 8 for another way to write no operand, and a unit reads it so
    /// (derived).
    Unknown(u8),
}

/// The code of no operand.
pub const UNUSED: u8 = 21;
/// Another code of no operand, by the seed alone.
pub const ALSO_UNUSED: u8 = 8;
/// The code of the identity in a second operand, and of the complex result elsewhere.
pub const IDENTITY: u8 = 22;

/// Whether an operand's code names something, be it known or not.
#[inline]
pub fn is_used(code: u8) -> bool {
    code != UNUSED && code != ALSO_UNUSED
}

impl Source {
    /// The meaning of a 5-bit code. `second` tells whether it stands in the second operand of an acc or mul unit.
    #[inline]
    pub fn decode(code: u8, second: bool) -> Source {
        use ResultOf::{Acc0, Acc1, Complex, Mul0, Mul1, Pass};
        let back = |of, age| Source::Result { of, age };
        match code & 31 {
            c @ 0..=3 => Source::Port0(c),
            c @ 4..=7 => Source::Port1(c - 4),
            c @ 8..=11 => Source::Unknown(c),
            c @ 12..=15 => Source::Load(c - 12),
            16 => back(Acc0, 1),
            17 => back(Acc1, 1),
            18 => back(Mul0, 1),
            19 => back(Mul1, 1),
            20 => back(Pass, 1),
            22 if second => Source::Identity,
            22 => back(Complex, 1),
            23 => back(Pass, 2),
            24 => back(Acc0, 2),
            25 => back(Acc1, 2),
            26 => back(Mul0, 2),
            27 => back(Mul1, 2),
            c @ 28..=31 => Source::Port0Before(c - 28),
            _ => Source::Unused,
        }
    }

    /// The code; `None` if there is none: the complex unit has no result two words old.
    pub fn code(self) -> Option<u8> {
        use ResultOf::{Acc0, Acc1, Complex, Mul0, Mul1, Pass};
        Some(match self {
            Source::Port0(c) => c & 3,
            Source::Port1(c) => 4 + (c & 3),
            Source::Unknown(c) => c,
            Source::Load(c) => 12 + (c & 3),
            Source::Port0Before(c) => 28 + (c & 3),
            Source::Unused => UNUSED,
            Source::Identity => IDENTITY,
            Source::Result { of, age } => match (of, age) {
                (Acc0, 1) => 16,
                (Acc1, 1) => 17,
                (Mul0, 1) => 18,
                (Mul1, 1) => 19,
                (Pass, 1) => 20,
                (Complex, 1) => 22,
                (Pass, 2) => 23,
                (Acc0, 2) => 24,
                (Acc1, 2) => 25,
                (Mul0, 2) => 26,
                (Mul1, 2) => 27,
                _ => return None,
            },
        })
    }
}

/// What is stored to a component: always a result of the same word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// What this unit gives.
    Result(ResultOf),
    /// Nothing is stored.
    Nothing,
    /// Code 5, which no document knows.
    Unknown,
}

/// The code of a store that does not happen.
pub const NOT_STORED: u8 = 7;

impl Stored {
    /// The meaning of a 3-bit code.
    #[inline]
    pub fn decode(code: u8) -> Stored {
        match code & 7 {
            0 => Stored::Result(ResultOf::Acc0),
            1 => Stored::Result(ResultOf::Acc1),
            2 => Stored::Result(ResultOf::Mul0),
            3 => Stored::Result(ResultOf::Mul1),
            4 => Stored::Result(ResultOf::Pass),
            5 => Stored::Unknown,
            6 => Stored::Result(ResultOf::Complex),
            _ => Stored::Nothing,
        }
    }

    /// The code.
    pub fn code(self) -> u8 {
        match self {
            Stored::Result(ResultOf::Complex) => 6,
            Stored::Result(of) => of as u8,
            Stored::Unknown => 5,
            Stored::Nothing => NOT_STORED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_comes_back_in_both_places() {
        for code in 0..32 {
            for second in [false, true] {
                assert_eq!(Source::decode(code, second).code(), Some(code), "{code} {second}");
            }
        }
        assert_eq!((0..8).map(|c| Stored::decode(c).code()).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(Source::Result { of: ResultOf::Complex, age: 2 }.code(), None);
        assert_ne!(Source::decode(IDENTITY, false), Source::decode(IDENTITY, true));
    }
}
