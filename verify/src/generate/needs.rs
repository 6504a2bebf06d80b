//! What a program reads from its environment beyond what its interface says.

use lockstep_core::host::{Dimension, FetchKind};

/// A buffer that a program fetches from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferNeed {
    /// Its number.
    pub number: u8,
    /// How many words fetches are likely to reach; generators give it at most [`BufferNeed::MOST_WORDS`].
    pub words: u32,
    /// How its components are mostly read, so that most of them are ordinary numbers.
    pub kind: FetchKind,
}

impl BufferNeed {
    /// The most words a generated buffer has.
    pub const MOST_WORDS: u32 = 1024;
    /// The most buffers that are generated.
    pub const MOST_BUFFERS: usize = 96;
}

/// What a program reads from its environment beyond what its interface says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The texture units read, with the dimension expected there.
    pub textures: Vec<(u8, Dimension)>,
    /// The buffers fetched from; a number that comes twice gets the larger size and the first kind.
    pub buffers: Vec<BufferNeed>,
}
