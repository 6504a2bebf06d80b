//! The report of a run of `check`: a table for people, and JSON, `JUnit` XML, SARIF and an HTML page.
//!
//! [`Report`] is the JSON document. [`SCHEMA`] is the version of its schema. Within a version, fields may be added, but the meaning of a field never
//! changes.

mod build;
mod deny;
mod exit;
mod html;
mod junit;
mod markup;
mod sarif;
#[cfg(feature = "cli")]
mod table;

pub use build::{Builder, Proofs};
pub use deny::Denials;
pub use exit::Exit;
pub use html::{html, seen};
pub use junit::junit;
pub use sarif::sarif;
#[cfg(feature = "cli")]
pub use table::table;

use crate::blame::Exhibit;
use crate::corpus::{Judgement, Skipped};
use lockstep_core::isa::IsaId;
use serde::{Deserialize, Serialize};

/// Name and version of the JSON schema.
pub const SCHEMA: &str = "lockstep-report/1";

/// The number of obligations by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofCounts {
    /// Obligations proved in this run.
    pub proved: u64,
    /// Obligations proved in an earlier run; the verdict is from the cache.
    pub cached: u64,
    /// Obligations proved up to a bound.
    pub bounded: u64,
    /// Obligations that hold for all values tried, but not all values were tried.
    pub tested: u64,
    /// Obligations neither proved nor refuted. A run with such an obligation is never clean.
    pub unknown: u64,
    /// Obligations that were refuted.
    pub refuted: u64,
}

impl std::ops::AddAssign for ProofCounts {
    fn add_assign(&mut self, other: Self) {
        self.proved += other.proved;
        self.cached += other.cached;
        self.bounded += other.bounded;
        self.tested += other.tested;
        self.unknown += other.unknown;
        self.refuted += other.refuted;
    }
}

impl ProofCounts {
    /// Returns the number of obligations, with or without a verdict.
    pub fn total(&self) -> u64 {
        self.proved + self.cached + self.bounded + self.tested + self.unknown + self.refuted
    }
}

/// A row of the table: an instruction set, `shared` or `unknown`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The name of the instruction set, or `shared` or `unknown`.
    pub isa: String,
    /// The number of programs, and of cases with their own environment.
    pub programs: u64,
    /// Programs that decode.
    pub decoded: u64,
    /// Decoded programs whose bytes survive the round trip.
    pub bytes: u64,
    /// Decoded programs whose text survives the round trip.
    pub text: u64,
    /// Programs for which both engines' results were compared in at least one environment.
    pub run: u64,
    /// Programs that do not decode or were refused, or one of whose entries was; each has a stated reason.
    pub refused: u64,
    /// Lanes run on both engines.
    pub lanes: u64,
    /// Components compared between the engines and with vectors.
    pub components: u64,
    /// Components compared before and after rewriting.
    pub rewritten: u64,
    /// Violations of rules, each occurrence counted.
    pub violations: u64,
    /// Vectors that hold.
    pub vectors: u64,
    /// The proof verdicts of the instruction set.
    pub proofs: ProofCounts,
    /// The number of findings.
    pub findings: u64,
}

/// A finding in the form of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reported {
    /// Identifies equal findings: instruction set, claim, opcodes, part.
    pub signature: String,
    /// The name of the instruction set.
    pub isa: String,
    /// The claim that fails.
    pub claim: String,
    /// A sentence about the failure.
    pub message: String,
    /// The name of the item that the finding is about.
    pub item: String,
    /// The path of the item's file.
    pub path: Option<String>,
    /// The line in the item's file, from 1.
    pub line: Option<u32>,
    /// The column in `line`, from 1.
    pub column: Option<u32>,
    /// The byte offset in the item's file, if the file is not text.
    pub byte_offset: Option<u64>,
    /// The number of bytes at `byte_offset` that the finding is about.
    pub byte_length: Option<u64>,
    /// The number of occurrences.
    pub count: u64,
    /// The path of the minimised case.
    pub case: Option<String>,
    /// The command that reproduces the finding.
    pub reproduce: Option<String>,
    /// The listing of the program with the failing instruction marked, if there is a program.
    pub exhibit: Option<Exhibit>,
    /// The full description as text.
    pub detail: String,
}

/// The report of a whole run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The schema's name and version, [`SCHEMA`].
    pub schema: &'static str,
    /// The version of this program.
    pub version: &'static str,
    /// The verdict of the run.
    pub verdict: Exit,
    /// The process's exit code.
    pub exit: u8,
    /// The wall-clock time of the run, in seconds.
    pub seconds: f64,
    /// One row for each instruction set, for shared code, and for findings of an unknown instruction set.
    pub isas: Vec<Row>,
    /// Every judged item, with the rules that it breaks.
    pub items: Vec<Judgement>,
    /// All findings.
    pub findings: Vec<Reported>,
    /// Whether broken rules are among the findings.
    pub warnings_denied: bool,
    /// Programs that were refused, with the reason.
    pub refused: Vec<Skipped>,
    /// Inputs that were not checked, with the reason.
    pub skipped: Vec<Skipped>,
    /// Remarks, such as the origin of proofs.
    pub notes: Vec<String>,
}

impl Report {
    /// Writes the report as JSON.
    ///
    /// # Errors
    /// If the report cannot be written.
    pub fn json(&self, to: &mut dyn std::io::Write) -> std::io::Result<()> {
        serde_json::to_writer_pretty(&mut *to, self).map_err(std::io::Error::from)?;
        to.write_all(b"\n")
    }
}

fn name(isa: IsaId) -> String {
    isa.name().to_owned()
}

#[cfg(test)]
mod tests;
