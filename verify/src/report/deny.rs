//! Findings that exist only because of the user's deny options: broken rules, refused programs and skipped files.

use super::build::UNKNOWN;
use super::{Reported, name};
use crate::corpus::{Judgement, Skipped};
use crate::legality::{LocatedViolation as Violation, sources};
use lockstep_core::isa::Level;
use std::collections::BTreeMap;

/// The claim that a program breaks no rule.
pub(super) const RULE: &str = "rule";
/// The claim that every program can be run.
pub(super) const REFUSED: &str = "refused";
/// The claim that no file is skipped.
pub(super) const SKIPPED: &str = "skipped";

/// The conditions that fail the run only if the user requests it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Denials {
    /// Whether broken rules of any level fail the run.
    pub rules: bool,
    /// Whether programs that cannot be run fail the run.
    pub refused: bool,
    /// Whether skipped files fail the run.
    pub skipped: bool,
}

impl Denials {
    /// Returns the findings that these denials cause. The refusal of an item with another problem is omitted, since that problem is a finding
    /// already.
    pub(super) fn findings(self, items: &[Judgement], skipped: &[Skipped]) -> Vec<Reported> {
        let mut found = Vec::new();
        for item in items {
            if self.rules {
                found.extend(rules(item));
            }
            if self.refused && item.is_clean() {
                found.extend(item.refused.as_ref().map(|reason| refused(item, reason)));
            }
        }
        if self.skipped {
            found.extend(skipped.iter().map(left_out));
        }
        found
    }
}

fn file(name: &str) -> String {
    name.rsplit('/').next().unwrap_or_default().replace(' ', "_")
}

/// Returns one finding for each rule that an item breaks.
fn rules(item: &Judgement) -> impl Iterator<Item = Reported> {
    let mut by_rule: BTreeMap<u16, Vec<&Violation>> = BTreeMap::new();
    for violation in &item.violations {
        by_rule.entry(violation.rule).or_default().push(violation);
    }
    by_rule.into_iter().filter_map(|(rule, all)| {
        let first = all.first()?;
        let detail = all.iter().map(|violation| format!("{}: {violation}", violation.location(&item.name)));
        let detail: Vec<String> =
            detail.chain(sources(all.iter().copied()).into_iter().map(str::to_owned)).collect();
        Some(Reported {
            signature: format!("{}-{RULE}-{rule}-{}", item.isa, file(&item.name)),
            isa: name(item.isa),
            claim: RULE.to_owned(),
            message: format!("rule {rule} is broken: {}", first.message),
            item: item.name.clone(),
            path: Some(item.path.clone()),
            line: first.line,
            column: first.column,
            count: all.len() as u64,
            reproduce: Some(format!("lockstep validate {}", item.path)),
            detail: detail.join("\n"),
            ..Reported::default()
        })
    })
}

/// Returns the finding for a refused program, at the position of the first error-level rule that it breaks.
fn refused(item: &Judgement, reason: &str) -> Reported {
    let first = item.violations.iter().find(|violation| violation.level == Level::Error);
    Reported {
        signature: format!("{}-{REFUSED}-{}", item.isa, file(&item.name)),
        isa: name(item.isa),
        claim: REFUSED.to_owned(),
        message: format!("refused: {reason}"),
        item: item.name.clone(),
        path: Some(item.path.clone()),
        line: first.and_then(|violation| violation.line),
        column: first.and_then(|violation| violation.column),
        count: 1,
        reproduce: Some(format!("lockstep check {}", item.path)),
        detail: reason.to_owned(),
        ..Reported::default()
    }
}

fn left_out(skipped: &Skipped) -> Reported {
    Reported {
        signature: format!("{UNKNOWN}-{SKIPPED}-{}", file(&skipped.name)),
        isa: UNKNOWN.to_owned(),
        claim: SKIPPED.to_owned(),
        message: format!("skipped: {}", skipped.reason),
        item: skipped.name.clone(),
        path: Some(skipped.name.clone()),
        count: 1,
        detail: skipped.reason.clone(),
        ..Reported::default()
    }
}
