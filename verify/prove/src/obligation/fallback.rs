//! Step simulation of the fallback. From arbitrary register values and every control state of an invariant, the fallback's code for a word must have
//! the same effect as the reference, the next control state must be in the invariant again, and the variables must represent it.
//!
//! The invariant is the set of nodes of the program: each lane is at one of them, and the fallback's variables contain what
//! [`Refinement::fallback_state`] lists for the node. Further claims are that lanes start in the invariant and never leave it.

mod wrong_lane;

use super::effects::{self, claim_effects, count_effects};
use super::listed::Listed;
use super::lowering::masks;
use super::registers::Registers;
use super::simulate::bits;
use crate::claims::ClaimBuilder;
use crate::host::{SymbolicHost, term};
use crate::number;
use crate::sabotage::{self, Sabotage};
use crate::term::{B, F, Map, Set, Term, Terms, explore};
use lockstep_core::ir::eval::{self, Scalar, Stop};
use lockstep_core::ir::{self, BlockId, Terminator, VarKey};
use lockstep_core::isa::lowering::Nodes;
use lockstep_core::isa::lowering::{PC_FILE, hang_word};
use lockstep_core::isa::{self, Context, End, KILLED, LaneState, Lowering, Refinement, Syntax};
use lockstep_core::value::Domain;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The fuel at the start of a word: more than one word consumes.
const FUEL: u32 = 8;
/// The maximum number of paths through one word.
const MAX_PATHS: usize = 4096;

/// The location in which the fallback stores a register: a variable or an element of an array.
#[derive(Clone, Copy)]
enum Storage {
    Var(usize),
    Element(usize, usize),
}

/// The state of a lane before a word: the fallback's variables and arrays, the kill mark, the reference state that they represent, and the location
/// of each register of that state.
struct LaneBefore {
    vars: Vec<Scalar<Terms>>,
    arrays: Vec<Vec<F>>,
    killed: B,
    state: isa::State<Terms>,
    storage: Vec<Option<Storage>>,
}

/// A program lowered by the fallback, whose words are compared with the reference.
pub(super) struct Fallback<'a, 'r, 'e, I: Lowering> {
    cx: Context<'a, I>,
    /// The block with the dispatch switch.
    dispatch: BlockId,
    pc: usize,
    storage: Map<VarKey, Storage>,
    keys: Vec<VarKey>,
    /// For each word, the control states of the invariant in which lanes have not ended.
    states: BTreeMap<u32, Vec<I::ControlState>>,
    invariant: Set<I::ControlState>,
    registers: &'r mut Registers<'e>,
    /// The lanes to run. The lanes are built once, and their values are set before each word.
    lanes: Vec<eval::Lane<Terms>>,
    /// The number of values in the program for which the lanes were built. Mutants may have more values.
    values: u32,
    /// The registers that the reference lists for a lane at a node.
    listed: Map<I::ControlState, Result<Rc<Listed>, String>>,
    /// The lane groups that were run through the current word: the number of lanes, and a bit mask of those that ran.
    lane_groups_run: BTreeSet<(usize, u8)>,
    /// The claims about the current word that must be shown to fail on a corrupted lane.
    failing: Failing,
    /// The boundary values for random assignments to the unknowns of claims.
    boundaries: Vec<u32>,
}

/// The claims about a word that must be shown to fail.
enum Failing {
    /// None: the program is a mutant.
    Nothing,
    /// Each claim, on a corrupted lane; the flag states whether this has been done.
    EachClaim(bool),
    /// Some claim, on a lane that lost a write: the number of paths tried, and the write whose loss was detected.
    DroppedWrite(usize, Option<String>),
}

/// The maximum number of paths on which writes are dropped to find one whose loss is detected.
const PATHS_WITH_DROPS: usize = 4;

