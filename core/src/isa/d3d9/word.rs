//! Every bit of every word, defined once. Decoder, encoder, edits, the printed manual and the layout proofs use these tables.

use super::modifier::Modifier;
use super::program::{Dest, Index, Instruction, Relative, Source};
use crate::binary::Use::{Choice, Fixed, Reserved, Signed};
use crate::binary::{Layout, vocabulary, words};

const SHEET: &str = "SEED, MSTOK, HDR";

vocabulary! {
    /// Result modifiers. They are flags that can be combined.
    pub enum ResultModifier {
        /// The result is clamped to 0 and 1.
        Saturate = 1 "sat",
        /// The result may have partial precision.
        Partial = 2 "pp",
        /// The input is sampled at the centroid.
        Centroid = 4 "centroid",
    }

    /// The factor that a result is multiplied by: a power of two, whose exponent is a two's complement number of 4 bits.
    pub enum Shift {
        /// 2.
        X2 = 1 "x2",
        /// 4.
        X4 = 2 "x4",
        /// 8.
        X8 = 3 "x8",
        /// 1/2.
        D2 = 15 "d2",
        /// 1/4.
        D4 = 14 "d4",
        /// 1/8.
        D8 = 13 "d8",
    }

    /// How a texture read uses w, by its opcode control.
    pub enum Control {
        /// w is not used.
        Plain = 0 "plain",
        /// The coordinates are divided by w.
        Project = 1 "project",
        /// w is added to the level of detail.
        Bias = 2 "bias",
    }

    /// The comparison, in the lowest three bits of an opcode control.
    pub enum Comparison {
        /// >
        Gt = 1 "gt",
        /// ==
        Eq = 2 "eq",
        /// >=
        Ge = 3 "ge",
        /// <
        Lt = 4 "lt",
        /// !=
        Ne = 5 "ne",
        /// <=
        Le = 6 "le",
    }

    /// The use of an input or output.
    pub enum UsageName {
        /// Position.
        Position = 0 "position",
        /// Bone weights.
        BlendWeight = 1 "blendweight",
        /// Bone indices.
        BlendIndices = 2 "blendindices",
        /// Normal.
        Normal = 3 "normal",
        /// Point size.
        PointSize = 4 "psize",
        /// Texture coordinate.
        TexCoord = 5 "texcoord",
        /// Tangent.
        Tangent = 6 "tangent",
        /// Binormal.
        Binormal = 7 "binormal",
        /// Tessellation factor.
        TessFactor = 8 "tessfactor",
        /// Transformed position.
        PositionT = 9 "positiont",
        /// Colour.
        Color = 10 "color",
        /// Fog.
        Fog = 11 "fog",
        /// Depth.
        Depth = 12 "depth",
        /// Displacement.
        Sample = 13 "sample",
    }

    /// The texture type of a sampler.
    pub enum TextureType {
        /// Not declared.
        None = 0 "none",
        /// One dimension.
        Line = 1 "1d",
        /// Two dimensions.
        Plane = 2 "2d",
        /// A cube with six faces.
        Cube = 3 "cube",
        /// A volume.
        Volume = 4 "volume",
    }
}

