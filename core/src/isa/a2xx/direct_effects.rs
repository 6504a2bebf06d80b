//! The direct effects of words, and of each half of an ALU slot, for [`Refinement`](super::Refinement).

use super::interface::{REGISTERS, fetch_mask};
use super::opcode::{FetchOp, ScalarOp, VectorOp};
use super::program::{Alu, Clause, Program, Slot};
use super::variables::File;
use crate::ir::VarKey;
use crate::isa::{CONTROL, CoverPoint, EFFECTS, KILLED};

/// The possible effects of one half of an ALU slot.
#[allow(clippy::struct_excessive_bools)] // one per kind of effect
struct Half {
    dest: u8,
    relative: bool,
    mask: u8,
    kills: bool,
    predicate: bool,
    a0: bool,
    previous: bool,
}

impl Half {
    fn writes(&self, export: bool, key: VarKey) -> bool {
        let component = self.mask >> key.component & 1 == 1;
        let is = |file: File, component: u8| key.file == file as u8 && key.component == component;
        if key.file == EFFECTS {
            return component;
        }
        if key.file == File::Register as u8 {
            return !export && component && (self.relative || key.index == u16::from(self.dest & 63));
        }
        let kills = key == KILLED || is(File::Flag, 1);
        kills && self.kills
            || is(File::Flag, 0) && self.predicate
            || is(File::Address, 0) && self.a0
            || is(File::Float, 0) && self.previous
    }
}

/// Whether the half that a coverage point describes may write `key`. Always true for [`CONTROL`], and for words that are not ALU slots.
pub(super) fn is_effect_of(program: &Program, word: u32, point: &CoverPoint, key: VarKey) -> bool {
    let Some((shader, at)) = program.find(word) else { return true };
    let slot = at.checked_sub(shader.clauses.len()).and_then(|at| shader.slots.get(at));
    let Some(Slot::Alu(alu)) = slot else { return true };
    if key == CONTROL {
        return true;
    }
    let export = alu.export != 0;
    if alu.vector().is_some_and(|op| op.row().mnemonic == point.opcode) {
        return vector(alu).writes(export, key);
    }
    if alu.scalar().is_some_and(|op| op.row().mnemonic == point.opcode) {
        return scalar(alu).writes(export, key);
    }
    true
}

fn vector(alu: &Alu) -> Half {
    let op = alu.vector();
    Half {
        dest: alu.vdest,
        relative: alu.vdest_rel != 0,
        mask: alu.vmask,
        kills: op.is_some_and(VectorOp::kills),
        predicate: op.is_some_and(VectorOp::sets_predicate),
        a0: op == Some(VectorOp::Mova),
        previous: false,
    }
}

fn scalar(alu: &Alu) -> Half {
    let op = alu.scalar();
    Half {
        dest: alu.sdest,
        relative: alu.sdest_rel != 0,
        mask: alu.smask,
        kills: op.is_some_and(ScalarOp::kills),
        predicate: op.is_some_and(ScalarOp::sets_predicate),
        a0: matches!(op, Some(ScalarOp::Movas | ScalarOp::MovaFloors)),
        previous: op != Some(ScalarOp::RetainPrev),
    }
}

/// Adds the keys of the register components selected by `mask`. A relative destination may be any register.
fn add_registers(number: u8, relative: bool, mask: u8, all: &mut Vec<VarKey>) {
    let numbers = if relative { 0..REGISTERS } else { u16::from(number & 63)..u16::from(number & 63) + 1 };
    for n in numbers {
        all.extend((0..4).filter(|c| mask >> c & 1 == 1).map(|c| File::Register.key(n.into(), c)));
    }
}

fn add_alu_keys(alu: &Alu, all: &mut Vec<VarKey>) {
    let halves = [vector(alu), scalar(alu)];
    if alu.export != 0 {
        let constant = if alu.sdest_rel != 0 { 15 } else { 0 };
        let mask = alu.vmask | alu.smask | constant;
        let effect = |c| VarKey { file: EFFECTS, index: alu.vdest.into(), component: c };
        all.extend((0..4).filter(|c| mask >> c & 1 == 1).map(effect));
    } else {
        for half in &halves {
            add_registers(half.dest, half.relative, half.mask, all);
        }
    }
    let own =
        [KILLED, File::Flag.key(0, 0), File::Flag.key(0, 1), File::Address.key(0, 0), File::Float.key(0, 0)];
    all.extend(own.into_iter().filter(|key| halves.iter().any(|half| half.writes(true, *key))));
}

/// Returns the keys of everything that a word writes directly. [`CONTROL`] is included for clauses, for VERTEX fetches that write no register, and
/// for slots without other effects. The list is empty only if the word does not exist.
pub(super) fn keys(program: &Program, word: u32) -> Vec<VarKey> {
    let mut all = Vec::new();
    let Some((shader, at)) = program.find(word) else { return all };
    match at.checked_sub(shader.clauses.len()).map(|at| shader.slots.get(at)) {
        None => {
            if matches!(shader.clauses.get(at), Some(Clause::LoopStart(_) | Clause::LoopEnd(_))) {
                all.extend((0..4).map(|depth| File::Pass.key(depth, 0)));
            }
            all.push(CONTROL);
        }
        Some(Some(Slot::Alu(alu))) => add_alu_keys(alu, &mut all),
        Some(Some(Slot::Vertex(v))) => {
            add_registers(v.dst, v.dst_rel != 0, fetch_mask(v.dst_swizzle), &mut all);
            if all.is_empty() {
                all.push(CONTROL);
            }
            all.push(File::Fetch.key(0, 0));
        }
        Some(Some(Slot::Texture(t))) => match t.op() {
            Some(FetchOp::SetTexLod) => all.push(File::Float.key(0, 1)),
            Some(FetchOp::SetGradientsH) => all.extend((0..3).map(|c| File::Gradient.key(0, c))),
            Some(FetchOp::SetGradientsV) => all.extend((0..3).map(|c| File::Gradient.key(1, c))),
            _ => add_registers(t.dst, t.dst_rel != 0, fetch_mask(t.dst_swizzle), &mut all),
        },
        Some(Some(Slot::Raw(_)) | None) => {}
    }
    if all.is_empty() {
        all.push(CONTROL);
    }
    all
}
