//! Findings: failures that have been checked, made small, and told apart.

mod ladder;
mod set;

pub use ladder::{Opinion, Rung, climb, climb_with};
pub use set::Findings;

use crate::case::Case;
use crate::engine::Place;
use crate::oracle::{Failure, Oracle};
use lockstep_core::isa::{Context, Isa, IsaId, Options};
use lockstep_core::with_isa;
use serde::Serialize;
use std::collections::BTreeSet;

/// What makes two failures the same finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Signature {
    /// Instruction set.
    pub isa: IsaId,
    /// The claim that fails.
    pub oracle: Oracle,
    /// Opcodes of the minimised program, in alphabetical order, joined by `+`; empty if it does not decode.
    pub opcodes: String,
    /// Which part of the outcome: `end`, `kill`, `output`, `effect`, or `structure` where nothing was run.
    pub part: &'static str,
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let opcodes = if self.opcodes.is_empty() { "bytes" } else { &self.opcodes };
        write!(f, "{}-{}-{opcodes}-{}", self.isa, self.oracle.name(), self.part)
    }
}

/// A failure with everything a person needs to judge it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What it is one of.
    pub signature: Signature,
    /// How it fails, minimised.
    pub failure: Failure,
    /// The smallest case found.
    pub case: Case,
    /// What each engine says.
    pub opinions: Vec<Opinion>,
    /// What was tried on it and what came of that.
    pub rungs: Vec<Rung>,
    /// What the opcodes at stake rest on: mnemonic, meaning, source with its evidence tag.
    pub rests_on: Vec<(String, String, String)>,
}

impl Finding {
    /// The file name for its case.
    pub fn file_name(&self) -> String {
        format!("{}.toml", self.signature)
    }

    /// The command that shows it again, given where its case was written.
    pub fn reproduce(&self, path: &str) -> String {
        format!("lockstep reproduce --oracle {} {path}", self.signature.oracle.name())
    }

    /// The report a person reads.
    pub fn describe(&self, path: &str) -> String {
        use std::fmt::Write;
        let mut text = String::new();
        let _ = writeln!(text, "finding {}", self.signature);
        let _ = writeln!(text, "  claim     {}", self.signature.oracle.name());
        let _ = writeln!(text, "  between   {}", self.failure.between);
        let _ = writeln!(text, "  what      {}", self.failure.message);
        let program = with_isa!(self.case.isa, I => I::decode(&self.case.bytes).map(|p| I::disassemble(&p)));
        if let Ok(program) = program {
            let _ = writeln!(text, "  program");
            for line in program.lines() {
                let _ = writeln!(text, "    {line}");
            }
        } else {
            let _ = writeln!(text, "  bytes     {:02x?}", self.case.bytes);
        }
        for opinion in &self.opinions {
            let _ = writeln!(text, "  {:<22} {}", opinion.engine, opinion.says);
        }
        for rung in &self.rungs {
            let _ = writeln!(text, "  {:<12} {}", rung.name, rung.result);
        }
        for (opcode, meaning, source) in &self.rests_on {
            let _ = writeln!(text, "  {opcode:<6} {meaning} [{source}]");
        }
        let _ = writeln!(text, "  again     {}", self.reproduce(path));
        text
    }
}

/// The opcodes of a program, each once.
pub(crate) fn opcodes<I: Isa>(bytes: &[u8]) -> BTreeSet<&'static str> {
    let Ok(program) = I::decode(bytes) else { return BTreeSet::new() };
    let options = Options::new(I::axes());
    let Some(entry) = I::entries(&program).into_iter().next() else { return BTreeSet::new() };
    let words = I::words(&Context::<I> { program: &program, entry: &entry, options: &options });
    (0..words).flat_map(|word| I::classes(&program, word)).map(|point| point.opcode).collect()
}

/// The signature of a failure of a (minimised) case.
pub fn signature(oracle: Oracle, case: &Case, failure: &Failure) -> Signature {
    let opcodes = with_isa!(case.isa, I => opcodes::<I>(&case.bytes));
    let part = match failure.difference.as_ref().map(|d| d.place) {
        None => "structure",
        Some(Place::End) => "end",
        Some(Place::Kill) => "kill",
        Some(Place::Output { .. }) => "output",
        Some(Place::Effect { .. }) => "effect",
    };
    Signature { isa: case.isa, oracle, opcodes: opcodes.into_iter().collect::<Vec<_>>().join("+"), part }
}
