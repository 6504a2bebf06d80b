//! The opcode table. Decoder, assembler, validator, generator, coverage and the printed manual all read it.

use crate::isa::{OpcodeInfo, Stage};

/// The operands of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Destination and one source.
    Unary,
    /// Destination and two sources.
    Binary,
    /// Destination, a vector, and the first of `rows` consecutive registers that contain a matrix.
    Matrix {
        /// Number of rows, which is also the number of components of the result.
        rows: u8,
        /// Number of components used of each row.
        columns: u8,
    },
    /// Destination, coordinates and a sampler.
    Texture,
    /// Two scalar sources that are compared; begins a block.
    Compare,
    /// No operands; ends a block or begins its `els` branch.
    Marker,
    /// One scalar source.
    Kill,
}

/// The components of the sources on which a component of the result depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceComponents {
    /// Only on the same component, after swizzling.
    Own,
    /// On the first n components, from x.
    First(u8),
    /// On the other two of x, y and z.
    Cross,
    /// There is no result.
    None,
}

macro_rules! opcodes {
    ($($variant:ident $number:literal $name:literal $shape:expr, $sources_read:expr, $stages:ident, $version:literal, w $w:literal, $meaning:literal, $source:literal;)*) => {
        /// An opcode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $(#[doc = $meaning] $variant,)* }

        impl Opcode {
            /// Returns the opcode with this number; `None` if it is unknown.
            #[inline]
            pub fn from_number(number: u32) -> Option<Opcode> {
                match number {
                    $($number => Some(Opcode::$variant),)*
                    _ => None,
                }
            }
        }

        /// The opcode table, in ascending order of number.
        pub static TABLE: &[Row] = &[$(Row {
            opcode: Opcode::$variant, number: $number, mnemonic: $name, shape: $shape, sources_read: $sources_read, stages: $stages,
            version: $version, writes_w: $w, meaning: $meaning, source: $source,
        },)*];

        /// The opcode table in the form common to all instruction sets.
        pub static INFO: &[OpcodeInfo] = &[$(OpcodeInfo {
            number: $number, mnemonic: $name, meaning: $meaning, source: $source,
        },)*];
    };
}

/// A row of the opcode table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The enum value.
    pub opcode: Opcode,
    /// The opcode's number in the token.
    pub number: u32,
    /// The mnemonic in assembly text.
    pub mnemonic: &'static str,
    /// The operands.
    pub shape: Shape,
    /// The source components on which a component of the result depends.
    pub sources_read: SourceComponents,
    /// The stages in which the opcode is available.
    pub stages: &'static [Stage],
    /// The first version in which the opcode is available.
    pub version: u32,
    /// Whether the result has a fourth component.
    pub writes_w: bool,
    /// The opcode's effect, in one line.
    pub meaning: &'static str,
    /// The source, as a citation.
    pub source: &'static str,
}

const BOTH: &[Stage] = &[Stage::Vertex, Stage::Fragment];
const FS: &[Stage] = &[Stage::Fragment];
const VS: &[Stage] = &[Stage::Vertex];
use Shape::{Binary, Compare, Kill, Marker, Matrix, Texture, Unary};
use SourceComponents::{Cross, First, None as Nothing, Own};

