//! Edits: small changes to programs, for mutation and minimisation.
//!
//! The fields of an instruction are numbered in this order: fields of the first word, the usage word, the destination and its relative address, the
//! predicate, each source and its relative address, and finally the immediates. Within a word the order is that of its layout in [`super::word`]. A
//! field edit whose position equals the number of instructions changes data outside the instructions: [`COMMENT_FIELD`], [`TAIL_FIELD`] or
//! [`VERSION_FIELD`].

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod forward;
mod redirect;

pub use forward::forwarded;
pub use redirect::redirected;

use super::decode::MAX_FILE_SIZE;
use super::encode;
use super::facets;
use super::opcode::{Kind, Opcode, TABLE};
use super::profile::Profile;
use super::program::{Dest, File, Index, Instruction, Program, Relative, Source, Usage, Version};
use super::word::{DestWord, InstructionWord, MAX_LENGTH, SourceWord, VersionWord, bit13};
use crate::binary::{Bits, Field, Layout, exact};
use crate::isa::Edit;
use crate::isa::edit::{
    BlockRole, fewer_components, field_resets, is_balanced, removals, removals_at, swap_and_copies,
};
use crate::isa::facet::Site;

/// Number of the first field of the usage word.
pub const USAGE_FIELD: u16 = InstructionWord::LAYOUT.field_count();
/// Number of the first field of the destination.
pub const DEST_FIELD: u16 = USAGE_FIELD + Usage::LAYOUT.field_count();
/// Number of the first field of the destination's relative address.
pub const DEST_INDEX_FIELD: u16 = DEST_FIELD + DestWord::LAYOUT.field_count();
/// Number of the write mask's field.
const MASK_FIELD: u16 = DEST_FIELD + DestWord::LAYOUT.index_of(&DestWord::mask);
/// Number of the opcode's field.
const OPCODE_FIELD: u16 = InstructionWord::LAYOUT.index_of(&InstructionWord::opcode);
/// Number of the first field of the predicate.
pub const PREDICATE_FIELD: u16 = DEST_INDEX_FIELD + FIELDS;
/// Number of the first field of the first source; sources follow at intervals of [`SOURCE_FIELDS`].
pub const SOURCE_FIELD: u16 = PREDICATE_FIELD + FIELDS;
/// The number of fields of a source and its relative address together.
pub const SOURCE_FIELDS: u16 = 2 * FIELDS;
/// Number of the first immediate.
pub const IMMEDIATE_FIELD: u16 = SOURCE_FIELD + 4 * SOURCE_FIELDS;
/// A field of the whole program: removes the comment whose index is the value.
pub const COMMENT_FIELD: u16 = 0;
/// A field of the whole program: truncates the tail to `value` bytes.
pub const TAIL_FIELD: u16 = 1;
/// A field of the whole program: sets the major and minor version, if the new version encodes lengths in the same way and has the same operands for
/// every instruction.
pub const VERSION_FIELD: u16 = 2;

/// The number of fields in a source word.
const FIELDS: u16 = SourceWord::LAYOUT.field_count();
/// The index of bit 13 among the fields of sources and destinations.
const RELATIVE: u16 = {
    let place = SourceWord::LAYOUT.index_of(&SourceWord::relative);
    assert!(place == DestWord::LAYOUT.index_of(&DestWord::relative));
    place
};

/// Returns the role of an instruction in block structure. An instruction that begins a block is represented by the opcode that ends the block.
fn block_role(i: &Instruction) -> BlockRole<Opcode> {
    match i.op() {
        Some(Opcode::If | Opcode::Ifc) => BlockRole::Open(Opcode::Endif),
        Some(Opcode::Loop) => BlockRole::Open(Opcode::Endloop),
        Some(Opcode::Rep) => BlockRole::Open(Opcode::Endrep),
        Some(Opcode::Else) => BlockRole::Else,
        Some(op @ (Opcode::Endif | Opcode::Endloop | Opcode::Endrep)) => BlockRole::Close(op),
        _ => BlockRole::None,
    }
}