words! {
    /// The first word of a program.
    pub struct VersionWord in u32, 32 bits, "version" from SHEET;
    {
        /// Minor version.
        minor: u8 [8],
        /// Major version.
        major: u8 [8],
        /// Stage.
        stage: u16 [16] Choice(&[(VERTEX, "vertex"), (PIXEL, "pixel")]),
    }

    /// The first word of an instruction.
    pub struct InstructionWord in u32, 32 bits, "instruction" from SHEET;
    {
        /// Opcode number.
        opcode: u16 [16],
        /// Opcode control.
        control: u8 [8],
        /// Number of words that follow, from version 2 on.
        length: u8 [4],
        /// 1 if a predicate follows the destination.
        predicated: u8 [1],
        /// Bit 29.
        zero29: u8 [1] Reserved,
        /// 1 if the instruction is co-issued with the previous one.
        coissue: u8 [1],
        /// Bit 31.
        zero31: u8 [1] Reserved,
    }

    /// The first word of a comment.
    pub struct CommentWord in u32, 32 bits, "comment" from SHEET;
    {
        /// Opcode number.
        opcode: u16 [16] Choice(&[(COMMENT, "comment")]),
        /// Number of words that follow.
        length: u16 [15],
        /// Bit 31.
        zero31: u8 [1] Reserved,
    }

    /// A destination.
    pub struct DestWord in u32, 32 bits, "destination" from SHEET;
    {
        /// Register number.
        number: u16 [11],
        /// Bits 3 and 4 of the register type.
        type_high: u8 [2],
        /// 1 if the number is relative.
        relative: u8 [1],
        /// Bits 14 and 15.
        zero14: u8 [2] Reserved,
        /// Components written, bit 0 = x.
        mask: u8 [4],
        /// Result modifiers, as flags.
        modifier: u8 [4],
        /// Exponent of the power of two that the result is multiplied by, two's complement.
        shift: u8 [4] Signed,
        /// Bits 0 to 2 of the register type.
        type_low: u8 [3],
        /// Bit 31.
        one31: u8 [1] Fixed(1),
    }

    /// A source, also used for relative addresses and predicates.
    pub struct SourceWord in u32, 32 bits, "source" from SHEET;
    {
        /// Register number.
        number: u16 [11],
        /// Bits 3 and 4 of the register type.
        type_high: u8 [2],
        /// 1 if the number is relative.
        relative: u8 [1],
        /// Bits 14 and 15.
        zero14: u8 [2] Reserved,
        /// Two bits per component, x lowest.
        swizzle: u8 [8],
        /// See [`Modifier`].
        modifier: u8 [4] Choice(Modifier::CHOICES),
        /// Bits 0 to 2 of the register type.
        type_low: u8 [3],
        /// Bit 31.
        one31: u8 [1] Fixed(1),
    }

    /// The first word after a dcl.
    pub struct Usage in u32, 32 bits, "usage" from SHEET;
    {
        /// See [`UsageName`].
        usage: u8 [5] Choice(UsageName::CHOICES),
        /// Bits 5 to 15.
        zero5: u16 [11] Reserved,
        /// Usage index.
        index: u8 [4],
        /// Bits 20 to 26.
        zero20: u8 [7] Reserved,
        /// Texture type of a sampler, see [`TextureType`].
        texture: u8 [4] Choice(TextureType::CHOICES),
        /// Bit 31.
        one31: u8 [1] Fixed(1),
    }
}

/// The stage of vertex shaders in a version word.
pub const VERTEX: u64 = 0xfffe;
/// The stage of pixel shaders in a version word.
pub const PIXEL: u64 = 0xffff;
/// The opcode of comments.
pub const COMMENT: u64 = 0xfffe;

/// All layouts.
pub static LAYOUTS: [Layout; 6] = [
    VersionWord::LAYOUT,
    InstructionWord::LAYOUT,
    CommentWord::LAYOUT,
    DestWord::LAYOUT,
    SourceWord::LAYOUT,
    Usage::LAYOUT,
];

impl Comparison {
    /// The comparison of an opcode control. Higher bits are reserved.
    #[inline]
    pub fn from_control(control: u8) -> Option<Comparison> {
        Comparison::from_number(control & 7)
    }
}

/// The register type, from its two parts.
fn joined(type_high: u8, type_low: u8) -> u8 {
    type_low | type_high << 3
}

/// The two parts of a register type, the upper one first.
fn parted(file: u8) -> (u8, u8) {
    (file >> 3, file & 7)
}

impl Instruction {
    /// The fields of the first word, with a length. Before version 2 the length is `zero24`.
    pub fn first_word(&self, length: u8) -> InstructionWord {
        let Instruction { opcode, control, predicated, zero29, coissue, zero31, .. } = *self;
        InstructionWord { opcode, control, length, predicated, zero29, coissue, zero31 }
    }

