//! Dataflow of registers, temporaries and address registers along all paths: pending stores, and values that may never have been stored.

use super::super::facts::Facts;
use super::super::names::register_name;
use super::super::options::Choice;
use super::super::program::{Target, Word};
use super::super::rules::Rule;
use super::super::source::{NOT_STORED, Source};
use super::super::validate::violation;
use super::super::vocabulary::LOAD;
use crate::isa::{Options, Violation};

/// The state before a word. Pending stores and stores of varyings are those on any path to the word; stored and set registers are those on all paths.
///
/// Registers are 64 scalars; component c of register n is bit 4 n + c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Registers with a store that has not arrived: element k is the set of those whose last store needs at least k + 1 more words.
    pub(super) registers: [u64; 2],
    /// Temporaries (bit 0) and address registers 1 to 3 (bits 1 to 3) with a pending store: element k is the set of those that need at least k + 1
    /// more words.
    pub(super) slow: [u8; 3],
    /// Registers stored on every path.
    stored: u64,
    /// Address registers set on every path.
    set: u8,
    /// Varying components stored on some path.
    varyings: u64,
}

impl State {
    pub(super) const START: State = State { registers: [0; 2], slow: [0; 3], stored: 0, set: 0, varyings: 0 };

    fn join(self, other: State) -> State {
        let or = |a: u8, b: u8| a | b;
        State {
            registers: [self.registers[0] | other.registers[0], self.registers[1] | other.registers[1]],
            slow: [0, 1, 2].map(|k| or(self.slow[k], other.slow[k])),
            stored: self.stored & other.stored,
            set: self.set & other.set,
            varyings: self.varyings | other.varyings,
        }
    }

    /// Returns the state after `cycles` more cycles without a store.
    fn later(mut self, cycles: usize) -> State {
        for _ in 0..cycles {
            self.registers = [self.registers[1], 0];
            self.slow = [self.slow[1], self.slow[2], 0];
        }
        self
    }

    /// Returns the state after a word.
    fn after(self, word: &Word) -> State {
        let mut state = self.later(1);
        let (registers, varyings, temporary) = stores(word);
        // A store in word i can be read from i + 3 on, a temporary or an address register from i + 4 on.
        state.registers = state.registers.map(|late| late | registers);
        state.stored |= registers;
        state.varyings |= varyings;
        let mut slow = u8::from(temporary);
        if let Some(set) = word.address_set() {
            // Address register 0 is set without delay.
            let later = set.later.map_or(0, |register| 1 << register);
            state.set |= u8::from(set.zero) | later;
            slow |= later;
        }
        state.slow = state.slow.map(|late| late | slow);
        state
    }
}

/// Returns the registers and varyings that a word stores, and whether it stores a temporary.
pub(super) fn stores(word: &Word) -> (u64, u64, bool) {
    let (mut registers, mut varyings, mut temporary) = (0, 0, false);
    for (unit, store) in word.store.iter().enumerate() {
        for component in (0..2).filter(|c| store.sources[*c] != NOT_STORED) {
            let bit = |n: u8| 1u64 << (usize::from(n & 15) * 4 + 2 * unit + component);
            match store.target() {
                Target::Register(n) => registers |= bit(n),
                Target::Varying(n) => varyings |= bit(n),
                Target::Temporary => temporary = true,
                Target::Unknown => {}
            }
        }
    }
    (registers, varyings, temporary)
}

pub(super) fn hazards(
    words: &[Word],
    leaders: &[bool],
    states: &[Option<State>],
    facts: &Facts,
) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut state = None;
    let mut before: Option<(State, &Word)> = None;
    for (k, word) in words.iter().enumerate() {
        if leaders[k] {
            (state, before) = (states[k], None);
        }
        // An unreachable block has no history to check.
        let Some(now) = state else { continue };
        Reads { word: k as u32, found: &mut found }.check(word, now, before, facts);
        (state, before) = (Some(now.after(word)), Some((now, word)));
    }
    found
}

