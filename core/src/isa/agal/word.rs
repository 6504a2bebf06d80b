//! The fields of an AGAL token, declared once. A token consists of an opcode word, a destination word, a source, and a source or sampler.

#![deny(clippy::cast_possible_truncation)]

use super::registers::File;
use crate::binary::FieldKind::{self, Choice, Elements, Fixed, Reserved, Signed};
use crate::binary::{Layout, List, vocabulary, words};
use crate::isa::Stage;

/// A byte of the header that has only one legal value: the number, and its text in error messages.
#[derive(Clone, Copy, Debug)]
pub struct Tag {
    /// The number.
    pub number: u8,
    /// The number as text.
    pub text: &'static str,
}

macro_rules! tag {
    ($number:literal) => {
        Tag { number: $number, text: stringify!($number) }
    };
}

/// The first byte of a program.
pub const MAGIC: Tag = tag!(0xa0);
/// The byte before the stage.
pub const STAGE_MARKER: Tag = tag!(0xa1);

/// Size of the header in bytes.
pub const HEADER: usize = (Header::LAYOUT.bits / 8) as usize;
/// Size of a token in bytes.
pub const TOKEN: usize = 24;

const SEED: &str = "SEED";
const SEED_GCL: &str = "SEED, GCL (SEED, GCL, MINI3)";

vocabulary! {
    /// The stage, in the last byte of the header.
    pub enum StageNumber {
        /// A vertex program.
        Vertex = 0 "vertex",
        /// A fragment program.
        Fragment = 1 "fragment",
    }

    /// The format of a texture.
    pub enum Format {
        /// Uncompressed texels.
        Rgba = 0 "rgba",
        /// Compressed without alpha.
        Dxt1 = 1 "dxt1" | "compressed",
        /// Compressed with alpha.
        Dxt5 = 2 "dxt5" | "compressedalpha",
        /// A video frame.
        Video = 3 "video",
    }

    /// The shape of a texture.
    pub enum Dimension {
        /// Two-dimensional.
        Plane = 0 "2d",
        /// A cube map.
        Cube = 1 "cube",
        /// Three-dimensional.
        Volume = 2 "3d",
    }

    /// Flags of a sampler; each value is one bit, and several may be set.
    pub enum Special {
        /// The texture is sampled at the centroid.
        Centroid = 1 "centroid",
        /// A single texel.
        Single = 2 "single",
        /// Filter, mip and wrap modes are taken from the texture unit.
        IgnoreSampler = 4 "ignoresampler",
    }

    /// The wrap mode for coordinates outside the texture.
    pub enum Wrap {
        /// Coordinates are clamped to the edge in u and v.
        Clamp = 0 "clamp",
        /// The texture is repeated in u and v.
        Repeat = 1 "repeat" | "wrap",
        /// Clamped in u, repeated in v.
        ClampURepeatV = 2 "clamp_u_repeat_v" | "u_clamp_v_repeat",
        /// Repeated in u, clamped in v.
        RepeatUClampV = 3 "repeat_u_clamp_v" | "u_repeat_v_clamp",
    }

    /// The filter between mip levels.
    pub enum Mip {
        /// The base level only.
        None = 0 "nomip" | "mipnone",
        /// The nearest level.
        Nearest = 1 "mipnearest",
        /// The two nearest levels, interpolated.
        Linear = 2 "miplinear",
    }

    /// The filter within a mip level.
    pub enum Filter {
        /// The nearest texel.
        Nearest = 0 "nearest",
        /// Interpolation of the four nearest texels.
        Linear = 1 "linear",
        /// Anisotropic filtering with up to two samples.
        Anisotropic2x = 2 "anisotropic2x",
        /// Anisotropic filtering with up to four samples.
        Anisotropic4x = 3 "anisotropic4x",
        /// Anisotropic filtering with up to eight samples.
        Anisotropic8x = 4 "anisotropic8x",
        /// Anisotropic filtering with up to sixteen samples.
        Anisotropic16x = 5 "anisotropic16x",
    }
}

const REGISTER: FieldKind = Choice(File::CHOICES);

