//! Findings: failures that have been verified, minimised and grouped by signature.

mod set;
mod triage;

pub use set::Findings;
pub use triage::{Opinion, TriageStep, run_triage, run_triage_with};

use crate::blame::{Exhibit, wrapped};
use crate::case::Case;
use crate::engine::{OutcomePart, join_engine_names};
use crate::oracle::{Failure, Oracle, Panic, caught};
use crate::sources::spelled_out;
use lockstep_core::isa::{Context, IsaId, Legality, Options, Tables};
use lockstep_core::with_isa;
use serde::Serialize;
use std::collections::BTreeSet;

/// Identifies a finding: failures with equal signatures are the same finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Signature {
    /// Instruction set.
    pub isa: IsaId,
    /// The violated claim.
    pub oracle: Oracle,
    /// Opcodes of the minimised program, in alphabetical order, joined by `+`; empty if it does not decode.
    pub opcodes: String,
    /// The part of the outcome that differs: `end`, `kill`, `output`, `effect`; `panic` or `death` if there is no outcome; `structure` if nothing was
    /// run.
    pub part: &'static str,
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let opcodes = if self.opcodes.is_empty() { "bytes" } else { &self.opcodes };
        write!(f, "{}-{}-{opcodes}-{}", self.isa, self.oracle.name(), self.part)
    }
}

/// A verified failure with all details needed to judge it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The signature that identifies the finding.
    pub signature: Signature,
    /// How the minimised case fails.
    pub failure: Failure,
    /// The smallest failing case found.
    pub case: Case,
    /// The result of each engine for the lane in which engines differ; empty if there is no such lane.
    pub opinions: Vec<Opinion>,
    /// The triage steps and their results.
    pub triage_steps: Vec<TriageStep>,
    /// The listing of the program with the failing instruction marked, if one was found.
    pub exhibit: Exhibit,
    /// The opcodes involved, or only those of the failing instruction if it is known: mnemonic, meaning, source with its evidence tag.
    pub rests_on: Vec<(String, String, String)>,
}

impl Finding {
    /// Returns the file name for the finding's case: the signature, shortened if it is long.
    pub fn file_name(&self) -> String {
        file_name(&self.signature.to_string())
    }

    /// Returns the command that reproduces the finding, given the path of its case.
    pub fn reproduce(&self, path: &str) -> String {
        format!("lockstep reproduce --oracle {} {path}", self.signature.oracle.name())
    }

    /// Returns a sentence about the failure and its instruction.
    pub fn message(&self) -> String {
        let at = self.exhibit.at().map_or_else(String::new, |at| format!("; {at}"));
        format!("{}: {}{at}", self.failure.between, self.failure.message)
    }

    /// Returns the report as text, without the line with the finding's name.
    pub fn describe(&self, path: &str) -> String {
        use std::fmt::Write;
        let (mut text, isa) = (String::new(), self.case.isa);
        let mut say = |head: &str, what: &str| text.push_str(&wrapped(&format!("  {head:<10} "), what));
        let oracle = self.signature.oracle;
        say("claim", &format!("{}: {}", oracle.name(), oracle.claim()));
        say("between", &self.failure.between);
        say("what", &self.failure.message);
        if self.exhibit.listing.is_empty() {
            say("bytes", &format!("{:02x?}", self.case.bytes));
        }
        text.push_str(&self.exhibit.text());
        if let Some(difference) = self.failure.difference.as_ref().filter(|_| !self.opinions.is_empty()) {
            let _ = writeln!(text, "  lane {} as it ends", difference.lane);
        }
        let mut said: Vec<(&str, Vec<String>)> = Vec::new();
        for opinion in &self.opinions {
            match said.iter_mut().find(|(says, _)| *says == opinion.says) {
                Some((_, by)) => by.push(opinion.engine.clone()),
                None => said.push((&opinion.says, vec![opinion.engine.clone()])),
            }
        }
        for (says, by) in said {
            text.push_str(&wrapped("      ", &format!("{says} on {}", join_engine_names(&by))));
        }
        let mut say = |head: &str, what: &str| text.push_str(&wrapped(&format!("  {head:<10} "), what));
        for step in &self.triage_steps {
            say(step.name, &step.result);
        }
        for (n, (opcode, meaning, source)) in self.rests_on.iter().enumerate() {
            say(if n == 0 { "rests on" } else { "" }, &format!("{opcode}: {meaning} [{source}]"));
        }
        let citations: Vec<&str> = self.rests_on.iter().map(|(_, _, source)| source.as_str()).collect();
        for (n, source) in spelled_out(isa, &citations).iter().enumerate() {
            say(if n == 0 { "sources" } else { "" }, source);
        }
        // The command stays on one line so that it can be copied.
        let _ = writeln!(text, "  {:<10} {}", "again", self.reproduce(path));
        text
    }
}

/// The text of [`Failure::between`] if the judging process died.
pub const DEATH: &str = "process";

/// The maximum length of file names without extension: file systems set limits, and shorter names are easier to read.
const LONGEST_NAME: usize = 100;

/// Returns the file name for the case of a finding with this signature. Different signatures have different names: a name that was shortened or
/// escaped ends with a hash of the whole signature.
pub fn file_name(signature: &str) -> String {
    let whole = signature;
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_+.".contains(c) { c } else { '_' };
    let mut name: String = whole.chars().map(plain).collect();
    if name.len() > LONGEST_NAME || name != whole {
        // FNV-1a.
        let fold = |h: u64, byte: u8| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = whole.bytes().fold(0xcbf2_9ce4_8422_2325, fold);
        name.truncate(LONGEST_NAME - 17);
        name = format!("{name}-{hash:016x}");
    }
    format!("{name}.toml")
}

