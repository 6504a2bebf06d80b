//! Generation of stores: of values that later words read, and of outputs.

use super::backward::{BackwardBuilder, ONE, TEMPORARY};
use super::pending::note;
use super::request::ValueRequest;
use crate::generate::Entropy;
use lockstep_core::isa::utgard_gp::opcode::Op;
use lockstep_core::isa::utgard_gp::program::Load;
use lockstep_core::isa::utgard_gp::source::{ResultOf, Source, StoreSource};
use lockstep_core::isa::utgard_gp::vocabulary::Mark;

/// The destination of a store unit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum StoreDestination {
    Register(u8),
    Varying(u8),
}

/// Which values a word stores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Storing {
    /// Whether to store all pending values that can be stored.
    pub(super) all: bool,
    /// Whether outputs may be stored too.
    pub(super) outputs: bool,
    /// Whether stores are in a loop, so that a value may accumulate.
    pub(super) looping: bool,
}

impl BackwardBuilder {
    /// Makes the word at the front store some of the pending values.
    pub(super) fn store(&mut self, e: &mut Entropy<'_>, storing: Storing) {
        let temporary = (0..2).find(|number| self.is_due(*number));
        if let Some(number) = temporary
            && (storing.all || e.chance(60))
        {
            return self.store_temporary(e, number);
        }
        if self.temporaries
            && !storing.all
            && e.chance(if self.opcode == "complex.set_addr0" { 40 } else { 6 })
        {
            self.store_anywhere(e);
        }
        for k in 0..3 {
            if self.pending.address[k].is_some_and(|store| store.slack == 0)
                && self.plans[0].is_free(ResultOf::Complex)
                && (storing.all || e.chance(60))
            {
                self.set_address(e, k);
            }
        }
        for unit in 0..2 {
            if self.plans[0].word.store[unit].stores_any() {
                continue;
            }
            let store_destinations = self.store_destinations(unit, storing.outputs);
            if (storing.all || e.chance(65))
                && let Some(stored) = e.pick(&store_destinations).copied()
            {
                self.store_pair(e, unit, stored, storing);
            }
        }
    }

    /// Whether a temporary is pending and all of its components can be stored in this word.
    fn is_due(&self, number: usize) -> bool {
        let stores = &self.pending.temporaries[number];
        let plan = &self.plans[0];
        let (slot, _) = self.literal(TEMPORARY[number]);
        let load = Load { address: slot, offset: Load::NO_OFFSET };
        stores.iter().any(Option::is_some)
            && stores.iter().flatten().all(|store| store.slack == 0)
            && self.pending.no_temporary == 0
            && plan.is_free(ResultOf::Complex)
            && plan.load.is_none_or(|known| known == load)
            && plan.word.store.iter().all(|store| !store.stores_any())
            && plan.word.branch == 0
    }

    /// Stores to a slot computed at run time, usually a slot of a uniform that later words load.
    fn store_anywhere(&mut self, e: &mut Entropy<'_>) {
        let plan = &self.plans[0];
        let room = self.pending.no_temporary == 0
            && plan.is_free(ResultOf::Complex)
            && plan.word.branch == 0
            && plan.word.store.iter().all(|store| !store.stores_any())
            && self.pending.temporaries.iter().flatten().flatten().all(|store| store.slack == 0);
        if !room {
            return;
        }
        self.plan(0).taken[ResultOf::Complex as usize] = true;
        let code = self.operand(e, 0, false, ValueRequest::ANY.with_bits(3));
        let word = &mut self.plan(0).word;
        (word.complex_op, word.complex_src, word.unknown_1) =
            (Op::SetAddr0.number(), code, Mark::Temporary as u8);
        for c in 0..4 {
            if let Some(of) = self.source(e, ValueRequest::OUTPUT.with_bits(8)) {
                let store = &mut self.plan(0).word.store[c / 2];
                store.temporary = 1;
                store.sources[c & 1] = StoreSource::Result(of).code();
            }
        }
    }