impl<'a, 'r, 'e, I: Syntax + Refinement> Fallback<'a, 'r, 'e, I> {
    /// Prepares the simulation of a program lowered by [`lower_by_words`](lockstep_core::isa::lowering::lower_by_words) and by nodes; `None` if no
    /// block dispatches.
    pub(super) fn new(
        d: &Terms,
        cx: Context<'a, I>,
        program: &ir::Program,
        nodes: &(ir::Program, Nodes<I::ControlState>),
        registers: &'r mut Registers<'e>,
    ) -> Option<Self> {
        let dispatches = |b: &u32| {
            let block = program.blocks.get(*b as usize);
            block.is_some_and(|block| matches!(block.terminator, Terminator::Switch(..)))
        };
        let dispatch = BlockId([0, 1].into_iter().find(dispatches)?);
        let pc = program.vars.iter().position(|var| var.key.file == PC_FILE)?;
        registers.declare(program);
        registers.declare(&nodes.0);
        let mut storage: Map<VarKey, Storage> = Map::default();
        storage.extend(program.vars.iter().enumerate().map(|(n, var)| (var.key, Storage::Var(n))));
        for (a, decl) in program.arrays.iter().enumerate() {
            storage.extend((0..decl.len as usize).map(|k| (decl.key(k), Storage::Element(a, k))));
        }
        let keys = program.vars.iter().map(|var| var.key).collect();
        let lanes = (0..usize::from(program.group.max(1)))
            .map(|_| eval::Lane::new(d, &mut SymbolicHost::default(), program, FUEL))
            .collect();
        let mut states: BTreeMap<u32, Vec<I::ControlState>> = BTreeMap::new();
        let invariant: Set<I::ControlState> = nodes.1.iter().map(|(_, control)| control.clone()).collect();
        for (_, control) in &nodes.1 {
            let lane = registers.lane(d, &cx, control, 0);
            if I::position(&cx, &lane).is_some() {
                states.entry(I::control_word(control)).or_default().push(control.clone());
            }
        }
        let values = program.values;
        let (listed, ran) = (Map::default(), BTreeSet::new());
        Some(Fallback {
            cx,
            dispatch,
            pc,
            storage,
            keys,
            states,
            invariant,
            registers,
            lanes,
            values,
            listed,
            lane_groups_run: ran,
            failing: Failing::Nothing,
            boundaries: number::boundaries(),
        })
    }

    /// Returns the invariant: the control states that lanes can be in.
    pub(super) fn invariant(&self) -> &Set<I::ControlState> {
        &self.invariant
    }

    /// Consumes the simulation and returns the invariant.
    pub(super) fn into_invariant(self) -> Set<I::ControlState> {
        self.invariant
    }

    /// Returns the index of the program counter: the variable that contains the number of the next word.
    pub(super) fn counter(&self) -> usize {
        self.pc
    }

    /// Returns the words that lanes can reach.
    pub(super) fn words(&self) -> Vec<u32> {
        self.states.keys().copied().collect()
    }

    /// Removes the control states of a word from the invariant.
    #[cfg(test)]
    pub(super) fn forget(&mut self, word: u32) {
        for control in self.states.remove(&word).unwrap_or_default() {
            self.invariant.remove(&control);
        }
    }

    /// Returns the block to which the dispatch switch leads for a word, in `program` or a mutant of it.
    pub(super) fn block_of(&self, program: &ir::Program, word: u32) -> Option<BlockId> {
        match &program.blocks.get(self.dispatch.0 as usize)?.terminator {
            Terminator::Switch(_, targets) => targets.get(word as usize).copied(),
            _ => None,
        }
    }

    /// Returns the mutant of `program` in which another word runs in place of `word`, with its name.
    pub(super) fn with_wrong_word(&self, program: &ir::Program, word: u32) -> (String, ir::Program) {
        let mut mutant = program.clone();
        let other = word.checked_sub(1).unwrap_or(1);
        if let Terminator::Switch(_, targets) = &mut mutant.blocks[self.dispatch.0 as usize].terminator
            && let Some(target) = targets.get(other as usize).copied()
            && let Some(place) = targets.get_mut(word as usize)
        {
            *place = target;
        }
        (format!("word {other} in its place"), mutant)
    }

