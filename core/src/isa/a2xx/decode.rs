//! The decoder: turns bytes into a program.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

use super::container::{self, ShaderRange};
use super::flow;
use super::program::{Alu, Clause, Kind, Order, Program, Shader, Slot, Texture, Vertex};
use super::word::{ClausePair, SLOT, SlotDwords};
use crate::binary::{Bits, DecodeError, Problem};

/// The maximum size of a file in bytes. EXEC can address 4096 slots of 12 bytes, and driver dumps contain several shaders.
pub const MAX_FILE_SIZE: usize = 1 << 20;

/// Decodes a file: a container if it is one, otherwise a single little-endian Adreno shader.
///
/// # Errors
/// If the file is larger than [`MAX_FILE_SIZE`], the length of a shader is less than one slot or not a multiple of 4 bytes, a Xenos object is
/// truncated or has offsets out of range, or a trace that contains a shader ends within a section.
pub fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
    decode_as(bytes, Order::Little)
}

/// Decodes a file, where `order` is the byte order of bare words; those of Xenos are big endian. Containers imply their byte order.
///
/// # Errors
/// As [`decode`].
pub fn decode_as(bytes: &[u8], order: Order) -> Result<Program, DecodeError> {
    if bytes.len() > MAX_FILE_SIZE {
        let problem = Problem::TooLarge { size: bytes.len() as u64, limit: MAX_FILE_SIZE as u64 };
        return Err(DecodeError { offset: 0, field: "file", problem });
    }
    let (kind, order, ranges) = match container::shader_ranges(bytes)? {
        Some((kind, ranges)) => (kind, if kind == Kind::Xenos { Order::Big } else { Order::Little }, ranges),
        None => (Kind::Bare, order, vec![ShaderRange { start: 0, end: bytes.len(), stage: None }]),
    };
    let mut program = Program { kind, order, shaders: Vec::with_capacity(ranges.len()), gaps: Vec::new() };
    let mut at = 0;
    for range in ranges {
        program.gaps.push(bytes[at..range.start].to_vec());
        let mut shader = shader(&bytes[range.start..range.end], range.start, order)?;
        shader.stage = range.stage;
        program.shaders.push(shader);
        at = range.end;
    }
    program.gaps.push(bytes[at..].to_vec());
    Ok(program)
}

/// Decodes one shader, which begins at `offset` in the file.
fn shader(bytes: &[u8], offset: usize, order: Order) -> Result<Shader, DecodeError> {
    let (dwords, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let problem = Problem::Trailing { count: rest.len() as u64 };
        return Err(DecodeError { offset: (offset + 4 * dwords.len()) as u64, field: "dword", problem });
    }
    if bytes.len() < SLOT {
        let cut = Problem::Truncated { needed: SLOT as u64, had: bytes.len() as u64 };
        let problem = if bytes.is_empty() { Problem::NoProgram } else { cut };
        return Err(DecodeError { offset: offset as u64, field: "slot", problem });
    }
    let dwords = dwords.iter().map(|d| match order {
        Order::Little => u32::from_le_bytes(*d),
        Order::Big => u32::from_be_bytes(*d),
    });
    Ok(from_dwords(&dwords.collect::<Vec<_>>()))
}

/// Splits the dwords of a shader into clauses and slots.
pub fn from_dwords(dwords: &[u32]) -> Shader {
    let (slots, tail) = dwords.as_chunks::<3>();
    let clause = |k: usize| Clause::from_word(clauses(slots[k / 2])[k % 2]);
    let area = flow::clause_slot_count(slots.len(), clause);
    let clauses: Vec<Clause> = (0..2 * area).map(clause).collect();
    let kinds = kinds(&clauses, slots.len());
    let slots = slots[area..].iter().zip(kinds).map(|(words, kind)| slot(*words, kind)).collect();
    Shader { clauses, slots, tail: tail.to_vec(), stage: None }
}

/// How clauses run a slot: as ALU, as FETCH, as both, or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs {
    pub(super) alu: bool,
    pub(super) fetch: bool,
}

/// Returns how the clauses run each slot after them, up to slot `end` of the shader. Unreachable clauses count too.
pub(super) fn kinds(clauses: &[Clause], end: usize) -> Vec<Runs> {
    let area = clauses.len() / 2;
    let mut kinds = vec![Runs::default(); end.saturating_sub(area)];
    for clause in clauses {
        let Clause::Exec(e) = clause else { continue };
        for k in 0..e.slot_count() {
            let at = (usize::from(e.addr) + usize::from(k)).checked_sub(area);
            if let Some(runs) = at.and_then(|at| kinds.get_mut(at)) {
                if e.is_fetch(k) { runs.fetch = true } else { runs.alu = true }
            }
        }
    }
    kinds
}

/// Returns the two clauses in a slot.
fn clauses(words: [u32; 3]) -> [u64; 2] {
    let ClausePair { even, odd } = ClausePair::from_word(SlotDwords::join(words));
    [even, odd]
}

fn slot(words: [u32; 3], runs: Runs) -> Slot {
    let word = SlotDwords::join(words);
    match runs {
        Runs { alu: true, fetch: false } => Slot::Alu(Alu::from_word(word)),
        Runs { alu: false, fetch: true } => fetch(word),
        _ => Slot::Raw(words),
    }
}

/// Decodes a FETCH slot.
pub(super) fn fetch(word: u128) -> Slot {
    if word.get(&Vertex::opcode) == 0 {
        Slot::Vertex(Vertex::from_word(word))
    } else {
        Slot::Texture(Texture::from_word(word))
    }
}
