//! The rules of Direct3D 9 as data.
//!
//! No document numbers the rules, so the numbers are Lockstep's own. The groups begin at 1 (the program), 10 (instruction words), 30 (registers), 50
//! (modifiers), 70 (swizzles and masks), 90 (declarations), 110 (flow control), 130 (read ports), 140 (reads before writes), 150 (outputs), 160
//! (ps_1_x, and dependent texture reads of 2_0 and 2_x), 170 (size) and 180 (ps_1_x again).
//!
//! A violation is an error if it leaves the program without a defined meaning, or if the documents define no meaning and every translator rejects the
//! program. A violation is a warning if the meaning is clear although the runtime rejects the program, if no source defines the rule, or if sources
//! contradict each other.

use crate::isa::rule::rules;

rules! {
    undefined: LoopOutside ConstantUndefined NotScalar MaskUnsure DestSource LoopValues GradientInFlow MacroConstants Unwritten UnwrittenComponent ScratchRead RowsAlone;
    Version 1 Error "there is no such version", "MS, HDR";
    EntryMismatch 2 Error "the entry does not fit the version token in its stage or version, or does not start at the first instruction", "MSTOK";
    Empty 3 Warning "no instruction runs", "no source requires one; MS";

    Opcode 10 Error "the opcode is unknown", "MS, HDR";
    OpcodeVersion 11 Error "the version does not have this opcode", "MS, WINE";
    Missing 12 Error "the length is too short for the operands", "MSTOK";
    Surplus 13 Warning "the length is greater than the operands need", "MSTOK";
    Reserved 14 Error "reserved bits of the instruction are not zero", "SEED, MSTOK";
    Control 15 Error "the opcode does not allow this opcode control", "MSTOK";
    Predication 16 Error "the opcode or the version has no predicate", "MS";
    PredicateOperand 17 Error "the predicate is not p0 or !p0 with the identity swizzle or one replicated component", "MS";
    PredicateCapability 18 Warning "predication needs a capability in 2_x", "MS, MSCAPS";
    CoissueVersion 19 Error "only ps_1_x can co-issue two instructions", "SEED";
    CoissuePair 20 Error "two co-issued instructions must be arithmetic, one for colour and one for alpha", "MS";
    CoissueOpcode 21 Warning "dp4 and bem cannot be co-issued, and dp3 only as the instruction for colour", "MS";
    CoissueNumber 22 Warning "in ps_1_0 two co-issued instructions must write registers of the same number", "MS81";
    OperandBits 23 Error "reserved bits of an operand do not have their required values", "MSTOK";

    ReadFile 30 Error "this version cannot read this kind of register here", "MS";
    WriteFile 31 Error "this version cannot write this kind of register here", "MS";
    Range 32 Error "no register of this kind has this number", "MS, WTEST";
    RangeSoftware 33 Error "only software vertex processing has a register of this number", "WTEST";
    RangeCapability 34 Warning "not every device has a register of this number", "MS, MSCAPS";
    RelativeFile 35 Error "this version cannot index this kind of register", "MS, MSTOK";
    IndexRegister 36 Error "the index is neither one component of a0 nor aL", "MS, MSTOK";
    LoopOutside 37 Warning "aL is read outside a loop, where it has no value", "MS";
    OperandKind 38 Error "the opcode needs another kind of register here", "MS, MOJO";
    DclFile 39 Error "this kind of register cannot be declared", "MS";
    AddressMov 40 Warning "from 2_0 on a0 must be written by mova, not by mov", "MS";
    AddressWrite 41 Error "a0 can be written only by mov to component x in vs_1_1, and only by mova from 2_0 on", "MS";
    IndexUnsure 42 Warning "documents disagree on whether a0, or only aL, can index this kind of register", "MS";

    Saturate 50 Error "the result cannot be saturated in this version or by this opcode", "MS";
    SaturateUnsure 51 Warning "_sat on texcrd: the assembler accepts it, the runtime may refuse it", "WASM";
    PartialPrecision 52 Error "partial precision is allowed only in pixel shaders from 2_0 on", "MS";
    Centroid 53 Error "centroid is allowed only in declarations and texture reads of pixel shaders from 2_0 on", "MS";
    CentroidUnsure 54 Warning "centroid on a texture read: MS allows it, MOJO does not", "MS, MOJO";
    ResultModifier 55 Error "there is no such result modifier", "MSTOK";
    Shift 56 Error "this version or opcode does not allow this shift of the result", "MS";
    SourceModifier 57 Error "this version or opcode does not allow this source modifier", "MS, MSTOK";
    ConstantModifier 58 Error "a constant cannot be modified in ps_1_4", "MS";
    ConstantUndefined 59 Warning "modifiers of constants are undefined in ps_1_0 to 1_3", "MS";
    DivideTwice 60 Warning "_dz occurs more than twice", "MS";
    AbsConstants 61 Warning "some constants are read with _abs and some without", "MS";
    NotBool 62 Warning "! on a Boolean constant outside callnz: MS does not document this, but compilers emit it", "MS; FNA 61";
    DclModifier 63 Error "a declaration cannot have this modifier in this version", "WASM";

    Swizzle 70 Error "the version does not have this swizzle here", "MS";
    SwizzleCapability 71 Warning "this swizzle needs a capability in 2_x", "MS, MSCAPS";
    NotScalar 72 Warning "the swizzle of a scalar operand names several components: drivers differ in the component they use", "MS, MOJO";
    CompareScalar 73 Warning "the swizzle of a compared operand names several components", "MS";
    MaskEmpty 74 Error "the write mask is empty", "MSTOK";
    Mask 75 Error "the opcode cannot write these components", "MS, MOJO";
    MaskUnsure 76 Warning "nrm writes neither xyz nor xyzw, or frc writes x in vs_1_1: sources are missing or disagree", "MS, MOJO";
    MaskVersion 77 Error "the version cannot write these components", "MS";
    KillOperand 78 Warning "from 2_0 on the operand of texkill must be an r or t register with the full mask", "MSTOK, MOJO";
    TextureDest 79 Warning "texture reads of 2_0 and 2_x must write all components of an r register", "MS, MOJO";
    TextureSource 80 Error "coordinates and sampler cannot have a swizzle or modifier in 2_0 and 2_x", "MS";
    SamplerModifier 81 Error "a sampler cannot have a modifier", "MS";
    ColorMov 82 Warning "in 2_0 and 2_x oC and oDepth must be written by a mov without modifiers: all of oC, and oDepth from one component", "MS, MOJO";
    DestSource 83 Warning "destination and source are the same register, which the documents forbid", "MS, MSTOK";
    DestFile 84 Warning "the destination of this opcode must be an r register", "MS";
    MatrixRows 85 Error "the rows of a matrix cannot have a swizzle or modifier", "MS, MSTOK";
    MatrixRange 86 Error "the rows of the matrix go beyond the last register", "MS";
    MacroConstants 87 Warning "the two constants of sincos must be different c registers, and the scratch registers of sgn different r registers", "MS, MSTOK";
    CrossSwizzle 88 Warning "the sources of crs cannot have a swizzle", "MS";
    PointSize 89 Warning "a write to oFog or oPts must write one component", "MS";

    DeclarationOrder 90 Warning "a declaration or definition follows other instructions", "MOJO";
    SamplerUndeclared 91 Error "the sampler that is read is not declared", "MS";
    InputUndeclared 92 Warning "the input that is read is not declared", "MS";
    OutputUndeclared 93 Warning "the output that is written is not declared", "MS";
    DeclaredTwice 94 Warning "components of a register are declared twice", "MS, MSTOK";
    Usage 95 Error "there is no such usage", "MSTOK";
    UsageUnwanted 96 Warning "the declaration has a usage or texture type that this kind of register cannot have", "MSTOK";
    TextureType 97 Error "the texture type is not 2d, cube or volume", "MSTOK";
    TextureLine 98 Warning "the texture type is 1d, which only an assembler supports", "WASM, MS";
    DclMask 99 Warning "vPos must be declared with the mask x, y or xy, and vFace with the full mask", "MS, MSTOK";
    DefinedTwice 100 Warning "a constant is defined twice: the last definition is used", "MS";
    BoolValue 101 Warning "a Boolean is neither 0 nor 1", "HDR";
    DclBits 102 Error "reserved bits of the usage word do not have their required values", "MSTOK";
    DefMask 103 Warning "the destination of a definition has a partial mask or a relative address", "MSTOK";
    InputUsage 104 Error "an input of ps_3_0 is declared as position0, tessfactor, positiont or sample, which the runtime refuses", "WTEST";
    InputUsageUnsure 105 Warning "an input of ps_3_0 is declared as psize, which the runtime may refuse", "WTEST";

    Unopened 110 Error "no open block matches this instruction", "MS";
    Open 111 Error "a block is still open at the end of the program", "MS";
    Depth 112 Error "loops or calls are nested deeper than any version allows", "MS";
    DepthVersion 113 Warning "blocks or calls are nested deeper than the version guarantees", "MS, MSCAPS";
    FlowCount 114 Warning "there are more flow instructions than the version allows", "MS";
    BreakOutside 115 Error "a break is outside every loop", "MS";
    LabelPlace 116 Error "a label is not directly after a ret", "MS";
    LabelTwice 117 Error "the label is defined twice", "MS";
    LabelMissing 118 Error "the label does not exist after this instruction", "MS";
    RetPlace 119 Warning "a ret does not end the program or a subroutine", "MS";
    LabelRange 120 Warning "the assembler accepts this label, the validator does not", "WASM, MS";
    GradientInFlow 121 Warning "an instruction takes derivatives of an r register in dynamic flow control or under a predicate", "MS";
    FlowCapability 122 Warning "this instruction needs a capability in 2_x", "MS, MSCAPS";
    FaceRead 123 Warning "vFace can only be an operand of setp, ifc and breakc", "MS";
    LoopValues 124 Warning "the constant of a loop is out of range: x and y must be 0 to 255, z -128 to 127, w 0", "MS";
    SubroutineEnd 125 Warning "a subroutine has no ret", "MS";
    ElseTwice 126 Error "a block has a second else", "MS";

    Ports 130 Warning "the instruction reads more registers of one file than there are ports", "MS";
    PortsIndexed 131 Warning "the instruction reads constants at two indices: it is undocumented whether these are two reads", "MS81";
    PortsPair 132 Warning "co-issued instructions read more than three registers of one file", "MS81";

    Unwritten 140 Warning "no earlier instruction writes this register: it reads as zero", "MS, WINE, DXSO";
    UnwrittenComponent 141 Warning "no earlier instruction writes this component: it reads as zero", "MS, WINE, DXSO";
    ScratchRead 142 Warning "sgn used this register as scratch and destroyed its value", "MS";

    Position 150 Warning "not all components of the position are written", "MS";
    NoColor 151 Warning "the pixel shader does not write all of its first colour", "MS";
    CoordinateMask 152 Warning "the written components of a texture coordinate are not x, xy, xyz or xyzw", "MS";
    CoordinateGap 153 Warning "a texture coordinate or colour is written, but not the one before it", "MS";
    ColorTwice 154 Warning "oC or oDepth is written more than once in 2_0 and 2_x", "MS";
    NoPosition 155 Warning "no output is declared as the position with all four components", "MS";
    OutputInFlow 156 Warning "oC or oDepth is written in flow control or under a predicate", "MS";
    OutputCount 157 Warning "there are more than 11 outputs, but none of them is the point size", "MS";
    OutputAgain 158 Warning "an unconditional write to a vertex output component that was written before: the last write is kept", "derived from MS, which forbids it for oC and oDepth";

    TextureOrder 160 Warning "a texture instruction follows an arithmetic one", "MS, MS81";
    PhaseTwice 161 Error "the program has a second phase instruction", "MS";
    ColorInPhase 162 Warning "v registers are read in the first phase", "MS";
    CoordinatesRead 163 Warning "in ps_1_4 only texld and texcrd can read t registers", "MS";
    RowsMissing 164 Error "the instructions for the rows before this one are missing", "MS";
    StageOrder 165 Warning "the source of a texture instruction is not an earlier stage", "MS";
    OpcodeCount 166 Warning "the opcode occurs more often than this version allows", "MS";
    DepthRegister 167 Error "the operand of texdepth must be r5", "MS";
    BumpPhase 168 Warning "bem is in the second phase", "MS";
    DependentReads 169 Warning "a chain of dependent texture reads is longer than three", "MS";

    Slots 170 Warning "there are more instructions than any device accepts", "MS";
    SlotsCapability 171 Warning "not every device accepts this many instructions", "MS, MSCAPS";
    TextureSlots 172 Warning "there are more texture instructions than the version allows", "MS";

    RowsAlone 180 Warning "the instruction for the last row of this product is missing", "MS";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_ascend() {
        assert!(RULES.is_sorted_by(|a, b| a.info().code < b.info().code));
        for (k, row) in RULES.iter().enumerate() {
            assert_eq!(row.rule as usize, k);
        }
    }
}
