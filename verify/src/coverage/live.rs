//! Tampering with one instruction of a reference run.
//!
//! What an instruction does is read off its lowering: the variables and arrays it writes, the effects it records, whether it kills. The
//! reference is then stepped by hand. Each time lanes have run the instruction, one bit of everything it wrote is turned over in those
//! lanes, or of what it records, or their kill mark is. Lanes that ran an instruction which decides where to go, or does nothing else, are sent
//! somewhere else.

use super::alter::{Altering, BITS, BITS_AND_SIGN, altered};
use super::doing::{Doing, doing};
use crate::engine::{LaneOutcome, Outcome, compare, reference_with};
use lockstep_core::host::{Bound, Environment};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::explore::NODES_A_WORD;
use lockstep_core::ir::{Exits, VarKey};
use lockstep_core::isa::run::{costs_fuel, start, step};
use lockstep_core::isa::{CONTROL, ClassPoint, Context, EFFECTS, End, Isa, KILLED, Running, State};
use lockstep_core::value::{Concrete, FreedomSet};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One way of tampering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tamper {
    /// This bit of every variable written.
    Bit(u32),
    /// A bit of every component recorded.
    Effects,
    /// The kill mark.
    Kill,
    /// Where control goes.
    Exit(Elsewhere),
}

/// Where a lane is sent instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elsewhere {
    /// To another exit of the instruction; if it ends the lane, that hangs.
    Exit,
    /// To the next instruction, if that is not where it went.
    Next,
    /// Past the instruction that it went to.
    Past,
}

/// A case that is tampered with.
pub(super) struct Probe<'a, I: Isa> {
    cx: Context<'a, I>,
    env: &'a Environment,
    /// What the lanes of each group come to when nothing is tampered with.
    normal: Vec<Outcome>,
    doing: BTreeMap<u32, Doing>,
    /// The keys that a lane's state has.
    held: BTreeSet<VarKey>,
    exits: HashMap<I::Config, Exits<I::Config>>,
    outline: I::Outline,
    /// A control state for each instruction, for lanes that are sent there.
    nodes: BTreeMap<u32, I::Config>,
    /// The bits that are turned over.
    bits: &'static [u32],
}

impl<'a, I: Isa> Probe<'a, I> {
    pub(super) fn new(cx: Context<'a, I>, env: &'a Environment) -> Self {
        let Outcome { lanes, freedoms } = reference_with::<I, false>(&cx, env);
        let groups = lanes.chunks(usize::from(I::group(&cx)));
        let normal = groups.map(|lanes| Outcome { lanes: lanes.to_vec(), freedoms }).collect();
        let lane = I::start(&Concrete, &mut Bound::<false>::new(env, 0), &cx, 0);
        let mut held: BTreeSet<VarKey> =
            I::state(&Concrete, &cx, &lane).into_iter().map(|(key, _)| key).collect();
        let doing = doing(&cx);
        // What an instruction itself accounts for is there after it.
        let words = 0..I::words(&cx);
        let own = words.filter_map(|word| I::doing(cx.program, word)).flatten();
        held.extend(own.filter(|key| ![KILLED, CONTROL].contains(key) && key.file != EFFECTS));
        let outline = I::outline(&cx);
        let nodes = nodes(&cx, &outline);
        Probe { cx, env, normal, doing, held, exits: HashMap::new(), outline, nodes, bits: &BITS }
    }

    /// The same, which turns signs over, too.
    pub(super) fn with_signs(self) -> Self {
        Probe { bits: &BITS_AND_SIGN, ..self }
    }

    /// Whether some lane comes to its end, so that there are outputs to compare.
    pub(super) fn compares(&self) -> bool {
        self.normal.iter().flat_map(|group| &group.lanes).any(|lane| lane.end == End::Finished)
    }

    /// Everything that an instruction may change and a lane has, or that is compared as it is.
    pub(super) fn touched(&self, word: u32) -> BTreeSet<VarKey> {
        let Some(doing) = self.doing.get(&word) else { return BTreeSet::new() };
        let is_there =
            |key: &&VarKey| [KILLED, CONTROL].contains(key) || key.file == EFFECTS || self.held.contains(key);
        let stored = self.held.iter().filter(|key| doing.stores.contains(&key.file));
        doing.writes.iter().filter(is_there).chain(stored).copied().collect()
    }

    /// Those of an instruction's classes that are live in it.
    pub(super) fn live_classes(&mut self, word: u32, classes: &[ClassPoint]) -> Vec<ClassPoint> {
        let touched = self.touched(word);
        let mut known: Vec<(BTreeSet<VarKey>, bool)> = Vec::new();
        let mut live = Vec::new();
        for class in classes {
            let of: BTreeSet<VarKey> = touched
                .iter()
                .copied()
                .filter(|key| I::class_writes(self.cx.program, word, class, *key))
                .collect();
            let is_live = match known.iter().find(|(set, _)| *set == of) {
                Some((_, is_live)) => *is_live,
                None => {
                    let is_live = self.is_live(word, &of);
                    known.push((of, is_live));
                    is_live
                }
            };
            if is_live {
                live.push(class.clone());
            }
        }
        live
    }