/// Returns the state before each reachable leader; `None` for all other words.
pub(super) fn fixed_point(words: &[Word], leaders: &[bool], options: &Options) -> Vec<Option<State>> {
    let bubbles = [2, 0, 3][usize::from(options.get(Choice::BranchBubbles as usize)).min(2)];
    let mut states: Vec<Option<State>> = vec![None; words.len()];
    let Some(first) = states.first_mut() else { return states };
    *first = Some(State::START);
    let mut waiting = vec![0usize];
    while let Some(start) = waiting.pop() {
        let Some(mut state) = states[start] else { continue };
        let mut arrive = |at: usize, state: State| {
            let Some(slot) = states.get_mut(at) else { return };
            let joined = slot.map_or(state, |old| old.join(state));
            if *slot != Some(joined) {
                *slot = Some(joined);
                waiting.push(at);
            }
        };
        let mut at = start;
        while let Some(word) = words.get(at) {
            state = state.after(word);
            if word.branch != 0 {
                arrive(word.target() as usize, state.later(bubbles));
            }
            at += 1;
            if leaders.get(at).copied().unwrap_or(false) {
                arrive(at, state);
                break;
            }
        }
    }
    states
}

/// Checks the reads of one word.
struct Reads<'f> {
    word: u32,
    found: &'f mut Vec<Violation>,
}

impl Reads<'_> {
    fn report(&mut self, rule: Rule, detail: &str) {
        let violation = violation(rule, Some(self.word), detail);
        // A word may read the same register too early twice: in its own cycle and in that of the word before. One report is enough.
        let mut of_word = self.found.iter().rev().take_while(|other| other.word == violation.word);
        if of_word.all(|other| *other != violation) {
            self.found.push(violation);
        }
    }

    fn check(&mut self, word: &Word, now: State, before: Option<(State, &Word)>, facts: &Facts) {
        // The registers already checked, as read in this word and in the word before: a register may be readable in only one of the two.
        let mut seen = [0u64; 2];
        for (source, _) in word.operands() {
            // The register, its component, the state when it was read, and whether that was in the word before.
            let (register, component, state, was_before) = match source {
                Source::Port0(c) if word.port0_attribute == 0 => (word.port0, c, now, false),
                Source::Port1(c) => (word.port1, c, now, false),
                Source::Port0Before(c) => match before {
                    Some((then, w)) if w.port0_attribute == 0 => (w.port0, c, then, true),
                    _ => continue,
                },
                _ => continue,
            };
            let scalar = usize::from(register & 15) * 4 + usize::from(component & 3);
            let seen = &mut seen[usize::from(was_before)];
            if *seen >> scalar & 1 != 0 {
                continue;
            }
            *seen |= 1 << scalar;
            let detail = register_name(scalar / 4, scalar % 4);
            if state.registers[0] >> scalar & 1 != 0 {
                self.report(Rule::EarlyRegister, &detail);
            }
            if state.stored >> scalar & 1 == 0 {
                self.report(Rule::Unwritten, &detail);
            }
        }
        self.loads(word, now, facts);
        let (_, varyings, temporary) = stores(word);
        if varyings & now.varyings != 0 {
            let first = (varyings & now.varyings).trailing_zeros();
            self.report(Rule::VaryingTwice, &format!("v{}", first / 4));
        }
        if temporary && now.set & 1 == 0 && !word.address_set().is_some_and(|set| set.zero) {
            self.report(Rule::UnwrittenAddress, "address register 0");
        }
    }

    fn loads(&mut self, word: &Word, now: State, facts: &Facts) {
        if !word.loads() {
            return;
        }
        let register = word.load.register();
        if let Some(register) = register {
            let detail = format!("address register {register}");
            if now.slow[0] >> register & 1 != 0 {
                self.report(Rule::EarlyAddress, &detail);
            }
            if now.set >> register & 1 == 0 {
                self.report(Rule::UnwrittenAddress, &detail);
            }
        }
        // A slot that holds a uniform according to the facts is not a temporary.
        let uniform = register.is_none() && is_uniform(word.load.address, facts);
        if now.slow[0] & 1 != 0 && !uniform {
            self.report(Rule::EarlyTemporary, LOAD);
        }
    }
}

/// Whether the facts define the content of the slot.
fn is_uniform(slot: u16, facts: &Facts) -> bool {
    facts.uniforms.is_some_and(|n| slot < n)
        || facts.viewport_scale == Some(slot)
        || facts.viewport_offset == Some(slot)
        || (0..4).any(|c| facts.literal(slot, c).is_some())
}
