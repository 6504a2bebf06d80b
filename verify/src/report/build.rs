//! Builds a report from judgements.

use super::{Denials, Exit, ProofCounts, Report, Reported, Row, SCHEMA, name};
use crate::corpus::{Judgement, Kind, ReadError, Skipped};
use crate::engine::Validated;
use crate::finding::Findings;
use crate::legality::Levels;
use crate::shared::SharedReport;
use lockstep_core::isa::IsaId;
use lockstep_core::text;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The results of the proofs of one instruction set, or of the shared obligations.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Proofs {
    /// The number of obligations by verdict.
    pub counts: ProofCounts,
    /// Refuted obligations: name and counterexample, as text.
    pub refuted: Vec<(String, String)>,
    /// Sentences about obligations without a verdict and about gaps of the run, such as lost obligations and mutants that survive without a reason.
    pub unknown: Vec<String>,
}

/// Builds a report from its parts.
#[derive(Debug, Default)]
pub struct Builder {
    judgements: Vec<Judgement>,
    skipped: Vec<Skipped>,
    notes: Vec<String>,
    found: Vec<Reported>,
    proofs: Vec<(Option<IsaId>, Proofs)>,
    shared: Vec<SharedReport>,
    unreadable: u64,
    empty: Vec<String>,
    unfinished: Vec<String>,
    requested: BTreeSet<IsaId>,
    levels: Levels,
    denials: Denials,
}

/// The name of the row for code that all instruction sets share.
const SHARED: &str = "shared";

/// The name used for findings of an unknown instruction set.
pub(super) const UNKNOWN: &str = "unknown";
/// The claim that the project's own files, and files named by the user, can be read.
pub(super) const READABLE: &str = "readable";
/// The claim that both engines produce the values that follow from the documents.
pub(super) const VECTOR: &str = "vector";
/// The claim about code that all instruction sets share.
pub(super) const ENGINE: &str = "engine";

fn row_name(isa: Option<IsaId>) -> String {
    isa.map_or_else(|| SHARED.to_owned(), name)
}

impl Builder {
    /// Starts a report on these instruction sets and on those of the judged items. The run is clean only if some result is compared for each of these
    /// instruction sets.
    pub fn new(requested: &[IsaId]) -> Builder {
        Builder { requested: requested.iter().copied().collect(), ..Builder::default() }
    }

    /// Sets the user's rule levels and the conditions that fail the run. Must be called before judgements are added.
    pub fn set_policy(&mut self, levels: Levels, denials: Denials) {
        (self.levels, self.denials) = (levels, denials);
    }

    /// Adds judgements: removes violations of allowed rules, and makes a finding of each problem.
    pub fn add_judgements(&mut self, mut judgements: Vec<Judgement>) {
        for j in &mut judgements {
            j.violations.retain_mut(|violation| {
                let level = self.levels.of(violation.isa, violation.rule, violation.level);
                violation.level = level.unwrap_or(violation.level);
                level.is_some()
            });
        }
        for j in &judgements {
            self.notes.extend(j.cut.iter().map(|cut| format!("{}: {cut}", j.name)));
            let claim = if j.kind == Kind::Vectors { VECTOR } else { "corpus" };
            for (n, problem) in j.problems.iter().enumerate() {
                let known = j.problem_keys.get(n);
                let key = known.map_or(j.name.as_str(), |key| key.signature.as_str());
                self.found.push(Reported {
                    signature: format!("{}-{claim}-{key}", j.isa),
                    isa: name(j.isa),
                    claim: claim.to_owned(),
                    message: problem.clone(),
                    item: j.name.clone(),
                    line: known.and_then(|key| key.line),
                    byte_offset: known.and_then(|key| key.bytes).map(|(offset, _)| offset),
                    byte_length: known.and_then(|key| key.bytes).map(|(_, length)| length),
                    count: 1,
                    reproduce: Some(reproduce_command(j)),
                    exhibit: known.and_then(|key| key.exhibit.clone()),
                    detail: known.and_then(|key| key.detail.clone()).unwrap_or_else(|| problem.clone()),
                    ..Reported::default()
                });
            }
        }
        self.judgements.extend(judgements);
    }

