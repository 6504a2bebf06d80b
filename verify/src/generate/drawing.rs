//! The programs from which a covering array is selected.
//!
//! Programs are drawn without a request, then for each rare modifier, then for combinations of modifiers that are possible but have not occurred yet. A
//! program in which the combination is live is preferred, and one program may contain several combinations. The seeds of all draws are fixed.

use super::never_together::{Opcodes, common, opcodes, together};
use super::requested::{changed, has_points};
use super::{Entropy, Generate, ProgramRequest, program_with};
use crate::case::{Case, Resolved};
use crate::corpus::Content;
use crate::coverage::{InteractionKey, Interactions, are_live_together, is_strong};
use crate::engine::reference_with;
use lockstep_core::isa::facet::points;
use lockstep_core::isa::{CoverPoint, End, instruction_count};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The number of programs drawn without a request.
const PLAIN: usize = 300;
/// A modifier that occurs in fewer drawn programs than this is rare.
const RARE_BELOW: usize = 60;
/// The number of programs drawn for each rare modifier, with different opcodes as far as possible.
const PER_RARE_MODIFIER: usize = 12;
/// The approximate number of instructions of a program.
const SIZE: usize = 32;
/// The approximate number of instructions of a program drawn for modifiers that have not occurred together yet.
const COMBINATION_SIZE: usize = 8;
/// The maximum number of requests for a program in which given modifiers are live in one instruction: for two modifiers, and for three.
const ATTEMPTS: [usize; 2] = [16, 4];
/// The maximum number of combinations for which instructions of one program are changed.
const MOST_COMBINATIONS: usize = 8;

/// A drawn program, with its interactions as numbers below [`Drawings::interactions`].
pub(super) struct Drawn<P> {
    pub(super) program: P,
    pub(super) interactions: Vec<u32>,
}

/// All drawn programs.
pub(super) struct Drawings<P> {
    pub(super) programs: Vec<Drawn<P>>,
    /// The number of different interactions.
    pub(super) interactions: usize,
}

/// Draws the programs of an instruction set.
pub(super) fn drawings<I: Generate>() -> Drawings<I::Program> {
    let mut drawing = Drawing::<I>::default();
    (0..PLAIN).for_each(|_| drawing.draw(&[]));
    for points in drawing.rare().collect::<Vec<_>>() {
        let point = |k| std::slice::from_ref(&points[k * points.len() / PER_RARE_MODIFIER]);
        (0..PER_RARE_MODIFIER).for_each(|k| drawing.draw(point(k)));
    }
    drawing.draw_combinations();
    Drawings { programs: drawing.drawn, interactions: drawing.places.len() }
}

/// A program whose instructions are changed to contain further combinations. It is replaced when a combination does not fit and gets a new program.
struct Packed<P> {
    program: P,
    /// The coverage points of each combination for which an instruction was changed.
    combinations: Vec<Vec<CoverPoint>>,
    interactions: HashSet<InteractionKey>,
}

/// All programs drawn so far.
struct Drawing<I: Generate> {
    names: Interactions<I>,
    places: HashMap<InteractionKey, u32>,
    /// The number of programs with each modifier, by the modifier's number.
    modifiers: Vec<usize>,
    drawn: Vec<Drawn<I::Program>>,
    /// The last program drawn for a combination. It is not in `drawn` yet.
    packed: Option<Packed<I::Program>>,
    /// The combinations for which no program was found.
    failed: HashSet<InteractionKey>,
}

impl<I: Generate> Default for Drawing<I> {
    fn default() -> Self {
        Drawing {
            names: Interactions::new(),
            places: HashMap::new(),
            modifiers: Vec::new(),
            drawn: Vec::new(),
            packed: None,
            failed: HashSet::new(),
        }
    }
}

impl<I: Generate> Drawing<I> {
    fn draw(&mut self, points: &[CoverPoint]) {
        let request = ProgramRequest { size: Some(SIZE), ..ProgramRequest::default() };
        let program = program_with::<I>(&mut Entropy::seeded(self.drawn.len() as u64), points, &request);
        self.keep(program);
    }

