//! A set of findings, one for each signature.

use super::{Finding, Signature};
use std::collections::BTreeMap;

/// The findings of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    by_signature: BTreeMap<Signature, (Finding, u64)>,
}

impl Findings {
    /// Adds a finding and returns whether its signature is new. Of two findings with equal signatures, the one with the smaller program is kept, or
    /// the earlier one if the sizes are equal.
    pub fn add(&mut self, finding: Finding) -> bool {
        match self.by_signature.get_mut(&finding.signature) {
            Some((kept, count)) => {
                *count += 1;
                if finding.case.bytes.len() < kept.case.bytes.len() {
                    *kept = finding;
                }
                false
            }
            None => {
                self.by_signature.insert(finding.signature.clone(), (finding, 1));
                true
            }
        }
    }

    /// Iterates over the findings in the order of signatures, each with its number of occurrences.
    pub fn iter(&self) -> impl Iterator<Item = (&Finding, u64)> {
        self.by_signature.values().map(|(finding, count)| (finding, *count))
    }

    /// Returns the number of different findings.
    pub fn len(&self) -> usize {
        self.by_signature.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.by_signature.is_empty()
    }
}