    /// Adds a finding that is not in [`Findings`].
    pub fn add_finding(&mut self, reported: Reported) {
        self.found.push(reported);
    }

    /// Adds minimised findings. For the file name of each, `written` returns the item and the path of the case.
    pub fn add_findings(&mut self, findings: &Findings, written: &dyn Fn(&str) -> (String, Option<String>)) {
        for (finding, count) in findings.iter() {
            let (item, path) = written(&finding.file_name());
            let shown = path.clone().unwrap_or_else(|| finding.file_name());
            self.found.push(Reported {
                signature: finding.signature.to_string(),
                isa: name(finding.signature.isa),
                claim: finding.signature.oracle.name().to_owned(),
                message: finding.message(),
                exhibit: Some(finding.exhibit.clone()),
                item,
                count,
                reproduce: path.as_ref().map(|path| finding.reproduce(path)),
                case: path,
                detail: finding.describe(&shown),
                ..Reported::default()
            });
        }
    }

    /// Adds the proofs of an instruction set, or the shared ones for `None`.
    pub fn add_proofs(&mut self, isa: Option<IsaId>, proofs: Proofs) {
        for (obligation, counterexample) in &proofs.refuted {
            self.found.push(Reported {
                signature: format!("{}-proof-{obligation}", row_name(isa)),
                isa: row_name(isa),
                claim: "proof".to_owned(),
                message: format!("{obligation} is refuted"),
                item: obligation.clone(),
                count: 1,
                reproduce: Some("lockstep prove".to_owned()),
                detail: counterexample.clone(),
                ..Reported::default()
            });
        }
        self.proofs.push((isa, proofs));
    }

    /// Adds inputs that were not checked.
    pub fn add_skipped(&mut self, skipped: impl IntoIterator<Item = Skipped>) {
        self.skipped.extend(skipped);
    }

    /// Adds a remark.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Adds a file of the project, or one named by the user, that cannot be read.
    pub fn add_unreadable(&mut self, error: &ReadError) {
        let path = error.name().to_owned();
        let text = error.to_string();
        let message =
            text.strip_prefix(&path).map_or(text.as_str(), |rest| rest.trim_start_matches([':', ' ']));
        let file = path.rsplit('/').next().unwrap_or_default().replace(' ', "_");
        let isa = error.isa().map_or_else(|| UNKNOWN.to_owned(), name);
        self.found.push(Reported {
            signature: format!("{isa}-{READABLE}-{file}"),
            isa,
            claim: READABLE.to_owned(),
            message: format!("cannot be read: {message}"),
            reproduce: Some(format!("lockstep check {path}")),
            item: path.clone(),
            path: Some(path),
            line: error.line_and_column().map(|(line, _)| line),
            column: error.line_and_column().map(|(_, column)| column),
            byte_offset: error.byte_and_length().map(|(offset, _)| offset),
            byte_length: error.byte_and_length().map(|(_, length)| length),
            count: 1,
            detail: text,
            ..Reported::default()
        });
    }

    /// Adds the result of a check of code that all instruction sets share.
    pub fn add_shared(&mut self, report: SharedReport) {
        let signature = format!("{SHARED}-{ENGINE}-{}", report.name);
        for problem in &report.problems {
            if let Some(known) = self.found.iter_mut().find(|found| found.signature == signature) {
                known.count += 1;
                known.detail.push('\n');
                known.detail.push_str(problem);
                continue;
            }
            self.found.push(Reported {
                signature: signature.clone(),
                isa: SHARED.to_owned(),
                claim: ENGINE.to_owned(),
                message: problem.clone(),
                item: report.name.clone(),
                count: 1,
                reproduce: Some("lockstep check".to_owned()),
                detail: problem.clone(),
                ..Reported::default()
            });
        }
        self.shared.push(report);
    }

