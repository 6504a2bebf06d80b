//! Edits: small changes to programs, for mutation and minimisation.
//!
//! Words are numbered as in [`Program::find`]: the clauses of a shader, then its slots. A field is numbered by its index in the word's layout. When
//! words are inserted or removed, the addresses of clauses and slots are adjusted. Removing a clause also removes the slots that only this clause
//! runs. Encoding and decoding an edited program always returns the same program.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod forward;
mod redirect;
mod strip;

pub use forward::forwarded;
pub use redirect::redirected;
pub use strip::strip;

use super::container::resize_xenos;
use super::decode::{self, Runs, kinds};
use super::encode::{encode, to_dwords};
use super::facets::{self, TABLE};
use super::opcode::{CfOp, ScalarOp, VectorOp};
use super::program::{
    Alloc, Alu, Branch, Clause, Exec, Kind, LoopEnd, LoopStart, Mode, Plain, Program, Shader, Slot, Texture,
    Vertex,
};
use super::word::{ExecWithoutBool, MAX_RUN};
use crate::binary::{Bits, Field, Layout, exact};
use crate::isa::Edit;
use crate::isa::edit::{aligned_runs, aligned_runs_at, swap_and_copies};
use crate::isa::facet::Site;

/// Applies an edit. Returns `None` if the edit does not apply: it is out of range, mixes clauses and slots, changes nothing, removes the last clause,
/// implicitly changes where the clauses end, inserts words to set a facet, or has a result that a field of a clause or the container cannot
/// represent.
pub fn apply(program: &Program, edit: &Edit) -> Option<Program> {
    let word = match *edit {
        Edit::Remove { at, .. } | Edit::Swap { at } | Edit::Field { at, .. } => at,
        Edit::Copy { from, .. } => from,
        Edit::Facet { at, unit, facet, value } => {
            let (made, _) = TABLE.set(program, Site { word: at, unit }, facet, value)?;
            // An edit that inserts words, or needs a container to state the stage, is not a simplification.
            let is_alike = made.words() == program.words() && made.kind == program.kind;
            return (is_alike && made != *program).then_some(made);
        }
    };
    let (k, at) = program.locate(word)?;
    let before = &program.shaders[k];
    let mut shader = before.clone();
    let clauses = shader.clauses.len();
    // Converts the second word number of an edit to an index within the shader.
    let local = |other: u32| Some(exact::<u32, _>(at).checked_add(other)?.checked_sub(word)? as usize);
    match *edit {
        Edit::Remove { count, .. } => {
            let end = at.checked_add(count as usize)?;
            if count == 0 || end > shader.words() || (at < clauses) != (end <= clauses) {
                return None;
            }
            if at < clauses {
                remove_clauses(&mut shader, at, end)?;
            } else {
                remove_slots(&mut shader, at - clauses, end - clauses);
            }
        }
        Edit::Swap { .. } if at + 1 < clauses => shader.clauses.swap(at, at + 1),
        Edit::Swap { .. } if at >= clauses && at + 1 < shader.words() => {
            swap_slots(&mut shader, at - clauses);
        }
        Edit::Swap { .. } => return None,
        Edit::Copy { at: to, .. } => {
            let to = local(to)?;
            if at < clauses && to <= clauses {
                copy_clause(&mut shader, at, to)?;
            } else {
                copy_slot(&mut shader, at.checked_sub(clauses)?, to.checked_sub(clauses)?)?;
            }
        }
        Edit::Field { field, value, .. } => set_field(&mut shader, at, field, value)?,
        Edit::Facet { .. } => return None,
    }
    if shader.clauses.is_empty() {
        return None;
    }
    let words = to_dwords(&shader);
    let read = decode::from_dwords(&words);
    // An edit may turn raw slots into typed ones and back, but must not turn slots into clauses.
    if read.clauses != shader.clauses || read.slots.len() != shader.slots.len() {
        return None;
    }
    let mut edited = program.clone();
    edited.shaders[k] = Shader { stage: before.stage, ..read };
    if edited.shaders[k] == *before {
        return None;
    }
    if program.kind == Kind::Bare {
        return Some(edited);
    }
    if words.len() != 3 * (before.clauses.len() / 2 + before.slots.len()) + before.tail.len() {
        if program.kind == Kind::Xenos {
            resize_xenos(&mut edited, 4 * words.len())?;
        } else {
            return None;
        }
    }
    decode::decode(&encode(&edited)).ok().filter(|read| *read == edited)
}

