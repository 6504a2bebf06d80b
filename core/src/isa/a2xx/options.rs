//! The options: points on which the sources of the A2xx disagree or are uncertain, and the choices for each.

use crate::isa::options::specs;

specs! {
    ScalarOperands = "scalar_operands", ["wx_wz", "wx", "zw"], ScalarLane,
        "channels of source 3 used as a and b of two-operand scalar operations such as ADDs: W and X, but W and Z if the vector operation has three sources (canary); always W and X (xenia); Z and W (mesa)";
    ExportBoth = "export_both", ["one", "scalar"], Unwritten,
        "an export component with both mask bits set: the constant 1 (xenia, found in driver output), or the scalar result as for registers (fd and mesa listings)";
    Muladd = "muladd", ["unfused", "fused"], Rounding,
        "rounding of MULADDv: the product is rounded before the addition (xenia), or not (mesa; the emulator text quoted by xenia)";
    Dot = "dot", ["xyzw_zero", "xyzw_first", "wxyz_first"], SummationOrder,
        "summation order of DOT4v, DOT3v and DOT2ADDv: from x on, starting from +0 (xenia's interpreter); from x on, starting from the first product (xenia's translator); for DOT4v starting from w (IPR2015-00325)";
    Precision = "precision", ["exact", "bits21"], Rounding,
        "results of EXP, LOG, RECIP, RECIPSQ and SQRT: correctly rounded (xenia), or rounded to 21 bits of mantissa (canary)";
    TrigRange = "trig_range", ["full", "reduced"], Range,
        "SIN and COS of arguments outside [-pi, pi], the range to which drivers and compilers reduce them beforehand: computed from the argument itself (xenia's interpreter), or from fract(x * 0.15915494 + 0.5) * 6.2831853 - 3.14159265, the usual reduction (xenia). The hardware's behaviour is undocumented";
    AbsConst = "abs_const", ["absolute", "ignore"], SignOfZero,
        "bit 7 of an ALU slot: takes the absolute value of constants (xenia), or requests low precision, with no defined effect on values (fd-hdr)";
    StrideUnit = "stride_unit", ["target", "bytes", "dwords"], IndexRange,
        "unit of STRIDE and OFFSET of VERTEX: bytes on Adreno (fd, mesa) and dwords on Xenos (xenia); bytes on both; or dwords on both, as in kgsl's shaders";
    MiniFetch = "mini_fetch", ["target", "never", "always"], IndexRange,
        "bit 62 of VERTEX: reuses the address of the last fetch without it on Xenos (xenia), and has no effect on Adreno, where every fetch but the first sets it; no effect on both; or reuse on both";
    HalfFloat = "half_float", ["target", "ieee", "finite"], Formula,
        "the 16_FLOAT formats of VERTEX: binary16 on Adreno (assumed), and on Xenos a format without infinities, NaN and subnormals in which exponent 31 encodes normal numbers (xenia's xenos_half_to_float); binary16 on both (xenia's DXBC translator, which calls it wrong); or the Xenos format on both";
    EndCondition = "end_condition", ["if_run", "always"], ProgramEnd,
        "a conditional clause with END: ends the program only if its condition holds (xenia), or always";
    DenormalInput = "denormal_input", ["flush", "keep"], Subnormal,
        "subnormal operands: replaced by zero of the same sign (xenia), or kept";
    DenormalResult = "denormal_result", ["flush", "keep"], Subnormal,
        "subnormal results: replaced by zero of the same sign (xenia's translators), or kept (xenia's interpreter)";
    LegacyMultiply = "legacy_multiply", ["zero", "ieee"], ZeroTimesInfinity,
        "a product with a zero factor: +0 for every other factor (R5xx guide; xenia, whose authors observed it on an Adreno 200), or as in IEEE 754";
    MinMaxNan = "minmax_nan", ["second", "number"], MinMaxNan,
        "MAX and MIN with a NaN operand: the second operand, since the comparison is false (xenia), or the operand that is a number";
    Max4Compare = "max4_compare", ["ge", "gt"], GreaterOrEqual,
        "comparison in MAX4v: >= (xenia), or > (IPR2015-00325); they differ for zeros of opposite sign";
    ClampNan = "clamp_nan", ["zero", "one"], SaturateNan,
        "NaN clamped to the range from 0 to 1: 0 (xenia), or 1";
    MissingComponent = "missing_component", ["zero", "zero_one"], Unwritten,
        "components that are missing in a vertex format: 0, or 0 for x, y and z and 1 for w; xenia calls this unsettled";
    ConstantRange = "constant_range", ["zero", "wrap"], IndexRange,
        "a relative constant beyond the constant file: reads 0 (xenia), or its number is taken modulo 512";
    BothWrite = "both_write", ["scalar", "vector"], Unwritten,
        "a register component that both halves write: the scalar result (xenia's order), or the vector result; the hardware is undefined (xdk, xenia)";
    Derivative = "derivative", ["row", "quad"], DerivativePlace,
        "derivatives in a quad: those of the pixel's own row and column, or of the first row and column (xenia's translators request coarse derivatives)";
    LevelOfDetail = "level_of_detail", ["sum", "register"], LodBias,
        "SAMPLE that uses both the computed level of detail and that of SET_TEX_LOD: their sum (canary: the total is additive), or only the level set by SET_TEX_LOD";
    CubeGradients = "cube_gradients", ["cube_space", "face"], Formula,
        "gradients that were set for a cube map: those of the direction scaled to a major coordinate of 1 (canary, from the code that compilers emit for texCUBEgrad and texldd), or those of the fetch's coordinates on the face, as on GCN (canary)";
    AskedDetailBias = "asked_detail_bias", ["ignored", "added"], LodBias,
        "LOD_BIAS of GET_COMP_TEX_LOD: ignored, as an assembler does not accept it there and the fetch that uses the level adds its own bias (canary), or added to the level";
}
