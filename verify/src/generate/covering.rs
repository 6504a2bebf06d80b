//! Covering arrays of programs: few programs in which modifiers meet, drawn from the tables.
//!
//! Coverage by class tells that each modifier works with each opcode. A fault that needs two modifiers at once, such as a clamp that is dropped
//! under a predicate, has no class. Programs are drawn without a wish, for each rare modifier, and for modifiers that can meet and met
//! nowhere so far; always the same ones. Those with the most [interactions](Interactions) that are too rare so far are taken, until nothing
//! drawn adds any. Nothing is written to disk: a new opcode or modifier is in them as soon as it is in the tables.

use super::apart::{Opcodes, common, opcodes, together};
use super::requested::{instruction_count, is_met};
use super::{Entropy, Generate, Wish};
use crate::case::Resolved;
use crate::corpus::Content;
use crate::coverage::{InteractionKey, Interactions, is_strong};
use crate::engine::reference_with;
use lockstep_core::isa::facet::points;
use lockstep_core::isa::{ClassPoint, End, IsaId};
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// Programs drawn without a wish.
const PLAIN: usize = 300;
/// A modifier is rare that is in fewer of these.
const RARE: usize = 60;
/// Programs drawn for each rare modifier, with different opcodes as far as there are any.
const STEERED: usize = 12;
/// About how many instructions a program has.
const SIZE: usize = 32;
/// The same for one that is drawn for modifiers that met nowhere.
const SOUGHT_SIZE: usize = 8;
/// Programs drawn at the most in the hope of one in which two modifiers meet, and three.
const ATTEMPTS: [usize; 2] = [16, 4];
/// Programs that an interaction should be in: a proof looks at each instruction by itself and needs one; where programs are run an instruction may
/// be dead.
const TIMES: [u8; 2] = [1, 2];
/// Interactions that are still too rare and a program must have to be taken, from pass to pass.
const THRESHOLDS: [usize; 4] = [48, 16, 5, 1];

/// A covering array: legal programs, as bytes, that leave something to compare in the environment of seed 0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Covering {
    programs: Vec<Vec<u8>>,
    once: usize,
}

impl Covering {
    /// All programs. Most interactions are in several of them.
    pub fn programs(&self) -> &[Vec<u8>] {
        &self.programs
    }

    /// The first of them, in which every interaction is once.
    pub fn once(&self) -> &[Vec<u8>] {
        &self.programs[..self.once]
    }
}

/// The covering array of an instruction set. It is drawn once in a process.
pub fn covering(isa: IsaId) -> &'static Covering {
    place(isa).get_or_init(|| with_isa!(isa, I => draw::<I>()))
}

/// Takes over what another process has drawn, unless this one has drawn already.
#[cfg(feature = "cli")]
pub(crate) fn was_drawn(isa: IsaId, covering: Covering) {
    // It is always the same, so that nothing is lost.
    let _ = place(isa).set(covering);
}

/// Where this process keeps it.
fn place(isa: IsaId) -> &'static OnceLock<Covering> {
    static DRAWN: [OnceLock<Covering>; IsaId::ALL.len()] = [const { OnceLock::new() }; IsaId::ALL.len()];
    &DRAWN[IsaId::ALL.iter().position(|each| *each == isa).unwrap_or_default()]
}

/// A program that was drawn, with its interactions by their places in [`Drawing::places`].
struct Drawn<P> {
    program: P,
    interactions: Vec<u32>,
}

/// Programs drawn so far.
struct Drawing<I: Generate> {
    names: Interactions<I>,
    places: HashMap<InteractionKey, u32>,
    /// In how many programs a modifier is, by number.
    modifiers: Vec<usize>,
    drawn: Vec<Drawn<I::Program>>,
}

impl<I: Generate> Drawing<I> {
    fn draw(&mut self, class: Option<ClassPoint>) {
        let wish = Wish { class, size: Some(SIZE), ..Wish::default() };
        let program = I::program(&mut Entropy::seeded(self.drawn.len() as u64), &wish);
        self.keep(program);
    }

