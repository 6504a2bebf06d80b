//! The claims of the independent prover: everything that must agree, enumerated from the declarations of the IR.
//!
//! A block of a lowered program and the corresponding instructions of the reference are run from the same unknown state, over any [`Domain`]: on
//! terms for a proof, on concrete values to replay a model. The claims are about: the next instruction of each lane, fuel, the kill mark, every
//! declared variable and array element, all other registers of the reference, every declared output of a lane that has ended, and the effects that
//! happen, in order.

mod wrong;

use super::outside::{RecordingHost, Source};
use super::replay::hash;
use crate::sabotage::{self, Sabotage};
use lockstep_core::host::Effect;
use lockstep_core::ir::eval::{self, Scalar, Stop};
use lockstep_core::ir::{self, BlockId, Terminator, Ty, Var, VarKey};
use lockstep_core::isa::lowering::Nodes;
use lockstep_core::isa::{self, Context, End, KILLED, LaneState, Lowering, Refinement, Syntax};
use lockstep_core::value::{Concrete, Domain, ICmp};
use std::cell::RefCell;
use std::collections::HashMap;

/// The fuel at the start: more than any block consumes, including the blocks up to the next node.
const FUEL: u32 = 9;
/// The maximum number of blocks between two nodes: one that consumes fuel, plus a reserve.
const MAX_BLOCKS_BETWEEN: usize = 4;
/// The number of draws used to determine whether a lane depends on a register. In the first draw, all other registers are 0.
const DEPENDENCE_DRAWS: u64 = 5;

/// The subject of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The value of a variable or an array element before the first instruction.
    First(VarKey),
    /// The position of the first instruction.
    Entry,
    /// The position at which the lane continues, or how it ends.
    Next,
    /// The remaining fuel.
    Fuel,
    /// The kill mark.
    Killed,
    /// A variable, an array element, or a register that the program does not declare.
    Register(VarKey),
    /// The output with this number.
    Output(u16),
    /// The effects that happen.
    Effects,
}

/// A claim.
#[derive(Clone, Debug)]
pub struct Claim<D: Domain> {
    /// The subject of the claim.
    pub subject: Subject,
    /// The lane that the claim is about.
    pub lane: usize,
    /// The condition that must hold.
    pub holds: D::B,
    /// The two values that must be equal, the reference's first; `None` if the claim is not about two values.
    pub sides: Option<[Scalar<D>; 2]>,
}

/// A part of an obligation. Each part is run separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The state before the first instruction.
    Start,
    /// A block, run by the lanes whose bit in the mask is set; the other lanes have ended.
    Block {
        /// The block.
        block: BlockId,
        /// The number of lanes in the group.
        lanes: usize,
        /// A bit mask of the lanes that run.
        active: u8,
    },
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Part::Start => f.write_str("start"),
            Part::Block { block, active, .. } => write!(f, "block {}, lanes {active:04b}", block.0),
        }
    }
}

/// A lowered program and the instructions it was lowered from.
pub struct Pair<'a, I: Lowering> {
    cx: Context<'a, I>,
    /// For each block that starts with a node: that node, and the number of nodes in the block.
    leaders: HashMap<BlockId, (I::ControlState, usize)>,
    order: Vec<BlockId>,
    types: HashMap<VarKey, Ty>,
    /// The known results of [`Pair::depends_on`].
    dependences: RefCell<HashMap<I::ControlState, HashMap<VarKey, bool>>>,
}

fn type_of<D: Domain>(value: &Scalar<D>) -> Ty {
    match value {
        Scalar::F(_) => Ty::F32,
        Scalar::I(_) => Ty::I32,
        Scalar::B(_) => Ty::Bool,
    }
}

