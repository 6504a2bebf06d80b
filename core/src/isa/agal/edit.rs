//! Edits of programs, for mutation and minimisation.
//!
//! Fields are numbered within a token: first those of the destination word, then those of the first source, then those of the second source or
//! sampler, each in the order of its layout in [`super::word`]. The last number, [`OPCODE_FIELD`], is the opcode.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod excerpt;
mod forward;
mod redirect;

pub(super) use excerpt::excerpts;
pub(super) use forward::forwarded;
pub(super) use redirect::redirected;

use super::decode::MAX_FILE_SIZE;
use super::facets::TABLE as FACETS;
use super::opcode::{Opcode, Shape, TABLE};
use super::program::{Dest, Program, Sampler, Source, SourceOrSampler, Token};
use super::word::{HEADER, TOKEN};
use crate::binary::{Field, FieldKind, exact};
use crate::isa::Edit;
use crate::isa::edit::{
    BlockRole, fewer_components, field_resets, is_balanced, removals, removals_at, swap_and_copies,
};
use crate::isa::facet::Site;

/// Number of the first field of the destination.
pub const DEST_FIELD: u16 = 0;
/// Number of the first field of the first source.
pub const A_FIELD: u16 = DEST_FIELD + Dest::LAYOUT.field_count();
/// Number of the first field of the second source, or sampler.
pub const B_FIELD: u16 = A_FIELD + Source::LAYOUT.field_count();
/// Number of the opcode field. The opcode is numbered after the fields of a sampler, which has more fields than a second source.
pub const OPCODE_FIELD: u16 = B_FIELD + Sampler::LAYOUT.field_count();

/// Returns the role of a token in block structure.
fn block_role(token: &Token) -> BlockRole<()> {
    match token.op() {
        Some(Opcode::Els) => BlockRole::Else,
        Some(Opcode::Eif) => BlockRole::Close(()),
        Some(op) if op.row().shape == Shape::Compare => BlockRole::Open(()),
        _ => BlockRole::None,
    }
}

/// Applies an edit. Returns `None` if the edit is out of range, changes nothing, unbalances blocks, changes the header or inserts instructions to set
/// a facet, or results in an empty program or one too long to be decoded.
pub fn apply(program: &Program, edit: &Edit) -> Option<Program> {
    let tokens = &program.tokens;
    let len = tokens.len();
    let mut edited;
    match *edit {
        Edit::Remove { at, count } => {
            let range = at as usize..(at as usize).checked_add(count as usize)?;
            let removed = tokens.get(range.clone())?;
            if removed.is_empty() || removed.len() == len || !is_balanced(removed, block_role) {
                return None;
            }
            edited = [&tokens[..range.start], &tokens[range.end..]].concat();
        }
        Edit::Swap { at } => {
            let (a, b) = (tokens.get(at as usize)?, tokens.get(at as usize + 1)?);
            if a == b || !block_role(a).may_swap(&block_role(b)) {
                return None;
            }
            edited = tokens.clone();
            edited.swap(at as usize, at as usize + 1);
        }
        Edit::Copy { from, at } => {
            let token = *tokens.get(from as usize)?;
            if at as usize > len
                || block_role(&token) != BlockRole::None
                || len >= (MAX_FILE_SIZE - HEADER) / TOKEN
            {
                return None;
            }
            edited = tokens.clone();
            edited.insert(at as usize, token);
        }
        Edit::Field { at, field, value } => {
            let token = tokens.get(at as usize)?;
            let changed = set(token, field, value)?;
            if changed == *token || block_role(&changed) != block_role(token) {
                return None;
            }
            edited = tokens.clone();
            edited[at as usize] = changed;
        }
        Edit::Facet { at, unit, facet, value } => {
            let token = tokens.get(at as usize)?;
            let changed = set_facet(program, token, [unit, facet, value])?;
            edited = tokens.clone();
            edited[at as usize] = changed;
        }
    }
    Some(Program { tokens: edited, ..*program })
}

/// Sets a facet of a token. Returns `None` if the token stays the same, or if the setter changes the header or inserts instructions. Setters read
/// only the header and their own instruction, so they can be applied to a program of this token alone.
fn set_facet(program: &Program, token: &Token, [unit, facet, value]: [u8; 3]) -> Option<Token> {
    let alone = Program { tokens: vec![*token], ..*program };
    let (made, site) = FACETS.set(&alone, Site { word: 0, unit }, facet, value)?;
    let keeps_header = (made.version, made.stage, made.tokens.len()) == (program.version, program.stage, 1);
    made.tokens.get(site.word as usize).filter(|changed| keeps_header && *changed != token).copied()
}

/// Sets a field of a token. If a source becomes direct, its offset and index are set to zero, because other values are not allowed.
fn set(token: &Token, field: u16, value: u64) -> Option<Token> {
    let mut token = *token;
    let source = |source: &Source, field: u16| -> Option<Source> {
        let layout = Source::LAYOUT.fields.get(usize::from(field))?;
        let mut changed = Source::from_word(layout.replace_in(source.to_word(), value)?);
        if source.indirect != 0 && changed.indirect == 0 {
            changed.read_directly();
        }
        Some(changed)
    };
    if field == OPCODE_FIELD {
        token.opcode = u32::try_from(value).ok()?;
        let word = match &token.b {
            SourceOrSampler::Source(s) => s.to_word(),
            SourceOrSampler::Sampler(s) => s.to_word(),
        };
        token.b = if token.op().is_some_and(Opcode::has_sampler) {
            SourceOrSampler::Sampler(Sampler::from_word(word))
        } else {
            SourceOrSampler::Source(Source::from_word(word))
        };
    } else if field >= B_FIELD {
        token.b = match &token.b {
            SourceOrSampler::Source(s) => SourceOrSampler::Source(source(s, field - B_FIELD)?),
            SourceOrSampler::Sampler(s) => {
                let layout = Sampler::LAYOUT.fields.get(usize::from(field - B_FIELD))?;
                SourceOrSampler::Sampler(Sampler::from_word(layout.replace_in(s.to_word(), value)?))
            }
        };
    } else if field >= A_FIELD {
        token.a = source(&token.a, field - A_FIELD)?;
    } else {
        let layout = Dest::LAYOUT.fields.get(usize::from(field - DEST_FIELD))?;
        token.dest = Dest::from_word(layout.replace_in(token.dest.to_word(), u32::try_from(value).ok()?)?);
    }
    Some(token)
}

