//! Small changes to programs, for mutation and for minimisation.
//!
//! Fields are numbered in the order of the layout of the instruction's word from [`WORD_FIELD`], its descriptor's in the order of [`Descriptor`]
//! from [`DESCRIPTOR_FIELD`], and [`OPCODE_FIELD`] is bits 26 to 31, whatever the format calls them. A descriptor that other instructions name, too, is not
//! changed for them: the instruction gets another row. Targets, ends of scopes, entries and labels follow the words that move, and in an SHBIN
//! so do the parts behind the code.

mod shift;
mod strip;

pub use strip::strip;

use super::opcode::{Opcode, TABLE};
use super::program::{DESCRIPTORS, Descriptor, DescriptorRow, Instruction, MEMORY, Program};
use crate::binary::Use;
use crate::isa::Edit;
use shift::{Move, grow_descriptors, moved, sound};

/// Number of the first field of an instruction's word.
pub const WORD_FIELD: u16 = 0;
/// Number of the opcode, bits 26 to 31.
pub const OPCODE_FIELD: u16 = 15;
/// Number of the first field of an instruction's descriptor.
pub const DESCRIPTOR_FIELD: u16 = 16;

/// Programs of more words have edits listed that do not apply: to try each takes a copy of the program.
const JUDGED: usize = 512;

/// Descriptors that `mad` can name.
const TERNARY_ROWS: usize = 32;

/// The program after an edit, or `None` where the edit does not apply: it is out of range, would change nothing, would leave no instruction or more than
/// program memory holds, or would leave a container that cannot be read back.
pub fn apply(program: &Program, edit: &Edit) -> Option<Program> {
    let len = program.code.len();
    let mut edited = program.clone();
    match *edit {
        Edit::Remove { at, count } => {
            let range = at as usize..(at as usize).checked_add(count as usize)?;
            if range.is_empty() || range.end > len || range.len() == len {
                return None;
            }
            edited.code.drain(range);
            edited = moved(edited, Move::Out { at, count });
        }
        Edit::Swap { at } => {
            let (a, b) = (*program.code.get(at as usize)?, *program.code.get(at as usize + 1)?);
            if a == b {
                return None;
            }
            edited.code.swap(at as usize, at as usize + 1);
        }
        Edit::Copy { from, at } => {
            let instruction = *program.code.get(from as usize)?;
            if at as usize > len || len >= MEMORY as usize {
                return None;
            }
            edited.code.insert(at as usize, instruction);
            edited = moved(edited, Move::In { at });
        }
        Edit::Field { at, field, value } => {
            let instruction = program.code.get(at as usize)?;
            if field >= DESCRIPTOR_FIELD {
                let row = changed_row(program, instruction, field - DESCRIPTOR_FIELD, value)?;
                edited = with_row(edited, at as usize, row)?;
            } else {
                let changed = changed_word(instruction, field, value)?;
                if changed == *instruction {
                    return None;
                }
                edited.code[at as usize] = changed;
            }
        }
        Edit::Facet { .. } => return None,
    }
    sound(edited)
}

fn changed_word(instruction: &Instruction, field: u16, value: u64) -> Option<Instruction> {
    if field == OPCODE_FIELD {
        let number = u32::try_from(value).ok().filter(|number| *number < 0x40)?;
        return Some(Instruction::from_word(instruction.to_word() & 0x03ff_ffff | number << 26));
    }
    let field = instruction.layout().fields.get(usize::from(field))?;
    let word = field.changed(instruction.to_word(), u32::try_from(value).ok()?)?;
    Some(Instruction::from_word(word))
}

/// The instruction's descriptor with a field changed, if that makes a difference.
fn changed_row(
    program: &Program,
    instruction: &Instruction,
    field: u16,
    value: u64,
) -> Option<DescriptorRow> {
    let row = program.descriptors.get(usize::from(instruction.desc()?))?;
    let field = Descriptor::LAYOUT.fields.get(usize::from(field))?;
    let word = row.descriptor.to_word();
    let changed = field.changed(word, u32::try_from(value).ok()?)?;
    (changed != word).then(|| DescriptorRow { descriptor: Descriptor::from_word(changed), ..*row })
}