/// Calls `change` for each clause that runs slots.
pub(super) fn each_exec(shader: &mut Shader, mut change: impl FnMut(&mut Exec)) {
    for clause in &mut shader.clauses {
        if let Clause::Exec(e) = clause {
            change(e);
        }
    }
}

/// Calls `change` for each clause address that a clause contains.
pub(super) fn each_target(shader: &mut Shader, mut change: impl FnMut(&mut u16)) {
    for clause in &mut shader.clauses {
        match clause {
            Clause::LoopStart(l) => change(&mut l.addr),
            Clause::LoopEnd(l) => change(&mut l.addr),
            Clause::Branch(b) if b.opcode != CfOp::Return as u8 => change(&mut b.addr),
            _ => {}
        }
    }
}

/// Makes the number of clauses even by removing a trailing NOP or adding one, and adjusts the slots' addresses if the clauses no longer take `area`
/// slots. Fails if an address no longer fits its field.
#[must_use]
pub(super) fn pad_and_relocate(shader: &mut Shader, area: usize) -> Option<()> {
    if !shader.clauses.len().is_multiple_of(2) {
        if shader.clauses.last().is_some_and(|c| c.to_word() == 0) {
            shader.clauses.pop();
        } else {
            shader.clauses.push(Clause::from_word(0));
        }
    }
    let now = shader.clauses.len() / 2;
    let fits = |addr: &u16| u128::from(*addr) <= Exec::addr.max();
    let mut moved = Some(());
    each_exec(shader, |e| {
        let addr = usize::from(e.addr);
        if addr >= area {
            match u16::try_from(addr + now - area).ok().filter(fits) {
                Some(addr) => e.addr = addr,
                None => moved = None,
            }
        }
    });
    moved
}

fn remove_clauses(shader: &mut Shader, start: usize, end: usize) -> Option<()> {
    let area = shader.clauses.len() / 2;
    let before = kinds(&shader.clauses, area + shader.slots.len());
    shader.clauses.drain(start..end);
    each_target(shader, |target| match usize::from(*target) {
        t if t >= end => *target = exact(t - (end - start)),
        t if t > start => *target = exact(start),
        _ => {}
    });
    remove_newly_unreachable_slots(shader, area, &before);
    pad_and_relocate(shader, area)
}

/// Removes the slots that clauses ran according to `before` and that no clause runs now. `area` is the slot address of the first slot after the
/// clauses.
fn remove_newly_unreachable_slots(shader: &mut Shader, area: usize, before: &[Runs]) {
    let mut run = vec![false; shader.slots.len()];
    each_exec(shader, |e| {
        for slot in usize::from(e.addr)..usize::from(e.addr) + usize::from(e.slot_count()) {
            if let Some(run) = slot.checked_sub(area).and_then(|slot| run.get_mut(slot)) {
                *run = true;
            }
        }
    });
    // For each slot, the number of removed slots before it.
    let mut gone = Vec::with_capacity(run.len() + 1);
    gone.push(0);
    for (run, before) in run.iter().zip(before) {
        let goes = !run && *before != Runs::default();
        gone.push(gone[gone.len() - 1] + usize::from(goes));
    }
    let mut at = 0;
    shader.slots.retain(|_| {
        at += 1;
        gone[at] == gone[at - 1]
    });
    each_exec(shader, |e| {
        let addr = usize::from(e.addr);
        e.addr = exact(addr - gone[addr.saturating_sub(area).min(gone.len() - 1)]);
    });
}

fn remove_slots(shader: &mut Shader, start: usize, end: usize) {
    let area = shader.clauses.len() / 2;
    remove_from(shader, area, start, end);
}

