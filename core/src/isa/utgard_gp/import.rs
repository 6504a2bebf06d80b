//! MBS, the binary format of ARM's offline compiler, lima_compiler and open-gpu-tools. Only its words and prefetch are read; the file is not
//! preserved.
//!
//! The file consists of nested chunks: a name of four letters, a size and contents, little endian. `MBS1` contains `CVER` for a vertex program.
//! `CVER` begins with the core's number (2 Mali-200, 6 Mali-400) and contains `FINS` (0, number of instructions, prefetch), symbol tables, and
//! `DBIN`, the words. In `FINS`, prefetch is the index of the last word that reads an attribute, plus one (L).
//! open-gpu-tools writes the size of the words in bytes as the number of instructions. Source: L `src/lima/mbs`.

use super::container;
use super::facts::{Fact, Facts};
use super::program::{Program, Word};
use super::word::WORD_BYTES;
use crate::binary::{DecodeError, Problem};

/// The name of the outermost chunk.
pub const MAGIC: [u8; 4] = *b"MBS1";

/// Whether a file with these first bytes is an MBS that begins with a vertex program. MBS files of fragment programs are not recognised.
pub fn recognizes(first: &[u8]) -> bool {
    first.starts_with(&MAGIC) && first.get(8..12) == Some(b"CVER")
}

/// A chunk: its name, the offset of its contents, and the contents.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    name: [u8; 4],
    at: u64,
    contents: &'a [u8],
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk::<4>()?))
}

/// Splits `bytes` into chunks. `base` is their offset in the file.
fn chunks(bytes: &[u8], base: u64) -> Result<Vec<Chunk<'_>>, DecodeError> {
    let mut all = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let at = base + (bytes.len() - rest.len()) as u64;
        let missing = |offset, field, needed: u64, had: usize| DecodeError {
            offset,
            field,
            problem: Problem::Truncated { needed, had: had as u64 },
        };
        let (Some(name), Some(size)) = (rest.first_chunk::<4>(), number(rest, 4)) else {
            return Err(missing(at, "head of a chunk", 8, rest.len()));
        };
        let Some(contents) = rest[8..].get(..size as usize) else {
            return Err(missing(at + 8, "chunk", u64::from(size), rest.len() - 8));
        };
        all.push(Chunk { name: *name, at: at + 8, contents });
        rest = &rest[8 + contents.len()..];
    }
    Ok(all)
}

/// Returns the error for a missing mandatory chunk.
fn missing_chunk(offset: u64, field: &'static str) -> DecodeError {
    DecodeError { offset, field, problem: Problem::NoProgram }
}

fn bad_value(offset: u64, field: &'static str, found: u64, expected: &'static str) -> DecodeError {
    DecodeError { offset, field, problem: Problem::Value { found, expected } }
}

/// Reads the program of an MBS.
///
/// # Errors
/// If chunks are not properly nested, there is no vertex program, its words are missing, or the number of words or prefetch in `FINS` is wrong. The
/// error contains the offset.
pub fn read(bytes: &[u8]) -> Result<Program, DecodeError> {
    let outer = chunks(bytes, 0)?;
    let [mbs] = outer[..] else {
        let (at, found) = outer.get(1).map_or((0, 0), |chunk| (chunk.at - 8, outer.len() as u64));
        return Err(bad_value(at, "chunk", found, "one chunk 'MBS1' and nothing after it"));
    };
    if mbs.name != MAGIC {
        return Err(bad_value(0, "chunk", u64::from(u32::from_le_bytes(mbs.name)), "'MBS1'"));
    }
    let inside = chunks(mbs.contents, mbs.at)?;
    let Some(cver) = inside.iter().find(|chunk| chunk.name == *b"CVER") else {
        return Err(missing_chunk(mbs.at, "CVER"));
    };
    let Some((_, tables)) = cver.contents.split_first_chunk::<4>() else {
        let problem = Problem::Truncated { needed: 4, had: cver.contents.len() as u64 };
        return Err(DecodeError { offset: cver.at, field: "number of the core", problem });
    };
    let tables = chunks(tables, cver.at + 4)?;
    let Some(code) = tables.iter().find(|chunk| chunk.name == *b"DBIN") else {
        return Err(missing_chunk(cver.at, "DBIN"));
    };
    let (words, rest) = code.contents.as_chunks::<WORD_BYTES>();
    if words.is_empty() || !rest.is_empty() {
        let found = code.contents.len() as u64;
        return Err(bad_value(code.at - 4, "size of DBIN", found, "a number of whole words, at least one"));
    }
    let mut prefetch = None;
    if let Some(info) = tables.iter().find(|chunk| chunk.name == *b"FINS") {
        let (Some(count), Some(reads)) = (number(info.contents, 4), number(info.contents, 8)) else {
            let problem = Problem::Truncated { needed: 12, had: info.contents.len() as u64 };
            return Err(DecodeError { offset: info.at, field: "FINS", problem });
        };
        if ![words.len(), code.contents.len()].contains(&(count as usize)) {
            let expected = "the number of words in DBIN";
            return Err(bad_value(info.at + 4, "number of instructions", count.into(), expected));
        }
        if reads as usize > words.len() {
            let expected = "at most the number of words";
            return Err(bad_value(info.at + 8, Fact::Prefetch.name(), reads.into(), expected));
        }
        prefetch = reads.checked_sub(1).map(|index| index as u16);
    }
    let words = words.iter().map(|word| Word::from_bits(u128::from_le_bytes(*word))).collect();
    Ok(Program { words, tail: Vec::new(), facts: Facts { prefetch, ..Facts::default() } })
}

