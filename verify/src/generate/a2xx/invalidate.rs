//! Invalidation of a valid shader: makes one change, which usually violates a rule. For each rule that one change can violate, there is a change.

use super::link::{self, Run};
use crate::generate::Entropy;
use lockstep_core::isa::a2xx::opcode::{CfOp, ScalarOp};
use lockstep_core::isa::a2xx::program::{
    Alloc, Branch, Clause, Exec, INVALID, LoopEnd, LoopStart, Plain, RESULT_SWIZZLE, Shader, Slot, Texture,
    Vertex,
};

/// Undefined fetch opcodes.
const UNKNOWN: [u8; 6] = [2, 7, 15, 20, 23, 27];
/// Formats that no vertex fetch supports.
const NO_FORMATS: [u8; 4] = [18, 19, 45, 63];
/// Export numbers that exist in no stage.
const EXPORTS: [u8; 5] = [16, 31, 38, 60, 20];

pub(super) fn invalidate(e: &mut Entropy<'_>, shader: &mut Shader) {
    match e.weighted(&[34, 34, 20, 12]) {
        0 => in_slot(e, shader),
        1 => in_clause(e, shader),
        2 => with_clauses(e, shader),
        _ => any_bit(e, shader),
    }
}

/// Returns the indices of the slots that satisfy a condition.
fn places(shader: &Shader, which: impl Fn(&Slot) -> bool) -> Vec<usize> {
    (0..shader.slots.len()).filter(|k| which(&shader.slots[*k])).collect()
}

fn in_slot(e: &mut Entropy<'_>, shader: &mut Shader) {
    if shader.slots.is_empty() {
        return;
    }
    let any = e.below(shader.slots.len());
    let exports = places(shader, |slot| matches!(slot, Slot::Alu(alu) if alu.export != 0));
    let fetches = places(shader, |slot| !matches!(slot, Slot::Alu(_)));
    let kind = e.weighted(&[16, 14, 16, 18, 8, 6, 6, 6, 6, 4]);
    let from = match kind {
        2 => &exports,
        3 => &fetches,
        _ => &Vec::new(),
    };
    let at = e.pick(from).copied().unwrap_or(any);
    match &mut shader.slots[at] {
        Slot::Alu(alu) => match kind {
            0 => alu.vop = 30 + e.below(2) as u8,
            1 => alu.sop = [41, 51, 63, 57][e.below(4)],
            2 | 3 => {
                (alu.export, alu.vdest) = (1, EXPORTS[e.below(EXPORTS.len())]);
                alu.vdest_rel = 0;
            }
            4 => (alu.pred_en, alu.pred_cond) = (0, 1),
            5 => alu.abs_const = 1,
            6 => alu.sop = ScalarOp::Killnes as u8,
            7 => (alu.vdest_rel, alu.export) = (1, 1),
            8 => (alu.sdest, alu.vmask, alu.smask) = (alu.vdest, 0xf, 0xf),
            _ => (alu.smask, alu.sdest) = (alu.smask | 1, alu.vdest ^ 1),
        },
        Slot::Vertex(v) => match kind {
            0 => v.const_sub = 3,
            1 => v.one19 = 0,
            3 if e.chance(50) => v.mini_fetch = 1,
            2 | 3 => v.dst_swizzle = RESULT_SWIZZLE.with(v.dst_swizzle, 0, INVALID),
            4 => (v.pred_en, v.pred_cond) = (0, 1),
            5 | 6 => v.format = NO_FORMATS[e.below(NO_FORMATS.len())],
            _ => *v = Vertex { zero54: 1 + e.below(3) as u8, ..*v },
        },
        Slot::Texture(t) => match kind {
            0 => t.opcode = UNKNOWN[e.below(UNKNOWN.len())],
            1 => t.aniso_filter = 6,
            2 => t.arbitrary_filter = 6,
            3 => t.dst_swizzle = RESULT_SWIZZLE.with(t.dst_swizzle, 3, INVALID),
            4 => (t.pred_en, t.pred_cond) = (0, 1),
            _ => *t = Texture { zero73: 1 + e.below(31) as u8, dimension: 3, use_reg_lod: 3, ..*t },
        },
        Slot::Raw(_) => {}
    }
}

fn in_clause(e: &mut Entropy<'_>, shader: &mut Shader) {
    let count = shader.clauses.len();
    let runs: Vec<usize> =
        (0..count).filter(|k| matches!(&shader.clauses[*k], Clause::Exec(x) if x.cnt > 0)).collect();
    let Some(&at) = e.pick(&runs) else { return };
    let end = (count / 2 + shader.slots.len()) as u16;
    let Clause::Exec(exec) = &mut shader.clauses[at] else { return };
    match e.weighted(&[14, 18, 8, 16, 8, 6, 6, 6]) {
        0 => exec.cnt = 7,
        1 => exec.addr = end - u16::from(exec.cnt) + 1 + e.below(3) as u16,
        2 => exec.addr = 0,
        3 => {
            // Runs the same slots as slots of the other kind.
            let (mut other, mut modes) = (Exec { opcode: CfOp::Exec as u8, ..*exec }, exec.modes());
            modes.iter_mut().take(exec.cnt.into()).for_each(|mode| mode.fetch = !mode.fetch);
            other.set_modes(modes);
            if let Some(to) =
                (0..count).find(|k| matches!(&shader.clauses[*k], Clause::Plain(_) | Clause::Alloc(_)))
            {
                shader.clauses[to] = Clause::Exec(other);
            } else {
                exec_again(shader, other);
            }
        }
        4 => {
            let mut modes = exec.modes();
            (modes[5].fetch, modes[5].serial) = (true, true);
            exec.set_modes(modes);
        }
        5 => exec.absolute = 1,
        6 if !exec.op().tests_bool() => exec.bool_addr |= 1 + e.below(0x7f) as u8,
        _ => (exec.addr, exec.cnt, exec.seq) = (600 + e.below(3000) as u16, 0, 0),
    }
}

