//! The layouts of all words: each field of each word is declared once, here. The decoder, the encoder, edits, the printed manual and the layout
//! proofs use these tables.

#![deny(clippy::cast_possible_truncation)]

use super::modifier::Modifier;
use super::opcode::COMMENT;
use super::program::{Instruction, Relative};
use crate::binary::FieldKind::{Choice, Elements, Fixed, Number, Reserved, Signed};
use crate::binary::{Bits, Field, Layout, List, vocabulary, words};

const SOURCES: &str = "SEED, MSTOK, HDR";

vocabulary! {
    /// Result modifiers. The values are flags that can be combined.
    pub enum ResultModifier {
        /// The result is clamped to the range from 0 to 1.
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

    /// How a texture read uses w: the opcode control of `texld` in 2_0 and later.
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

    /// The usage of an input or output register, which states what the register contains.
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
    pub struct VersionWord in u32, 32 bits, "version" from SOURCES;
    {
        /// Minor version.
        minor: u8 [8],
        /// Major version.
        major: u8 [8],
        /// Stage of the program.
        stage: u16 [16] Choice(&[(VERTEX as u64, "vertex"), (PIXEL as u64, "pixel")]),
    }

    /// The first word of an instruction.
    pub struct InstructionWord in u32, 32 bits, "instruction" from SOURCES;
    {
        /// Opcode number.
        opcode: u16 [16],
        /// Opcode control: the comparison of an instruction that compares, or how a texture read uses w.
        control: u8 [8],
        /// Number of words that follow, in version 2 and later.
        length: u8 [4],
        /// 1 if a predicate follows the destination.
        predicated: u8 [1],
        /// Bit 29, reserved.
        zero29: u8 [1] Reserved,
        /// 1 if the instruction is co-issued with the previous one.
        coissue: u8 [1],
        /// Bit 31, reserved.
        zero31: u8 [1] Reserved,
    }

    /// The first word of a comment.
    pub struct CommentWord in u32, 32 bits, "comment" from SOURCES;
    {
        /// Opcode number.
        opcode: u16 [16] Choice(&[(COMMENT as u64, "comment")]),
        /// Number of words that follow.
        length: u16 [15],
        /// Bit 31, reserved.
        zero31: u8 [1] Reserved,
    }

    /// The word after the first word of a dcl: the usage of a register, or the texture type of a sampler.
    pub struct Usage in u32, 32 bits, "usage" from SOURCES;
    {
        /// Usage of the register: what it contains.
        /// See [`UsageName`].
        usage: u8 [5] Choice(UsageName::CHOICES),
        /// Bits 5 to 15, reserved.
        zero5: u16 [11] Reserved,
        /// Usage index, which distinguishes registers of the same usage.
        index: u8 [4],
        /// Bits 20 to 26, reserved.
        zero20: u8 [7] Reserved,
        /// Texture type of a sampler.
        /// See [`TextureType`].
        texture: u8 [4] Choice(TextureType::CHOICES),
        /// Bit 31, set in every word of an operand.
        one31: u8 [1] Fixed(1),
    }
}

/// Declares an operand word by its fields from bit 16 to bit 27; the other fields are the same in all operand words. Each word has one or more typed
/// forms: structs in which the two parts of the register type are one number, and which declare the meaning of bit 13. The layout, the structs and
/// the conversions between them are generated from this declaration.
macro_rules! operands {
    (
        $(#[$meta:meta])* $word:ident $label:literal $fields:tt
        $($(#[$form_meta:meta])* as $form:ident { $(#[$bit_meta:meta])* $bit:ident: $meaning:ty })+
    ) => {
        operands! { @word [$(#[$meta])*] $word $label $fields }
        $(operands! { @form [$(#[$form_meta])*] $form $word [$(#[$bit_meta])*] $bit $meaning, $fields })+
    };

    (@word [$($meta:tt)*] $word:ident $label:literal
        { $(#[doc = $meaning:literal] $(#[$doc:meta])* $field:ident: $repr:ty [$width:literal] $($holds:expr)?,)* }
    ) => {
        words! {
            $($meta)*
            pub struct $word in u32, 32 bits, $label from SOURCES;
            {
                /// Register number.
                number: u16 [11],
                /// Bits 3 and 4 of the register type.
                type_high: u8 [2],
                /// 1 if the register number is relative.
                relative: u8 [1],
                /// Bits 14 and 15, reserved.
                zero14: u8 [2] Reserved,
                $(#[doc = $meaning] $(#[$doc])* $field: $repr [$width] $($holds)?,)*
                /// Bits 0 to 2 of the register type.
                type_low: u8 [3],
                /// Bit 31, set in every word of an operand.
                one31: u8 [1] Fixed(1),
            }
        }
    };

    (@form [$($meta:tt)*] $form:ident $word:ident [$($bit_meta:tt)*] $bit:ident $meaning:ty,
        { $($(#[$doc:meta])* $field:ident: $repr:ty [$width:literal] $($holds:expr)?,)* }
    ) => {
        $($meta)*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $form {
            /// Register number, 11 bits.
            pub number: u16,
            /// Register type, 5 bits; see [`File`](super::registers::File).
            pub file: u8,
            $($bit_meta)*
            pub $bit: $meaning,
            /// Bits 14 and 15.
            pub zero14: u8,
            $($(#[$doc])* pub $field: $repr,)*
            /// Bit 31.
            pub one31: u8,
        }

        impl $form {
            /// Splits a word into its fields. The caller provides the meaning of bit 13.
            #[inline]
            pub fn from_word(word: u32, $bit: $meaning) -> $form {
                let $word { number, type_high, relative: _, zero14, $($field,)* type_low, one31 } =
                    $word::from_word(word);
                let file = type_low | type_high << $word::type_low.width;
                $form { number, file, $bit, zero14, $($field,)* one31 }
            }

            /// Returns the fields of the encoded word.
            fn word(&self) -> $word {
                let $form { number, file, ref $bit, zero14, $($field,)* one31 } = *self;
                let relative = Bit13::bit($bit);
                let (type_high, type_low) = (file >> $word::type_low.width, file.get(&TYPE_LOW));
                $word { number, type_high, relative, zero14, $($field,)* type_low, one31 }
            }

            /// Returns the first field of the encoded word whose value does not fit it; `None` if all values fit.
            pub fn misfit(&self) -> Option<&'static Field> {
                self.word().misfit()
            }

            /// Encodes the fields.
            ///
            /// # Panics
            /// If a value does not fit its field: see `misfit`.
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
    };
}

operands! {
    /// A destination.
    DestWord "destination" {
        /// Components written, bit 0 = x.
        mask: u8 [4],
        /// Result modifiers as flags: 1 saturate, 2 partial precision, 4 centroid.
        /// See [`ResultModifier`].
        modifier: u8 [4],
        /// Exponent of the power of two that the result is multiplied by, two's complement.
        shift: u8 [4] Signed,
    }
    /// A destination.
    as Dest {
        /// Relative addressing.
        relative: Relative
    }
}

operands! {
    /// A source, also used for relative addresses and predicates.
    SourceWord "source" {
        /// For each component, the number of the component that is read, 0 = x: two bits each, those of x lowest.
        swizzle: u8 [8] Elements(2),
        /// Modifier of the value that is read.
        /// See [`Modifier`].
        modifier: u8 [4] Choice(Modifier::CHOICES),
    }
    /// A source, or a predicate.
    as Source {
        /// Relative addressing.
        relative: Relative
    }
    /// A relative address: a component of a0, or aL. The documents require register number 0 and no modifier; for a0, the swizzle replicates the
    /// component.
    as Index {
        /// Bit 13, which has no meaning in a relative address.
        zero13: u8
    }
}

/// The meaning of bit 13 of an operand word, converted to the bit.
trait Bit13 {
    fn bit(&self) -> u8;
}

impl Bit13 for Relative {
    #[inline]
    fn bit(&self) -> u8 {
        self.is_relative().into()
    }
}

impl Bit13 for u8 {
    #[inline]
    fn bit(&self) -> u8 {
        *self
    }
}

/// Bits 0 to 2 of a register type.
const TYPE_LOW: Field = Field::new("type_low", 0, SourceWord::type_low.width, Number);

/// Bit 13 of an operand word.
#[inline]
pub fn bit13(word: u32) -> u8 {
    SourceWord::from_word(word).relative
}

/// The components that a swizzle selects, in the order x, y, z, w.
pub const SWIZZLE: List<4> = List::of(&SourceWord::swizzle);
/// The texture types (see [`TextureType`]) of the eight texture stages before 2_0, packed into one number of an entry: four bits for each stage,
/// stage 0 lowest.
pub const STAGE_TEXTURES: List<8> = List::of(&Field::new("textures of stages", 0, 32, Elements(4)));

/// The stage of vertex shaders in a version word.
pub const VERTEX: u16 = 0xfffe;
/// The stage of pixel shaders in a version word.
pub const PIXEL: u16 = 0xffff;

/// The largest number of words after the first word of an instruction, in versions whose first words hold this number.
pub const MAX_LENGTH: usize = (1 << InstructionWord::length.width) - 1;
/// The largest number of words after the first word of a comment.
pub const MAX_COMMENT: usize = (1 << CommentWord::length.width) - 1;

/// The comparison in an opcode control. The bits above it are reserved.
const COMPARISON: Field = Field::new("comparison", 0, 3, Choice(Comparison::CHOICES));

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
    /// Returns the comparison in an opcode control, whatever its reserved bits are.
    #[inline]
    pub fn from_control(control: u8) -> Option<Comparison> {
        Comparison::from_number(control.get(&COMPARISON))
    }
}

impl Instruction {
    /// Returns the fields of the first word, with `length` in bits 24 to 27. Before version 2, and in `phase`, pass `zero24`.
    pub fn first_word(&self, length: u8) -> InstructionWord {
        let Instruction { opcode, control, predicated, zero29, coissue, zero31, .. } = *self;
        InstructionWord { opcode, control, length, predicated, zero29, coissue, zero31 }
    }

    /// Whether the first word has a set bit that the documents define as zero. Before version 2, and in `phase`, these bits include 24 to 27.
    pub fn has_reserved(&self) -> bool {
        self.zero24 != 0 || self.first_word(0).has_reserved()
    }
}
