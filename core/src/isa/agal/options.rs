//! The points on which the sources of AGAL disagree, and the choices.

use crate::isa::Axis;
use crate::value::Freedom;

macro_rules! axes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, [$($choice:literal),*], $freedom:ident, $meaning:literal;)*) => {
        /// Numbers of the axes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Choice { $(#[doc = $meaning] $name,)* }

        /// All axes; the first choice is the default.
        pub static AXES: &[Axis] = &[$(Axis {
            name: $text, meaning: $meaning, choices: &[$($choice),*], freedom: Freedom::$freedom,
        },)*];
    };
}

axes! {
    Ifg = "ifg", ["gt", "ge"], GreaterOrEqual,
        "ifg on equal operands: SEED's title says greater, its description greater or equal; RUF >, AWY >= (fact sheet 3)";
    Offset = "offset", ["unsigned", "signed"], IndexRange,
        "sign of the 8-bit offset of an indirect read: GCL, MINI3 and RUF unsigned, ADB signed (fact sheet 2)";
    ReciprocalZero = "reciprocal_zero", ["infinity", "max"], ReciprocalOfZero,
        "an infinite quotient by zero: infinity (RUF, OFL, AWY), or the largest finite number as some D3D9 drivers give (fact sheet 6)";
    RsqZero = "rsq_zero", ["infinity", "max"], RsqOfZero,
        "rsq of zero: 1/sqrt by IEEE, or the largest finite number (fact sheet 6)";
    NegativeRoot = "negative_root", ["nan", "abs"], NegativeRoot,
        "sqt, rsq and log below zero: NaN (RUF, OFL), or of the magnitude (AWY) (fact sheet 6)";
    LogZero = "log_zero", ["infinity", "max"], LogOfZero,
        "log of zero: -infinity, or the most negative finite number (fact sheet 6; D3D9)";
    PowNegative = "pow_negative", ["abs", "nan"], NegativeBase,
        "pow with a negative base: of the magnitude (AWY; D3D9 lowering), or NaN (RUF, OFL undefined) (fact sheet 6)";
    MinMaxNan = "minmax_nan", ["second", "number", "nan"], MinMaxNan,
        "min and max with NaN: the second operand, the number, or NaN; which one is the back end's (fact sheet 6)";
    SaturateNan = "saturate_nan", ["one", "zero"], SaturateNan,
        "sat of NaN: 1 by SEED's formula max(min(x, 1), 0), or 0 (fact sheet 6)";
    NormalizeZero = "normalize_zero", ["nan", "zero"], NormalizeZero,
        "nrm of a vector of length 0: NaN, or zeros where 0 * infinity is 0 (fact sheet 6)";
    SignNan = "sign_nan", ["zero", "nan"], SignOfNan,
        "sgn of NaN: 0, or NaN; no source says";
    Index = "index", ["truncate", "round", "floor"], IndexConversion,
        "conversion of an index to an integer: truncation (RUF, OFL, AWY), to nearest even (D3D9 mova), or floor (fact sheet 6)";
    Derivative = "derivative", ["fine", "coarse"], DerivativePlace,
        "ddx and ddy: of each row or column of the quad, or the first one's for all four lanes; no source says";
    LodBias = "lod_bias", ["apply", "ignore"], LodBias,
        "level-of-detail bias of tex and tld: value / 8 (SEED), or ignored (RUF, AWY) (fact sheet 6)";
}
