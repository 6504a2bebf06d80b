//! Messages between processes: a length of four bytes in little-endian order, then that many bytes of postcard data.

use super::minimise::Minimised;
use crate::case::Case;
use crate::corpus::{Item, Judgement, ProblemKey, Strictness};
use crate::engine::Statistics;
use crate::generate::Covering;
use crate::oracle::{Failure, Oracle};
use crate::report::Proofs;
use crate::shared::SharedReport;
use lockstep_core::isa::IsaId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::PathBuf;

/// The maximum size of a message in bytes, which is far above the maximum size of a file (16 MiB).
const MAX_MESSAGE_SIZE: u32 = 1 << 30;

#[derive(Serialize, Deserialize)]
pub(in crate::cli) enum Request {
    /// Judge an item in `seeds` environments. If `announce` is set, announce each step before it begins.
    Judge { item: ItemData, seeds: u64, announce: bool },
    /// Compute the covering array of an instruction set.
    Draw { isa: IsaId },
    /// Check one part of the code that all instruction sets share.
    Shared { part: usize },
    /// Check one oracle's claim on a case.
    Ask { oracle: Oracle, case: Case },
    /// Minimise a failing case; `folder` is the folder that the minimised case will be written to.
    Minimise { oracle: Oracle, case: Case, how: CandidateProcess, folder: String },
    /// Run or replay the proofs, given the covering arrays; `recheck` selects the cached answers for which the solver is queried again.
    Prove { corpora: String, isas: Vec<IsaId>, drawn: Vec<(IsaId, Covering)>, recheck: Option<u64> },
}

/// Where candidates run while a case is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cli) enum CandidateProcess {
    /// Candidates run in the process that receives the request.
    Here,
    /// Each candidate runs in another process, because the case ends its process.
    SeparateProcess,
    /// Each candidate runs in another process, and bytes are removed without decoding the program.
    SeparateProcessByBytes,
}

#[derive(Serialize, Deserialize)]
pub(in crate::cli) enum Reply {
    /// Sent before the answer: announces that this claim is checked on this case next.
    Claim(Oracle, Box<Case>),
    /// Sent before the answer: announces that this vector is run next.
    Vector(String),
    /// The judgement of an item, its suspects, and the keys of its problems.
    Judged(Box<Judgement>, Vec<crate::corpus::Suspect>, Vec<ProblemKey>),
    Drawn(Covering),
    Shared(SharedReport),
    Answered(Answer),
    /// The minimised finding; `None` if the case no longer fails.
    Minimised(Option<Box<Minimised>>),
    /// The report as text with the numbers for the table, or the reason why there is none.
    Proved(Result<(String, Vec<(Option<IsaId>, Proofs)>), String>),
}

/// The verdict of an oracle in serialisable form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::cli) enum Answer {
    Holds(Statistics),
    Skipped(String),
    Fails(Failure),
}

/// An item in serialisable form.
#[derive(Serialize, Deserialize)]
pub(in crate::cli) struct ItemData {
    name: String,
    path: String,
    content: crate::corpus::Content,
    strictness: Strictness,
}

impl ItemData {
    pub(in crate::cli) fn new(item: &Item) -> ItemData {
        let (name, path) = (item.name.clone(), item.path.display().to_string());
        ItemData { name, path, content: item.content.clone(), strictness: item.strictness }
    }

    pub(super) fn item(self) -> Item {
        Item {
            name: self.name,
            path: PathBuf::from(self.path),
            content: self.content,
            strictness: self.strictness,
        }
    }
}

pub(super) fn send(to: &mut impl Write, message: &impl Serialize) -> std::io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(std::io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(std::io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// Reads the next message; `None` if the other process has closed the stream.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> std::io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_MESSAGE_SIZE {
        return Err(std::io::Error::other(format!(
            "a message of {length} bytes exceeds the limit of {MAX_MESSAGE_SIZE}"
        )));
    }
    let mut bytes = vec![0; length as usize];
    match from.read_exact(&mut bytes) {
        Ok(()) => postcard::from_bytes(&bytes).map(Some).map_err(std::io::Error::other),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_whole_or_not_at_all_and_absurd_lengths_are_errors() {
        let mut sent = Vec::new();
        send(&mut sent, &"text").unwrap();
        let read = |bytes: &[u8]| receive::<String>(&mut &bytes[..]);
        assert_eq!(read(&sent).unwrap().as_deref(), Some("text"));
        // The other process has ended, before a message or in the middle of it.
        assert_eq!(read(&[]).unwrap(), None);
        assert_eq!(read(&sent[..sent.len() - 1]).unwrap(), None);
        let length = (MAX_MESSAGE_SIZE + 1).to_le_bytes();
        assert!(read(&[&length[..], b"text"].concat()).is_err());
    }
}
