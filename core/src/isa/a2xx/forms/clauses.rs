//! Clauses: each in a program that has its targets, with slots on every path that leave a different mark.

use super::{List, alloc, exec, stage};
use crate::isa::a2xx::opcode::{CF_TABLE, CfOp, FetchOp};
use crate::isa::a2xx::program::{Alloc, Branch, Clause, LoopEnd, LoopStart, Slot, Texture};

/// A slot that leaves a mark and reads no option: SET_TEX_LOD from a component of R2 and up.
fn mark(n: usize) -> Slot {
    let src = 2 + (n / 4) as u8;
    let opcode = FetchOp::SetTexLod as u8;
    Slot::Texture(Texture {
        opcode,
        src,
        src_swizzle: (n % 4) as u8,
        dst_swizzle: 0xfff,
        ..Texture::default()
    })
}

fn marks(count: usize) -> Vec<Slot> {
    (0..count).map(mark).collect()
}

/// A clause that runs the mark `n` behind an area of so many slots.
fn run(op: CfOp, area: usize, n: usize) -> Clause {
    exec(op, area + n, 1, 1)
}

/// Every clause.
pub(super) fn clauses(list: &mut List) {
    for row in CF_TABLE {
        match row.opcode {
            CfOp::LoopStart | CfOp::LoopEnd | CfOp::CondCall | CfOp::CondJmp | CfOp::Return => {}
            CfOp::Alloc => allocs(list),
            op if op.is_exec() => execs(list, op),
            op => {
                for k in 0..2 {
                    let own = Clause::from_word(u64::from(row.number) << 44);
                    let clauses = vec![run(CfOp::Exec, 2, 0), own, run(CfOp::ExecEnd, 2, 1)];
                    list.push(op.row().mnemonic, k == 0, stage(k), clauses, marks(2));
                }
            }
        }
    }
    loops(list);
    branches(list);
}

fn allocs(list: &mut List) {
    for k in 0..8u8 {
        let own = Alloc {
            buffer: k & 3,
            size: k >> 2,
            no_serial: k >> 1 & 1,
            opcode: CfOp::Alloc as u8,
            ..Alloc::default()
        };
        let at = usize::from(k);
        let clauses = vec![Clause::Alloc(own), run(CfOp::ExecEnd, 1, 0)];
        list.push(&format!("ALLOC {k}"), false, stage(at + at / 4), clauses, marks(1));
    }
}

/// Runs none, some or six slots, then goes on to another clause unless it has ended.
fn execs(list: &mut List, op: CfOp) {
    for k in 0..6 {
        let cnt = [1, 0, 6][k % 3];
        let Clause::Exec(mut own) = exec(op, 2, cnt, 0x3f) else { return };
        own.yields = (k & 1) as u8;
        own.vc = u8::from(k % 3 == 1);
        own.seq |= if k % 3 == 2 { 0b10 } else { 0 };
        own.cond = (k & 1) as u8;
        own.bool_addr = if op.tests_bool() { 3 } else { ((k & 1) as u8) << 7 };
        let clauses = vec![Clause::Exec(own), alloc(0), run(CfOp::ExecEnd, 2, 6)];
        let name = format!("{} of {cnt} {k}", op.row().mnemonic);
        list.push(&name, k == 0, stage(k), clauses, marks(7));
    }
}

fn loop_start(addr: u16, loop_id: u8, repeat: u8) -> Clause {
    Clause::LoopStart(LoopStart {
        addr,
        loop_id,
        repeat,
        opcode: CfOp::LoopStart as u8,
        ..LoopStart::default()
    })
}

fn loop_end(addr: u16, loop_id: u8, pred_break: u8, cond: u8) -> Clause {
    Clause::LoopEnd(LoopEnd {
        addr,
        loop_id,
        pred_break,
        cond,
        opcode: CfOp::LoopEnd as u8,
        ..LoopEnd::default()
    })
}

/// A loop in a loop, the inner one with each way of beginning and ending.
fn loops(list: &mut List) {
    for k in 0..6 {
        let (pred_break, cond) = [(0, 0), (1, 1), (1, 0)][k % 3];
        let clauses = vec![
            loop_start(7, 0, 0),
            run(CfOp::Exec, 4, 0),
            loop_start(5, 1, (k & 1) as u8),
            run(CfOp::Exec, 4, 1),
            loop_end(3, 1, pred_break, cond),
            run(CfOp::Exec, 4, 2),
            loop_end(1, 0, 0, 0),
            run(CfOp::ExecEnd, 4, 3),
        ];
        list.push(&format!("loops {k}"), k == 0, stage(k + k / 3), clauses, marks(4));
    }
}

/// Jumps and calls on every condition, forward and back.
fn branches(list: &mut List) {
    for k in 0..10 {
        let (unconditional, predicated, cond) =
            [(1, 0, 0), (0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)][k % 5];
        let back = k >= 5;
        let branch = |op: CfOp, addr: u16| {
            Clause::Branch(Branch {
                addr,
                unconditional,
                predicated,
                direction: u8::from(!back),
                bool_addr: 2,
                cond,
                opcode: op as u8,
                ..Branch::default()
            })
        };
        let aim = if back { 0 } else { 3 };
        let clauses = vec![
            run(CfOp::Exec, 3, 0),
            branch(CfOp::CondJmp, aim),
            run(CfOp::CondPredExecEnd, 3, 1),
            run(CfOp::Exec, 3, 2),
            run(CfOp::ExecEnd, 3, 3),
        ];
        list.push(&format!("COND_JMP {k}"), k == 0, stage(k), clauses, marks(4));
        // A call within a call; the first RETURN has nothing to return from.
        let back_again = Clause::Branch(Branch { opcode: CfOp::Return as u8, ..Branch::default() });
        let clauses = vec![
            back_again,
            branch(CfOp::CondCall, 4),
            branch(CfOp::CondCall, 7),
            run(CfOp::ExecEnd, 5, 0),
            run(CfOp::Exec, 5, 1),
            branch(CfOp::CondCall, 7),
            back_again,
            run(CfOp::Exec, 5, 2),
            back_again,
        ];
        list.push(&format!("COND_CALL {k}"), k == 0, stage(k), clauses, marks(3));
    }
}
