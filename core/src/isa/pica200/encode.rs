//! The encoder: turns a program into bytes.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

use super::container::{DVLB_HEADER_SIZE, Dvle, Row, Shbin, Table};
use super::decode::{DVLE_MAGIC, DVLP_MAGIC, MAX_FILE_SIZE, RAW_MAGIC, SHBIN_MAGIC};
use super::program::{Container, Program, Raw};
use crate::binary::exact;
use crate::isa::Stage;
use std::ops::Range;

/// Encodes a program. Parts that extend beyond [`MAX_FILE_SIZE`], which no decoded program has, are left out.
pub fn encode(program: &Program) -> Vec<u8> {
    match &program.container {
        Container::Raw(raw) => write_raw(program, *raw),
        Container::Shbin(shbin) => write_shbin(program, shbin),
    }
}

/// Returns the byte range of each instruction.
pub fn spans(program: &Program) -> Vec<Range<usize>> {
    let first = match &program.container {
        Container::Raw(_) => RAW_HEADER,
        Container::Shbin(shbin) => exact::<usize, _>(dvlp(shbin)) + shbin.code as usize,
    };
    (0..program.code.len()).map(|k| first + 4 * k..first + 4 * (k + 1)).collect()
}

/// Returns the offset of the DVLP, which follows the table of DVLE offsets.
fn dvlp(shbin: &Shbin) -> u64 {
    u64::from(DVLB_HEADER_SIZE) + 4 * shbin.dvles.len() as u64
}

/// The size in bytes of the raw form's header, which precedes its instructions.
const RAW_HEADER: usize = 0x14;

/// Encodes only the instructions.
pub fn code(program: &Program) -> Vec<u8> {
    program.code.iter().flat_map(|i| i.to_word().to_le_bytes()).collect()
}

fn descriptors(program: &Program) -> Vec<u8> {
    program
        .descriptors
        .iter()
        .flat_map(|row| [row.descriptor.to_word(), row.second])
        .flat_map(u32::to_le_bytes)
        .collect()
}

fn write_raw(program: &Program, raw: Raw) -> Vec<u8> {
    let mut bytes = RAW_MAGIC.to_vec();
    bytes.extend(u16::from(raw.stage == Stage::Geometry).to_le_bytes());
    bytes.extend(raw.output_mask.to_le_bytes());
    let numbers = [raw.start, exact(program.code.len()), exact(program.descriptors.len())];
    bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
    bytes.extend(code(program));
    bytes.extend(descriptors(program));
    bytes
}

/// A file that grows as parts are written to it.
struct File(Vec<u8>);

impl File {
    fn put(&mut self, offset: u64, part: &[u8]) {
        let end = offset.saturating_add(part.len() as u64);
        if end > MAX_FILE_SIZE as u64 {
            return;
        }
        let (first, end) = (exact(offset), exact(end));
        if self.0.len() < end {
            self.0.resize(end, 0);
        }
        self.0[first..end].copy_from_slice(part);
    }
}

fn write_shbin(program: &Program, shbin: &Shbin) -> Vec<u8> {
    let mut file = File(Vec::new());
    let mut head = SHBIN_MAGIC.to_vec();
    head.extend(exact::<u32, _>(shbin.dvles.len()).to_le_bytes());
    head.extend(shbin.dvles.iter().flat_map(|dvle| dvle.offset.to_le_bytes()));
    head.extend(DVLP_MAGIC);
    let words = [
        shbin.version,
        shbin.code,
        exact(program.code.len()),
        shbin.descriptors,
        exact(program.descriptors.len()),
        shbin.filenames,
    ];
    head.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    file.put(0, &head);
    let dvlp = dvlp(shbin);
    // A table without rows has no bytes, whatever its offset.
    for (offset, part) in [(shbin.code, code(program)), (shbin.descriptors, descriptors(program))] {
        if !part.is_empty() {
            file.put(dvlp + u64::from(offset), &part);
        }
    }
    for dvle in &shbin.dvles {
        write_dvle(&mut file, dvle);
    }
    for gap in &shbin.gaps {
        file.put(u64::from(gap.offset), &gap.bytes);
    }
    file.0
}

fn write_dvle(file: &mut File, dvle: &Dvle) {
    let base = u64::from(dvle.offset);
    let mut head = DVLE_MAGIC.to_vec();
    head.extend(dvle.version.to_le_bytes());
    head.extend([dvle.kind, dvle.flags]);
    head.extend([dvle.main, dvle.end].iter().flat_map(|w| w.to_le_bytes()));
    head.extend([dvle.input_mask, dvle.output_mask].iter().flat_map(|w| w.to_le_bytes()));
    head.extend([dvle.mode, dvle.fixed_start, dvle.variable_vertices, dvle.fixed_vertices]);
    let mut table = |offset: u32, count: usize, part: Vec<u8>| {
        head.extend([offset, exact(count)].iter().flat_map(|w| w.to_le_bytes()));
        if !part.is_empty() {
            file.put(base + u64::from(offset), &part);
        }
    };
    fn rows<R: Row>(table: &Table<R>) -> (u32, usize, Vec<u8>) {
        let mut bytes = Vec::with_capacity(table.rows.len() * R::SIZE as usize);
        for row in &table.rows {
            row.write(&mut bytes);
        }
        (table.offset, table.rows.len(), bytes)
    }
    for (offset, count, part) in
        [rows(&dvle.constants), rows(&dvle.labels), rows(&dvle.outputs), rows(&dvle.uniforms)]
    {
        table(offset, count, part);
    }
    table(dvle.symbols.offset, dvle.symbols.rows.len(), dvle.symbols.rows.clone());
    file.put(base, &head);
}