/// Removes the slots from `start` to `end`. `area` is the slot address of the first slot after the clauses.
fn remove_from(shader: &mut Shader, area: usize, start: usize, end: usize) {
    shader.slots.drain(start..end);
    each_exec(shader, |e| {
        let addr = usize::from(e.addr);
        let mut modes = e.modes();
        // In descending order, so that the indices of earlier slots stay valid.
        for slot in (addr.max(area + start)..(addr + usize::from(MAX_RUN)).min(area + end)).rev() {
            let k = slot - addr;
            if k < usize::from(e.slot_count()) {
                modes.copy_within(k + 1.., k);
                modes[modes.len() - 1] = Mode::default();
                e.cnt -= 1;
            }
        }
        e.set_modes(modes);
        e.addr -= exact::<u16, _>(addr.saturating_sub(area + start).min(end - start));
    });
}

/// Swaps a slot with the next one, together with their kinds in SEQ of the clauses that run them.
fn swap_slots(shader: &mut Shader, at: usize) {
    let slot = shader.clauses.len() / 2 + at;
    let fetch = [at, at + 1].map(|k| matches!(shader.slots[k], Slot::Vertex(_) | Slot::Texture(_)));
    shader.slots.swap(at, at + 1);
    each_exec(shader, |e| {
        let mut modes = e.modes();
        for (address, is_fetch) in [(slot, fetch[1]), (slot + 1, fetch[0])] {
            if let Some(k) =
                address.checked_sub(usize::from(e.addr)).filter(|k| *k < usize::from(e.slot_count()))
            {
                modes[k].fetch = is_fetch;
            }
        }
        e.set_modes(modes);
    });
}

fn copy_clause(shader: &mut Shader, from: usize, to: usize) -> Option<()> {
    let area = shader.clauses.len() / 2;
    let clause = shader.clauses[from];
    shader.clauses.insert(to, clause);
    let mut fits = true;
    each_target(shader, |target| {
        if usize::from(*target) > to {
            fits &= u128::from(*target) < Branch::addr.max();
            *target += u16::from(fits);
        }
    });
    pad_and_relocate(shader, area).filter(|()| fits)
}

/// Inserts a copy of slot `from` before slot `to`. The clauses that run slot `to` also run the copy; if there are none, the clauses whose slots
/// end directly before `to` do. Fails if there is no such clause, or if one of them already runs six slots.
fn copy_slot(shader: &mut Shader, from: usize, to: usize) -> Option<()> {
    let area = shader.clauses.len() / 2;
    let slot = *shader.slots.get(from)?;
    let fetch = match slot {
        Slot::Alu(_) => false,
        Slot::Vertex(_) | Slot::Texture(_) => true,
        Slot::Raw(_) => return None,
    };
    if to > shader.slots.len() {
        return None;
    }
    let address = area + to;
    // A clause that runs the slot at this position, or if there is none, a clause whose slots end there.
    let within =
        |e: &Exec| address.checked_sub(usize::from(e.addr)).filter(|k| *k < usize::from(e.slot_count()));
    let ends_there = |e: &Exec| {
        (e.cnt > 0 && usize::from(e.addr) + usize::from(e.slot_count()) == address)
            .then(|| usize::from(e.slot_count()))
    };
    let execs = || shader.clauses.iter().filter_map(|c| if let Clause::Exec(e) = c { Some(e) } else { None });
    let inside = execs().any(|e| within(e).is_some());
    let takes = |e: &Exec| if inside { within(e) } else { ends_there(e) };
    if execs().any(|e| takes(e).is_some() && e.cnt >= MAX_RUN) || !execs().any(|e| takes(e).is_some()) {
        return None;
    }
    shader.slots.insert(to, slot);
    let mut fits = true;
    each_exec(shader, |e| {
        if let Some(k) = takes(e) {
            // The last element of `modes` describes a slot that the clause does not run.
            let mut modes = e.modes();
            modes[k..].rotate_right(1);
            modes[k] = Mode { fetch, ..Mode::default() };
            e.set_modes(modes);
            e.cnt += 1;
        } else if usize::from(e.addr) >= address {
            fits &= u128::from(e.addr) < Exec::addr.max();
            e.addr += u16::from(fits);
        }
    });
    fits.then_some(())
}

