//! Building a program backwards, from its last word to its first: every word computes values that later words have requested.
//!
//! As a consequence, every computed value is read; every result is read one or two words later, because it was requested at that distance; and every
//! store arrives in time, because it is placed early enough.

use super::pending::{PendingStores, REGISTER_LATENCY, TEMPORARY_LATENCY, note};
use super::plan::Plan;
use super::request::{MIN_BITS, ValueRequest};
use crate::generate::Entropy;
use lockstep_core::isa::utgard_gp::facets::FIRST_OPERANDS as KINDS;
use lockstep_core::isa::utgard_gp::opcode::Op;
use lockstep_core::isa::utgard_gp::program::{Load, Word};
use lockstep_core::isa::utgard_gp::source::{ResultOf, Source};
use std::collections::VecDeque;

/// The number of words planned ahead. A logarithm begins five words before its result is read.
pub(super) const WINDOW: usize = 10;
/// Returns the literals, four to a slot: the limits of clamps, 1 and 0; other limits and the slots of two temporaries, the first of which is
/// `temporaries`; the limits of a truth value, a decrement and 0.5.
pub(super) fn literals(temporaries: u16) -> [f32; 12] {
    let slot = f32::from(temporaries);
    [-4.0, 4.0, 1.0, 0.0, 0.125, 16.0, slot, slot + 1.0, 0.0, 1.0, -1.0, 0.5]
}
/// The index of the literal 1.
pub(super) const ONE: u8 = 2;
/// The indices of the literals that are slot numbers of temporaries.
pub(super) const TEMPORARY: [u8; 2] = [6, 7];
/// The number of slots that contain literals; temporaries follow them.
pub(super) const LITERAL_SLOTS: u16 = 3;

/// The state of the program under construction.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent flags
pub(super) struct BackwardBuilder {
    /// The words, the last one first.
    pub(super) words: Vec<Word>,
    /// Branches and their targets, as indices into `words`.
    pub(super) branches: Vec<(usize, usize)>,
    /// The word being built, followed by the words that precede it in the program.
    pub(super) plans: VecDeque<Plan>,
    pub(super) pending: PendingStores,
    /// Components of varyings still to be stored.
    pub(super) outputs: Vec<(u8, u8)>,
    /// Register components that must not be read, since their values would grow with each iteration of a loop.
    pub(super) unreadable: [u8; 16],
    /// Whether results of preceding words may be requested.
    pub(super) open: bool,
    /// Whether registers and other storage may be read. A preceding word then has to store the value.
    pub(super) may_read_storage: bool,
    /// The number of registers in use.
    pub(super) registers: u8,
    /// The attributes in use.
    pub(super) attributes: [u8; 3],
    /// The number of uniforms.
    pub(super) uniforms: u16,
    /// Whether literals are used.
    pub(super) literals: bool,
    /// Whether temporaries are used.
    pub(super) temporaries: bool,
    /// Whether indexed loads are used.
    pub(super) indexing: bool,
    /// Whether rules of warning level may be broken.
    pub(super) allows_warnings: bool,
    /// The requested name of an operation, store or branch; empty if none is requested.
    pub(super) opcode: &'static str,
}

impl BackwardBuilder {
    /// Whether this operation is requested.
    pub(super) fn is_requested(&self, op: Op) -> bool {
        self.opcode == op.row().qualified
    }

    pub(super) fn plan(&mut self, at: usize) -> &mut Plan {
        &mut self.plans[at.min(WINDOW - 1)]
    }

    /// Returns the slot and component of a literal.
    pub(super) fn literal(&self, number: u8) -> (u16, u8) {
        (self.uniforms + u16::from(number / 4), number & 3)
    }

    /// Returns the slot of a temporary.
    pub(super) fn temporary_slot(&self, number: usize) -> u16 {
        self.uniforms + LITERAL_SLOTS + number as u16
    }

    /// Returns the number of the temporary that a load reads.
    fn temporary_at(&self, load: Load) -> Option<usize> {
        let number = usize::from(load.address.checked_sub(self.uniforms + LITERAL_SLOTS)?);
        (self.temporaries && load.offset == Load::NO_OFFSET && number < 2).then_some(number)
    }

