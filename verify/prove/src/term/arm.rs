//! The arms of the term constructor: every place that returns a folded term, or that establishes a side condition of a fold, has a name of its own. A
//! run counts how often each arm fires. An arm that never fires is never proved and is not needed.

macro_rules! arms {
    ($($arm:ident: $text:literal;)*) => {
        /// A place in the term constructor that folds, or that establishes a side condition of a fold.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Arm {
            $(#[doc = $text] $arm,)*
        }

        impl Arm {
            /// All arms.
            pub const ALL: &[Arm] = &[$(Arm::$arm),*];

            /// Returns the pattern that the arm folds, or the side condition that it establishes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Arm::$arm => $text,)*
                }
            }
        }
    };
}

arms! {
    NegNeg: "-(-x)";
    AbsAbs: "abs(abs x)";
    AbsNeg: "abs(-x)";
    CosSign: "cos of -x or abs x";
    FromBitsBits: "from_bits(bits x)";
    NotNot: "not not p";
    TruncTrunc: "trunc_i(trunc x)";
    AndSame: "p and p";
    OrSame: "p or p";
    XorSame: "p xor p";
    AndTrue: "p and true";
    AndFalse: "p and false";
    OrTrue: "p or true";
    OrFalse: "p or false";
    XorTrue: "p xor true";
    XorFalse: "p xor false";
    EqualSelf: "i == i";
    CompareSelect: "comparison of p ? literal : literal with a literal";
    CompareSum: "i + literal == literal";
    AddZero: "i + 0";
    AddNested: "(i + literal) + literal";
    SelectSame: "p ? x : x";
    SelectTrue: "true ? x : y";
    SelectFalse: "false ? x : y";
    SelectNot: "(not p) ? x : y";
    SelectTwice: "p(y) ? x : y, where y is p(z) ? x : z";
    FlushTwice: "flush(flush x)";
    SelectCondition: "p ? true : false";
    SelectNegation: "p ? false : true";
    AbsClear: "abs of a value whose sign bit is clear";
    NegProduct: "product or quotient of -x and -y";
    AbsProduct: "abs x times a value whose sign bit is clear";
    AddMinusZero: "x + -0";
    MulOne: "x * 1";
    DivOne: "x / 1";
    MulMinusOne: "x * -1";
    MulTwo: "x * 2";
    PlusZero: "0 + a value that is never -0";
    LessSelf: "x < x";
    LessEqualSelf: "x <= x";
    CompareNegs: "comparison of -x and -y";
    CompareNegLiteral: "comparison of -x with a literal";
    CompareLiteralNeg: "comparison of a literal with -x";
    EqualAbsZero: "abs x == 0";
    EqualMinusZero: "x == -0";
    AbsBelowZero: "abs x < 0";
    NotAndNot: "not p and not q";
    NotOrNot: "not p or not q";
    SelectThenSame: "p ? (p ? x : y) : z";
    SelectElseSame: "p ? x : (p ? y : z)";
    SelectAbs: "p ? literal : abs x";
    SelectSquare: "x == 0 ? 0 : x * x";
    IntAndSelf: "i & i";
    IntAndZero: "i & 0";
    SignOfClear: "sign bit of a value whose sign bit is clear";
    IntOrSelf: "i | i";
    SubLiteral: "i - literal";
    ClearLiteral: "sign bit of a literal";
    ClearAbs: "sign bit of abs x";
    ClearSquare: "sign bit of x * x";
    ClearFraction: "sign bit of x - floor x";
    ClearSelect: "sign bit of a choice of values whose sign bits are clear";
    NeverMinusZeroClear: "a value whose sign bit is clear is not -0";
    NeverMinusZeroLiteral: "a literal is not -0";
    NeverMinusZeroSum: "a sum with an addend that is never -0 is not -0";
    NeverMinusZeroSelect: "a choice that leaves -0 out is not -0";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn each_arm_is_one_place() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/term");
        let read = |name: &str| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            text.split("#[cfg(test)]\nmod tests").next().unwrap().to_owned()
        };
        let text = read("fold.rs") + &read("signs.rs");
        let end = |c: char| !c.is_alphanumeric();
        let used: Vec<&str> =
            text.split("Arm::").skip(1).map(|rest| rest.split(end).next().unwrap()).collect();
        for arm in Arm::ALL {
            let count = used.iter().filter(|name| **name == format!("{arm:?}")).count();
            assert_eq!(count, 1, "{arm:?}");
        }
        assert_eq!(used.len(), Arm::ALL.len());
    }
}
