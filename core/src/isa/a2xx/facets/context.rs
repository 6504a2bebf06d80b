//! The contexts of facets: a small legal program around each opcode.

use super::draft::{file, loop_end, loop_start};
use super::site::{SCALAR, VECTOR};
use crate::binary::exact;
use crate::isa::a2xx::opcode::{
    CF_TABLE, CfOp, FetchOp, SCALAR_TABLE, ScalarOp, ScalarShape, VECTOR_TABLE, VectorOp,
};
use crate::isa::a2xx::program::{
    Alloc, Alu, Branch, Clause, Exec, Mode, Order, Plain, Program, R0, Shader, Slot, Source, Texture, Vertex,
    swizzle,
};
use crate::isa::a2xx::word::{Buffer, Direction, Filter};
use crate::isa::facet::{Site, Sited};

/// Returns the context of an opcode. For the opcode of a clause, each slot in the context has a distinct observable effect. For the opcode of an ALU
/// half, the other half has no effect and depends on no option.
pub(super) fn of(opcode: &'static str) -> Option<Sited<Program>> {
    if let Some(row) = CF_TABLE.iter().find(|row| row.mnemonic == opcode) {
        let (index, clauses) = clauses(row.opcode);
        return shader(clauses, index, VECTOR);
    }
    let (slot, unit) = if let Some(row) = VECTOR_TABLE.iter().find(|row| row.mnemonic == opcode) {
        (Slot::Alu(vector(row.opcode)), VECTOR)
    } else if let Some(row) = SCALAR_TABLE.iter().find(|row| row.mnemonic == opcode) {
        (Slot::Alu(scalar(row.opcode)), SCALAR)
    } else {
        let op = FetchOp::from_mnemonic(opcode)?;
        (if op == FetchOp::Vertex { Slot::Vertex(VERTEX) } else { Slot::Texture(texture(op)) }, VECTOR)
    };
    let fetches = u8::from(!matches!(slot, Slot::Alu(_)));
    let clauses = vec![alloc(), exec(CfOp::ExecEnd, 1, fetches)];
    let index = clauses.len();
    finish(clauses, vec![slot], index, unit)
}

/// Builds a program whose clauses run observable slots ([`mark`]), in order.
fn shader(mut clauses: Vec<Clause>, index: usize, unit: u8) -> Option<Sited<Program>> {
    let area = exact::<u16, _>(clauses.len().div_ceil(2));
    let mut count = 0;
    for clause in &mut clauses {
        if let Clause::Exec(exec) = clause {
            exec.addr = area + count;
            count += u16::from(exec.cnt);
        }
    }
    finish(clauses, (0..count.into()).map(mark).collect(), index, unit)
}

fn finish(mut clauses: Vec<Clause>, slots: Vec<Slot>, index: usize, unit: u8) -> Option<Sited<Program>> {
    if !clauses.len().is_multiple_of(2) {
        clauses.push(Clause::from_word(0));
    }
    let program = file(Order::Little, Shader { clauses, slots, tail: Vec::new(), stage: None })?;
    Some((program, Site { word: exact(index), unit }))
}

/// Returns a slot with an observable effect that depends on no option: SET_TEX_LOD. `n` selects the component that it reads, counted from R2.x.
pub(super) fn mark(n: usize) -> Slot {
    let (src, src_swizzle) = (2 + exact::<u8, _>(n / 4), exact::<u8, _>(n % 4));
    let opcode = FetchOp::SetTexLod as u8;
    Slot::Texture(Texture { opcode, src, src_swizzle, dst_swizzle: KEEP_ALL, ..Texture::default() })
}

/// Destination swizzles of a fetch: one that keeps all old components, and the identity.
const KEEP_ALL: u16 = 0xfff;
const IDENTITY: u16 = 0x688;

/// Returns a clause that runs `cnt` slots from slot 1 on. Bit k of `fetches` is set if the k-th of them, from 0, is a fetch.
fn exec(op: CfOp, cnt: u8, fetches: u8) -> Clause {
    let mut exec = Exec { addr: 1, cnt, opcode: op as u8, ..Exec::default() };
    exec.set_modes(std::array::from_fn(|k| Mode { fetch: fetches >> k & 1 != 0, ..Mode::default() }));
    Clause::Exec(exec)
}

/// Returns a clause that runs one FETCH slot.
fn run(op: CfOp) -> Clause {
    exec(op, 1, 1)
}

fn alloc() -> Clause {
    Clause::Alloc(Alloc { buffer: Buffer::Parameters as u8, opcode: CfOp::Alloc as u8, ..Alloc::default() })
}

/// Returns an unconditional call or jump.
fn branch(op: CfOp, addr: u16) -> Clause {
    let (direction, opcode) = (Direction::Forward as u8, op as u8);
    Clause::Branch(Branch { addr, unconditional: 1, direction, bool_addr: 2, opcode, ..Branch::default() })
}