    /// Returns an operand for a unit of the word `at` words before this one, with the wanted properties if possible. `second` means that it is a
    /// second operand.
    pub(super) fn operand(&mut self, e: &mut Entropy<'_>, at: usize, second: bool, want: ValueRequest) -> u8 {
        for _ in 0..6 {
            let kind = self.draw(e, at, second);
            // Sometimes accepts a value that is equal in all lanes.
            let want = if want.varies && e.chance(4) { ValueRequest { varies: false, ..want } } else { want };
            let want = if want.truth && e.chance(12) { ValueRequest { truth: false, ..want } } else { want };
            if let Some(code) = self.kind(e, at, second, want, kind) {
                return code;
            }
            if e.is_exhausted() {
                break;
            }
        }
        let relaxed = ValueRequest { varies: false, nonzero: false, truth: false, ..want };
        let signed = ValueRequest { positive: false, ..relaxed };
        for (want, kinds) in [(want, &[0, 4, 1, 5][..]), (relaxed, &[0, 4, 1, 5]), (signed, &[0, 5])] {
            for &kind in kinds {
                if let Some(code) = self.kind(e, at, second, want, kind) {
                    return code;
                }
            }
        }
        // Falls back to a component of whatever the load port reads.
        Source::Load(e.below(4) as u8).known_code()
    }

    /// Draws the kind of an operand.
    fn draw(&mut self, e: &mut Entropy<'_>, at: usize, second: bool) -> usize {
        if self.open && at + 2 < WINDOW && e.chance(62) {
            // Prefers results that are already requested to new ones.
            let known: Vec<usize> = (6..KINDS.len())
                .filter(|kind| {
                    let (of, age) = result_of(*kind);
                    self.plans[at + age].goals[of as usize].is_some() && !(second && *kind == 11)
                })
                .collect();
            if e.chance(30)
                && let Some(kind) = e.pick(&known)
            {
                return *kind;
            }
            return e.between(6, KINDS.len() - 1);
        }
        let before = u32::from(self.open);
        let registers = if self.may_read_storage { 3 } else { 0 };
        e.weighted(&[6, registers, 2 * before, before * registers / 2, registers, 4])
    }

    /// Returns an operand of a kind, if one is available.
    fn kind(
        &mut self,
        e: &mut Entropy<'_>,
        at: usize,
        second: bool,
        want: ValueRequest,
        kind: usize,
    ) -> Option<u8> {
        let ordinary = want.takes_ordinary() && !want.truth;
        match kind {
            0 if ordinary => {
                let c = e.below(4) as u8;
                self.attribute(e, at).then_some(Source::Port0(c).known_code())
            }
            1 => {
                let c = e.below(4) as u8;
                self.read_register_at_port0(e, at, c, want).then_some(Source::Port0(c).known_code())
            }
            2 if ordinary && self.open && at + 1 < WINDOW => {
                let c = e.below(4) as u8;
                self.attribute(e, at + 1).then_some(Source::Port0Before(c).known_code())
            }
            3 if self.open && at + 1 < WINDOW => {
                let c = e.below(4) as u8;
                self.read_register_at_port0(e, at + 1, c, want).then_some(Source::Port0Before(c).known_code())
            }
            4 => {
                let c = e.below(4) as u8;
                let number = self.plans[at].port1.unwrap_or_else(|| self.register(e));
                self.read_register(number, c, want, at).then(|| {
                    self.plan(at).port1 = Some(number);
                    Source::Port1(c).known_code()
                })
            }
            5 => self.load(e, at, want),
            6.. => {
                let (of, age) = result_of(kind);
                if !self.open || at + age >= WINDOW || (second && of == ResultOf::Complex) {
                    return None;
                }
                let code = Source::Result { of, age: age as u8 }.code()?;
                self.result(at + age, of, want, age == 1).then_some(code)
            }
            _ => None,
        }
    }

    /// Requests a value from a unit; a literal is moved from the load port of the unit's word. Returns whether the unit can provide the value.
    pub(super) fn result(&mut self, at: usize, of: ResultOf, want: ValueRequest, soon: bool) -> bool {
        if let Some(literal) = want.exact {
            return self.move_literal(at, of, literal);
        }
        // Only adders and multipliers can make a number positive.
        let able = match of {
            ResultOf::Pass | ResultOf::Complex => !want.positive,
            _ => true,
        };
        able && self.plan(at).request(of, want, soon)
    }

    /// Makes a unit move a literal.
    pub(super) fn move_literal(&mut self, at: usize, of: ResultOf, literal: u8) -> bool {
        let (slot, c) = self.literal(literal);
        let load = Load { address: slot, offset: Load::NO_OFFSET };
        let plan = self.plan(at);
        if !plan.can_move(of) || plan.load.is_some_and(|old| old != load) {
            return false;
        }
        plan.load = Some(load);
        plan.fill_move(of, Source::Load(c).known_code());
        true
    }

    /// Makes read port 0 read an attribute. Returns false if the port already reads a register.
    fn attribute(&mut self, e: &mut Entropy<'_>, at: usize) -> bool {
        let number = e.pick(&self.attributes).copied().unwrap_or_default();
        let plan = self.plan(at);
        match plan.port0 {
            Some((attribute, _)) => attribute,
            None => {
                plan.port0 = Some((true, number));
                true
            }
        }
    }

    fn register(&self, e: &mut Entropy<'_>) -> u8 {
        e.below(usize::from(self.registers.max(1))) as u8
    }

