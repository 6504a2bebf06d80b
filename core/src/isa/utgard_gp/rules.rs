//! The rules of Utgard GP as data. Their numbers are our own: no vendor's validator is known.
//!
//! A rule is at error level where no meaning can be given to a program that breaks it, and at warning level where the meaning is clear but
//! compilers do otherwise.

use crate::isa::Level::{self, Error, Warning};

macro_rules! rules {
    ($($name:ident $code:literal $level:ident $meaning:literal, $source:literal;)*) => {
        /// A rule, by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule { $(#[doc = $meaning] $name,)* }

        /// The rules, in order of [`Rule`].
        pub static RULES: &[RuleRow] =
            &[$(RuleRow { rule: Rule::$name, code: $code, level: $level, meaning: $meaning, source: $source },)*];
    };
}

/// A row of the table of rules.
#[derive(Clone, Copy, Debug)]
pub struct RuleRow {
    /// Its name.
    pub rule: Rule,
    /// Its number.
    pub code: u16,
    /// How serious it is.
    pub level: Level,
    /// What is wrong with a program that breaks it.
    pub meaning: &'static str,
    /// Where it is written.
    pub source: &'static str,
}

impl Rule {
    /// Its row.
    pub fn row(self) -> &'static RuleRow {
        &RULES[self as usize]
    }
}

rules! {
    EntryMismatch 1 Error "the entry is not one of this program: a vertex program from the first word, whose ports exist", "fact sheet 9";
    Count 2 Error "the number of words that run is 0 or more than there are", "fact sheet 9";
    TooLong 3 Error "more than 512 words run", "M instr.c (fact sheet 1)";
    Tail 4 Warning "bytes that are no whole word follow the program", "fact sheet 1";
    Prefetch 5 Warning "prefetch is not the index of the last word that reads an attribute", "M, D (fact sheet 9, D11)";
    NoOutput 6 Warning "nothing is stored to a varying", "fact sheet 5";
    Position 7 Warning "not all components of the position are stored", "fact sheet 10";

    AccOp 10 Error "the operation of acc is not known", "seed, M: 3 (fact sheet 3)";
    MulOp 11 Error "the operation of mul is not known", "seed, M: 2, 5 to 7 (fact sheet 3)";
    ComplexOp 12 Error "the operation of complex is not known", "seed, M: 1, 6 to 8, 11 (fact sheet 3)";
    PassOp 13 Error "the operation of pass is not known", "seed, M: 0, 1, 3, 7 (fact sheet 3)";
    SourceCode 14 Error "the operand's code is not known", "seed, M: 9 to 11 (fact sheet 2, D14)";
    HalfUnused 15 Warning "the unit lacks an operand, so it does nothing", "fact sheet 2, 12";
    IgnoredOperand 16 Warning "the operation does not look at this operand: select's fourth, or the complex unit's where pass sets address registers", "seed; fact sheet 3";
    WideNegate 17 Warning "what negation does to a wide operation is an option", "fact sheet 3";
    LoadOffset 18 Error "the load's offset is no address register", "seed, M: 0, 4 to 6 (fact sheet 7, D4)";

    UnusedCode 19 Warning "code 8 is taken for no operand, which the seed alone says", "seed (fact sheet 2, D14, Amendments)";

    StoreSource 20 Error "what is stored is not known", "seed, M: 5 (fact sheet 6)";
    StoreTarget 21 Error "the store goes to a varying and a temporary at once", "fact sheet 6";
    StoreIdle 22 Error "the stored unit gives nothing in this word", "fact sheet 6, 15";
    StoreLate 23 Error "complex1 gives its result after this word, so it cannot be stored here", "M (fact sheet 6, 15)";
    StoreStage 24 Error "a stage of a complex function is stored", "I94; M MR 1479 (fact sheet 8)";
    TemporaryMark 25 Warning "a temporary is stored without bits 2 and 3 of unknown_1", "seed; L (fact sheet 6, D8)";
    TemporaryAddress 26 Warning "a temporary is stored in a word that does not set address register 0", "seed (fact sheet 6, 15)";
    TemporaryField 27 Warning "a temporary is stored and the store's address, which is ignored, is not 0", "seed; M listing (fact sheet 6)";
    Mark 28 Warning "unknown_1 is none of 0, 12 with a temporary store, 13 with a branch", "seed; M (fact sheet 1, D8)";

    BranchCondition 30 Error "the branch has no condition: pass gives nothing in this word", "seed; M (fact sheet 9, 15)";
    BranchStage 31 Error "the branch's condition is a stage of a complex function", "I94 (fact sheet 8, 9)";
    BranchMove 32 Warning "the branch's condition is not moved through pass but computed there", "fact sheet 9, 15";
    BranchMark 33 Warning "a branch without 13 in unknown_1", "seed; M (fact sheet 9, 15)";
    BranchTarget 34 Error "the branch goes to or past the end", "fact sheet 9";

    SeedAddress 35 Warning "the operation of complex that sets address registers 0 and 1 from pass is known from the seed alone", "seed (fact sheet D4, Amendments)";
    AddressPass 36 Error "address registers are set from pass, which gives no number in this word", "seed (fact sheet D4, Amendments)";

    BlockHistory 40 Error "the result is of a word before this block, where paths may have come together", "M commit 1cd1cce0 (fact sheet 2)";
    PortHistory 41 Error "what read port 0 read is of a word before this block", "M (fact sheet 2)";
    IdleResult 42 Error "the unit gave nothing in that word", "fact sheet 2";
    Complex1Early 43 Error "complex1's result is not there yet: it is the second next word's", "seed; M (fact sheet 3, 15)";
    Stage 44 Error "a stage of a complex function is read as a number", "I94; M MR 1479 (fact sheet 8)";
    Pattern 45 Error "these operands do not make a complex function", "seed; C: all 468 (fact sheet 8)";

    EarlyRegister 50 Warning "the register is read less than three words after it is stored: the old value", "seed; M; L (fact sheet 4)";
    EarlyTemporary 51 Warning "the load may read a temporary less than four words after it is stored: the old value", "seed (fact sheet 7)";
    EarlyAddress 52 Warning "the address register is used less than four words after it is set: the old value", "seed (fact sheet 7)";
    Unwritten 53 Warning "nothing has stored to the register on some path to here", "fact sheet 4";
    UnwrittenAddress 54 Warning "nothing has set the address register on some path to here", "fact sheet 7";
    VaryingTwice 55 Warning "the varying may have been stored before: the last store is assumed to count", "fact sheet 5";
}
