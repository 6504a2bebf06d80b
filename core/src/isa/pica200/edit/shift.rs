//! Adjusts a program when words are inserted or removed: targets and scopes, entries and labels, and the parts of a file after the code.

use super::super::container::{Shbin, Table};
use super::super::decode::decode;
use super::super::encode::encode;
use super::super::opcode::Opcode;
use super::super::program::{Container, DescriptorRow, Instruction, Program};
use crate::binary::exact;
use crate::isa::pica200::word::fields;

/// A change of the code.
#[derive(Clone, Copy)]
pub(super) enum CodeChange {
    /// Words were removed.
    Removed {
        /// The address of the first removed word.
        at: u32,
        /// The number of removed words.
        count: u32,
    },
    /// One word was inserted.
    Inserted {
        /// The address of the inserted word.
        at: u32,
    },
}

impl CodeChange {
    /// Returns an address after the change. The address of a removed word becomes the address at which words were removed; an address at which a word
    /// was inserted becomes the address of that word.
    fn new_address(self, address: u32) -> u32 {
        match self {
            CodeChange::Removed { at, count } if address > at => address.saturating_sub(count).max(at),
            CodeChange::Inserted { at } if address > at => address.saturating_add(1),
            _ => address,
        }
    }

    /// Returns the change in the number of words.
    fn words(self) -> i64 {
        match self {
            CodeChange::Removed { count, .. } => -i64::from(count),
            CodeChange::Inserted { .. } => 1,
        }
    }
}

/// Adjusts all addresses in a program whose code has already been changed.
pub(super) fn moved(mut program: Program, change: CodeChange) -> Program {
    for instruction in &mut program.code {
        *instruction = flow(instruction, change);
    }
    match &mut program.container {
        Container::Raw(raw) => raw.start = change.new_address(raw.start),
        Container::Shbin(shbin) => {
            for dvle in &mut shbin.dvles {
                dvle.main = change.new_address(dvle.main);
                dvle.end = change.new_address(dvle.end);
                for label in &mut dvle.labels.rows {
                    label.word = change.new_address(label.word);
                }
            }
            let dvlp = shbin_dvlp(shbin);
            let code = i64::from(shbin.code) + dvlp;
            let before = 4 * (exact::<i64, _>(program.code.len()) - change.words());
            shift(shbin, code + before, 4 * change.words());
        }
    }
    program
}

fn flow(instruction: &Instruction, change: CodeChange) -> Instruction {
    let (Some(op), Some((dst, num))) = (instruction.op(), instruction.flow()) else { return *instruction };
    let dst = u32::from(dst);
    let start = change.new_address(dst);
    match op {
        Opcode::Breakc => *instruction,
        Opcode::Jmpc | Opcode::Jmpu => instruction.with_field(fields::DST, start.min(0xfff)),
        // DST is the last word of the body, inclusive.
        Opcode::Loop => {
            instruction.with_field(fields::DST, change.new_address(dst + 1).saturating_sub(1).min(0xfff))
        }
        _ => {
            let end = change.new_address(dst + u32::from(num));
            let num = end.saturating_sub(start).min(0xff);
            instruction.with_field(fields::DST, start.min(0xfff)).with_field(fields::NUM, num)
        }
    }
}

/// Returns the offset of the DVLP in the file.
fn shbin_dvlp(shbin: &Shbin) -> i64 {
    8 + 4 * exact::<i64, _>(shbin.dvles.len())
}

/// Moves every part that begins at or after byte `from` of the file, by `by` bytes.
fn shift(shbin: &mut Shbin, from: i64, by: i64) {
    let moved = |offset: i64| if offset >= from { offset + by } else { offset };
    // An offset that does not fit is left unchanged; the file then fails to decode, and the edit is rejected.
    let put = |to: &mut u32, value: i64| *to = u32::try_from(value).unwrap_or(*to);
    let dvlp = shbin_dvlp(shbin);
    for part in [&mut shbin.code, &mut shbin.descriptors, &mut shbin.filenames] {
        let now = moved(i64::from(*part) + dvlp) - dvlp;
        put(part, now);
    }
    for dvle in &mut shbin.dvles {
        let base = i64::from(dvle.offset);
        let now = moved(base);
        let table = |offset: &mut u32| {
            let at = moved(i64::from(*offset) + base) - now;
            put(offset, at);
        };
        fn offset<T>(table: &mut Table<T>) -> &mut u32 {
            &mut table.offset
        }
        table(offset(&mut dvle.constants));
        table(offset(&mut dvle.labels));
        table(offset(&mut dvle.outputs));
        table(offset(&mut dvle.uniforms));
        table(offset(&mut dvle.symbols));
        put(&mut dvle.offset, now);
    }
    for gap in &mut shbin.gaps {
        let now = moved(i64::from(gap.offset));
        put(&mut gap.offset, now);
    }
}

/// Adds a descriptor at the end of the table.
pub(super) fn append_descriptor(mut program: Program, row: DescriptorRow) -> Program {
    let rows = exact::<i64, _>(program.descriptors.len());
    if let Container::Shbin(shbin) = &mut program.container {
        let end = i64::from(shbin.descriptors) + shbin_dvlp(shbin) + 8 * rows;
        shift(shbin, end, 8);
    }
    program.descriptors.push(row);
    program
}

/// Returns the program if its encoding decodes to the same program. In an unusual container this can fail, because moved parts may overlap.
pub(in super::super) fn if_decodable(program: Program) -> Option<Program> {
    match &program.container {
        Container::Raw(_) => Some(program),
        Container::Shbin(_) => (decode(&encode(&program)).as_ref() == Ok(&program)).then_some(program),
    }
}
