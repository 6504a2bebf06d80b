//! Interactions: combinations of modifiers of one opcode in one instruction. These are pairs, and also triples where a lowering handles three
//! modifiers together ([`lockstep_core::isa::facet::Combination::in_threes`]). A version, which describes the context of an instruction rather than
//! its effect, is an interaction by itself. The only modifier of an opcode in an instruction is also an interaction by itself.
//!
//! Coverage points check each modifier with each opcode. A fault that needs two modifiers at once, such as a clamp that is dropped under a predicate,
//! has no coverage point. Opcodes are not part of an interaction, because all opcodes share the code that lowers modifiers.

use super::live::Probe;
use crate::case::{Case, Resolved};
use crate::generate::Generate;
use lockstep_core::isa::CoverPoint;
use std::collections::{BTreeSet, HashMap};

/// The modifiers of an interaction, as `facet=value`, in alphabetical order.
pub type Interaction = Vec<String>;

/// An interaction as the numbers of its modifiers, 16 bits each. The numbers are valid only for the [`Interactions`] that assigned them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InteractionKey(u64);

/// The number that marks the absence of a modifier.
const ABSENT: u16 = u16::MAX;

impl InteractionKey {
    fn new(mut numbers: [u16; 3]) -> InteractionKey {
        numbers.sort_unstable();
        let [a, b, c] = numbers.map(u64::from);
        InteractionKey(a << 32 | b << 16 | c)
    }

    /// Returns the numbers of the interaction's modifiers.
    pub fn modifiers(self) -> impl Iterator<Item = u16> {
        [32, 16, 0].into_iter().map(move |at| (self.0 >> at) as u16).filter(|n| *n != ABSENT)
    }
}

/// An interaction in one instruction, with the indices of its modifiers in the list of the instruction's coverage points.
struct InstructionInteraction {
    key: InteractionKey,
    places: [usize; 3],
    count: usize,
}

impl InstructionInteraction {
    fn new(numbers: &[u16], places: &[usize]) -> InstructionInteraction {
        let (mut key, mut all) = ([ABSENT; 3], [0; 3]);
        for (n, place) in places.iter().enumerate() {
            key[n] = numbers[*place];
            all[n] = *place;
        }
        InstructionInteraction { key: InteractionKey::new(key), places: all, count: places.len() }
    }

    fn places(&self) -> &[usize] {
        &self.places[..self.count]
    }
}

/// The interactions of an instruction set that are live in some case, accumulated over cases. An interaction is live if a change to the effects that
/// all its modifiers have in common changes a compared result.
#[derive(Clone, Debug)]
pub struct Interactions<I: Generate> {
    numbers: HashMap<String, u16>,
    /// Whether each modifier is combined with others, by number.
    combined: Vec<bool>,
    /// Whether each modifier is [strong](is_strong), by number.
    strong: Vec<bool>,
    live: BTreeSet<InteractionKey>,
    isa: std::marker::PhantomData<I>,
}

impl<I: Generate> Default for Interactions<I> {
    fn default() -> Self {
        Interactions {
            numbers: HashMap::new(),
            combined: Vec::new(),
            strong: Vec::new(),
            live: BTreeSet::new(),
            isa: std::marker::PhantomData,
        }
    }
}

/// The facet that is never combined with others: it describes the context of an instruction and not its effect, and its values (seventeen for
/// Direct3D 9) would be in most interactions.
const VERSION: &str = "version";

/// Returns the facet's name in a modifier: the text before its value.
pub fn kind(modifier: &str) -> &str {
    modifier.split('=').next().unwrap_or_default()
}

/// Whether interactions of three modifiers count for this modifier's facet.
pub fn is_strong<I: Generate>(modifier: &str) -> bool {
    I::facets().named(kind(modifier)).any(|facet| facet.combination.in_threes)
}

/// Whether a modifier is combined with others.
pub(crate) fn is_combined(modifier: &str) -> bool {
    kind(modifier) != VERSION
}

impl<I: Generate> Interactions<I> {
    /// Returns an empty set of interactions.
    pub fn new() -> Interactions<I> {
        Interactions::default()
    }

