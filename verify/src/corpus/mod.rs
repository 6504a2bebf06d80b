//! Corpora: finds and reads the files to check.
//!
//! There are our own corpora (`corpora/ISA/{programs,vectors,regressions}`), other people's shaders (`ISA/open` in a folder that may be absent), and
//! any file or folder that the user names. No claim is checked while a file is read. A file becomes an [`Item`], a [`Skipped`] with the reason, or a
//! [`ReadError`] if it should contain something to check but cannot be read or checked.

mod contradiction;
mod detect_isa;
mod explain;
mod filing;
mod judge;
mod lane_text;
mod load;
mod locate;
mod number;
mod prepared;
mod read;
mod read_error;
mod running;
mod special_files;
mod vector;
mod walk;

pub use contradiction::{Contradiction, contradiction, sentence};
pub use detect_isa::isa_of_path;
use explain::explained;
pub use filing::{FilingError, filed};
pub use judge::{
    CONTRADICTED, Judgement, JudgingStep, Kind, ProblemKey, Suspect, empty_judgement, judge, judge_with,
};
pub use lane_text::{LaneError, alternative, lane};
pub use load::{load_own, load_paths, load_real};
pub use locate::{OWN_VARIABLE, own_corpora, real_corpora};
pub use number::Number;
pub use prepared::vector_case;
pub use read::{MAX_FILE, read_bytes, read_file, read_named, read_text, read_written};
pub use read_error::ReadError;
pub use running::{VectorFailure, run_vector};
pub use vector::{Alternative, BufferForm, TextureForm, Vector, VectorEffect, VectorError, VectorLane};

use crate::case::{Case, EntryRef};
use crate::generate::{Entropy, Generate, environment};
use lockstep_core::host::Environment;
use lockstep_core::isa::{Context, IsaId, Options};
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The content of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Content {
    /// A program without an environment.
    Program {
        /// The program's instruction set.
        isa: IsaId,
        /// The file's bytes, or the bytes that its text assembles to.
        bytes: Vec<u8>,
    },
    /// A program with its complete environment.
    Case(Box<Case>),
    /// Programs with inputs and expected results.
    Vectors {
        /// The vectors' instruction set.
        isa: IsaId,
        /// The vectors, in file order.
        vectors: Vec<Vector>,
    },
}

impl Content {
    /// Returns the instruction set of the content.
    pub fn isa(&self) -> IsaId {
        match self {
            Content::Program { isa, .. } | Content::Vectors { isa, .. } => *isa,
            Content::Case(case) => case.isa,
        }
    }

    /// Returns the bytes of the single program; `None` for vectors.
    pub fn program(&self) -> Option<&[u8]> {
        match self {
            Content::Program { bytes, .. } => Some(bytes),
            Content::Case(case) => Some(&case.bytes),
            Content::Vectors { .. } => None,
        }
    }

    /// Returns the number of entries that are not run because entries times instructions would exceed [`MAX_WORDS`].
    pub fn left_out(&self) -> usize {
        match self {
            Content::Program { isa, bytes } => with_isa!(*isa, I => left_out::<I>(bytes)),
            Content::Case(_) | Content::Vectors { .. } => 0,
        }
    }

    /// Returns the cases to run. A case is returned unchanged. A program is run at each entry in the environment of each seed, in the order of
    /// entries. A program without an entry that can run gives one case with an empty environment; vectors give no cases.
    pub fn cases(&self, seeds: std::ops::Range<u64>) -> Vec<Case> {
        match self {
            Content::Program { isa, bytes } => with_isa!(*isa, I => sampled::<I>(bytes, &seeds)),
            Content::Case(case) => vec![case.as_ref().clone()],
            Content::Vectors { .. } => Vec::new(),
        }
    }
}

/// The maximum product of the number of entries that are run and the number of instructions. The first entry is always run. Without this limit, a
/// file with very many entries would take an hour.
pub const MAX_WORDS: u32 = 1 << 15;

