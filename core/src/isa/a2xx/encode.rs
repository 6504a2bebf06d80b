//! The encoder: turns a program into bytes.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

use super::program::{Clause, Order, Program, Shader, Slot};
use super::word::{ClausePair, SLOT, SlotDwords};
use std::ops::Range;

/// Encodes a program.
pub fn encode(program: &Program) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (k, shader) in program.shaders.iter().enumerate() {
        bytes.extend_from_slice(program.gaps.get(k).map_or(&[], Vec::as_slice));
        for word in to_dwords(shader) {
            bytes.extend_from_slice(&match program.order {
                Order::Little => word.to_le_bytes(),
                Order::Big => word.to_be_bytes(),
            });
        }
    }
    for gap in program.gaps.iter().skip(program.shaders.len()) {
        bytes.extend_from_slice(gap);
    }
    bytes
}

/// Returns the byte range of each clause and slot, in the order of word numbers: the clauses of each shader, then its slots. In little-endian files a
/// clause is half of a slot's bytes. In big-endian files the dword that two clauses share belongs to both ranges.
pub fn spans(program: &Program) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut first = 0;
    for (k, shader) in program.shaders.iter().enumerate() {
        first += program.gaps.get(k).map_or(0, Vec::len);
        let slots = first + SLOT * shader.clauses.len().div_ceil(2);
        spans.extend((0..shader.clauses.len()).map(|k| {
            let pair = first + SLOT * (k / 2);
            match (program.order, k % 2) {
                (Order::Little, 0) => pair..pair + SLOT / 2,
                (Order::Little, _) => pair + SLOT / 2..pair + SLOT,
                (Order::Big, 0) => pair..pair + 8,
                (Order::Big, _) => pair + 4..pair + SLOT,
            }
        }));
        spans.extend((0..shader.slots.len()).map(|k| slots + SLOT * k..slots + SLOT * (k + 1)));
        first = slots + SLOT * shader.slots.len() + 4 * shader.tail.len();
    }
    spans
}

/// Returns the dwords of a shader. If the number of clauses is odd, an all-zero NOP completes the last slot.
pub fn to_dwords(shader: &Shader) -> Vec<u32> {
    let area = shader.clauses.len().div_ceil(2);
    let mut words = Vec::with_capacity(3 * (area + shader.slots.len()) + shader.tail.len());
    for pair in shader.clauses.chunks(2) {
        let [even, odd] = [0, 1].map(|k| pair.get(k).map_or(0, Clause::to_word));
        words.extend(SlotDwords::split(ClausePair { even, odd }.to_word()));
    }
    for slot in &shader.slots {
        words.extend(slot_words(slot));
    }
    words.extend(&shader.tail);
    words
}

/// Returns the three dwords of a slot.
pub fn slot_words(slot: &Slot) -> [u32; 3] {
    let word = match slot {
        Slot::Alu(alu) => alu.to_word(),
        Slot::Vertex(vertex) => vertex.to_word(),
        Slot::Texture(texture) => texture.to_word(),
        Slot::Raw(words) => return *words,
    };
    SlotDwords::split(word)
}
