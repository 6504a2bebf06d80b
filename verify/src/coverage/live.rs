//! Changes the results of one instruction during a run of the reference ("tampering"), to find out whether any compared result changes.
//!
//! The effects of an instruction are those that the instruction set declares, or else those of its lowering: the variables and arrays it writes, the
//! effects it records, and whether it kills. The reference is then stepped one instruction at a time. Each time lanes have run the instruction, their
//! results are changed in one of two ways: one bit is flipped in every value that the instruction wrote or recorded, or the kill mark is inverted.
//! For control flow, and for an instruction without other effects, the lanes are diverted to another position.

use super::alter::{Altering, BITS, BITS_AND_SIGN, altered};
use super::direct_effects::{DirectEffects, direct_effects};
use crate::engine::{LaneOutcome, Outcome, compare, reference_with};
use lockstep_core::host::{ConcreteHost, Environment};
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::isa::lowering::NODES_PER_WORD;
use lockstep_core::isa::lowering::Successors;
use lockstep_core::isa::registers::output;
use lockstep_core::isa::run::{costs_fuel, start, step};
use lockstep_core::isa::{
    CONTROL, Context, CoverPoint, EFFECTS, End, KILLED, LaneState, Lowering, Refinement, State,
};
use lockstep_core::value::{Concrete, FreedomSet};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The kind of tampering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tamper {
    /// Flips this bit of every variable and array element that the instruction writes.
    Bit(u32),
    /// Flips a bit in the components of the effects that the instruction records; an effect without components gets another destination.
    Effects,
    /// Inverts the kill mark of lanes that were not killed before.
    Kill,
    /// Diverts control flow.
    Exit(Diversion),
}

/// The position to which a lane is diverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Diversion {
    /// Another successor of the instruction; if the instruction ends the lane, the lane hangs instead.
    Exit,
    /// The instruction that follows in the code, unless it is a successor.
    Next,
    /// The first successor of the instruction at which the lane continued.
    Past,
}

/// A case whose reference run is tampered with.
pub(super) struct Probe<'a, I: Lowering> {
    cx: Context<'a, I>,
    env: &'a Environment,
    /// The outcome of each group of lanes when no result is changed.
    normal: Vec<Outcome>,
    direct_effects: BTreeMap<u32, DirectEffects>,
    /// The keys in a lane's state.
    state_keys: BTreeSet<VarKey>,
    successors: HashMap<I::ControlState, Successors<I::ControlState>>,
    outline: I::Outline,
    /// For each instruction, a control state for lanes diverted to it.
    nodes: BTreeMap<u32, I::ControlState>,
    /// The bits to flip.
    bits: &'static [u32],
}

impl<'a, I: Refinement> Probe<'a, I> {
    pub(super) fn new(cx: Context<'a, I>, env: &'a Environment) -> Self {
        let Outcome { lanes, freedoms } = reference_with::<I, false>(&cx, env);
        let groups = lanes.chunks(usize::from(I::group(&cx)));
        let normal = groups.map(|lanes| Outcome { lanes: lanes.to_vec(), freedoms }).collect();
        let lane = I::start(&Concrete, &mut ConcreteHost::<false>::new(env, 0), &cx, 0);
        let mut held: BTreeSet<VarKey> =
            I::state(&Concrete, &cx, &lane).into_iter().map(|(key, _)| key).collect();
        let direct_effects = direct_effects(&cx);
        // The state also contains the keys that instruction sets declare for instructions themselves.
        let words = 0..I::instruction_count(&cx);
        let own = words.filter_map(|word| I::direct_effects(cx.program, word)).flatten();
        held.extend(own.filter(|key| ![KILLED, CONTROL].contains(key) && key.file != EFFECTS));
        let outline = I::outline(&cx);
        let nodes = nodes(&cx, &outline);
        Probe {
            cx,
            env,
            normal,
            direct_effects,
            state_keys: held,
            successors: HashMap::new(),
            outline,
            nodes,
            bits: &BITS,
        }
    }

    /// Returns the probe, changed so that it also flips sign bits.
    pub(super) fn with_signs(self) -> Self {
        Probe { bits: &BITS_AND_SIGN, ..self }
    }

    /// Whether some lane finishes, so that there are outputs to compare.
    pub(super) fn compares(&self) -> bool {
        self.normal.iter().flat_map(|group| &group.lanes).any(|lane| lane.end == End::Finished)
    }

