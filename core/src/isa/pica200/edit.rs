//! Edits of programs, for mutation and minimisation.
//!
//! Fields of the instruction word are numbered from [`WORD_FIELD`] in the order of its layout, those of its descriptor from [`DESCRIPTOR_FIELD`] in
//! the order of [`Descriptor`]; [`OPCODE_FIELD`] is bits 26 to 31 in every format. A descriptor shared with other instructions is not changed: the
//! instruction gets another row. When words move, targets, ends of scopes, entries and labels are adjusted, and in an SHBIN also the offsets of the
//! parts after the code.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod forward;
mod redirect;
mod rows;
mod shift;
mod strip;

use crate::isa::pica200::word::fields;
pub use forward::forwarded;
pub use redirect::redirected;
pub(super) use rows::with_descriptor_row;
pub(super) use shift::if_decodable;
pub use strip::strip;

use super::facets;
use super::names::implicit_fields;
use super::opcode::TABLE;
use super::program::{Descriptor, DescriptorRow, Instruction, MEMORY, Program, Register};
use super::word::{LAYOUTS, Plain};
use crate::binary::{Bits, FieldKind, exact};
use crate::isa::Edit;
use crate::isa::edit::{aligned_runs, aligned_runs_at, swap_and_copies};
use crate::isa::facet::Site;
use shift::{CodeChange, moved};

/// Number of the first field of an instruction's word.
pub const WORD_FIELD: u16 = 0;
/// Number of the opcode, bits 26 to 31.
pub const OPCODE_FIELD: u16 = {
    let mut k = 0;
    while k < LAYOUTS.len() {
        let is_instruction = LAYOUTS[k].bits == 32;
        assert!(!is_instruction || LAYOUTS[k].fields.len() <= 15, "every field number is below OPCODE_FIELD");
        k += 1;
    }
    15
};
/// Number of the first field of an instruction's descriptor.
pub const DESCRIPTOR_FIELD: u16 = OPCODE_FIELD + 1;

/// The maximum number of words for which [`edits`] checks that each edit applies. Each check copies the program, so longer programs are not checked.
const MAX_CHECKED_WORDS: usize = 512;

/// Applies an edit. Returns `None` if the edit is out of range, changes nothing, removes every instruction, inserts one into full program memory,
/// leaves a container that cannot be decoded, or sets a facet in a way that changes the stage or inserts instructions.
pub fn apply(program: &Program, edit: &Edit) -> Option<Program> {
    let len = program.code.len();
    match *edit {
        Edit::Remove { at, count } => {
            let range = at as usize..(at as usize).checked_add(count as usize)?;
            if range.is_empty() || range.end > len || range.len() == len {
                return None;
            }
            let mut edited = program.clone();
            edited.code.drain(range);
            if_decodable(moved(edited, CodeChange::Removed { at, count }))
        }
        Edit::Swap { at } => {
            let (a, b) = (program.code.get(at as usize)?, program.code.get(at as usize + 1)?);
            if a == b {
                return None;
            }
            let mut edited = program.clone();
            edited.code.swap(at as usize, at as usize + 1);
            if_decodable(edited)
        }
        Edit::Copy { from, at } => {
            let instruction = *program.code.get(from as usize)?;
            if at as usize > len || len >= MEMORY as usize {
                return None;
            }
            let mut edited = program.clone();
            edited.code.insert(at as usize, instruction);
            if_decodable(moved(edited, CodeChange::Inserted { at }))
        }
        Edit::Field { at, field, value } if field >= DESCRIPTOR_FIELD => {
            let instruction = program.code.get(at as usize)?;
            let row = changed_row(program, instruction, field - DESCRIPTOR_FIELD, value)?;
            if_decodable(with_descriptor_row(program.clone(), at as usize, row)?)
        }
        Edit::Field { at, field, value } => {
            let instruction = program.code.get(at as usize)?;
            let changed = changed_word(instruction, field, value)?;
            if changed == *instruction {
                return None;
            }
            let mut edited = program.clone();
            edited.code[at as usize] = changed;
            if_decodable(edited)
        }
        Edit::Facet { at, unit, facet, value } => {
            // A program made by a setter can always be decoded, so it is not checked.
            let (made, _) = facets::TABLE.set(program, Site { word: at, unit }, facet, value)?;
            // An edit must not change the stage, and inserting instructions is not a simplification.
            let keeps_shape = made.container == program.container && made.code.len() == program.code.len();
            (keeps_shape && made != *program).then_some(made)
        }
    }
}

fn changed_word(instruction: &Instruction, field: u16, value: u64) -> Option<Instruction> {
    if field == OPCODE_FIELD {
        let word = Plain::opcode.replace_in(instruction.to_word(), u32::try_from(value).ok()?)?;
        return Some(Instruction::from_word(word));
    }
    let field = instruction.layout().fields.get(usize::from(field))?;
    let word = field.replace_in(instruction.to_word(), u32::try_from(value).ok()?)?;
    Some(Instruction::from_word(word))
}

/// Returns the instruction's descriptor with one field changed; `None` if it stays the same.
fn changed_row(
    program: &Program,
    instruction: &Instruction,
    field: u16,
    value: u64,
) -> Option<DescriptorRow> {
    let row = program.descriptors.get(usize::from(instruction.desc()?))?;
    let field = Descriptor::LAYOUT.fields.get(usize::from(field))?;
    let word = row.descriptor.to_word();
    let changed = field.replace_in(word, u32::try_from(value).ok()?)?;
    (changed != word).then(|| DescriptorRow { descriptor: Descriptor::from_word(changed), ..*row })
}

