//! The opcode table. Decoder, assembler, validator, generator, coverage and the printed manual all use it.

use super::profile::{Profile, Profiles};
use super::program::Version;
use crate::isa::OpcodeInfo;

/// The operands of an opcode, which may depend on the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// The operands are the same in all versions.
    Plain {
        /// Whether there is a destination.
        dest: bool,
        /// Number of sources.
        sources: u8,
    },
    /// A destination and a source; before version 3 two more sources, which are constants or scratch registers of the macro.
    Macro,
    /// `texcoord` of ps_1_0 to 1_3: a destination. `texcrd` of ps_1_4: a destination and a source.
    Coordinates,
    /// `tex` of ps_1_0 to 1_3: a destination. `texld` of ps_1_4: a destination and a source. `texld` of 2_0 and later: a destination and two sources,
    /// the coordinates and a sampler.
    Texture,
    /// A usage word and a destination.
    Declare,
    /// A destination and this many immediate words.
    Define(u8),
}

/// The operands that an opcode has in one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operands {
    /// Whether there is a usage word.
    pub usage: bool,
    /// Whether there is a destination.
    pub dest: bool,
    /// Number of sources, without predicate and relative addresses.
    pub sources: u8,
    /// Number of immediate words.
    pub immediates: u8,
}

/// The source components, after swizzling, on which a component of the result depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceComponents {
    /// The same component.
    Own,
    /// One component: the replicated one. For another swizzle, an option decides, and each component of the result may depend on a different one.
    Scalar,
    /// The first n components, from x.
    First(u8),
    /// For each of x, y and z, the other two of these components.
    Cross,
    /// x, y and w (lit).
    Lit,
    /// y and z of the first source, y and w of the second (dst).
    Distance,
    /// x and y of the first and second source, and one component of the third (dp2add).
    Dp2Add,
    /// The coordinates in the first source and, for texldd, the gradients. The number of components depends on the sampler and the opcode control.
    Texel,
    /// x and y of both sources (bem).
    Bump,
    /// No components: there are no sources, or they are not float registers.
    None,
}

/// The write masks that the documents allow. Some versions allow fewer: see rule `MaskVersion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mask {
    /// Any mask except the empty one.
    Any,
    /// Exactly this mask.
    Exactly(u8),
    /// Any nonempty subset of this mask.
    Within(u8),
    /// x, y or xy.
    SineCosine,
    /// xyz or xyzw.
    Vector,
    /// There is no destination.
    None,
}

/// The category of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Arithmetic; can be predicated.
    Arithmetic,
    /// Texture reads and coordinate operations; can be predicated.
    Texture,
    /// Flow control.
    Flow,
    /// Declarations and definitions, which have no effect when the shader runs, and `phase`.
    Declaration,
}

macro_rules! opcodes {
    ($($variant:ident $number:literal $name:literal $shape:expr, sm1 $sm1:literal, $kind:ident, $sources_read:expr, $mask:expr, $versions:expr, $meaning:literal, $source:literal;)*) => {
        /// The opcodes, in the order of [`TABLE`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $(#[doc = $meaning] $variant,)* }

        /// The table, sorted by number.
        pub static TABLE: &[Row] = &[$(Row {
            opcode: Opcode::$variant, number: $number, mnemonic: $name, shape: $shape, sm1: $sm1, kind: Kind::$kind, sources_read: $sources_read,
            mask: $mask, versions: $versions, meaning: $meaning, source: $source,
        },)*];

        impl Opcode {
            /// Returns the opcode with this number.
            #[inline]
            pub fn from_number(number: u16) -> Option<Opcode> {
                match number {
                    $($number => Some(Opcode::$variant),)*
                    _ => None,
                }
            }

            /// Returns the name in assembly text, as [`Row::mnemonic`].
            pub const fn mnemonic(self) -> &'static str {
                match self {
                    $(Opcode::$variant => $name,)*
                }
            }
        }

        /// The opcodes in the form common to all instruction sets.
        pub static INFO: &[OpcodeInfo] = &[$(OpcodeInfo {
            number: $number, mnemonic: $name, meaning: $meaning, source: $source,
        },)*];
    };
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The operation.
    pub opcode: Opcode,
    /// Opcode number, bits 0 to 15 of the instruction token.
    pub number: u16,
    /// Name in assembly text; see [`super::names`] for names that depend on the version or the opcode control.
    pub mnemonic: &'static str,
    /// Operands.
    pub shape: Shape,
    /// Whether the operands before version 2 are known. Before version 2 no token contains the length of an instruction.
    pub sm1: bool,
    /// The category.
    pub kind: Kind,
    /// The source components on which a component of the result depends.
    pub sources_read: SourceComponents,
    /// Legal write masks.
    pub mask: Mask,
    /// Versions that have the opcode.
    pub versions: Profiles,
    /// The meaning in one line.
    pub meaning: &'static str,
    /// Source and evidence tag.
    pub source: &'static str,
}

