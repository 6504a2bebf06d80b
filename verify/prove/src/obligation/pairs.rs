//! Covering arrays of options: few settings that contain every pair of choices whose options are read together at some point of a program.

use super::words::ProgramPoint;
use crate::sabotage::{self, Sabotage};
use lockstep_core::isa::{Options, Tables};
use std::collections::{BTreeMap, BTreeSet};

/// A non-default choice of an option: the numbers of the option and the choice.
pub(super) type Choice = (usize, u8);
/// Choices of two options, the lower option first.
pub(super) type Pair = (Choice, Choice);

/// The pairs of choices that must occur together, by the point in the program that reads both options.
#[derive(Default)]
pub(super) struct PairsToCover(BTreeMap<ProgramPoint, BTreeSet<Pair>>);

/// Returns the non-default choices of the options whose bits are set in `option_set`.
fn choices<I: Tables>(option_set: u64) -> impl Iterator<Item = Choice> {
    let read = I::option_specs().iter().enumerate().filter(move |(option, _)| option_set >> option & 1 == 1);
    read.flat_map(|(option, a)| (1..a.choices.len() as u8).map(move |choice| (option, choice)))
}

fn ordered(a: Choice, b: Choice) -> Pair {
    if a < b { (a, b) } else { (b, a) }
}

/// Whether the options have both choices of a pair.
pub(super) fn contains_pair(choices: &[u8], ((a, x), (b, y)): Pair) -> bool {
    choices.get(a) == Some(&x) && choices.get(b) == Some(&y)
}

/// Returns a function that returns the opcodes at a point. The initial state has no opcodes.
pub(super) fn opcodes<I: Tables>(program: &I::Program) -> impl Fn(ProgramPoint) -> BTreeSet<&'static str> {
    let points_of = I::cover_points(program);
    move |point| match point {
        ProgramPoint::Initial => BTreeSet::new(),
        ProgramPoint::Word(word) => points_of(word).iter().map(|point| point.opcode).collect(),
    }
}

impl PairsToCover {
    /// Records that with `first` chosen and the other options at their defaults, `point` also reads these options: each of their choices must occur
    /// together with `first` at this point.
    pub(super) fn record_read<I: Tables>(&mut self, point: ProgramPoint, first: Choice, option_set: u64) {
        let others = choices::<I>(option_set & !(1 << first.0));
        let pairs: Vec<Pair> = others.map(|other| ordered(first, other)).collect();
        if !pairs.is_empty() {
            self.0.entry(point).or_default().extend(pairs);
        }
    }

    /// For each pair, keeps only the first of the points with the same opcode, because at the other points the same lowering rule reads both choices.
    pub(super) fn keep_first_per_opcode<I: Tables>(mut self, program: &I::Program) -> PairsToCover {
        let opcodes = opcodes::<I>(program);
        let mut seen: BTreeSet<(&'static str, Pair)> = BTreeSet::new();
        for (point, pairs) in &mut self.0 {
            let opcodes = opcodes(*point);
            pairs.retain(|pair| {
                let fresh = opcodes.iter().filter(|opcode| seen.insert((opcode, *pair))).count();
                fresh > 0 || opcodes.is_empty()
            });
        }
        self
    }

    /// Iterates over the points, each with its pairs.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ProgramPoint, &BTreeSet<Pair>)> {
        self.0.iter().map(|(point, pairs)| (*point, pairs))
    }

    /// Whether these options contain a pair of `point` that is not covered yet.
    pub(super) fn is_open(&self, point: ProgramPoint, options: &Options) -> bool {
        let pairs = self.0.get(&point);
        pairs.is_some_and(|pairs| pairs.iter().any(|pair| contains_pair(options.choices(), *pair)))
    }

    /// Removes the pairs covered at `point`: both choices were made and both options were read.
    pub(super) fn remove_covered(&mut self, point: ProgramPoint, options: &Options, read: u64) {
        let Some(pairs) = self.0.get_mut(&point) else { return };
        let is_read = |option: usize| read >> option & 1 == 1;
        pairs.retain(|pair| {
            !(contains_pair(options.choices(), *pair) && is_read(pair.0.0) && is_read(pair.1.0))
        });
    }

    /// Returns few settings that contain all pairs, deterministically. Each setting starts with the first open pair and takes for every other option
    /// the choice that covers the largest number of open pairs, or the default if no choice covers any. A pair is open until a setting contains it.
    pub(super) fn covering_array<I: Tables>(&self) -> Vec<Options> {
        let mut all = Vec::new();
        let mut open = self.pairs();
        while let Some(&(a, b)) = open.first() {
            let mut chosen = vec![a, b];
            for option in (0..I::option_specs().len()).filter(|option| *option != a.0 && *option != b.0) {
                let met = |one: Choice| chosen.iter().filter(|c| open.contains(&ordered(**c, one))).count();
                let best = most_frequent(choices::<I>(1 << option).map(|one| (met(one), one)));
                chosen.extend(best);
            }
            let options = setting::<I>(&chosen);
            open.retain(|pair| !contains_pair(options.choices(), *pair));
            all.push(options);
        }
        all
    }

    /// Returns a separate setting for each pair.
    pub(super) fn one_setting_per_pair<I: Tables>(&self) -> Vec<Options> {
        self.pairs().iter().map(|(a, b)| setting::<I>(&[*a, *b])).collect()
    }

    fn pairs(&self) -> BTreeSet<Pair> {
        if sabotage::is(Sabotage::PairsLost) {
            return BTreeSet::new();
        }
        self.0.values().flatten().copied().collect()
    }
}

/// Returns the choice that covers most pairs, the first of several; `None` if no choice covers any.
fn most_frequent(choices: impl Iterator<Item = (usize, Choice)>) -> Option<Choice> {
    let useful = choices.filter(|(met, _)| *met > 0);
    useful.reduce(|best, one| if one.0 > best.0 { one } else { best }).map(|(_, choice)| choice)
}

fn setting<I: Tables>(chosen: &[Choice]) -> Options {
    let mut options = Options::new(I::option_specs());
    for (option, choice) in chosen {
        options.set(*option, *choice);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::pica200::Pica200;

    #[test]
    fn a_pair_is_covered_only_where_both_of_its_options_are_read() {
        let (word, both) = (ProgramPoint::Word(0), 0b11);
        let mut open = PairsToCover::default();
        open.record_read::<Pica200>(word, (0, 1), both);
        let options = setting::<Pica200>(&[(0, 1), (1, 1)]);
        for read in [0, 0b01, 0b10, !both] {
            open.remove_covered(word, &options, read);
            assert!(open.is_open(word, &options), "of the two options, only {read:#b} were read");
        }
        open.remove_covered(word, &options, both);
        assert!(!open.is_open(word, &options));
    }
}
