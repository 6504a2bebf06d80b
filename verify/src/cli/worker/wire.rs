//! What processes say to each other: a length in four bytes, little endian, and so many bytes of postcard.

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

/// The most bytes of a message: a file of the largest size, and then some.
const MOST: u32 = 1 << 30;

#[derive(Serialize, Deserialize)]
pub(in crate::cli) enum Request {
    /// Judge an item in this many environments. With `aloud`, say before each step what comes next.
    Judge { item: Sent, seeds: u64, aloud: bool },
    /// Draw the covering array of an instruction set.
    Draw { isa: IsaId },
    /// Check a part of what is shared.
    Shared { part: usize },
    /// Ask one oracle about a case.
    Ask { oracle: Oracle, case: Case },
    /// Make a failing case small; `folder` is where its file will be.
    Minimise { oracle: Oracle, case: Case, how: How, folder: String },
    /// Make the proofs, or replay them, with these covering arrays, so that they are not drawn again; `again` draws which answers of the cache are asked for again.
    Prove { corpora: String, isas: Vec<IsaId>, drawn: Vec<(IsaId, Covering)>, again: Option<String> },
}

/// How a case is made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cli) enum How {
    /// In the process that is asked.
    Here,
    /// Each candidate is asked about in another process, because the case ends it.
    Apart,
    /// The same, cutting bytes without looking into the program.
    ApartByBytes,
}

#[derive(Serialize, Deserialize)]
pub(in crate::cli) enum Reply {
    /// Not the answer yet: this claim is asked about this case next.
    Claim(Oracle, Box<Case>),
    /// Not the answer yet: this vector is run next.
    Vector(String),
    /// An item, its suspects, and the keys of its problems.
    Judged(Box<Judgement>, Vec<crate::corpus::Suspect>, Vec<ProblemKey>),
    Drawn(Covering),
    Shared(SharedReport),
    Answered(Answer),
    /// `None` if it does not fail any more.
    Minimised(Option<Box<Minimised>>),
    /// The report as text and what the table needs of it; or why there is none.
    Proved(Result<(String, Vec<(Option<IsaId>, Proofs)>), String>),
}

/// A verdict, as far as others need it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::cli) enum Answer {
    Holds(Statistics),
    Skipped(String),
    Fails(Failure),
}

/// An item on its way.
#[derive(Serialize, Deserialize)]
pub(in crate::cli) struct Sent {
    name: String,
    path: String,
    content: crate::corpus::Content,
    standing: Standing,
}

impl Sent {
    pub(in crate::cli) fn new(item: &Item) -> Sent {
        let (name, path) = (item.name.clone(), item.path.display().to_string());
        Sent { name, path, content: item.content.clone(), standing: item.standing }
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

/// The next message; `None` where the other side is gone.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> std::io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length);
    if length > MOST {
        return Err(std::io::Error::other("a message of this length is none of ours"));
    }
    let mut bytes = vec![0; length as usize];
    match from.read_exact(&mut bytes) {
        Ok(()) => postcard::from_bytes(&bytes).map(Some).map_err(std::io::Error::other),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}
