//! The state of a block of lanes, and what happens to masks.

use super::Row;
use crate::exec::{Plan, WIDTH};
use crate::host::{EffectRecord, Environment};

/// How the lanes of a block ended, a bit a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::exec) struct BlockEnd {
    /// Lacked fuel.
    pub(in crate::exec) spent: u64,
    /// Came to where the machine hangs.
    pub(in crate::exec) hung: u64,
    /// Had an effect that found no room.
    pub(in crate::exec) full: u64,
    /// Marked killed.
    pub(in crate::exec) killed: u64,
}

/// A block of lanes that runs a plan.
pub(in crate::exec) struct Machine<'a> {
    pub(in crate::exec) plan: &'a Plan,
    pub(in crate::exec) env: &'a Environment,
    /// As many as the plan has.
    pub(in crate::exec) rows: &'a mut [Row],
    pub(in crate::exec) control: &'a mut Control,
    /// For each input of the plan [`WIDTH`] numbers, the lanes' among them; empty if the rows are filled already.
    pub(in crate::exec) inputs: &'a [f32],
    /// For each output of the plan as many; empty if the rows are read afterwards.
    pub(in crate::exec) outputs: &'a mut [f32],
    /// Where the block's lanes begin in those; a multiple of the lanes that run together.
    pub(in crate::exec) inside: usize,
    /// The effects of the block's lanes; empty if the plan has no effects.
    pub(in crate::exec) records: &'a mut [Vec<EffectRecord>],
}

/// Masks and counters of a block.
#[derive(Clone, Debug)]
pub(in crate::exec) struct Control {
    /// The lanes that wait for each block of the plan.
    pending: Vec<u64>,
    /// Which blocks lanes wait for.
    waiting: Vec<u64>,
    /// Which words of `waiting` have a bit: the fallback goes back to its first block after every other.
    groups: Vec<u64>,
    /// No word of `groups` before this one has a bit.
    first: usize,
    /// The lanes there are.
    pub(in crate::exec) present: u64,
    /// The lanes that run now.
    pub(super) active: u64,
    /// The same as a row of truth values; kept up only while some lanes rest.
    pub(super) mask: Row,
    /// What a variable's row held before an instruction that all lanes went through.
    pub(super) saved: Row,
    /// Units of fuel left.
    pub(super) fuel: Row,
    pub(in crate::exec) end: BlockEnd,
}

impl Default for Control {
    fn default() -> Self {
        Control {
            pending: Vec::new(),
            waiting: Vec::new(),
            groups: Vec::new(),
            first: 0,
            present: 0,
            active: 0,
            mask: Row::ZERO,
            saved: Row::ZERO,
            fuel: Row::ZERO,
            end: BlockEnd::default(),
        }
    }
}

impl Control {
    /// Puts the first `lanes` lanes (1 to [`WIDTH`]) at the entry of `plan` with this much fuel.
    pub(in crate::exec) fn start(&mut self, plan: &Plan, lanes: usize, fuel: u32) {
        // Whatever a run left behind: nothing, unless it was cut short.
        self.pending.clear();
        self.pending.resize(plan.blocks().len(), 0);
        self.waiting.clear();
        self.waiting.resize(plan.blocks().len().div_ceil(64), 0);
        self.groups.clear();
        self.groups.resize(self.waiting.len().div_ceil(64), 0);
        self.first = 0;
        self.present = u64::MAX >> (WIDTH - lanes.clamp(1, WIDTH));
        self.fuel = Row([fuel; WIDTH]);
        self.end = BlockEnd::default();
        // An empty plan ends every lane at once.
        if (plan.entry() as usize) < plan.blocks().len() {
            self.send(plan.entry(), self.present);
        }
    }

    /// Lets `lanes` wait for `block`.
    #[inline(always)]
    pub(super) fn send(&mut self, block: u32, lanes: u64) {
        if lanes != 0 {
            let at = block as usize;
            self.pending[at] |= lanes;
            let word = at / 64;
            self.waiting[word] |= 1 << (at % 64);
            self.groups[word / 64] |= 1 << (word % 64);
            self.first = self.first.min(word / 64);
        }
    }

    /// Takes the lowest block that lanes wait for; they become the active ones.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<u32> {
        while let Some(&group) = self.groups.get(self.first) {
            crate::work::looks_at(1);
            if group != 0 {
                let word = self.first * 64 + group.trailing_zeros() as usize;
                let blocks = self.waiting[word];
                let at = word * 64 + blocks.trailing_zeros() as usize;
                let left = blocks & (blocks - 1);
                self.waiting[word] = left;
                if left == 0 {
                    self.groups[self.first] = group & (group - 1);
                }
                self.active = std::mem::take(&mut self.pending[at]);
                self.spread();
                return Some(at as u32);
            }
            self.first += 1;
        }
        None
    }

    /// Whether some lanes that there are rest now.
    #[inline(always)]
    pub(super) fn partial(&self) -> bool {
        self.active != self.present
    }

    /// Brings `mask` up to date.
    #[inline(always)]
    fn spread(&mut self) {
        if self.partial() {
            let (low, high) = (self.active as u32, (self.active >> 32) as u32);
            let (first, second) = self.mask.0.split_at_mut(WIDTH / 2);
            for i in 0..WIDTH / 2 {
                first[i] = 0u32.wrapping_sub(low >> i & 1);
                second[i] = 0u32.wrapping_sub(high >> i & 1);
            }
        }
    }

    /// Ends those active lanes that have less than `n` units of fuel and takes `n` from the others.
    #[inline(always)]
    pub(super) fn take_fuel<const N: usize>(&mut self, n: u32) {
        let mut short = 0u64;
        let all = !self.partial();
        for i in 0..N {
            let running = all || self.mask.0[i] != 0;
            let lacks = self.fuel.0[i] < n;
            short |= u64::from(running && lacks) << i;
            let left = if lacks { 0 } else { self.fuel.0[i].wrapping_sub(n) };
            self.fuel.0[i] = if running { left } else { self.fuel.0[i] };
        }
        short &= self.active;
        if short != 0 {
            self.end.spent |= short;
            self.active &= !short;
            self.spread();
        }
    }
}

/// The lanes whose truth value in `row` holds.
#[inline(always)]
pub(super) fn lanes_of<const N: usize>(row: &[u32; WIDTH]) -> u64 {
    let mut lanes = 0;
    for i in 0..N {
        lanes |= u64::from(row[i] & 1) << i;
    }
    lanes
}
