//! The format of an instruction set: bytes, the programs in them, and the entries of a program.

use super::{Code, Entry, IsaId, Label, Options};
use crate::binary::DecodeError;
use crate::host::Environment;
use crate::text::Diagnostic;
use std::fmt::Debug;
use std::ops::Range;

/// A program, one way to run it, and the options to run it with.
#[derive(Debug)]
pub struct Context<'a, I: Format> {
    /// The decoded file.
    pub program: &'a I::Program,
    /// The way it is run.
    pub entry: &'a Entry,
    /// The options: a choice wherever the documents disagree.
    pub options: &'a Options,
}

impl<I: Format> Clone for Context<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Format> Copy for Context<'_, I> {}

/// Reads and writes programs, without loss, and lists the ways to run them. Every other part of an instruction set is about [`Format::Program`].
pub trait Format: Sized + Copy + Debug + Send + Sync + 'static {
    /// The identifier of the instruction set.
    const ID: IsaId;
    /// A decoded file.
    type Program: Clone + PartialEq + Debug + Send + Sync + 'static;
    /// Reads a program. [`Format::encode`] reproduces every accepted input byte for byte.
    ///
    /// # Errors
    /// If the bytes do not have the structure of a program; with offset, field and value.
    fn decode(bytes: &[u8]) -> Result<Self::Program, DecodeError>;
    /// Writes a program.
    fn encode(program: &Self::Program) -> Vec<u8>;
    /// The byte range of each instruction in the output of [`Format::encode`], by number as [`Format::instruction_count`] counts them. Instructions that share a byte
    /// both include it.
    fn spans(program: &Self::Program) -> Vec<Range<usize>>;
    /// The number of bytes of its file that belong to a program: all, by default. Override it where bytes may follow that the decoder ignores.
    fn extent(program: &Self::Program) -> usize {
        Self::encode(program).len()
    }
    /// The instructions that an entry runs in, without the rest of the file; by default all bytes that belong to the program.
    fn code(program: &Self::Program, _entry: &Entry) -> Code {
        let mut bytes = Self::encode(program);
        bytes.truncate(Self::extent(program));
        Code::plain(bytes)
    }
    /// Whether a file with these first bytes may be a program of this instruction set. Never, by default: any words may be.
    fn recognizes(_bytes: &[u8]) -> bool {
        false
    }
    /// File extensions, in lower case, other than its own name, of files that hold nothing but programs of this instruction set.
    fn extensions() -> &'static [&'static str] {
        &[]
    }
    /// Converts a file in another form, named by its extension, to the bytes that [`Format::decode`] reads; `None`, the default, for unsupported
    /// extensions.
    ///
    /// # Errors
    /// The errors in a text file of the other form, with their spans.
    fn import(_extension: &str, _bytes: &[u8]) -> Option<Result<Vec<u8>, Vec<Diagnostic>>> {
        None
    }
    /// The program with the information from a compiler's notes in a file next to it; `None`, the default, if they add nothing.
    fn annotate(_program: &Self::Program, _notes: &str) -> Option<Self::Program> {
        None
    }
    /// The entries that a program names itself.
    fn entries(program: &Self::Program) -> Vec<Entry>;
    /// One of [`Format::entries`], by number. Override it where a program can have many and computing each takes a pass over all instructions.
    fn entry(program: &Self::Program, number: usize) -> Option<Entry> {
        Self::entries(program).into_iter().nth(number)
    }
    /// The number of [`Format::entries`]. Override it together with [`Format::entry`].
    fn entry_count(program: &Self::Program) -> usize {
        Self::entries(program).len()
    }
    /// Writes the constants that the program itself defines into an environment, overwriting what is there; nothing by default. Done before a run,
    /// for every engine.
    fn preset(_program: &Self::Program, _entry: &Entry, _env: &mut Environment) {}
    /// The program's own names for its inputs and constants, besides the names of registers; none by default.
    fn labels(_program: &Self::Program, _entry: &Entry) -> Vec<Label> {
        Vec::new()
    }
    /// Number of instruction words.
    fn instruction_count(cx: &Context<'_, Self>) -> u32;
    /// The cost of one pass over all words, in ordinary instructions. Together with the fuel it bounds how long a case may run.
    fn work(cx: &Context<'_, Self>) -> u64 {
        u64::from(Self::instruction_count(cx))
    }
}
