//! Compares a subject's run with the sets of results of a subject within its tolerances.

use super::{LaneRanges, PathRanges, Propagated, is_limited};
use crate::engine::{LaneOutcome, Outcome, format_effect};
use crate::judge::compare::Compared;
use crate::judge::disagreement::{Class, Disagreement};
use crate::judge::numbers::Numbers;
use crate::judge::question::Expected;
use lockstep_core::isa::component::LETTERS;
use lockstep_core::isa::{End, Syntax};
use lockstep_core::value::range::FloatRange;

/// The first difference of a lane from a path: what differs, and a sentence.
type Difference = (&'static str, String);

/// Compares a subject's outcome with the possible ones. `general` is the tolerance for every result.
///
/// # Errors
/// The first difference of the first group whose lanes are on none of its paths.
pub(in crate::judge) fn compare_sets<I: Syntax>(
    expected: &Expected,
    sets: &Propagated,
    general: &Numbers,
    theirs: &Outcome,
) -> Result<Compared, Disagreement> {
    let mut compared = Compared::default();
    for (number, (paths, lanes)) in sets.groups.iter().zip(theirs.lanes.chunks(sets.size)).enumerate() {
        let Some(paths) = paths else {
            compared.undecided += lanes.len() as u64;
            continue;
        };
        let comparison = Comparison { expected, general, first: number * sets.size };
        compared.components += comparison.group::<I>(paths, lanes)?;
        compared.lanes += lanes.len() as u64;
    }
    Ok(compared)
}

struct Comparison<'a> {
    expected: &'a Expected,
    general: &'a Numbers,
    /// The number of the group's first lane.
    first: usize,
}

impl Comparison<'_> {
    /// Compares a group with each of its paths. Returns the number of components compared on the first path that the group's lanes are on.
    fn group<I: Syntax>(&self, paths: &[PathRanges], lanes: &[LaneOutcome]) -> Result<u64, Disagreement> {
        let mut difference = None;
        for path in paths {
            match self.path::<I>(path, lanes) {
                Ok(components) => return Ok(components),
                Err(found) => _ = difference.get_or_insert(found),
            }
        }
        let (detail, message) = difference.unwrap_or(("end", "no path is known".to_owned()));
        let others = if paths.len() > 1 { ", and no other path gives the answer" } else { "" };
        Err(Disagreement::new(Class::Value, detail, format!("{message}{others}")))
    }

    /// Compares a group with one path. Returns the number of components compared.
    fn path<I: Syntax>(&self, path: &PathRanges, lanes: &[LaneOutcome]) -> Result<u64, Difference> {
        let mut components = 0;
        for (number, (sets, lane)) in (self.first..).zip(path.iter().zip(lanes)) {
            let compared = self.lane::<I>(sets, lane);
            components += compared.map_err(|(detail, text)| (detail, format!("lane {number}, {text}")))?;
        }
        Ok(components)
    }

    fn lane<I: Syntax>(&self, sets: &LaneRanges, lane: &LaneOutcome) -> Result<u64, Difference> {
        // All fields are listed, so that adding a field requires a decision here.
        let LaneOutcome { end, killed, outputs, effects } = lane;
        if *end != End::Finished {
            return Err(("end", format!("end: {end:?}, the reference has {:?}", End::Finished)));
        }
        if sets.killed.is_some_and(|known| known != *killed) {
            return Err(("kill", format!("killed: {killed}, the reference has {}", !killed)));
        }
        let mut components = u64::from(*killed);
        // A killed lane need not have outputs.
        let ports = self.expected.entry.interface.components().filter(|_| !killed);
        for ((slot, component), (set, theirs)) in ports.zip(sets.outputs.iter().zip(outputs)) {
            if self.expected.registers.contains_key(&slot) {
                continue;
            }
            let name = || {
                let output = I::output_name(&self.expected.entry, slot);
                format!("{output}.{}", LETTERS[usize::from(component & 3)])
            };
            components +=
                self.number(set, *theirs).map_err(|text| ("output", format!("{}: {text}", name())))?;
        }
        if sets.effects.len() != effects.len() {
            let (ours, theirs) = (sets.effects.len(), effects.len());
            return Err(("effect", format!("effects: {theirs}, the reference has {ours}")));
        }
        for (at, (sets, effect)) in sets.effects.iter().zip(effects).enumerate() {
            if (sets.kind, sets.index, sets.mask) != (effect.kind, effect.index, effect.mask) {
                let theirs = format_effect(&format!("effect {}.{}", effect.kind, effect.index), effect);
                let ours = format!("effect {}.{} with mask {:#x}", sets.kind, sets.index, sets.mask);
                return Err(("effect", format!("effect {at}: {theirs}, the reference has {ours}")));
            }
            for (component, theirs) in effect.components() {
                let compared = self.number(&sets.values[usize::from(component)], theirs);
                let place = || format!("effect {at}.{}", LETTERS[usize::from(component)]);
                components += compared.map_err(|text| ("effect", format!("{}: {text}", place())))?;
            }
        }
        Ok(components)
    }

    /// Returns the number of components compared: 1, or 0 if the set excludes hardly any number.
    fn number(&self, set: &FloatRange, theirs: f32) -> Result<u64, String> {
        let set = self.general.widen(set);
        if set.contains(theirs) {
            return Ok(u64::from(is_limited(&set)));
        }
        Err(format!("{theirs:?} (0x{:08x}), the reference has {}", theirs.to_bits(), text(&set)))
    }
}

/// Returns a set as text: intervals and single numbers, in ascending order.
fn text(set: &FloatRange) -> String {
    let interval = |low: f32, high: f32| {
        if low == high { format!("{low:?}") } else { format!("{low:?} to {high:?}") }
    };
    let parts = [
        set.negative.map(|side| interval(-side.most, -side.least)),
        set.minus_zero.then(|| "-0.0".to_owned()),
        set.plus_zero.then(|| "0.0".to_owned()),
        set.positive.map(|side| interval(side.least, side.most)),
        set.nan.then(|| "NaN".to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", or ")
}