impl<'a, I: Syntax + Refinement> Pair<'a, I> {
    /// Creates the pair for a program and its nodes with their blocks, both as returned by `lower_with_nodes`.
    pub fn new(cx: Context<'a, I>, program: &ir::Program, nodes: &Nodes<I::ControlState>) -> Self {
        let mut leaders: HashMap<BlockId, (I::ControlState, usize)> = HashMap::new();
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
        // Registers of the reference have the reference's types, declared variables have the declared type.
        let mut types = HashMap::new();
        for (control, _) in leaders.values() {
            let lane = I::refine(&Concrete, &cx, control, &mut |_| Scalar::F(0.0));
            types.extend(I::state(&Concrete, &cx, &lane).iter().map(|(key, value)| (*key, type_of(value))));
        }
        types.extend(program.vars.iter().map(|v| (v.key, v.ty)));
        types.insert(KILLED, Ty::Bool);
        Pair { cx, leaders, order, types, dependences: RefCell::default() }
    }

    /// Returns all parts: the initial state, and every block that starts with a node, with all lanes and in a quad also with lanes 1 and 2 only.
    pub fn parts(&self, program: &ir::Program) -> Vec<Part> {
        let lanes = usize::from(program.group.max(1));
        let masks: &[u8] = if lanes == 4 { &[0b1111, 0b0110] } else { &[1] };
        let lost = usize::from(sabotage::is(Sabotage::IndependentBlockLost));
        let blocks = self.order.iter().skip(lost).flat_map(|block| {
            masks.iter().map(move |active| Part::Block { block: *block, lanes, active: *active })
        });
        [Part::Start].into_iter().chain(blocks).collect()
    }

    /// Returns the parts that a change to `block` can affect. A part has a single lane if its own block has no operations across lanes.
    pub fn parts_of(&self, program: &ir::Program, block: BlockId) -> Vec<Part> {
        if block.0 == program.entry && !self.leaders.contains_key(&block) {
            return vec![Part::Start];
        }
        let touched = |at: BlockId| {
            at == block
                || !self.leaders.contains_key(&block)
                    && program.blocks[at.0 as usize].terminator.targets().any(|t| t == block)
        };
        let quad = |at: BlockId| program.block(at).iter().any(|inst| inst.op.is_quad());
        let wanted = |part: &Part| matches!(part, Part::Block { block, .. } if touched(*block));
        let mut parts: Vec<Part> = self.parts(program).into_iter().filter(wanted).collect();
        for part in &mut parts {
            if let Part::Block { block, lanes, active } = part
                && !quad(*block)
            {
                (*lanes, *active) = (1, 1);
            }
        }
        parts.dedup();
        parts
    }

    /// Whether the reference's lane at a node depends on a register: whether, on any of several draws, the register's value changes the lane that
    /// refinement builds.
    fn depends_on(&self, control: &I::ControlState, key: VarKey) -> bool {
        if let Some(known) = self.dependences.borrow().get(control).and_then(|known| known.get(&key)) {
            return *known;
        }
        let depends = depends(key, |bits| {
            let value = |asked: VarKey| match self.types.get(&asked).copied().unwrap_or(Ty::F32) {
                Ty::Bool => Scalar::literal(&Concrete, Ty::Bool, bits(asked) & 1),
                ty => Scalar::literal(&Concrete, ty, bits(asked)),
            };
            let lane: I::Lane<Concrete> = I::refine(&Concrete, &self.cx, control, &mut |key| value(key));
            format!("{lane:?}")
        });
        self.dependences.borrow_mut().entry(control.clone()).or_default().insert(key, depends);
        depends
    }

    /// Returns the name of a claim's subject for reports.
    pub fn name(&self, what: Subject) -> String {
        let name = |key| I::var_name(self.cx.entry, key);
        match what {
            Subject::First(key) => format!("first value of {}", name(key)),
            Subject::Register(key) => name(key),
            Subject::Output(number) => {
                format!("output {}.{}", I::output_name(self.cx.entry, number / 4), number % 4)
            }
            other => format!("{other:?}").to_lowercase(),
        }
    }