opcodes! {
    Mov 0x00 "mov" Unary, Own, BOTH, 1, w true, "a", "SEED";
    Add 0x01 "add" Binary, Own, BOTH, 1, w true, "a + b", "SEED";
    Sub 0x02 "sub" Binary, Own, BOTH, 1, w true, "a - b", "SEED";
    Mul 0x03 "mul" Binary, Own, BOTH, 1, w true, "a * b", "SEED";
    Div 0x04 "div" Binary, Own, BOTH, 1, w true, "a / b", "SEED";
    Rcp 0x05 "rcp" Unary, Own, BOTH, 1, w true, "1 / a, for each component", "SEED";
    Min 0x06 "min" Binary, Own, BOTH, 1, w true, "the smaller of a and b", "SEED";
    Max 0x07 "max" Binary, Own, BOTH, 1, w true, "the larger of a and b", "SEED";
    Frc 0x08 "frc" Unary, Own, BOTH, 1, w true, "a - floor(a)", "SEED";
    Sqt 0x09 "sqt" Unary, Own, BOTH, 1, w true, "square root of a", "SEED";
    Rsq 0x0a "rsq" Unary, Own, BOTH, 1, w true, "1 / square root of a", "SEED";
    Pow 0x0b "pow" Binary, Own, BOTH, 1, w true, "a to the power of b", "SEED";
    Log 0x0c "log" Unary, Own, BOTH, 1, w true, "base-2 logarithm of a", "SEED";
    Exp 0x0d "exp" Unary, Own, BOTH, 1, w true, "2 to the power of a", "SEED";
    Nrm 0x0e "nrm" Unary, First(3), BOTH, 1, w false, "a.xyz divided by its length", "SEED";
    Sin 0x0f "sin" Unary, Own, BOTH, 1, w true, "sine of a in radians", "SEED";
    Cos 0x10 "cos" Unary, Own, BOTH, 1, w true, "cosine of a in radians", "SEED";
    Crs 0x11 "crs" Binary, Cross, BOTH, 1, w false, "cross product of a.xyz and b.xyz", "SEED";
    Dp3 0x12 "dp3" Binary, First(3), BOTH, 1, w true, "a.x*b.x + a.y*b.y + a.z*b.z in every component", "SEED";
    Dp4 0x13 "dp4" Binary, First(4), BOTH, 1, w true, "a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w in every component", "SEED";
    Abs 0x14 "abs" Unary, Own, BOTH, 1, w true, "absolute value of a", "SEED";
    Neg 0x15 "neg" Unary, Own, BOTH, 1, w true, "-a", "SEED";
    Sat 0x16 "sat" Unary, Own, BOTH, 1, w true, "max(min(a, 1), 0)", "SEED";
    M33 0x17 "m33" Matrix { rows: 3, columns: 3 }, First(3), BOTH, 1, w false, "dot products of a.xyz with three registers from b on", "SEED";
    M44 0x18 "m44" Matrix { rows: 4, columns: 4 }, First(4), BOTH, 1, w true, "dot products of a.xyzw with four registers from b on", "SEED";
    M34 0x19 "m34" Matrix { rows: 3, columns: 4 }, First(4), BOTH, 1, w false, "dot products of a.xyzw with three registers from b on", "SEED; ADB calls it m43";
    Ddx 0x1a "ddx" Unary, Own, FS, 2, w true, "difference of a between neighbouring pixels in x", "SEED";
    Ddy 0x1b "ddy" Unary, Own, FS, 2, w true, "difference of a between neighbouring pixels in y", "SEED";
    Ife 0x1c "ife" Compare, Nothing, BOTH, 2, w false, "runs the block if a == b", "SEED";
    Ine 0x1d "ine" Compare, Nothing, BOTH, 2, w false, "runs the block if a != b", "SEED";
    Ifg 0x1e "ifg" Compare, Nothing, BOTH, 2, w false, "runs the block if a > b (with an option, if a >= b)", "SEED states both; RUF >, AWY >=";
    Ifl 0x1f "ifl" Compare, Nothing, BOTH, 2, w false, "runs the block if a < b", "SEED";
    Els 0x20 "els" Marker, Nothing, BOTH, 2, w false, "runs the following block if the block before it did not run", "SEED";
    Eif 0x21 "eif" Marker, Nothing, BOTH, 2, w false, "ends the block", "SEED";
    Ted 0x26 "ted" Texture, First(3), FS, 2, w true, "texel at a; needs mip maps and no bias", "GCL; ERR 3740, 3743; the source of its derivative is undocumented, so it is read like tex";
    Kil 0x27 "kil" Kill, Nothing, FS, 1, w false, "discards the pixel if a < 0", "SEED";
    Tex 0x28 "tex" Texture, First(3), FS, 1, w true, "texel at a", "SEED";
    Sge 0x29 "sge" Binary, Own, BOTH, 1, w true, "a >= b ? 1 : 0", "SEED";
    Slt 0x2a "slt" Binary, Own, BOTH, 1, w true, "a < b ? 1 : 0", "SEED";
    Sgn 0x2b "sgn" Unary, Own, BOTH, 1, w true, "-1, 0 or 1 with the sign of a", "GCL, MINI3, AWY; ADB lists it as not implemented";
    Seq 0x2c "seq" Binary, Own, BOTH, 1, w true, "a == b ? 1 : 0", "SEED";
    Sne 0x2d "sne" Binary, Own, BOTH, 1, w true, "a != b ? 1 : 0", "SEED";
    Tld 0x2e "tld" Texture, First(3), VS, 4, w true, "texel of the base level at a, for vertex programs", "MINI3; ERR 3803 to 3805";
}

impl Opcode {
    /// Returns the opcode's row in the table.
    #[inline]
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Returns the opcode with this mnemonic. `m43` is accepted for m34 (ADB).
    pub fn from_mnemonic(name: &str) -> Option<Opcode> {
        let name = if name == "m43" { "m34" } else { name };
        TABLE.iter().find(|row| row.mnemonic == name).map(|row| row.opcode)
    }

    /// Whether the last operand is a sampler.
    #[inline]
    pub fn has_sampler(self) -> bool {
        matches!(self.row().shape, Texture)
    }

    /// Whether the opcode has a destination.
    #[inline]
    pub fn has_dest(self) -> bool {
        matches!(self.row().shape, Unary | Binary | Matrix { .. } | Texture)
    }

    /// Returns the number of sources that are registers, not samplers.
    #[inline]
    pub fn sources(self) -> usize {
        match self.row().shape {
            Unary | Texture | Kill => 1,
            Binary | Matrix { .. } | Compare => 2,
            Marker => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcode_numbers_ascend_and_find_their_rows() {
        assert!(TABLE.windows(2).all(|w| w[0].number < w[1].number));
        let mut found = 0;
        for number in 0..0x200 {
            if let Some(opcode) = Opcode::from_number(number) {
                assert_eq!(opcode.row().number, number);
                found += 1;
            }
        }
        assert_eq!(found, TABLE.len());
        for (k, row) in TABLE.iter().enumerate() {
            assert_eq!(row.opcode as usize, k);
            assert_eq!(Opcode::from_mnemonic(row.mnemonic), Some(row.opcode));
        }
    }
}
