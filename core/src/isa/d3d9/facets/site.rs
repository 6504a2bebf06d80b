//! Instructions as sites: reading and changing the instruction at one.

use super::super::decode::MAX_FILE_SIZE;
use super::super::encode::encode;
use super::super::opcode::{Kind, Opcode};
use super::super::program::{Instruction, Program, Version};
use crate::isa::facet::{Site, Sited};

/// Maximum number of words after the first word of an instruction, in version 2 and later.
const MAX_WORDS: usize = 15;

/// Whether an instruction has an observable effect: it is not a declaration, definition, label, `nop` or `phase`.
fn acts(op: Opcode) -> bool {
    op.row().kind != Kind::Declaration && !matches!(op, Opcode::Nop | Opcode::Label)
}

/// The instruction of a site and its opcode, if it has an effect.
pub(super) fn at(program: &Program, site: Site) -> Option<(&Instruction, Opcode)> {
    let i = program.instructions.get(site.word as usize).filter(|_| site.unit == 0)?;
    Some((i, i.op().filter(|op| acts(*op))?))
}

/// The mnemonic at a site, even if it has no effect.
pub(super) fn opcode(program: &Program, site: Site) -> Option<&'static str> {
    let i = program.instructions.get(site.word as usize).filter(|_| site.unit == 0)?;
    Some(i.op()?.row().mnemonic)
}

/// Whether an instruction has exactly the words that its opcode needs, so that each of them can be changed.
fn is_whole(i: &Instruction, version: Version) -> bool {
    let fits = !version.has_lengths() || i.length() <= MAX_WORDS;
    fits && i.is_complete(version) && (i.predicated != 0) == i.predicate.is_some()
}

/// The program with a changed instruction, which must be complete before and after the change.
pub(super) fn change(
    program: &Program,
    site: Site,
    how: impl FnOnce(&mut Instruction, Opcode) -> Option<()>,
) -> Option<Sited<Program>> {
    let (old, op) = at(program, site).filter(|(i, _)| is_whole(i, program.version))?;
    let mut new = old.clone();
    how(&mut new, op).filter(|()| is_whole(&new, program.version))?;
    let mut made = program.clone();
    made.instructions[site.word as usize] = new;
    Some((made, site))
}

/// Inserts an instruction before this one, if it fits.
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
