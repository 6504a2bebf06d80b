//! The interface of a program: its entry, and its inputs and outputs.
//!
//! Inputs are attributes 0 to 15, outputs are varyings 0 to 15 (including the position), and constants are the 512 slots of uniforms. The slots that
//! [`Facts::literals`](super::facts::Facts) covers always hold those literals, whatever the environment contains, because the compiler uploads them
//! with the program. The initial values of `$0` to `$15` can be inputs 64 to 79, and those of the address registers input 80.

#![deny(clippy::cast_possible_truncation)]

use super::facts::Fact;
use super::program::{Program, Target, Word};
use super::source::{NOT_STORED, Source};
use super::word::{NONE, Outputs, Viewport};
use crate::binary::exact;
use crate::host::Environment;
use crate::isa::{Entry, Interface, Port, Stage};

/// The version of every entry: all Utgard chips have this one geometry processor, "MaliGP2".
pub const VERSION: u32 = 2;
/// Number of attributes; also the number of varyings and of registers.
pub const REGISTERS: usize = 16;
/// Number of slots that a load can address.
pub const SLOTS: u16 = 512;

/// The facts about a program that its entry contains: the number of words, prefetch, the outputs with a fixed meaning, and the viewport's slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryFacts {
    /// Number of words; the program ends after the last.
    pub count: u32,
    /// Index of the last word that reads an attribute.
    pub prefetch: Option<u16>,
    /// The varying that is the position.
    pub position: Option<u16>,
    /// The varying that is the point size.
    pub point_size: Option<u16>,
    /// The slot of the viewport's scale.
    pub viewport_scale: Option<u16>,
    /// The slot of the viewport's offset.
    pub viewport_offset: Option<u16>,
}

impl EntryFacts {
    /// Takes the program's facts. Missing facts are derived from the words: all words run, prefetch is the last word that reads an attribute (M, W),
    /// and the position is varying 0 if varying 0 is stored.
    pub fn of(program: &Program) -> EntryFacts {
        let facts = &program.facts;
        // In a program that is longer than any hardware runs, the index may not fit 16 bits.
        let last = program.words.iter().rposition(|w| w.port0_attribute != 0);
        let scanned = last.and_then(|k| u16::try_from(k).ok());
        let stored = program.words.iter().any(|w| stores(w).any(|(varying, _)| varying == 0));
        EntryFacts {
            count: exact(program.words.len()),
            prefetch: facts.prefetch.or(scanned),
            position: facts.position.or(stored.then_some(0)),
            point_size: facts.point_size,
            viewport_scale: facts.viewport_scale,
            viewport_offset: facts.viewport_offset,
        }
    }

    /// Encodes the facts as the four words of an [`Entry`]: count; prefetch; [`Outputs`]; [`Viewport`]. Unknown numbers are [`NONE`].
    pub fn to_words(self) -> [u32; 4] {
        let number = |n: Option<u16>| n.unwrap_or(NONE);
        let outputs = Outputs { position: number(self.position), point_size: number(self.point_size) };
        let viewport = Viewport { scale: number(self.viewport_scale), offset: number(self.viewport_offset) };
        [self.count, number(self.prefetch).into(), outputs.to_word(), viewport.to_word()]
    }

    /// Whether [`EntryFacts::to_words`] can return these words: every number is unknown or within the limit of its fact.
    pub fn are_valid_words(words: [u32; 4]) -> bool {
        let run = EntryFacts::from_words(words);
        let facts = [
            (Fact::Prefetch, run.prefetch),
            (Fact::Position, run.position),
            (Fact::PointSize, run.point_size),
            (Fact::ViewportScale, run.viewport_scale),
            (Fact::ViewportOffset, run.viewport_offset),
        ];
        run.to_words() == words && facts.iter().all(|(fact, n)| n.is_none_or(|n| n <= fact.limit().0))
    }

    /// Decodes the four words of [`EntryFacts::to_words`].
    pub fn from_words(words: [u32; 4]) -> EntryFacts {
        let known = |n: u16| (n != NONE).then_some(n);
        let [count, prefetch, outputs, viewport] = words;
        let (outputs, viewport) = (Outputs::from_word(outputs), Viewport::from_word(viewport));
        EntryFacts {
            count,
            prefetch: u16::try_from(prefetch).ok().and_then(known),
            position: known(outputs.position),
            point_size: known(outputs.point_size),
            viewport_scale: known(viewport.scale),
            viewport_offset: known(viewport.offset),
        }
    }
}

/// Returns the single entry of a program: a vertex shader that starts at the first word.
pub fn entries(program: &Program) -> Vec<Entry> {
    vec![Entry {
        stage: Stage::Vertex,
        start: 0,
        version: VERSION,
        interface: interface(program),
        extra: EntryFacts::of(program).to_words(),
    }]
}

/// Returns the varyings that a word stores, each with a mask of components, bit 0 = x.
fn stores(word: &Word) -> impl Iterator<Item = (u8, u8)> + '_ {
    word.store.iter().enumerate().filter_map(|(unit, store)| match store.target() {
        Target::Varying(number) if store.stores_any() => {
            let mask = (0..2).filter(|k| store.sources[*k] != NOT_STORED).fold(0, |m, k| m | 1u8 << k);
            Some((number, mask << (2 * unit)))
        }
        _ => None,
    })
}

/// Returns the inputs, outputs and constants that a program may read or write. Both outcomes of each branch are considered possible.
fn interface(program: &Program) -> Interface {
    let mut attributes = [0u8; REGISTERS];
    let mut varyings = [0u8; REGISTERS];
    let mut constants = 0u16;
    for (k, word) in program.words.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| &program.words[k]);
        for (source, _) in word.operands() {
            let (port, component) = match source {
                Source::Port0(c) => (Some(word), c),
                Source::Port0Before(c) => (before, c),
                _ => continue,
            };
            if let Some(port) = port.filter(|w| w.port0_attribute != 0) {
                attributes[usize::from(port.port0) & (REGISTERS - 1)] |= 1 << component;
            }
        }
        if word.loads() {
            // A load with an offset register can reach any slot.
            let last = if word.load.offset == super::program::Load::NO_OFFSET {
                word.load.address.min(SLOTS - 1) + 1
            } else {
                SLOTS
            };
            constants = constants.max(last);
        }
        for (varying, mask) in stores(word) {
            varyings[usize::from(varying) & (REGISTERS - 1)] |= mask;
        }
    }
    let ports = |masks: [u8; REGISTERS]| {
        let numbered = (0..).zip(masks).filter(|(_, mask)| *mask != 0);
        numbered.map(|(slot, mask)| Port { slot, mask }).collect()
    };
    Interface {
        inputs: ports(attributes),
        outputs: ports(varyings),
        constants,
        ints: 0,
        bools: 0,
        samplers: Vec::new(),
    }
}

/// Writes the program's literals into their slots of the environment. Slots that no load can address are skipped.
pub fn preset(program: &Program, env: &mut Environment) {
    let literals = &program.facts.literals;
    let slots = (usize::from(literals.slot)..usize::from(SLOTS)).zip(literals.bits.chunks(4));
    for (slot, four) in slots {
        if env.constants.len() <= slot {
            env.constants.resize(slot + 1, [0.0; 4]);
        }
        for (component, bits) in env.constants[slot].iter_mut().zip(four) {
            *component = f32::from_bits(*bits);
        }
    }
}