const NONE: Shape = Shape::Plain { dest: false, sources: 0 };
const S: Shape = Shape::Plain { dest: false, sources: 1 };
const SS: Shape = Shape::Plain { dest: false, sources: 2 };
const D: Shape = Shape::Plain { dest: true, sources: 0 };
const DS: Shape = Shape::Plain { dest: true, sources: 1 };
const DSS: Shape = Shape::Plain { dest: true, sources: 2 };
const DSSS: Shape = Shape::Plain { dest: true, sources: 3 };
const DSSSS: Shape = Shape::Plain { dest: true, sources: 4 };

const VSPS2: Profiles = Profiles::VS.or(Profiles::PS2);
const VS2PS2: Profiles = Profiles::VS2.or(Profiles::PS2);
const VS2PS2X: Profiles = Profiles::VS2.or(Profiles::PS2X);
const VS2PS3: Profiles = Profiles::VS2.or(Profiles::PS3);
const X2: Profiles = Profiles::VS2X.or(Profiles::PS2X);
const SM3: Profiles = Profiles::VS3.or(Profiles::PS3);
const PS12: Profiles = Profiles::range(Profile::Ps12, Profile::Ps3sw);
const PS123: Profiles = Profiles::range(Profile::Ps12, Profile::Ps13);
const PS_13: Profiles = Profiles::only(Profile::Ps13);
const PS_14: Profiles = Profiles::only(Profile::Ps14);