// ---- fields

/// Returns the layout of a clause.
fn clause_layout(clause: &Clause) -> &'static Layout {
    match clause {
        Clause::Plain(_) => &Plain::LAYOUT,
        Clause::Exec(e) if e.op().tests_bool() => &Exec::LAYOUT,
        Clause::Exec(_) => &ExecWithoutBool::LAYOUT,
        Clause::LoopStart(_) => &LoopStart::LAYOUT,
        Clause::LoopEnd(_) => &LoopEnd::LAYOUT,
        Clause::Branch(_) => &Branch::LAYOUT,
        Clause::Alloc(_) => &Alloc::LAYOUT,
    }
}

/// Returns the layout and the word of a slot; `None` for raw slots.
fn slot_layout(slot: &Slot) -> Option<(&'static Layout, u128)> {
    match slot {
        Slot::Alu(alu) => Some((&Alu::LAYOUT, alu.to_word())),
        Slot::Vertex(v) => Some((&Vertex::LAYOUT, v.to_word())),
        Slot::Texture(t) => Some((&Texture::LAYOUT, t.to_word())),
        Slot::Raw(_) => None,
    }
}

fn replaced(word: u128, layout: &Layout, field: u16, value: u64) -> Option<u128> {
    let field = layout.fields.get(usize::from(field))?;
    field.replace_in(word, u128::from(value))
}

fn set_field(shader: &mut Shader, at: usize, field: u16, value: u64) -> Option<()> {
    let clauses = shader.clauses.len();
    if let Some(clause) = shader.clauses.get_mut(at) {
        let word = replaced(u128::from(clause.to_word()), clause_layout(clause), field, value)?;
        *clause = Clause::from_word(exact::<u64, _>(word));
        return Some(());
    }
    let slot = shader.slots.get_mut(at - clauses)?;
    let (layout, word) = slot_layout(slot)?;
    let word = replaced(word, layout, field, value)?;
    *slot = match slot {
        Slot::Alu(_) => Slot::Alu(Alu::from_word(word)),
        // The opcode selects the layout.
        _ if word.get(&Vertex::opcode) == 0 => Slot::Vertex(Vertex::from_word(word)),
        _ => Slot::Texture(Texture::from_word(word)),
    };
    Some(())
}

/// The maximum number of words of a program for which [`edits`] checks that all edits apply. There are about sixty edits per word, and checking each
/// takes time proportional to the program's length, while a mutator applies only one.
pub const MAX_CHECKED_WORDS: u32 = 32;

/// Lists edits in an order that suits minimisation: removals of clauses and of slots, from large to small, then simpler fields and operations, then
/// edits that do not shrink the program. For a program of at most [`MAX_CHECKED_WORDS`] words, every returned edit applies.
pub fn edits(program: &Program) -> Vec<Edit> {
    let mut all = Vec::new();
    let mut last = Vec::new();
    for (first, shader) in program.shaders_from() {
        let (clauses, slots) = (exact::<u32, _>(shader.clauses.len()), exact::<u32, _>(shader.slots.len()));
        for (start, len) in [(first, clauses), (first + clauses, slots)] {
            all.extend(
                aligned_runs(len as usize).map(|run| Edit::Remove {
                    at: start + exact::<u32, _>(run.start),
                    count: exact(run.len()),
                }),
            );
            last.extend((start..start + len).flat_map(|at| swap_and_copies(at, start + len)));
        }
    }
    for (first, alone) in facets::shaders(program) {
        for at in 0..alone.words() {
            add_simplifications(program, (first, &alone), at, &mut all);
        }
    }
    all.extend(last);
    if program.words() <= MAX_CHECKED_WORDS {
        all.retain(|edit| apply(program, edit).is_some());
    }
    all
}

