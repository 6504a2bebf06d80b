//! The rules of PICA200 as data (S1, S5). No vendor numbers the rules, so the numbers are Lockstep's own.

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
    Descriptor 8 Error "there is no descriptor of this number", "S1";
    GeometryOnly 9 Error "the opcode is allowed only in geometry programs", "S1, S5";
    VertexSlot 10 Error "there is no vertex slot 3", "S1, S5";
    StrayBreak 11 Error "a break that is in no loop, whichever way it is reached, hangs the unit", "HW S1 rev 20748";
    LastWord 20 Warning "the last word of a scope is a jump, which is lost, or a call or break, which ends with it", "HW S1 rev 20748; S5";
    SharedEnd 21 Warning "two blocks or loops end at one word: one of them is left open", "HW S1 rev 20748; S5";
    Backwards 22 Warning "the end of a block or loop is not after its beginning", "S1, S5";
    TwoInputs 23 Warning "two different inputs are read by one instruction, which the console does unreliably", "S5";
    TwoMova 24 Warning "two mova in a row freeze the console", "S5";
    CallDepth 25 Warning "calls are nested more than four deep: the oldest is forgotten", "HW S1 rev 20748";
    IfDepth 26 Warning "blocks are nested more than eight deep: the oldest is forgotten", "HW S1 rev 20748";
    LoopDepth 27 Warning "loops are nested more than four deep: the oldest is forgotten", "HW S1 rev 20748";
    Operator 28 Warning "operators 6 and 7 of cmp have no known meaning", "S1, S5";
    LoopInteger 29 Warning "the number of the integer uniform is above 3: its upper bits are not used", "S3, S7";
    OuterEnd 30 Warning "a branch or loop ends with the call, branch or loop around it, which that leaves open or ends at once: assemblers pad here", "HW S1 rev 20748; S5";
    IntoArm 31 Warning "a jump into the second arm of a branch, which translators lay out as text", "S1 rev 20748";
    BreakApart 32 Warning "a break outside the text of every loop: it leaves the loop that a call or a jump came from", "S1 rev 20748";
    Unwritten 33 Warning "nothing has written the temporary, address register or condition bit on some path to here: it holds what the last run left, zero unless the entry says otherwise", "HW citra #3787, #1529";
    NoEnd 40 Warning "no end can be reached within the code", "S1, S5";
    OutputTwice 41 Warning "a component of an output is written by two instructions: the seed says that the unit may hang, no later source does", "SEED";
}
