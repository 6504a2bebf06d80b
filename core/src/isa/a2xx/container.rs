//! Containers of shaders: Xenos compiler objects, program binaries of Qualcomm's driver, command streams and traces.
//!
//! Only the positions and stages of the shaders are interpreted (fd-notes). All other bytes are preserved.

#![deny(clippy::cast_possible_truncation)]

use super::opcode::CfOp;
use super::program::{Clause, Kind, Plain, Program};
use super::word::{ClausePair, LoadedRange, PacketHeader, PacketKind, SLOT};
use crate::binary::{DecodeError, Problem};
use crate::isa::Stage;

/// The byte range of a shader in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShaderRange {
    /// Offset of the shader's first byte.
    pub(super) start: usize,
    /// Offset of the first byte after the shader.
    pub(super) end: usize,
    /// The stage stated by the container; `None` if it states none.
    pub(super) stage: Option<Stage>,
}

/// The marker after each section of a driver binary.
const MARKER: [u8; 4] = 0xba5e_ba11_u32.to_le_bytes();
/// Number of header bytes in a shader section of a driver binary.
const SECTION_HEAD: usize = 32;
/// Number of vertex shaders in a driver binary. They precede its single fragment shader.
const VERTEX_SHADERS: usize = 3;
/// Opcode of the packet CP_IM_LOAD_IMMEDIATE.
const LOAD: u8 = 0x2b;
/// The type of a trace section with a driver's program. The next constant is the type of a section with the contents of a buffer.
const TRACE_PROGRAM: u32 = 9;
const TRACE_BUFFER: u32 = 12;
/// Type and size in the padding that a trace writer inserts at the end of a page. More sections follow the padding.
const TRACE_FILLER: u32 = u32::MAX;

/// Returns the kind of container and the shaders in it; `None` for a bare shader.
///
/// Driver binaries, command streams and traces have no magic number that distinguishes them from a bare shader. A file counts as a command stream or
/// trace if all of its bytes parse as that format, and as a driver binary if its sections up to the fragment shader do. The file must also
/// contain a shader.
///
/// # Errors
/// If a Xenos object is truncated or has offsets out of range, or if a trace in which a shader was found ends within a section.
pub(super) fn shader_ranges(bytes: &[u8]) -> Result<Option<(Kind, Vec<ShaderRange>)>, DecodeError> {
    if let Some(stage) = xenos_stage(bytes) {
        return xenos(bytes, stage).map(|range| Some((Kind::Xenos, vec![range])));
    }
    if let Some(ranges) = packets(bytes).filter(|ranges| !ranges.is_empty()) {
        return Ok(Some((Kind::Packets, ranges)));
    }
    let ranges = trace(bytes)?;
    if !ranges.is_empty() {
        return Ok(Some((Kind::Trace, ranges)));
    }
    Ok(driver(bytes).filter(|ranges| !ranges.is_empty()).map(|ranges| (Kind::Driver, ranges)))
}

/// Converts a Xenos file to one with the same words that [`super::decode::decode`] can read. A Xenos object is unchanged, because its magic number
/// implies its byte order. Bare words have no magic number, so they are swapped to little endian.
pub fn little_endian(bytes: &[u8]) -> Vec<u8> {
    if xenos_stage(bytes).is_some() {
        return bytes.to_vec();
    }
    let (dwords, rest) = bytes.as_chunks::<4>();
    dwords.iter().flat_map(|d| [d[3], d[2], d[1], d[0]]).chain(rest.iter().copied()).collect()
}

/// Whether a file with these first bytes may be an A2xx program: a Xenos object or a shader. A shader is recognised by its first two clauses. The
/// unused bits of both clauses must be 0, at least one clause must not be NOP, and neither may run slot 0, which contains clauses. Other containers
/// can only be recognised from the whole file.
pub fn recognizes(first: &[u8]) -> bool {
    let Some(slot) = first.first_chunk::<SLOT>() else { return false };
    let mut padded = [0; 16];
    padded[..SLOT].copy_from_slice(slot);
    let ClausePair { even, odd } = ClausePair::from_word(u128::from_le_bytes(padded));
    let begins = |word: u64| {
        let clause = Clause::from_word(word);
        has_zero_unused_bits(&clause) && !matches!(clause, Clause::Exec(e) if e.cnt > 0 && e.addr == 0)
    };
    xenos_stage(first).is_some() || (even, odd) != (0, 0) && [even, odd].into_iter().all(begins)
}