opcodes! {
    Nop 0 "nop" NONE, sm1 true, Arithmetic, SourceComponents::None, Mask::None, Profiles::ALL, "does nothing", "MS, WINE";
    Mov 1 "mov" DS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::ALL, "a; to a0: floor(a) in vs_1_1, a rounded to an integer later", "MS, WTEST";
    Add 2 "add" DSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::ALL, "a + b", "MS, SEED";
    Sub 3 "sub" DSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::ALL, "a - b", "MS, SEED; in vertex shaders an assembler emits add with b negated";
    Mad 4 "mad" DSSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::ALL, "a * b + c", "MS";
    Mul 5 "mul" DSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::ALL, "a * b", "MS";
    Rcp 6 "rcp" DS, sm1 true, Arithmetic, SourceComponents::Scalar, Mask::Any, VSPS2, "1 / a", "MS";
    Rsq 7 "rsq" DS, sm1 true, Arithmetic, SourceComponents::Scalar, Mask::Any, VSPS2, "1 / square root of |a|", "MS";
    Dp3 8 "dp3" DSS, sm1 true, Arithmetic, SourceComponents::First(3), Mask::Any, Profiles::ALL, "a.x*b.x + a.y*b.y + a.z*b.z in every component", "MS";
    Dp4 9 "dp4" DSS, sm1 true, Arithmetic, SourceComponents::First(4), Mask::Any, Profiles::VS.or(PS12), "a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w in every component", "MS";
    Min 10 "min" DSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, VSPS2, "a < b ? a : b", "MS";
    Max 11 "max" DSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, VSPS2, "a >= b ? a : b", "MS";
    Slt 12 "slt" DSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::VS, "a < b ? 1 : 0", "MS";
    Sge 13 "sge" DSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::VS, "a >= b ? 1 : 0", "MS";
    Exp 14 "exp" DS, sm1 true, Arithmetic, SourceComponents::Scalar, Mask::Any, VSPS2, "2 to the power of a", "MS";
    Log 15 "log" DS, sm1 true, Arithmetic, SourceComponents::Scalar, Mask::Any, VSPS2, "base-2 logarithm of |a|", "MS";
    Lit 16 "lit" DS, sm1 true, Arithmetic, SourceComponents::Lit, Mask::Any, Profiles::VS, "(1, max(a.x, 0), a.x > 0 and a.y > 0 ? a.y to the power of a.w : 0, 1)", "MS";
    Dst 17 "dst" DSS, sm1 true, Arithmetic, SourceComponents::Distance, Mask::Any, Profiles::VS, "(1, a.y*b.y, a.z, b.w)", "MS";
    Lrp 18 "lrp" DSSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::VS2.or(Profiles::PS), "c + a * (b - c)", "MS";
    Frc 19 "frc" DS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, VSPS2, "a - floor(a)", "MS";
    M4x4 20 "m4x4" DSS, sm1 true, Arithmetic, SourceComponents::First(4), Mask::Exactly(15), VSPS2, "dot products of a.xyzw with four registers from b on", "MS";
    M4x3 21 "m4x3" DSS, sm1 true, Arithmetic, SourceComponents::First(4), Mask::Exactly(7), VSPS2, "dot products of a.xyzw with three registers from b on", "MS";
    M3x4 22 "m3x4" DSS, sm1 true, Arithmetic, SourceComponents::First(3), Mask::Exactly(15), VSPS2, "dot products of a.xyz with four registers from b on", "MS";
    M3x3 23 "m3x3" DSS, sm1 true, Arithmetic, SourceComponents::First(3), Mask::Exactly(7), VSPS2, "dot products of a.xyz with three registers from b on", "MS";
    M3x2 24 "m3x2" DSS, sm1 true, Arithmetic, SourceComponents::First(3), Mask::Exactly(3), VSPS2, "dot products of a.xyz with two registers from b on", "MS";
    Call 25 "call" S, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS2X, "runs the subroutine at label a", "MS";
    Callnz 26 "callnz" SS, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS2X, "runs the subroutine at label a if b is true", "MS";
    Loop 27 "loop" SS, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS3, "repeats the body up to endloop b.x times; aL starts at b.y and grows by b.z", "MS; MSTOK shows one operand";
    Ret 28 "ret" NONE, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS2X, "ends the subroutine, or the program", "MS";
    Endloop 29 "endloop" NONE, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS3, "ends the body of loop", "MS";
    Label 30 "label" S, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS2X, "begins the subroutine a", "MS";
    Dcl 31 "dcl" Shape::Declare, sm1 true, Declaration, SourceComponents::None, Mask::Any, VSPS2, "declares a register", "MS, MSTOK";
    Pow 32 "pow" DSS, sm1 false, Arithmetic, SourceComponents::Scalar, Mask::Any, VS2PS2, "|a| to the power of b", "MS";
    Crs 33 "crs" DSS, sm1 false, Arithmetic, SourceComponents::Cross, Mask::Within(7), VS2PS2, "cross product of a.xyz and b.xyz", "MS";
    Sgn 34 "sgn" Shape::Macro, sm1 false, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::VS2, "-1, 0 or 1 with the sign of a; b and c are scratch registers", "MS; WINE and VKD for the short form of version 3";
    Abs 35 "abs" DS, sm1 false, Arithmetic, SourceComponents::Own, Mask::Any, VS2PS2, "absolute value of a", "MS";
    Nrm 36 "nrm" DS, sm1 false, Arithmetic, SourceComponents::First(3), Mask::Vector, VS2PS2, "a divided by the length of a.xyz", "MS";
    Sincos 37 "sincos" Shape::Macro, sm1 false, Arithmetic, SourceComponents::Scalar, Mask::SineCosine, VS2PS2, "x: cosine of a, y: sine of a; b and c hold the coefficients of a power series", "MS";
    Rep 38 "rep" S, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS2X, "repeats the body up to endrep a.x times", "MS";
    Endrep 39 "endrep" NONE, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS2X, "ends the body of rep", "MS";
    If 40 "if" S, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS2X, "runs the body up to else or endif if a is true", "MS";
    Ifc 41 "ifc" SS, sm1 false, Flow, SourceComponents::Scalar, Mask::None, X2, "runs the body up to else or endif if the comparison of a and b holds", "MS";
    Else 42 "else" NONE, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS2X, "runs the body up to endif if the body before else did not run", "MS";
    Endif 43 "endif" NONE, sm1 false, Flow, SourceComponents::None, Mask::None, VS2PS2X, "ends the body of if or else", "MS";
    Break 44 "break" NONE, sm1 false, Flow, SourceComponents::None, Mask::None, X2, "leaves the loop", "MS";
    Breakc 45 "breakc" SS, sm1 false, Flow, SourceComponents::Scalar, Mask::None, X2, "leaves the loop if the comparison of a and b holds", "MS";
    Mova 46 "mova" DS, sm1 false, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::VS2, "a rounded to an integer, written to a0", "MS";
    Defb 47 "defb" Shape::Define(1), sm1 false, Declaration, SourceComponents::None, Mask::Any, VS2PS2X, "defines a Boolean constant", "MS";
    Defi 48 "defi" Shape::Define(4), sm1 false, Declaration, SourceComponents::None, Mask::Any, VS2PS2X, "defines an integer constant", "MS";
    Texcoord 64 "texcoord" Shape::Coordinates, sm1 true, Texture, SourceComponents::First(4), Mask::Any, Profiles::PS1, "texture coordinates as a colour", "MS, SEED";
    Texkill 65 "texkill" D, sm1 true, Texture, SourceComponents::Own, Mask::Any, Profiles::PS, "discards the pixel if x, y, z or, from 2_0 on, w is below 0", "MS, MSTOK";
    Tex 66 "texld" Shape::Texture, sm1 true, Texture, SourceComponents::Texel, Mask::Any, Profiles::PS, "texel", "MS, SEED";
    Texbem 67 "texbem" DS, sm1 true, Texture, SourceComponents::First(2), Mask::Any, Profiles::PS13, "texel at the coordinates plus the bump-map offset", "MS";
    Texbeml 68 "texbeml" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, Profiles::PS13, "texel at the coordinates plus the bump-map offset, times luminance", "MS";
    Texreg2ar 69 "texreg2ar" DS, sm1 true, Texture, SourceComponents::First(4), Mask::Any, Profiles::PS13, "texel at (a.w, a.x)", "MS";
    Texreg2gb 70 "texreg2gb" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, Profiles::PS13, "texel at (a.y, a.z)", "MS";
    Texm3x2pad 71 "texm3x2pad" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, Profiles::PS13, "dot product of coordinates and a, the first of two rows", "MS";
    Texm3x2tex 72 "texm3x2tex" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, Profiles::PS13, "second row of the product, and the texel at the two results", "MS";
    Texm3x3pad 73 "texm3x3pad" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, Profiles::PS13, "dot product of coordinates and a, the first or second of three rows", "MS";
    Texm3x3tex 74 "texm3x3tex" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, Profiles::PS13, "third row of the product, and the texel at the three results", "MS";
    Texm3x3spec 76 "texm3x3spec" DSS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, Profiles::PS13, "third row of the product, and the texel in the direction of the eye ray b reflected about the three results", "MS";
    Texm3x3vspec 77 "texm3x3vspec" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, Profiles::PS13, "third row of the product, and the texel in the direction of the eye ray in w of the three coordinates reflected about the three results", "MS";
    Expp 78 "expp" DS, sm1 true, Arithmetic, SourceComponents::Scalar, Mask::Any, Profiles::VS, "2 to the power of a; before 2_0: x = 2^floor(a), y = a - floor(a), z = 2^a, w = 1", "MS";
    Logp 79 "logp" DS, sm1 true, Arithmetic, SourceComponents::Scalar, Mask::Any, Profiles::VS, "base-2 logarithm of |a|; before 2_0: x = exponent, y = mantissa, z = logarithm, w = 1", "MS, 9ON12";
    Cnd 80 "cnd" DSSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::PS1, "a > 0.5 ? b : c", "MS";
    Def 81 "def" Shape::Define(4), sm1 true, Declaration, SourceComponents::None, Mask::Any, Profiles::ALL, "defines a float constant", "MS";
    Texreg2rgb 82 "texreg2rgb" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, PS123, "texel at (a.x, a.y, a.z)", "MS";
    Texdp3tex 83 "texdp3tex" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, PS123, "texel at the dot product of coordinates and a", "MS";
    Texm3x2depth 84 "texm3x2depth" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, PS_13, "second row of the product; the first result divided by the second is the depth", "MS";
    Texdp3 85 "texdp3" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, PS123, "dot product of coordinates and a, in every component", "MS";
    Texm3x3 86 "texm3x3" DS, sm1 true, Texture, SourceComponents::First(3), Mask::Any, PS123, "third row of the product; (the three results, 1)", "MS";
    Texdepth 87 "texdepth" D, sm1 true, Texture, SourceComponents::First(2), Mask::Any, PS_14, "r5.x / r5.y is the depth", "MS";
    Cmp 88 "cmp" DSSS, sm1 true, Arithmetic, SourceComponents::Own, Mask::Any, PS12, "a >= 0 ? b : c", "MS";
    Bem 89 "bem" DSS, sm1 true, Arithmetic, SourceComponents::Bump, Mask::Exactly(3), PS_14, "a.xy plus the bump-map offset of b.xy", "MS";
    Dp2add 90 "dp2add" DSSS, sm1 false, Arithmetic, SourceComponents::Dp2Add, Mask::Any, Profiles::PS2, "a.x*b.x + a.y*b.y + c in every component", "MS";
    Dsx 91 "dsx" DS, sm1 false, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::PS2X, "difference of a between neighbouring pixels in x", "MS";
    Dsy 92 "dsy" DS, sm1 false, Arithmetic, SourceComponents::Own, Mask::Any, Profiles::PS2X, "difference of a between neighbouring pixels in y", "MS";
    Texldd 93 "texldd" DSSSS, sm1 false, Texture, SourceComponents::Texel, Mask::Any, Profiles::PS2X, "texel at a of sampler b with gradients c and d", "MS";
    Setp 94 "setp" DSS, sm1 false, Arithmetic, SourceComponents::Own, Mask::Any, X2, "whether the comparison of a and b holds", "MS";
    Texldl 95 "texldl" DSS, sm1 false, Texture, SourceComponents::Texel, Mask::Any, SM3, "texel at a of sampler b, level a.w", "MS";
    Breakp 96 "breakp" S, sm1 false, Flow, SourceComponents::None, Mask::None, X2, "leaves the loop if a is true", "MS";
    Phase 0xfffd "phase" NONE, sm1 true, Declaration, SourceComponents::None, Mask::None, PS_14, "ends the first phase", "MS, HDR";
}

