//! The rules of the A2xx as data: those of fact sheet 15, and what else leaves a program without a meaning.
//!
//! A rule is at error level where no meaning can be given to a program that breaks it, and at warning level where the hardware's
//! compilers do not write such programs but the meaning is clear. The numbers are our own.

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
    EntryMismatch 1 Error "the entry begins at no shader, or is of another stage than its container says, of no version, or names registers that do not exist", "fact sheet 12";
    NoEnd 2 Error "no clause that ends the program can be reached", "fact sheet 15";
    Target 3 Error "the clause it goes to does not exist", "fact sheet 15";
    Count 4 Error "a clause runs at most six slots", "fact sheet 2.1, 15";
    Range 5 Error "it runs slots that hold clauses or do not exist", "fact sheet 15";
    BothKinds 6 Error "the slot is run as ALU and as FETCH", "fact sheet 2.1";
    Depth 7 Error "calls or loops are more than four deep", "fact sheet 1, 15";
    StrayEnd 8 Error "LOOP_END without a loop", "fact sheet 2.3";
    VectorOpcode 10 Error "the vector operation is unassigned", "fact sheet 4, 15";
    ScalarOpcode 11 Error "the scalar operation is unassigned", "fact sheet 5, 15";
    FetchOpcode 12 Error "the fetch is unassigned", "fact sheet 10.1, 15";
    ExportNumber 13 Error "the stage has no such export", "fact sheet 12.1, 15";
    SubIndex 14 Error "the second number of a vertex constant is 0 to 2", "fact sheet 10.2, 15";
    FetchSwizzle 15 Error "6 selects nothing in the result of a fetch", "fact sheet 10.1, 15";
    Filter 16 Error "6 is no anisotropic and no arbitrary filter", "fact sheet 10.3, 15";
    VertexBit 17 Error "bit 19 of VERTEX is 1", "fact sheet 10.2, 15";
    RunsOff 40 Warning "control may run past the last clause: the program ends there", "fact sheet 1 is silent";
    Reserved 41 Warning "reserved bits are not zero", "fact sheet 15";
    Sequence 42 Warning "SEQ says something of slots that the clause does not run", "fact sheet 2.1, 15";
    Address9 43 Warning "Adreno's EXEC has nine bits of address", "fd-hdr, D9";
    AddressMode 44 Warning "the address mode is absolute, of which no meaning is known", "fact sheet 2, 15";
    Payload 45 Warning "a clause that does nothing has bits that mean nothing", "fact sheet 2, 15";
    Unreached 46 Warning "nothing reaches this clause, and it is not zero", "fact sheet 15";
    AllocSize 47 Warning "the size of ALLOC has three bits in xenia", "D10";
    NoAlloc 48 Warning "no ALLOC before it reserves what it exports to", "fact sheet 2.5, 15";
    ParameterSize 49 Warning "the parameter is beyond the size of ALLOC", "fact sheet 2.5, 15";
    BothWrite 50 Warning "both halves write the same component: the scalar result stays", "fact sheet 3.4, 15";
    PredicateUnused 51 Warning "a value for the predicate is given, and the slot does not look at it", "fact sheet 15";
    ScalarDest 52 Warning "the scalar half of an export names another register, which is not read", "fact sheet 15, T2";
    KillInVertex 53 Warning "a vertex shader kills", "fact sheet 15";
    RelativeExport 54 Warning "an export has no relative number: the flag means nothing", "fact sheet 3.1";
    AbsConst 55 Warning "bit 7 of an ALU slot is not known on Adreno: taken as the sign of constants being dropped", "D6";
    NoVertexFormat 57 Warning "the format is none that a fetch of vertices reads: compressed, or unassigned; its components are missing ones", "fact sheet 11, Amendments";
    TooLong 56 Warning "a program has at most 384 slots", "mesa, fact sheet 1";
}
