//! The typed form of an AGAL program. It carries every bit of the file.

use super::opcode::Opcode;
use crate::isa::Stage;

pub use super::registers::File;
pub use super::word::{Dest, Sampler, Source};

/// The last operand of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceOrSampler {
    /// For every opcode except the texture reads, unknown opcodes included.
    Source(Source),
    /// For the texture reads.
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
    /// The second source, or the sampler.
    pub b: SourceOrSampler,
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

impl Token {
    /// The operation; `None` if the number is unknown.
    #[inline]
    pub fn op(&self) -> Option<Opcode> {
        crate::work::count_work(1);
        Opcode::from_number(self.opcode)
    }

    /// The second operand as a source.
    pub fn b_source(&self) -> Option<&Source> {
        match &self.b {
            SourceOrSampler::Source(s) => Some(s),
            SourceOrSampler::Sampler(_) => None,
        }
    }

    /// The second operand as a sampler.
    pub fn sampler(&self) -> Option<&Sampler> {
        match &self.b {
            SourceOrSampler::Sampler(s) => Some(s),
            SourceOrSampler::Source(_) => None,
        }
    }

    /// The register sources that the operation reads.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let n = self.op().map_or(0, Opcode::sources);
        let b = match &self.b {
            SourceOrSampler::Source(s) if n > 1 => Some(s),
            _ => None,
        };
        (n > 0).then_some(&self.a).into_iter().chain(b)
    }
}