    /// Adds a folder that should contain something to check but is empty. The run cannot be clean then.
    pub fn add_empty_folder(&mut self, name: String) {
        self.empty.push(name);
    }

    /// Adds work that was not done because the run ended early. The run cannot be clean then.
    pub fn add_unfinished(&mut self, what: String) {
        self.unfinished.push(what);
    }

    /// Counts an input that could not be read, and lists it as skipped. The run cannot be clean then.
    pub fn count_unreadable(&mut self, name: String, reason: String) {
        self.unreadable += 1;
        self.skipped.push(Skipped { name, reason });
    }

    /// Completes the report: computes its rows, verdict and notes. `took` is the duration of the run.
    pub fn finish(mut self, took: Duration) -> Report {
        self.found.extend(self.denials.findings(&self.judgements, &self.skipped));
        self.find_files();
        let mut isas: Vec<Row> = Vec::new();
        let shared = self.proofs.iter().any(|(of, _)| of.is_none()) || !self.shared.is_empty();
        let named: BTreeSet<&str> = self.found.iter().map(|found| found.isa.as_str()).collect();
        let judged: BTreeSet<IsaId> = self.judgements.iter().map(|j| j.isa).collect();
        let proved: BTreeSet<IsaId> = self.proofs.iter().filter_map(|(of, _)| *of).collect();
        let wanted = |isa: &IsaId| {
            self.requested.is_empty()
                || [&self.requested, &judged, &proved].iter().any(|set| set.contains(isa))
                || named.contains(isa.name())
        };
        for isa in IsaId::ALL.iter().copied().filter(wanted).map(Some).chain(shared.then_some(None)) {
            let mut row = Row { isa: row_name(isa), ..Row::default() };
            for j in self.judgements.iter().filter(|j| Some(j.isa) == isa) {
                count(&mut row, j);
            }
            for (_, proofs) in self.proofs.iter().filter(|(of, _)| *of == isa) {
                row.proofs += proofs.counts;
            }
            for part in self.shared.iter().filter(|_| isa.is_none()) {
                row.lanes += part.lanes;
                row.components += part.components;
                row.vectors += part.vectors;
            }
            row.findings = self.found.iter().filter(|f| f.isa == row.isa).count() as u64;
            isas.push(row);
        }
        // Findings without a known instruction set get a row of their own, so that every report contains them.
        let mut without_isa = 0;
        for found in self.found.iter_mut().filter(|found| isas.iter().all(|row| row.isa != found.isa)) {
            UNKNOWN.clone_into(&mut found.isa);
            without_isa += 1;
        }
        if without_isa > 0 {
            isas.push(Row { isa: UNKNOWN.to_owned(), findings: without_isa, ..Row::default() });
        }
        let unknown = self.proofs.iter().any(|(_, p)| p.counts.unknown > 0 || !p.unknown.is_empty());
        let mut wanted = self.requested;
        wanted.extend(self.judgements.iter().map(|j| j.isa));
        let nothing: Vec<String> = wanted
            .iter()
            .map(|isa| name(*isa))
            // A vector that does not hold was compared, too, so that its instruction set is not reported as unchecked.
            .filter(|isa| self.found.iter().all(|found| found.isa != *isa || found.claim != VECTOR))
            .filter(|isa| isas.iter().all(|row| row.isa != *isa || row.components == 0))
            .collect();
        let verdict = if !self.found.is_empty() {
            Exit::Findings
        } else if self.unreadable > 0 {
            Exit::Usage
        } else if wanted.is_empty()
            || !nothing.is_empty()
            || unknown
            || !self.empty.is_empty()
            || !self.unfinished.is_empty()
            || self.shared.iter().any(|part| part.components == 0)
        {
            Exit::Inconclusive
        } else {
            Exit::Clean
        };
        let mut notes = self.notes;
        if wanted.is_empty() && self.found.is_empty() {
            notes.push("nothing was checked, which does not count as success".to_owned());
        }
        if !nothing.is_empty() {
            notes.push(format!(
                "nothing was compared for {}, which does not count as success",
                nothing.join(", ")
            ));
        }
        for folder in &self.empty {
            notes.push(format!("{folder}: it contains nothing to check, which does not count as success"));
        }
        notes.extend(validated(&self.judgements));
        notes.extend(left_out(&self.judgements));
        notes.extend(self.unfinished);
        for obligation in self.proofs.iter().flat_map(|(_, p)| &p.unknown) {
            notes.push(format!("unknown: {obligation}"));
        }
        let refused = self.judgements.iter().filter_map(|j| {
            let reason = j.refused.clone()?;
            Some(Skipped { name: j.name.clone(), reason })
        });
        Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            verdict,
            exit: verdict.code(),
            seconds: took.as_secs_f64(),
            isas,
            refused: refused.collect(),
            items: self.judgements,
            findings: self.found,
            warnings_denied: self.denials.rules,
            skipped: self.skipped,
            notes,
        }
    }

    /// Sets the file of each finding to that of the item it was found in.
    fn find_files(&mut self) {
        // Items of different instruction sets may have the same name.
        let paths: BTreeMap<(String, &str), &str> =
            self.judgements.iter().map(|j| ((name(j.isa), j.name.as_str()), j.path.as_str())).collect();
        for found in self.found.iter_mut().filter(|found| found.path.is_none()) {
            let path = paths.get(&(found.isa.clone(), found.item.as_str())).filter(|path| !path.is_empty());
            found.path = path.map(|path| (*path).to_owned());
        }
    }
}

