//! The sets of results that a subject within its tolerances can compute. They decide runs in which later instructions use an inexact result.
//!
//! The reference runs every group of lanes on sets ([`Ranges`](lockstep_core::value::range::Ranges)), beginning with sets of one number. After each
//! instruction, its results are widened: a set is replaced by the set of all numbers within the tolerance of a member, as a new value of the domain,
//! which no comparison ties to the exact result. Both directions of an undecided branch are followed. So if a subject computes each result within its
//! tolerance, there is a path on which all its values are in the sets.
//!
//! A group remains undecided if there are too many paths or steps, if a lane need not finish or an effect need not happen, if an inexact instruction
//! writes anything but floats, or if the sets contain everything. Final control registers are not compared: on another path, a register may keep an
//! initial value that the case does not set.

mod compare;
mod run;
#[cfg(test)]
mod tests;
mod widening;

pub(super) use compare::compare_sets;

use super::inexact::Grade;
use super::numbers::Numbers;
use super::profile::Profile;
use crate::case::{Case, Resolved};
use crate::oracle::caught;
use lockstep_core::isa::Isa;
use lockstep_core::value::range::{FloatRange, Magnitudes};
use lockstep_core::with_isa;
use run::groups;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tolerances of a profile.
#[derive(Clone, Debug, PartialEq)]
struct Tolerances {
    /// The tolerance for every result.
    general: Numbers,
    /// The tolerances of inexact opcodes.
    inexact: BTreeMap<String, Numbers>,
}

/// The possible values of an effect.
#[derive(Clone, Debug, PartialEq)]
struct EffectRanges {
    kind: u8,
    index: u16,
    mask: u8,
    values: [FloatRange; 4],
}

/// The possible outcomes of a lane on one path.
#[derive(Clone, Debug, PartialEq)]
struct LaneRanges {
    /// Whether the lane is killed; `None` if it may or may not be.
    killed: Option<bool>,
    /// The possible values of the output components, in the order of the entry's ports.
    outputs: Vec<FloatRange>,
    effects: Vec<EffectRanges>,
}

/// The possible outcomes of a group's lanes on one path.
type PathRanges = Vec<LaneRanges>;

/// The possible outcomes of a run for a subject within its tolerances.
#[derive(Clone, Debug, PartialEq)]
pub struct Propagated {
    tolerances: Tolerances,
    /// The number of lanes of a group.
    size: usize,
    /// The paths of each group; `None` for a group that is undecided.
    groups: Vec<Option<Vec<PathRanges>>>,
    /// The options that were read on any path, as a bit set.
    options_read: u64,
}

impl Propagated {
    /// Whether every lane is compared.
    pub(super) fn decides_all(&self) -> bool {
        self.groups.iter().all(Option::is_some)
    }

    /// Returns the options that were read on any path, as a bit set.
    pub(super) fn options_read(&self) -> u64 {
        self.options_read
    }

    /// Returns the grade of the same run under the options of `case`.
    pub(super) fn grade_of(&self, case: &Case) -> Grade {
        with_isa!(case.isa, I => {
            let resolved = case.resolve::<I>();
            resolved.map_or(Grade::Undecided, |resolved| grade_within(&self.tolerances, &resolved))
        })
    }
}

/// Returns [`Grade::Propagated`] if the sets decide any group of lanes, otherwise [`Grade::Undecided`].
pub(super) fn propagated<I: Isa>(profile: &Profile, resolved: &Resolved<I>) -> Grade {
    let tolerances = Tolerances { general: profile.numbers, inexact: profile.inexact.clone() };
    grade_within(&tolerances, resolved)
}

fn grade_within<I: Isa>(tolerances: &Tolerances, resolved: &Resolved<I>) -> Grade {
    resolved.options.take_read();
    // If the reference panics on sets, its results are unknown.
    let groups = caught(|| groups(tolerances, resolved)).unwrap_or_default();
    let options_read = resolved.options.take_read();
    if groups.iter().all(Option::is_none) {
        return Grade::Undecided;
    }
    let size = usize::from(I::group(&resolved.context()));
    Grade::Propagated(Arc::new(Propagated { tolerances: tolerances.clone(), size, groups, options_read }))
}

/// Whether a set excludes more than NaN and a few numbers: it is bounded on one side, or contains no zero.
fn is_limited(set: &FloatRange) -> bool {
    let is_unbounded = |side: Option<Magnitudes>| side.is_some_and(|side| side.most >= f32::MAX);
    !(is_unbounded(set.negative) && is_unbounded(set.positive) && set.may_be_zero())
}
