//! The reference interpreter, which runs one word per cycle.
//!
//! A word reads its ports and the units' results of the previous two words. All units compute at once, and stores take results of the same word.
//! Stores to registers arrive three cycles later, stores to temporaries and to address registers 1 to 3 four cycles later (SEED, M, L). Until then,
//! reads return the old value. A result is a number, a stage of a complex function, or nothing. The validator rejects programs that read one kind as
//! another, so the reference's result in that case (NaN) is irrelevant.

mod alu;
mod memory;
mod outputs;
mod unit_results;

use super::UtgardGp;
use super::options::Choice;
use super::program::Word;
use super::source::ResultOf;
use crate::host::Host;
use crate::isa::{Context, LaneState};
use crate::value::{Domain, Freedom};
use std::sync::Arc;

pub use memory::{PendingAddress, PendingStore, PendingTarget, SLOTS};
pub use unit_results::{ForwardedValues, UnitResult};

type Vec4<D> = [<D as Domain>::F; 4];
type Cx<'a> = Context<'a, UtgardGp>;

/// A lane: its program counter and all state that holds values.
#[derive(Clone, Debug)]
pub struct Lane<D: Domain> {
    /// Index of the next word.
    pub pc: u32,
    /// Registers; pending stores are not included.
    pub registers: [Vec4<D>; 16],
    /// Varyings.
    pub varyings: [Vec4<D>; 16],
    /// Uniforms and temporaries, all [`SLOTS`] of them if the program stores temporaries; otherwise empty, and loads read the uniforms.
    pub memory: Vec<Vec4<D>>,
    /// Address registers 0 to 3; pending writes are not included.
    pub address: [D::I; 4],
    /// Pending stores, newest word first.
    pub pending: [Option<PendingStore<D>>; 4],
    /// Results and read port 0 of the previous two words, the most recent first.
    pub forwarded: [ForwardedValues<D>; 2],
    /// For each word and the position after the last, whether it begins a basic block. The same for all lanes of a program.
    pub leaders: Arc<[bool]>,
    /// Whether the lane is discarded. No Utgard GP instruction sets it.
    pub killed: D::B,
}

impl<D: Domain> Lane<D> {
    /// Returns a lane before word `pc`, with zeroed state and no pending stores.
    pub fn new(d: &D, words: &[Word], pc: u32) -> Lane<D> {
        let zeros = || std::array::from_fn(|_| std::array::from_fn(|_| d.f(0.0)));
        Lane {
            pc,
            registers: zeros(),
            varyings: zeros(),
            memory: Vec::new(),
            address: std::array::from_fn(|_| d.i(0)),
            pending: [const { None }; 4],
            forwarded: std::array::from_fn(|_| ForwardedValues::nothing(d)),
            leaders: leaders(words),
            killed: d.b(false),
        }
    }
}

/// Whether a program stores temporaries anywhere.
pub fn stores_temporaries(words: &[Word]) -> bool {
    words.iter().any(|w| w.store.iter().any(|s| s.stores_any() && s.temporary != 0))
}

/// Returns a lane at the entry.
pub fn start<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Cx<'_>) -> Lane<D> {
    let mut lane = Lane::new(d, &cx.program.words, cx.entry.start);
    if cx.options.get(Choice::Unwritten as usize) == 1 {
        lane.registers.iter_mut().flatten().for_each(|component| *component = d.f(f32::NAN));
    }
    if stores_temporaries(&cx.program.words) {
        lane.memory = (0..SLOTS).map(|slot| host.constant(d, &d.i(slot as i32))).collect();
    }
    lane
}

/// Returns the number of words that the entry runs: the program ends after them.
pub fn count(cx: &Cx<'_>) -> u32 {
    cx.entry.extra[0].min(cx.program.words.len() as u32)
}

/// The execution context of one word: its port values, domain, host and program.
struct LaneContext<'a, D: Domain, H> {
    d: &'a D,
    host: &'a mut H,
    cx: &'a Cx<'a>,
    port0: Vec4<D>,
    port0_is_register: bool,
    port1: Vec4<D>,
    load: Vec4<D>,
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    fn choice(&self, option: Choice) -> u8 {
        self.cx.options.get(option as usize)
    }

    fn record(&mut self, freedom: Freedom, when: &D::B) {
        self.host.record(freedom, when);
    }
}

/// Runs the active lanes through the word at their program counter.
pub fn step<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    group: &mut [LaneState<Lane<D>>],
    active: u8,
) {
    for (at, running) in group.iter_mut().enumerate().filter(|(at, _)| active >> at & 1 == 1) {
        let lane = &mut running.lane;
        if let Some(word) = cx.program.words.get(lane.pc as usize) {
            word_step(d, host, cx, at, lane, word);
        }
    }
}

fn word_step<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    at: usize,
    lane: &mut Lane<D>,
    word: &Word,
) {
    memory::complete_due_stores(d, lane);
    let port0 = match word.port0_attribute {
        0 => lane.registers[usize::from(word.port0 & 15)].clone(),
        _ => host.input(d, at, word.port0.into()),
    };
    let port1 = lane.registers[usize::from(word.port1 & 15)].clone();
    let load = memory::load(d, host, cx, lane, word);
    let port0_is_register = word.port0_attribute == 0;
    let mut unit = LaneContext { d: &*d, host: &mut *host, cx, port0, port0_is_register, port1, load };
    let results: [UnitResult<D>; 6] = ResultOf::ALL.map(|of| unit.result(word, of, &lane.forwarded));
    let flight = unit.stores(word, &results, lane);
    let taken = (word.branch != 0).then(|| {
        let condition = results[ResultOf::Pass as usize].number(unit.d);
        unit.is_condition_true(&condition, Choice::BranchTruth)
    });
    let port0 = unit.port0;
    let taken = taken.is_some_and(|taken| d.decide(&taken));

    // The word after a taken branch runs some cycles later (M, W).
    let bubbles = if taken {
        host.record(Freedom::Latency, &d.b(true));
        [2, 0, 3][usize::from(cx.options.get(Choice::BranchBubbles as usize)).min(2)]
    } else {
        0
    };
    let next = if taken { word.target() } else { lane.pc + 1 };
    memory::issue_stores(lane, flight, 1 + bubbles);
    // Results do not cross a block boundary.
    if lane.leaders.get(next as usize).is_some_and(|leads| *leads) {
        lane.forwarded = std::array::from_fn(|_| ForwardedValues::nothing(d));
    } else {
        lane.forwarded.swap(0, 1);
        lane.forwarded[0] = ForwardedValues { results, port0: port0.map(UnitResult::Number) };
    }
    lane.pc = next;
    if next >= count(cx) {
        outputs::transform_outputs(d, host, cx, lane);
    }
}

/// Returns, for each word and the position after the last, whether it begins a basic block: it is a branch target, or the previous word branches.
fn leaders(words: &[Word]) -> Arc<[bool]> {
    let mut leaders = vec![false; words.len() + 1];
    for (at, word) in words.iter().enumerate().filter(|(_, word)| word.branch != 0) {
        leaders[at + 1] = true;
        let target = word.target() as usize;
        if target < leaders.len() {
            leaders[target] = true;
        }
    }
    leaders.into()
}