    /// Makes the claims about a part of `program`, which may be a mutant of the original program, on the path chosen by `d`.
    pub fn claims<D: Domain, S: Source<D>>(
        &self,
        d: &mut D,
        source: &S,
        program: &ir::Program,
        part: Part,
    ) -> Vec<Claim<D>> {
        let mut run = Run { pair: self, source, program, before: RefCell::default(), claims: Vec::new() };
        match part {
            Part::Start => run.start(d),
            Part::Block { block, lanes, active } => run.block(d, block, lanes, active),
        }
        run.claims
    }
}

/// Whether the result of `build`, computed from the bits of all registers, depends on the bits of register `key`. It may depend on them only for
/// certain values of other registers, so several draws are tried.
fn depends<T: PartialEq>(key: VarKey, build: impl Fn(&dyn Fn(VarKey) -> u32) -> T) -> bool {
    (0..DEPENDENCE_DRAWS).any(|draw| {
        let drawn = |key: VarKey| match draw {
            0 => 0,
            _ => hash(draw, &format!("{} {} {}", key.file, key.index, key.component)) as u32,
        };
        let with = |own: u32| build(&|asked| if asked == key { own } else { drawn(asked) });
        // First two small numbers, then numbers that differ in every bit.
        let (one, other) = if draw == 0 { (0, 1) } else { (drawn(key), !drawn(key)) };
        with(one) != with(other)
    })
}

/// The state of running one part on the reference and on the lowered program.
struct Run<'a, 'c, I: Lowering, D: Domain, S> {
    pair: &'a Pair<'c, I>,
    source: &'a S,
    program: &'a ir::Program,
    before: RefCell<HashMap<(usize, VarKey), Scalar<D>>>,
    claims: Vec<Claim<D>>,
}

/// The state of the reference and of the lowered program after a block.
struct StatesAfter<'a, I: Lowering, D: Domain> {
    control: &'a I::ControlState,
    group: Vec<LaneState<I::Lane<D>>>,
    after: Vec<eval::Lane<D>>,
    /// The effects of the reference, by lane.
    reference_effects: [Vec<Effect<D>>; 4],
    /// The effects of the lowered program, by lane.
    lowered_effects: [Vec<Effect<D>>; 4],
}

/// Returns the condition that two values are the same: all NaNs are the same, +0 and -0 are different.
fn same<D: Domain>(d: &D, a: &Scalar<D>, b: &Scalar<D>) -> D::B {
    match (a, b) {
        (Scalar::F(a), Scalar::F(b)) => d.icmp(ICmp::Eq, &d.bits(a), &d.bits(b)),
        (Scalar::I(a), Scalar::I(b)) => d.icmp(ICmp::Eq, a, b),
        (Scalar::B(a), Scalar::B(b)) => d.not(&d.logic(lockstep_core::value::BBin::Xor, a, b)),
        _ => d.b(false),
    }
}

/// Returns the condition that the same effects happen in the same order; effects that do not happen are skipped in both lists.
fn same_effects<D: Domain>(d: &D, left: &[Effect<D>], right: &[Effect<D>]) -> D::B {
    let alike = |a: &Effect<D>, b: &Effect<D>| {
        // Destructured without `..`, so that a new field must be handled here. Whether the effects happen is compared below.
        let Effect { when: _, kind, index, mask, values } = a;
        if (*kind, *index, *mask) != (b.kind, b.index, b.mask) {
            return d.b(false);
        }
        (0..4).filter(|c| mask >> c & 1 == 1).fold(d.b(true), |all, c| {
            d.and(&all, &same(d, &Scalar::F(values[c].clone()), &Scalar::F(b.values[c].clone())))
        })
    };
    // rest[j]: whether the effects of `left` from the visited effect on and those of right[j..] are the same. The loop visits `left` backwards.
    let mut rest: Vec<D::B> = vec![d.b(true); right.len() + 1];
    for j in (0..right.len()).rev() {
        rest[j] = d.and(&d.not(&right[j].when), &rest[j + 1]);
    }
    for a in left.iter().rev() {
        let mut row = vec![d.and(&d.not(&a.when), &rest[right.len()]); right.len() + 1];
        for j in (0..right.len()).rev() {
            let b = &right[j];
            let both = d.and(&alike(a, b), &rest[j + 1]);
            let first = d.sel_b(&b.when, &both, &row[j + 1]);
            row[j] = d.sel_b(&a.when, &first, &rest[j]);
        }
        rest = row;
    }
    rest.swap_remove(0)
}

