//! What a run of `check` says: to a person as a table, to machines as JSON, `JUnit` XML, SARIF and a page of HTML.
//!
//! [`Report`] is the JSON document; its shape is versioned by [`SCHEMA`], and readers can rely on fields being added but never changed in
//! meaning under one number.

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

/// Name and version of the JSON document's shape.
pub const SCHEMA: &str = "lockstep-report/1";

/// Proof verdicts, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofCounts {
    /// Proved in this run.
    pub proved: u64,
    /// Proved in an earlier run, the verdict replayed from the cache.
    pub cached: u64,
    /// Proved up to a bound.
    pub bounded: u64,
    /// Held for every value tried, which were not all.
    pub tested: u64,
    /// Neither proved nor refuted. Never green.
    pub unknown: u64,
    /// Refuted.
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
    /// All obligations that have a verdict or should have one.
    pub fn total(&self) -> u64 {
        self.proved + self.cached + self.bounded + self.tested + self.unknown + self.refuted
    }
}

/// One instruction set's line of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Instruction set.
    pub isa: String,
    /// Programs, and cases with their own environment.
    pub programs: u64,
    /// Of these, those that decode.
    pub decoded: u64,
    /// Of these, those whose bytes come back.
    pub bytes: u64,
    /// Of these, those whose text comes back.
    pub text: u64,
    /// Of these, those that were run on both engines.
    pub run: u64,
    /// Of these, those that were refused for a stated reason.
    pub refused: u64,
    /// Lanes run on both engines.
    pub lanes: u64,
    /// Components compared between the engines and with vectors.
    pub components: u64,
    /// Components compared before and after rewriting.
    pub rewritten: u64,
    /// Rules that programs break, each time one does.
    pub violations: u64,
    /// Vectors that hold.
    pub vectors: u64,
    /// Proofs.
    pub proofs: ProofCounts,
    /// Findings.
    pub findings: u64,
}

/// A finding as reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reported {
    /// What makes it the same as another: instruction set, claim, opcodes, part.
    pub signature: String,
    /// Instruction set.
    pub isa: String,
    /// The claim that fails.
    pub claim: String,
    /// In a sentence.
    pub message: String,
    /// The name of what it was met in.
    pub item: String,
    /// The file that is.
    pub path: Option<String>,
    /// The line in that file, from 1.
    pub line: Option<u32>,
    /// The column in that line, from 1.
    pub column: Option<u32>,
    /// The byte in that file, if it is no text.
    pub byte_offset: Option<u64>,
    /// How many bytes it is about.
    pub byte_length: Option<u64>,
    /// How often it was met.
    pub count: u64,
    /// Where the minimised case was written.
    pub case: Option<String>,
    /// The command that shows it again.
    pub reproduce: Option<String>,
    /// The program with the instruction at which it fails, where there is a program.
    pub exhibit: Option<Exhibit>,
    /// Everything known about it, as text.
    pub detail: String,
}

/// A whole run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Version of this program.
    pub version: &'static str,
    /// What the run comes to.
    pub verdict: Exit,
    /// The process's exit code.
    pub exit: u8,
    /// Wall-clock time.
    pub seconds: f64,
    /// A line for each instruction set.
    pub isas: Vec<Row>,
    /// Every item that was judged, with the rules that it breaks.
    pub items: Vec<Judgement>,
    /// Everything wrong.
    pub findings: Vec<Reported>,
    /// Whether broken rules are among the findings.
    pub warnings_denied: bool,
    /// Programs that were refused, with the reason.
    pub refused: Vec<Skipped>,
    /// What was not looked at, with the reason.
    pub skipped: Vec<Skipped>,
    /// Remarks, such as where proofs come from.
    pub notes: Vec<String>,
}

impl Report {
    /// The JSON document.
    ///
    /// # Errors
    /// If it cannot be written.
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
