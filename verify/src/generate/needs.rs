//! The resources that a program reads from its environment and that its interface does not list.

use lockstep_core::host::{Dimension, FetchKind};
use lockstep_core::value::Narrow;

/// A buffer that a program fetches from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferNeed {
    /// The buffer's number.
    pub number: u8,
    /// The number of words that fetches are likely to access. Generated buffers have at most [`BufferNeed::MAX_WORDS`].
    pub words: u32,
    /// How most fetches interpret the buffer, so that most values can be made ordinary numbers.
    pub kind: FetchKind,
}

impl BufferNeed {
    /// The maximum number of words a generated buffer has.
    pub const MAX_WORDS: u32 = 1024;
    /// The maximum number of buffers in a generated environment.
    pub const MAX_BUFFERS: usize = 96;
}

/// The resources that a program reads from its environment and that its interface does not list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The texture units that are read, each with its expected dimension.
    pub textures: Vec<(u8, Dimension)>,
    /// The buffers that are fetched from. For a number listed twice, the larger size and the first kind count.
    pub buffers: Vec<BufferNeed>,
    /// Whether integer uniforms are bytes whose first component is a loop count, which is then usually small.
    pub bytes: bool,
    /// The format of registers, if it cannot represent all numbers. Most inputs and constants are then representable in it.
    pub narrow: Option<Narrow>,
}
