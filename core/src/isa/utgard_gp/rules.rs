//! The rules of Utgard GP as data. The numbers of the rules are Lockstep's own, because no vendor's validator is public.
//!
//! A violation is an error if the program has no defined meaning because of it. A violation is a warning if the meaning is clear, or an option
//! defines it, but compilers rarely emit such code.

use crate::isa::rule::rules;

rules! {
    undefined: EarlyRegister EarlyTemporary EarlyAddress Unwritten UnwrittenAddress VaryingTwice;
    EntryMismatch 1 Error "the entry is not a vertex program that starts at the first word, or its version, ports or slots do not exist", "M, W";
    Count 2 Error "the number of words to run is 0, or greater than the program's length", "M, W";
    TooLong 3 Error "the program runs more than 512 words", "M instr.c";
    Tail 4 Warning "the program is followed by bytes that do not make a whole word", "SEED, M";
    Prefetch 5 Warning "prefetch is not the index of the last word that reads an attribute", "M, D";
    NoOutput 6 Warning "no varying is stored", "M";
    Position 7 Warning "not all components of the position are stored", "M";

    AccOp 10 Error "the operation of acc is not known", "SEED, M: 3";
    MulOp 11 Error "the operation of mul is not known", "SEED, M: 2, 5 to 7";
    ComplexOp 12 Error "the operation of complex is not known", "SEED, M: 1, 6 to 8, 11";
    PassOp 13 Error "the operation of pass is not known", "SEED, M: 0, 1, 3, 7";
    SourceCode 14 Error "the operand's code is not known", "SEED, M: 9 to 11";
    HalfUnused 15 Warning "the unit lacks an operand, so it does nothing", "SEED, M, L";
    IgnoredOperand 16 Warning "the operation ignores this operand: select's fourth, or the complex unit's where pass sets address registers", "SEED";
    WideNegate 17 Warning "a wide operation is negated: an option defines the effect", "SEED, M";
    LoadOffset 18 Error "the offset of the load is not an address register", "SEED, M: 0, 4 to 6";

    UnusedCode 19 Warning "operand code 8 is taken to mean no operand, for which SEED is the only source", "SEED";

    StoreSource 20 Error "the store code is not known", "SEED, M: 5";
    StoreTarget 21 Error "the store has both a varying and a temporary as destination", "SEED, M";
    StoreIdle 22 Error "the unit whose result is stored computes nothing in this word", "SEED, M, C";
    StoreLate 23 Error "the result of complex1 is available only after this word, so it cannot be stored here", "M";
    StoreStage 24 Error "a stage of a complex function is stored", "I94; M MR 1479";
    TemporaryMark 25 Warning "a temporary is stored without bits 2 and 3 of unknown_1", "SEED; L";
    TemporaryAddress 26 Warning "a temporary is stored in a word that does not set address register 0", "SEED";
    TemporaryField 27 Warning "a temporary is stored and the store's address, which is ignored, is not 0", "SEED; M listing";
    Mark 28 Warning "unknown_1 is not 0, 12 with a temporary store, or 13 with a branch", "SEED; M";

    BranchCondition 30 Error "the branch has no condition: pass computes nothing in this word", "SEED; M";
    BranchStage 31 Error "the branch's condition is a stage of a complex function", "I94";
    BranchMove 32 Warning "the branch's condition is computed in pass instead of moved through it", "M, W, C";
    BranchMark 33 Warning "a branch has a value other than 13 in unknown_1", "SEED; M";
    BranchTarget 34 Error "the target of the branch is the end of the program or beyond", "M, W";

    SeedAddress 35 Warning "SEED is the only source for the operation of complex that sets address registers 0 and 1 from pass", "SEED; derived";
    AddressPass 36 Error "address registers are set from pass, which computes no number in this word", "SEED; derived";

    BlockHistory 40 Error "the operand is a result of a word before this block, which may be reached by several paths", "M commit 1cd1cce0";
    PortHistory 41 Error "the operand is a value that read port 0 read in a word before this block", "M";
    IdleResult 42 Error "the unit computed nothing in that word", "SEED, M";
    Complex1Early 43 Error "the result of complex1 can be read only two words later", "SEED; M";
    Stage 44 Error "a stage of a complex function is read as a number", "I94; M MR 1479";
    Pattern 45 Error "these operands do not form a complex function", "SEED; C: all 468";

    EarlyRegister 50 Warning "the register is read less than three words after it is stored: it still has the old value", "SEED; M; L";
    EarlyTemporary 51 Warning "the load may read a temporary less than four words after it is stored: it still has the old value", "SEED";
    EarlyAddress 52 Warning "the address register is used less than four words after it is set: it still has the old value", "SEED";
    Unwritten 53 Warning "on some path, the register is read before it is stored", "SEED, M, L";
    UnwrittenAddress 54 Warning "on some path, the address register is used before it is set", "SEED, M";
    VaryingTwice 55 Warning "the varying may have been stored before: the last store is assumed to be kept", "M";
}