    /// Returns the number of live interactions.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Whether no interaction is live.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    fn number(&mut self, modifier: &str) -> u16 {
        if let Some(number) = self.number_of(modifier) {
            return number;
        }
        let next = self.numbers.len() as u16;
        self.numbers.insert(modifier.to_owned(), next);
        self.combined.push(is_combined(modifier));
        self.strong.push(is_strong::<I>(modifier));
        next
    }

    /// Returns the number assigned to a modifier; `None` if the modifier has not been seen.
    pub fn number_of(&self, modifier: &str) -> Option<u16> {
        self.numbers.get(modifier).copied()
    }

    /// Returns the key of an interaction of at most three modifiers. Modifiers without a number get one.
    pub fn key(&mut self, modifiers: &[&str]) -> InteractionKey {
        let mut numbers = [ABSENT; 3];
        for (place, modifier) in numbers.iter_mut().zip(modifiers) {
            *place = self.number(modifier);
        }
        InteractionKey::new(numbers)
    }

    /// Calls `each` with every interaction of an instruction with these coverage points.
    fn for_each_interaction(&mut self, points: &[CoverPoint], mut each: impl FnMut(InstructionInteraction)) {
        // Comparisons of names are made once for each point, since there are many more pairs and triples than points.
        let numbers: Vec<u16> = points.iter().map(|point| self.number(&point.modifier)).collect();
        let of = |flags: &[bool]| -> Vec<bool> {
            numbers.iter().map(|number| flags[usize::from(*number)]).collect()
        };
        let (combined, strong) = (of(&self.combined), of(&self.strong));
        // The first point with the same opcode stands for the opcode.
        let first = |point: &CoverPoint| points.iter().position(|other| other.opcode == point.opcode);
        let opcodes: Vec<Option<usize>> = points.iter().map(first).collect();
        for a in 0..points.len() {
            let is_only = || opcodes.iter().filter(|opcode| **opcode == opcodes[a]).count() == 1;
            if !combined[a] || is_only() {
                each(InstructionInteraction::new(&numbers, &[a]));
            }
            if !combined[a] {
                continue;
            }
            let meets = |k: &usize| combined[*k] && opcodes[*k] == opcodes[a];
            for b in (a + 1..points.len()).filter(meets) {
                each(InstructionInteraction::new(&numbers, &[a, b]));
                if strong[a] && strong[b] {
                    for c in (b + 1..points.len()).filter(meets).filter(|c| strong[*c]) {
                        each(InstructionInteraction::new(&numbers, &[a, b, c]));
                    }
                }
            }
        }
    }

    /// Returns the interactions that occur in some instruction of a program, live or not.
    pub fn interactions_in(&mut self, program: &I::Program, instructions: u32) -> Vec<InteractionKey> {
        let mut keys: Vec<InteractionKey> = Vec::new();
        let points_of = I::cover_points(program);
        for word in 0..instructions {
            self.for_each_interaction(&points_of(word), |found| keys.push(found.key));
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Adds the interactions that are live in a case and returns how many are new. Tampers with an instruction (changes its results during a run)
    /// only while one of its interactions is not live.
    pub fn add(&mut self, case: &Case) -> usize {
        let before = self.live.len();
        let Some(resolved) = case.resolve::<I>().ok().filter(Resolved::is_legal) else { return 0 };
        let cx = resolved.context();
        let mut probe = None;
        let points_of = I::cover_points(&resolved.program);
        for word in 0..I::instruction_count(&cx) {
            let points = points_of(word);
            let mut open = Vec::new();
            self.for_each_interaction(&points, |found| open.push(found));
            open.retain(|found| !self.live.contains(&found.key));
            if open.is_empty() {
                continue;
            }
            let probe = probe.get_or_insert_with(|| Probe::new(cx, &resolved.env));
            if !probe.compares() {
                return 0;
            }
            let sets: Vec<&[usize]> = open.iter().map(InstructionInteraction::places).collect();
            let live = probe.live_together(word, &points, &sets);
            self.live.extend(open.iter().zip(live).filter(|(_, live)| *live).map(|(found, _)| found.key));
        }
        self.live.len() - before
    }

    /// Returns the live interactions, by the names of their modifiers.
    pub fn names(&self) -> BTreeSet<Interaction> {
        let mut names: Vec<&str> = vec![""; self.numbers.len()];
        self.numbers.iter().for_each(|(name, n)| names[usize::from(*n)] = name);
        let name = |key: &InteractionKey| {
            let mut all: Interaction = key.modifiers().map(|n| names[usize::from(n)].to_owned()).collect();
            all.sort();
            all
        };
        self.live.iter().map(name).collect()
    }
}