    /// Sets address register 0 in the preceding word, so that the complex unit is free to compute the stored value. Returns false if that is
    /// impossible.
    fn address_before(&mut self, number: usize) -> bool {
        let (slot, c) = self.literal(TEMPORARY[number]);
        let load = Load { address: slot, offset: Load::NO_OFFSET };
        let plan = self.plan(1);
        if !plan.is_free(ResultOf::Complex) || plan.load.is_some_and(|known| known != load) {
            return false;
        }
        plan.load = Some(load);
        plan.taken[ResultOf::Complex as usize] = true;
        (plan.word.complex_op, plan.word.complex_src) = (Op::SetAddr0.number(), Source::Load(c).known_code());
        true
    }

    fn store_temporary(&mut self, e: &mut Entropy<'_>, number: usize) {
        let stores = std::mem::take(&mut self.pending.temporaries[number]);
        let before = self.open && self.allows_warnings && e.chance(50) && self.address_before(number);
        if !before {
            let want = ValueRequest::exactly(TEMPORARY[number]);
            let code = self.operand(e, 0, false, want);
            let plan = self.plan(0);
            plan.taken[ResultOf::Complex as usize] = true;
            (plan.word.complex_op, plan.word.complex_src) = (Op::SetAddr0.number(), code);
        }
        self.plan(0).word.unknown_1 = Mark::Temporary as u8;
        for (c, store) in stores.into_iter().enumerate() {
            let Some(store) = store else { continue };
            match self.source(e, store.want) {
                Some(of) => {
                    let store = &mut self.plan(0).word.store[c / 2];
                    store.temporary = 1;
                    store.sources[c & 1] = StoreSource::Result(of).code();
                }
                // A preceding word has to store the component.
                None => self.pending.temporaries[number][c] = Some(store),
            }
        }
    }

    fn set_address(&mut self, e: &mut Entropy<'_>, k: usize) {
        let Some(store) = self.pending.address[k].take() else { return };
        let asked = self.opcode == "complex.set_addr01";
        if k == 0 && (asked || self.allows_warnings && e.chance(30)) && self.plans[0].is_free(ResultOf::Pass)
        {
            self.plan(0).taken[ResultOf::Complex as usize] = true;
            if self.request_stored_result(ResultOf::Pass, store.want) {
                self.plan(0).word.complex_op = Op::SetAddr01.number();
                return;
            }
            self.plan(0).taken[ResultOf::Complex as usize] = false;
        }
        let op = [Op::SetAddr1, Op::SetAddr2, Op::SetAddr3][k];
        // The complex unit is reserved. Its operand may be the complex unit's result of an earlier word.
        self.plan(0).taken[ResultOf::Complex as usize] = true;
        let code = self.operand(e, 0, false, store.want);
        let word = &mut self.plan(0).word;
        (word.complex_op, word.complex_src) = (op.number(), code);
    }

    /// Returns the destinations to which a store unit can store a pending value.
    fn store_destinations(&self, unit: usize, outputs: bool) -> Vec<StoreDestination> {
        let due = |n: &u8| {
            let pair = &self.pending.registers[usize::from(*n)][2 * unit..2 * unit + 2];
            pair.iter().any(Option::is_some) && pair.iter().flatten().all(|store| store.slack == 0)
        };
        let mut store_destinations: Vec<StoreDestination> =
            (0..16).filter(due).map(StoreDestination::Register).collect();
        if outputs {
            let here = self.outputs.iter().filter(|(_, c)| usize::from(*c) / 2 == unit);
            for (n, _) in here {
                if !store_destinations.contains(&StoreDestination::Varying(*n)) {
                    store_destinations.push(StoreDestination::Varying(*n));
                }
            }
        }
        store_destinations
    }