    /// Makes the claims about the initial state and the end. The variables' initial values must represent the reference's initial state, which must
    /// be in the invariant. The word numbers after the last word must end a lane or hang it.
    pub(super) fn start(&mut self, d: &Terms, program: &ir::Program, claims: &mut ClaimBuilder) {
        let (cx, mut d) = (self.cx, d.clone());
        let (mut reference_host, mut host) = (SymbolicHost::default(), SymbolicHost::default());
        let group = isa::run::start(&d, &mut reference_host, &cx, 1, FUEL);
        let lane = &group[0].lane;
        let mut after = eval::Lane::new(&d, &mut host, program, FUEL);
        if after.next_block != self.dispatch {
            eval::step(&mut d, &mut host, program, std::slice::from_mut(&mut after));
        }
        claims.claim_holds(&d, || "the first block dispatches".to_owned(), after.next_block == self.dispatch);
        let control = I::control(&cx, lane);
        let known = control.as_ref().is_some_and(|control| self.invariant.contains(control));
        claims.claim_holds(&d, || "the first control state is in the invariant".to_owned(), known);
        let Some(control) = control else { return };
        self.claim_initial_state(&d, &group[0], &control, &after, claims);
        claim_effects(&d, 0, &reference_host, &host, claims);
        if let Some(what) = self.find_undetected_at_start(&d, program, &group[0], &control, &after) {
            claims.record_missing(|| format!("the initial state: no claim fails for {what}"));
        }
        let words = I::instruction_count(&cx);
        let hang = hang_word(words);
        for (number, ends) in [(words, Stop::Finished), (hang, Stop::Hung), (hang + 1, Stop::Finished)] {
            let mut lane = self.lanes[0].clone();
            lane.vars[self.pc] = Scalar::I(d.i(number as i32));
            lane.next_block = self.dispatch;
            for _ in 0..2 {
                eval::step(&mut d, &mut host, program, std::slice::from_mut(&mut lane));
            }
            claims.claim_holds(&d, || format!("where word number {number} leads"), lane.stop == Some(ends));
        }
    }

    /// Makes the claims about the state when the first word is dispatched.
    fn claim_initial_state(
        &mut self,
        d: &Terms,
        first: &LaneState<I::Lane<Terms>>,
        control: &I::ControlState,
        after: &eval::Lane<Terms>,
        claims: &mut ClaimBuilder,
    ) {
        let cx = self.cx;
        // Destructured without `..`, so that a new field must be handled here; the lane's position has already been claimed.
        let LaneState { lane, fuel, end } = first;
        let eval::Lane { vars, arrays: _, killed, fuel: our_fuel, next_block: _, stop, values: _ } = after;
        let goes_on = end.is_none() && stop.is_none();
        claims.claim_holds(d, || "the lane continues".to_owned(), goes_on);
        claims.claim_holds(d, || "first value of fuel".to_owned(), fuel == our_fuel);
        let number = d.i(I::control_word(control) as i32);
        claims.claim_equal(d, || "the first word".to_owned(), number.0, term(&vars[self.pc]).1);
        claims.claim_equal(d, || "first value of killed".to_owned(), I::killed(lane).0, killed.0);
        let name = |key| format!("first value of {}", I::var_name(cx.entry, key));
        let encoded = I::fallback_state(d, &mut SymbolicHost::default(), &cx, control, lane, 0);
        let mut listed: Set<VarKey> = Set::default();
        for (key, expected) in I::state(d, &cx, lane).iter().chain(&encoded) {
            listed.insert(*key);
            if let Some(place) = self.storage.get(key).filter(|_| !sabotage::is(Sabotage::WordFirstUnclaimed))
            {
                claims.claim_equal(d, || name(*key), term(expected).1, stored_value(after, *place));
            }
        }
        // The registers of the first word's lane must have an initial value.
        for key in self.registers.lane_with_keys(d, &cx, control, 0).1 {
            if self.storage.contains_key(&key) && !listed.contains(&key) {
                claims.claim_holds(d, || name(key), false);
            }
        }
    }

