//! Why a file holds nothing, and whether it is one of ours.

use super::read::MAX_FILE;
use super::vector::VectorError;
use super::whose;
use crate::case::TextError;
use crate::head::isa_of_text;
use lockstep_core::binary::DecodeError;
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::text::Diagnostic;
use lockstep_core::with_isa;
use std::collections::BTreeSet;
use std::path::Path;

/// Why a file that should hold something holds nothing.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system says no.
    #[error("{name}: {error}")]
    Io {
        /// File.
        name: String,
        /// As the system puts it.
        error: std::io::Error,
    },
    /// It is a pipe, a device, or made up by the kernel.
    #[error("{name}: {why}")]
    NoFile {
        /// File.
        name: String,
        /// What it is.
        why: &'static str,
    },
    /// A folder of which not all was looked at.
    #[error("{name}: {limit}; what is beyond was not looked at")]
    Limit {
        /// Folder.
        name: String,
        /// Which limit.
        limit: String,
    },
    /// Reading it panics.
    #[error("{name}: reading it ends in a {message}")]
    Panic {
        /// File.
        name: String,
        /// Place and message.
        message: String,
    },
    /// A folder that our own corpora have to have.
    #[error("{name}: there is no such folder, and every instruction set has one")]
    NoFolder {
        /// Below the root of the corpora.
        name: String,
    },
    /// It is larger than anything we read.
    #[error("{name}: at byte {MAX_FILE:#x}: the file goes on behind the limit of {MAX_FILE} bytes")]
    TooLarge {
        /// File.
        name: String,
    },
    /// It has no bytes.
    #[error("{name}: at byte 0x0: the file is empty, so there is no program in it")]
    Empty {
        /// File.
        name: String,
    },
    /// It should be text and is not.
    #[error("{name}: at byte {offset:#x}: this is not UTF-8 text")]
    NotText {
        /// File.
        name: String,
        /// First offending byte.
        offset: usize,
    },
    /// It does not assemble.
    #[error("{name}:{}", .diagnostics.first().map_or_else(|| " does not assemble".to_owned(), ToString::to_string))]
    Assembly {
        /// File.
        name: String,
        /// As which instruction set's text it was read.
        isa: IsaId,
        /// Its text.
        text: String,
        /// What is wrong with it.
        diagnostics: Vec<Diagnostic>,
    },
    /// It is no case.
    #[error("{name}: {error}")]
    Case {
        /// File.
        name: String,
        /// Whether it has the keys of one.
        ours: bool,
        /// What is wrong with it.
        error: TextError,
    },
    /// It begins as a binary case and does not go on as one.
    #[error(
        "{name}: at byte 0x4: this begins as a binary case ('LSC1') and is none: truncated, or of another version"
    )]
    BinaryCase {
        /// File.
        name: String,
    },
    /// It is no vector file.
    #[error("{name}: {error}")]
    Vectors {
        /// File.
        name: String,
        /// Whether it has the keys of one.
        ours: bool,
        /// What is wrong with it.
        error: VectorError,
    },
    /// It is no program of its instruction set.
    #[error("{name}: not a program of {isa}: {error}")]
    Decode {
        /// File.
        name: String,
        /// As which instruction set it was read.
        isa: IsaId,
        /// What it holds.
        bytes: Vec<u8>,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// Text, and nothing says of which instruction set.
    #[error("{name}: neither the file's name nor `--isa NAME` says which instruction set this text is of")]
    NoIsa {
        /// File.
        name: String,
    },
    /// Vectors, where one program is wanted.
    #[error("{name}: this holds vectors, not one program")]
    NotOneProgram {
        /// File.
        name: String,
    },
    /// Nothing says what it is.
    #[error(
        "{name}: at byte 0x0: no instruction set knows these first bytes [{head}]; `--isa NAME` says which one to read it as"
    )]
    Unknown {
        /// File.
        name: String,
        /// Its first bytes in hex.
        head: String,
    },
}