/// Applies an edit. Returns `None` if the edit is out of range, changes nothing, breaks the block structure, inserts instructions to set a facet, or
/// leaves either no instruction or more than can be decoded.
pub fn apply(program: &Program, edit: &Edit) -> Option<Program> {
    let all = &program.instructions;
    let len = all.len();
    let mut edited;
    match *edit {
        Edit::Remove { at, count } => {
            let range = at as usize..(at as usize).checked_add(count as usize)?;
            let removed = all.get(range.clone())?;
            if removed.is_empty() || removed.len() == len || !is_balanced(removed, block_role) {
                return None;
            }
            edited = program.clone();
            edited.instructions.drain(range);
            for comment in &mut edited.comments {
                comment.before -= comment.before.saturating_sub(at).min(count);
            }
        }
        Edit::Swap { at } => {
            let (a, b) = (all.get(at as usize)?, all.get(at as usize + 1)?);
            if a == b || !block_role(a).may_swap(&block_role(b)) {
                return None;
            }
            edited = program.clone();
            edited.instructions.swap(at as usize, at as usize + 1);
        }
        Edit::Copy { from, at } => {
            let copied = all.get(from as usize)?;
            let room = 4 * (1 + copied.length()) + encode::encode(program).len() <= MAX_FILE_SIZE;
            if at as usize > len || block_role(copied) != BlockRole::None || !room {
                return None;
            }
            edited = program.clone();
            edited.instructions.insert(at as usize, copied.clone());
            for comment in edited.comments.iter_mut().filter(|c| c.before > at) {
                comment.before += 1;
            }
        }
        Edit::Field { at, field, value } if at as usize == len => {
            return edit_outside(program.clone(), field, value);
        }
        Edit::Field { at, field, value } => {
            let old = all.get(at as usize)?;
            let changed = set(old, program.version, field, value)?;
            if changed == *old || block_role(&changed) != block_role(old) {
                return None;
            }
            edited = program.clone();
            edited.instructions[at as usize] = changed;
        }
        Edit::Facet { at, unit, facet, value } => {
            let (made, _) = facets::TABLE.set(program, Site { word: at, unit }, facet, value)?;
            // An edit that inserts instructions is not a simplification.
            return (made.instructions.len() == len && made != *program).then_some(made);
        }
    }
    Some(edited)
}

/// Applies a field edit to data outside the instructions.
fn edit_outside(mut program: Program, field: u16, value: u64) -> Option<Program> {
    let at = usize::try_from(value).ok()?;
    match field {
        COMMENT_FIELD if at < program.comments.len() => _ = program.comments.remove(at),
        TAIL_FIELD if at < program.tail.len() => program.tail.truncate(at),
        VERSION_FIELD => {
            let old = program.version;
            let VersionWord { minor, major, .. } = VersionWord::from_word(u32::try_from(value).ok()?);
            let new = Version { major, minor, ..old };
            let same =
                |i: &Instruction| i.op().map(|op| op.operands(new)) == i.op().map(|op| op.operands(old));
            let kept = old.has_lengths() == new.has_lengths() && program.instructions.iter().all(same);
            if new == old || !(1..=3).contains(&new.major) || !kept {
                return None;
            }
            program.version = new;
        }
        _ => return None,
    }
    Some(program)
}

/// Returns the word with one field changed; `None` if there is no such field or the value does not fit it.
fn replace(word: u32, layout: &Layout, field: u16, value: u64) -> Option<u32> {
    layout.fields.get(usize::from(field))?.replace_in(word, u32::try_from(value).ok()?)
}

/// Returns the relative address to insert when an edit sets bit 13.
fn relative(version: Version) -> Relative {
    match (version.has_lengths(), version.is_pixel()) {
        (false, _) => Relative::Implied,
        (true, false) => Relative::Indexed(Index::register(File::Address, 0)),
        (true, true) => Relative::Indexed(Index::register(File::Loop, 0)),
    }
}