/// The opcode number of a comment.
pub const COMMENT: u16 = 0xfffe;
/// The opcode number of END, whose other bits are all 0.
pub const END: u16 = 0xffff;

impl Opcode {
    /// Returns the opcode's row of the table.
    #[inline]
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Returns the operands in a version; `None` if they are unknown. This happens only before version 2, where no token contains the length of an
    /// instruction.
    #[inline]
    pub fn operands(self, version: Version) -> Option<Operands> {
        let row = self.row();
        if version.major < 2 && !row.sm1 {
            return None;
        }
        let some = |dest, sources| Some(Operands { usage: false, dest, sources, immediates: 0 });
        match row.shape {
            Shape::Plain { dest, sources } => some(dest, sources),
            Shape::Macro => some(true, if version.major < 3 { 3 } else { 1 }),
            // Vertex shaders of version 1 do not have these opcodes, so the operands are unknown.
            Shape::Coordinates | Shape::Texture if version.major < 2 && !version.is_pixel() => None,
            Shape::Coordinates | Shape::Texture if version.major < 2 => {
                some(true, u8::from(version.minor >= 4))
            }
            Shape::Coordinates => some(true, 1),
            Shape::Texture => some(true, 2),
            Shape::Declare => Some(Operands { usage: true, dest: true, sources: 0, immediates: 0 }),
            Shape::Define(n) => Some(Operands { usage: false, dest: true, sources: 0, immediates: n }),
        }
    }