    /// Whether a bit of the first word is set that the documents define as zero. Before version 2 these include the bits of the length.
    pub fn has_reserved(&self) -> bool {
        self.zero24 != 0 || self.first_word(0).has_reserved()
    }
}

impl Dest {
    /// The fields of a word. `relative` is the meaning of bit 13 if it is set.
    #[inline]
    pub fn from_word(word: u32, relative: Relative) -> Dest {
        let DestWord { number, type_high, relative: _, zero14, mask, modifier, shift, type_low, one31 } =
            DestWord::from_word(word);
        Dest { number, file: joined(type_high, type_low), relative, zero14, mask, modifier, shift, one31 }
    }

    /// The fields of the word, with `relative` as its bit.
    fn word(&self) -> DestWord {
        let Dest { number, file, ref relative, zero14, mask, modifier, shift, one31 } = *self;
        let (type_high, type_low) = parted(file);
        let relative = u8::from(relative.is_set());
        DestWord { number, type_high, relative, zero14, mask, modifier, shift, type_low, one31 }
    }

    /// The word with these fields.
    ///
    /// # Panics
    /// If a value does not fit its field.
    #[inline]
    pub fn to_word(&self) -> u32 {
        self.word().to_word()
    }

    /// Whether the bits that the documents fix have their documented values.
    pub fn has_documented_bits(&self) -> bool {
        let word = self.word();
        !word.has_reserved() && !word.has_wrong_fixed()
    }
}

impl Source {
    /// The fields of a word. `relative` is the meaning of bit 13 if it is set.
    #[inline]
    pub fn from_word(word: u32, relative: Relative) -> Source {
        let SourceWord { number, type_high, relative: _, zero14, swizzle, modifier, type_low, one31 } =
            SourceWord::from_word(word);
        Source { number, file: joined(type_high, type_low), relative, zero14, swizzle, modifier, one31 }
    }

    /// The fields of the word, with `relative` as its bit.
    fn word(&self) -> SourceWord {
        let Source { number, file, ref relative, zero14, swizzle, modifier, one31 } = *self;
        let (type_high, type_low) = parted(file);
        let relative = u8::from(relative.is_set());
        SourceWord { number, type_high, relative, zero14, swizzle, modifier, type_low, one31 }
    }

    /// The word with these fields.
    ///
    /// # Panics
    /// If a value does not fit its field.
    #[inline]
    pub fn to_word(&self) -> u32 {
        self.word().to_word()
    }

    /// Whether the bits that the documents fix have their documented values.
    pub fn has_documented_bits(&self) -> bool {
        let word = self.word();
        !word.has_reserved() && !word.has_wrong_fixed()
    }
}

impl Index {
    /// The fields of a word.
    #[inline]
    pub fn from_word(word: u32) -> Index {
        let SourceWord { number, type_high, relative: zero13, zero14, swizzle, modifier, type_low, one31 } =
            SourceWord::from_word(word);
        Index { number, file: joined(type_high, type_low), zero13, zero14, swizzle, modifier, one31 }
    }

    /// The fields of the word, with the register type in two parts.
    fn word(&self) -> SourceWord {
        let Index { number, file, zero13, zero14, swizzle, modifier, one31 } = *self;
        let (type_high, type_low) = parted(file);
        SourceWord { number, type_high, relative: zero13, zero14, swizzle, modifier, type_low, one31 }
    }

    /// The word with these fields.
    ///
    /// # Panics
    /// If a value does not fit its field.
    #[inline]
    pub fn to_word(&self) -> u32 {
        self.word().to_word()
    }

    /// Whether the bits that the documents fix have their documented values.
    pub fn has_documented_bits(&self) -> bool {
        let word = self.word();
        !word.has_reserved() && !word.has_wrong_fixed()
    }
}