fn exec_again(shader: &mut Shader, other: Exec) {
    let mut runs = link::runs(shader);
    runs.insert(0, (Clause::Exec(Exec { cnt: 0, seq: 0, ..other }), Vec::new()));
    for (clause, _) in &mut runs {
        shift(clause, 0);
    }
    let mut laid = link::lay_out(&runs);
    if let (Some(Clause::Exec(first)), Some(of)) = (
        laid.clauses.first().copied().as_mut(),
        laid.clauses.iter().find_map(|c| match c {
            Clause::Exec(x) if x.cnt == other.cnt && x.op() == other.op() => Some(x.addr),
            _ => None,
        }),
    ) {
        (first.addr, first.cnt, first.seq) = (of, other.cnt, other.seq);
        laid.clauses[0] = Clause::Exec(*first);
        laid.stage = shader.stage;
        *shader = laid;
    }
}

/// Increments the target of a clause if it is at or after `at`.
fn shift(clause: &mut Clause, at: u16) {
    let moved = |to: u16| if to >= at { to + 1 } else { to };
    match clause {
        Clause::Branch(b) => b.addr = moved(b.addr),
        Clause::LoopStart(l) => l.addr = moved(l.addr),
        Clause::LoopEnd(l) => l.addr = moved(l.addr),
        _ => {}
    }
}

/// Inserts or removes clauses, or changes which clauses end the shader.
fn with_clauses(e: &mut Entropy<'_>, shader: &mut Shader) {
    let count = shader.clauses.len() as u16;
    let mut runs: Vec<Run> = link::runs(shader);
    let jump = |to: u16| Branch {
        addr: to,
        bool_addr: 0,
        cond: 1,
        opcode: CfOp::CondJmp as u8,
        direction: 1,
        ..Branch::default()
    };
    let put = |runs: &mut Vec<Run>, clause: Clause| {
        for (clause, _) in &mut *runs {
            shift(clause, 0);
        }
        runs.insert(0, (clause, Vec::new()));
    };
    match e.weighted(&[20, 14, 12, 12, 8, 6, 6, 6, 8, 4, 4]) {
        0 => put(&mut runs, Clause::Branch(jump(count + 2 + e.below(9) as u16))),
        1 => put(
            &mut runs,
            Clause::LoopEnd(LoopEnd { addr: 1, opcode: CfOp::LoopEnd as u8, ..LoopEnd::default() }),
        ),
        2 => {
            let start = LoopStart { addr: 1, opcode: CfOp::LoopStart as u8, ..LoopStart::default() };
            for _ in 0..5 {
                put(&mut runs, Clause::LoopStart(start));
            }
        }
        3 => {
            for (clause, _) in &mut runs {
                if let Clause::Exec(exec) = clause {
                    exec.opcode = CfOp::Exec as u8;
                }
            }
        }
        4 => {
            // The clause calls itself.
            let call = Branch { opcode: CfOp::CondCall as u8, ..jump(0) };
            put(&mut runs, Clause::Branch(call));
        }
        5 => put(
            &mut runs,
            Clause::Alloc(Alloc { size: 9, buffer: 3, opcode: CfOp::Alloc as u8, ..Alloc::default() }),
        ),
        6 => put(&mut runs, Clause::Plain(Plain { payload: 1 + e.below(999) as u64, ..Plain::default() })),
        7 => runs.push((Clause::Branch(jump(0)), Vec::new())),
        8 => runs.retain(|(clause, _)| !matches!(clause, Clause::Alloc(_))),
        9 => {
            // The end becomes conditional, so that execution may continue after it.
            if let Some((Clause::Exec(exec), _)) =
                runs.iter_mut().rev().find(|(clause, _)| clause.op() == CfOp::ExecEnd)
            {
                *exec = Exec { opcode: CfOp::CondExecEnd as u8, bool_addr: 0, ..*exec };
            }
        }
        _ => {
            let filler = Slot::Alu(super::flow::bare(lockstep_core::isa::a2xx::opcode::VectorOp::Max));
            for _ in 0..66 {
                put(&mut runs, Clause::Exec(Exec { opcode: CfOp::Exec as u8, ..Exec::default() }));
                if let Some((_, slots)) = runs.first_mut() {
                    slots.extend([filler; 6]);
                }
            }
        }
    }
    let mut laid = link::lay_out(&runs);
    laid.stage = shader.stage;
    *shader = laid;
}

/// Flips a random bit of a random clause or slot. In a fetch, the opcode is kept.
fn any_bit(e: &mut Entropy<'_>, shader: &mut Shader) {
    if e.chance(40) || shader.slots.is_empty() {
        let at = e.below(shader.clauses.len());
        let word = shader.clauses[at].to_word() ^ 1 << e.below(48);
        shader.clauses[at] = Clause::from_word(word);
        return;
    }
    let at = e.below(shader.slots.len());
    let bit = e.below(96);
    match &mut shader.slots[at] {
        Slot::Alu(alu) => *alu = lockstep_core::isa::a2xx::program::Alu::from_word(alu.to_word() ^ 1 << bit),
        Slot::Vertex(v) => *v = Vertex::from_word(v.to_word() ^ 1 << bit.max(5)),
        Slot::Texture(t) => *t = Texture::from_word(t.to_word() ^ 1 << bit.max(5)),
        Slot::Raw(_) => {}
    }
}