/// Whether the unused bits of a clause are zero.
fn has_zero_unused_bits(clause: &Clause) -> bool {
    match clause {
        Clause::Plain(c) => !c.has_reserved() && c.absolute == 0,
        Clause::Exec(e) => e.cnt == e.slot_count() && !e.has_stray_sequence() && !e.has_reserved_bits(),
        Clause::LoopStart(l) => !l.has_reserved(),
        Clause::LoopEnd(l) => !l.has_reserved(),
        // RETURN uses only its opcode and address mode.
        Clause::Branch(_) if clause.op() == CfOp::Return => {
            !Plain::from_word(clause.to_word()).has_reserved()
        }
        Clause::Branch(b) => !b.has_reserved(),
        Clause::Alloc(a) => !a.has_reserved(),
    }
}

/// Whether a file is a trace, complete or truncated, that contains a shader. In traces of other chips no shader is found, so the result for them is
/// false.
pub fn is_trace(bytes: &[u8]) -> bool {
    trace(bytes).map_or(true, |ranges| !ranges.is_empty())
}

fn le(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn be(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

// ---- Xenos objects

/// Returns the stage implied by the magic number of a Xenos object.
pub(super) fn xenos_stage(bytes: &[u8]) -> Option<Stage> {
    match be(bytes, 0)? {
        0x102a_1100 | 0x102a_0e00 => Some(Stage::Fragment),
        0x102a_1101 | 0x102a_0e01 => Some(Stage::Vertex),
        _ => None,
    }
}

/// Returns two offsets in a Xenos object: that of the program's size field, and that of the program.
fn xenos_offsets(bytes: &[u8]) -> Result<(usize, usize), DecodeError> {
    let field = |at: usize, field| {
        be(bytes, at).map(|v| v as usize).ok_or_else(|| {
            let had = bytes.len().saturating_sub(at) as u64;
            // An offset past the end is reported as the end.
            let offset = at.min(bytes.len()) as u64;
            DecodeError { offset, field, problem: Problem::Truncated { needed: 4, had } }
        })
    };
    let data = field(4, "size of the header")?;
    let info = field(24, "offset of the shader's description")?;
    let program = field(info, "offset of the program")?;
    field(info + 4, "size of the program")?;
    Ok((info + 4, data.saturating_add(program)))
}

fn xenos(bytes: &[u8], stage: Stage) -> Result<ShaderRange, DecodeError> {
    let (at, start) = xenos_offsets(bytes)?;
    let size = be(bytes, at).unwrap_or(0);
    let end = start.saturating_add(size as usize);
    if end > bytes.len() {
        let problem =
            Problem::Truncated { needed: u64::from(size), had: bytes.len().saturating_sub(start) as u64 };
        return Err(DecodeError { offset: start.min(bytes.len()) as u64, field: "program", problem });
    }
    if start < at + 4 {
        let problem = Problem::Value { found: start as u64, expected: "an offset after the header" };
        return Err(DecodeError { offset: at as u64, field: "offset of the program", problem });
    }
    Ok(ShaderRange { start, end, stage: Some(stage) })
}

/// Updates the sizes in the header of a Xenos object after its program was changed to `size` bytes. Fails if the size fields are not before the
/// program.
pub(super) fn resize_xenos(program: &mut Program, size: usize) -> Option<()> {
    let gap = program.gaps.first_mut()?;
    let (at, _) = xenos_offsets(gap).ok()?;
    let before = be(gap, at)?;
    let size = u32::try_from(size).ok()?;
    gap.get_mut(at..at + 4)?.copy_from_slice(&size.to_be_bytes());
    let data = be(gap, 8)?.wrapping_add(size).wrapping_sub(before);
    gap.get_mut(8..12)?.copy_from_slice(&data.to_be_bytes());
    Some(())
}

// ---- command streams

/// Returns the shaders that CP_IM_LOAD_IMMEDIATE packets load. `None` if the bytes are not a sequence of whole packets, or if such a packet has an
/// unknown stage or a shader size that does not fit the packet.
fn packets(bytes: &[u8]) -> Option<Vec<ShaderRange>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let header = PacketHeader::from_word(le(bytes, at)?);
        let kind = PacketKind::from_number(header.kind)?;
        let body = at + 4;
        let len = match kind {
            PacketKind::Registers | PacketKind::Command => 4 * usize::from(header.count) + 4,
            PacketKind::TwoRegisters => 8,
            PacketKind::Filler => 0,
        };
        let end = body + len;
        if end > bytes.len() {
            return None;
        }
        if kind == PacketKind::Command && header.opcode == LOAD {
            let stage = match le(bytes, body)? {
                0 => Stage::Vertex,
                1 => Stage::Fragment,
                _ => return None,
            };
            let size = 4 * usize::from(LoadedRange::from_word(le(bytes, body + 4)?).size);
            if len < 8 || size != len - 8 {
                return None;
            }
            ranges.push(ShaderRange { start: body + 8, end, stage: Some(stage) });
        }
        at = end;
    }
    Some(ranges)
}

