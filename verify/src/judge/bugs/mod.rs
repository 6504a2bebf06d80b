//! Known public bugs of decoders and executors: which of them are re-enacted as subjects, and why the others are not.
//!
//! The tables are `verify/bugs/NAME.toml`, a row for each bug. A re-enactment is our own reference with the bug in front of it: programs are taken for
//! others before they are read or run, run under other choices, or not survived.

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

/// A bug that somebody has published.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bug {
    /// What goes wrong, in a sentence.
    pub what: String,
    /// Where that is written: a tag of the instruction set's sources with a place, or a page on the web.
    pub source: String,
    /// What this project does with it.
    pub how: How,
}

/// What is done with a bug.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is re-enacted.
    Subject(Box<Reenactment>),
    /// It ends or stops a process in a way that no row needs to re-enact: what else is done for it.
    Process(String),
    /// No subject of `judge` can have it: why.
    Inexpressible(String),
    /// It could be re-enacted, and campaigns do not find it: why.
    Missed(String),
}

/// A subject with a known bug.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reenactment {
    /// What the bug is called here.
    pub name: String,
    /// Choices that programs are run under, by option.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// What decoder and executor take a program for: names of changes, or `OPCODE: FACET=VALUE, VALUE -> VALUE`.
    #[serde(default)]
    pub reads: Vec<String>,
    /// What the decoder alone takes it for.
    #[serde(default)]
    pub lists: Vec<String>,
    /// What the executor alone takes it for.
    #[serde(default)]
    pub runs: Vec<String>,
    /// What it does not survive.
    pub fails: Option<Fails>,
    /// The class of the finding.
    pub class: Class,
    /// Opcodes of which the finding names at least one; any if there are none.
    #[serde(default)]
    pub opcodes: Vec<String>,
    /// Instructions of the shortest program known to show it.
    pub shortest: u32,
}

/// Programs that a subject does not survive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fails {
    /// Those outside of what these statements of a profile's `supports` leave.
    #[serde(default)]
    pub outside: String,
    /// Those that break one of these rules.
    #[serde(default)]
    pub breaking: Vec<u16>,
    /// What becomes of the subject.
    pub by: Failing,
}

/// What becomes of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failing {
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
/// What is wrong with its text, which is part of this program.
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
    };
    toml::from_str::<Table>(text).map(|table| table.bug).map_err(|error| error.to_string())
}

/// The bugs of an instruction set that are re-enacted.
///
/// # Errors
/// As [`table`].
pub fn reenactments(isa: IsaId) -> Result<impl Iterator<Item = &'static Reenactment>, String> {
    Ok(table(isa)?.iter().filter_map(|bug| match &bug.how {
        How::Subject(subject) => Some(&**subject),
        How::Process(_) | How::Inexpressible(_) | How::Missed(_) => None,
    }))
}

/// The re-enacted bug of a name.
///
/// # Errors
/// If there is none, with those that there are.
pub fn reenactment(isa: IsaId, name: &str) -> Result<&'static Reenactment, String> {
    if let Some(bug) = reenactments(isa)?.find(|bug| bug.name == name) {
        return Ok(bug);
    }
    let all: Vec<&str> = reenactments(isa)?.map(|bug| bug.name.as_str()).collect();
    Err(format!("no known bug of {isa} is called '{name}'; there are {}", all.join(", ")))
}
