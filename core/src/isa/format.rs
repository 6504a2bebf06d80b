//! The format of an instruction set: its binary encoding, its programs, and the entries of a program.

use super::{Code, Entry, IsaId, Label, Options, Register};
use crate::binary::DecodeError;
use crate::host::Environment;
use crate::text::Diagnostic;
use std::fmt::Debug;
use std::ops::Range;

/// A program, the entry to run it from, and the options to run it with.
#[derive(Debug)]
pub struct Context<'a, I: Format> {
    /// The decoded file.
    pub program: &'a I::Program,
    /// The entry that is run.
    pub entry: &'a Entry,
    /// The options: a choice for each point on which the documents disagree.
    pub options: &'a Options,
}

impl<I: Format> Clone for Context<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Format> Copy for Context<'_, I> {}

/// Reads and writes programs without loss, and lists their entries. All other traits of an instruction set operate on [`Format::Program`].
pub trait Format: Sized + Copy + Debug + Send + Sync + 'static {
    /// The identifier of the instruction set.
    const ID: IsaId;
    /// A decoded file.
    type Program: Clone + PartialEq + Debug + Send + Sync + 'static;
    /// Decodes a program. [`Format::encode`] reproduces every accepted input byte for byte.
    ///
    /// # Errors
    /// If the bytes do not have the structure of a program. The error contains the offset, the field and the problem.
    fn decode(bytes: &[u8]) -> Result<Self::Program, DecodeError>;
    /// Encodes a program.
    fn encode(program: &Self::Program) -> Vec<u8>;
    /// Returns the byte range of each instruction in the output of [`Format::encode`], in program order: [`Format::instruction_count`] ranges. If two
    /// instructions share a byte, both ranges include it.
    fn spans(program: &Self::Program) -> Vec<Range<usize>>;
    /// Returns the number of bytes of the file that belong to the program; by default all. Override it if the decoder ignores trailing bytes.
    fn extent(program: &Self::Program) -> usize {
        Self::encode(program).len()
    }
    /// Returns the instructions that an entry can run, without the rest of the file. By default these are all bytes that belong to the program.
    fn code(program: &Self::Program, _entry: &Entry) -> Code {
        let mut bytes = Self::encode(program);
        bytes.truncate(Self::extent(program));
        Code::plain(bytes)
    }
    /// Whether a file with these first bytes may be a program of this instruction set. The default is false, for sets whose programs can begin with
    /// any word.
    fn recognizes(_bytes: &[u8]) -> bool {
        false
    }
    /// Returns file extensions, in lower case, that are used only for programs of this instruction set. The name of the instruction set is always
    /// such an extension and is not listed.
    fn extensions() -> &'static [&'static str] {
        &[]
    }
    /// Converts a file of another format, identified by its extension, to bytes that [`Format::decode`] reads. `None`, the default, for unsupported
    /// extensions.
    ///
    /// # Errors
    /// All errors in a text file of the other format, with their spans.
    fn import(_extension: &str, _bytes: &[u8]) -> Option<Result<Vec<u8>, Vec<Diagnostic>>> {
        None
    }
    /// Adds the information from a compiler's notes, a text file next to the program. Returns `None`, the default, if the notes add nothing.
    fn annotate(_program: &Self::Program, _notes: &str) -> Option<Self::Program> {
        None
    }
    /// Returns the entries that the program itself defines.
    fn entries(program: &Self::Program) -> Vec<Entry>;
    /// Returns element `number` of [`Format::entries`]. Override it if a program can have many entries and computing each takes a pass over all
    /// instructions.
    fn entry(program: &Self::Program, number: usize) -> Option<Entry> {
        Self::entries(program).into_iter().nth(number)
    }
    /// Returns the length of [`Format::entries`]. Override it together with [`Format::entry`].
    fn entry_count(program: &Self::Program) -> usize {
        Self::entries(program).len()
    }
    /// The input and output slots of registers with an initial or a final value: see [`super::registers`]. None by default.
    const REGISTER_SLOTS: Range<u16> = 0..0;
    /// Returns the register at a slot among [`Format::REGISTER_SLOTS`]; `None` if programs of this entry have no such register.
    fn register(_entry: &Entry, _slot: u16) -> Option<Register> {
        None
    }
    /// Writes the constants that the program itself defines into an environment, overwriting existing values. The harness calls this function when
    /// it prepares a case, so that every engine runs with these constants. The default writes nothing.
    fn preset(_program: &Self::Program, _entry: &Entry, _env: &mut Environment) {}
    /// Returns the names that the program defines for its inputs and constants, in addition to register names. Empty by default.
    fn labels(_program: &Self::Program, _entry: &Entry) -> Vec<Label> {
        Vec::new()
    }
    /// Returns the number of instruction words.
    fn instruction_count(cx: &Context<'_, Self>) -> u32;
    /// Returns the cost of one pass over all words, in units of an ordinary instruction. The fuel and this cost together bound the running time of a
    /// case.
    fn pass_cost(cx: &Context<'_, Self>) -> u64 {
        u64::from(Self::instruction_count(cx))
    }
}