    /// Makes the claims about a word from every control state of the invariant. Records a missing claim if it was not shown, on corrupted lanes, that
    /// claims fail.
    pub(super) fn claim_word(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        word: u32,
        claims: &mut ClaimBuilder,
    ) {
        self.failing = Failing::EachClaim(false);
        self.claim_from_states(d, program, word, claims);
        if matches!(self.failing, Failing::EachClaim(false)) {
            claims.record_missing(|| "it was not shown that the claims about the word can fail".to_owned());
        }
        self.failing = Failing::Nothing;
    }

    /// Makes the claims about a word under non-default options. Also returns a write whose loss is detected, if there is one.
    pub(super) fn claim_word_and_find_drop(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        word: u32,
        claims: &mut ClaimBuilder,
    ) -> Option<String> {
        self.failing = Failing::DroppedWrite(0, None);
        self.claim_from_states(d, program, word, claims);
        match std::mem::replace(&mut self.failing, Failing::Nothing) {
            Failing::DroppedWrite(_, missed) => missed,
            _ => None,
        }
    }

    /// Makes the claims about a word of a mutant.
    pub(super) fn claim_mutant(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        word: u32,
        claims: &mut ClaimBuilder,
    ) {
        self.failing = Failing::Nothing;
        self.claim_from_states(d, program, word, claims);
    }

    fn claim_from_states(&mut self, d: &Terms, program: &ir::Program, word: u32, claims: &mut ClaimBuilder) {
        let block = self.block_of(program, word);
        let across = block.is_some_and(|block| program.block(block).iter().any(|i| i.op.is_quad()));
        let quad = across && self.lanes.len() == 4;
        let lanes = if quad { 4 } else { 1 };
        let mut paths = 0u64;
        self.lane_groups_run.clear();
        for control in self.states.get(&word).cloned().unwrap_or_default() {
            let group: Vec<I::Lane<Terms>> =
                (0..lanes).map(|l| self.registers.lane(d, &self.cx, &control, l)).collect();
            let reached = I::control(&self.cx, &group[0]);
            claims.claim_holds(d, || "the control state".to_owned(), reached.as_ref() == Some(&control));
            for way in 0..I::fallback_encodings(&self.cx, &control) {
                let before: Vec<LaneBefore> = group
                    .iter()
                    .enumerate()
                    .map(|(l, lane)| self.values_before(d, program, &control, (l, lane), way))
                    .collect();
                for active in masks(lanes) {
                    let explored = explore(d, MAX_PATHS, || {
                        paths += 1;
                        self.path(&mut d.clone(), program, block, &group, &before, *active, claims);
                    });
                    claims.record_exploration(explored, paths);
                }
            }
        }
        let some = |few: u32, most: u32| {
            let mut all = self.lane_groups_run.iter();
            all.any(|(_, active)| (few..=most).contains(&active.count_ones()))
        };
        let all = if quad { some(1, 3) && some(4, 4) } else { some(1, 1) };
        if !all {
            claims.record_missing(|| "a run of the word, with whole or partly ended quads".to_owned());
        }
    }

    /// Returns those registers listed for a lane at a node that have a variable in the fallback.
    fn listed(&mut self, d: &Terms, control: &I::ControlState) -> Result<Rc<Listed>, String> {
        if let Some(known) = self.listed.get(control) {
            return known.clone();
        }
        let cx = self.cx;
        let (lane, asked) = self.registers.lane_with_keys(d, &cx, control, 0);
        let mut all = self.state(d, &lane);
        let own = all.len();
        for (key, value) in I::fallback_state(d, &mut SymbolicHost::default(), &cx, control, &lane, 0) {
            if !all[..own].iter().any(|(known, _)| *known == key) {
                all.push((key, value));
            }
        }
        let (storage, registers) = (&self.storage, &mut *self.registers);
        let listed = Listed::new(
            &all,
            &asked,
            &|key| storage.contains_key(&key) && !I::is_node_only(key),
            &mut |key| registers.before::<I>(d, 0, key),
            &|key| I::var_name(cx.entry, key),
        )
        .map(Rc::new);
        self.listed.insert(control.clone(), listed.clone());
        listed
    }