fn left_out<I: Generate>(bytes: &[u8]) -> usize {
    I::decode(bytes).map_or(0, |program| I::entry_count(&program) - entries_run::<I>(&program))
}

/// Returns the number of entries of a program that are run.
fn entries_run<I: Generate>(program: &I::Program) -> usize {
    let count = I::entry_count(program);
    let options = Options::new(I::option_specs());
    let words = I::entry(program, 0)
        .map_or(0, |entry| I::instruction_count(&Context { program, entry: &entry, options: &options }));
    count.min((MAX_WORDS / words.max(1)).max(1) as usize)
}

fn sampled<I: Generate>(bytes: &[u8], seeds: &std::ops::Range<u64>) -> Vec<Case> {
    let bare = Case::bare(I::ID, bytes);
    let Ok(program) = I::decode(bytes) else { return vec![bare] };
    let mut cases = Vec::new();
    for number in 0..entries_run::<I>(&program) {
        let case = Case { entry: EntryRef::Own(number as u16), ..bare.clone() };
        match case.resolve::<I>() {
            Ok(resolved) => cases.extend(seeds.clone().map(|seed| {
                let env = environment_from_seed(&resolved.context(), seed);
                Case { env, ..case.clone() }
            })),
            Err(_) => cases.push(case),
        }
    }
    if cases.is_empty() {
        cases.push(bare);
    }
    cases
}

/// How strictly an item is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Strictness {
    /// The item belongs to our own corpora. The program must decode, validate and run; anything else is a finding.
    Own,
    /// The program belongs to a covering array. The program is judged like one of our own corpora, but in one environment only.
    Drawn,
    /// The user named the item, and its name or content shows that it is a program. The program must decode; any other refusal is only reported.
    Given,
    /// The item is someone else's shader. The program may be refused; the reason is reported.
    Foreign,
}

/// A program, a case or a file of vectors to check.
#[derive(Clone, Debug)]
pub struct Item {
    /// A short name for reports.
    pub name: String,
    /// The path the item was read from.
    pub path: PathBuf,
    /// The content of the file.
    pub content: Content,
    /// How strictly the item is judged.
    pub strictness: Strictness,
}

impl Item {
    /// Returns an item for a program of a covering array.
    pub fn drawn(isa: IsaId, number: usize, bytes: Vec<u8>) -> Item {
        Item {
            name: format!("{isa}/covering/{number:03}"),
            path: PathBuf::new(),
            content: Content::Program { isa, bytes },
            strictness: Strictness::Drawn,
        }
    }
}

/// A file or folder that was not checked.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Skipped {
    /// The name of the file or folder.
    pub name: String,
    /// Why the file or folder was not checked.
    pub reason: String,
}

/// The result of loading files and folders.
#[derive(Debug, Default)]
pub struct Collection {
    /// The items to check.
    pub items: Vec<Item>,
    /// The files and folders that are not checked.
    pub skipped: Vec<Skipped>,
    /// Unreadable files and folders that belong to our own corpora or that the user named.
    pub broken: Vec<ReadError>,
    /// Paths that the user named and that do not exist, or whose kind is unknown.
    pub absent: Vec<ReadError>,
    /// Folders without anything to check, although they should contain programs, cases or vectors.
    pub empty: Vec<String>,
}

/// A limit on run time: a program with more than this many instructions per pass is run with the lanes of one quad only.
const LONG_PASS: u64 = 1 << 14;
const QUAD: usize = 4;

/// Returns the environment generated from a seed, for a program without an environment.
pub fn environment_from_seed<I: Generate>(cx: &Context<'_, I>, seed: u64) -> Environment {
    let mut env = environment(&mut Entropy::seeded(seed), &cx.entry.interface, &I::needs(cx));
    if I::pass_cost(cx) > LONG_PASS {
        env.lanes.truncate(QUAD);
    }
    env
}
