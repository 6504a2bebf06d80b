//! The typed form of an AGAL program. It carries every bit of the file.

use super::layout;
use super::opcode::Opcode;
use crate::isa::Stage;

/// The register files by their number in a token. Other numbers are kept and are violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum File {
    /// `va`: per-vertex input.
    Attribute = 0,
    /// `vc`, `fc`.
    Constant = 1,
    /// `vt`, `ft`.
    Temporary = 2,
    /// `op`, `fo`.
    Output = 3,
    /// `v`: written by the vertex program, read by the fragment program.
    Varying = 4,
    /// `fs`, `vs`.
    Sampler = 5,
    /// `fd`: fragment depth.
    Depth = 6,
    /// `iid`: instance number.
    Instance = 7,
}

impl File {
    /// All of them, by number.
    pub const ALL: [File; 8] = [
        File::Attribute,
        File::Constant,
        File::Temporary,
        File::Output,
        File::Varying,
        File::Sampler,
        File::Depth,
        File::Instance,
    ];

    /// The file with this number.
    #[inline]
    pub fn from_number(number: u8) -> Option<File> {
        File::ALL.get(usize::from(number)).copied()
    }
}

/// A destination. Fields that the documents call zero are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dest {
    /// Register number.
    pub number: u16,
    /// Components written, bit 0 = x.
    pub mask: u8,
    /// Bits 20 to 23.
    pub zero20: u8,
    /// Register file, see [`File`].
    pub file: u8,
    /// Bits 28 to 31.
    pub zero28: u8,
}

/// A source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// Register number; of the index register if indirect.
    pub number: u16,
    /// Added to the index if indirect.
    pub offset: u8,
    /// Two bits a component, x lowest.
    pub swizzle: u8,
    /// Register file, see [`File`].
    pub file: u8,
    /// Bits 36 to 39.
    pub zero36: u8,
    /// Register file of the index.
    pub index_file: u8,
    /// Bits 44 to 47.
    pub zero44: u8,
    /// Component of the index.
    pub index_component: u8,
    /// Bits 50 to 62.
    pub zero50: u16,
    /// 1 if the number comes from a register.
    pub indirect: u8,
}

/// A sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Texture unit.
    pub number: u16,
    /// Level-of-detail bias in eighths, two's complement.
    pub bias: u8,
    /// Bits 24 to 31.
    pub zero24: u8,
    /// Register file, 5.
    pub file: u8,
    /// Bits 36 to 39.
    pub zero36: u8,
    /// Texture format: 0 rgba, 1 dxt1, 2 dxt5, 3 video.
    pub format: u8,
    /// 0 2d, 1 cube, 2 3d.
    pub dimension: u8,
    /// Flags: 1 centroid, 2 single, 4 ignoresampler.
    pub special: u8,
    /// 0 clamp, 1 repeat, 2 clamp u and repeat v, 3 repeat u and clamp v.
    pub wrap: u8,
    /// 0 none, 1 nearest, 2 linear.
    pub mip: u8,
    /// 0 nearest, 1 linear, 2 to 5 anisotropic 2, 4, 8, 16.
    pub filter: u8,
}

/// The last operand of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Second {
    /// As for every opcode but the texture reads, unknown ones included.
    Source(Source),
    /// As for the texture reads.
    Sampler(Sampler),
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// Opcode number; see [`Opcode::from_number`].
    pub opcode: u32,
    /// Destination.
    pub dest: Dest,
    /// First source.
    pub a: Source,
    /// Second source, or the sampler.
    pub b: Second,
}

/// A program: a header and tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Version from the header. 1 to 3 are the profiles of Stage3D; 4 exists for vertex textures.
    pub version: u32,
    /// Stage from the header.
    pub stage: Stage,
    /// Instructions.
    pub tokens: Vec<Token>,
}

impl Source {
    /// The identity swizzle.
    pub const XYZW: u8 = 0xe4;

    /// The component that lane `lane` reads.
    #[inline(always)]
    pub fn component(&self, lane: usize) -> usize {
        usize::from(self.swizzle >> (2 * lane) & 3)
    }

    /// Whether the swizzle names one component four times.
    pub fn is_replicated(&self) -> bool {
        self.swizzle == (self.swizzle & 3) * 0x55
    }

    /// A direct read of a register.
    pub fn register(file: File, number: u16, swizzle: u8) -> Source {
        Source { number, swizzle, file: file as u8, ..Source::default() }
    }
}

impl Dest {
    /// The named components of a register.
    pub fn register(file: File, number: u16, mask: u8) -> Dest {
        Dest { number, mask, file: file as u8, ..Dest::default() }
    }
}

impl Token {
    /// The operation, if the number is one.
    #[inline]
    pub fn op(&self) -> Option<Opcode> {
        crate::work::looks_at(1);
        Opcode::from_number(self.opcode)
    }

    /// The second operand as a source.
    pub fn b_source(&self) -> Option<&Source> {
        match &self.b {
            Second::Source(s) => Some(s),
            Second::Sampler(_) => None,
        }
    }

    /// The second operand as a sampler.
    pub fn sampler(&self) -> Option<&Sampler> {
        match &self.b {
            Second::Sampler(s) => Some(s),
            Second::Source(_) => None,
        }
    }

    /// The register sources that the operation reads.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let n = self.op().map_or(0, Opcode::sources);
        let b = match &self.b {
            Second::Source(s) if n > 1 => Some(s),
            _ => None,
        };
        (n > 0).then_some(&self.a).into_iter().chain(b)
    }
}

macro_rules! bits_of {
    ($type:ident, $word:ty, $layout:path, $($field:ident: $int:ty),*) => {
        impl $type {
            /// The fields of a word.
            #[inline]
            pub fn from_word(word: $word) -> $type {
                let [$($field),*] = $layout.split(&word);
                $type { $($field: $field as $int),* }
            }

            /// The word with these fields; a field wider than its place is cut.
            #[inline]
            pub fn to_word(&self) -> $word {
                $layout.join(&[$(<$word>::from(self.$field)),*], 0)
            }
        }
    };
}

bits_of!(Dest, u32, layout::DEST, number: u16, mask: u8, zero20: u8, file: u8, zero28: u8);
bits_of!(
    Source, u64, layout::SOURCE, number: u16, offset: u8, swizzle: u8, file: u8, zero36: u8, index_file: u8, zero44: u8,
    index_component: u8, zero50: u16, indirect: u8
);
bits_of!(
    Sampler, u64, layout::SAMPLER, number: u16, bias: u8, zero24: u8, file: u8, zero36: u8, format: u8, dimension: u8,
    special: u8, wrap: u8, mip: u8, filter: u8
);
