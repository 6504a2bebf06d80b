//! The decoder: turns bytes into a program.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod shbin;

use super::container::tables;
use super::program::{Container, Descriptor, DescriptorRow, Instruction, Program, Raw};
use crate::binary::{Cursor, DecodeError, Problem};
use crate::isa::Stage;

pub use shbin::{DVLE_MAGIC, DVLP_MAGIC, SHBIN_MAGIC};

/// The maximum size of a program in bytes: about 60 times the size of full program memory with a full descriptor table.
pub const MAX_FILE_SIZE: usize = 1 << 20;

/// The first bytes of the raw form, which is the project's own.
pub const RAW_MAGIC: [u8; 4] = *b"PICA";

/// Whether the bytes begin with the magic number of an SHBIN or of the raw form.
pub fn recognizes(bytes: &[u8]) -> bool {
    bytes.starts_with(&SHBIN_MAGIC) || bytes.starts_with(&RAW_MAGIC)
}

/// Decodes an SHBIN or a program in the raw form.
///
/// # Errors
/// If the bytes are not a program, are larger than [`MAX_FILE_SIZE`], continue after the end of the raw form, or have parts that exceed the file,
/// overlap where they may not, or together are more than eight times as large as the file.
pub fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
    if bytes.len() > MAX_FILE_SIZE {
        let problem = Problem::TooLarge { size: bytes.len() as u64, limit: MAX_FILE_SIZE as u64 };
        return Err(DecodeError { offset: 0, field: "file", problem });
    }
    let mut cursor = Cursor::new(bytes);
    match cursor.take::<4>("magic")? {
        SHBIN_MAGIC => shbin::decode(bytes),
        RAW_MAGIC => raw(bytes, &mut cursor),
        other => {
            let found = u64::from(u32::from_le_bytes(other));
            Err(cursor.unexpected(4, "magic", found, "'DVLB' (SHBIN) or 'PICA' (raw)"))
        }
    }
}

fn raw(bytes: &[u8], cursor: &mut Cursor<'_>) -> Result<Program, DecodeError> {
    let stage = match u16::from_le_bytes(cursor.take("stage")?) {
        0 => Stage::Vertex,
        1 => Stage::Geometry,
        other => return Err(cursor.unexpected(2, "stage", u64::from(other), "0 (vertex) or 1 (geometry)")),
    };
    let output_mask = u16::from_le_bytes(cursor.take("output mask")?);
    let start = cursor.u32("entry")?;
    let words = cursor.u32("number of instructions")?;
    let rows = cursor.u32("number of descriptors")?;
    let mut rest = cursor.rest();
    let mut part = |count: u32, size: u64, field| {
        let needed = u64::from(count) * size;
        match usize::try_from(needed).ok().and_then(|n| rest.split_at_checked(n)) {
            Some((part, after)) => {
                rest = after;
                Ok(part)
            }
            None => Err(DecodeError {
                offset: (bytes.len() - rest.len()) as u64,
                field,
                problem: Problem::Truncated { needed, had: rest.len() as u64 },
            }),
        }
    };
    let code = instructions(part(words, 4, "instructions")?);
    let descriptors = descriptors(part(rows, 8, tables::DESCRIPTORS)?);
    if !rest.is_empty() {
        let offset = (bytes.len() - rest.len()) as u64;
        let problem = Problem::Trailing { count: rest.len() as u64 };
        return Err(DecodeError { offset, field: "file", problem });
    }
    Ok(Program { container: Container::Raw(Raw { stage, output_mask, start }), code, descriptors })
}

/// Returns the little-endian words of a slice whose length is a multiple of four.
fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word))
}

fn instructions(bytes: &[u8]) -> Vec<Instruction> {
    words(bytes).map(Instruction::from_word).collect()
}

fn descriptors(bytes: &[u8]) -> Vec<DescriptorRow> {
    let (rows, _) = bytes.as_chunks::<8>();
    rows.iter()
        .map(|[a, b, c, d, second @ ..]| DescriptorRow {
            descriptor: Descriptor::from_word(u32::from_le_bytes([*a, *b, *c, *d])),
            second: u32::from_le_bytes(*second),
        })
        .collect()
}
