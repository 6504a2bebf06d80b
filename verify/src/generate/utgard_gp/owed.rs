//! What words already made read and nothing has stored yet.

use super::want::Want;

/// Cycles from a store to the first read of it.
pub(super) const REGISTER: u8 = 3;
/// The same for temporaries and address registers.
pub(super) const SLOW: u8 = 4;
/// Empty cycles after a taken branch, which stores use to arrive.
const BUBBLES: u8 = 2;

/// Something that has to be stored in an earlier word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Debt {
    pub(super) want: Want,
    /// Words that have to lie between.
    pub(super) slack: u8,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Owed {
    pub(super) registers: [[Option<Debt>; 4]; 16],
    /// Temporaries by number of their own.
    pub(super) temporaries: [[Option<Debt>; 4]; 2],
    /// Address registers 1 to 3.
    pub(super) address: [Option<Debt>; 3],
    /// Words in which no temporary may be stored, for what a load reads then would not be clear.
    pub(super) no_temporary: u8,
}

/// Notes a read. `delay` is the number of words that a store has to be away. False if no value suits all readers.
pub(super) fn note(place: &mut Option<Debt>, want: Want, delay: u8) -> bool {
    let merged = match place {
        None => Some(Debt { want, slack: delay }),
        Some(old) => old.want.merge(want).map(|want| Debt { want, slack: old.slack.max(delay) }),
    };
    *place = merged.or(*place);
    merged.is_some()
}

impl Owed {
    fn debts(&mut self) -> impl Iterator<Item = &mut Option<Debt>> {
        let registers = self.registers.iter_mut().flatten();
        registers.chain(self.temporaries.iter_mut().flatten()).chain(&mut self.address)
    }

    /// A word earlier.
    pub(super) fn earlier(&mut self) {
        self.sooner(1);
    }

    fn sooner(&mut self, cycles: u8) {
        self.debts().flatten().for_each(|debt| debt.slack = debt.slack.saturating_sub(cycles));
        self.no_temporary = self.no_temporary.saturating_sub(cycles);
    }

    /// What is owed before a branch to here.
    pub(super) fn over_branch(&self) -> Owed {
        let mut owed = self.clone();
        owed.sooner(BUBBLES);
        owed
    }

    /// What is owed where two paths part.
    pub(super) fn join(mut self, mut other: Owed) -> Owed {
        for (mine, other) in self.debts().zip(other.debts()) {
            if let Some(debt) = other {
                // Readers that want different things get what one of them wants.
                if !note(mine, debt.want, debt.slack)
                    && let Some(mine) = mine
                {
                    mine.slack = mine.slack.max(debt.slack);
                }
            }
        }
        self.no_temporary = self.no_temporary.max(other.no_temporary);
        self
    }

    /// Registers that are owed.
    pub(super) fn owes_registers(&self) -> bool {
        self.registers.iter().flatten().any(Option::is_some)
    }

    /// Whether anything is.
    pub(super) fn owes(&self) -> bool {
        self.owes_registers()
            || self.temporaries.iter().flatten().any(Option::is_some)
            || self.address.iter().any(Option::is_some)
    }
}