    fn keep(&mut self, program: I::Program) {
        let keys = self.names.interactions_in(&program, instruction_count::<I>(&program));
        let mut modifiers: Vec<u16> = keys.iter().flat_map(|key| key.modifiers()).collect();
        modifiers.sort_unstable();
        modifiers.dedup();
        for number in modifiers {
            let at = usize::from(number);
            self.modifiers.resize(self.modifiers.len().max(at + 1), 0);
            self.modifiers[at] += 1;
        }
        let interactions = keys.into_iter().map(|key| {
            let next = self.places.len() as u32;
            *self.places.entry(key).or_insert(next)
        });
        self.drawn.push(Drawn { program, interactions: interactions.collect() });
    }

    /// Draws programs for combinations of modifiers that are possible but have not occurred yet: combinations of two, and those of three that the
    /// lowering handles together and whose pairs have all occurred.
    fn draw_combinations(&mut self) {
        let with = opcodes::<I>();
        let pairs = together::<I>().0;
        let pairs: Vec<Vec<&str>> =
            pairs.iter().map(|pair| pair.iter().map(String::as_str).collect()).collect();
        self.draw_each(&with, &pairs, ATTEMPTS[0]);
        let strong: Vec<&str> =
            with.keys().map(String::as_str).filter(|modifier| is_strong::<I>(modifier)).collect();
        let mut triples = Vec::new();
        for (k, a) in strong.iter().enumerate() {
            for (l, b) in strong.iter().enumerate().skip(k + 1) {
                if !self.is_shown(&[a, b]) {
                    continue;
                }
                for c in &strong[l + 1..] {
                    if self.is_shown(&[a, c]) && self.is_shown(&[b, c]) {
                        triples.push(vec![*a, *b, *c]);
                    }
                }
            }
        }
        self.draw_each(&with, &triples, ATTEMPTS[1]);
    }

    /// Draws programs for each of these combinations that has not occurred yet.
    fn draw_each(&mut self, with: &Opcodes, combinations: &[Vec<&str>], attempts: usize) {
        for modifiers in combinations {
            self.draw_combination(with, modifiers, attempts);
        }
        // A change for one combination may have removed another combination that had occurred by chance. Each removed one gets a program of its own.
        self.unpack();
        for modifiers in combinations {
            self.draw_combination(with, modifiers, attempts);
            self.unpack();
        }
    }

    fn is_shown(&mut self, modifiers: &[&str]) -> bool {
        let key = self.names.key(modifiers);
        let is_packed = self.packed.as_ref().is_some_and(|packed| packed.interactions.contains(&key));
        is_packed || self.places.contains_key(&key)
    }

    /// Replaces the packed program.
    fn pack(&mut self, program: I::Program, combinations: Vec<Vec<CoverPoint>>) {
        let keys = self.names.interactions_in(&program, instruction_count::<I>(&program));
        self.packed = Some(Packed { program, combinations, interactions: keys.into_iter().collect() });
    }

    /// Adds the packed program to the drawn programs.
    fn unpack(&mut self) {
        if let Some(packed) = self.packed.take() {
            self.keep(packed.program);
        }
    }