words! {
    /// The header of a program, which precedes its tokens.
    pub struct Header in u64, 56 bits, "header" from SEED;
    {
        /// First byte of the program.
        /// See [`MAGIC`].
        magic: u8 [8] Fixed(MAGIC.number as u64),
        /// Version of the language, 1 to 4.
        version: u32 [32],
        /// Byte before the stage.
        /// See [`STAGE_MARKER`].
        marker "stage marker": u8 [8] Fixed(STAGE_MARKER.number as u64),
        /// Stage of the program.
        /// See [`StageNumber`].
        stage: u8 [8] Choice(StageNumber::CHOICES),
    }

    /// The opcode word.
    pub struct OpcodeWord in u32, 32 bits, "opcode" from SEED;
    {
        /// Opcode number.
        opcode: u32 [32],
    }

    /// A destination operand. The reserved fields, documented as zero, are preserved.
    #[derive(Default)]
    pub struct Dest in u32, 32 bits, "destination" from SEED;
    {
        /// Register number.
        number: u16 [16],
        /// Components written, bit 0 = x.
        mask: u8 [4],
        /// Bits 20 to 23, reserved.
        zero20: u8 [4] Reserved,
        /// Register file.
        /// See [`File`].
        file "type": u8 [4] REGISTER,
        /// Bits 28 to 31, reserved.
        zero28: u8 [4] Reserved,
    }

    /// A register source operand.
    #[derive(Default)]
    pub struct Source in u64, 64 bits, "source" from SEED;
    {
        /// Register number, or for an indirect read the number of the index register.
        number: u16 [16],
        /// Offset that is added to the index of an indirect read.
        offset: u8 [8],
        /// Component that is read for each of x, y, z and w, 0 = x; that of x in the lowest bits.
        swizzle: u8 [8] Elements(2),
        /// Register file.
        /// See [`File`].
        file "type": u8 [4] REGISTER,
        /// Bits 36 to 39, reserved.
        zero36: u8 [4] Reserved,
        /// Register file of the index register.
        index_file "index_type": u8 [4] REGISTER,
        /// Bits 44 to 47, reserved.
        zero44: u8 [4] Reserved,
        /// Component of the index register, 0 = x.
        index_component: u8 [2],
        /// Bits 50 to 62, reserved.
        zero50: u16 [13] Reserved,
        /// 1 for an indirect read, whose register number is computed from the index register; else 0.
        indirect: u8 [1],
    }

    /// A sampler, the last operand of texture reads.
    #[derive(Default)]
    pub struct Sampler in u64, 64 bits, "sampler" from SEED_GCL;
    {
        /// Texture unit.
        number: u16 [16],
        /// Level-of-detail bias in eighths, two's complement.
        bias: u8 [8] Signed,
        /// Bits 24 to 31, reserved.
        zero24: u8 [8] Reserved,
        /// Register file, 5 for samplers.
        file "type": u8 [4] REGISTER,
        /// Bits 36 to 39, reserved.
        zero36: u8 [4] Reserved,
        /// Texture format.
        /// See [`Format`].
        format: u8 [4] Choice(Format::CHOICES),
        /// Texture shape.
        /// See [`Dimension`].
        dimension: u8 [4] Choice(Dimension::CHOICES),
        /// Flags, several of which may be set.
        /// See [`Special`].
        special: u8 [4] Choice(Special::CHOICES),
        /// Wrap mode for coordinates outside the texture.
        /// See [`Wrap`].
        wrap: u8 [4] Choice(Wrap::CHOICES),
        /// Filter between mip levels.
        /// See [`Mip`].
        mip: u8 [4] Choice(Mip::CHOICES),
        /// Filter within a mip level.
        /// See [`Filter`].
        filter: u8 [4] Choice(Filter::CHOICES),
    }
}

/// The list of components in a swizzle, x first.
pub const SWIZZLE: List<4> = List::of(&Source::swizzle);

/// The layout outside of tokens.
pub static OUTER_LAYOUTS: [Layout; 1] = [Header::LAYOUT];

/// The layouts of the words of a token. The second source has the layout of a source or of a sampler.
pub static LAYOUTS: [Layout; 4] = [OpcodeWord::LAYOUT, Dest::LAYOUT, Source::LAYOUT, Sampler::LAYOUT];