    fn store_pair(&mut self, e: &mut Entropy<'_>, unit: usize, stored: StoreDestination, storing: Storing) {
        // Sometimes only one of two components of a varying is stored in this word.
        let alone = e.chance(25).then(|| e.below(2));
        for k in 0..2 {
            let c = 2 * unit + k;
            match stored {
                StoreDestination::Register(n) => {
                    let store = self.pending.registers[usize::from(n)][c];
                    let Some(store) = store else { continue };
                    let of = if storing.looping
                        && store.want.takes_ordinary()
                        && !store.want.truth
                        && e.chance(50)
                    {
                        self.accumulate(e, n, c as u8, store.want)
                    } else {
                        None
                    };
                    let built = of.is_some();
                    let Some(of) = of.or_else(|| self.source(e, store.want)) else {
                        continue;
                    };
                    if storing.looping {
                        self.unreadable[usize::from(n)] |= 1 << c;
                    }
                    if !built {
                        self.pending.registers[usize::from(n)][c] = None;
                    }
                    let store = &mut self.plan(0).word.store[unit];
                    store.address = n;
                    store.sources[k] = StoreSource::Result(of).code();
                }
                StoreDestination::Varying(n) => {
                    let known = self.outputs.iter().position(|output| *output == (n, c as u8));
                    let Some(known) = known.filter(|_| alone.is_none_or(|alone| alone == k)) else {
                        continue;
                    };
                    let Some(of) = self.source(e, ValueRequest::OUTPUT) else { continue };
                    self.outputs.swap_remove(known);
                    let store = &mut self.plan(0).word.store[unit];
                    (store.varying, store.address) = (1, n);
                    store.sources[k] = StoreSource::Result(of).code();
                }
            }
        }
    }

    /// Makes an adder add to a register that is stored repeatedly.
    fn accumulate(&mut self, e: &mut Entropy<'_>, n: u8, c: u8, want: ValueRequest) -> Option<ResultOf> {
        let of = [ResultOf::Acc0, ResultOf::Acc1].into_iter().find(|of| self.plans[0].can_move(*of))?;
        if self.plans[0].port1.is_some_and(|known| known != n) {
            return None;
        }
        let before = want.with_bits(want.bits - 5);
        let stored = &mut self.pending.registers[usize::from(n)][usize::from(c)];
        let old = stored.take();
        if !note(stored, before, super::pending::REGISTER_LATENCY) {
            *stored = old;
            return None;
        }
        self.plan(0).port1 = Some(n);
        let b = self.operand(e, 0, true, before.with_bits(want.bits.min(8)));
        let neg = u8::from(e.chance(25));
        let plan = self.plan(0);
        plan.fill_move(of, 4 + c);
        let acc = &mut plan.word.acc[of as usize];
        (acc.b, acc.neg_b) = (b, neg);
        Some(of)
    }

    /// Requests the wanted value from a unit of this word, and returns the unit.
    fn source(&mut self, e: &mut Entropy<'_>, want: ValueRequest) -> Option<ResultOf> {
        let of = ["acc.", "mul.", "complex.", "pass."].iter().position(|unit| self.opcode.starts_with(unit));
        let requested =
            of.map(|of| [e.below(2), 2, 5, 4][of]).filter(|of| *of != 5 || self.opcode == "complex.mov");
        if let Some(of) = requested.filter(|_| e.chance(75))
            && self.request_stored_result(ResultOf::ALL[of], want)
        {
            return Some(ResultOf::ALL[of]);
        }
        for _ in 0..6 {
            let weights = if want.truth { [5, 5, 1, 1, 1, 1] } else { [5, 5, 5, 5, 4, 3] };
            let of = ResultOf::ALL[e.weighted(&weights)];
            if self.request_stored_result(of, want) {
                return Some(of);
            }
        }
        ResultOf::ALL.into_iter().find(|of| self.request_stored_result(*of, want))
    }

    fn request_stored_result(&mut self, of: ResultOf, want: ValueRequest) -> bool {
        self.result(0, of, want, true)
    }

    /// Makes a branch unconditional if a literal can be its condition. Returns whether it did.
    pub(super) fn make_branch_unconditional(&mut self) -> bool {
        self.literals && self.move_literal(0, ResultOf::Pass, ONE)
    }
}
