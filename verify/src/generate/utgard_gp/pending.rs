//! Pending stores: values that later words read and that no word stores yet. Programs are built backwards, from the last word to the first.

use super::request::ValueRequest;

/// The minimum distance in words from a store to the first read of a register.
pub(super) const REGISTER_LATENCY: u8 = 3;
/// The minimum distance in words from a store to the first read of a temporary or an address register.
pub(super) const TEMPORARY_LATENCY: u8 = 4;
/// The number of empty cycles after a taken branch, during which stores complete.
const BUBBLES: u8 = 2;

/// A value that a preceding word must store.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingStore {
    pub(super) want: ValueRequest,
    /// The minimum distance in words from the store to the word being built: at 0, that word may store the value.
    pub(super) slack: u8,
}

/// All pending stores.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingStores {
    pub(super) registers: [[Option<PendingStore>; 4]; 16],
    /// The stores to temporaries. Generated programs use two temporaries.
    pub(super) temporaries: [[Option<PendingStore>; 4]; 2],
    /// Address registers 1 to 3.
    pub(super) address: [Option<PendingStore>; 3],
    /// The number of words, from the one being built backwards, in which no temporary may be stored, since the result of a load would be ambiguous.
    pub(super) no_temporary: u8,
}

/// Records a read of a component or address register. `delay` is the minimum distance in words from the store to the read. Returns false if no
/// single value satisfies all readers.
pub(super) fn note(place: &mut Option<PendingStore>, want: ValueRequest, delay: u8) -> bool {
    let merged = match place {
        None => Some(PendingStore { want, slack: delay }),
        Some(old) => old.want.merge(want).map(|want| PendingStore { want, slack: old.slack.max(delay) }),
    };
    *place = merged.or(*place);
    merged.is_some()
}

impl PendingStores {
    fn stores(&mut self) -> impl Iterator<Item = &mut Option<PendingStore>> {
        let registers = self.registers.iter_mut().flatten();
        registers.chain(self.temporaries.iter_mut().flatten()).chain(&mut self.address)
    }

    /// Updates the pending stores for a step to the preceding word.
    pub(super) fn step_back(&mut self) {
        self.reduce_slack(1);
    }

    fn reduce_slack(&mut self, cycles: u8) {
        self.stores().flatten().for_each(|store| store.slack = store.slack.saturating_sub(cycles));
        self.no_temporary = self.no_temporary.saturating_sub(cycles);
    }

    /// Returns the stores that are pending before a branch to this position.
    pub(super) fn over_branch(&self) -> PendingStores {
        let mut pending = self.clone();
        pending.reduce_slack(BUBBLES);
        pending
    }

    /// Returns the stores that are pending on either of two paths, at the point where they diverge.
    pub(super) fn join(mut self, mut other: PendingStores) -> PendingStores {
        for (mine, other) in self.stores().zip(other.stores()) {
            if let Some(store) = other {
                // If readers need different values, the reader on the path of `self` determines the value.
                if !note(mine, store.want, store.slack)
                    && let Some(mine) = mine
                {
                    mine.slack = mine.slack.max(store.slack);
                }
            }
        }
        self.no_temporary = self.no_temporary.max(other.no_temporary);
        self
    }

    /// Whether a store to any register is pending.
    pub(super) fn has_pending_registers(&self) -> bool {
        self.registers.iter().flatten().any(Option::is_some)
    }

    /// Whether any store is pending.
    pub(super) fn has_pending(&self) -> bool {
        self.has_pending_registers()
            || self.temporaries.iter().flatten().any(Option::is_some)
            || self.address.iter().any(Option::is_some)
    }
}
