//! Step simulation: from arbitrary register values, a block of a lowered program has the same effect as the reference running the
//! instructions that the block contains, and continues at the same position.

mod wrong_lane;

use super::audit::{self, Coverage};
use super::effects::{self, claim_effects, count_effects};
use super::listed::Listed;
use super::registers::Registers;
use crate::claims::ClaimBuilder;
use crate::host::{SymbolicHost, term};
use crate::sabotage::{self, Sabotage};
use crate::term::{Map, Path, Terms, explore};
use lockstep_core::ir::eval::{self, Scalar, Stop};
use lockstep_core::ir::{self, BlockId, VarKey};
use lockstep_core::isa::lowering::Nodes;
use lockstep_core::isa::{self, Context, End, KILLED, LaneState, Lowering, Reference, Refinement, Syntax};
use lockstep_core::value::Domain;
use std::rc::Rc;

/// The fuel at the start of a step: more than a step consumes.
const FUEL: u32 = 8;
/// The maximum number of paths through one block: four lanes that each decide up to three times.
const MAX_PATHS: usize = 4096;

/// A lowered program whose blocks are compared with the reference.
pub(super) struct Simulation<'a, I: Lowering> {
    cx: Context<'a, I>,
    /// The first node of each block that starts with one, and the number of nodes in it.
    leaders: Map<BlockId, (I::ControlState, usize)>,
    order: Vec<BlockId>,
    registers: Registers<'a>,
    /// The location in which the program stores each register.
    storage: Map<VarKey, Storage>,
    /// The number of variables of the program. Variables beyond it exist only in a mutant.
    vars: usize,
    /// The reference's lanes before a step, by lane number and block: the lanes at the first node of the block.
    reference_lanes: Map<(usize, BlockId), I::Lane<Terms>>,
    lanes: Vec<eval::Lane<Terms>>,
    /// The reference's runs on each path through a block, which are reused for every mutant of the program.
    reference_runs: Map<(BlockId, usize, u8), Vec<Rc<ReferenceRun<I>>>>,
    /// The registers listed for a lane at the first node of a block.
    listed: Map<BlockId, Result<Rc<Listed>, String>>,
    done: Coverage,
}

/// The location in which a program stores a register.
#[derive(Clone, Copy)]
enum Storage {
    Var(usize),
    Element(usize, usize),
}

/// The reference's run on one path.
struct ReferenceRun<I: Reference> {
    /// The path at the end of the run.
    path: Path,
    group: Vec<LaneState<I::Lane<Terms>>>,
    /// The registers of each lane.
    states: Vec<isa::State<Terms>>,
    host: SymbolicHost<'static>,
    /// A bit for each lane that had not ended before the run.
    active: u8,
}

impl<'a, I: Syntax + Refinement> Simulation<'a, I> {
    /// Prepares the simulation of a program lowered by [`lower_with_nodes`](lockstep_core::isa::lowering::lower_with_nodes).
    pub(super) fn new(cx: Context<'a, I>, program: &ir::Program, nodes: &Nodes<I::ControlState>) -> Self {
        let mut leaders: Map<BlockId, (I::ControlState, usize)> = Map::default();
        let mut order = Vec::new();
        for (block, control) in nodes {
            match leaders.get_mut(block) {
                Some((_, count)) => *count += 1,
                None => {
                    leaders.insert(*block, (control.clone(), 1));
                    order.push(*block);
                }
            }
        }
        if sabotage::is(Sabotage::LeaderLost)
            && let Some(block) = order.pop()
        {
            leaders.remove(&block);
        }
        let mut registers = Registers::new(cx.entry);
        registers.declare(program);
        let mut storage: Map<VarKey, Storage> =
            program.vars.iter().enumerate().map(|(n, var)| (var.key, Storage::Var(n))).collect();
        for (a, decl) in program.arrays.iter().enumerate() {
            storage.extend((0..decl.len as usize).map(|k| (decl.key(k), Storage::Element(a, k))));
        }
        Simulation {
            cx,
            leaders,
            order,
            registers,
            storage,
            vars: program.vars.len(),
            reference_lanes: Map::default(),
            lanes: Vec::new(),
            reference_runs: Map::default(),
            listed: Map::default(),
            // The claims are the same under all option settings, so they are shown to fail under the default options only.
            done: Coverage { can_fail: cx.options.changed().next().is_none(), ..Coverage::default() },
        }
    }