    /// Returns the keys that an instruction may change and that are part of a lane's state or compared directly.
    pub(super) fn tampered_keys(&self, word: u32) -> BTreeSet<VarKey> {
        let Some(direct_effects) = self.direct_effects.get(&word) else { return BTreeSet::new() };
        let is_there = |key: &&VarKey| {
            [KILLED, CONTROL].contains(key) || key.file == EFFECTS || self.state_keys.contains(key)
        };
        let stored = self.state_keys.iter().filter(|key| direct_effects.stores.contains(&key.file));
        direct_effects.writes.iter().filter(is_there).chain(stored).copied().collect()
    }

    /// Returns those of an instruction's coverage points that are live: tampering with their effects changes the outcome.
    pub(super) fn live_points(&mut self, word: u32, points: &[CoverPoint]) -> Vec<CoverPoint> {
        let tampered_keys = self.tampered_keys(word);
        let mut known: Vec<(BTreeSet<VarKey>, bool)> = Vec::new();
        let mut live = Vec::new();
        for point in points {
            let keys: BTreeSet<VarKey> = tampered_keys
                .iter()
                .copied()
                .filter(|key| I::unit_writes(self.cx.program, word, point, *key))
                .collect();
            let is_live = match known.iter().find(|(set, _)| *set == keys) {
                Some((_, is_live)) => *is_live,
                None => {
                    let is_live = self.is_live(word, &keys);
                    known.push((keys, is_live));
                    is_live
                }
            };
            if is_live {
                live.push(point.clone());
            }
        }
        live
    }