impl ReadError {
    /// The file or folder.
    pub fn name(&self) -> &str {
        match self {
            ReadError::Io { name, .. }
            | ReadError::NoFile { name, .. }
            | ReadError::Limit { name, .. }
            | ReadError::Panic { name, .. }
            | ReadError::NoFolder { name }
            | ReadError::TooLarge { name }
            | ReadError::Empty { name }
            | ReadError::NotText { name, .. }
            | ReadError::Assembly { name, .. }
            | ReadError::Case { name, .. }
            | ReadError::BinaryCase { name }
            | ReadError::NoIsa { name }
            | ReadError::NotOneProgram { name }
            | ReadError::Vectors { name, .. }
            | ReadError::Decode { name, .. }
            | ReadError::Unknown { name, .. } => name,
        }
    }

    /// The instruction set that the path names, or that the file was read as.
    pub fn isa(&self) -> Option<IsaId> {
        match self {
            ReadError::Decode { isa, .. } | ReadError::Assembly { isa, .. } => Some(*isa),
            other => whose::isa_of_path(Path::new(other.name())),
        }
    }

    /// Line and column of the first mistake in a text, from 1.
    pub fn line_and_column(&self) -> Option<(u32, u32)> {
        match self {
            ReadError::Assembly { diagnostics, .. } => {
                diagnostics.first().map(|first| (first.place.line, first.place.column))
            }
            ReadError::Case { error: TextError::Form(message), .. }
            | ReadError::Vectors { error: VectorError::Form(message), .. } => {
                let (_, place) = message.split_once("at line ")?;
                let (line, rest) = place.split_once(", column ")?;
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                Some((line.parse().ok()?, rest[..digits].parse().ok()?))
            }
            _ => None,
        }
    }

    /// The byte at which reading a file that is no text ended, and how many there are to show: one, or none where the file ends there.
    pub fn byte_and_length(&self) -> Option<(u64, u64)> {
        match self {
            ReadError::Decode { bytes, error, .. } => {
                Some((error.offset, u64::from(error.offset < bytes.len() as u64)))
            }
            ReadError::NotText { offset, .. } => Some((*offset as u64, 1)),
            _ => None,
        }
    }

    /// Whether the system is what says no, and not the content.
    pub(super) fn is_environment(&self) -> bool {
        matches!(self, ReadError::Io { .. } | ReadError::NoFile { .. } | ReadError::Limit { .. })
    }

    /// Whether the file is one of ours that cannot be read, rather than one of the many that are none: by its content where that says so, else by
    /// its name. Of what could not be looked at nobody knows, so it counts as ours.
    pub(super) fn is_ours(&self, path: &Path) -> bool {
        let named = || whose::isa_of_name(path).is_some();
        match self {
            ReadError::Unknown { .. }
            | ReadError::NoFile { .. }
            | ReadError::NoIsa { .. }
            | ReadError::NotOneProgram { .. } => false,
            ReadError::TooLarge { .. } | ReadError::Empty { .. } => named(),
            ReadError::NotText { .. } => named() || whose::isa_of_path(path).is_some(),
            ReadError::Assembly { isa, text, diagnostics, .. } => {
                named() || isa_of_text(text).is_some() || looks_like_assembly(*isa, text, diagnostics)
            }
            ReadError::Case { ours, .. } | ReadError::Vectors { ours, .. } => *ours || named(),
            ReadError::Io { .. }
            | ReadError::Limit { .. }
            | ReadError::Panic { .. }
            | ReadError::NoFolder { .. }
            | ReadError::BinaryCase { .. }
            | ReadError::Decode { .. } => true,
        }
    }
}

/// Whether text that does not assemble is a program with mistakes rather than prose: at least half of its lines are right, or begin with a mnemonic.
fn looks_like_assembly(isa: IsaId, text: &str, diagnostics: &[Diagnostic]) -> bool {
    let wrong: BTreeSet<u32> = diagnostics.iter().map(|d| d.place.line).collect();
    let lines = || text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let all = lines().count();
    let right = lines().filter(|(n, _)| !wrong.contains(&(*n as u32 + 1))).count();
    let known: BTreeSet<&str> = with_isa!(isa, I => I::opcodes().iter().map(|row| row.mnemonic).collect());
    let word = |line: &str| {
        let line = line.trim_start();
        let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
        known.contains(&line[..end])
    };
    let instructions = lines().filter(|(_, line)| word(line)).count();
    // An assembler that stops at the first mistake says nothing of the lines after it.
    let all_read = diagnostics.len() > 1 || all == wrong.len();
    (all_read && right * 2 >= all && all > 0) || (instructions * 2 >= all && instructions > 0)
}