impl<'a, I: Syntax + Refinement, D: Domain, S: Source<D>> Run<'a, '_, I, D, S> {
    /// Returns the value of a register before the step: an unknown in a proof, a number when a model is replayed.
    fn before(&self, d: &D, lane: usize, key: VarKey) -> Scalar<D> {
        if let Some(value) = self.before.borrow().get(&(lane, key)) {
            return value.clone();
        }
        let ty = self.pair.types.get(&key).copied().unwrap_or(Ty::F32);
        let name = format!("lane{lane}.r{}.{}.{}", key.file, key.index, key.component);
        let value = self.source.value(d, ty, &name);
        self.before.borrow_mut().insert((lane, key), value.clone());
        value
    }

    fn claim_holds(&mut self, d: &D, what: Subject, lane: usize, holds: bool) {
        self.claims.push(Claim { subject: what, lane, holds: d.b(holds), sides: None });
    }

    fn claim_equal(&mut self, d: &D, what: Subject, lane: usize, reference: Scalar<D>, lowered: Scalar<D>) {
        let holds = same(d, &reference, &lowered);
        self.claims.push(Claim { subject: what, lane, holds, sides: Some([reference, lowered]) });
    }

    /// Returns every declared variable and array element, with its value in a lane of the IR.
    fn declared(&self, lane: &eval::Lane<D>) -> Vec<(VarKey, Scalar<D>)> {
        let vars = self.program.vars.iter().zip(&lane.vars).map(|(decl, value)| (decl.key, value.clone()));
        let arrays = self.program.arrays.iter().zip(&lane.arrays).flat_map(|(decl, elements)| {
            elements.iter().enumerate().map(|(n, value)| (decl.key(n), Scalar::F(value.clone())))
        });
        vars.chain(arrays).collect()
    }

    fn start(&mut self, d: &mut D) {
        let cx = self.pair.cx;
        let mut host = RecordingHost::new(self.source);
        let group = isa::run::start(d, &mut host, &cx, 1, FUEL);
        let mut after = [eval::Lane::new(d, &mut host, self.program, FUEL)];
        if !self.pair.leaders.contains_key(&BlockId(self.program.entry)) {
            eval::step(d, &mut host, self.program, &mut after);
        }
        let first = self.pair.leaders.get(&after[0].next_block).map(|(control, _)| control);
        let entry = first.map(I::control_position);
        self.claim_holds(d, Subject::Entry, 0, entry.is_some() && entry == I::position(&cx, &group[0].lane));
        let state: HashMap<VarKey, Scalar<D>> = I::state(d, &cx, &group[0].lane).into_iter().collect();
        for (key, value) in self.declared(&after[0]) {
            match state.get(&key) {
                Some(theirs) => self.claim_equal(d, Subject::First(key), 0, theirs.clone(), value),
                // If the reference does not list the register, its lane at the first node must not depend on it.
                None if first.is_none_or(|control| !self.pair.depends_on(control, key)) => {}
                None => self.claim_holds(d, Subject::First(key), 0, false),
            }
        }
    }

    fn block(&mut self, d: &mut D, block: BlockId, lanes: usize, active: u8) {
        let Some(both) = self.run_both(d, block, lanes, active) else { return };
        for l in 0..lanes {
            self.compare(d, l, both.control, &both.group[l], &both.after[l]);
            let holds = same_effects(d, &both.reference_effects[l], &both.lowered_effects[l]);
            self.claims.push(Claim { subject: Subject::Effects, lane: l, holds, sides: None });
        }
    }

    /// Runs a block on the reference and on the lowered program. `None` if the block does not start with a node, or is the block for lanes that hang.
    fn run_both(
        &mut self,
        d: &mut D,
        block: BlockId,
        lanes: usize,
        active: u8,
    ) -> Option<StatesAfter<'a, I, D>> {
        let (pair, source, program) = (self.pair, self.source, self.program);
        let cx = pair.cx;
        let (control, count) = pair.leaders.get(&block)?;
        let runs = |lane: usize| active >> lane & 1 == 1;

        let mut host = RecordingHost::new(source);
        let mut group: Vec<LaneState<I::Lane<D>>> = (0..lanes)
            .map(|l| {
                let lane = I::refine(&*d, &cx, control, &mut |key| self.before(d, l, key));
                LaneState { lane, fuel: FUEL, end: (!runs(l)).then_some(End::Finished) }
            })
            .collect();
        // This node exists only in the lowering, for lanes that hang; the reference has hung before it.
        if program.blocks[block.0 as usize].terminator == Terminator::Hang
            && group.iter().all(|running| I::position(&cx, &running.lane).is_none())
        {
            return None;
        }
        for _ in 0..*count {
            isa::run::step(d, &mut host, &cx, &mut group);
        }
        let reference = std::mem::replace(&mut host, RecordingHost::new(source)).effects;

        let mut after: Vec<eval::Lane<D>> = (0..lanes)
            .map(|l| {
                let mut lane = eval::Lane::new(d, &mut host, program, FUEL);
                for (slot, decl) in lane.vars.iter_mut().zip(&program.vars) {
                    *slot = self.before(d, l, decl.key);
                }
                for (array, decl) in lane.arrays.iter_mut().zip(&program.arrays) {
                    for (n, element) in array.iter_mut().enumerate() {
                        *element = self.before(d, l, decl.key(n)).f(d);
                    }
                }
                lane.killed = self.before(d, l, KILLED).b(d);
                lane.next_block = block;
                lane.stop = (!runs(l)).then_some(Stop::Finished);
                lane
            })
            .collect();
        eval::step(d, &mut host, program, &mut after);
        for (lane, running) in after.iter_mut().zip(&group) {
            // Blocks between two nodes only consume fuel; if the reference has ended, there may be a block that only returns.
            let mut between = 0;
            while lane.stop.is_none()
                && !self.pair.leaders.contains_key(&lane.next_block)
                && between < MAX_BLOCKS_BETWEEN
            {
                eval::step(d, &mut host, program, std::slice::from_mut(lane));
                between += 1;
            }
            let ended = running.end.is_some() || I::position(&cx, &running.lane).is_none();
            if ended && lane.stop.is_none() {
                eval::step(d, &mut host, program, std::slice::from_mut(lane));
            }
        }
        Some(StatesAfter {
            control,
            group,
            after,
            reference_effects: reference,
            lowered_effects: host.effects,
        })
    }

    fn compare(
        &mut self,
        d: &D,
        l: usize,
        control: &I::ControlState,
        reference: &LaneState<I::Lane<D>>,
        after: &eval::Lane<D>,
    ) {
        let cx = self.pair.cx;
        // Destructured without `..`, so that a new field must be handled here. Arrays are looked up by register; values are not read outside
        // their block.
        let LaneState { lane: reference, fuel, end } = reference;
        let eval::Lane { vars, arrays: _, killed, fuel: our_fuel, next_block: at, stop, values: _ } = after;
        let position = I::position(&cx, reference);
        let ended = match end {
            Some(End::OutOfFuel) => Some(Stop::OutOfFuel),
            Some(End::Hung) => Some(Stop::Hung),
            Some(End::Finished | End::EffectsFull) => Some(Stop::Finished),
            None if position.is_none() => Some(Stop::Finished),
            None => None,
        };
        let arrives = match stop {
            None => self.pair.leaders.get(at).map(|(next, _)| next),
            Some(_) => None,
        };
        let agree = match (ended, stop) {
            (Some(theirs), Some(ours)) => theirs == *ours,
            (None, None) => arrives.map(I::control_position) == position,
            _ => false,
        };
        self.claim_holds(d, Subject::Next, l, agree);
        if !agree || matches!(ended, Some(Stop::OutOfFuel | Stop::Hung)) {
            return;
        }
        self.claim_holds(d, Subject::Fuel, l, fuel == our_fuel);
        let [left, right] = [I::killed(reference), killed.clone()].map(Scalar::B);
        self.claim_equal(d, Subject::Killed, l, left, right);

        let declared = self.declared(after);
        let values: HashMap<VarKey, &Scalar<D>> = declared.iter().map(|(key, value)| (*key, value)).collect();
        let next = arrives.unwrap_or(control);
        let expected = I::refine(d, &cx, next, &mut |key| {
            values.get(&key).map_or_else(|| self.before(d, l, key), |value| (*value).clone())
        });
        let expected: HashMap<VarKey, Scalar<D>> = I::state(d, &cx, &expected).into_iter().collect();
        let state: HashMap<VarKey, Scalar<D>> = I::state(d, &cx, reference).into_iter().collect();
        let over = ended.is_some();
        let lost = usize::from(sabotage::is(Sabotage::IndependentRegisterLost));
        for (key, value) in declared.iter().skip(lost) {
            match state.get(key) {
                Some(theirs) => {
                    self.claim_equal(d, Subject::Register(*key), l, theirs.clone(), value.clone());
                }
                // If the reference does not list the register, its lane at the next node must not depend on it.
                None if over || !self.pair.depends_on(next, *key) => {}
                None => self.claim_holds(d, Subject::Register(*key), l, false),
            }
        }
        // A register that the program does not declare keeps its value; control state is that of the next node.
        let mut others: Vec<VarKey> =
            state.keys().chain(expected.keys()).copied().filter(|key| !values.contains_key(key)).collect();
        others.sort_unstable();
        others.dedup();
        for key in others {
            match (state.get(&key), expected.get(&key)) {
                // The position at which a lane would continue does not matter once the lane has ended.
                (Some(Scalar::I(place)), _) if over && d.known_i(place).is_some() => {}
                (Some(a), Some(b)) => self.claim_equal(d, Subject::Register(key), l, a.clone(), b.clone()),
                _ if over => {}
                _ => self.claim_holds(d, Subject::Register(key), l, false),
            }
        }
        if over {
            for (number, Var(var)) in &self.program.outputs {
                let output =
                    isa::registers::output(d, &cx, reference, number / 4)[usize::from(number % 4)].clone();
                let ours = vars[*var as usize].clone();
                self.claim_equal(d, Subject::Output(*number), l, Scalar::F(output), ours);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependence_on_a_register_is_found_whatever_the_others_are() {
        let [a, b] = [0, 1].map(|index| VarKey { file: 1, index, component: 0 });
        // Some of these functions do not change while the other register is 0, or when the register changes from 0 to 1.
        assert!(depends(a, |bits| bits(a) & bits(b)) && depends(b, |bits| bits(a) & bits(b)));
        assert!(depends(a, |bits| if bits(b) == 0 { 7 } else { bits(a) }));
        assert!(depends(a, |bits| bits(a) >> 20) && depends(a, |bits| bits(a) & 1));
        assert!(depends(a, |bits| bits(a) == 1) && depends(a, |bits| bits(a) == 0));
        assert!(!depends(a, |bits| bits(b)) && !depends(a, |_| 0));
    }
}