    /// Returns the reference's list of a lane's registers.
    fn state(&self, d: &Terms, lane: &I::Lane<Terms>) -> isa::State<Terms> {
        let mut state = I::state(d, &self.cx, lane);
        if sabotage::is(Sabotage::RegisterLeftOut) {
            state.retain(|(key, _)| key.component != 0);
        }
        state
    }

    /// Returns the values of lane `l` before a word, for the reference and for the fallback.
    fn values_before(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        control: &I::ControlState,
        (l, lane): (usize, &I::Lane<Terms>),
        encoding: usize,
    ) -> LaneBefore {
        let cx = self.cx;
        let state = self.state(d, lane);
        let encoded = I::fallback_state(d, &mut SymbolicHost::default(), &cx, control, lane, encoding);
        let mut vars: Vec<Scalar<Terms>> =
            self.keys.iter().map(|key| self.registers.before::<I>(d, l, *key)).collect();
        let added = program.vars.iter().skip(vars.len());
        vars.extend(added.map(|var| Scalar::literal(d, var.ty, var.init)));
        let mut arrays: Vec<Vec<F>> = program
            .arrays
            .iter()
            .map(|decl| {
                let element = |k| self.registers.before::<I>(d, l, decl.key(k)).f(d);
                (0..decl.len as usize).map(element).collect()
            })
            .collect();
        for (key, value) in state.iter().chain(&encoded) {
            match self.storage.get(key) {
                Some(Storage::Var(n)) => vars[*n] = value.clone(),
                Some(Storage::Element(a, k)) => arrays[*a][*k] = value.f(d),
                None => {}
            }
        }
        vars[self.pc] = Scalar::I(d.i(I::control_word(control) as i32));
        let storage = state.iter().map(|(key, _)| self.storage.get(key).copied()).collect();
        let killed = self.registers.before::<I>(d, l, KILLED).b(d);
        LaneBefore { vars, arrays, killed, state, storage }
    }

