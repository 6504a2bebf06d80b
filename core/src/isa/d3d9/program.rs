//! The typed form of a Direct3D 9 shader. It preserves every bit of the file.

use super::opcode::{Opcode, Operands};
use super::profile::Profile;
use crate::isa::Stage;

use super::word::{DestWord, ResultModifier, SWIZZLE, SourceWord, VersionWord};

pub use super::modifier::Modifier;
pub use super::registers::File;
pub use super::word::{Comparison, Dest, Index, Source, Usage};
use smallvec::SmallVec;

/// The content of the version token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// The stage: the upper half of the token is `FFFE` for vertex and `FFFF` for pixel shaders.
    pub stage: Stage,
    /// The major version, bits 8 to 15: 1 to 3.
    pub major: u8,
    /// The minor version, bits 0 to 7: 255 for software variants.
    pub minor: u8,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The version token.
    pub version: Version,
    /// Instructions, without END.
    pub instructions: Vec<Instruction>,
    /// Comments in file order, so [`Comment::before`] never decreases.
    pub comments: Vec<Comment>,
    /// Bytes after END, which are not part of the program.
    pub tail: Vec<u8>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The index of the instruction that follows the comment; the number of instructions for a comment before END.
    pub before: u32,
    /// Bit 31 of the comment's first word.
    pub zero31: u8,
    /// The comment's words after the first: at most 32767. See [`super::ctab`] for the data that compilers store there.
    pub words: Vec<u32>,
}

/// One instruction: its first word, then its parts in file order.
///
/// A part is present if the opcode has it in this version ([`Opcode::operands`]) and, in version 2 and later, if the length in the first word
/// includes it. The length is not stored, since it equals the number of words of the parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Opcode number; see [`Instruction::op`].
    pub opcode: u16,
    /// Opcode controls: comparison, projection, bias.
    pub control: u8,
    /// Bits 24 to 27 where they are not a length: before version 2, and in `phase`. Otherwise 0.
    pub zero24: u8,
    /// Bit 28: 1 if a predicate follows the destination.
    pub predicated: u8,
    /// Bit 29.
    pub zero29: u8,
    /// Bit 30: 1 if the instruction is co-issued with the previous one.
    pub coissue: u8,
    /// Bit 31.
    pub zero31: u8,
    /// The usage word of a dcl.
    pub usage: Option<Usage>,
    /// Destination.
    pub dest: Option<Dest>,
    /// The predicate, if there is one.
    pub predicate: Option<Source>,
    /// Sources.
    pub sources: SmallVec<[Source; 3]>,
    /// The values of def, defi (four) and defb (one), as bits.
    pub immediates: SmallVec<[u32; 4]>,
    /// Words within the length that the opcode does not use.
    pub surplus: Vec<u32>,
}

/// How a register number is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Relative {
    /// The register number is the encoded number.
    #[default]
    Direct,
    /// Bit 13 is set, and no word contains the index. Before version 2 the index is a0.x. In version 2 and later the instruction is truncated.
    Implied,
    /// The component of an index register is added to the encoded number.
    Indexed(Index),
}

impl Version {
    /// Returns the profile with this stage, major and minor version, if there is one.
    pub fn profile(self) -> Option<Profile> {
        Profile::of(self)
    }

    /// Whether this is a pixel shader version.
    pub fn is_pixel(self) -> bool {
        self.stage == Stage::Fragment
    }

    /// Returns the major and the minor number as in the low half of the token, and in [`crate::isa::Entry::version`].
    pub fn number(self) -> u32 {
        VersionWord { minor: self.minor, major: self.major, stage: 0 }.to_word()
    }

    /// Whether instructions contain their length.
    pub fn has_lengths(self) -> bool {
        self.major >= 2
    }
}

impl Relative {
    /// Returns the relative address, if it has a word of its own.
    #[inline]
    pub fn index(&self) -> Option<&Index> {
        match self {
            Relative::Indexed(index) => Some(index),
            _ => None,
        }
    }

    /// Whether bit 13 is set, so that the register number is relative.
    #[inline]
    pub fn is_relative(&self) -> bool {
        !matches!(self, Relative::Direct)
    }
}

/// The number of constants in one register file. Further constants are in additional files.
const IN_FILE: u16 = 1 << SourceWord::number.width;

/// Returns the register file of a constant and its number within that file: constants 2048 and above are in additional files.
#[inline]
pub fn constant_file(number: u16) -> (File, u16) {
    const FILES: [File; 4] = [File::Constant, File::Constant2, File::Constant3, File::Constant4];
    (FILES[usize::from(number / IN_FILE) % FILES.len()], number % IN_FILE)
}

/// Returns the number of a constant among all constants; `None` if the file does not contain constants.
#[inline]
pub fn constant_number(file: u8, number: u16) -> Option<u16> {
    let before = match File::from_number(file)? {
        File::Constant => 0,
        File::Constant2 => 1,
        File::Constant3 => 2,
        File::Constant4 => 3,
        _ => return None,
    };
    Some(before * IN_FILE + number % IN_FILE)
}

