//! Reads and changes the instruction at a site.

use super::super::decode::MAX_FILE_SIZE;
use super::super::encode::encode;
use super::super::opcode::{Kind, Opcode};
use super::super::program::{Instruction, Program, Version};
use super::super::word::MAX_LENGTH;
use crate::isa::facet::{Site, Sited};

/// Whether an instruction has an observable effect: it is not a declaration, definition, label, `nop` or `phase`.
fn has_effect(op: Opcode) -> bool {
    op.row().kind != Kind::Declaration && !matches!(op, Opcode::Nop | Opcode::Label)
}

/// Returns the instruction at a site and its opcode, if the instruction has an observable effect.
pub(super) fn at(program: &Program, site: Site) -> Option<(&Instruction, Opcode)> {
    let i = program.instructions.get(site.word as usize).filter(|_| site.unit == 0)?;
    Some((i, i.op().filter(|op| has_effect(*op))?))
}

/// Returns the mnemonic of the instruction at a site, even if the instruction has no observable effect.
pub(super) fn opcode(program: &Program, site: Site) -> Option<&'static str> {
    let i = program.instructions.get(site.word as usize).filter(|_| site.unit == 0)?;
    Some(i.op()?.row().mnemonic)
}

/// Whether an instruction has exactly the words that its opcode and its predicate bit need, and its length fits the length field.
fn is_whole(i: &Instruction, version: Version) -> bool {
    let fits = !version.has_lengths() || i.length() <= MAX_LENGTH;
    fits && i.is_complete(version) && (i.predicated != 0) == i.predicate.is_some()
}

/// Returns the program with one instruction changed. The instruction must be complete both before and after the change.
pub(super) fn change(
    program: &Program,
    site: Site,
    edit: impl FnOnce(&mut Instruction, Opcode) -> Option<()>,
) -> Option<Sited<Program>> {
    let (old, op) = at(program, site).filter(|(i, _)| is_whole(i, program.version))?;
    let mut new = old.clone();
    edit(&mut new, op).filter(|()| is_whole(&new, program.version))?;
    let mut made = program.clone();
    made.instructions[site.word as usize] = new;
    Some((made, site))
}

/// Inserts `i` before the instruction at index `at`; returns `None` if the program would become too large, or `at` is beyond
/// its end.
pub(super) fn insert(program: &mut Program, at: u32, i: Instruction) -> Option<()> {
    let size = encode(program).len() + 4 * (1 + i.length());
    if size > MAX_FILE_SIZE || at as usize > program.instructions.len() {
        return None;
    }
    program.instructions.insert(at as usize, i);
    for comment in program.comments.iter_mut().filter(|comment| comment.before > at) {
        comment.before += 1;
    }
    Some(())
}
