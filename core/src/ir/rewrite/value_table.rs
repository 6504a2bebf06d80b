//! The hash table with which repeated operations are found.

use crate::ir::mix::FastHash;
use crate::ir::op::Op;
use crate::ir::program::Value;
use std::hash::{Hash, Hasher};

/// Returns a hash of an operation, its operands and a salt, a number that distinguishes occurrences with different results.
pub(super) fn hash(op: Op, args: &[Value], salt: u32) -> u32 {
    let mut mix = FastHash::default();
    op.hash(&mut mix);
    for arg in args {
        mix.write_u32(arg.0);
    }
    mix.write_u32(salt);
    mix.finish() as u32
}

/// The instructions of the current block by hash. The table uses open addressing and is at most half full. The size of the table depends on the
/// largest block, not on the program, so the table usually fits the processor's cache.
pub(super) struct ValueTable {
    /// The hash of an instruction, and its number plus 1. A slot whose second number is below `first` belongs to an earlier block and counts as free.
    slots: Vec<(u32, u32)>,
    used: usize,
    /// The number of the block's first instruction, plus 1.
    first: u32,
}

impl ValueTable {
    /// An empty table.
    pub(super) fn new() -> ValueTable {
        ValueTable { slots: vec![(0, 0); 64], used: 0, first: 1 }
    }

    /// Removes all instructions and starts a block whose first instruction has the number `start`. The starts of successive blocks must be in
    /// ascending order; equal starts are allowed.
    pub(super) fn begin(&mut self, start: u32) {
        (self.used, self.first) = (0, start + 1);
    }

    /// Returns an instruction with this hash for which `same` is true.
    #[inline]
    pub(super) fn find(&self, hash: u32, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            crate::work::count_work(1);
            let (h, number) = self.slots[at];
            if number < self.first {
                return None;
            }
            if h == hash && same(number - 1) {
                return Some(number - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds an instruction.
    pub(super) fn insert(&mut self, hash: u32, number: u32) {
        if self.used * 2 >= self.slots.len() {
            let bigger = vec![(0, 0); self.slots.len() * 2];
            for (h, n) in std::mem::replace(&mut self.slots, bigger) {
                if n >= self.first {
                    self.place(h, n);
                }
            }
        }
        self.used += 1;
        self.place(hash, number + 1);
    }

    fn place(&mut self, hash: u32, number: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 >= self.first {
            crate::work::count_work(1);
            at = (at + 1) & mask;
        }
        self.slots[at] = (hash, number);
    }
}
