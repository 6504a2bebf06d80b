//! The validator rules of AGAL, as a table.
//!
//! A rule has error level if a program that violates it has no meaning. A rule has warning level if the player (or only Adobe's C++ assembler)
//! rejects the program although its meaning is clear; rule `OutputAgain` is derived, and no source rejects what it reports. If one error number of
//! the player covers both cases, there are two rules with this number.
//! Options of the Freedom `Strictness` turn some errors into warnings.

use crate::isa::rule::rules;

rules! {
    undefined: Unwritten UnwrittenComponent;
    SamplerFormat 1 Error "the sampler's texture format is unknown", "GCL, MINI3 (no number known)";
    EntryMismatch 2 Error "the entry differs from the header in its stage or version, does not start at the first instruction, or has ports that do not exist", "SEED 1";
    OutputAgain 3 Warning "a component of the position or of a varying was written before: the last write is kept", "derived from ERR 3744, which is about colours; RUF for the last write";
    Empty 3615 Error "the program has no instructions", "ERR 3615";
    Version 3617 Error "the version is not 1, 2, 3 or 4", "ERR 3617, 3725, 3805";
    Opcode 3620 Error "the opcode is unknown", "ERR 3620";
    NotImplemented 3621 Warning "assemblers accept this opcode, but Adobe's validator reports it as not implemented", "ADB; ERR 3621";
    FragmentOnly 3622 Error "only fragment programs can use this opcode", "ERR 3622";
    Underflow 3623 Error "an els or eif has no open block", "ERR 3623";
    Nesting 3624 Warning "blocks are nested more than four deep", "ERR 3624; GCL, MINI3 for the limit";
    BothConstant 3625 Warning "both sources are constants: the result must be computed before assembly", "ERR 3625";
    OneConstant 3625 Warning "the only source is a constant: the result must be computed before assembly", "ADB";
    BothIndirect 3626 Warning "both sources are indexed", "ERR 3626";
    NoDestination 3627 Error "the opcode has no destination, and the destination word is not zero", "ERR 3627";
    MaskW 3628 Error "the result has three components, and the mask has w", "SEED; ERR 3628";
    Tokens 3629 Warning "there are more instructions than the version allows", "SEED; ERR 3629";
    VaryingPartial 3633 Warning "not all components of a written varying are written", "ERR 3633";
    NoColor 3634 Warning "the fragment program does not write its first colour", "ERR 3634";
    NothingOut 3634 Error "the fragment program has no output and no kil", "ERR 3634";
    Position 3635 Warning "not all components of the position are written", "ERR 3635";
    NothingOutVertex 3635 Error "the vertex program has no output", "ERR 3635";
    Unused 3636 Error "an unused operand is not zero", "SEED; ERR 3636";
    SamplerInVertex 3637 Error "a vertex program cannot use a sampler as a source", "ERR 3637";
    SamplerAsSource 3638 Error "a sampler can only be the last operand of a texture read", "ERR 3638";
    IndirectInFragment 3639 Error "only vertex programs can index", "ERR 3639";
    IndirectFile 3640 Error "only constants can be indexed", "ERR 3640";
    IndexFile 3642 Error "the index register is not an attribute, constant or temporary", "ERR 3642";
    DirectFields 3643 Error "the offset and index fields of a direct read are not zero", "ADB; ERR 3643 (SEED: ignored)";
    VaryingRead 3644 Error "a vertex program cannot read a varying", "ERR 3644";
    AttributeRead 3645 Error "a fragment program cannot read an attribute", "ERR 3645";
    OutputRead 3646 Error "an output cannot be read", "ERR 3646";
    Unwritten 3647 Warning "no earlier instruction writes this temporary: it reads as zero", "ERR 3647; RUF for the zero";
    UnwrittenComponent 3648 Warning "no earlier instruction writes this component of the temporary: it reads as zero", "ERR 3648; RUF for the zero";
    SamplerWrite 3649 Error "a sampler cannot be written", "ERR 3649";
    VaryingWrite 3650 Error "a fragment program cannot write a varying", "ERR 3650";
    AttributeWrite 3651 Error "an attribute cannot be written", "ERR 3651";
    ConstantWrite 3652 Error "a constant cannot be written", "ERR 3652";
    MaskZero 3653 Error "the write mask is empty", "ERR 3653";
    Reserved 3654 Error "reserved bits are not zero", "SEED; ERR 3654";
    SamplerPadding 3654 Warning "bits 24 to 31 of the sampler are not zero: Adobe's C++ assembler leaves a swizzle there", "SEED; ERR 3654; ADB";
    RegisterType 3655 Error "the register type is unknown", "ERR 3655";
    SamplerRange 3656 Error "no sampler has this number", "SEED; ERR 3656";
    VaryingRange 3657 Error "no varying has this number", "SEED; ERR 3657";
    AttributeRange 3658 Error "no attribute or instance register has this number", "SEED; ERR 3658";
    ConstantRange 3659 Error "no constant has this number", "SEED; ERR 3659";
    OutputRange 3660 Error "no output has this number", "SEED; GCL, MINI3; ERR 3660";
    TemporaryRange 3661 Error "no temporary has this number", "SEED; ERR 3661";
    CubeClamp 3662 Warning "a cube texture is not clamped", "ERR 3662; ADB";
    Dimension 3664 Error "the sampler's dimension is unknown", "ERR 3664";
    Filter 3665 Error "the sampler's filter is unknown", "ERR 3665";
    Mip 3666 Error "the sampler's mip mode is unknown", "ERR 3666";
    Wrap 3667 Error "the sampler's wrap mode is unknown", "ERR 3667";
    Special 3668 Error "the sampler has an unknown flag", "ERR 3668";
    MatrixSwizzle 3689 Error "the rows of a matrix are swizzled: the effect is undocumented", "ERR 3689";
    SamplerWanted 3693 Error "the last operand of a texture read is not a sampler", "SEED; ERR 3693";
    SamplerDiffers 3696 Error "an earlier read through this sampler has different sampler bits", "ERR 3696; ADB";
    ColorMask 3701 Warning "not all components of a colour are written", "ERR 3701";
    NotScalar 3703 Warning "the swizzle of a scalar operand names several components: the first is used", "ERR 3703";
    CubeMip 3704 Warning "a cube texture is read without mip maps", "ERR 3704";
    VersionTwo 3726 Error "the opcode needs a later version", "ERR 3726";
    Open 3739 Error "a block is still open at the end of the program", "ERR 3739";
    TedBias 3740 Warning "ted has a level-of-detail bias", "ERR 3740";
    ComputedCoordinates 3741 Warning "tex inside a conditional block reads at computed coordinates", "ERR 3741";
    Derivative 3742 Error "ddx or ddy is inside a conditional block", "ERR 3742";
    TedMip 3743 Warning "ted reads without mip maps", "ERR 3743";
    ColorTwice 3744 Warning "a colour is written more than once", "ERR 3744";
    EmptyBranch 3748 Warning "a block is empty", "ERR 3748";
    DepthRange 3749 Error "no depth output has this number in this version", "ERR 3749; RUFT";
    DepthInVertex 3750 Error "only fragment programs have a depth output", "ERR 3750";
    OutputInBlock 3751 Warning "an output is written inside a conditional block", "ERR 3751";
    Else 3752 Error "a block has a second els", "ERR 3752";
    DepthMask 3756 Warning "the depth output is not written with mask x", "ERR 3756";
    ConstantCondition 3758 Warning "both sources of the condition are the same", "ERR 3758";
    ColorGap 3775 Warning "a colour is written, but not the one before it", "ERR 3775";
    InstanceWrite 3786 Error "the instance number cannot be written", "ERR 3786";
    InstanceInFragment 3788 Error "a fragment program cannot read the instance number", "ERR 3788";
    InstanceVersion 3789 Error "the instance number needs version 3", "ERR 3789";
    VertexOnly 3803 Error "only vertex programs can use this opcode", "ERR 3803";
    VertexAnisotropic 3804 Warning "a vertex program reads a texture with an anisotropic filter", "ERR 3804";
    VersionFour 3805 Error "texture reads of vertex programs need version 4", "ERR 3805";
}