/// Returns the command that reproduces a problem with an item. A program without a file is from a covering array.
fn reproduce_command(j: &Judgement) -> String {
    if j.path.is_empty() {
        format!("lockstep gen --isa {} --covering --raw DIR && lockstep check DIR", j.isa)
    } else {
        format!("lockstep check {}", j.path)
    }
}

/// Describes how much machine code was validated; `None` if there was none, as on a processor for which no code is made.
fn validated(judgements: &[Judgement]) -> Option<String> {
    let mut all = Validated::default();
    for judgement in judgements {
        all += judgement.compared.validated;
    }
    let Validated { compilations, instructions } = all;
    let compilations = (compilations > 0).then(|| text::count(compilations, "compilation"))?;
    let instructions = text::count(instructions, "instruction");
    Some(format!("the machine code of {compilations} was validated: {instructions}"))
}

/// Lists the engine comparisons that were omitted, with the reason and the number of runs.
fn left_out(judgements: &[Judgement]) -> Vec<String> {
    let were = |runs: u64| if runs == 1 { "was" } else { "were" };
    let mut all = Vec::new();
    for isa in IsaId::ALL {
        let (mut no_fallback, mut too_many) = (0, 0);
        for j in judgements.iter().filter(|j| j.isa == *isa) {
            no_fallback += j.compared.no_fallback;
            too_many += j.compared.too_many;
        }
        if no_fallback > 0 {
            let why = "lanes of a quad would reconverge at a different place than in the reference, or the code would be far longer than the program";
            all.push(format!(
                "{isa}: {} by the fallback {} left out: {why}",
                text::count(no_fallback, "run"),
                were(no_fallback)
            ));
        }
        if too_many > 0 {
            let why = "the programs need too many nodes";
            all.push(format!(
                "{isa}: {} by nodes {} left out: {why}",
                text::count(too_many, "run"),
                were(too_many)
            ));
        }
    }
    all
}

fn count(row: &mut Row, j: &Judgement) {
    if j.kind != Kind::Vectors {
        row.programs += 1;
        row.decoded += u64::from(j.decoded);
        row.bytes += u64::from(j.bytes);
        row.text += u64::from(j.text);
        row.run += u64::from(j.runs > 0);
        row.refused += u64::from(j.refused.is_some());
    }
    row.lanes += j.lanes;
    row.components += j.compared.components;
    row.rewritten += j.rewritten;
    row.violations += j.violations.len() as u64;
    row.vectors += j.vectors;
}