    /// Changes an instruction of the packed program so that it has a combination, if the combination is live and the earlier ones stay so. Returns whether
    /// that was possible.
    fn extend_packed(&mut self, opcodes: &[&'static str], modifiers: &[&str]) -> bool {
        let Some(packed) =
            self.packed.as_ref().filter(|packed| packed.combinations.len() < MOST_COMBINATIONS)
        else {
            return false;
        };
        let extended = opcodes.iter().find_map(|opcode| {
            let mut combinations = packed.combinations.clone();
            combinations.push(points_of(opcode, modifiers));
            let has_all = |program: &I::Program| {
                let cases = cases::<I>(program);
                let is_live =
                    |points: &Vec<CoverPoint>| cases.iter().any(|case| are_live_together::<I>(case, points));
                all_compare::<I>(&cases) && combinations.iter().all(is_live)
            };
            let points = combinations.last().map_or(&[][..], Vec::as_slice);
            let program = changed::<I>(&packed.program, points, has_all)?;
            Some((program, combinations))
        });
        match extended {
            Some((program, combinations)) => {
                self.pack(program, combinations);
                true
            }
            None => false,
        }
    }

    fn draw_combination(&mut self, with: &Opcodes, modifiers: &[&str], attempts: usize) {
        let key = self.names.key(modifiers);
        if self.is_shown(modifiers) || self.failed.contains(&key) {
            return;
        }
        let opcodes = common::<I>(with, modifiers);
        if self.extend_packed(&opcodes, modifiers) {
            return;
        }
        let hash = |text: &str| text.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
        let seed =
            modifiers.iter().fold(0u64, |all, modifier| all.wrapping_mul(7).wrapping_add(hash(modifier)));
        let request = ProgramRequest { size: Some(COMBINATION_SIZE), ..ProgramRequest::default() };
        let mut drawn = None;
        for k in 0..attempts {
            let Some(opcode) = opcodes.get(k * opcodes.len() / attempts) else { break };
            let points = points_of(opcode, modifiers);
            let mut e = Entropy::seeded(seed.wrapping_add(k as u64));
            let program = program_with::<I>(&mut e, &points, &request);
            if !has_points::<I>(&program, &points) {
                continue;
            }
            let cases = cases::<I>(&program);
            if !all_compare::<I>(&cases) {
                continue;
            }
            if cases.iter().any(|case| are_live_together::<I>(case, &points)) {
                self.unpack();
                return self.pack(program, vec![points]);
            }
            drawn = drawn.or(Some(program));
        }
        match drawn {
            Some(program) => self.keep(program),
            None => _ = self.failed.insert(key),
        }
    }

    /// Returns the coverage points of each modifier that is still rare, grouped by modifier.
    fn rare(&self) -> impl Iterator<Item = Vec<CoverPoint>> {
        let mut with: BTreeMap<String, Vec<CoverPoint>> = BTreeMap::new();
        for point in points::<I>() {
            let number = self.names.number_of(&point.modifier).map(usize::from);
            // A modifier that has not occurred yet has no number.
            let programs = number.and_then(|number| self.modifiers.get(number)).copied();
            if programs.unwrap_or_default() < RARE_BELOW {
                with.entry(point.modifier.clone()).or_default().push(point.clone());
            }
        }
        with.into_values()
    }
}

/// Returns the coverage points of an opcode with these modifiers.
fn points_of(opcode: &'static str, modifiers: &[&str]) -> Vec<CoverPoint> {
    modifiers.iter().map(|modifier| CoverPoint { opcode, modifier: (*modifier).to_owned() }).collect()
}

/// Whether each entry of the program is legal and produces something to compare in the environment of seed 0.
pub(super) fn compares<I: Generate>(program: &I::Program) -> bool {
    all_compare::<I>(&cases::<I>(program))
}

/// Returns a case for each entry of the program, in the environment of seed 0.
fn cases<I: Generate>(program: &I::Program) -> Vec<Case> {
    Content::Program { isa: I::ID, bytes: I::encode(program) }.cases(0..1)
}

/// Whether each case is legal and produces something to compare.
fn all_compare<I: Generate>(cases: &[Case]) -> bool {
    cases.iter().all(|case| {
        let resolved = case.resolve::<I>().ok().filter(Resolved::is_legal);
        resolved.is_some_and(|resolved| {
            let has_outputs = resolved.entry.interface.components().next().is_some();
            let outcome = reference_with::<I, false>(&resolved.context(), &resolved.env);
            let mut finished = outcome.lanes.iter().filter(|lane| lane.end == End::Finished);
            finished.any(|lane| has_outputs || !lane.effects.is_empty())
        })
    })
}