/// Returns the header of a packet that loads a shader of `dwords` dwords; `None` if the count does not fit the header.
pub(super) fn load_packet_header(stage: Stage, dwords: usize) -> Option<Vec<u8>> {
    let number = match stage {
        Stage::Vertex => 0,
        Stage::Fragment => 1,
        Stage::Geometry => return None,
    };
    // The dwords after the header are stage, size, and the shader.
    let size = u16::try_from(dwords).ok()?;
    let count = size.checked_add(1).filter(|count| u128::from(*count) <= PacketHeader::count.max())?;
    let header = PacketHeader { flags: 0, opcode: LOAD, count, kind: PacketKind::Command as u8 };
    let words = [header.to_word(), number, LoadedRange { size, start: 0 }.to_word()];
    Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

// ---- driver binaries

/// Returns the shaders of a driver's program binary; `None` if the bytes do not have its structure. The binary consists of sections, each followed by
/// a marker: a header, sections of names, then three vertex shaders and a fragment shader, each with a header and constants. Bytes after the fragment
/// shader are not checked.
fn driver(bytes: &[u8]) -> Option<Vec<ShaderRange>> {
    let mut sections = Sections { bytes, at: 0 };
    let header = sections.next()?;
    let names = (9..13).try_fold(0u32, |n, k| n.checked_add(le(header.1, 4 * k)?))?;
    // A second marker ends the header, sometimes with data between the two.
    sections.next()?;
    for _ in 0..names {
        // Newer drivers insert sections of other types.
        while !matches!(le(sections.next()?.1, 0)? >> 8 & 0xff, 0x8b | 0x14) {}
    }
    let mut ranges = Vec::new();
    for k in 0..=VERTEX_SHADERS {
        let (_, header) = sections.next()?;
        // The shader follows the constants as the last section.
        let constants = le(header, 0)?.checked_sub(1)?;
        for _ in 0..constants {
            sections.next()?;
        }
        let (start, shader) = sections.next()?;
        if shader.len() < SECTION_HEAD + SLOT || shader.len() % 4 != 0 {
            return None;
        }
        let vertex = k < VERTEX_SHADERS;
        let stage = Some(if vertex { Stage::Vertex } else { Stage::Fragment });
        ranges.push(ShaderRange { start: start + SECTION_HEAD, end: start + shader.len(), stage });
        if vertex {
            for _ in 0..le(header, 32)? {
                sections.next()?;
            }
        }
    }
    Some(ranges)
}

/// An iterator over the sections of a driver binary, with their offsets.
struct Sections<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Sections<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<(usize, &'a [u8])> {
        let rest = self.bytes.get(self.at..)?;
        let len = rest.windows(4).position(|w| w == MARKER)?;
        let start = self.at;
        self.at += len + 4;
        Some((start, &rest[..len]))
    }
}

