//! Known public bugs of decoders and executors: which of them are re-enacted as subjects, and why the others are not.
//!
//! The tables are `verify/bugs/NAME.toml`, one row per bug. A re-enactment is our own reference with the bug in front of it: the program is changed
//! before it is decoded or run, run under other options, or makes the subject fail.

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
    /// Where it is documented: a tag of the instruction set's sources with a place, or a web page.
    pub source: String,
    /// How this project treats it.
    pub how: How,
}

/// The treatment of a bug.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is re-enacted.
    Subject(Box<Reenactment>),
    /// It ends or stops a process in a way that no row needs to re-enact; the text says how that is covered.
    Process(String),
    /// No subject of `judge` can have it; the text says why.
    Inexpressible(String),
    /// It could be re-enacted, but campaigns do not find it; the text says why.
    Missed(String),
}

/// A subject with a known bug.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reenactment {
    /// The name of the bug in this project.
    pub name: String,
    /// The choices of options that programs are run under.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Changes seen by decoder and executor: names of changes, or `OPCODE: FACET=VALUE, VALUE -> VALUE`.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Changes seen by the decoder alone.
    #[serde(default)]
    pub lists: Vec<String>,
    /// Changes seen by the executor alone.
    #[serde(default)]
    pub runs: Vec<String>,
    /// The programs that it fails on.
    pub fails: Option<Fails>,
    /// The class of the finding.
    pub class: Class,
    /// Opcodes of which the finding names at least one; any if the list is empty.
    #[serde(default)]
    pub opcodes: Vec<String>,
    /// The number of instructions of the shortest program known to show it.
    pub shortest: u32,
}

/// Programs that a subject fails on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fails {
    /// Those outside of what these statements of a profile's `supports` allow.
    #[serde(default)]
    pub outside: String,
    /// Those that break one of these rules.
    #[serde(default)]
    pub breaking: Vec<u16>,
    /// The way it fails.
    pub by: FailureMode,
}

/// The way a subject fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureMode {
    /// Its process ends.
    Crash,
    /// It never answers.
    Hang,
    /// It refuses the program.
    Refusal,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    bug: Vec<Bug>,
}

/// The table of an instruction set.
///
/// # Errors
/// If the text of the table, which is compiled in, is wrong.
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

/// The re-enacted bugs of an instruction set.
///
/// # Errors
/// As [`table`].
pub fn reenactments(isa: IsaId) -> Result<impl Iterator<Item = &'static Reenactment>, String> {
    Ok(table(isa)?.iter().filter_map(|bug| match &bug.how {
        How::Subject(subject) => Some(&**subject),
        How::Process(_) | How::Inexpressible(_) | How::Missed(_) => None,
    }))
}

/// The re-enacted bug of this name.
///
/// # Errors
/// If there is none; lists those that exist.
pub fn reenactment(isa: IsaId, name: &str) -> Result<&'static Reenactment, String> {
    if let Some(bug) = reenactments(isa)?.find(|bug| bug.name == name) {
        return Ok(bug);
    }
    let all: Vec<&str> = reenactments(isa)?.map(|bug| bug.name.as_str()).collect();
    Err(format!("no known bug of {isa} is called '{name}'; there are {}", all.join(", ")))
}