    /// For each set of an instruction's coverage points, given as indices into the list, returns whether the effects common to all points of the set
    /// are live.
    pub(super) fn live_together(&mut self, word: u32, points: &[CoverPoint], sets: &[&[usize]]) -> Vec<bool> {
        let tampered_keys = self.tampered_keys(word);
        let keys = |point: &CoverPoint| -> BTreeSet<VarKey> {
            tampered_keys
                .iter()
                .copied()
                .filter(|key| I::unit_writes(self.cx.program, word, point, *key))
                .collect()
        };
        let keys: Vec<BTreeSet<VarKey>> = points.iter().map(keys).collect();
        let mut known: BTreeMap<BTreeSet<VarKey>, bool> = BTreeMap::new();
        let mut live = Vec::with_capacity(sets.len());
        for set in sets {
            let mut all = set.iter().map(|place| &keys[*place]);
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

    /// Whether tampering with these effects of an instruction changes the outcome of some group.
    pub(super) fn is_live(&mut self, word: u32, keys: &BTreeSet<VarKey>) -> bool {
        let mut ways = Vec::new();
        if keys.contains(&KILLED) {
            ways.push(Tamper::Kill);
        }
        if keys.iter().any(|key| key.file == EFFECTS) {
            ways.push(Tamper::Effects);
        }
        if keys.iter().any(|key| self.state_keys.contains(key)) {
            ways.extend(self.bits.iter().copied().map(Tamper::Bit));
        }
        if keys.contains(&CONTROL) {
            ways.extend([Diversion::Exit, Diversion::Next, Diversion::Past].map(Tamper::Exit));
        }
        // A changed outcome in one group is enough.
        ways.into_iter().any(|way| {
            (0..self.normal.len()).any(|group| {
                let run = self.run(group, word, keys, way);
                compare(self.cx.entry, &self.normal[group], &run).is_err()
            })
        })
    }

    /// Runs the lanes of a group while tampering with one instruction.
    fn run(&mut self, number: usize, word: u32, keys: &BTreeSet<VarKey>, way: Tamper) -> Outcome {
        let cx = self.cx;
        let env = self.env;
        let group = usize::from(I::group(&cx));
        let base = number * group;
        let stores =
            self.direct_effects.get(&word).is_some_and(|direct_effects| !direct_effects.stores.is_empty());
        let mut lanes = Vec::with_capacity(group);
        let mut d = Concrete;
        let mut host = Altering { inner: ConcreteHost::new(env, base), altered_keys: None };
        let mut running = start::<I, _, _>(&d, &mut host, &cx, group, env.fuel);
        // The control state of each lane as the lowering represents it; `None` once the lane has ended.
        let mut tracked: Vec<Option<I::ControlState>> =
            running.iter().map(|_| I::entry_control(&cx)).collect();
        loop {
            let places: Vec<Option<I::Position>> = running
                .iter()
                .map(|r| if r.end.is_some() { None } else { I::position(&cx, &r.lane) })
                .collect();
            let Some(at) = places.iter().flatten().min().copied() else {
                // Lanes without a position are stepped once more, which ends them.
                step::<I, _, _>(&mut d, &mut host, &cx, &mut running);
                break;
            };
            let active: Vec<usize> = (0..running.len()).filter(|l| places[*l] == Some(at)).collect();
            let here = active.iter().find_map(|l| tracked[*l].as_ref()).map(I::control_word);
            let hit = here == Some(word);
            host.altered_keys = (hit && way == Tamper::Effects).then_some(keys);
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
                let successors = was.as_ref().map(|control| self.successors_of(control)).unwrap_or_default();
                tracked[l] = successors.iter().find(|exit| Some(I::control_position(exit)) == now).cloned();
                if !hit {
                    continue;
                }
                match way {
                    Tamper::Effects => {}
                    Tamper::Kill => {
                        if !before[k].0 {
                            let mark = I::killed(&lane.lane);
                            I::set_state(&cx, &mut lane.lane, KILLED, Scalar::B(!mark));
                        }
                    }
                    Tamper::Bit(bit) => self.flip_written(&mut lane.lane, word, keys, bit, &before[k].1),
                    Tamper::Exit(to) => self.divert(&d, lane, &mut tracked[l], (at, word, to), &successors),
                }
            }
        }
        for (l, lane) in running.iter().enumerate().take(env.lanes.len() - base) {
            let outputs = cx.entry.interface.components();
            let outputs = outputs.map(|(slot, c)| output(&d, &cx, &lane.lane, slot)[usize::from(c)]);
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

    fn successors_of(&mut self, control: &I::ControlState) -> Successors<I::ControlState> {
        let successors = || I::successors(&self.cx, &self.outline, control);
        self.successors.entry(control.clone()).or_insert_with(successors).clone()
    }

    /// Flips a bit in the values that an instruction wrote; for an array, in the elements that it changed.
    fn flip_written(
        &self,
        lane: &mut I::Lane<Concrete>,
        word: u32,
        keys: &BTreeSet<VarKey>,
        bit: u32,
        before: &State<Concrete>,
    ) {
        let Some(direct_effects) = self.direct_effects.get(&word) else { return };
        for (k, (key, value)) in I::state(&Concrete, &self.cx, lane).into_iter().enumerate() {
            let changed = || before.get(k).is_some_and(|(_, old)| bits(old) != bits(&value));
            let wrote = direct_effects.writes.contains(&key)
                || (direct_effects.stores.contains(&key.file) && changed());
            if wrote && keys.contains(&key) {
                I::set_state(&self.cx, lane, key, altered(&value, bit));
            }
        }
    }

    /// Diverts a lane that has just run the instruction `word` at position `at`.
    fn divert(
        &mut self,
        d: &Concrete,
        lane: &mut LaneState<I::Lane<Concrete>>,
        tracked: &mut Option<I::ControlState>,
        (at, word, to): (I::Position, u32, Diversion),
        successors: &Successors<I::ControlState>,
    ) {
        if !matches!(lane.end, None | Some(End::Finished)) {
            return;
        }
        let other = match to {
            Diversion::Exit if successors.is_empty() => {
                lane.end = Some(End::Hung);
                return;
            }
            Diversion::Exit => successors.iter().find(|exit| Some(*exit) != tracked.as_ref()).cloned(),
            Diversion::Next => self.nodes.get(&(word + 1)).filter(|next| !successors.contains(next)).cloned(),
            Diversion::Past => {
                tracked.as_ref().and_then(|went| self.successors_of(&went.clone()).first().cloned())
            }
        };
        let Some(other) = other else { return };
        let values = I::state(&Concrete, &self.cx, &lane.lane);
        let mark = I::killed(&lane.lane);
        // Values are requested roughly in list order, so each search starts after the previous hit.
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
        // Fuel is charged as in the reference, so that the run terminates.
        if costs_fuel::<I>(&at, &I::control_position(&other)) {
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

/// Returns a control state for each instruction: the lowest reachable one.
fn nodes<I: Lowering>(cx: &Context<'_, I>, outline: &I::Outline) -> BTreeMap<u32, I::ControlState> {
    let limit = NODES_PER_WORD * I::instruction_count(cx) as usize + 8;
    let mut seen: BTreeSet<I::ControlState> = BTreeSet::new();
    let mut open: Vec<I::ControlState> = I::entry_control(cx).into_iter().collect();
    while let Some(control) = open.pop() {
        if seen.len() < limit && seen.insert(control.clone()) {
            open.extend(I::successors(cx, outline, &control));
        }
    }
    seen.into_iter().rev().map(|control| (I::control_word(&control), control)).collect()
}