    /// Returns the simulation for use on mutants of the program: their claims need not be shown to fail.
    pub(super) fn for_mutants(mut self) -> Self {
        self.done.can_fail = false;
        self
    }

    /// Reports required checks that were not made for this program: see [`audit`].
    pub(super) fn audit(
        &self,
        program: &ir::Program,
        nodes: &Nodes<I::ControlState>,
        quads: bool,
        claims: &mut ClaimBuilder,
    ) {
        if let Some(what) = audit::find_missing(&self.cx, program, nodes, &self.done, quads) {
            claims.record_missing(|| what);
        }
    }

    /// Returns the blocks that start with a node.
    pub(super) fn blocks(&self) -> &[BlockId] {
        if sabotage::is(Sabotage::OneBlock) { &self.order[..1] } else { &self.order }
    }

    /// Returns the blocks whose claims a change to `block` can affect: the block itself if it starts with a node, otherwise the blocks that start
    /// with a node and from which it is reached through blocks that do not. Also returns whether the prologue reaches it in this way.
    pub(super) fn affected(&self, program: &ir::Program, block: BlockId) -> (Vec<BlockId>, bool) {
        let mut all: Vec<BlockId> = Vec::new();
        let mut seen = vec![block];
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            if self.leaders.contains_key(&block) {
                all.push(block);
                continue;
            }
            let leads = |b: &BlockId| program.blocks[b.0 as usize].terminator.targets().any(|t| t == block);
            let before: Vec<BlockId> = (0..program.blocks.len() as u32).map(BlockId).filter(leads).collect();
            work.extend(before.iter().filter(|b| !seen.contains(*b)));
            seen.extend(before);
        }
        (all, seen.iter().any(|block| self.is_prologue(program, *block)))
    }

    /// Whether a block is the prologue, which runs before the first instruction.
    fn is_prologue(&self, program: &ir::Program, block: BlockId) -> bool {
        block.0 == program.entry && !self.leaders.contains_key(&block)
    }

    /// Returns the value of a register before the step: an unknown.
    fn before(&mut self, d: &Terms, lane: usize, key: VarKey) -> Scalar<Terms> {
        self.registers.before::<I>(d, lane, key)
    }

    /// Makes the claims about one block of `program`, which may be a mutant of the original program.
    ///
    /// The group has `lanes` lanes. The lanes whose bit is set in `active` run the block; the other lanes have ended.
    pub(super) fn block(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        block: BlockId,
        lanes: usize,
        active: u8,
        claims: &mut ClaimBuilder,
    ) {
        let mut paths = 0u64;
        let explored = explore(d, MAX_PATHS, || {
            paths += 1;
            self.path(&mut d.clone(), program, block, lanes, active, claims);
        });
        claims.record_exploration(explored, paths);
    }

    /// Makes the claims about the initial state: the variables' initial values, after the prologue if there is one, equal the reference's initial
    /// state.
    pub(super) fn start(&mut self, d: &Terms, program: &ir::Program, claims: &mut ClaimBuilder) {
        let (cx, mut d) = (self.cx, d.clone());
        self.done.initial_checked = true;
        let (mut reference_host, mut ir_host) = (SymbolicHost::default(), SymbolicHost::default());
        let group = isa::run::start(&d, &mut reference_host, &cx, 1, FUEL);
        let mut after = [eval::Lane::new(&d, &mut ir_host, program, FUEL)];
        if !self.leaders.contains_key(&BlockId(program.entry)) {
            eval::step(&mut d, &mut ir_host, program, &mut after);
        }
        let [after] = after;
        self.compare_start(&d, program, &group[0], &after, claims);
        claim_effects(&d, 0, &reference_host, &ir_host, claims);
        if self.done.can_fail {
            self.done.initial_shown_to_fail = true;
            if let Some(what) = self.find_undetected_at_start(&d, program, &group[0], &after) {
                claims.record_missing(|| format!("the initial state: no claim fails for {what}"));
            }
        }
    }

    fn compare_start(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        first: &LaneState<I::Lane<Terms>>,
        after: &eval::Lane<Terms>,
        claims: &mut ClaimBuilder,
    ) {
        let cx = self.cx;
        // Destructured without `..`, so that a new field must be handled here.
        let LaneState { lane, fuel, end } = first;
        let eval::Lane { vars: _, arrays: _, killed, fuel: our_fuel, next_block: at, stop, values: _ } =
            after;
        let control = self.leaders.get(at).map(|(control, _)| control.clone()).filter(|_| stop.is_none());
        let arrives = control.as_ref().map(I::control_position);
        let same = end.is_none() && control.is_some() && arrives == I::position(&cx, lane);
        claims.claim_holds(d, || "the first instruction".to_owned(), same);
        claims.claim_holds(d, || "first value of fuel".to_owned(), fuel == our_fuel);
        claims.claim_equal(d, || "first value of killed".to_owned(), I::killed(lane).0, killed.0);
        let asked =
            control.map_or_else(Vec::new, |control| self.registers.lane_with_keys(d, &cx, &control, 0).1);
        let first: Map<VarKey, Scalar<Terms>> = self.state(d, lane).into_iter().collect();
        for (key, value) in stored_values(program, after).filter(|_| !sabotage::is(Sabotage::FirstUnclaimed))
        {
            let name = || format!("first value of {}", I::var_name(cx.entry, key));
            match first.get(&key) {
                Some(expected) => claims.claim_equal(d, name, term(expected).1, term(&value).1),
                // The registers of the first node's lane must have an initial value.
                None if asked.contains(&key) => claims.claim_holds(d, name, false),
                None => {}
            }
        }
    }

    /// Returns the reference's lane at the first node of a block.
    fn refined(&mut self, d: &Terms, lane: usize, block: BlockId) -> I::Lane<Terms> {
        if let Some(known) = self.reference_lanes.get(&(lane, block)) {
            return known.clone();
        }
        let (cx, control) = (self.cx, self.leaders[&block].0.clone());
        let refined = I::refine(d, &cx, &control, &mut |key| self.before(d, lane, key));
        self.reference_lanes.insert((lane, block), refined.clone());
        refined
    }

    /// Returns the list of a lane's registers.
    fn state(&self, d: &Terms, lane: &I::Lane<Terms>) -> isa::State<Terms> {
        let mut state = I::state(d, &self.cx, lane);
        if sabotage::is(Sabotage::RegisterLeftOut) {
            state.retain(|(key, _)| key.component != 0);
        }
        state
    }

    /// Returns the registers listed for a lane at the first node of a block.
    fn listed(&mut self, d: &Terms, block: BlockId) -> Result<Rc<Listed>, String> {
        if let Some(known) = self.listed.get(&block) {
            return known.clone();
        }
        let cx = self.cx;
        let Some((control, _)) = self.leaders.get(&block).cloned() else { return Ok(Rc::default()) };
        let (lane, asked) = self.registers.lane_with_keys(d, &cx, &control, 0);
        // For a lane that has ended only its visible state is listed.
        let asked = if I::position(&cx, &lane).is_some() { asked } else { Vec::new() };
        let state = self.state(d, &lane);
        let (storage, registers) = (&self.storage, &mut self.registers);
        let listed = Listed::new(
            &state,
            &asked,
            &|key| storage.contains_key(&key),
            &mut |key| registers.before::<I>(d, 0, key),
            &|key| I::var_name(cx.entry, key),
        )
        .map(Rc::new);
        self.listed.insert(block, listed.clone());
        listed
    }

    /// Returns a lane of the program, or of a mutant of it, before the step.
    fn lane(&mut self, d: &Terms, program: &ir::Program, number: usize) -> eval::Lane<Terms> {
        // A mutant with additional variables needs its own lane.
        let shared = program.vars.len() == self.vars;
        if let Some(known) = self.lanes.get(number).filter(|known| shared && known.fits(program)) {
            return known.clone();
        }
        let mut lane = eval::Lane::new(d, &mut SymbolicHost::default(), program, FUEL);
        for (slot, var) in lane.vars.iter_mut().zip(&program.vars) {
            *slot = self.before(d, number, var.key);
        }
        for (array, decl) in lane.arrays.iter_mut().zip(&program.arrays) {
            for (k, element) in array.iter_mut().enumerate() {
                *element = self.before(d, number, decl.key(k)).f(d);
            }
        }
        lane.killed = self.before(d, number, KILLED).b(d);
        if shared && number == self.lanes.len() {
            self.lanes.push(lane.clone());
        }
        lane
    }

    /// Runs the reference through a block on the current path, or returns a recorded run that takes the same path. Afterwards the current path
    /// contains the conditions decided in the run.
    fn reference(
        &mut self,
        d: &mut Terms,
        block: BlockId,
        count: usize,
        lanes: usize,
        active: u8,
    ) -> Rc<ReferenceRun<I>> {
        let (cx, path) = (self.cx, d.path());
        let known = self.reference_runs.get(&(block, lanes, active)).into_iter().flatten();
        if let Some(ran) = known.into_iter().find(|ran| path.leads_to(&ran.path)) {
            d.set_path(path.after(&ran.path));
            return Rc::clone(ran);
        }
        let mut host = SymbolicHost::default();
        let mut group: Vec<LaneState<I::Lane<Terms>>> = (0..lanes)
            .map(|l| LaneState {
                lane: self.refined(d, l, block),
                fuel: FUEL,
                end: (active >> l & 1 == 0).then_some(End::Finished),
            })
            .collect();
        let active_bits = bits(group.iter().map(|running| running.end.is_none()));
        for _ in 0..count {
            isa::run::step(d, &mut host, &cx, &mut group);
        }
        let states = group.iter().map(|running| self.state(d, &running.lane)).collect();
        let ran = Rc::new(ReferenceRun { path: d.path(), group, states, host, active: active_bits });
        self.reference_runs.entry((block, lanes, active)).or_default().push(Rc::clone(&ran));
        ran
    }

    /// Returns the value of a register in a lane of the program, or of a mutant of it; `None` if the program does not store the register.
    fn register_value(
        &self,
        program: &ir::Program,
        lane: &eval::Lane<Terms>,
        key: VarKey,
    ) -> Option<Scalar<Terms>> {
        match self.storage.get(&key) {
            Some(Storage::Element(array, k)) => return Some(Scalar::F(lane.arrays[*array][*k])),
            Some(Storage::Var(var)) => return Some(lane.vars[*var].clone()),
            None => {}
        }
        let own = program.vars[self.vars..].iter().position(|var| var.key == key)?;
        Some(lane.vars[self.vars + own].clone())
    }

    fn path(
        &mut self,
        d: &mut Terms,
        program: &ir::Program,
        block: BlockId,
        lanes: usize,
        active: u8,
        claims: &mut ClaimBuilder,
    ) {
        let cx = self.cx;
        let Some((_, count)) = self.leaders.get(&block).cloned() else { return };
        let runs = |l: usize| active >> l & 1 == 1;
        let hangs = program.blocks[block.0 as usize].terminator == ir::Terminator::Hang;
        if hangs && (0..lanes).all(|l| I::position(&cx, &self.refined(d, l, block)).is_none()) {
            // This node exists only in the lowering, for lanes that hang; the reference stops before it.
            self.done.steps.insert((block, lanes, active, count));
            return;
        }
        let made = claims.claim_count();
        let ran = self.reference(d, block, count, lanes, active);
        let mut ir_host = SymbolicHost::default();
        let mut after: Vec<eval::Lane<Terms>> = (0..lanes)
            .map(|l| {
                let mut lane = self.lane(d, program, l);
                lane.next_block = block;
                lane.stop = (!runs(l)).then_some(Stop::Finished);
                lane
            })
            .collect();
        let running = bits(after.iter().map(|lane| lane.stop.is_none()));
        let ran_block = eval::step(d, &mut ir_host, program, &mut after);
        if running == ran.active && ran_block == Some(block) {
            self.done.steps.insert((block, lanes, running, count));
        }
        for lane in &mut after {
            // Blocks between two nodes only consume fuel, separately for each lane.
            let mut hops = 0;
            while lane.stop.is_none() && !self.leaders.contains_key(&lane.next_block) && hops < 4 {
                self.done.between.insert(lane.next_block);
                eval::step(d, &mut ir_host, program, std::slice::from_mut(lane));
                hops += 1;
            }
        }
        for (lane, reference) in after.iter_mut().zip(&ran.group) {
            // If the reference has ended, there may be a node that exists only in the lowering and just ends the lane.
            let ended = reference.end.is_some() || I::position(&cx, &reference.lane).is_none();
            if ended && lane.stop.is_none() {
                eval::step(d, &mut ir_host, program, std::slice::from_mut(lane));
            }
        }

        for (l, after) in after.iter().enumerate() {
            self.compare(d, program, l, block, &ran, after, claims);
            claim_effects(d, l, &ran.host, &ir_host, claims);
            if runs(l) && ir_host.effect_count(l) != Some(count_effects(program, [block])) {
                claims.record_missing(|| format!("block {}, lane {l}: all effects of the block", block.0));
            }
            if self.done.can_fail && runs(l) && self.done.shown_to_fail.insert(block) {
                let unnoticed = self.find_undetected(d, program, l, block, &ran, after);
                if let Some(what) = unnoticed.or_else(|| effects::find_undetected(d, l, &ran.host, &ir_host))
                {
                    claims.record_missing(|| format!("block {}: no claim fails for {what}", block.0));
                }
            }
        }
        if claims.claim_count() < made + lanes as u64 {
            claims.record_missing(|| format!("a path through block {}", block.0));
        }
    }

    #[allow(clippy::too_many_arguments)] // two machines and their positions
    fn compare(
        &mut self,
        d: &Terms,
        program: &ir::Program,
        l: usize,
        block: BlockId,
        ran: &ReferenceRun<I>,
        after: &eval::Lane<Terms>,
        claims: &mut ClaimBuilder,
    ) {
        let cx = self.cx;
        // Destructured without `..`, so that a new field must be handled here. Variables and arrays are looked up by register; values are not
        // read outside their block.
        let LaneState { lane: reference, fuel, end } = &ran.group[l];
        let eval::Lane { vars, arrays: _, killed, fuel: our_fuel, next_block: our_place, stop, values: _ } =
            after;
        let made = claims.claim_count();
        let position = I::position(&cx, reference);
        let ended = match (end, position) {
            (Some(End::OutOfFuel), _) => Some(Stop::OutOfFuel),
            (Some(End::Hung), _) => Some(Stop::Hung),
            (Some(_), _) | (None, None) => Some(Stop::Finished),
            (None, Some(_)) => None,
        };
        let arrives = Some(*our_place).filter(|at| self.leaders.contains_key(at) && stop.is_none());
        let next = arrives.and_then(|next| I::position(&cx, &self.refined(d, l, next)));
        let same_end = match (stop, ended) {
            (Some(ours), Some(theirs)) => *ours == theirs,
            (None, None) => next.is_some() && (next == position || sabotage::is(Sabotage::NextAlways)),
            _ => false,
        };
        claims.claim_holds(d, || format!("lane {l}: the next instruction"), same_end);
        if !same_end || matches!(ended, Some(Stop::OutOfFuel | Stop::Hung)) {
            return;
        }
        let fuel_is_right = fuel == our_fuel || sabotage::is(Sabotage::FuelAlways);
        claims.claim_holds(d, || format!("lane {l}: fuel"), fuel_is_right);
        let mark = I::killed(reference).0;
        let ours = if sabotage::is(Sabotage::KillItself) { mark } else { killed.0 };
        claims.claim_equal(d, || format!("lane {l}: killed"), mark, ours);

        // The reference's state must be that of the node reached, with the values of the variables.
        let control = self.leaders[&arrives.unwrap_or(block)].0.clone();
        let expected =
            I::refine(d, &cx, &control, &mut |key| match self.register_value(program, after, key) {
                Some(value) => value,
                None => self.before(d, l, key),
            });
        let (left, right) = (&ran.states[l], self.state(d, &expected));
        let listed = arrives.map(|next| self.listed(d, next)).transpose();
        let (mut declared, mut beside) = (0, 0);
        let over = ended.is_some();
        claims.claim_holds(
            d,
            || format!("lane {l}: the number of registers"),
            over || left.len() == right.len(),
        );
        let lost = usize::from(sabotage::is(Sabotage::RegisterLost));
        for (at, (key, a)) in left.iter().enumerate().skip(lost) {
            // Where an ended lane might have continued does not matter: such positions are literals without a variable.
            let is_place = || matches!(a, Scalar::I(place) if d.known_i(place).is_some());
            if over && is_place() && self.register_value(program, after, *key).is_none() {
                beside += 1;
                continue;
            }
            if let Ok(Some(listed)) = &listed {
                let known = listed.declares(at, *key).unwrap_or_else(|| self.storage.contains_key(key));
                declared += usize::from(known);
            }
            let name = || format!("lane {l}: {}", I::var_name(cx.entry, *key));
            // Both lists are made by the same function, mostly in the same order.
            let same_place = right.get(at).filter(|(other, _)| other == key);
            match same_place.or_else(|| right.iter().find(|(other, _)| other == key)) {
                Some((_, b)) => claims.claim_equal(d, name, term(a).1, term(b).1),
                None => claims.claim_holds(d, name, false),
            }
        }
        if over {
            let lost = usize::from(sabotage::is(Sabotage::StepOutputLost));
            for (number, var) in program.outputs.iter().skip(lost) {
                let output = isa::registers::output(d, &cx, reference, number / 4);
                let name =
                    || format!("lane {l}: output {}.{}", I::output_name(cx.entry, number / 4), number % 4);
                let ours = term(&vars[var.0 as usize]).1;
                claims.claim_equal(d, name, output[usize::from(number % 4)].0, ours);
            }
        }
        // The next instruction, fuel, the kill mark, the number of registers; the registers; the outputs.
        let outputs = if over { program.outputs.len() } else { 0 };
        let all = (4 + left.len() - beside + outputs) as u64;
        let parts = claims.claim_count() - made;
        let missing = match listed {
            Err(what) => Some(what),
            Ok(Some(listed)) if listed.declared != declared => {
                Some(format!("{declared} of {} registers that the program declares", listed.declared))
            }
            Ok(_) => (parts != all).then(|| format!("{parts} of {all} parts of a lane's state")),
        };
        if let Some(what) = missing {
            claims.record_missing(|| format!("block {}, lane {l}: {what}", block.0));
        }
    }
}

