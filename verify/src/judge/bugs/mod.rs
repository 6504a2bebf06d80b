//! Published bugs of other decoders and executors. Each is re-enacted as a subject, or its row states why it is not.
//!
//! The tables are `verify/bugs/NAME.toml`, one row per bug. A re-enactment is our own reference with the bug added: the program is changed before it
//! is decoded or run, is run under other options, or makes the subject fail.

mod a2xx;
mod agal;
mod change;
mod d3d9;
mod detect;
mod pica200;
mod subject;
mod utgard_gp;

pub use detect::{Detected, detect};
pub use subject::reenacted;

use super::disagreement::Class;
use lockstep_core::isa::IsaId;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A published bug.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bug {
    /// The effect of the bug, as a sentence.
    pub what: String,
    /// The source that documents the bug: a tag of the instruction set's sources and a location in that source, or a web page.
    pub source: String,
    /// How this project treats the bug.
    pub how: Treatment,
}

/// How this project treats a bug.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Treatment {
    /// The bug is re-enacted as a subject.
    Subject(Box<Reenactment>),
    /// The bug crashes or hangs a process, and is not re-enacted; the text states how `judge` is tested with such failures.
    Process(String),
    /// No subject of `judge` can have the bug; the text states the reason.
    Inexpressible(String),
}

/// A subject that re-enacts a known bug.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reenactment {
    /// The name of the bug in this project.
    pub name: String,
    /// The option choices that programs are run under.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Changes that affect both decoder and executor: names of changes, or `OPCODE: FACET=VALUE, VALUE -> VALUE`.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Changes that affect only the decoder.
    #[serde(default)]
    pub lists: Vec<String>,
    /// Changes that affect only the executor.
    #[serde(default)]
    pub runs: Vec<String>,
    /// The programs on which the subject fails; `None` if it never fails.
    pub fails: Option<Fails>,
    /// The expected class of the finding.
    pub class: Class,
    /// The expected opcodes: the finding names at least one of them. Any opcode is accepted if the list is empty.
    #[serde(default)]
    pub opcodes: Vec<String>,
    /// The number of instructions of the shortest program known to expose the bug.
    pub shortest: u32,
}

/// The programs that a subject fails on, and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fails {
    /// Statements of a profile's `supports`: the subject fails on programs that the statements exclude.
    #[serde(default)]
    pub outside: String,
    /// Rule numbers: the subject fails on programs that break one of these rules.
    #[serde(default)]
    pub breaking: Vec<u16>,
    /// How the subject fails.
    pub by: FailureMode,
}

/// How a subject fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureMode {
    /// The subject's process ends.
    Crash,
    /// The subject never answers.
    Hang,
    /// The subject rejects the program.
    Refusal,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    bug: Vec<Bug>,
}

/// Returns the published bugs of an instruction set.
///
/// # Errors
/// If there is no table for the instruction set, or the table, which is compiled in, is malformed.
pub fn table(isa: IsaId) -> Result<&'static [Bug], String> {
    static TABLES: OnceLock<Vec<Result<Vec<Bug>, String>>> = OnceLock::new();
    let tables = TABLES.get_or_init(|| IsaId::ALL.iter().map(|isa| read(*isa)).collect());
    match tables.get(isa.number() as usize) {
        Some(Ok(bugs)) => Ok(bugs),
        Some(Err(error)) => Err(format!("the known bugs of {isa}: {error}")),
        None => Err(format!("there is no table of known bugs of {isa}")),
    }
}

fn read(isa: IsaId) -> Result<Vec<Bug>, String> {
    let text = match isa {
        IsaId::Agal => include_str!("../../../bugs/agal.toml"),
        IsaId::Pica200 => include_str!("../../../bugs/pica200.toml"),
        IsaId::UtgardGp => include_str!("../../../bugs/utgard_gp.toml"),
        IsaId::A2xx => include_str!("../../../bugs/a2xx.toml"),
        IsaId::D3d9 => include_str!("../../../bugs/d3d9.toml"),
        IsaId::Unlisted(_) => return Ok(Vec::new()),
    };
    toml::from_str::<Table>(text).map(|table| table.bug).map_err(|error| error.to_string())
}

/// Iterates over the re-enacted bugs of an instruction set.
///
/// # Errors
/// As [`table`].
pub fn reenactments(isa: IsaId) -> Result<impl Iterator<Item = &'static Reenactment>, String> {
    Ok(table(isa)?.iter().filter_map(|bug| match &bug.how {
        Treatment::Subject(subject) => Some(&**subject),
        Treatment::Process(_) | Treatment::Inexpressible(_) => None,
    }))
}

/// Returns the re-enacted bug of this name.
///
/// # Errors
/// If no re-enacted bug has this name; the error lists the existing names. Also as [`table`].
pub fn reenactment(isa: IsaId, name: &str) -> Result<&'static Reenactment, String> {
    if let Some(bug) = reenactments(isa)?.find(|bug| bug.name == name) {
        return Ok(bug);
    }
    let all: Vec<&str> = reenactments(isa)?.map(|bug| bug.name.as_str()).collect();
    Err(format!("no known bug of {isa} is called '{name}'; the known bugs are {}", all.join(", ")))
}
