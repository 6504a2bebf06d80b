//! The SHBIN decoder. The decoder reads all headers and checks that every part lies within the file before it reads any table. Two entries may share
//! one DVLE, and tables of DVLEs may overlap, as in files of a linker that merges equal tables; nothing may overlap code, descriptors or headers.
//! The parts together are at most [`MAX_EXPANSION`] times as large as the file, so that memory use stays proportional to the file size.

use super::super::container::{
    Constant, DVLB_HEADER_SIZE, DVLE_HEADER_SIZE, DVLP_HEADER_SIZE, Dvle, Gap, Label, Output, Row, Shbin,
    Symbol, Table, tables as name, tables,
};
use super::super::program::{Container, Program};
use super::{descriptors, instructions};
use crate::binary::{Cursor, DecodeError, Problem, exact};

/// The first bytes of an SHBIN.
pub const SHBIN_MAGIC: [u8; 4] = *b"DVLB";
/// The first bytes of a DVLP.
pub const DVLP_MAGIC: [u8; 4] = *b"DVLP";
/// The first bytes of a DVLE.
pub const DVLE_MAGIC: [u8; 4] = *b"DVLE";

/// The maximum total size of all parts, in multiples of the file's size.
const MAX_EXPANSION: u64 = 8;

/// A part of the file.
#[derive(Clone, Copy)]
struct Part {
    /// First byte, and the byte after the last.
    range: (u64, u64),
    field: &'static str,
    /// Whether the part is a table of a DVLE, which may overlap other tables of DVLEs.
    shared: bool,
}

/// The parts found so far.
struct Parts {
    size: u64,
    all: Vec<Part>,
    /// Total size of all parts in bytes.
    total: u64,
}

impl Parts {
    /// Adds a part of `count` rows and returns its byte range.
    fn add(
        &mut self,
        offset: u64,
        count: u32,
        size: u32,
        field: &'static str,
    ) -> Result<std::ops::Range<usize>, DecodeError> {
        if count == 0 {
            return Ok(0..0);
        }
        let needed = u64::from(count) * u64::from(size);
        let had = self.size.saturating_sub(offset);
        if needed > had {
            // For a part that begins after the end of the file, the error is at the end.
            let offset = offset.min(self.size);
            return Err(DecodeError { offset, field, problem: Problem::Truncated { needed, had } });
        }
        self.total += needed;
        if self.total > MAX_EXPANSION * self.size {
            let expected = "parts that together are at most eight times as large as the file";
            return Err(DecodeError {
                offset,
                field,
                problem: Problem::Value { found: self.total, expected },
            });
        }
        let range = (offset, offset + needed);
        let shared = name::ALL.contains(&field);
        self.all.push(Part { range, field, shared });
        Ok(exact(range.0)..exact(range.1))
    }

    /// Returns the gaps between the parts, or an error if two parts overlap that may not.
    fn gaps(&mut self, bytes: &[u8]) -> Result<Vec<Gap>, DecodeError> {
        self.all.sort_by_key(|part| (part.range, part.field));
        // A DVLE shared by two entries is one part.
        self.all.dedup_by(|a, b| a.range == b.range && a.field == b.field && a.field == "DVLE");
        let mut gaps = Vec::new();
        // The end of all parts so far, and the end of those parts that no other part may overlap.
        let (mut end, mut exclusive_end) = (0, 0);
        let whole = Part { range: (self.size, self.size), field: "end", shared: false };
        for part in self.all.iter().chain([&whole]) {
            let (first, part_end) = part.range;
            if first < if part.shared { exclusive_end } else { end } {
                let problem = Problem::Value { found: first, expected: "an offset where no other part is" };
                return Err(DecodeError { offset: first, field: part.field, problem });
            }
            if first > end {
                let bytes = bytes[exact(end)..exact(first)].to_vec();
                gaps.push(Gap { offset: exact(end), bytes });
            }
            end = end.max(part_end);
            exclusive_end = if part.shared { exclusive_end } else { exclusive_end.max(part_end) };
        }
        Ok(gaps)
    }
}

/// A DVLE without its tables, and the byte ranges of the tables.
struct Header {
    dvle: Dvle,
    constants: std::ops::Range<usize>,
    labels: std::ops::Range<usize>,
    outputs: std::ops::Range<usize>,
    uniforms: std::ops::Range<usize>,
    symbols: std::ops::Range<usize>,
}

/// Returns a cursor at the offset of a header, or an error if the file is too short for the header.
fn header<'a>(
    bytes: &'a [u8],
    offset: u64,
    size: u32,
    field: &'static str,
) -> Result<Cursor<'a>, DecodeError> {
    let had = (bytes.len() as u64).saturating_sub(offset);
    let needed = u64::from(size);
    if had < needed {
        let offset = offset.min(bytes.len() as u64);
        return Err(DecodeError { offset, field, problem: Problem::Truncated { needed, had } });
    }
    Ok(Cursor::new(&bytes[exact(offset)..]))
}