/// Returns the relative address after bit 13 is set to `value`; `None` if `value` is not 0 or 1.
fn switched(old: Relative, value: u64, version: Version) -> Option<Relative> {
    match (value, old) {
        (0, _) => Some(Relative::Direct),
        (1, Relative::Direct) => Some(relative(version)),
        (1, kept) => Some(kept),
        _ => None,
    }
}

fn set_index(old: &Relative, field: u16, value: u64) -> Option<Relative> {
    let word = old.index()?.to_word();
    let word = replace(word, &SourceWord::LAYOUT, field, value)?;
    Some(Relative::Indexed(Index::from_word(word, bit13(word))))
}

fn set_dest(dest: &Dest, version: Version, field: u16, value: u64) -> Option<Dest> {
    if let Some(field) = field.checked_sub(DestWord::LAYOUT.field_count()) {
        return Some(Dest { relative: set_index(&dest.relative, field, value)?, ..*dest });
    }
    if field == RELATIVE {
        return Some(Dest { relative: switched(dest.relative, value, version)?, ..*dest });
    }
    Some(Dest::from_word(replace(dest.to_word(), &DestWord::LAYOUT, field, value)?, dest.relative))
}

fn set_source(source: &Source, version: Version, field: u16, value: u64) -> Option<Source> {
    if let Some(field) = field.checked_sub(FIELDS) {
        return Some(Source { relative: set_index(&source.relative, field, value)?, ..*source });
    }
    if field == RELATIVE {
        return Some(Source { relative: switched(source.relative, value, version)?, ..*source });
    }
    Some(Source::from_word(replace(source.to_word(), &SourceWord::LAYOUT, field, value)?, source.relative))
}

/// Returns the instruction with one field changed. Its new length must fit the length field, and the length of a truncated instruction must not
/// change.
fn set(old: &Instruction, version: Version, field: u16, value: u64) -> Option<Instruction> {
    let mut i = old.clone();
    match field {
        IMMEDIATE_FIELD.. => {
            *i.immediates.get_mut(usize::from(field - IMMEDIATE_FIELD))? = u32::try_from(value).ok()?;
        }
        SOURCE_FIELD.. => {
            let (k, field) = ((field - SOURCE_FIELD) / SOURCE_FIELDS, (field - SOURCE_FIELD) % SOURCE_FIELDS);
            let source = i.sources.get_mut(usize::from(k))?;
            *source = set_source(source, version, field, value)?;
        }
        PREDICATE_FIELD.. => {
            i.predicate = Some(set_source(&i.predicate?, version, field - PREDICATE_FIELD, value)?);
        }
        DEST_FIELD.. => i.dest = Some(set_dest(&i.dest?, version, field - DEST_FIELD, value)?),
        USAGE_FIELD.. => {
            let word = replace(i.usage?.to_word(), &Usage::LAYOUT, field - USAGE_FIELD, value)?;
            i.usage = Some(Usage::from_word(word));
        }
        _ => first_word(&mut i, version, field, value)?,
    }
    let fits = !version.has_lengths() || i.length() <= MAX_LENGTH;
    (fits && (i.is_complete(version) || !old.is_complete(version) && i.length() == old.length())).then_some(i)
}

fn first_word(i: &mut Instruction, version: Version, field: u16, value: u64) -> Option<()> {
    let bit = || u8::try_from(value).ok().filter(|bit| *bit < 2);
    match *InstructionWord::LAYOUT.fields.get(usize::from(field))? {
        InstructionWord::opcode => {
            let number = u16::try_from(value).ok()?;
            let new = Opcode::from_number(number)?;
            // The new opcode must give the operand words the same roles.
            let same = i.op().is_some_and(|old| old.operands(version) == new.operands(version));
            let declares = |op: Opcode| op.row().kind == Kind::Declaration;
            if !same || declares(new) != i.op().is_some_and(declares) {
                return None;
            }
            i.opcode = number;
        }
        InstructionWord::control => i.control = u8::try_from(value).ok()?,
        // Setting this bit inserts a predicate, clearing it removes the predicate.
        InstructionWord::predicated => {
            let declares = i.op().is_none_or(|op| op.row().kind == Kind::Declaration);
            if !version.has_lengths() || declares {
                return None;
            }
            i.predicated = bit()?;
            i.predicate = match (i.predicated, i.predicate) {
                (0, _) => None,
                (_, None) => Some(Source::register(File::Predicate, 0, Source::XYZW)),
                (_, kept) => kept,
            };
        }
        InstructionWord::zero29 => i.zero29 = bit()?,
        InstructionWord::coissue => i.coissue = bit()?,
        InstructionWord::zero31 => i.zero31 = bit()?,
        // The remaining field, the length, is derived and cannot be set.
        _ => return None,
    }
    Some(())
}