impl Source {
    /// The identity swizzle.
    pub const XYZW: u8 = 0xe4;

    /// Returns the register component that the swizzle selects for component `c` of the source.
    #[inline(always)]
    pub fn component(&self, c: usize) -> usize {
        SWIZZLE.get(self.swizzle, c).into()
    }

    /// Whether the swizzle replicates one component.
    pub fn is_replicated(&self) -> bool {
        is_replicated(self.swizzle)
    }

    /// Returns a directly addressed source without modifier.
    pub fn register(file: File, number: u16, swizzle: u8) -> Source {
        Source {
            number,
            file: file as u8,
            relative: Relative::Direct,
            zero14: 0,
            swizzle,
            modifier: 0,
            one31: 1,
        }
    }

    /// Whether the register is in this file.
    #[inline]
    pub fn is(&self, file: File) -> bool {
        self.file == file as u8
    }

    /// Returns the number of a constant among all constants; `None` if the source is not a constant.
    #[inline]
    pub fn constant(&self) -> Option<u16> {
        constant_number(self.file, self.number)
    }
}

/// Whether a swizzle replicates one component.
pub fn is_replicated(swizzle: u8) -> bool {
    swizzle == replicate(SWIZZLE.get(swizzle, 0))
}

/// Returns the swizzle that replicates one component.
///
/// # Panics
/// If `component` is greater than 3.
pub fn replicate(component: u8) -> u8 {
    SWIZZLE.join([component; 4])
}

impl Dest {
    /// Returns a directly addressed destination without modifiers or shift.
    pub fn register(file: File, number: u16, mask: u8) -> Dest {
        Dest {
            number,
            file: file as u8,
            relative: Relative::Direct,
            zero14: 0,
            mask,
            modifier: 0,
            shift: 0,
            one31: 1,
        }
    }

    /// Whether the register is in this file.
    #[inline]
    pub fn is(&self, file: File) -> bool {
        self.file == file as u8
    }

    /// Returns the number of a constant among all constants; `None` if the destination is not a constant.
    #[inline]
    pub fn constant(&self) -> Option<u16> {
        constant_number(self.file, self.number)
    }

    /// Returns the shift as a number from -8 to 7.
    #[inline]
    pub fn exponent(&self) -> i8 {
        DestWord::shift.signed(self.shift.into()) as i8
    }

    /// Whether the result is clamped to the range from 0 to 1.
    #[inline]
    pub fn saturates(&self) -> bool {
        self.modifier & ResultModifier::Saturate as u8 != 0
    }
}

impl Index {
    /// Returns the relative address that adds component `component` of `a0`, or `aL` if `file` is [`File::Loop`]. `component` is ignored for `aL`.
    pub fn register(file: File, component: u8) -> Index {
        let swizzle = if file == File::Loop { Source::XYZW } else { replicate(component) };
        Index { number: 0, file: file as u8, zero13: 0, zero14: 0, swizzle, modifier: 0, one31: 1 }
    }

    /// Returns the component of `a0` that the address adds.
    #[inline]
    pub fn component(&self) -> u8 {
        SWIZZLE.get(self.swizzle, 0)
    }
}

impl Instruction {
    /// Returns an instruction without operands.
    pub fn new(op: Opcode) -> Instruction {
        Instruction {
            opcode: op.row().number,
            control: 0,
            zero24: 0,
            predicated: 0,
            zero29: 0,
            coissue: 0,
            zero31: 0,
            usage: None,
            dest: None,
            predicate: None,
            sources: SmallVec::new(),
            immediates: SmallVec::new(),
            surplus: Vec::new(),
        }
    }

    /// Returns the opcode, if its number is assigned.
    #[inline]
    pub fn op(&self) -> Option<Opcode> {
        crate::work::count_work(1);
        Opcode::from_number(self.opcode)
    }

    /// Whether the instruction has exactly the operands of its opcode in this version.
    pub fn is_complete(&self, version: Version) -> bool {
        let Some(Operands { usage, dest, sources, immediates }) =
            self.op().and_then(|op| op.operands(version))
        else {
            return false;
        };
        self.usage.is_some() == usage
            && self.dest.is_some() == dest
            && self.sources.len() == usize::from(sources)
            && self.immediates.len() == usize::from(immediates)
            && self.surplus.is_empty()
    }

    /// Returns the number of words after the first word of the instruction.
    pub fn length(&self) -> usize {
        let source = |s: &Source| 1 + usize::from(s.relative.index().is_some());
        usize::from(self.usage.is_some())
            + self.dest.map_or(0, |d| 1 + usize::from(d.relative.index().is_some()))
            + self.predicate.iter().chain(&self.sources).map(source).sum::<usize>()
            + self.immediates.len()
            + self.surplus.len()
    }
}

impl Usage {
    /// Returns the usage word of a register.
    pub fn of(usage: u8, index: u8) -> Usage {
        Usage { usage, zero5: 0, index, zero20: 0, texture: 0, one31: 1 }
    }

    /// Returns the usage word of a sampler.
    pub fn of_texture(texture: u8) -> Usage {
        Usage { texture, ..Usage::of(0, 0) }
    }
}