/// A field of a sampler that is set by an option in assembly text.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionField {
    /// The field's name.
    pub(super) name: &'static str,
    /// Option names of the values, with their numbers. If there are several for one number, the first is printed.
    pub(super) values: &'static [(&'static str, u8)],
    /// Whether the values are flags, several of which may be set.
    pub(super) flags: bool,
    /// Returns the field's value in a sampler.
    pub(super) get: fn(&Sampler) -> u8,
    /// Returns a mutable reference to the field in a sampler.
    pub(super) get_mut: fn(&mut Sampler) -> &mut u8,
}

macro_rules! option_fields {
    ($($field:ident $vocabulary:ident $flags:literal;)*) => {
        /// The fields that sampler options other than bias and padding set, in the order in which the options are printed.
        pub(super) static OPTION_FIELDS: [OptionField; 6] = [$(OptionField {
            name: Sampler::$field.name,
            values: $vocabulary::NAMES,
            flags: $flags,
            get: |sampler| sampler.$field,
            get_mut: |sampler| &mut sampler.$field,
        },)*];
    };
}
option_fields! {
    dimension Dimension false;
    format Format false;
    filter Filter false;
    mip Mip false;
    wrap Wrap false;
    special Special true;
}

impl OptionField {
    /// Returns the printed name of a field value; `None` if it has none.
    pub(super) fn value_name(&self, value: u8) -> Option<&'static str> {
        self.values.iter().find(|(_, number)| *number == value).map(|(name, _)| *name)
    }
}

impl StageNumber {
    /// Returns the number of a stage.
    pub fn of(stage: Stage) -> StageNumber {
        if stage == Stage::Fragment { StageNumber::Fragment } else { StageNumber::Vertex }
    }

    /// Returns the stage with this number.
    pub fn stage(self) -> Stage {
        match self {
            StageNumber::Vertex => Stage::Vertex,
            StageNumber::Fragment => Stage::Fragment,
        }
    }
}

impl Header {
    /// Returns a header with this version and stage, see [`StageNumber`].
    pub fn new(version: u32, stage: u8) -> Header {
        Header { magic: MAGIC.number, version, marker: STAGE_MARKER.number, stage }
    }

    /// Returns the bytes of the header.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let [bytes @ .., _] = self.to_word().to_le_bytes();
        bytes
    }
}

impl Sampler {
    /// Returns the level-of-detail bias in eighths, with its sign.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the field has eight bits
    pub fn bias_in_eighths(&self) -> i8 {
        const { assert!(Sampler::bias.width <= 8) };
        Sampler::bias.signed(self.bias.into()) as i8
    }

    /// Whether a reserved bit outside `zero24` is set. The bits of `zero24` have a rule of their own.
    pub fn has_reserved_besides_padding(&self) -> bool {
        Sampler { zero24: 0, ..*self }.has_reserved()
    }

    /// Whether `flag` is set in the sampler.
    pub fn has(&self, flag: Special) -> bool {
        self.special & flag as u8 != 0
    }
}

impl Source {
    /// The identity swizzle.
    pub const XYZW: u8 = 0xe4;

    /// Returns the register component that is read for component `c` of the swizzled source.
    #[inline(always)]
    pub fn component(&self, c: usize) -> usize {
        SWIZZLE.get(self.swizzle, c).into()
    }

    /// Whether the swizzle replicates one component.
    pub fn is_replicated(&self) -> bool {
        self.swizzle == Source::replicated(self.component(0))
    }

    /// Returns the swizzle that replicates one component.
    ///
    /// # Panics
    /// If `component` is not below 4.
    pub fn replicated(component: usize) -> u8 {
        SWIZZLE.join([[0, 1, 2, 3][component]; 4])
    }

    /// Changes the source to a direct read, with offset and index fields zero.
    pub fn read_directly(&mut self) {
        (self.indirect, self.offset, self.index_file, self.index_component) = (0, 0, 0, 0);
    }

    /// Creates a direct read of a register.
    pub fn register(file: File, number: u16, swizzle: u8) -> Source {
        Source { number, swizzle, file: file as u8, ..Source::default() }
    }
}

impl Dest {
    /// Creates a destination that writes the components of a register selected by `mask`.
    pub fn register(file: File, number: u16, mask: u8) -> Dest {
        Dest { number, mask, file: file as u8, ..Dest::default() }
    }
}