/// Returns the edits that apply to the program, ordered for minimisation: data outside the instructions, removals from large to small, simpler
/// operands and operations, and finally edits that do not shrink the program.
pub fn edits(program: &Program) -> Vec<Edit> {
    let len = exact::<u32, _>(program.instructions.len());
    let mut all = edits_outside_instructions(program);
    all.extend(removals(&program.instructions, block_role));
    let fixed = all.len();
    for (at, i) in program.instructions.iter().enumerate() {
        simplify(program, exact::<u32, _>(at), i, &mut all);
        all.extend(facet_edits(program, exact::<u32, _>(at), i));
    }
    // Removals have already been checked. Whether a field edit applies depends only on the instruction at its position.
    let mut at = 0;
    all.retain(|edit| {
        at += 1;
        at <= fixed || field_applies(program, edit)
    });
    let has_room = has_room(program);
    all.extend((0..len).flat_map(|at| swaps_and_copies_of(program, at, has_room)));
    all.extend(version_edits(program));
    all
}

/// Returns the edits that remove the tail, and those that remove a comment, from the last comment to the first.
fn edits_outside_instructions(program: &Program) -> Vec<Edit> {
    let at = exact::<u32, _>(program.instructions.len());
    let tail = (!program.tail.is_empty()).then_some(Edit::Field { at, field: TAIL_FIELD, value: 0 });
    let comments = (0..program.comments.len() as u64).rev();
    tail.into_iter().chain(comments.map(|value| Edit::Field { at, field: COMMENT_FIELD, value })).collect()
}

/// Returns the edits that change the version to another version of the same stage.
fn version_edits(program: &Program) -> impl Iterator<Item = Edit> {
    let at = exact::<u32, _>(program.instructions.len());
    let versions = Profile::ALL.iter().filter(|p| p.stage() == program.version.stage);
    let changed =
        versions.map(move |p| Edit::Field { at, field: VERSION_FIELD, value: p.version().number().into() });
    changed.filter(|edit| apply(program, edit).is_some())
}

/// Whether the program is small enough to insert another instruction of any length.
fn has_room(program: &Program) -> bool {
    encode::encode(program).len() + 64 <= MAX_FILE_SIZE
}

/// Returns those edits of [`swap_and_copies`] that apply to an instruction.
fn swaps_and_copies_of(program: &Program, at: u32, has_room: bool) -> impl Iterator<Item = Edit> {
    let (index, all) = (at as usize, &program.instructions);
    let swaps =
        matches!(all.get(index..index + 2), Some([a, b]) if a != b && block_role(a).may_swap(&block_role(b)));
    let copies = has_room && block_role(&all[index]) == BlockRole::None;
    swap_and_copies(at, exact::<u32, _>(all.len())).into_iter().filter(move |edit| match edit {
        Edit::Swap { .. } => swaps,
        _ => copies,
    })
}

/// Returns the number of positions at which edits begin: one per instruction, and one for the version and data outside the instructions.
pub fn positions(program: &Program) -> u32 {
    exact::<u32, _>(program.instructions.len()) + 1
}

/// The maximum number of edits that begin at one position.
pub const MAX_EDITS: usize = 128;