fn magic(
    cursor: &mut Cursor<'_>,
    base: u64,
    field: &'static str,
    wanted: [u8; 4],
    expected: &'static str,
) -> Result<(), DecodeError> {
    let found = cursor.u32(field)?;
    if found.to_le_bytes() == wanted {
        return Ok(());
    }
    let problem = Problem::Value { found: u64::from(found), expected };
    Err(DecodeError { offset: base, field, problem })
}

pub(super) fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
    let mut parts = Parts { size: bytes.len() as u64, all: Vec::new(), total: 0 };
    let mut cursor = Cursor::new(bytes);
    cursor.u32("magic")?;
    let count = cursor.u32("number of DVLEs")?;
    parts.add(0, 1, DVLB_HEADER_SIZE, "DVLB")?;
    let offsets = parts.add(u64::from(DVLB_HEADER_SIZE), count, 4, "DVLE offsets")?;
    let dvlp = u64::from(DVLB_HEADER_SIZE) + 4 * u64::from(count);
    let mut cursor = header(bytes, dvlp, DVLP_HEADER_SIZE, "DVLP")?;
    parts.add(dvlp, 1, DVLP_HEADER_SIZE, "DVLP")?;
    magic(&mut cursor, dvlp, "DVLP magic", DVLP_MAGIC, "'DVLP'")?;
    let version = cursor.u32("DVLP version")?;
    let [code, words, descriptor, rows, filenames] = {
        let mut word = || cursor.u32("DVLP");
        [word()?, word()?, word()?, word()?, word()?]
    };
    let code_range = parts.add(dvlp + u64::from(code), words, 4, tables::CODE)?;
    let descriptor_range = parts.add(dvlp + u64::from(descriptor), rows, 8, tables::DESCRIPTORS)?;
    let headers = super::words(&bytes[offsets])
        .map(|offset| dvle(bytes, offset, &mut parts))
        .collect::<Result<Vec<_>, _>>()?;
    let gaps = parts.gaps(bytes)?;
    let dvles = headers.into_iter().map(|header| tables(bytes, header)).collect();
    let container = Shbin { version, code, descriptors: descriptor, filenames, dvles, gaps };
    Ok(Program {
        container: Container::Shbin(container),
        code: instructions(&bytes[code_range]),
        descriptors: descriptors(&bytes[descriptor_range]),
    })
}

fn dvle(bytes: &[u8], offset: u32, parts: &mut Parts) -> Result<Header, DecodeError> {
    let base = u64::from(offset);
    let mut c = header(bytes, base, DVLE_HEADER_SIZE, "DVLE")?;
    parts.add(base, 1, DVLE_HEADER_SIZE, "DVLE")?;
    magic(&mut c, base, "DVLE magic", DVLE_MAGIC, "'DVLE'")?;
    let half = |c: &mut Cursor<'_>| c.take("DVLE").map(u16::from_le_bytes);
    let mut dvle = Dvle {
        offset,
        version: half(&mut c)?,
        kind: c.u8("DVLE")?,
        flags: c.u8("DVLE")?,
        main: c.u32("DVLE")?,
        end: c.u32("DVLE")?,
        input_mask: half(&mut c)?,
        output_mask: half(&mut c)?,
        mode: c.u8("DVLE")?,
        fixed_start: c.u8("DVLE")?,
        variable_vertices: c.u8("DVLE")?,
        fixed_vertices: c.u8("DVLE")?,
        ..Dvle::default()
    };
    let mut table = |field, size, to: &mut u32| {
        *to = c.u32(field)?;
        let count = c.u32(field)?;
        parts.add(base + u64::from(*to), count, size, field)
    };
    Ok(Header {
        constants: table(name::CONSTANTS, Constant::SIZE, &mut dvle.constants.offset)?,
        labels: table(name::LABELS, Label::SIZE, &mut dvle.labels.offset)?,
        outputs: table(name::OUTPUTS, Output::SIZE, &mut dvle.outputs.offset)?,
        uniforms: table(name::UNIFORMS, Symbol::SIZE, &mut dvle.uniforms.offset)?,
        symbols: table(name::SYMBOLS, 1, &mut dvle.symbols.offset)?,
        dvle,
    })
}

fn tables(bytes: &[u8], header: Header) -> Dvle {
    fn rows<R: Row>(bytes: &[u8], table: &mut Table<R>) {
        table.rows = bytes.chunks_exact(R::SIZE as usize).filter_map(R::read).collect();
    }
    let mut dvle = header.dvle;
    rows(&bytes[header.constants], &mut dvle.constants);
    rows(&bytes[header.labels], &mut dvle.labels);
    rows(&bytes[header.outputs], &mut dvle.outputs);
    rows(&bytes[header.uniforms], &mut dvle.uniforms);
    dvle.symbols.rows = bytes[header.symbols].to_vec();
    dvle
}