/// Returns the opcodes of a case's program without duplicates: at the case's entry, or at every entry of the program if the case cannot be resolved.
pub(crate) fn opcodes<I: Tables + Legality>(case: &Case) -> BTreeSet<&'static str> {
    let opcodes_at = |cx: Context<'_, I>| {
        let points = (0..I::instruction_count(&cx)).flat_map(I::cover_points(cx.program));
        points.map(|point| point.opcode).collect::<BTreeSet<_>>()
    };
    if let Ok(resolved) = case.resolve::<I>() {
        return opcodes_at(resolved.context());
    }
    let Ok(program) = I::decode(&case.bytes) else { return BTreeSet::new() };
    let options = Options::new(I::option_specs());
    let entries = I::entries(&program);
    let at_entry = |entry| opcodes_at(Context { program: &program, entry, options: &options });
    entries.iter().flat_map(at_entry).collect()
}

/// Returns the signature of a failure of a (minimised) case.
pub fn signature(oracle: Oracle, case: &Case, failure: &Failure) -> Signature {
    let opcodes = caught(|| with_isa!(case.isa, I => opcodes::<I>(case))).unwrap_or_default();
    let part = match failure.difference.as_ref().map(|d| d.place) {
        None if failure.between.starts_with(Panic::BETWEEN) => "panic",
        None if failure.between == DEATH => "death",
        None => "structure",
        Some(OutcomePart::End) => "end",
        Some(OutcomePart::Kill) => "kill",
        Some(OutcomePart::Output { .. }) => "output",
        Some(OutcomePart::Effect { .. }) => "effect",
    };
    Signature { isa: case.isa, oracle, opcodes: opcodes.into_iter().collect::<Vec<_>>().join("+"), part }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(opcodes: &str) -> String {
        let opcodes = opcodes.to_owned();
        let signature = Signature { isa: IsaId::Agal, oracle: Oracle::Bytes, opcodes, part: "structure" };
        file_name(&signature.to_string())
    }

    #[test]
    fn file_names_are_short_plain_and_different() {
        assert_eq!(name("add+mov"), "agal-bytes-add+mov-structure.toml");
        let many = vec!["opcode"; 400].join("+");
        let names = [
            name(&many),
            name(&format!("{many}+x")),
            name("a/b"),
            name("a\\b"),
            name("a_b"),
            name("../a"),
            name(""),
        ];
        for (n, one) in names.iter().enumerate() {
            assert!(one.len() <= LONGEST_NAME + 5 && !one.contains('/'), "{one}");
            assert!(!names[..n].contains(one), "{one}");
        }
    }

    fn failure(between: &str, place: Option<OutcomePart>) -> Failure {
        let difference = place.map(|place| crate::engine::Difference {
            lane: 0,
            place,
            left: String::new(),
            right: String::new(),
        });
        Failure { between: between.to_owned(), message: String::new(), difference, word: None, line: None }
    }

    #[test]
    fn every_part_of_an_outcome_has_a_name_in_the_signature() {
        let case = Case::bare(IsaId::Agal, &[]);
        let table = [
            ("a / b", Some(OutcomePart::End), "end"),
            ("a / b", Some(OutcomePart::Kill), "kill"),
            ("a / b", Some(OutcomePart::Output { slot: 1, component: 2 }), "output"),
            ("a / b", Some(OutcomePart::Effect { at: 1, component: Some(2) }), "effect"),
            ("a / b", Some(OutcomePart::Effect { at: 1, component: None }), "effect"),
            ("a / b", None, "structure"),
            ("panic", None, "panic"),
            ("panic at x.rs:1:1", None, "panic"),
            (DEATH, None, "death"),
        ];
        for oracle in Oracle::ALL {
            for (between, place, part) in table {
                let signature = signature(oracle, &case, &failure(between, place));
                assert_eq!((signature.part, signature.oracle), (part, oracle), "{between}, {place:?}");
                assert_eq!(signature.to_string(), format!("agal-{}-bytes-{part}", oracle.name()));
            }
        }
    }

    #[test]
    fn the_smallest_program_of_a_signature_is_kept_in_any_order() {
        let finding = |opcodes: &str, size: usize| {
            let case = Case::bare(IsaId::Agal, &vec![0; size]);
            let failure = failure("a / b", None);
            let signature =
                Signature { opcodes: opcodes.to_owned(), ..signature(Oracle::Bytes, &case, &failure) };
            Finding {
                signature,
                failure,
                case,
                opinions: vec![],
                triage_steps: vec![],
                exhibit: Exhibit::default(),
                rests_on: vec![],
            }
        };
        for sizes in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
            let mut all = Findings::default();
            let news: Vec<bool> = sizes.iter().map(|size| all.add(finding("a", *size))).collect();
            assert!(all.add(finding("b", 9)));
            assert_eq!(news, [true, false, false]);
            let kept: Vec<(usize, u64)> = all.iter().map(|(f, count)| (f.case.bytes.len(), count)).collect();
            assert_eq!(kept, [(1, 3), (9, 1)], "{sizes:?}");
        }
    }
}
