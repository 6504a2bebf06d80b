//! The two file forms: bare words, as compilers and drivers use them, and Lockstep's own container for facts that words cannot express.
//!
//! The container, all numbers little endian:
//!
//! | bytes | contents |
//! |---|---|
//! | 16 | [`MAGIC`] |
//! | 2 | mask of known facts, [`KnownFacts`] |
//! | 6 x 2 | all facts, in the order of [`Fact`]; 0 where unknown |
//! | 2 | slot of the first literal |
//! | 4 | number of literals, n |
//! | 4 | number of words, m, at least 1 |
//! | 4 n | literals |
//! | 16 m | words |
//! | rest | tail |
//!
//! Each program has exactly one file form. The file is bare unless the program has a fact or a tail of 16 bytes or more, or its first word is the
//! magic number or begins an MBS ([`super::import`]). A container that could be bare is rejected. So is a fact above its limit
//! ([`Fact::limit`]).

#![deny(clippy::cast_possible_truncation)]

use super::facts::{Fact, Facts, LITERAL, Literals};
use super::import;
use super::program::{Program, Word};
use super::word::{KnownFacts, WORD_BYTES};
use crate::binary::{Cursor, DecodeError, Problem, exact};

/// The first 16 bytes of a container. Read as an instruction they are illegal: their multiplier operation, 2, is undocumented.
pub const MAGIC: [u8; 16] = *b"LOCKSTEP-UTG-GP1";

/// The largest program that is read, in bytes: eight times the hardware's 512 words.
pub const MAX_FILE_SIZE: usize = 1 << 16;

/// Size of the container's header, before the literals.
pub const HEADER: usize = MAGIC.len() + 2 + 2 * FACTS + 2 + 4 + 4;

/// Number of numeric facts: one 16-bit number each.
const FACTS: usize = Fact::ALL.len();

/// Whether the program can only be represented as a container.
pub(super) fn is_needed(program: &Program) -> bool {
    !program.facts.is_empty()
        || program.tail.len() >= WORD_BYTES
        || program.words.first().is_some_and(|w| {
            let bytes = w.to_bits().to_le_bytes();
            bytes == MAGIC || import::recognizes(&bytes)
        })
}

/// Reads a container whose magic number has been checked.
pub(super) fn read(bytes: &[u8]) -> Result<Program, DecodeError> {
    let mut cursor = Cursor::new(bytes);
    cursor.take::<16>("magic")?;
    let u16_at = |cursor: &mut Cursor<'_>, field| cursor.take(field).map(u16::from_le_bytes);
    let bits = u16_at(&mut cursor, "known facts")?;
    let known = KnownFacts::from_word(bits);
    if known.has_reserved() {
        return Err(cursor.unexpected(2, "known facts", u64::from(bits), "six bits"));
    }
    let mut facts = Facts::default();
    for (fact, (field, _)) in Fact::ALL.into_iter().zip(Fact::VALUES) {
        let value = u16_at(&mut cursor, field)?;
        if known.has(fact) {
            let (most, expected) = fact.limit();
            if value > most {
                return Err(cursor.unexpected(2, field, u64::from(value), expected));
            }
            facts.set_number(fact, value);
        } else if value != 0 {
            return Err(cursor.unexpected(2, field, u64::from(value), "0 for a fact that is not known"));
        }
    }
    let slot = u16_at(&mut cursor, "slot of the literals")?;
    let literals = count(&mut cursor, "number of literals", 0, 4)?;
    // The words follow the literals, so the bytes of the literals are not available for them.
    let words = count(&mut cursor, "number of words", 4 * literals, WORD_BYTES)?;
    if words == 0 {
        return Err(cursor.unexpected(4, "number of words", 0, "at least one word"));
    }
    let bits = (0..literals).map(|_| cursor.u32(LITERAL)).collect::<Result<Vec<_>, _>>()?;
    let words = (0..words)
        .map(|_| cursor.take("word").map(|b| Word::from_bits(u128::from_le_bytes(b))))
        .collect::<Result<Vec<_>, _>>()?;
    let tail = bytes[bytes.len() - cursor.remaining()..].to_vec();
    facts.literals = Literals { slot, bits };
    let program = Program { words, tail, facts };
    if !is_needed(&program) {
        let problem =
            Problem::Value { found: 0, expected: "at least one fact, as the words need no container" };
        return Err(DecodeError { offset: MAGIC.len() as u64, field: "known facts", problem });
    }
    Ok(program)
}

/// Reads a count of elements of `size` bytes, and checks that the file has room for that many after `before` other bytes.
fn count(
    cursor: &mut Cursor<'_>,
    field: &'static str,
    before: usize,
    size: usize,
) -> Result<usize, DecodeError> {
    let count = cursor.u32(field)?;
    // When the number of literals is read, the remaining bytes still include the 4 bytes of the number of words; the check may be too lenient by 4
    // bytes.
    if (cursor.remaining().saturating_sub(before)) / size < count as usize {
        return Err(cursor.unexpected(
            4,
            field,
            u64::from(count),
            "a number of elements that fit into the file",
        ));
    }
    Ok(count as usize)
}

/// Writes a container.
pub(super) fn write(program: &Program) -> Vec<u8> {
    let facts = Fact::ALL.map(|fact| program.facts.number(fact));
    let literals = &program.facts.literals;
    let mut bytes = Vec::with_capacity(
        HEADER + 4 * literals.bits.len() + WORD_BYTES * program.words.len() + program.tail.len(),
    );
    bytes.extend_from_slice(&MAGIC);
    let known = KnownFacts::of(facts.map(|fact| fact.is_some()));
    bytes.extend_from_slice(&known.to_word().to_le_bytes());
    for fact in facts {
        bytes.extend_from_slice(&fact.unwrap_or(0).to_le_bytes());
    }
    bytes.extend_from_slice(&literals.slot.to_le_bytes());
    bytes.extend_from_slice(&exact::<u32, _>(literals.bits.len()).to_le_bytes());
    bytes.extend_from_slice(&exact::<u32, _>(program.words.len()).to_le_bytes());
    for literal in &literals.bits {
        bytes.extend_from_slice(&literal.to_le_bytes());
    }
    for word in &program.words {
        bytes.extend_from_slice(&word.to_bits().to_le_bytes());
    }
    bytes.extend_from_slice(&program.tail);
    bytes
}

/// Returns the size of the program's file in bytes.
pub(super) fn size(program: &Program) -> usize {
    let bare = WORD_BYTES * program.words.len() + program.tail.len();
    if is_needed(program) { HEADER + 4 * program.facts.literals.bits.len() + bare } else { bare }
}