    #[allow(clippy::too_many_arguments)] // what a path is made of
    fn path(
        &mut self,
        d: &mut Terms,
        program: &ir::Program,
        block: Option<BlockId>,
        group: &[I::Lane<Terms>],
        before: &[LaneBefore],
        active: u8,
        claims: &mut ClaimBuilder,
    ) {
        let cx = self.cx;
        let runs = |l: usize| active >> l & 1 == 1;
        let (mut reference_host, mut host) = (SymbolicHost::default(), SymbolicHost::default());
        let running = |(l, lane): (usize, &I::Lane<Terms>)| LaneState {
            lane: lane.clone(),
            fuel: FUEL,
            end: (!runs(l)).then_some(End::Finished),
        };
        let mut group: Vec<LaneState<I::Lane<Terms>>> = group.iter().enumerate().map(running).collect();
        // A mutant may compute more values than the lanes can store.
        let own = program.values == self.values;
        let mut after = if own {
            std::mem::take(&mut self.lanes)
        } else {
            group.iter().map(|_| eval::Lane::new(d, &mut host, program, FUEL)).collect()
        };
        for (l, (lane, before)) in after.iter_mut().zip(before).enumerate() {
            lane.vars.clone_from(&before.vars);
            lane.arrays.clone_from(&before.arrays);
            (lane.killed, lane.fuel) = (before.killed, FUEL);
            (lane.next_block, lane.stop) = (self.dispatch, (!runs(l)).then_some(Stop::Finished));
        }
        let lanes = &mut after[..group.len()];
        let (theirs, ours) =
            (bits(group.iter().map(|r| r.end.is_none())), bits(lanes.iter().map(|lane| lane.stop.is_none())));
        if theirs == ours {
            self.lane_groups_run.insert((group.len(), ours));
        }

        isa::run::step(d, &mut reference_host, &cx, &mut group);
        // Runs to the word's block and through it; then each lane separately back to the dispatch block.
        for _ in 0..2 {
            eval::step(d, &mut host, program, lanes);
        }
        for lane in lanes.iter_mut() {
            let mut hops = 0;
            while lane.stop.is_none() && lane.next_block != self.dispatch && hops < 2 {
                eval::step(d, &mut host, program, std::slice::from_mut(lane));
                hops += 1;
            }
        }
        for l in (0..group.len()).filter(|l| runs(*l)) {
            self.compare(d, program, l, &before[l], &group[l], &lanes[l], claims);
            claim_effects(d, l, &reference_host, &host, claims);
            if host.effect_count(l) != Some(count_effects(program, block)) {
                claims.record_missing(|| format!("lane {l}: all effects of the word"));
            }
            if matches!(self.failing, Failing::EachClaim(false)) {
                self.failing = Failing::EachClaim(true);
                let unnoticed = self.find_undetected(d, program, l, &before[l], &group[l], &lanes[l]);
                if let Some(what) =
                    unnoticed.or_else(|| effects::find_undetected(d, l, &reference_host, &host))
                {
                    claims.record_missing(|| format!("lane {l}: no claim fails for {what}"));
                }
            }
            if let Failing::DroppedWrite(tried, None) = &self.failing
                && *tried < PATHS_WITH_DROPS
            {
                let tried = tried + 1;
                let missed =
                    self.find_detected_drop(d, program, block, l, &before[l], &group[l], &mut lanes[l]);
                self.failing = Failing::DroppedWrite(tried, missed);
            }
        }
        if own {
            self.lanes = after;
        }
    }

