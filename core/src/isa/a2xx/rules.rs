//! The validator rules of A2xx, as a table: those of xenia and mesa, and others whose violation leaves a program without a defined meaning.
//!
//! A violation is an error if it leaves the program without a defined meaning. It is a warning if the meaning is clear but compilers for the hardware
//! do not produce such programs. Rule numbers are Lockstep's own.

use crate::isa::rule::rules;

rules! {
    undefined: RunsOff AddressMode NoVertexFormat;
    EntryMismatch 1 Error "the entry begins at no shader, or is of another stage than its container says, of no version, or names registers that do not exist", "mesa, xenia";
    NoEnd 2 Error "no clause that ends the program can be reached", "xenia, mesa";
    Target 3 Error "the clause it goes to does not exist", "xenia, mesa";
    Count 4 Error "a clause runs at most six slots", "xenia, mesa";
    Range 5 Error "it runs slots that hold clauses or do not exist", "xenia, mesa";
    BothKinds 6 Error "the slot is run as ALU and as FETCH", "xenia, mesa";
    Depth 7 Error "calls or loops are more than four deep", "mesa, xenia";
    StrayEnd 8 Error "LOOP_END without a loop", "xenia, mesa";
    VectorOpcode 10 Error "the vector operation is unassigned", "xdk, xenia, mesa";
    ScalarOpcode 11 Error "the scalar operation is unassigned", "xdk, xenia, mesa";
    FetchOpcode 12 Error "the fetch is unassigned", "xenia, mesa";
    ExportNumber 13 Error "the stage has no such export", "mesa, xenia";
    SubIndex 14 Error "the second number of a vertex constant is 0 to 2", "xenia, mesa";
    FetchSwizzle 15 Error "6 selects nothing in the result of a fetch", "xenia, mesa";
    Filter 16 Error "6 is no anisotropic and no arbitrary filter", "xenia, mesa";
    VertexBit 17 Error "bit 19 of VERTEX is 1", "xenia, mesa";
    RunsOff 40 Warning "control may run past the last clause: the program ends there", "mesa, xenia is silent";
    Reserved 41 Warning "reserved bits are not zero", "xenia, mesa";
    Sequence 42 Warning "SEQ describes slots that the clause does not run", "xenia, mesa";
    Address9 43 Warning "Adreno's EXEC has nine bits of address", "fd-hdr";
    AddressMode 44 Warning "the address mode is absolute, of which no meaning is known", "xenia, mesa";
    Payload 45 Warning "a clause that does nothing has bits that mean nothing", "xenia, mesa";
    Unreached 46 Warning "nothing reaches this clause, and it is not zero", "xenia, mesa";
    AllocSize 47 Warning "the size of ALLOC has three bits in xenia", "xenia";
    NoAlloc 48 Warning "no ALLOC before it reserves what it exports to", "xenia, mesa";
    ParameterSize 49 Warning "the parameter is beyond the size of ALLOC", "xenia, mesa";
    BothWrite 50 Warning "both halves write the same component: the scalar result stays", "xdk, xenia, mesa";
    PredicateUnused 51 Warning "a value for the predicate is given, and the slot does not look at it", "xenia, mesa";
    ScalarDest 52 Warning "the scalar half of an export names another register, which is not read", "xenia, mesa";
    KillInVertex 53 Warning "a vertex shader kills", "xenia, mesa";
    RelativeExport 54 Warning "an export has no relative number: the flag means nothing", "fd-hdr, xenia";
    AbsConst 55 Warning "bit 7 of an ALU slot is not known on Adreno: taken as the sign of constants being dropped", "xenia, fd-hdr";
    NoVertexFormat 57 Warning "the format is none that a fetch of vertices reads: compressed, or unassigned; its components are missing ones", "mesa, xenia";
    ExportAgain 58 Warning "a component of an export is written again, whatever happened before: the last write counts", "derived; no file of xdk or mesa does";
    TooLong 56 Warning "a program has at most 384 slots", "mesa";
}
