//! The rules of PICA200 as data (fact sheet 11). Numbers are our own: there is no vendor's list.
//!
//! What the fact sheet calls a note is at warning level here.

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
    EntryMismatch 1 Error "the entry is not one of this program: its stage, version, DVLE, inputs or outputs", "fact sheet 10";
    EntryRange 2 Error "the entry is not in the code", "S1; fact sheet 1";
    EntryKind 3 Error "the DVLE is neither a vertex nor a geometry program", "S2; fact sheet 10";
    CodeLength 4 Error "there are more instructions than program memory holds, 4096", "S1, S3; fact sheet 1, 11";
    VertexMemory 5 Error "a vertex program reaches a word behind the 512 of its units", "S6; fact sheet 1, 11";
    Target 6 Error "a target, or the end of a scope, lies behind program memory", "S1; fact sheet 11";
    Opcode 7 Error "the opcode has no known meaning", "S1; fact sheet 3, 11";
    Descriptor 8 Error "there is no descriptor of this number", "S1; fact sheet 11";
    GeometryOnly 9 Error "the opcode is for geometry programs", "S1, S5; fact sheet 11";
    VertexSlot 10 Error "there is no vertex slot 3", "S1, S5; fact sheet 6, 11";
    StrayBreak 11 Error "a break that is in no loop, whichever way it is reached, hangs the unit", "HW S1 rev 20748; fact sheet 6, 11";
    LastWord 20 Warning "the last word of a scope is a jump, which is lost, or a call or break, which ends with it", "HW S1 rev 20748; S5; fact sheet 6, 11";
    SharedEnd 21 Warning "two blocks or loops end at one word: one of them is left open", "HW S1 rev 20748; S5; D10; fact sheet 11";
    Backwards 22 Warning "the end of a block or loop is not behind its beginning", "D31; fact sheet 11";
    TwoInputs 23 Warning "two different inputs are read by one instruction, which the console does unreliably", "S5; fact sheet 11";
    TwoMova 24 Warning "two mova in a row freeze the console", "S5; fact sheet 11";
    CallDepth 25 Warning "calls are nested more than four deep: the oldest is forgotten", "HW S1 rev 20748; D27; fact sheet 11";
    IfDepth 26 Warning "blocks are nested more than eight deep: the oldest is forgotten", "HW S1 rev 20748; D27; fact sheet 11";
    LoopDepth 27 Warning "loops are nested more than four deep: the oldest is forgotten", "HW S1 rev 20748; fact sheet 11";
    Operator 28 Warning "operators 6 and 7 of cmp have no known meaning", "D18; fact sheet 3, 11";
    LoopInteger 29 Warning "there are four integer uniforms: the upper bits of the number are not used", "S3, S7; fact sheet 2, 11";
    OuterEnd 30 Warning "a branch or loop ends with the call, branch or loop around it, which that leaves open or ends at once: assemblers pad here", "HW S1 rev 20748; S5; fact sheet 6, Amendments";
    IntoArm 31 Warning "a jump into the second arm of a branch, which translators lay out as text", "S1 rev 20748; fact sheet Amendments";
    BreakApart 32 Warning "a break outside the text of every loop: it leaves the loop that a call or a jump came from", "S1 rev 20748; fact sheet Amendments";
    Unwritten 33 Warning "nothing has written the temporary, address register or condition bit on some path to here: it holds what the last run left, zero unless the entry says otherwise", "HW citra #3787, #1529; fact sheet 5, Amendments";
    NoEnd 40 Warning "no end can be reached within the code", "D28; fact sheet 11";
    OutputTwice 41 Warning "a component of an output is written by two instructions: the seed says that the unit may hang, no later source does", "SEED; fact sheet 11, 12";
}