    /// Whether the opcode is `phase`, whose token has no length in any version.
    #[inline]
    pub fn is_phase(self) -> bool {
        self == Opcode::Phase
    }

    /// Returns the number of rows of the matrix that begins at the second source; `None` if the opcode has no matrix operand.
    pub fn rows(self) -> Option<u8> {
        match self {
            Opcode::M4x4 | Opcode::M3x4 => Some(4),
            Opcode::M4x3 | Opcode::M3x3 => Some(3),
            Opcode::M3x2 => Some(2),
            _ => None,
        }
    }

    /// Whether the control field is a comparison.
    pub fn compares(self) -> bool {
        matches!(self, Opcode::Ifc | Opcode::Breakc | Opcode::Setp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcode_numbers_ascend_and_find_their_rows() {
        assert!(TABLE.windows(2).all(|w| w[0].number < w[1].number));
        let mut found = 0;
        for number in 0..=u16::MAX {
            if let Some(opcode) = Opcode::from_number(number) {
                assert_eq!(opcode.row().number, number);
                found += 1;
            }
        }
        assert_eq!(found, TABLE.len());
        for (k, row) in TABLE.iter().enumerate() {
            assert_eq!(row.opcode as usize, k);
        }
    }

    /// The number of words after the instruction token before version 2, as MS documents it.
    #[test]
    fn lengths_before_version_two_are_as_documented() {
        let sheet: &[(u8, &[u16])] = &[
            (0, &[0, 0xfffd]),
            (1, &[65, 87]),
            (
                2,
                &[
                    1, 6, 7, 14, 15, 16, 19, 31, 67, 68, 69, 70, 71, 72, 73, 74, 77, 78, 79, 82, 83, 84, 85,
                    86,
                ],
            ),
            (3, &[2, 3, 5, 8, 9, 10, 11, 12, 13, 17, 20, 21, 22, 23, 24, 76, 89]),
            (4, &[4, 18, 80, 88]),
            (5, &[81]),
        ];
        let length = |number: u16, profile: Profile| {
            let o = Opcode::from_number(number)?.operands(profile.version())?;
            Some(u8::from(o.usage) + u8::from(o.dest) + o.sources + o.immediates)
        };
        for profile in Profile::ALL.iter().copied().filter(|p| p.major() == 1) {
            let listed = |n| sheet.iter().find(|(_, ns)| ns.contains(&n)).map(|(len, _)| *len);
            for row in TABLE {
                let expected = match (row.number, profile) {
                    (64 | 66, p) if !p.is_pixel() => None,
                    (64 | 66, Profile::Ps14) => Some(2),
                    (64 | 66, _) => Some(1),
                    (n, _) => listed(n),
                };
                assert_eq!(length(row.number, profile), expected, "{} {profile:?}", row.mnemonic);
            }
        }
    }
}