    fn keep(&mut self, program: I::Program) {
        let keys = self.names.shown_by(&program, instruction_count::<I>(&program));
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

    /// Draws programs for the modifiers that can meet and did not so far: for two, and for three that the lowering handles together and of
    /// which any two met.
    fn seek(&mut self) {
        let with = opcodes::<I>();
        for pair in together::<I>().0 {
            self.seek_one(&with, &[&pair[0], &pair[1]], ATTEMPTS[0]);
        }
        let strong: Vec<&String> = with.keys().filter(|modifier| is_strong::<I>(modifier)).collect();
        for (k, a) in strong.iter().enumerate() {
            for (l, b) in strong.iter().enumerate().skip(k + 1) {
                if !self.is_shown(&[a, b]) {
                    continue;
                }
                for c in &strong[l + 1..] {
                    if self.is_shown(&[a, c]) && self.is_shown(&[b, c]) {
                        self.seek_one(&with, &[a, b, c], ATTEMPTS[1]);
                    }
                }
            }
        }
    }

    fn is_shown(&mut self, modifiers: &[&str]) -> bool {
        let key = self.names.key(modifiers);
        self.places.contains_key(&key)
    }

    fn seek_one(&mut self, with: &Opcodes, modifiers: &[&str], attempts: usize) {
        if self.is_shown(modifiers) {
            return;
        }
        let opcodes = common::<I>(with, modifiers);
        let hash = |text: &str| text.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
        let seed =
            modifiers.iter().fold(0u64, |all, modifier| all.wrapping_mul(7).wrapping_add(hash(modifier)));
        for k in 0..attempts {
            let Some(opcode) = opcodes.get(k * opcodes.len() / attempts) else { return };
            let mut classes =
                modifiers.iter().map(|modifier| ClassPoint { opcode, modifier: (*modifier).to_owned() });
            let wish = Wish {
                class: classes.next(),
                also: classes.collect(),
                size: Some(SOUGHT_SIZE),
                ..Wish::default()
            };
            let program = I::program(&mut Entropy::seeded(seed.wrapping_add(k as u64)), &wish);
            if is_met::<I>(&program, &wish) && compares::<I>(&program) {
                self.keep(program);
                return;
            }
        }
    }

    /// The classes of each modifier that is rare so far, by the modifier.
    fn rare(&self) -> impl Iterator<Item = Vec<ClassPoint>> {
        let mut with: BTreeMap<String, Vec<ClassPoint>> = BTreeMap::new();
        for class in points::<I>() {
            let number = self.names.number_of(&class.modifier).map(usize::from);
            // What is part of no interaction, such as a version, has no count.
            let programs = number.and_then(|number| self.modifiers.get(number)).copied();
            if programs.unwrap_or_default() < RARE {
                with.entry(class.modifier.clone()).or_default().push(class.clone());
            }
        }
        with.into_values()
    }
}

fn draw<I: Generate>() -> Covering {
    let mut drawing = Drawing::<I> {
        names: Interactions::new(),
        places: HashMap::new(),
        modifiers: Vec::new(),
        drawn: Vec::new(),
    };
    (0..PLAIN).for_each(|_| drawing.draw(None));
    for classes in drawing.rare().collect::<Vec<_>>() {
        (0..STEERED).for_each(|k| drawing.draw(Some(classes[k * classes.len() / STEERED].clone())));
    }
    drawing.seek();
    let mut times = vec![0u8; drawing.places.len()];
    let mut open = drawing.drawn;
    let mut taken = Covering::default();
    for (most, least) in TIMES.into_iter().flat_map(|most| THRESHOLDS.map(|least| (most, least))) {
        open.retain(|drawn| {
            let is_rare = |at: &&u32| times[**at as usize] < most;
            if drawn.interactions.iter().filter(is_rare).take(least).count() < least {
                return true;
            }
            if compares::<I>(&drawn.program) {
                for at in &drawn.interactions {
                    let n = &mut times[*at as usize];
                    *n = n.saturating_add(1);
                }
                taken.programs.push(I::encode(&drawn.program));
            }
            false
        });
        if most == TIMES[0] {
            taken.once = taken.programs.len();
        }
    }
    taken
}

/// Whether each entry is legal and leaves something to compare in the environment of seed 0.
fn compares<I: Generate>(program: &I::Program) -> bool {
    let bytes = I::encode(program);
    let cases = Content::Program { isa: I::ID, bytes }.cases(0..1);
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