/// Converts an MBS to a file that [`super::decode::decode`] accepts. `None` if it is not an MBS with a vertex program or is too large to decode. A
/// malformed MBS is returned unchanged, so that decoding reports the error.
pub fn import(bytes: &[u8]) -> Option<Vec<u8>> {
    if !recognizes(bytes) || bytes.len() > container::MAX_FILE_SIZE {
        return None;
    }
    Some(read(bytes).map_or_else(|_| bytes.to_vec(), |program| super::encode::encode(&program)))
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::*;

    fn chunk(name: &[u8; 4], contents: &[u8]) -> Vec<u8> {
        [&name[..], &(contents.len() as u32).to_le_bytes(), contents].concat()
    }

    fn words(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    /// Returns two words, the second of which reads an attribute.
    fn code() -> Vec<u8> {
        let reads = Word { port0_attribute: 1, pass_src: 0, ..Word::default() };
        [Word::default(), reads].iter().flat_map(|word| word.to_bits().to_le_bytes()).collect()
    }

    fn file(info: &[u32], code: &[u8]) -> Vec<u8> {
        let tables = [chunk(b"FINS", &words(info)), chunk(b"SUNI", b"abc"), chunk(b"DBIN", code)].concat();
        chunk(b"MBS1", &chunk(b"CVER", &[words(&[6]), tables].concat()))
    }

    #[test]
    fn words_and_prefetch_are_imported() {
        for count in [2, 32] {
            let program = decode(&import(&file(&[0, count, 2], &code())).unwrap()).unwrap();
            assert_eq!(program.facts.prefetch, Some(1));
            assert_eq!(program.words.iter().map(|w| w.port0_attribute).collect::<Vec<_>>(), [0, 1]);
        }
        // Files without the chunk that contains prefetch, and with a prefetch of 0.
        let bare = chunk(b"MBS1", &chunk(b"CVER", &[words(&[2]), chunk(b"DBIN", &code())].concat()));
        for file in [bare, file(&[0, 2, 0], &code())] {
            assert_eq!(import(&file).unwrap(), code());
        }
        // A fragment program is not recognised.
        assert_eq!(import(&chunk(b"MBS1", &chunk(b"CFRA", &words(&[5])))), None);
    }

    #[test]
    fn bad_files_are_refused_with_their_positions() {
        let good = file(&[0, 2, 2], &code());
        // MBS1 8, CVER 8, core 4, FINS 8 + 12, SUNI 8 + 3, DBIN 8 + 32.
        let refused = |bytes: &[u8]| {
            let error = decode(&import(bytes).unwrap_or_else(|| bytes.to_vec())).unwrap_err();
            (error.offset, error.field)
        };
        let with = |at: usize, value: u32| {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            refused(&bytes)
        };
        assert_eq!(refused(&good[..good.len() - 1]), (8, "chunk"));
        assert_eq!(refused(&good[..14]), (8, "chunk"));
        assert_eq!(with(4, 8), (24, "chunk"));
        assert_eq!(with(12, 4), (16, "DBIN"));
        assert_eq!(with(24, 13), (49, "chunk"));
        assert_eq!(with(24, 72), (28, "chunk"));
        assert_eq!(with(32, 3), (32, "number of instructions"));
        assert_eq!(with(36, 3), (36, "prefetch"));
        assert_eq!(refused(&[&good[..], &[0; 8]].concat()), (good.len() as u64, "chunk"));
        assert_eq!(refused(&file(&[0, 2, 2], &code()[..31])), (55, "size of DBIN"));
        assert_eq!(refused(&file(&[0, 0, 0], &[])), (55, "size of DBIN"));
        assert_eq!(refused(&file(&[0, 2], &code())), (28, "FINS"));
        let none = chunk(b"MBS1", &chunk(b"CVER", &words(&[6])));
        assert_eq!(refused(&none), (16, "DBIN"));
        // A valid MBS must be imported; otherwise its chunk headers would be decoded as words.
        assert_eq!(decode(&good).unwrap_err().field, "MBS");
        // A file that is not an MBS is decoded as words.
        assert_eq!(decode(&b"MBS1".repeat(8)).unwrap().words.len(), 2);
    }
}
