//! The rules of Utgard GP as data. Their numbers are Lockstep's own; no vendor's validator is public.
//!
//! A violation is an error if the program has no defined meaning because of it. It is a warning if the meaning is clear but compilers do not emit
//! such code.

use crate::isa::rule::rules;

rules! {
    undefined: EarlyRegister EarlyTemporary EarlyAddress Unwritten UnwrittenAddress VaryingTwice;
    EntryMismatch 1 Error "the entry is not one of this program: a vertex program from the first word, whose ports exist", "M, W";
    Count 2 Error "the number of words that run is 0 or more than there are", "M, W";
    TooLong 3 Error "more than 512 words run", "M instr.c";
    Tail 4 Warning "bytes that are no whole word follow the program", "SEED, M";
    Prefetch 5 Warning "prefetch is not the index of the last word that reads an attribute", "M, D";
    NoOutput 6 Warning "nothing is stored to a varying", "M";
    Position 7 Warning "not all components of the position are stored", "M";

    AccOp 10 Error "the operation of acc is not known", "SEED, M: 3";
    MulOp 11 Error "the operation of mul is not known", "SEED, M: 2, 5 to 7";
    ComplexOp 12 Error "the operation of complex is not known", "SEED, M: 1, 6 to 8, 11";
    PassOp 13 Error "the operation of pass is not known", "SEED, M: 0, 1, 3, 7";
    SourceCode 14 Error "the operand's code is not known", "SEED, M: 9 to 11";
    HalfUnused 15 Warning "the unit lacks an operand, so it does nothing", "SEED, M, L";
    IgnoredOperand 16 Warning "the operation does not look at this operand: select's fourth, or the complex unit's where pass sets address registers", "SEED";
    WideNegate 17 Warning "what negation does to a wide operation is an option", "SEED, M";
    LoadOffset 18 Error "the load's offset is no address register", "SEED, M: 0, 4 to 6";

    UnusedCode 19 Warning "code 8 is taken for no operand, which the seed alone says", "SEED";

    StoreSource 20 Error "what is stored is not known", "SEED, M: 5";
    StoreTarget 21 Error "the store goes to a varying and a temporary at once", "SEED, M";
    StoreIdle 22 Error "the stored unit gives nothing in this word", "SEED, M, C";
    StoreLate 23 Error "complex1 gives its result after this word, so it cannot be stored here", "M";
    StoreStage 24 Error "a stage of a complex function is stored", "I94; M MR 1479";
    TemporaryMark 25 Warning "a temporary is stored without bits 2 and 3 of unknown_1", "SEED; L";
    TemporaryAddress 26 Warning "a temporary is stored in a word that does not set address register 0", "SEED";
    TemporaryField 27 Warning "a temporary is stored and the store's address, which is ignored, is not 0", "SEED; M listing";
    Mark 28 Warning "unknown_1 is none of 0, 12 with a temporary store, 13 with a branch", "SEED; M";

    BranchCondition 30 Error "the branch has no condition: pass gives nothing in this word", "SEED; M";
    BranchStage 31 Error "the branch's condition is a stage of a complex function", "I94";
    BranchMove 32 Warning "the branch's condition is not moved through pass but computed there", "M, W, C";
    BranchMark 33 Warning "a branch without 13 in unknown_1", "SEED; M";
    BranchTarget 34 Error "the branch goes to or past the end", "M, W";

    SeedAddress 35 Warning "the operation of complex that sets address registers 0 and 1 from pass is known from the seed alone", "SEED; derived";
    AddressPass 36 Error "address registers are set from pass, which gives no number in this word", "SEED; derived";

    BlockHistory 40 Error "the result is of a word before this block, where paths may have come together", "M commit 1cd1cce0";
    PortHistory 41 Error "what read port 0 read is of a word before this block", "M";
    IdleResult 42 Error "the unit gave nothing in that word", "SEED, M";
    Complex1Early 43 Error "complex1's result is not there yet: it is the second next word's", "SEED; M";
    Stage 44 Error "a stage of a complex function is read as a number", "I94; M MR 1479";
    Pattern 45 Error "these operands do not make a complex function", "SEED; C: all 468";

    EarlyRegister 50 Warning "the register is read less than three words after it is stored: the old value", "SEED; M; L";
    EarlyTemporary 51 Warning "the load may read a temporary less than four words after it is stored: the old value", "SEED";
    EarlyAddress 52 Warning "the address register is used less than four words after it is set: the old value", "SEED";
    Unwritten 53 Warning "nothing has stored to the register on some path to here", "SEED, M, L";
    UnwrittenAddress 54 Warning "nothing has set the address register on some path to here", "SEED, M";
    VaryingTwice 55 Warning "the varying may have been stored before: the last store is assumed to count", "M";
}
