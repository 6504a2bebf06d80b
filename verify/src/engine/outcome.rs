//! The outcome of a run, and the comparison of two outcomes.

use lockstep_core::host::EffectRecord;
use lockstep_core::isa::component::LETTERS;
use lockstep_core::isa::{End, Entry, Syntax};
use lockstep_core::text::count;
use lockstep_core::value::{FreedomSet, canonical_bits, same};
use serde::{Deserialize, Serialize};

/// The outcome of one lane.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneOutcome {
    /// How the lane ended.
    pub end: End,
    /// Whether the lane was killed (discarded).
    pub killed: bool,
    /// The output components in the order of the entry's ports, x first; only components in a port's mask.
    pub outputs: Vec<f32>,
    /// The effects of the lane in order.
    pub effects: Vec<EffectRecord>,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The outcomes of all lanes.
    pub lanes: Vec<LaneOutcome>,
    /// The Freedoms that the run depended on; recorded only by the reference.
    pub freedoms: FreedomSet,
}

/// A part of a lane's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomePart {
    /// How the lane ended.
    End,
    /// The kill mark.
    Kill,
    /// A component of an output slot.
    Output {
        /// The number of the output slot.
        slot: u16,
        /// The component, 0 = x.
        component: u8,
    },
    /// An effect, by its index in the record.
    Effect {
        /// The index in the lane's record of effects.
        at: u32,
        /// The component of the effect's value, 0 = x; `None` if the effects differ in kind, index or mask, or only one run has this effect.
        component: Option<u8>,
    },
}

impl OutcomePart {
    /// Returns the name of this part in the terms of the instruction set.
    pub fn name<I: Syntax>(self, entry: &Entry) -> String {
        let letter = |component: u8| LETTERS[usize::from(component & 3)];
        match self {
            OutcomePart::End => "end".to_owned(),
            OutcomePart::Kill => "killed".to_owned(),
            OutcomePart::Output { slot, component } => {
                format!("{}.{}", I::output_name(entry, slot), letter(component))
            }
            OutcomePart::Effect { at, component: None } => format!("effect {at}"),
            OutcomePart::Effect { at, component: Some(component) } => {
                format!("effect {at}.{}", letter(component))
            }
        }
    }
}

/// The first difference between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The lane.
    pub lane: usize,
    /// The part of the lane's outcome that differs.
    pub place: OutcomePart,
    /// The left run's value as text; for a component, the number and its bits.
    pub left: String,
    /// The right run's value, in the same form.
    pub right: String,
}

/// Counts of compared values, and of compared values that could hardly reveal a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Components compared; the kill mark of a killed lane counts as one.
    pub components: u64,
    /// Compared components that are NaN.
    pub nan: u64,
    /// Compared components whose value is the same on all finished lanes of a run, if at least two lanes finished.
    pub uniform: u64,
    /// Runs with the fallback lowering that were left out because the program has none: see [`lockstep_core::isa::Lowering::has_fallback`].
    pub no_fallback: u64,
    /// Runs with the lowering by nodes that were left out because the program has too many nodes.
    pub too_many: u64,
    /// The amount of machine code that was validated.
    pub validated: Validated,
}

/// The amount of machine code that was validated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validated {
    /// The number of compilations: one for each combination of program, lowering and tier.
    pub compilations: u64,
    /// The number of processor instructions.
    pub instructions: u64,
}

impl std::ops::AddAssign for Validated {
    fn add_assign(&mut self, other: Self) {
        self.compilations += other.compilations;
        self.instructions += other.instructions;
    }
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.components += other.components;
        self.nan += other.nan;
        self.uniform += other.uniform;
        self.no_fallback += other.no_fallback;
        self.too_many += other.too_many;
        self.validated += other.validated;
    }
}

