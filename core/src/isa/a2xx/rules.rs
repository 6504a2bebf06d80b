//! The validator rules of A2xx, as a table: those of xenia and mesa, and others whose violation leaves a program without a defined meaning.
//!
//! A violation is an error if it leaves the program without a defined meaning. A violation is a warning if the meaning is clear, or a likely one is
//! assumed, but compilers for the hardware do not produce such programs. Rule numbers are Lockstep's own.

use crate::isa::rule::rules;

rules! {
    undefined: RunsOff AddressMode NoVertexFormat;
    EntryMismatch 1 Error "the entry does not begin at a shader, or its stage, version or registers do not fit the program", "mesa, xenia";
    NoEnd 2 Error "no clause that ends the program is reachable", "xenia, mesa";
    Target 3 Error "the target clause does not exist", "xenia, mesa";
    Count 4 Error "a clause runs more than six slots", "xenia, mesa";
    Range 5 Error "the clause runs slots that hold clauses or do not exist", "xenia, mesa";
    BothKinds 6 Error "the slot is run as ALU and as FETCH", "xenia, mesa";
    Depth 7 Error "calls or loops are nested more than four deep", "mesa, xenia";
    StrayEnd 8 Error "LOOP_END without an open loop", "xenia, mesa";
    VectorOpcode 10 Error "the vector operation is unassigned", "xdk, xenia, mesa";
    ScalarOpcode 11 Error "the scalar operation is unassigned", "xdk, xenia, mesa";
    FetchOpcode 12 Error "the fetch operation is unassigned", "xenia, mesa";
    ExportNumber 13 Error "the stage has no such export", "mesa, xenia";
    SubIndex 14 Error "the second number of a vertex constant is not 0, 1 or 2", "xenia, mesa";
    FetchSwizzle 15 Error "the destination swizzle of a fetch has the selector 6, which does not exist", "xenia, mesa";
    Filter 16 Error "the anisotropic or the arbitrary filter is 6, which does not exist", "xenia, mesa";
    VertexBit 17 Error "bit 19 of VERTEX must be 1", "xenia, mesa";
    RunsOff 40 Warning "execution may continue past the last clause: the program ends there", "mesa; xenia does not specify it";
    Reserved 41 Warning "reserved bits are not zero", "xenia, mesa";
    Sequence 42 Warning "SEQ describes slots that the clause does not run", "xenia, mesa";
    Address9 43 Warning "the address of EXEC does not fit the nine bits that Adreno has", "fd-hdr";
    AddressMode 44 Warning "the address mode is absolute, whose meaning is unknown", "xenia, mesa";
    Payload 45 Warning "a clause that does nothing has non-zero bits without a meaning", "xenia, mesa";
    Unreached 46 Warning "this clause is unreachable and not zero", "xenia, mesa";
    AllocSize 47 Warning "the size of ALLOC does not fit the three bits that xenia reads", "xenia";
    NoAlloc 48 Warning "no earlier ALLOC reserves the buffer of the export", "xenia, mesa";
    ParameterSize 49 Warning "the parameter is beyond the size of ALLOC", "xenia, mesa";
    BothWrite 50 Warning "both halves write the same component: the scalar result is kept", "xdk, xenia, mesa";
    PredicateUnused 51 Warning "the slot names a predicate value but is not predicated", "xenia, mesa";
    ScalarDest 52 Warning "the scalar half of an export names a different register, which is ignored", "xenia, mesa";
    KillInVertex 53 Warning "a vertex shader has a KILL operation", "xenia, mesa";
    RelativeExport 54 Warning "an export cannot have a relative number: the flag is ignored", "fd-hdr, xenia";
    AbsConst 55 Warning "the meaning of bit 7 of an ALU slot is unknown on Adreno: assumed to take the absolute value of constants", "xenia, fd-hdr";
    NoVertexFormat 57 Warning "a vertex fetch cannot read this format, which is compressed, subsampled or unassigned: its components are treated as missing", "mesa, xenia";
    ExportAgain 58 Warning "an unconditional write to an export component that was written before: the last write is kept", "derived; no file of xdk or mesa does this";
    NoFullFetch 59 Warning "a mini fetch has no earlier full vertex fetch whose address it could reuse", "xenia, mesa";
    TooLong 56 Warning "the program has more than 384 slots", "mesa";
}