// ---- traces

/// Returns the shaders in the sections of a trace; empty if the bytes are not a sequence of sections. Sections of unknown types are skipped by their
/// size. Newer tools write such sections, for instance type 14, the chip's number.
///
/// # Errors
/// If a section extends past the end of the file and an earlier section contained a shader. Without such a shader, the file need not be a trace.
fn trace(bytes: &[u8]) -> Result<Vec<ShaderRange>, DecodeError> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let truncated = |offset: usize, field, needed: u64| {
            let had = bytes.len().saturating_sub(offset) as u64;
            DecodeError { offset: offset as u64, field, problem: Problem::Truncated { needed, had } }
        };
        let section = match (le(bytes, at), le(bytes, at + 4)) {
            (Some(kind), Some(size)) => bytes
                .get(at + 8..)
                .and_then(|rest| rest.get(..size as usize))
                .map(|payload| (kind, size, payload))
                .ok_or((at + 8, "section of a trace", u64::from(size))),
            _ => Err((at, "head of a section of a trace", 8)),
        };
        let (kind, size, payload) = match section {
            Ok(section) => section,
            Err(_) if le(bytes, at) == Some(TRACE_FILLER) && le(bytes, at + 4) == Some(TRACE_FILLER) => {
                at += 8;
                continue;
            }
            Err(_) if ranges.is_empty() => return Ok(ranges),
            Err((offset, field, needed)) => return Err(truncated(offset, field, needed)),
        };
        let inside = match kind {
            TRACE_PROGRAM => driver(payload),
            TRACE_BUFFER => packets(payload),
            _ => None,
        };
        let start = at + 8;
        let moved = |p: ShaderRange| ShaderRange { start: start + p.start, end: start + p.end, ..p };
        ranges.extend(inside.into_iter().flatten().map(moved));
        at = start + size as usize;
    }
    Ok(ranges)
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)] // lengths of literals
mod tests {
    use super::super::decode::decode;
    use super::super::encode::encode;
    use super::*;

    /// EXEC_END ADDR(1) CNT(1), NOP; the driver's padding slot (xdk, mesa).
    const SHADER: [u32; 6] = [0x0000_1001, 0x0000_2000, 0, 0x1400_0000, 0, 0xe200_0000];

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    fn section(words: &[u32]) -> Vec<u8> {
        [bytes(words), MARKER.to_vec()].concat()
    }