/// Returns the edits of a program in an order that suits minimisation: removals from large to small, then simpler operands and operations, then
/// edits that do not make the program smaller. If the program has at most `MAX_CHECKED_WORDS` words, all of these edits apply. For a longer program,
/// [`apply`] returns `None` for edits that do not apply.
pub fn edits(program: &Program) -> Vec<Edit> {
    let len = exact::<u32, _>(program.code.len());
    let mut all = Vec::new();
    all.extend(
        aligned_runs(program.code.len())
            .map(|run| Edit::Remove { at: exact(run.start), count: exact(run.len()) }),
    );
    let simpler = facets::simplifier(program);
    for (at, instruction) in program.code.iter().enumerate() {
        simplify(program, exact::<u32, _>(at), instruction, &simpler, &mut all);
    }
    for at in 0..len {
        all.extend(swap_and_copies(at, len));
    }
    if program.code.len() <= MAX_CHECKED_WORDS {
        all.retain(|edit| apply(program, edit).is_some());
    }
    all
}

/// Returns the number of positions at which edits begin: the number of instructions.
pub fn positions(program: &Program) -> u32 {
    exact::<u32, _>(program.code.len())
}

/// The maximum number of edits that begin at one position.
pub const MAX_EDITS: usize = 64;

/// Returns the edits that begin at an instruction. Unlike [`edits`], it includes some that do not apply.
pub fn edits_at(program: &Program, at: u32) -> Vec<Edit> {
    let Some(instruction) = program.code.get(at as usize) else { return Vec::new() };
    let runs = aligned_runs_at(program.code.len(), at as usize);
    let mut all = Vec::with_capacity(MAX_EDITS);
    all.extend(runs.map(|run| Edit::Remove { at, count: exact(run.len()) }));
    simplify(program, at, instruction, &facets::simplifier(program), &mut all);
    all.extend(swap_and_copies(at, positions(program)));
    all
}

/// The index of the mask among the fields of a descriptor.
const MASK: u16 = Descriptor::LAYOUT.index_of(&Descriptor::mask);

/// Appends edits that simplify the operands, remove one written component, or select another operation of the same format.
fn simplify(
    program: &Program,
    at: u32,
    instruction: &Instruction,
    simpler: &dyn Fn(u32) -> Vec<Edit>,
    all: &mut Vec<Edit>,
) {
    let field = |field: u16, value: u64| Edit::Field { at, field, value };
    if let Some(descriptor) = program.descriptor(instruction) {
        let fewer = (0..4).map(|component| descriptor.mask & !(1 << component));
        all.extend(fewer.map(|mask| field(DESCRIPTOR_FIELD + MASK, mask.into())));
    }
    all.extend(simpler(at));
    unused_fields(instruction, |number, value| all.push(field(number, value)));
    for (k, f) in instruction.layout().fields.iter().enumerate() {
        let word = WORD_FIELD + exact::<u16, _>(k);
        match f.name {
            // Smaller values, which usually shorten the scope.
            fields::NUM | fields::DST if instruction.flow().is_some() => {
                let value = u64::from(instruction.field(f.name));
                all.extend([field(word, value.saturating_sub(1)), field(word, value / 2)]);
            }
            fields::ID | fields::BITS => all.push(field(word, 0)),
            // The values of v0 or o0, and of r0; neither is simpler than the other.
            fields::DST | fields::SRC1 | fields::SRC2 | fields::SRC3 => {
                all.extend([field(word, 0), field(word, 0x10)]);
            }
            _ => {}
        }
    }
    let Some(op) = instruction.op() else { return };
    for row in TABLE.iter().filter(|row| row.format == op.row().format && row.opcode != op) {
        all.push(field(OPCODE_FIELD, u64::from(row.number)));
    }
}

/// Calls `each` with the number and the default value of every field that has no effect.
fn unused_fields(instruction: &Instruction, mut each: impl FnMut(u16, u64)) {
    if instruction.desc().is_some() {
        let plain = Descriptor::default().to_word();
        let sources = instruction.sources().iter().flatten().count();
        for (k, f) in Descriptor::LAYOUT.fields.iter().enumerate() {
            let source = f.name.strip_prefix("negate").or(f.name.strip_prefix("select"));
            let is_absent = source.and_then(|n| n.parse().ok()).is_some_and(|n: usize| n > sources);
            if is_absent || f.kind == FieldKind::Reserved {
                each(DESCRIPTOR_FIELD + exact::<u16, _>(k), plain.get(f).into());
            }
        }
    }
    let is_offset = instruction
        .sources()
        .into_iter()
        .flatten()
        .any(|(number, idx)| idx != 0 && matches!(Register::source(number), Register::Uniform(_)));
    let idx = (!is_offset).then_some((fields::IDX, 0));
    for (name, value) in implicit_fields(instruction).into_iter().chain(idx) {
        let fields = instruction.layout().fields.iter();
        for (k, _) in fields.enumerate().filter(|(_, f)| f.name == name) {
            each(WORD_FIELD + exact::<u16, _>(k), value.into());
        }
    }
}