/// Returns the slot and component of the `n`th output value, from 0; [`OutcomePart::End`] if there are fewer.
fn output_part(entry: &Entry, n: usize) -> OutcomePart {
    entry
        .interface
        .components()
        .nth(n)
        .map_or(OutcomePart::End, |(slot, component)| OutcomePart::Output { slot, component })
}

/// Joins the names of engines into a list. Executors at several levels with several kinds of lowering are merged if all combinations are present.
pub fn join_engine_names(names: &[String]) -> String {
    const EXECUTOR: &str = "executor (";
    let inside = |name: &String| {
        let inside = name.strip_prefix(EXECUTOR)?.strip_suffix(')')?;
        Some(inside.split(", ").map(str::to_owned).collect::<Vec<_>>())
    };
    let executors: Vec<Vec<String>> = names.iter().filter_map(inside).collect();
    let mut columns: Vec<Vec<&str>> = vec![Vec::new(); executors.first().map_or(0, Vec::len)];
    for executor in &executors {
        for (column, part) in columns.iter_mut().zip(executor) {
            if !column.contains(&part.as_str()) {
                column.push(part);
            }
        }
    }
    let all = columns.iter().map(Vec::len).product::<usize>() == executors.len();
    if executors.len() < 2 || !all || executors.iter().any(|executor| executor.len() != columns.len()) {
        return names.join(", ");
    }
    let columns: Vec<String> = columns.iter().map(|column| column.join(", ")).collect();
    let others = names.iter().filter(|name| inside(name).is_none()).cloned();
    others.chain([format!("{EXECUTOR}{})", columns.join("; "))]).collect::<Vec<_>>().join(", ")
}

/// Formats an effect as text: its destination and values.
pub fn format_effect(name: &str, effect: &EffectRecord) -> String {
    let values = effect.components().map(|(c, v)| format!(" {}={}", LETTERS[usize::from(c)], bits(v)));
    format!("{name}{}", values.collect::<String>())
}

fn bits(v: f32) -> String {
    format!("{v:?} (0x{:08x})", canonical_bits(v))
}

/// Compares two runs of one entry, and counts what was compared.
///
/// # Errors
/// The first difference: in the number of lanes, or in the first lane that differs. The end of a lane is compared first. If the lane ran out of fuel
/// or hung, nothing else of it is compared.
pub fn compare(entry: &Entry, left: &Outcome, right: &Outcome) -> Result<Statistics, Box<Difference>> {
    let _span = tracing::debug_span!("compare", lanes = left.lanes.len()).entered();
    let mut statistics = Statistics::default();
    if left.lanes.len() != right.lanes.len() {
        let (l, r) = (left.lanes.len(), right.lanes.len());
        let difference = Difference {
            lane: l.min(r),
            place: OutcomePart::End,
            left: count(l, "lane"),
            right: count(r, "lane"),
        };
        return Err(Box::new(difference));
    }
    for (lane, (l, r)) in left.lanes.iter().zip(&right.lanes).enumerate() {
        let differ =
            |place, left: String, right: String| Err(Box::new(Difference { lane, place, left, right }));
        // All fields are listed, so that adding a field requires a decision here.
        let LaneOutcome { end, killed, outputs, effects } = l;
        if *end != r.end {
            return differ(OutcomePart::End, format!("{end:?}"), format!("{:?}", r.end));
        }
        if matches!(end, End::OutOfFuel | End::Hung) {
            continue;
        }
        if *killed != r.killed {
            return differ(OutcomePart::Kill, killed.to_string(), r.killed.to_string());
        }
        if outputs.len() != r.outputs.len() {
            let place = output_part(entry, outputs.len().min(r.outputs.len()));
            let said = |n: usize| count(n, "component");
            return differ(place, said(outputs.len()), said(r.outputs.len()));
        }
        for (n, (a, b)) in outputs.iter().zip(&r.outputs).enumerate() {
            if !same(*a, *b) {
                return differ(output_part(entry, n), bits(*a), bits(*b));
            }
            statistics.nan += u64::from(a.is_nan());
        }
        statistics.components += outputs.len() as u64 + u64::from(*killed);
        for at in 0..effects.len().max(r.effects.len()) {
            let (a, b) = (effects.get(at), r.effects.get(at));
            if let (Some(a), Some(b)) = (a, b)
                && (a.kind, a.index, a.mask) == (b.kind, b.index, b.mask)
            {
                for ((component, a), (_, b)) in a.components().zip(b.components()) {
                    if !same(a, b) {
                        let place = OutcomePart::Effect { at: at as u32, component: Some(component) };
                        return differ(place, bits(a), bits(b));
                    }
                    statistics.components += 1;
                    statistics.nan += u64::from(a.is_nan());
                }
            } else {
                let shown = |e: Option<&EffectRecord>| {
                    e.map_or_else(
                        || "nothing".to_owned(),
                        |e| format_effect(&format!("effect {}.{}", e.kind, e.index), e),
                    )
                };
                return differ(OutcomePart::Effect { at: at as u32, component: None }, shown(a), shown(b));
            }
        }
    }
    statistics.uniform = uniform(left);
    Ok(statistics)
}