    #[allow(clippy::too_many_arguments)] // two machines, before and after
    fn compare(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        l: usize,
        before: &LaneBefore,
        reference: &LaneState<I::Lane<Terms>>,
        after: &eval::Lane<Terms>,
        claims: &mut ClaimBuilder,
    ) {
        let cx = self.cx;
        let words = I::instruction_count(&cx);
        // Destructured without `..`, so that a new field must be handled here. Arrays are looked up by register; values are not read outside their
        // block.
        let LaneState { lane: reference, fuel, end } = reference;
        let eval::Lane { vars, arrays: _, killed, fuel: our_fuel, next_block: our_place, stop, values: _ } =
            after;
        let control = I::control(&cx, reference);
        let (ends, number) = match (end, &control) {
            (Some(End::Hung), _) => (Some(Stop::Hung), hang_word(words)),
            (Some(End::OutOfFuel), _) => (Some(Stop::OutOfFuel), words),
            (Some(_), _) | (None, None) => (Some(Stop::Finished), words),
            (None, Some(control)) => (None, I::control_word(control)),
        };
        match *stop {
            Some(stop) => claims.claim_holds(d, || format!("lane {l}: how it ends"), Some(stop) == ends),
            None => {
                claims.claim_holds(d, || format!("lane {l}: the word is done"), *our_place == self.dispatch);
                let next = d.i(number as i32);
                claims.claim_equal(d, || format!("lane {l}: the next word"), next.0, term(&vars[self.pc]).1);
            }
        }
        if matches!(ends, Some(Stop::OutOfFuel | Stop::Hung)) {
            return;
        }
        claims.claim_holds(d, || format!("lane {l}: fuel"), fuel == our_fuel);
        claims.claim_equal(d, || format!("lane {l}: killed"), I::killed(reference).0, killed.0);
        if ends.is_some() {
            let made = claims.claim_count();
            let lost = usize::from(sabotage::is(Sabotage::WordOutputLost));
            for (number, var) in program.outputs.iter().skip(lost) {
                let output = isa::registers::output(d, &cx, reference, number / 4);
                let name =
                    || format!("lane {l}: output {}.{}", I::output_name(cx.entry, number / 4), number % 4);
                claims.claim_equal(d, name, output[usize::from(number % 4)].0, term(&vars[var.0 as usize]).1);
            }
            if claims.claim_count() - made != program.outputs.len() as u64 {
                claims.record_missing(|| format!("lane {l}: some outputs"));
            }
            return;
        }
        let Some(control) = control else { return };
        let known = self.invariant.contains(&control);
        claims.claim_holds(d, || format!("lane {l}: the control state is in the invariant"), known);
        let listed = self.listed(d, &control);
        let state = self.state(d, reference);
        let mut declared = 0;
        for (k, (key, expected)) in
            state.iter().enumerate().skip(usize::from(sabotage::is(Sabotage::WordRegisterLost)))
        {
            if I::is_node_only(*key) {
                continue;
            }
            if let Ok(listed) = &listed {
                let known = listed.declares(k, *key).unwrap_or_else(|| self.storage.contains_key(key));
                declared += usize::from(known);
            }
            // The keys are nearly always in the same order as before.
            let (place, old) = match before.state.get(k).filter(|(same, _)| same == key) {
                Some((_, old)) => (before.storage[k], Some(old)),
                None => {
                    let old = before.state.iter().find(|(same, _)| same == key).map(|(_, old)| old);
                    (self.storage.get(key).copied(), old)
                }
            };
            // A register without a variable of the fallback keeps its value.
            let ours = match (place, old) {
                (Some(place), _) => stored_value(after, place),
                (None, Some(old)) => term(old).1,
                (None, None) => term(&self.registers.before::<I>(d, l, *key)).1,
            };
            claims.claim_equal(
                d,
                || format!("lane {l}: {}", I::var_name(cx.entry, *key)),
                term(expected).1,
                ours,
            );
        }
        // Listed registers that are not in the state are the fallback's own control state.
        let missing = match listed {
            Err(what) => Some(what),
            Ok(listed) => {
                let all = listed.declared_of(state.len());
                (all != declared).then(|| format!("{declared} of {all} registers that the fallback declares"))
            }
        };
        if let Some(what) = missing {
            claims.record_missing(|| format!("lane {l}: {what}"));
        }
        self.claim_control_state(d, l, &control, reference, after, claims);
    }

    /// Makes the claims about the variables for control state: they must hold one of the possible encodings of `control`.
    fn claim_control_state(
        &self,
        d: &Terms,
        l: usize,
        control: &I::ControlState,
        reference: &I::Lane<Terms>,
        after: &eval::Lane<Terms>,
        claims: &mut ClaimBuilder,
    ) {
        let cx = self.cx;
        let mut host = SymbolicHost::default();
        let pairs = |way: usize, host: &mut SymbolicHost<'_>| -> Vec<(VarKey, Term, Term)> {
            let all = I::fallback_state(d, host, &cx, control, reference, way);
            let declared = all.into_iter().filter_map(|(key, expected)| {
                Some((key, term(&expected).1, stored_value(after, *self.storage.get(&key)?)))
            });
            declared.collect()
        };
        let ways = I::fallback_encodings(&cx, control);
        let same = |(_, a, b): &(VarKey, Term, Term)| a == b || d.under_path(*a) == d.under_path(*b);
        let way = (0..ways).find(|way| pairs(*way, &mut host).iter().all(same)).unwrap_or(0);
        for (key, expected, ours) in pairs(way, &mut host) {
            claims.claim_equal(d, || format!("lane {l}: {}", I::var_name(cx.entry, key)), expected, ours);
        }
    }
}

fn stored_value(lane: &eval::Lane<Terms>, storage: Storage) -> Term {
    match storage {
        Storage::Var(n) => term(&lane.vars[n]).1,
        Storage::Element(a, k) => lane.arrays[a][k].0,
    }
}

#[cfg(test)]
mod tests;