    /// For each set of an instruction's classes, given by their places in the list, whether what all classes of the set account for is
    /// live in it.
    pub(super) fn live_together(
        &mut self,
        word: u32,
        classes: &[ClassPoint],
        sets: &[&[usize]],
    ) -> Vec<bool> {
        let touched = self.touched(word);
        let of = |class: &ClassPoint| -> BTreeSet<VarKey> {
            touched
                .iter()
                .copied()
                .filter(|key| I::class_writes(self.cx.program, word, class, *key))
                .collect()
        };
        let of: Vec<BTreeSet<VarKey>> = classes.iter().map(of).collect();
        let mut known: BTreeMap<BTreeSet<VarKey>, bool> = BTreeMap::new();
        let mut live = Vec::with_capacity(sets.len());
        for set in sets {
            let mut all = set.iter().map(|place| &of[*place]);
            let mut common = all.next().cloned().unwrap_or_default();
            all.for_each(|other| common.retain(|key| other.contains(key)));
            let is_live = match known.get(&common) {
                Some(is_live) => *is_live,
                None => {
                    let is_live = !common.is_empty() && self.is_live(word, &common);
                    known.insert(common, is_live);
                    is_live
                }
            };
            live.push(is_live);
        }
        live
    }

    /// Whether tampering with these of the things that an instruction does is seen.
    pub(super) fn is_live(&mut self, word: u32, of: &BTreeSet<VarKey>) -> bool {
        let mut ways = Vec::new();
        if of.contains(&KILLED) {
            ways.push(Tamper::Kill);
        }
        if of.iter().any(|key| key.file == EFFECTS) {
            ways.push(Tamper::Effects);
        }
        if of.iter().any(|key| self.held.contains(key)) {
            ways.extend(self.bits.iter().copied().map(Tamper::Bit));
        }
        if of.contains(&CONTROL) {
            ways.extend([Elsewhere::Exit, Elsewhere::Next, Elsewhere::Past].map(Tamper::Exit));
        }
        // One group in which it is seen is enough.
        ways.into_iter().any(|way| {
            (0..self.normal.len()).any(|group| {
                let run = self.run(group, word, of, way);
                compare(self.cx.entry, &self.normal[group], &run).is_err()
            })
        })
    }

    /// Runs the lanes of a group with one instruction tampered with.
    fn run(&mut self, number: usize, word: u32, of: &BTreeSet<VarKey>, way: Tamper) -> Outcome {
        let cx = self.cx;
        let env = self.env;
        let group = usize::from(I::group(&cx));
        let base = number * group;
        let stores = self.doing.get(&word).is_some_and(|doing| !doing.stores.is_empty());
        let mut lanes = Vec::with_capacity(group);
        let mut d = Concrete;
        let mut host = Altering { inner: Bound::new(env, base), wrong: None };
        let mut running = start::<I, _, _>(&d, &mut host, &cx, group, env.fuel);
        // The control state of each lane as the lowering has it; none once it has ended.
        let mut tracked: Vec<Option<I::Config>> = running.iter().map(|_| I::entry_config(&cx)).collect();
        loop {
            let places: Vec<Option<I::Position>> = running
                .iter()
                .map(|r| if r.end.is_some() { None } else { I::position(&cx, &r.lane) })
                .collect();
            let Some(at) = places.iter().flatten().min().copied() else {
                // Lanes without a position are told that they have ended.
                step::<I, _, _>(&mut d, &mut host, &cx, &mut running);
                break;
            };
            let active: Vec<usize> = (0..running.len()).filter(|l| places[*l] == Some(at)).collect();
            let here = active.iter().find_map(|l| tracked[*l].as_ref()).map(I::config_word);
            let hit = here == Some(word);
            host.wrong = (hit && way == Tamper::Effects).then_some(of);
            let before: Vec<(bool, State<Concrete>)> = active
                .iter()
                .filter(|_| hit)
                .map(|l| {
                    let lane = &running[*l].lane;
                    (I::killed(lane), if stores { I::state(&Concrete, &cx, lane) } else { State::new() })
                })
                .collect();
            step::<I, _, _>(&mut d, &mut host, &cx, &mut running);
            for (k, l) in active.into_iter().enumerate() {
                let (lane, was) = (&mut running[l], tracked[l].take());
                let now = I::position(&cx, &lane.lane);
                let exits = was.as_ref().map(|config| self.exits_of(config)).unwrap_or_default();
                tracked[l] = exits.iter().find(|exit| Some(I::config_position(exit)) == now).cloned();
                if !hit {
                    continue;
                }
                match way {
                    Tamper::Effects => {}
                    Tamper::Kill => {
                        if !before[k].0 {
                            let mark = I::killed(&lane.lane);
                            I::poke(&cx, &mut lane.lane, KILLED, Scalar::B(!mark));
                        }
                    }
                    Tamper::Bit(bit) => self.turn(&mut lane.lane, word, of, bit, &before[k].1),
                    Tamper::Exit(to) => self.divert(&d, lane, &mut tracked[l], (at, word, to), &exits),
                }
            }
        }
        for (l, lane) in running.iter().enumerate().take(env.lanes.len() - base) {
            let outputs = cx.entry.interface.components();
            let outputs = outputs.map(|(slot, c)| I::output(&cx, &lane.lane, slot)[usize::from(c)]);
            let end = lane.end.unwrap_or(End::Hung);
            let end = if end == End::Finished && host.inner.overflowed(l) { End::EffectsFull } else { end };
            lanes.push(LaneOutcome {
                end,
                killed: I::killed(&lane.lane),
                outputs: outputs.collect(),
                effects: host.inner.records(l).to_vec(),
            });
        }
        Outcome { lanes, freedoms: FreedomSet::default() }
    }