fn uniform(run: &Outcome) -> u64 {
    let finished: Vec<&LaneOutcome> = run.lanes.iter().filter(|l| l.end == End::Finished).collect();
    let [first, rest @ ..] = finished.as_slice() else { return 0 };
    if rest.is_empty() {
        return 0;
    }
    let outputs = (0..first.outputs.len())
        .filter(|n| rest.iter().all(|l| l.outputs.get(*n).is_some_and(|v| same(*v, first.outputs[*n]))));
    // An effect's component counts as uniform if every lane has the same value at the same index of its record.
    let effects =
        first.effects.iter().enumerate().flat_map(|(at, e)| e.components().map(move |c| (at, e, c)));
    let effects = effects.filter(|(at, e, (c, value))| {
        let equal = |other: &EffectRecord| {
            (other.kind, other.index) == (e.kind, e.index)
                && other.components().any(|(d, v)| d == *c && same(v, *value))
        };
        rest.iter().all(|l| l.effects.get(*at).is_some_and(equal))
    });
    ((outputs.count() + effects.count()) * finished.len()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executors_in_all_combinations_are_named_once() {
        let all = |names: &[&str]| {
            join_engine_names(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        let [a, b, c, d] = ["executor (x, N)", "executor (x, F)", "executor (y, N)", "executor (y, F)"];
        assert_eq!(all(&["reference", a, b, c, d]), "reference, executor (x, y; N, F)");
        assert_eq!(all(&[a, c]), "executor (x, y; N)");
        assert_eq!(all(&["executor (x)", "executor (y)"]), "executor (x, y)");
        assert_eq!(all(&[a, d]), "executor (x, N), executor (y, F)");
        assert_eq!(all(&[a]), a);
        assert_eq!(all(&["reference"]), "reference");
        assert_eq!(all(&[]), "");
    }

    fn record(index: u16, mask: u8, values: [f32; 4]) -> EffectRecord {
        EffectRecord { kind: 1, index, mask, values }
    }

    fn run(lanes: &[Vec<EffectRecord>]) -> Outcome {
        let lane = |effects: &Vec<EffectRecord>| LaneOutcome {
            end: End::Finished,
            killed: false,
            outputs: Vec::new(),
            effects: effects.clone(),
        };
        Outcome { lanes: lanes.iter().map(lane).collect(), freedoms: FreedomSet::default() }
    }

    fn entry() -> Entry {
        let stage = lockstep_core::isa::Stage::Vertex;
        Entry {
            stage,
            start: 0,
            version: 1,
            interface: lockstep_core::isa::Interface::default(),
            extra: [0; 4],
        }
    }

    #[test]
    fn statistics_count_the_values_of_effects() {
        // x is equal on both lanes, z is NaN on one, w is not in the mask.
        let a = run(&[
            vec![record(3, 0b101, [1.0, 0.0, f32::NAN, 9.0])],
            vec![record(3, 0b101, [1.0, 0.0, 2.0, 8.0])],
        ]);
        let found = compare(&entry(), &a, &a).unwrap();
        assert_eq!(found, Statistics { components: 4, nan: 1, uniform: 2, ..Statistics::default() });
        // The same value at another destination counts as a different component.
        let b = run(&[vec![record(3, 1, [1.0; 4])], vec![record(4, 1, [1.0; 4])]]);
        assert_eq!(compare(&entry(), &b, &b).unwrap(), Statistics { components: 2, ..Statistics::default() });
    }

    /// Returns two lanes with two components each.
    fn plain() -> (Entry, Outcome) {
        let mut entry = entry();
        entry.interface.outputs = vec![lockstep_core::isa::Port { slot: 5, mask: 0b1010 }];
        let lane = |outputs: [f32; 2]| LaneOutcome {
            end: End::Finished,
            killed: false,
            outputs: outputs.to_vec(),
            effects: Vec::new(),
        };
        (entry, Outcome { lanes: vec![lane([1.0, 2.0]), lane([3.0, 4.0])], freedoms: FreedomSet::default() })
    }

    #[test]
    fn a_difference_in_any_lane_and_component_is_found_and_named() {
        let (entry, left) = plain();
        assert_eq!(compare(&entry, &left, &left).unwrap().components, 4);
        for lane in 0..2 {
            let differs = |place: OutcomePart, change: &dyn Fn(&mut LaneOutcome)| {
                let mut right = left.clone();
                change(&mut right.lanes[lane]);
                for (a, b) in [(&left, &right), (&right, &left)] {
                    let found = compare(&entry, a, b).unwrap_err();
                    assert_eq!((found.lane, found.place), (lane, place));
                }
            };
            for (at, component) in [(0, 1), (1, 3)] {
                let place = OutcomePart::Output { slot: 5, component };
                differs(place, &|l| l.outputs[at] = f32::from_bits(l.outputs[at].to_bits() ^ 1));
                differs(place, &|l| l.outputs[at] = f32::NAN);
                differs(place, &|l| l.outputs.truncate(at));
            }
            differs(OutcomePart::Kill, &|l| l.killed = true);
            for end in [End::OutOfFuel, End::Hung, End::EffectsFull] {
                differs(OutcomePart::End, &|l| l.end = end);
            }
            differs(OutcomePart::Effect { at: 0, component: None }, &|l| {
                l.effects.push(record(3, 1, [0.0; 4]));
            });
        }
        let mut short = left.clone();
        short.lanes.truncate(1);
        assert_eq!(compare(&entry, &left, &short).unwrap_err().lane, 1);
        assert_eq!(compare(&entry, &short, &left).unwrap_err().lane, 1);
    }

    #[test]
    fn zeros_differ_by_sign_nans_are_equal_and_unfinished_lanes_are_skipped() {
        let (entry, mut left) = plain();
        let mut right = left.clone();
        left.lanes[1].outputs[0] = f32::from_bits(0x7fc0_0001);
        right.lanes[1].outputs[0] = f32::from_bits(0xffff_ffff);
        assert_eq!(compare(&entry, &left, &right).unwrap().nan, 1);
        left.lanes[1].outputs[0] = 0.0;
        right.lanes[1].outputs[0] = -0.0;
        assert!(compare(&entry, &left, &right).is_err());
        for run in [&mut left, &mut right] {
            run.lanes[1].end = End::OutOfFuel;
        }
        assert_eq!(compare(&entry, &left, &right).unwrap().components, 2);
    }

    #[test]
    fn all_results_of_a_lane_are_compared_unless_it_hung_or_ran_out_of_fuel() {
        // All variants are listed, so that adding one requires a decision here.
        let is_compared = |end: End| match end {
            End::Finished | End::EffectsFull => true,
            End::OutOfFuel | End::Hung => false,
        };
        let changes: [fn(&mut LaneOutcome); 4] = [
            |lane| lane.outputs[1] = 9.0,
            |lane| lane.killed = true,
            |lane| lane.effects[0].values[0] = 9.0,
            |lane| lane.effects.clear(),
        ];
        for end in [End::Finished, End::OutOfFuel, End::EffectsFull, End::Hung] {
            let (entry, mut left) = plain();
            left.lanes[1].end = end;
            left.lanes[1].effects.push(record(3, 1, [1.0; 4]));
            for (number, change) in changes.into_iter().enumerate() {
                let mut right = left.clone();
                change(&mut right.lanes[1]);
                let differs = compare(&entry, &left, &right).is_err();
                assert_eq!(differs, is_compared(end), "{end:?}, change {number}");
            }
        }
    }

    #[test]
    fn differences_of_effects_name_the_component_or_the_effect() {
        let left = run(&[vec![record(3, 0b1001, [1.0, 0.0, 0.0, 2.0])]]);
        let place = |right: &Outcome| compare(&entry(), &left, right).unwrap_err().place;
        let right = run(&[vec![record(3, 0b1001, [1.0, 5.0, 0.0, 2.5])]]);
        assert_eq!(place(&right), OutcomePart::Effect { at: 0, component: Some(3) });
        let right = run(&[vec![record(4, 0b1001, [1.0, 0.0, 0.0, 2.0])]]);
        assert_eq!(place(&right), OutcomePart::Effect { at: 0, component: None });
        assert_eq!(place(&run(&[vec![]])), OutcomePart::Effect { at: 0, component: None });
    }

    #[test]
    fn a_component_is_uniform_only_if_equal_in_all_finished_lanes() {
        let (mut entry, one) = plain();
        entry.interface.outputs = vec![lockstep_core::isa::Port { slot: 5, mask: 0b1 }];
        let uniform = |lanes: &[(End, f32)]| {
            let lane = |(end, value): &(End, f32)| LaneOutcome {
                end: *end,
                outputs: vec![*value],
                ..one.lanes[0].clone()
            };
            let run = Outcome { lanes: lanes.iter().map(lane).collect(), ..one.clone() };
            compare(&entry, &run, &run).unwrap().uniform
        };
        let done = |value| (End::Finished, value);
        assert_eq!(uniform(&[done(1.0), done(1.0), done(1.0)]), 3);
        for odd in 0..3 {
            let mut lanes = [done(1.0); 3];
            lanes[odd].1 = 2.0;
            assert_eq!(uniform(&lanes), 0, "lane {odd}");
            // Unfinished lanes are ignored; a single remaining lane never counts as uniform.
            lanes[odd].0 = End::Hung;
            assert_eq!(uniform(&lanes), 2, "lane {odd}");
        }
        assert_eq!(uniform(&[done(1.0)]), 0);
        assert_eq!(uniform(&[done(1.0), (End::OutOfFuel, 1.0)]), 0);
    }

    #[test]
    fn effects_differ_by_kind_index_or_mask() {
        let entry = entry();
        let whole = record(3, 0b0011, [1.0, 2.0, 0.0, 0.0]);
        let left = run(&[vec![whole]]);
        let others = [
            EffectRecord { kind: 2, ..whole },
            EffectRecord { index: 4, ..whole },
            EffectRecord { mask: 0b0001, ..whole },
            EffectRecord { mask: 0b0111, ..whole },
        ];
        for other in others {
            let right = run(&[vec![other]]);
            for (a, b) in [(&left, &right), (&right, &left)] {
                let found = compare(&entry, a, b).unwrap_err();
                assert_eq!(found.place, OutcomePart::Effect { at: 0, component: None }, "{other:?}");
            }
        }
    }
}