/// Lists the applicable edits in an order that suits minimisation: removals from large to small, then simpler operands and operations, then edits
/// that do not shrink the program.
pub fn edits(program: &Program) -> Vec<Edit> {
    let mut all = removals(&program.tokens, block_role);
    for (at, token) in program.tokens.iter().enumerate() {
        simplify(program, exact::<u32, _>(at), token, &mut all);
    }
    for at in 0..exact::<u32, _>(program.tokens.len()) {
        all.extend(swap_and_copies(at, exact::<u32, _>(program.tokens.len())));
    }
    // Removals always apply. Whether another edit applies depends on a few tokens only.
    all.retain(|edit| applies(program, edit));
    all
}

/// Returns the number of positions at which edits begin, one per instruction.
pub fn positions(program: &Program) -> u32 {
    exact::<u32, _>(program.tokens.len())
}

/// The maximum number of edits at one position.
pub const MAX_EDITS: usize = 64;

/// Lists the edits that begin at an instruction, including some that do not apply, which [`edits`] leaves out.
pub fn edits_at(program: &Program, at: u32) -> Vec<Edit> {
    let Some(token) = program.tokens.get(at as usize) else { return Vec::new() };
    let mut all = Vec::with_capacity(MAX_EDITS);
    all.extend(removals_at(&program.tokens, at as usize, block_role));
    simplify(program, at, token, &mut all);
    all.extend(swap_and_copies(at, positions(program)));
    all
}

/// Whether [`apply`] would succeed for an edit that [`edits`] considers; computed without building the program.
fn applies(program: &Program, edit: &Edit) -> bool {
    let tokens = &program.tokens;
    match *edit {
        Edit::Remove { .. } => true,
        Edit::Swap { at } => match tokens.get(at as usize..at as usize + 2) {
            Some([a, b]) => a != b && block_role(a).may_swap(&block_role(b)),
            _ => false,
        },
        Edit::Copy { from, .. } => {
            block_role(&tokens[from as usize]) == BlockRole::None
                && tokens.len() < (MAX_FILE_SIZE - HEADER) / TOKEN
        }
        Edit::Field { at, field, value } => {
            let token = &tokens[at as usize];
            set(token, field, value)
                .is_some_and(|changed| changed != *token && block_role(&changed) == block_role(token))
        }
        Edit::Facet { at, unit, facet, value } => {
            set_facet(program, &tokens[at as usize], [unit, facet, value]).is_some()
        }
    }
}

/// Number of the write mask field.
const MASK_FIELD: u16 = DEST_FIELD + Dest::LAYOUT.index_of(&Dest::mask);
/// The index of the swizzle among the fields of a source.
const SWIZZLE: u16 = Source::LAYOUT.index_of(&Source::swizzle);

/// Whether facet edits already cover this numeric field.
fn has_facet(field: &Field) -> bool {
    matches!(*field, Dest::mask | Source::swizzle | Source::index_component)
}

/// Adds edits to simpler operands, to simpler facet values, and to other opcodes with the same operands.
fn simplify(program: &Program, at: u32, token: &Token, all: &mut Vec<Edit>) {
    let Some(op) = token.op() else { return };
    let field = |field: u16, value: u64| Edit::Field { at, field, value };
    // Masks of three or four components lose one component here. Edits of the facet `mask` cover smaller masks.
    let mask = token.dest.mask;
    if op.has_dest() && mask.count_ones() > 2 {
        all.extend(fewer_components(mask).map(|less| field(MASK_FIELD, u64::from(less))));
    }
    all.extend(FACETS.simplifications(program, at));
    // Fields without a facet: register numbers, offsets, and bits that should be zero. The edit to a direct read comes first.
    let kept = |field: &Field| {
        !matches!(field.kind, FieldKind::Reserved | FieldKind::Number | FieldKind::Elements(_))
            || has_facet(field)
    };
    let second = token.b_source().map(|s| (B_FIELD, s));
    for (first, source) in [(A_FIELD, &token.a)].into_iter().chain(second).take(op.sources()) {
        all.extend(field_resets(at, first, &Source::LAYOUT, [source.to_word(), 0], kept).rev());
        // A scalar source that names several components: replicate the first, the only one that is read.
        if matches!(op.row().shape, Shape::Compare | Shape::Kill) && !source.is_replicated() {
            all.push(field(first + SWIZZLE, u64::from(Source::replicated(source.component(0)))));
        }
    }
    if let Some(sampler) = token.sampler() {
        all.extend(field_resets(at, B_FIELD, &Sampler::LAYOUT, [sampler.to_word(), 0], kept).rev());
    }
    all.extend(field_resets(at, DEST_FIELD, &Dest::LAYOUT, [token.dest.to_word(), 0], kept).rev());
    for row in TABLE {
        let here = row.stages.contains(&program.stage) && row.version <= program.version;
        if row.shape == op.row().shape && here && row.opcode != op {
            all.push(field(OPCODE_FIELD, u64::from(row.number)));
        }
    }
}
