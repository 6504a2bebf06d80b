//! The options: points on which the sources of the A2xx disagree or are uncertain, and the choices for each.

use crate::isa::options::specs;

specs! {
    ScalarOperands = "scalar_operands", ["wx_wz", "wx", "zw"], ScalarLane,
        "channels of source 3 that a and b of ADDs and its kin are: W and X, but W and Z beside a vector operation with three sources (canary); W and X always (xenia); Z and W (mesa)";
    ExportBoth = "export_both", ["one", "scalar"], Unwritten,
        "an export component with both mask bits: the constant 1 (xenia, seen in driver output), or the scalar result as elsewhere (fd and mesa listings)";
    Muladd = "muladd", ["unfused", "fused"], Rounding,
        "MULADDv: product rounded before the sum (xenia), or not (mesa; the emulator text quoted by xenia)";
    Dot = "dot", ["xyzw_zero", "xyzw_first", "wxyz_first"], SummationOrder,
        "DOT4v, DOT3v and DOT2ADDv: added from x on, beginning with +0 (xenia's interpreter); beginning with the first product (its translator); w first for DOT4v (IPR2015-00325)";
    Precision = "precision", ["exact", "bits21"], Rounding,
        "EXP, LOG, RECIP, RECIPSQ and SQRT: correctly rounded (xenia), or rounded to 21 bits of mantissa (canary)";
    TrigRange = "trig_range", ["full", "reduced"], Range,
        "SIN and COS outside [-pi, pi], to which drivers and compilers bring the argument first: of the argument as it is (xenia's interpreter), or of fract(x * 0.15915494 + 0.5) * 6.2831853 - 3.14159265, as they bring it (xenia). No document says what hardware gives there";
    AbsConst = "abs_const", ["absolute", "ignore"], SignOfZero,
        "bit 7 of an ALU slot: sign of constants dropped (xenia), or low precision, which says nothing of values (fd-hdr)";
    StrideUnit = "stride_unit", ["target", "bytes", "dwords"], IndexRange,
        "unit of STRIDE and OFFSET of VERTEX: bytes on Adreno (fd, mesa) and dwords on Xenos (xenia); or the same on both; kgsl's shaders count dwords";
    MiniFetch = "mini_fetch", ["target", "never", "always"], IndexRange,
        "bit 62 of VERTEX: uses the address of the fetch before on Xenos (xenia), and says nothing on Adreno, where all but the first fetch have it";
    HalfFloat = "half_float", ["target", "ieee", "finite"], Formula,
        "the 16_FLOAT formats of VERTEX: binary16 on Adreno (assumed), and on Xenos a format without infinities, NaN and subnormals in which exponent 31 is an ordinary one (xenia's xenos_half_to_float); or binary16 on both (xenia's DXBC translator, which calls that wrong); or the other on both";
    EndCondition = "end_condition", ["if_run", "always"], ProgramEnd,
        "a conditional clause that ends the program: only if its condition holds (xenia), or whether it ran or not";
    DenormalInput = "denormal_input", ["flush", "keep"], Subnormal,
        "subnormal operands: zero of their sign (xenia), or kept";
    DenormalResult = "denormal_result", ["flush", "keep"], Subnormal,
        "subnormal results: zero of their sign (xenia's translators), or kept (xenia's interpreter) (xenia)";
    LegacyMultiply = "legacy_multiply", ["zero", "ieee"], ZeroTimesInfinity,
        "a product with a zero factor: +0 whatever the other (R5xx guide; seen on an Adreno 200), or as IEEE (xenia)";
    MinMaxNan = "minmax_nan", ["second", "number"], MinMaxNan,
        "MAX and MIN with NaN: the second operand by the comparison (xenia), or the number";
    Max4Compare = "max4_compare", ["ge", "gt"], GreaterOrEqual,
        "MAX4v compares with >= (xenia), or with > (IPR2015-00325), which differ for zeros of both signs";
    ClampNan = "clamp_nan", ["zero", "one"], SaturateNan,
        "clamped NaN: 0 (xenia), or 1";
    MissingComponent = "missing_component", ["zero", "zero_one"], Unwritten,
        "components that a vertex format lacks: 0, or 0 and 1 for w; xenia calls it unsettled";
    ConstantRange = "constant_range", ["zero", "wrap"], IndexRange,
        "a relative constant outside its file: 0 (xenia), or taken modulo 512";
    BothWrite = "both_write", ["scalar", "vector"], Unwritten,
        "a register component that both halves write: the scalar result (xenia's order), or the vector result; the hardware is undefined (xdk, xenia)";
    Derivative = "derivative", ["row", "quad"], DerivativePlace,
        "derivatives in a quad: of the pixel's own row and column, or of the first (xenia's translators ask for coarse ones)";
    LevelOfDetail = "level_of_detail", ["sum", "register"], LodBias,
        "SAMPLE that uses both the computed level of detail and that of SET_TEX_LOD: their sum (canary: the total is additive), or the register's alone";
    CubeGradients = "cube_gradients", ["cube_space", "face"], Formula,
        "gradients that were set, on a cube: of the direction, its major coordinate being 1 (canary, from what compilers make of texCUBEgrad and texldd), or along the fetch's own coordinates on the face, as on GCN (canary)";
    AskedDetailBias = "asked_detail_bias", ["ignored", "added"], LodBias,
        "LOD_BIAS of GET_COMP_TEX_LOD: no part of the level, as an assembler does not take it there and the fetch that uses the level adds its own (canary), or added to it";
}
