//! Tampering with one instruction of a reference run.
//!
//! What an instruction does is read off its lowering: the variables it writes, whether it kills or records effects, and where it may
//! go. The reference is then stepped by hand; each time lanes have run the instruction, one bit of everything it writes is turned
//! over in those lanes. An instruction that writes nothing has its kill mark turned over, or its lanes sent somewhere else.

use crate::engine::{LaneOutcome, Outcome, compare, reference_with};
use lockstep_core::host::{Bound, Environment};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::explore::{NODES_A_WORD, PC_FILE};
use lockstep_core::ir::{self, Mode, Op, VarKey};
use lockstep_core::isa::run::{start, step};
use lockstep_core::isa::{Context, End, Isa, Running};
use lockstep_core::value::{Concrete, FreedomSet};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The bits tried: the first of the fraction, which most numbers feel, and the first of the exponent, which zeros feel too.
const BITS: [u32; 2] = [22, 30];
/// Turning a bit over must not make a number greater than this: infinity times zero would say that a lost number was not lost.
const LARGEST: f32 = 65536.0;

/// A number with a bit turned over; with another one where that would make it huge.
fn turned(v: f32, bit: u32) -> f32 {
    let other = f32::from_bits(v.to_bits() ^ 1 << bit);
    if other.abs() <= LARGEST { other } else { f32::from_bits(v.to_bits() ^ 1 << BITS[0]) }
}

/// What an instruction does, as far as its lowering says.
#[derive(Clone, Debug, Default)]
struct Doing {
    writes: BTreeSet<VarKey>,
    kills: bool,
    records: bool,
}

/// One way of tampering.
#[derive(Clone, Copy, Debug)]
enum Tamper {
    /// This bit of everything written.
    Bit(u32),
    /// The kill mark.
    Kill,
    /// Where control goes.
    Exit,
}

/// A case that is tampered with.
pub(super) struct Probe<'a, I: Isa> {
    cx: Context<'a, I>,
    env: &'a Environment,
    normal: Outcome,
    doing: BTreeMap<u32, Doing>,
    /// A control state for each position. Where a position has several the first stands for all; tampering then changes a little more.
    nodes: BTreeMap<I::Position, I::Config>,
}

impl<'a, I: Isa> Probe<'a, I> {
    pub(super) fn new(cx: Context<'a, I>, env: &'a Environment) -> Self {
        let normal = reference_with::<I, false>(&cx, env);
        Probe { cx, env, normal, doing: doing(&cx), nodes: nodes(&cx) }
    }

    /// Whether tampering with the instruction is seen.
    pub(super) fn is_live(&mut self, word: u32) -> bool {
        let Some(doing) = self.doing.get(&word).cloned() else { return false };
        if doing.records {
            // An effect is compared as it is: it takes no more than to happen.
            return self.happens(word);
        }
        let ways = match (doing.writes.is_empty(), doing.kills) {
            (false, _) => BITS.map(Tamper::Bit).to_vec(),
            (true, true) => vec![Tamper::Kill],
            (true, false) => vec![Tamper::Exit],
        };
        ways.into_iter().any(|way| {
            let run = self.run(word, &doing, Some(way)).0;
            compare(self.cx.entry, &self.normal, &run).is_err()
        })
    }

    fn happens(&self, word: u32) -> bool {
        self.run(word, &Doing::default(), None).1
    }

    /// Runs every lane with one instruction tampered with. Also says whether any lane came to it.
    fn run(&self, word: u32, doing: &Doing, way: Option<Tamper>) -> (Outcome, bool) {
        let cx = &self.cx;
        let group = usize::from(I::group(cx));
        let mut lanes = Vec::with_capacity(self.env.lanes.len());
        let mut reached = false;
        let mut d = Concrete;
        for base in (0..self.env.lanes.len()).step_by(group) {
            let mut host = Bound::<false>::new(self.env, base);
            let mut running = start::<I, _, _>(&d, &mut host, cx, group, self.env.fuel);
            // A lane made anew from a control state and its registers has no kill mark, so marks are collected beside it.
            let mut killed = [false; 4];
            loop {
                let before: Vec<_> = running.iter().map(|r| (r.end, I::position(cx, &r.lane))).collect();
                let marks: [bool; 4] =
                    std::array::from_fn(|l| running.get(l).is_some_and(|r| killed[l] || I::killed(&r.lane)));
                let Some(at) = step::<I, _, _>(&mut d, &mut host, cx, &mut running) else { break };
                let Some(here) = self.nodes.get(&at) else { continue };
                if I::config_word(here) != word {
                    continue;
                }
                reached = true;
                let Some(way) = way else { continue };
                for (l, lane) in running.iter_mut().enumerate() {
                    if before[l].0.is_some() || before[l].1 != Some(at) {
                        continue;
                    }
                    let now = I::killed(&lane.lane);
                    killed[l] |= if matches!(way, Tamper::Kill) && !marks[l] { !now } else { now };
                    self.tamper(&d, lane, here, doing, way);
                }
            }
            for (l, lane) in running.iter().enumerate().take(self.env.lanes.len() - base) {
                let components = cx.entry.interface.components();
                let outputs = components.map(|(slot, c)| I::output(cx, &lane.lane, slot)[usize::from(c)]);
                let end = lane.end.unwrap_or(End::Hung);
                let end = if end == End::Finished && host.overflowed(l) { End::EffectsFull } else { end };
                lanes.push(LaneOutcome {
                    end,
                    killed: killed[l] || I::killed(&lane.lane),
                    outputs: outputs.collect(),
                    effects: host.records(l).to_vec(),
                });
            }
        }
        (Outcome { lanes, freedoms: FreedomSet::default() }, reached)
    }

