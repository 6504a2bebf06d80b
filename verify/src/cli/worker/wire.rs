//! Messages between processes: a length in four bytes, little endian, then that many bytes of postcard.

use super::minimise::Minimised;
use crate::case::Case;
use crate::corpus::{Item, Judgement, ProblemKey, Standing};
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

/// The maximum size of a message in bytes: a file of the largest size, with some margin.
const MAX_MESSAGE_SIZE: u32 = 1 << 30;

#[derive(Serialize, Deserialize)]
pub(in crate::cli) enum Request {
    /// Judge an item in this many environments. With `aloud`, announce each step before it begins.
    Judge { item: ItemData, seeds: u64, aloud: bool },
    /// Compute the covering array of an instruction set.
    Draw { isa: IsaId },
    /// Check one part of what all instruction sets share.
    Shared { part: usize },
    /// Ask one oracle about a case.
    Ask { oracle: Oracle, case: Case },
    /// Minimise a failing case; `folder` is where its file will be.
    Minimise { oracle: Oracle, case: Case, how: How, folder: String },
    /// Make or replay the proofs, given the covering arrays; `again` chooses which answers of the cache are asked again.
    Prove { corpora: String, isas: Vec<IsaId>, drawn: Vec<(IsaId, Covering)>, again: Option<String> },
}

/// How a case is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cli) enum How {
    /// In the process that receives the request.
    Here,
    /// Asking about each candidate in another process, because the case ends it.
    SeparateProcess,
    /// In another process as well, cutting bytes without decoding the program.
    SeparateProcessByBytes,
}

#[derive(Serialize, Deserialize)]
pub(in crate::cli) enum Reply {
    /// Before the answer: this claim is checked on this case next.
    Claim(Oracle, Box<Case>),
    /// Before the answer: this vector is run next.
    Vector(String),
    /// An item, its suspects, and the keys of its problems.
    Judged(Box<Judgement>, Vec<crate::corpus::Suspect>, Vec<ProblemKey>),
    Drawn(Covering),
    Shared(SharedReport),
    Answered(Answer),
    /// `None` if the case no longer fails.
    Minimised(Option<Box<Minimised>>),
    /// The report as text with the figures for the table; or the reason why there is none.
    Proved(Result<(String, Vec<(Option<IsaId>, Proofs)>), String>),
}

/// A verdict in the form that is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::cli) enum Answer {
    Holds(Statistics),
    Skipped(String),
    Fails(Failure),
}

/// An item in the form that is sent.
#[derive(Serialize, Deserialize)]
pub(in crate::cli) struct ItemData {
    name: String,
    path: String,
    content: crate::corpus::Content,
    standing: Standing,
}

impl ItemData {
    pub(in crate::cli) fn new(item: &Item) -> ItemData {
        let (name, path) = (item.name.clone(), item.path.display().to_string());
        ItemData { name, path, content: item.content.clone(), standing: item.standing }
    }

    pub(super) fn item(self) -> Item {
        Item {
            name: self.name,
            path: PathBuf::from(self.path),
            content: self.content,
            standing: self.standing,
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

/// The next message; `None` if the other side is gone.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> std::io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_MESSAGE_SIZE {
        return Err(std::io::Error::other("the length of a message is invalid"));
    }
    let mut bytes = vec![0; length as usize];
    match from.read_exact(&mut bytes) {
        Ok(()) => postcard::from_bytes(&bytes).map(Some).map_err(std::io::Error::other),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}