    fn exits_of(&mut self, config: &I::Config) -> Exits<I::Config> {
        let exits = || I::exits(&self.cx, &self.outline, config);
        self.exits.entry(config.clone()).or_insert_with(exits).clone()
    }

    /// Turns a bit over in what an instruction wrote; of an array, in the elements that it changed.
    fn turn(
        &self,
        lane: &mut I::Lane<Concrete>,
        word: u32,
        of: &BTreeSet<VarKey>,
        bit: u32,
        before: &State<Concrete>,
    ) {
        let Some(doing) = self.doing.get(&word) else { return };
        for (k, (key, value)) in I::state(&Concrete, &self.cx, lane).into_iter().enumerate() {
            let changed = || before.get(k).is_some_and(|(_, old)| bits(old) != bits(&value));
            let wrote = doing.writes.contains(&key) || (doing.stores.contains(&key.file) && changed());
            if wrote && of.contains(&key) {
                I::poke(&self.cx, lane, key, altered(&value, bit));
            }
        }
    }

    /// Sends a lane that has just run the instruction `word` at `at` somewhere else.
    fn divert(
        &mut self,
        d: &Concrete,
        lane: &mut Running<I::Lane<Concrete>>,
        tracked: &mut Option<I::Config>,
        (at, word, to): (I::Position, u32, Elsewhere),
        exits: &Exits<I::Config>,
    ) {
        if !matches!(lane.end, None | Some(End::Finished)) {
            return;
        }
        let other = match to {
            Elsewhere::Exit if exits.is_empty() => {
                lane.end = Some(End::Hung);
                return;
            }
            Elsewhere::Exit => exits.iter().find(|exit| Some(*exit) != tracked.as_ref()).cloned(),
            Elsewhere::Next => self.nodes.get(&(word + 1)).filter(|next| !exits.contains(next)).cloned(),
            Elsewhere::Past => {
                tracked.as_ref().and_then(|went| self.exits_of(&went.clone()).first().cloned())
            }
        };
        let Some(other) = other else { return };
        let values = I::state(&Concrete, &self.cx, &lane.lane);
        let mark = I::killed(&lane.lane);
        // Values are asked for in the order in which they are listed, or nearly so: the next is looked at first.
        let mut next = 0;
        lane.lane = I::refine(d, &self.cx, &other, &mut |key| {
            let (before, after) = values.split_at(next);
            match after.iter().chain(before).position(|(its, _)| *its == key) {
                Some(at) => {
                    let at = (next + at) % values.len();
                    next = (at + 1) % values.len();
                    values[at].1.clone()
                }
                None if key == KILLED => Scalar::B(mark),
                None => Scalar::F(0.0),
            }
        });
        lane.end = None;
        // As in the reference, or this might never end.
        if costs_fuel::<I>(&at, &I::config_position(&other)) {
            match lane.fuel.checked_sub(1) {
                Some(left) => lane.fuel = left,
                None => lane.end = Some(End::OutOfFuel),
            }
        }
        *tracked = Some(other);
    }
}

fn bits(value: &Scalar<Concrete>) -> u32 {
    match value {
        Scalar::F(v) => v.to_bits(),
        Scalar::I(v) => *v as u32,
        Scalar::B(v) => u32::from(*v),
    }
}

/// A control state for each instruction: the lowest of those that can be reached.
fn nodes<I: Isa>(cx: &Context<'_, I>, outline: &I::Outline) -> BTreeMap<u32, I::Config> {
    let limit = NODES_A_WORD * I::words(cx) as usize + 8;
    let mut seen: BTreeSet<I::Config> = BTreeSet::new();
    let mut open: Vec<I::Config> = I::entry_config(cx).into_iter().collect();
    while let Some(config) = open.pop() {
        if seen.len() < limit && seen.insert(config.clone()) {
            open.extend(I::exits(cx, outline, &config));
        }
    }
    seen.into_iter().rev().map(|config| (I::config_word(&config), config)).collect()
}