    /// Makes a lane that has just run the instruction at `here` anew, with what the instruction did changed.
    fn tamper(
        &self,
        d: &Concrete,
        lane: &mut Running<I::Lane<Concrete>>,
        here: &I::Config,
        doing: &Doing,
        way: Tamper,
    ) {
        let cx = &self.cx;
        let now = I::position(cx, &lane.lane);
        let exits = I::exits(cx, here);
        let mut next = now.and_then(|position| {
            let exit = exits.iter().find(|c| I::config_position(c) == position);
            exit.or_else(|| self.nodes.get(&position)).cloned()
        });
        if let Tamper::Exit = way {
            // Where it may go instead; from a place with one way on, past the next instruction.
            let other = exits.iter().find(|c| Some(I::config_position(c)) != now).cloned();
            let beyond = || exits.first().and_then(|c| I::exits(cx, c).first().cloned());
            let Some(other) = other.or_else(beyond) else { return };
            next = Some(other);
        }
        let bit = if let Tamper::Bit(bit) = way { Some(bit) } else { None };
        let state = I::state(cx, &lane.lane);
        let values: BTreeMap<VarKey, Scalar<Concrete>> = state
            .into_iter()
            .map(|(key, value)| {
                let value = match (value, bit.filter(|_| doing.writes.contains(&key))) {
                    (Scalar::F(v), Some(bit)) => Scalar::F(turned(v, bit)),
                    (Scalar::I(v), Some(bit)) => Scalar::I(v ^ 1 << bit),
                    (Scalar::B(v), Some(_)) => Scalar::B(!v),
                    (value, None) => value,
                };
                (key, value)
            })
            .collect();
        // At the end of the program registers are all that is left, and the position of the instruction does as well as any.
        let config = next.as_ref().unwrap_or(here);
        lane.lane = I::refine(d, cx, config, &mut |key| values.get(&key).cloned().unwrap_or(Scalar::F(0.0)));
    }
}

/// What each instruction does, from the lowering that has a block for each.
fn doing<I: Isa>(cx: &Context<'_, I>) -> BTreeMap<u32, Doing> {
    let mut all = BTreeMap::<u32, Doing>::new();
    let Ok(program) = ir::lower(cx, Mode::Fallback) else { return all };
    for (k, block) in program.blocks.iter().enumerate() {
        let doing = all.entry(block.origin).or_default();
        for inst in program.block(ir::BlockId(k as u32)) {
            match inst.op {
                Op::Write(var) if program.var(var).key.file != PC_FILE => {
                    doing.writes.insert(program.var(var).key);
                }
                Op::Kill => doing.kills = true,
                Op::Effect { .. } => doing.records = true,
                _ => {}
            }
        }
    }
    all
}

/// Every control state that can be reached, by position.
fn nodes<I: Isa>(cx: &Context<'_, I>) -> BTreeMap<I::Position, I::Config> {
    let limit = NODES_A_WORD * I::words(cx) as usize + 8;
    let mut seen: HashSet<I::Config> = HashSet::new();
    let mut open: Vec<I::Config> = I::entry_config(cx).into_iter().collect();
    let mut nodes = BTreeMap::new();
    while let Some(config) = open.pop() {
        if seen.len() >= limit || !seen.insert(config.clone()) {
            continue;
        }
        open.extend(I::exits(cx, &config));
        nodes.entry(I::config_position(&config)).or_insert(config);
    }
    nodes
}