/// Returns the edits that begin at an instruction, or, at the last position, those of the whole program. Unlike those of [`edits`], some of
/// these edits may not apply.
pub fn edits_at(program: &Program, at: u32) -> Vec<Edit> {
    let Some(i) = program.instructions.get(at as usize) else {
        let is_end = at as usize == program.instructions.len();
        return if is_end {
            edits_outside_instructions(program).into_iter().chain(version_edits(program)).collect()
        } else {
            Vec::new()
        };
    };
    let mut all = Vec::with_capacity(MAX_EDITS);
    simplify(program, at, i, &mut all);
    all.extend(
        facets::TABLE.simplifications(&alone(program, i), 0).into_iter().map(|edit| with_position(edit, at)),
    );
    all.extend(removals_at(&program.instructions, at as usize, block_role));
    all.extend(swap_and_copies(at, exact::<u32, _>(program.instructions.len())));
    all
}

fn field_applies(program: &Program, edit: &Edit) -> bool {
    // Facet edits need no check here: their setters have already been applied.
    let Edit::Field { at, field, value } = *edit else { return matches!(edit, Edit::Facet { .. }) };
    let old = &program.instructions[at as usize];
    set(old, program.version, field, value)
        .is_some_and(|new| new != *old && block_role(&new) == block_role(old))
}

/// Appends edits that simplify the operands, and edits that replace the operation with another of the same kind.
fn simplify(program: &Program, at: u32, i: &Instruction, all: &mut Vec<Edit>) {
    // Facets cover only operands of arithmetic, but other operands have modifiers and swizzles too. Fields that determine the role of other fields
    // are kept.
    use InstructionWord as I;
    let kept = |field: &Field| matches!(*field, I::opcode | I::length);
    all.extend(field_resets(at, 0, &I::LAYOUT, [i.first_word(0).to_word(), 0], kept));
    if let Some(dest) = &i.dest {
        let field = |mask: u8| Edit::Field { at, field: MASK_FIELD, value: mask.into() };
        all.extend(fewer_components(dest.mask).map(field));
        use DestWord as D;
        let kept = |field: &Field| matches!(*field, D::mask | D::type_high | D::type_low | D::one31);
        all.extend(field_resets(at, DEST_FIELD, &D::LAYOUT, [dest.to_word(), 0], kept));
    }
    let predicate = i.predicate.iter().map(|source| (PREDICATE_FIELD, source));
    let numbers = (SOURCE_FIELD..).step_by(usize::from(SOURCE_FIELDS));
    for (first, source) in predicate.chain(numbers.zip(&i.sources)) {
        use SourceWord as S;
        let plain = 0.with(&S::swizzle, &u32::from(Source::XYZW));
        let kept = |field: &Field| matches!(*field, S::type_high | S::type_low | S::one31);
        all.extend(field_resets(at, first, &S::LAYOUT, [source.to_word(), plain], kept));
    }
    let mut field = |field: u16, value: u64| all.push(Edit::Field { at, field, value });
    for k in 0..exact::<u16, _>(i.immediates.len()) {
        field(IMMEDIATE_FIELD + k, 0);
    }
    let Some(op) = i.op() else { return };
    let profile = program.version.profile();
    for row in TABLE {
        let here = profile.is_none_or(|p| row.versions.has(p));
        if here && row.kind == op.row().kind && row.opcode != op {
            field(OPCODE_FIELD, u64::from(row.number));
        }
    }
}

/// Returns edits that set a facet to a simpler value, if its setter accepts it. The setter is applied to a program of this instruction alone, so that
/// the total time is linear in the number of instructions.
fn facet_edits(program: &Program, at: u32, i: &Instruction) -> impl Iterator<Item = Edit> {
    let alone = alone(program, i);
    let simpler = facets::TABLE.simplifications(&alone, 0).into_iter();
    simpler.filter(move |edit| apply(&alone, edit).is_some()).map(move |edit| with_position(edit, at))
}

/// Returns a program that consists of this instruction.
fn alone(program: &Program, i: &Instruction) -> Program {
    Program {
        version: program.version,
        instructions: vec![i.clone()],
        comments: Vec::new(),
        tail: Vec::new(),
    }
}

/// Returns a facet edit moved to another instruction.
fn with_position(edit: Edit, at: u32) -> Edit {
    match edit {
        Edit::Facet { unit, facet, value, .. } => Edit::Facet { at, unit, facet, value },
        other => other,
    }
}