/// Returns the values of variables and array elements, by register.
fn stored_values<'a>(
    program: &'a ir::Program,
    lane: &'a eval::Lane<Terms>,
) -> impl Iterator<Item = (VarKey, Scalar<Terms>)> + 'a {
    let vars = program.vars.iter().map(|v| v.key).zip(lane.vars.iter().cloned());
    let arrays = program.arrays.iter().zip(&lane.arrays);
    vars.chain(arrays.flat_map(|(decl, array)| {
        array.iter().enumerate().map(|(k, element)| (decl.key(k), Scalar::F(*element)))
    }))
}

/// Packs truth values into bits, the first into the lowest bit.
pub(super) fn bits(all: impl Iterator<Item = bool>) -> u8 {
    all.enumerate().fold(0, |bits, (k, one)| bits | u8::from(one) << k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::boundaries;
    use lockstep_core::ir::Terminator;
    use lockstep_core::isa::lowering::lower_with_nodes;
    use lockstep_core::isa::pica200::Pica200;
    use lockstep_core::isa::{Format, Options, Tables};

    /// Two calls lead to the same word and differ only in where the lane continues afterwards, which no variable of the program holds.
    #[test]
    fn a_call_that_returns_to_a_wrong_instruction_is_refuted() {
        let text = ".raw vertex, outputs=0x1, entry=0x0\ncallc cmp.x, 4, 1\ncallc cmp.y, 4, 1\nmov o0, r0\nend\nmov r0, v0";
        let program = Pica200::assemble(text).unwrap();
        let (entry, options) = (&Pica200::entries(&program)[0], &Options::new(Pica200::option_specs()));
        let cx: Context<'_, Pica200> = Context { program: &program, entry, options };
        let (right, nodes) = lower_with_nodes(&cx).unwrap();
        let called = nodes.iter().filter(|(_, control)| Pica200::control_position(control) == 4);
        let [first, second] = called.map(|(block, _)| *block).collect::<Vec<_>>()[..] else {
            panic!("{nodes:?}")
        };
        let mut wrong = right.clone();
        for block in &mut wrong.blocks {
            match &mut block.terminator {
                Terminator::Jump(to) | Terminator::Branch(_, to, _) if *to == first => *to = second,
                _ => {}
            }
        }
        assert_ne!(wrong, right);
        let (d, mut simulation) = (Terms::default(), Simulation::new(cx, &right, &nodes));
        let mut refuted = |program: &ir::Program| {
            let mut claims = ClaimBuilder::default();
            for block in simulation.blocks().to_vec() {
                simulation.block(&d, program, block, 1, 1, &mut claims);
            }
            claims.claims(&d).refute(&boundaries(), 0..24, &|_| true).map(|example| example.what)
        };
        assert_eq!(refuted(&right), None);
        let what = refuted(&wrong).unwrap();
        assert!(what.starts_with("lane 0: ") && !what.ends_with("the next instruction"), "{what}");
    }
}
