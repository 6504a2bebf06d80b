//! Errors of reading files: why a file contains nothing to check, and whether it is a Lockstep file.

use super::detect_isa;
use super::read::MAX_FILE;
use super::vector::VectorError;
use crate::case::TextError;
use crate::head::isa_of_text;
use lockstep_core::binary::DecodeError;
use lockstep_core::isa::IsaId;
use lockstep_core::text::Diagnostic;
use lockstep_core::with_isa;
use std::collections::BTreeSet;
use std::path::Path;

/// The reason why a file that should contain a program, a case or vectors cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system reports an error.
    #[error("{name}: {error}")]
    Io {
        /// The file.
        name: String,
        /// The operating system's error.
        error: std::io::Error,
    },
    /// The path is a pipe, a device, or a virtual file of the kernel.
    #[error("{name}: {why}")]
    NoFile {
        /// The path.
        name: String,
        /// What the path is.
        why: &'static str,
    },
    /// The folder was not searched completely.
    #[error("{name}: {limit}; the rest was not read")]
    Limit {
        /// The folder.
        name: String,
        /// The limit that was reached.
        limit: String,
    },
    /// Reading the file panics.
    #[error("{name}: reading it causes a {message}")]
    Panic {
        /// The file.
        name: String,
        /// The panic's source location and message.
        message: String,
    },
    /// Our own corpora lack a folder that they must have.
    #[error("{name}: there is no such folder, and every instruction set has one")]
    NoFolder {
        /// The folder's path relative to the root of the corpora.
        name: String,
    },
    /// The file is larger than [`MAX_FILE`].
    #[error("{name}: at byte {MAX_FILE:#x}: the file exceeds the limit of {MAX_FILE} bytes")]
    TooLarge {
        /// The file.
        name: String,
    },
    /// The file is empty.
    #[error("{name}: at byte 0x0: the file is empty, so there is no program in it")]
    Empty {
        /// The file.
        name: String,
    },
    /// The file should be text but is not UTF-8.
    #[error("{name}: at byte {offset:#x}: this is not UTF-8 text")]
    NotText {
        /// The file.
        name: String,
        /// The offset of the first byte that is not UTF-8.
        offset: usize,
    },
    /// The text does not assemble.
    #[error("{name}:{}", .diagnostics.first().map_or_else(|| " does not assemble".to_owned(), ToString::to_string))]
    Assembly {
        /// The file.
        name: String,
        /// The instruction set that the text was assembled for.
        isa: IsaId,
        /// The file's text.
        text: String,
        /// The assembler's errors.
        diagnostics: Vec<Diagnostic>,
    },
    /// The file is not a valid case.
    #[error("{name}: {error}")]
    Case {
        /// The file.
        name: String,
        /// Whether the text has the keys of a case, which shows that it was meant as one.
        ours: bool,
        /// The first error in the text.
        error: TextError,
    },
    /// The file begins like a binary case but is not one.
    #[error(
        "{name}: at byte 0x4: this begins like a binary case ('LSC1') but is truncated or of another version"
    )]
    BinaryCase {
        /// The file.
        name: String,
    },
    /// The file is not a valid vector file.
    #[error("{name}: {error}")]
    Vectors {
        /// The file.
        name: String,
        /// Whether the text has the keys of a vector file, which shows that it was meant as one.
        ours: bool,
        /// The first error in the text.
        error: VectorError,
    },
    /// The file does not decode as a program of its instruction set.
    #[error("{name}: not a program of {isa}: {error}")]
    Decode {
        /// The file.
        name: String,
        /// The instruction set whose decoder was used.
        isa: IsaId,
        /// The file's content.
        bytes: Vec<u8>,
        /// The decode error.
        error: DecodeError,
    },
    /// The file is text whose instruction set is unknown.
    #[error("{name}: neither the file's name nor `--isa NAME` names the instruction set of this text")]
    NoIsa {
        /// The file.
        name: String,
    },
    /// The file contains vectors where one program is required.
    #[error("{name}: this file contains vectors, not one program")]
    NotOneProgram {
        /// The file.
        name: String,
    },
    /// The file's kind is unknown.
    #[error(
        "{name}: at byte 0x0: no instruction set recognises these first bytes [{head}]; `--isa NAME` names the one to use"
    )]
    Unknown {
        /// The file.
        name: String,
        /// The file's first bytes in hex.
        head: String,
    },
}

impl ReadError {
    /// Returns the name of the file or folder.
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

    /// Returns the instruction set that the path names, or for which the file was read.
    pub fn isa(&self) -> Option<IsaId> {
        match self {
            ReadError::Decode { isa, .. } | ReadError::Assembly { isa, .. } => Some(*isa),
            other => detect_isa::isa_of_path(Path::new(other.name())),
        }
    }

    /// Returns the line and column of the first error in a text, from 1.
    pub fn line_and_column(&self) -> Option<(u32, u32)> {
        match self {
            ReadError::Assembly { diagnostics, .. } => {
                diagnostics.first().map(|first| (first.span.line, first.span.column))
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

    /// Returns the byte at which reading a binary file failed, and the number of bytes to show: 1, or 0 at the end of the file.
    pub fn byte_and_length(&self) -> Option<(u64, u64)> {
        match self {
            ReadError::Decode { bytes, error, .. } => {
                Some((error.offset, u64::from(error.offset < bytes.len() as u64)))
            }
            ReadError::NotText { offset, .. } => Some((*offset as u64, 1)),
            _ => None,
        }
    }

    /// Whether the cause is the operating system rather than the file's content.
    pub(super) fn is_environment(&self) -> bool {
        matches!(self, ReadError::Io { .. } | ReadError::NoFile { .. } | ReadError::Limit { .. })
    }

    /// Whether the file is a Lockstep file that cannot be read, rather than an unrelated file. The content is examined first; if it is inconclusive,
    /// the name decides. A file that could not be opened counts as a Lockstep file.
    pub(super) fn is_ours(&self, path: &Path) -> bool {
        let named = || detect_isa::isa_of_name(path).is_some();
        match self {
            ReadError::Unknown { .. }
            | ReadError::NoFile { .. }
            | ReadError::NoIsa { .. }
            | ReadError::NotOneProgram { .. } => false,
            ReadError::TooLarge { .. } | ReadError::Empty { .. } => named(),
            ReadError::NotText { .. } => named() || detect_isa::isa_of_path(path).is_some(),
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

/// Whether text that does not assemble is a program with errors rather than prose: at least half of its lines are correct or begin with a mnemonic.
fn looks_like_assembly(isa: IsaId, text: &str, diagnostics: &[Diagnostic]) -> bool {
    let wrong: BTreeSet<u32> = diagnostics.iter().map(|d| d.span.line).collect();
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
    // An assembler that stops at the first error does not check the lines after it.
    let all_read = diagnostics.len() > 1 || all == wrong.len();
    (all_read && right * 2 >= all && all > 0) || (instructions * 2 >= all && instructions > 0)
}