/// Gives an instruction a descriptor: one that is there, its own if nobody shares it, or a new one.
fn with_row(mut program: Program, at: usize, row: DescriptorRow) -> Option<Program> {
    let own = program.code[at].desc()?;
    let ternary = matches!(program.code[at].op(), Some(Opcode::Mad | Opcode::Madi));
    let reach = if ternary { TERNARY_ROWS } else { DESCRIPTORS };
    let there = program.descriptors.iter().take(reach).position(|known| *known == row);
    let shared = program.code.iter().filter(|i| i.desc() == Some(own)).count() > 1;
    let number = match there {
        Some(number) => number,
        None if !shared => {
            program.descriptors[usize::from(own)] = row;
            usize::from(own)
        }
        None => {
            let number = program.descriptors.len();
            if number >= reach {
                return None;
            }
            program = grow_descriptors(program, row);
            number
        }
    };
    program.code[at] = program.code[at].with_field("desc", number as u32);
    Some(program)
}

/// The edits worth trying, in an order that suits minimisation: removals from large to small, then simpler operands and operations, then changes that
/// make nothing smaller. Each applies to the program, if that has at most `JUDGED` words; of a longer one only [`apply`] tells.
pub fn edits(program: &Program) -> Vec<Edit> {
    let len = program.code.len() as u32;
    let mut all = Vec::new();
    let mut size = len.next_power_of_two() / 2;
    while size > 0 {
        all.extend((0..len).step_by(size as usize).map(|at| Edit::Remove { at, count: size.min(len - at) }));
        size /= 2;
    }
    for (at, instruction) in program.code.iter().enumerate() {
        simplify(program, at as u32, instruction, &mut all);
    }
    for at in 0..len {
        all.extend([Edit::Swap { at }, Edit::Copy { from: at, at }, Edit::Copy { from: at, at: len }]);
    }
    if program.code.len() <= JUDGED {
        all.retain(|edit| apply(program, edit).is_some());
    }
    all
}

/// Simpler operands, and other operations with the same operands.
fn simplify(program: &Program, at: u32, instruction: &Instruction, all: &mut Vec<Edit>) {
    let mut field = |field: u16, value: u64| all.push(Edit::Field { at, field, value });
    if let Some(descriptor) = program.descriptor(instruction) {
        for lane in 0..4 {
            field(DESCRIPTOR_FIELD, u64::from(descriptor.mask & !(1 << lane)));
        }
        for (k, layout) in Descriptor::LAYOUT.fields.iter().enumerate().skip(1) {
            let simplest = if layout.name.starts_with("select") { Descriptor::XYZW } else { 0 };
            field(DESCRIPTOR_FIELD + k as u16, u64::from(simplest));
        }
    }
    let layout = instruction.layout();
    for (k, f) in layout.fields.iter().enumerate() {
        let word = WORD_FIELD + k as u16;
        match f.name {
            "opcode" | "desc" => {}
            // A shorter scope, then none.
            "num" | "dst" if instruction.flow().is_some() => {
                let value = u64::from(instruction.field(f.name));
                field(word, value.saturating_sub(1));
                field(word, value / 2);
            }
            _ if f.holds == Use::Reserved => field(word, 0),
            _ => {
                field(word, 0);
                // r0 is as simple as v0 and o0, and another register than them.
                if f.width >= 5 {
                    field(word, 0x10);
                }
            }
        }
    }
    let Some(op) = instruction.op() else { return };
    for row in TABLE.iter().filter(|row| row.format == op.row().format && row.opcode != op) {
        field(OPCODE_FIELD, u64::from(row.number));
    }
}
