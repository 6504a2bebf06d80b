//! The rules of PICA200 as data, most of them from S1 and S5. No vendor numbers the rules, so the numbers are Lockstep's own.

use crate::isa::rule::rules;

rules! {
    undefined: TwoInputs TwoMova Operator Unwritten;
    EntryMismatch 1 Error "the entry does not fit the program in its stage, version, DVLE, inputs or outputs", "S2";
    EntryRange 2 Error "the entry is outside the code", "S1";
    EntryKind 3 Error "the DVLE is neither a vertex nor a geometry program", "S2";
    CodeLength 4 Error "there are more instructions than program memory holds, 4096", "S1, S3";
    VertexMemory 5 Error "a vertex program reaches a word beyond the 512 words of the vertex units", "S6";
    Target 6 Error "a target, or the end of a scope, is outside program memory", "S1";
    Opcode 7 Error "the opcode has no known meaning", "S1";
    Descriptor 8 Error "no operand descriptor has this number", "S1";
    GeometryOnly 9 Error "the opcode is allowed only in geometry programs", "S1, S5";
    VertexSlot 10 Error "setemit names vertex slot 3, which does not exist", "S1, S5";
    StrayBreak 11 Error "a break that no path reaches inside a loop hangs the unit", "HW S1 rev 20748";
    LastWord 20 Warning "the last word of a scope is a jump, which is ignored, or a call or break, which ends together with the scope", "HW S1 rev 20748; S5";
    SharedEnd 21 Warning "two blocks or loops end at the same word: one of them stays on its stack", "HW S1 rev 20748; S5";
    Backwards 22 Warning "the end of a block or loop is not after its beginning", "S1, S5";
    TwoInputs 23 Warning "one instruction reads two different inputs, which is unreliable on the console", "S5";
    TwoMova 24 Warning "two mova in a row freeze the console", "S5";
    CallDepth 25 Warning "calls are nested more than four deep: the oldest stack entry is dropped", "HW S1 rev 20748";
    IfDepth 26 Warning "blocks are nested more than eight deep: the oldest stack entry is dropped", "HW S1 rev 20748";
    LoopDepth 27 Warning "loops are nested more than four deep: the oldest stack entry is dropped", "HW S1 rev 20748";
    Operator 28 Warning "operators 6 and 7 of cmp have no known meaning", "S1, S5";
    LoopInteger 29 Warning "the number of the integer uniform is above 3: its upper bits are not used", "S3, S7";
    OuterEnd 30 Warning "a branch or loop ends at the same word as the enclosing call, branch or loop, which then stays open or ends immediately: assemblers insert a nop", "HW S1 rev 20748; S5";
    IntoArm 31 Warning "a jump enters the second arm of a branch, which translators treat as a lexical block", "S1 rev 20748";
    BreakApart 32 Warning "a break is lexically outside every loop: it leaves the loop from which control called or jumped to it", "S1 rev 20748";
    Unwritten 33 Warning "on some path, the temporary, address register or condition bit is read before it is written: it keeps its value from the previous run, zero unless the entry sets it", "HW citra #3787, #1529";
    NoEnd 40 Warning "no end can be reached within the code", "S1, S5";
    OutputTwice 41 Warning "two instructions write the same output component: SEED states that the unit may hang, but no later source confirms it", "SEED";
}