/// Returns the number of positions at which edits begin, one per clause or slot.
pub fn positions(program: &Program) -> u32 {
    program.words()
}

/// The maximum number of edits at one position.
pub const MAX_EDITS: usize = 96;

/// Lists the edits that begin at a word: those in [`edits`], and some that do not apply.
pub fn edits_at(program: &Program, word: u32) -> Vec<Edit> {
    let Some((k, at)) = program.locate(word) else { return Vec::new() };
    let shader = &program.shaders[k];
    let first = word - exact::<u32, _>(at);
    // Removals and moves stay among the clauses or among the slots.
    let clauses = shader.clauses.len();
    let area = if at < clauses { 0..clauses } else { clauses..shader.words() };
    let runs = aligned_runs_at(area.len(), at - area.start);
    let mut all = Vec::with_capacity(MAX_EDITS);
    all.extend(runs.map(|run| Edit::Remove { at: word, count: exact(run.len()) }));
    let single = facets::program_of_shader(program, shader);
    add_simplifications(program, (first, &single), exact::<u32, _>(at), &mut all);
    all.extend(swap_and_copies(word, first + exact::<u32, _>(area.end)));
    all
}

/// Adds edits to simpler fields and simpler facet values of a word. The shader is given by the number of its first word, and as a program of its own.
fn add_simplifications(program: &Program, (first, alone): (u32, &Program), at: u32, all: &mut Vec<Edit>) {
    let (shader, index) = (&alone.shaders[0], at as usize);
    if let Some(clause) = shader.clauses.get(index) {
        add_field_edits(first + at, clause_layout(clause), u128::from(clause.to_word()), all);
    } else if let Some((layout, word)) = slot_layout(&shader.slots[index - shader.clauses.len()]) {
        add_field_edits(first + at, layout, word, all);
    }
    let moved = |edit| match edit {
        Edit::Facet { at, unit, facet, value } => Edit::Facet { at: first + at, unit, facet, value },
        other => other,
    };
    let values = TABLE.simplifications(alone, at).into_iter();
    all.extend(values.filter(|edit| !needs_container(program, edit)).map(moved));
}

/// Whether an edit sets the stage of bare words. Only a container can state the stage, so such an edit would add a container and simplify nothing.
fn needs_container(program: &Program, edit: &Edit) -> bool {
    let Edit::Facet { facet, .. } = *edit else { return false };
    let name = TABLE.facets.get(usize::from(facet)).map(|facet| facet.name);
    program.kind == Kind::Bare && name == Some(facets::STAGE)
}

/// The opcodes of halves without effect, which replace other opcodes.
const FILLERS: [(Field, u64); 4] = [
    (Alu::vop, VectorOp::Max as u64),
    (Alu::vop, VectorOp::Add as u64),
    (Alu::sop, ScalarOp::RetainPrev as u64),
    (Alu::sop, ScalarOp::Maxs as u64),
];

/// Whether a field is the opcode of a clause, of a fetch, or of a half of an ALU slot.
fn is_opcode(field: &Field) -> bool {
    [Plain::opcode.name, Alu::vop.name, Alu::sop.name].contains(&field.name)
}

/// Adds edits that set a field to 0 or halve it, and edits that replace the opcodes of ALU halves by fillers. Other edits of opcodes would select
/// unrelated operations. Counts are only halved, because other fields depend on them.
fn add_field_edits(at: u32, layout: &Layout, word: u128, all: &mut Vec<Edit>) {
    for (k, field) in layout.fields.iter().enumerate() {
        if is_opcode(field) {
            continue;
        }
        let value = exact::<u64, _>(word.get(field));
        if field.name != Exec::cnt.name && value != 0 {
            all.push(Edit::Field { at, field: exact(k), value: 0 });
        }
        if field.width > 2 && value > 1 {
            all.push(Edit::Field { at, field: exact(k), value: value / 2 });
        }
    }
    for (field, value) in &FILLERS {
        if let Some(number) = layout.find_index(field)
            && word.get(field) != u128::from(*value)
        {
            all.push(Edit::Field { at, field: number, value: *value });
        }
    }
}