/// Returns the index of a clause with this opcode, and a list of clauses that contains it at this index.
fn clauses(op: CfOp) -> (usize, Vec<Clause>) {
    let back = || Clause::Branch(Branch { opcode: CfOp::Return as u8, ..Branch::default() });
    match op {
        CfOp::Alloc => (0, vec![alloc(), run(CfOp::ExecEnd)]),
        // Nested loops.
        CfOp::LoopStart | CfOp::LoopEnd => {
            let clauses = vec![
                Clause::LoopStart(loop_start(7, 0)),
                run(CfOp::Exec),
                Clause::LoopStart(loop_start(5, 1)),
                run(CfOp::Exec),
                Clause::LoopEnd(loop_end(3, 1)),
                run(CfOp::Exec),
                Clause::LoopEnd(loop_end(1, 0)),
                run(CfOp::ExecEnd),
            ];
            (if op == CfOp::LoopStart { 2 } else { 4 }, clauses)
        }
        CfOp::CondJmp => {
            let clauses = vec![
                run(CfOp::Exec),
                branch(CfOp::CondJmp, 3),
                run(CfOp::CondPredExecEnd),
                run(CfOp::Exec),
                run(CfOp::ExecEnd),
            ];
            (1, clauses)
        }
        // Nested calls.
        CfOp::CondCall | CfOp::Return => {
            let call = |addr| branch(CfOp::CondCall, addr);
            let clauses = vec![
                back(),
                call(4),
                call(7),
                run(CfOp::ExecEnd),
                run(CfOp::Exec),
                call(7),
                back(),
                run(CfOp::Exec),
                back(),
            ];
            (if op == CfOp::CondCall { 1 } else { 6 }, clauses)
        }
        op if op.is_exec() => {
            let mut own = run(op);
            if let Clause::Exec(own) = &mut own
                && op.tests_bool()
            {
                own.bool_addr = 3;
            }
            let others = |op| exec(op, 6, 0b11_1111);
            match op {
                CfOp::ExecEnd => (2, vec![others(CfOp::Exec), alloc(), own]),
                _ => (0, vec![own, alloc(), others(CfOp::ExecEnd)]),
            }
        }
        op => {
            let own = Clause::from_word(Plain { opcode: op as u8, ..Plain::default() }.to_word());
            (1, vec![run(CfOp::Exec), own, run(CfOp::ExecEnd)])
        }
    }
}

/// Returns an ALU slot in which neither half has an effect or depends on an option.
fn idle() -> Alu {
    let (vop, sop) = (VectorOp::Max as u8, ScalarOp::RetainPrev as u8);
    Alu { vop, sop, sel1: 1, sel2: 1, sel3: 1, ..Alu::default() }
}

/// Returns a vector operation with up to three different sources: R2, -R3 with its components reversed, and R4.
fn vector(op: VectorOp) -> Alu {
    let mut alu = Alu { vop: op as u8, vmask: 0b1111, vdest: 1, ..idle() };
    alu.src1 = 2;
    if op.sources() > 1 {
        (alu.src2, alu.neg2, alu.swz2) = (3, 1, swizzle([3, 2, 1, 0]));
    }
    if op.sources() > 2 {
        alu.src3 = 4;
    }
    alu
}

/// Returns a scalar operation that reads components of |R4|, or C17 and a register.
fn scalar(op: ScalarOp) -> Alu {
    let mut alu = Alu { sop: op as u8, smask: 0b1111, sdest: 1, ..idle() };
    alu.set_source(3, &Source { number: 4, absolute: true, swizzle: swizzle([1, 3, 2, 0]), ..R0 });
    if op.shape() == ScalarShape::Constant {
        alu.src3 = 17;
        alu.set_constant_operands(0, 14, 1);
    }
    alu
}

const VERTEX: Vertex = Vertex {
    opcode: FetchOp::Vertex as u8,
    src: 2,
    src_rel: 0,
    dst: 1,
    dst_rel: 0,
    one19: 1,
    const_index: 2,
    const_sub: 0,
    prefetch: 0,
    src_component: 0,
    dst_swizzle: IDENTITY,
    signed: 0,
    integer: 0,
    no_zero: 0,
    round_index: 0,
    format: 2,
    zero54: 0,
    exp_adjust: 0,
    mini_fetch: 0,
    pred_en: 0,
    stride: 12,
    offset: 0,
    pred_cond: 0,
};

fn texture(op: FetchOp) -> Texture {
    Texture {
        opcode: op as u8,
        src: 2,
        dst: 1,
        const_index: 5,
        src_swizzle: 0b10_01_00,
        dst_swizzle: IDENTITY,
        mag_filter: Filter::Point as u8,
        min_filter: Filter::Point as u8,
        mip_filter: Filter::Linear as u8,
        arbitrary_filter: 7,
        vol_min_filter: Filter::BaseMap as u8,
        ..Texture::default()
    }
}