    /// Makes read port 0 read a component of a register.
    fn read_register_at_port0(&mut self, e: &mut Entropy<'_>, at: usize, c: u8, want: ValueRequest) -> bool {
        let number = match self.plans[at].port0 {
            Some((true, _)) => return false,
            Some((false, number)) => number,
            None => self.register(e),
        };
        if !self.read_register(number, c, want, at) {
            return false;
        }
        self.plan(at).port0 = Some((false, number));
        true
    }

    /// Records that a word reads a component of a register. Returns false if the component must not be read, or no
    /// value satisfies all its readers.
    pub(super) fn read_register(&mut self, number: u8, c: u8, want: ValueRequest, at: usize) -> bool {
        let known = self.pending.registers[usize::from(number & 15)][usize::from(c & 3)].is_some();
        if self.unreadable[usize::from(number & 15)] >> c & 1 != 0 || !(self.may_read_storage || known) {
            return false;
        }
        let place = &mut self.pending.registers[usize::from(number & 15)][usize::from(c & 3)];
        note(place, want, at as u8 + REGISTER_LATENCY)
    }

    /// Returns a component read through the load port.
    fn load(&mut self, e: &mut Entropy<'_>, at: usize, want: ValueRequest) -> Option<u8> {
        let c = e.below(4) as u8;
        if let Some(literal) = want.exact {
            let (slot, c) = self.literal(literal);
            let load = Load { address: slot, offset: Load::NO_OFFSET };
            let plan = self.plan(at);
            let same = plan.load.is_none_or(|old| old == load);
            plan.load = if same { Some(load) } else { plan.load };
            return same.then_some(Source::Load(c).known_code());
        }
        let Some(load) = self.plans[at].load else {
            let load = self.some_load(e);
            // An unsuitable load leaves the load port free.
            if !self.loadable(load, c, want, at) {
                return None;
            }
            self.note_load(load, at);
            self.plan(at).load = Some(load);
            return Some(Source::Load(c).known_code());
        };
        self.loadable(load, c, want, at).then_some(Source::Load(c).known_code())
    }

    fn some_load(&mut self, e: &mut Entropy<'_>) -> Load {
        let plain = |address| Load { address, offset: Load::NO_OFFSET };
        let slots = usize::from(self.uniforms.max(1));
        let weights = [
            6,
            if self.indexing && self.may_read_storage { 8 } else { 0 },
            if self.temporaries { 5 } else { 0 },
        ];
        match e.weighted(&weights) {
            0 => plain(e.below(slots) as u16),
            1 => Load { address: e.between(0, 12) as u16, offset: e.between(1, 3) as u8 },
            _ => plain(self.temporary_slot(e.below(2))),
        }
    }

    /// Whether a component of a load is suitable; records the request if it is a temporary.
    fn loadable(&mut self, load: Load, c: u8, want: ValueRequest, at: usize) -> bool {
        if let Some(number) = self.temporary_at(load) {
            let place = &mut self.pending.temporaries[number][usize::from(c & 3)];
            if !self.may_read_storage && place.is_none() {
                return false;
            }
            return note(place, want, at as u8 + TEMPORARY_LATENCY);
        }
        let few = load.address >= self.uniforms && load.offset == Load::NO_OFFSET;
        let varies = load.offset != Load::NO_OFFSET;
        want.takes_ordinary() && !want.truth && (!want.varies || varies) && !(want.nonzero && few)
    }

    /// Records the address register that a load needs.
    pub(super) fn note_load(&mut self, load: Load, at: usize) {
        if let Some(register) = load.register() {
            note(&mut self.pending.address[register - 1], ValueRequest::SMALL, at as u8 + TEMPORARY_LATENCY);
            self.pending.no_temporary = self.pending.no_temporary.max(at as u8 + TEMPORARY_LATENCY);
        }
    }

    /// Completes the word being built and continues with the word before it.
    pub(super) fn push(&mut self) {
        let plan = self.plans.pop_front().unwrap_or_default();
        if plan.function_loads {
            self.pending.no_temporary = self.pending.no_temporary.max(TEMPORARY_LATENCY + 1);
        }
        self.plans.push_back(Plan::default());
        self.words.push(plan.finish());
        self.pending.step_back();
    }

    /// Returns the limit on the magnitude of each of two factors, as a power of two.
    pub(super) fn factor_bits(bits: i32) -> i32 {
        (bits / 2).max(MIN_BITS)
    }
}

/// Returns the unit that an operand kind refers to, and how many words ago it ran.
fn result_of(kind: usize) -> (ResultOf, usize) {
    match kind {
        6..=11 => (ResultOf::ALL[kind - 6], 1),
        _ => (ResultOf::ALL[kind.clamp(12, 16) - 12], 2),
    }
}
