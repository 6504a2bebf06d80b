//! The rules of Direct3D 9 as data.
//!
//! No document numbers them, so the numbers are ours: 1 the program, 10 instruction words, 30 registers, 50 modifiers, 70 swizzles and masks,
//! 90 declarations, 110 flow, 130 read ports, 140 reads before writes, 150 outputs, 160 ps_1_x, 170 size.
//!
//! A rule is at error level where a program that breaks it has no meaning, or the documents give it none and every translator refuses it. It is
//! at warning level where the meaning is clear although the runtime refuses, and wherever a source is missing or another contradicts.

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
    Version 1 Error "there is no such version", "MS, HDR; sheet 1";
    EntryMismatch 2 Error "the entry is not the version token's: its stage, version, or a start that is not the first instruction", "sheet 1";
    Empty 3 Warning "no instruction runs", "no source asks for one; sheet 4.3";

    Opcode 10 Error "the opcode is unknown", "MS, HDR; sheet 3";
    OpcodeVersion 11 Error "the version does not have this opcode", "MS, WINE; sheet 3";
    Missing 12 Error "the length leaves no room for all operands", "MSTOK; sheet 1";
    Surplus 13 Warning "the length has room for more than the operands", "MSTOK; sheet 1";
    Reserved 14 Error "reserved bits of the instruction are not zero", "SEED, MSTOK; sheet 1";
    Control 15 Error "the opcode has no such control", "MSTOK; sheet 3";
    Predication 16 Error "the opcode or the version has no predicate", "MS; sheet 2";
    PredicateOperand 17 Error "the predicate is not p0 or !p0, whole or one component", "MS; sheet 2";
    PredicateCapability 18 Warning "predication needs a capability in 2_x", "MS, MSCAPS; sheet 4.5";
    CoissueVersion 19 Error "only ps_1_x issues two instructions together", "SEED; sheet 3";
    CoissuePair 20 Error "instructions issued together are an arithmetic one for colour and one for alpha", "MS; sheet 3";
    CoissueOpcode 21 Warning "dp4 and bem cannot be issued together with another, and dp3 only as the one for colour", "MS; sheet 3";
    CoissueNumber 22 Warning "in ps_1_0 both halves write the register of one number", "MS81; sheet 3";
    OperandBits 23 Error "reserved bits of an operand are not as they must be", "MSTOK; sheet 2";

    ReadFile 30 Error "this version cannot read such a register here", "MS; sheet 2";
    WriteFile 31 Error "this version cannot write such a register here", "MS; sheet 2";
    Range 32 Error "there is no register of this number", "MS, WTEST; sheet 4.1";
    RangeSoftware 33 Error "only software vertex processing has a register of this number", "WTEST; sheet 4.1, 6";
    RangeCapability 34 Warning "not every device has a register of this number", "MS, MSCAPS; sheet 4.1";
    RelativeFile 35 Error "this version cannot index such a register", "MS, MSTOK; sheet 2";
    IndexRegister 36 Error "the index is not one component of a0, or aL", "MS, MSTOK; sheet 2";
    LoopOutside 37 Warning "aL is read where no loop is around: it has no value", "MS; sheet 4.5";
    OperandKind 38 Error "the opcode wants another kind of register here", "MS, MOJO; sheet 3, 6";
    DclFile 39 Error "such a register cannot be declared", "MS; sheet 2";
    AddressMov 40 Warning "a0 is written by mova, not mov, from 2_0 on", "MS; sheet 3, 5";
    AddressWrite 41 Error "a0 is written by mov in vs_1_1, component x only, and by mova from 2_0 on", "MS; sheet 3";
    IndexUnsure 42 Warning "documents disagree whether a0 indexes such a register, or only aL", "MS; sheet 2";

    Saturate 50 Error "the result cannot be saturated in this version or by this opcode", "MS; sheet 4.6";
    SaturateUnsure 51 Warning "_sat on texcrd: the assembler takes it, the runtime may not", "WASM; sheet 4.6";
    PartialPrecision 52 Error "partial precision is for pixel shaders from 2_0 on", "MS; sheet 4.6";
    Centroid 53 Error "centroid is for declarations and texture reads of pixel shaders from 2_0 on", "MS; sheet 4.6";
    CentroidUnsure 54 Warning "centroid on a texture read: MS has it, MOJO does not", "MS, MOJO; sheet 4.6";
    ResultModifier 55 Error "there is no such result modifier", "MSTOK; sheet 2";
    Shift 56 Error "the result cannot be shifted so in this version or by this opcode", "MS; sheet 4.6";
    SourceModifier 57 Error "the source cannot be modified so in this version or by this opcode", "MS, MSTOK; sheet 2, 4.6";
    ConstantModifier 58 Error "a constant cannot be modified in ps_1_4", "MS; sheet 4.6";
    ConstantUndefined 59 Warning "modifiers of constants are undefined in ps_1_0 to 1_3", "MS; sheet 4.6";
    DivideTwice 60 Warning "_dz stands more than twice", "MS; sheet 4.6";
    AbsConstants 61 Warning "some constants are read with _abs and some without", "MS; sheet 4.6";
    NotBool 62 Warning "! on a Boolean constant other than of callnz: MS does not have it, compilers emit it", "MS; FNA 61; sheet 2";
    DclModifier 63 Error "a declaration cannot have this modifier in this version", "WASM; sheet 4.6";

    Swizzle 70 Error "the version does not have this swizzle here", "MS; sheet 4.7";
    SwizzleCapability 71 Warning "this swizzle needs a capability in 2_x", "MS, MSCAPS; sheet 4.7";
    NotScalar 72 Warning "a scalar operand names several components: drivers differ in which counts", "MS, MOJO; sheet 5, 6";
    CompareScalar 73 Warning "both sides of the comparison are one component", "MS; sheet 3";
    MaskEmpty 74 Error "the write mask is empty", "MSTOK; sheet 2";
    Mask 75 Error "the opcode cannot write these components", "MS, MOJO; sheet 3, 6";
    MaskUnsure 76 Warning "nrm of neither xyz nor xyzw, or frc to x in vs_1_1: sources are missing or disagree", "MS, MOJO; sheet 3";
    MaskVersion 77 Error "the version cannot write these components", "MS; sheet 4.7";
    KillOperand 78 Warning "texkill looks at a whole r or t register from 2_0 on", "MSTOK, MOJO; sheet 3, 6";
    TextureDest 79 Warning "texture reads of 2_0 and 2_x write a whole r register", "MS, MOJO; sheet 4.7";
    TextureSource 80 Error "coordinates and sampler have no swizzle and no modifier in 2_0 and 2_x", "MS; sheet 4.7";
    SamplerModifier 81 Error "a sampler has no modifier", "MS; sheet 4.7";
    ColorMov 82 Warning "oC and oDepth are written by plain mov, oC whole and oDepth from one component, in 2_0 and 2_x", "MS, MOJO; sheet 4.7";
    DestSource 83 Warning "destination and source are the same register, which the documents forbid", "MS, MSTOK; sheet 3, 6";
    DestFile 84 Warning "the destination of this opcode is an r register", "MS; sheet 3, 6";
    MatrixRows 85 Error "the rows of a matrix have no swizzle and no modifier", "MS, MSTOK; sheet 6";
    MatrixRange 86 Error "the rows of the matrix go beyond the last register", "MS; sheet 3";
    MacroConstants 87 Warning "the two constants of sincos are different c registers, and the scratch registers of sgn different r registers", "MS, MSTOK; sheet 3";
    CrossSwizzle 88 Warning "crs has sources without swizzle", "MS; sheet 6";
    PointSize 89 Warning "oFog and oPts have one component", "MS; sheet 4.7";

    DeclarationOrder 90 Warning "a declaration or definition follows other instructions", "MOJO; sheet 6";
    SamplerUndeclared 91 Error "a sampler is read that is not declared", "MS; sheet 4.1";
    InputUndeclared 92 Warning "an input is read that is not declared", "MS; sheet 4.1";
    OutputUndeclared 93 Warning "an output is written that is not declared", "MS; sheet 4.1";
    DeclaredTwice 94 Warning "components of a register are declared twice", "MS, MSTOK; sheet 2";
    Usage 95 Error "there is no such usage", "MSTOK; sheet 2";
    UsageUnwanted 96 Warning "the declaration of such a register has no usage and no texture type", "MSTOK; sheet 2";
    TextureType 97 Error "the texture type is none of 2d, cube and volume", "MSTOK; sheet 2";
    TextureLine 98 Warning "the texture type is 1d, which only an assembler knows", "WASM, MS; sheet 2";
    DclMask 99 Warning "vPos is declared as x, y or xy, and vFace whole", "MS, MSTOK; sheet 2";
    DefinedTwice 100 Warning "a constant is defined twice: the last one counts", "MS; sheet 6";
    BoolValue 101 Warning "a Boolean is neither 0 nor 1", "HDR; sheet 2";
    DclBits 102 Error "reserved bits of the usage word are not as they must be", "MSTOK; sheet 2";
    DefMask 103 Warning "the destination of a definition is not a plain whole register", "MSTOK; sheet 2";
    InputUsage 104 Error "an input of ps_3_0 is declared as position0, tessfactor, positiont or sample, which the runtime refuses", "WTEST; sheet 2";
    InputUsageUnsure 105 Warning "an input of ps_3_0 is declared as psize, which the runtime may refuse", "WTEST; sheet 2";

    Unopened 110 Error "nothing of this kind is open here", "MS; sheet 3";
    Open 111 Error "a block is still open at the end", "MS; sheet 3";
    Depth 112 Error "loops or calls are nested deeper than in any version", "MS; sheet 4.5";
    DepthVersion 113 Warning "blocks or calls are nested deeper than the version is sure to allow", "MS, MSCAPS; sheet 4.5";
    FlowCount 114 Warning "there are more flow instructions than the version allows", "MS; sheet 4.5";
    BreakOutside 115 Error "there is no loop to leave", "MS; sheet 3";
    LabelPlace 116 Error "a label stands elsewhere than right after a ret", "MS; sheet 3";
    LabelTwice 117 Error "the label stands twice", "MS; sheet 3";
    LabelMissing 118 Error "there is no such label further on", "MS; sheet 3";
    RetPlace 119 Warning "a ret does not end the program or a subroutine", "MS; sheet 6";
    LabelRange 120 Warning "the assembler takes this label, the validator does not", "WASM, MS; sheet 4.1";
    GradientInFlow 121 Warning "derivatives of an r register in dynamic flow control or under a predicate", "MS; sheet 4.5";
    FlowCapability 122 Warning "this instruction needs a capability in 2_x", "MS, MSCAPS; sheet 4.5";
    FaceRead 123 Warning "vFace is an operand of setp, ifc and breakc only", "MS; sheet 4.1";
    LoopValues 124 Warning "the counts of a loop are outside x 0 to 255, y 0 to 255, z -128 to 127, w 0", "MS; sheet 3, 5";
    SubroutineEnd 125 Warning "a subroutine has no ret", "MS; sheet 6";
    ElseTwice 126 Error "a block has a second else", "MS; sheet 3";

    Ports 130 Warning "the instruction reads more registers of one file than there are ports", "MS; sheet 4.2";
    PortsIndexed 131 Warning "the instruction reads constants at two indices: whether these are two reads no source says", "sheet 4.2";
    PortsPair 132 Warning "instructions issued together read more than three registers of one file", "MS81; sheet 4.2";

    Unwritten 140 Warning "no earlier instruction writes this register: it reads as zero", "MS, WINE, DXSO; sheet 5, 6";
    UnwrittenComponent 141 Warning "no earlier instruction writes this component: it reads as zero", "MS, WINE, DXSO; sheet 5, 6";
    ScratchRead 142 Warning "sgn had this register as scratch and destroyed it", "MS; sheet 3";

    Position 150 Warning "not all components of the position are written", "MS; sheet 4.3, 4.7";
    NoColor 151 Warning "the pixel shader does not write all of its first colour", "MS; sheet 4.3";
    CoordinateMask 152 Warning "the components of a texture coordinate that are written are not x, xy, xyz or xyzw", "MS; sheet 4.7";
    CoordinateGap 153 Warning "a texture coordinate or colour is written, but not the one before it", "MS; sheet 4.7";
    ColorTwice 154 Warning "oC or oDepth is written more than once in 2_0 and 2_x", "MS; sheet 4.7";
    NoPosition 155 Warning "no output is declared as the position, or not whole", "MS; sheet 4.1";
    OutputInFlow 156 Warning "oC or oDepth is written in flow control or under a predicate", "MS; sheet 4.7";
    OutputCount 157 Warning "there are more outputs than the version has without a point size", "MS; sheet 4.1";

    TextureOrder 160 Warning "a texture instruction follows an arithmetic one", "MS, MS81; sheet 4.3";
    PhaseTwice 161 Error "there is a second phase", "MS; sheet 4.3";
    ColorInPhase 162 Warning "v registers are read in the first phase", "MS; sheet 4.3";
    CoordinatesRead 163 Warning "t registers of ps_1_4 are read by texld and texcrd only", "MS; sheet 4.3";
    RowsMissing 164 Error "the rows before this one are not there", "MS; sheet 3";
    StageOrder 165 Warning "the source of a texture instruction is a stage that is not before its own", "MS; sheet 6";
    OpcodeCount 166 Warning "the opcode stands more often than this version allows", "MS; sheet 3";
    DepthRegister 167 Error "texdepth looks at r5", "MS; sheet 3";
    BumpPhase 168 Warning "bem stands in the second phase", "MS; sheet 3";
    DependentReads 169 Warning "texture reads depend on one another to more than the third order", "MS; sheet 4.3";

    Slots 170 Warning "there are more instructions than any device takes", "MS; sheet 4.3, 4.4";
    SlotsCapability 171 Warning "there are more instructions than every device takes", "MS, MSCAPS; sheet 4.3, 4.4";
    TextureSlots 172 Warning "there are more texture instructions than the version takes", "MS; sheet 4.3, 4.4";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_ascend() {
        assert!(RULES.windows(2).all(|w| w[0].code < w[1].code));
        for (k, row) in RULES.iter().enumerate() {
            assert_eq!(row.rule as usize, k);
        }
    }
}
