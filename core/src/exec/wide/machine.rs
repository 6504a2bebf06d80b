//! The state of a block of lanes, and the bookkeeping of lane masks.

use super::Row;
use crate::exec::{Plan, WIDTH};
use crate::host::{EffectRecord, Environment};

/// How the lanes of a block ended, one bit per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::exec) struct BlockEnd {
    /// The lanes that ran out of fuel.
    pub(in crate::exec) out_of_fuel: u64,
    /// The lanes that reached a point at which the hardware would hang.
    pub(in crate::exec) hung: u64,
    /// The lanes that had more effects than the environment allows.
    pub(in crate::exec) effects_full: u64,
    /// The lanes that were marked killed.
    pub(in crate::exec) killed: u64,
}

/// The state of a block of lanes that runs a plan.
pub(in crate::exec) struct Machine<'a> {
    pub(in crate::exec) plan: &'a Plan,
    pub(in crate::exec) env: &'a Environment,
    /// The rows of the plan.
    pub(in crate::exec) rows: &'a mut [Row],
    pub(in crate::exec) control: &'a mut Control,
    /// [`WIDTH`] numbers for each input of the plan, among them those of the block's lanes. Empty if the input rows are already filled.
    pub(in crate::exec) inputs: &'a [f32],
    /// [`WIDTH`] numbers for each output of the plan. Empty if the caller reads the output rows afterwards.
    pub(in crate::exec) outputs: &'a mut [f32],
    /// The offset of the block's first lane within each [`WIDTH`] numbers of `inputs` and `outputs`; a multiple of the number of lanes that run
    /// together.
    pub(in crate::exec) lane_offset: usize,
    /// The effects of the block's lanes; empty if the plan has no effects.
    pub(in crate::exec) records: &'a mut [Vec<EffectRecord>],
}

/// Masks and counters of a block of lanes.
#[derive(Clone, Debug)]
pub(in crate::exec) struct Control {
    /// The pending lanes of each block of the plan.
    pending: Vec<u64>,
    /// The set of blocks with pending lanes, one bit per block.
    waiting: Vec<u64>,
    /// The set of words of `waiting` that are not zero, one bit per word. The search for the next block starts here, which keeps it short in programs
    /// of thousands of blocks.
    groups: Vec<u64>,
    /// An index in `groups`: all words before it are zero.
    first: usize,
    /// The lanes that exist.
    pub(in crate::exec) present: u64,
    /// The lanes that are running.
    pub(super) active: u64,
    /// The running lanes as a row of truth values; only maintained while some lanes are inactive.
    pub(super) mask: Row,
    /// The contents of a variable's row before the current instruction. Kernels write all lanes; the inactive lanes are restored from here.
    pub(super) saved: Row,
    /// The units of fuel that each lane has left.
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
    /// Places the first `lanes` lanes (1 to [`WIDTH`]) at the entry of `plan` with this much fuel.
    pub(in crate::exec) fn start(&mut self, plan: &Plan, lanes: usize, fuel: u32) {
        // All sets are empty already unless a previous run was interrupted.
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
        // An empty plan ends every lane immediately.
        if (plan.entry() as usize) < plan.blocks().len() {
            self.send(plan.entry(), self.present);
        }
    }

    /// Makes the first `lanes` lanes active, for a plan whose whole code every lane runs once.
    pub(in crate::exec) fn start_straight(&mut self, lanes: usize) {
        self.present = u64::MAX >> (WIDTH - lanes.clamp(1, WIDTH));
        self.active = self.present;
        self.end = BlockEnd::default();
    }

    /// Adds `lanes` to the pending lanes of `block`.
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

    /// Returns the lowest-numbered block with pending lanes and makes these lanes active. `None` if there is no such block.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<u32> {
        while let Some(&group) = self.groups.get(self.first) {
            crate::work::count_work(1);
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
                self.update_mask();
                return Some(at as u32);
            }
            self.first += 1;
        }
        None
    }

    /// Whether some existing lanes are inactive.
    #[inline(always)]
    pub(super) fn is_partial(&self) -> bool {
        self.active != self.present
    }

    /// Updates `mask` from `active`, if some lanes are inactive.
    #[inline(always)]
    fn update_mask(&mut self) {
        if self.is_partial() {
            let (low, high) = (self.active as u32, (self.active >> 32) as u32);
            let (first, second) = self.mask.0.split_at_mut(WIDTH / 2);
            for i in 0..WIDTH / 2 {
                first[i] = 0u32.wrapping_sub(low >> i & 1);
                second[i] = 0u32.wrapping_sub(high >> i & 1);
            }
        }
    }

    /// Ends the active lanes that have fewer than `n` units of fuel, and takes `n` units from the others.
    #[inline(always)]
    pub(super) fn take_fuel<const N: usize>(&mut self, n: u32) {
        let mut short = 0u64;
        let all = !self.is_partial();
        for i in 0..N {
            let running = all || self.mask.0[i] != 0;
            let lacks = self.fuel.0[i] < n;
            short |= u64::from(running && lacks) << i;
            let left = if lacks { 0 } else { self.fuel.0[i].wrapping_sub(n) };
            self.fuel.0[i] = if running { left } else { self.fuel.0[i] };
        }
        short &= self.active;
        if short != 0 {
            self.end.out_of_fuel |= short;
            self.active &= !short;
            self.update_mask();
        }
    }
}

/// The lanes whose truth value in `row` is true.
#[inline(always)]
pub(super) fn lanes_of<const N: usize>(row: &[u32; WIDTH]) -> u64 {
    let mut lanes = 0;
    for i in 0..N {
        lanes |= u64::from(row[i] & 1) << i;
    }
    lanes
}
