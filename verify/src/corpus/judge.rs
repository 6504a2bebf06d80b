//! Judging one item: every oracle on it, or its vectors.

use super::{Content, Item, Standing, run_vector, sample};
use crate::case::Case;
use crate::engine::Statistics;
use crate::generate::Generate;
use crate::oracle::{Oracle, Skip, Verdict, ask};
use lockstep_core::host::Environment;
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use serde::Serialize;

/// What kind of thing was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A program, run on generated environments.
    Program,
    /// A case with its own environment.
    Case,
    /// A file of vectors.
    Vectors,
}

/// A claim that failed, before anything was done about it.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// The claim.
    pub oracle: Oracle,
    /// The case that breaks it.
    pub case: Case,
}

/// What came of judging an item.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::struct_excessive_bools)] // independent marks, as a report's columns are
pub struct Judgement {
    /// The item's name.
    pub name: String,
    /// Where it was read.
    pub path: String,
    /// Its instruction set.
    pub isa: IsaId,
    /// What it is.
    pub kind: Kind,
    /// Whether its bytes decode.
    pub decoded: bool,
    /// Whether the byte round trip held.
    pub bytes: bool,
    /// Whether the text round trip held.
    pub text: bool,
    /// Whether validator and lowering agree that it can be run.
    pub valid: bool,
    /// Why it was not run, if it was not.
    pub refused: Option<String>,
    /// Environments it was run in.
    pub runs: u64,
    /// Lanes run on both engines.
    pub lanes: u64,
    /// What the comparison of reference and executor looked at.
    pub compared: Statistics,
    /// Components compared before and after rewriting.
    pub rewritten: u64,
    /// Vectors that passed.
    pub vectors: u64,
    /// What is wrong that is not a failing claim about a case: an own program that is refused, a vector that does not hold.
    pub problems: Vec<String>,
    /// Claims that failed.
    #[serde(skip)]
    pub suspects: Vec<Suspect>,
}

impl Judgement {
    /// Whether nothing is wrong.
    pub fn clean(&self) -> bool {
        self.problems.is_empty() && self.suspects.is_empty()
    }

    /// Whether anything was looked at.
    pub fn checked(&self) -> bool {
        self.bytes || self.text || self.runs > 0 || self.vectors > 0 || !self.clean()
    }
}

/// Judges an item. Programs are run in the environments of `seeds`.
pub fn judge(item: &Item, seeds: std::ops::Range<u64>) -> Judgement {
    let _span = tracing::info_span!("judge", item = item.name).entered();
    let kind = match &item.content {
        Content::Program { .. } => Kind::Program,
        Content::Case(_) => Kind::Case,
        Content::Vectors { .. } => Kind::Vectors,
    };
    let mut j = Judgement {
        name: item.name.clone(),
        path: item.path.display().to_string(),
        isa: item.content.isa(),
        kind,
        decoded: false,
        bytes: false,
        text: false,
        valid: false,
        refused: None,
        runs: 0,
        lanes: 0,
        compared: Statistics::default(),
        rewritten: 0,
        vectors: 0,
        problems: Vec::new(),
        suspects: Vec::new(),
    };
    match &item.content {
        Content::Vectors { isa, vectors } => {
            for vector in vectors {
                match run_vector(*isa, vector) {
                    Ok(components) => {
                        j.vectors += 1;
                        j.compared.components += components;
                    }
                    Err(found) => j.problems.push(format!("vector {}: {}", vector.name, few(&found))),
                }
            }
        }
        Content::Case(case) => {
            structure(&mut j, case);
            execution(&mut j, case);
        }
        Content::Program { isa, bytes } => {
            let cases = with_isa!(*isa, I => cases::<I>(bytes, seeds));
            if let Some(first) = cases.first() {
                structure(&mut j, first);
                for case in &cases {
                    if j.refused.is_some() {
                        break;
                    }
                    execution(&mut j, case);
                }
            }
        }
    }
    if item.standing == Standing::Own
        && kind == Kind::Program
        && let Some(reason) = &j.refused
    {
        j.problems.push(format!("a program of our own cannot be run: {reason}"));
    }
    tracing::debug!(lanes = j.lanes, components = j.compared.components, clean = j.clean(), "judged");
    j
}

/// The program in each of the environments; in an empty one if it has no entry.
fn cases<I: Generate>(bytes: &[u8], seeds: std::ops::Range<u64>) -> Vec<Case> {
    let case = |entry, env| Case { isa: I::ID, bytes: bytes.to_vec(), entry, options: [].into(), env };
    let mut cases = Vec::new();
    let program = I::decode(bytes).ok();
    let entries = program.as_ref().map(I::entries).unwrap_or_default();
    for (number, entry) in entries.iter().enumerate() {
        let number = crate::case::EntryRef::Own(number as u16);
        let envs = program.iter().flat_map(|p| seeds.clone().map(move |seed| sample::<I>(p, entry, seed)));
        cases.extend(envs.map(|env| case(number.clone(), env)));
    }
    if cases.is_empty() {
        cases.push(case(crate::case::EntryRef::default(), Environment::default()));
    }
    cases
}

/// What does not depend on the environment.
fn structure(j: &mut Judgement, case: &Case) {
    let mut held = |oracle| match ask(oracle, case) {
        Verdict::Holds(_) => true,
        Verdict::Skipped(skip) => {
            // An illegal program is refused by its execution, too; the first reason is the one to tell.
            if j.refused.is_none() {
                j.refused = Some(skip.to_string());
            }
            false
        }
        Verdict::Fails(_) => {
            j.suspects.push(Suspect { oracle, case: case.clone() });
            false
        }
    };
    let (bytes, text, valid) = (held(Oracle::Bytes), held(Oracle::Text), held(Oracle::Validity));
    (j.bytes, j.text, j.valid) = (bytes, text, valid);
    j.decoded = with_isa!(case.isa, I => I::decode(&case.bytes).is_ok());
}

/// What is run.
fn execution(j: &mut Judgement, case: &Case) {
    match ask(Oracle::Execution, case) {
        Verdict::Holds(statistics) => {
            j.compared += statistics;
            j.lanes += case.env.lanes.len() as u64;
            j.runs += 1;
        }
        // A program without an end is compared by its end alone; that is a run.
        Verdict::Skipped(Skip::NoLaneFinished | Skip::NothingCompared) if j.valid => j.runs += 1,
        Verdict::Skipped(skip) => {
            j.refused.get_or_insert_with(|| skip.to_string());
        }
        Verdict::Fails(_) => j.suspects.push(Suspect { oracle: Oracle::Execution, case: case.clone() }),
    }
    match ask(Oracle::Rewriting, case) {
        Verdict::Holds(statistics) => j.rewritten += statistics.components,
        Verdict::Skipped(_) => {}
        Verdict::Fails(_) => j.suspects.push(Suspect { oracle: Oracle::Rewriting, case: case.clone() }),
    }
}

/// The first few of many sentences.
fn few(all: &[String]) -> String {
    const SHOWN: usize = 4;
    let text = all.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ");
    match all.len().saturating_sub(SHOWN) {
        0 => text,
        more => format!("{text}; and {more} more"),
    }
}
