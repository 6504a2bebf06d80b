//! The typed form of an AGAL program, which represents every bit of the file.

use super::opcode::Opcode;
use crate::isa::Stage;

pub use super::registers::File;
pub use super::word::{Dest, Sampler, Source};

/// The second operand of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceOrSampler {
    /// A register source. Tokens with any opcode other than a texture read have this operand, including tokens with unknown opcodes.
    Source(Source),
    /// A sampler: for texture reads.
    Sampler(Sampler),
}

/// One instruction of 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// Opcode number; see [`Opcode::from_number`].
    pub opcode: u32,
    /// Destination.
    pub dest: Dest,
    /// First source.
    pub a: Source,
    /// The second source or the sampler.
    pub b: SourceOrSampler,
}

/// A program: a header and tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Version from the header. Versions 1 to 3 are the profiles of Stage3D; version 4 adds vertex textures.
    pub version: u32,
    /// Stage from the header.
    pub stage: Stage,
    /// Instructions.
    pub tokens: Vec<Token>,
}

impl Token {
    /// Returns the opcode; `None` if the number is unknown.
    #[inline]
    pub fn op(&self) -> Option<Opcode> {
        crate::work::count_work(1);
        Opcode::from_number(self.opcode)
    }

    /// Returns the second operand if it is a register source.
    pub fn b_source(&self) -> Option<&Source> {
        match &self.b {
            SourceOrSampler::Source(s) => Some(s),
            SourceOrSampler::Sampler(_) => None,
        }
    }

    /// Returns the second operand if it is a sampler.
    pub fn sampler(&self) -> Option<&Sampler> {
        match &self.b {
            SourceOrSampler::Sampler(s) => Some(s),
            SourceOrSampler::Source(_) => None,
        }
    }

    /// Iterates over the register sources that the opcode reads.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let n = self.op().map_or(0, Opcode::sources);
        let b = match &self.b {
            SourceOrSampler::Source(s) if n > 1 => Some(s),
            _ => None,
        };
        (n > 0).then_some(&self.a).into_iter().chain(b)
    }
}