    fn driver_binary() -> Vec<u8> {
        let mut file = section(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
        file.extend(section(&[]));
        // A vertex attribute whose name has an odd length.
        file.extend([bytes(&[0x8b51, 0, 0, 0, 0, 0, 0]), vec![0x9e, 0xff, 0xff], MARKER.to_vec()].concat());
        let head = [0, 1, 0, 2, 0x4000_0000, 0x3f40_0000, 0x3ec0_0000, 0x3e80_0000];
        for k in 0..4 {
            // The shader is in the third section. For vertex shaders another section follows it.
            file.extend(section(&[2, 0, 0, 0, 0, 0, 0, 0, 1]));
            file.extend(section(&[0, 0, 0, 12, 0x3f80_0000, 0, 0, 0]));
            file.extend(section(&[&head[..], &SHADER].concat()));
            if k < 3 {
                file.extend(section(&[7]));
            }
        }
        file.extend(section(&[]));
        file
    }

    fn load(stage: u32) -> Vec<u32> {
        let mut words = vec![0xc000_2b00 | 7 << 16, stage, SHADER.len() as u32];
        words.extend(SHADER);
        words
    }

    fn xenos_object() -> Vec<u8> {
        let mut words = vec![0x102a_1101, 52, 40, 0, 0, 0, 40, 0, 0];
        words.extend([0, 16, 24, 0, 1, 2, 3, 4]);
        words.extend(SHADER);
        words.iter().flat_map(|w| w.to_be_bytes()).collect()
    }

    #[track_caller]
    fn check(file: &[u8], kind: Kind, stages: &[Stage]) {
        let program = decode(file).unwrap();
        assert_eq!(program.kind, kind);
        assert_eq!(program.shaders.iter().map(|s| s.stage.unwrap()).collect::<Vec<_>>(), stages);
        for shader in &program.shaders {
            assert_eq!(super::super::encode::to_dwords(shader), SHADER);
            assert_eq!(shader.clauses.len(), 2);
        }
        assert_eq!(encode(&program), file);
        for len in 0..file.len() {
            // A truncated file need not decode. If it does, encoding must reproduce it.
            if let Ok(program) = decode(&file[..len]) {
                assert_eq!(encode(&program), file[..len]);
            }
        }
    }

    const DRIVER_STAGES: [Stage; 4] = [Stage::Vertex, Stage::Vertex, Stage::Vertex, Stage::Fragment];

    #[test]
    fn shaders_are_found_in_containers() {
        check(&driver_binary(), Kind::Driver, &DRIVER_STAGES);
        check(&xenos_object(), Kind::Xenos, &[Stage::Vertex]);
        let stream = [&[0x8000_0000, 0x0001_2000, 5, 6][..], &load(1), &load(0)].concat();
        check(&bytes(&stream), Kind::Packets, &[Stage::Fragment, Stage::Vertex]);
        let driver = driver_binary();
        let sections = [
            bytes(&[1, 4, 0x6c6c_6f63, TRACE_PROGRAM, driver.len() as u32]),
            driver,
            bytes(&[TRACE_BUFFER, 4 * load(1).len() as u32]),
            bytes(&load(1)),
        ];
        check(&sections.concat(), Kind::Trace, &[&DRIVER_STAGES[..], &[Stage::Fragment]].concat());
    }

    /// Sections of newer tools, and padding between pages, are skipped.
    #[test]
    fn traces_may_have_sections_of_other_types() {
        let buffer = [&[TRACE_BUFFER, 4 * load(0).len() as u32][..], &load(0)].concat();
        let newer = [13, 4, 220, 14, 8, 0x0202_0000, 0, 17, 4, 9, 0x8000_0001, 0];
        let filler = [u32::MAX; 4];
        let words = [&newer[..], &filler, &buffer, &newer, &buffer, &filler].concat();
        check(&bytes(&words), Kind::Trace, &[Stage::Vertex; 2]);
    }

    #[test]
    fn a_trace_that_ends_within_a_section_is_refused_with_an_offset() {
        let buffer = [&[TRACE_BUFFER, 4 * load(0).len() as u32][..], &load(0)].concat();
        let good = bytes(&[&[14, 4, 220][..], &buffer, &[3, 8, 1, 2]].concat());
        let first = 12 + 4 * buffer.len();
        assert_eq!(decode(&good).unwrap().shaders.len(), 1);
        let error = decode(&good[..good.len() - 1]).unwrap_err();
        let problem = Problem::Truncated { needed: 8, had: 7 };
        assert_eq!(error, DecodeError { offset: first as u64 + 8, field: "section of a trace", problem });
        let error = decode(&good[..first + 5]).unwrap_err();
        let problem = Problem::Truncated { needed: 8, had: 5 };
        assert_eq!(
            error,
            DecodeError { offset: first as u64, field: "head of a section of a trace", problem }
        );
    }

    /// Names are in sections of type 8Bh or 14h (fd-notes); sections of other types may be between them.
    #[test]
    fn names_are_in_sections_of_two_types() {
        let named = driver_binary();
        let at = 4 * 13 + 4 + 4;
        assert_eq!(le(&named, at), Some(0x8b51));
        for kind in 0..=0xff {
            let mut file = named.clone();
            file[at + 1] = kind;
            let found = driver(&file).map_or(0, |ranges| ranges.len());
            assert_eq!(found == 4, matches!(kind, 0x8b | 0x14), "type {kind:#x}");
            // A section of another type before the names is skipped.
            let mut more = named[..at].to_vec();
            more.extend(section(&[u32::from(kind) << 8]));
            more.extend(&named[at..]);
            let found = driver(&more).map_or(0, |ranges| ranges.len());
            assert_eq!(found == 4, !matches!(kind, 0x8b | 0x14), "type {kind:#x} before the names");
        }
    }

    /// The count of a packet has 14 bits and is one less than the number of dwords after the header: stage, size and shader (fd-notes).
    #[test]
    fn the_largest_packet_holds_a_shader_of_3ffe_dwords() {
        for stage in [Stage::Vertex, Stage::Fragment] {
            for dwords in [0, 1, 3, 0x3ffd, 0x3ffe] {
                let mut file = load_packet_header(stage, dwords).unwrap();
                file.resize(file.len() + 4 * dwords, 0);
                let range = ShaderRange { start: 12, end: file.len(), stage: Some(stage) };
                assert_eq!(packets(&file), Some(vec![range]), "{dwords:#x}");
            }
            for dwords in [0x3fff, 0x4000, 0xffff, 0x10000] {
                assert_eq!(load_packet_header(stage, dwords), None, "{dwords:#x}");
            }
        }
        assert_eq!(load_packet_header(Stage::Geometry, 3), None);
    }

    /// Whatever a field of the header holds, an error is at a byte of the file or at its end.
    #[test]
    fn errors_about_a_xenos_object_are_within_the_file() {
        let good = xenos_object();
        for at in (4..good.len()).step_by(4) {
            for value in [0, 1, 4, 24, 28, 44, 1000, 0x7fff_ffff, u32::MAX] {
                let mut file = good.clone();
                file[at..at + 4].copy_from_slice(&value.to_be_bytes());
                if let Err(error) = decode(&file) {
                    assert!(error.offset <= file.len() as u64, "{value:#x} at {at}: {error}");
                }
            }
        }
    }

    #[test]
    fn files_of_other_instruction_sets_are_not_recognized() {
        assert!(recognizes(&bytes(&SHADER)));
        assert!(recognizes(&xenos_object()));
        assert!(!recognizes(&bytes(&SHADER)[..11]));
        // AGAL, SHBIN, and Direct3D 9 vertex and pixel shaders.
        let others: [&[u8]; 4] = [
            b"\xa0\x01\0\0\0\xa1\0\0\0\0\0\0\0\0",
            b"DVLB\x01\0\0\0\x40\0\0\0",
            b"\0\x03\xfe\xff\x1f\0\0\x02\0\0\0\x80",
            b"\0\x02\xff\xff\x51\0\0\x05\0\0\x0f\xa0",
        ];
        for first in others {
            assert!(!recognizes(first), "{first:x?}");
        }
    }

    #[test]
    fn a_xenos_object_that_points_outside_itself_is_refused_with_the_field() {
        let good = xenos_object();
        let with = |at: usize, value: u32| {
            let mut file = good.clone();
            file[at..at + 4].copy_from_slice(&value.to_be_bytes());
            decode(&file).unwrap_err()
        };
        assert_eq!(
            (with(24, 1000).offset, with(24, 1000).field),
            (good.len() as u64, "offset of the program")
        );
        assert_eq!(with(24, u32::MAX).field, "offset of the program");
        assert_eq!(with(44, 28).field, "program");
        assert_eq!(with(44, u32::MAX).field, "program");
        assert_eq!(with(40, u32::MAX).field, "program");
        assert_eq!(with(4, 0).field, "offset of the program");
        assert_eq!(with(44, 22).field, "dword");
        assert_eq!(with(44, 8).field, "slot");
        assert_eq!(decode(&good[..20]).unwrap_err().field, "offset of the shader's description");
    }
}
