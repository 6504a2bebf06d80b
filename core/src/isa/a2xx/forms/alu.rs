//! Both halves of ALU slots.

use super::{List, stage};
use crate::isa::Stage;
use crate::isa::a2xx::opcode::{SCALAR_TABLE, ScalarOp, ScalarShape, VECTOR_TABLE, VectorOp};
use crate::isa::a2xx::program::{Alu, Slot, swizzle};

/// Variants of a slot.
const VARIANTS: usize = 8;
/// Write masks.
const MASKS: [u8; VARIANTS] = [15, 1, 2, 4, 8, 6, 11, 0];

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Register,
    RelativeRegister,
    Constant,
    RelativeConstant,
}

use Origin::{Constant as C, Register as R, RelativeConstant as Q, RelativeRegister as A};

/// Where the operands of a variant come from, and whether relative constants are relative to a0.
const FILES: [([Origin; 3], bool); VARIANTS] = [
    ([R, R, R], false),
    ([C, C, R], false),
    ([Q, R, C], true),
    ([A, A, A], false),
    ([Q, R, Q], false),
    ([R, Q, Q], false),
    ([C, Q, Q], true),
    ([R, R, R], false),
];
/// What is written: a register, one relative to aL, an export.
const DESTINATIONS: [u8; VARIANTS] = [0, 2, 0, 1, 0, 0, 2, 0];

fn swizzles(k: usize) -> u8 {
    [0, swizzle([2; 4]), swizzle([3, 2, 1, 0]), swizzle([1, 0, 3, 2])][k % 4]
}

/// Both halves without effect: no option is read.
fn idle() -> Alu {
    let (vop, sop) = (VectorOp::Max as u8, ScalarOp::RetainPrev as u8);
    Alu { vop, sop, sel1: 1, sel2: 1, sel3: 1, ..Alu::default() }
}

/// Gives source `n` (0 to 2) the number, signs and swizzle of variant `k`.
fn source(alu: &mut Alu, n: usize, from: Origin, k: usize) {
    let register = matches!(from, R | A);
    let sign = if register { (k + k / 4 + n) % 4 } else { (k + n) % 2 };
    let byte = match from {
        R => 2 + n as u8,
        A => 0x40 | (60 + n as u8),
        C | Q => [253, 3, 40][n],
    };
    let byte = if register { byte | (sign as u8 >> 1) << 7 } else { byte };
    let (negated, swizzle) = (sign as u8 & 1, swizzles(k + 2 * n));
    let selected = u8::from(register);
    match n {
        0 => (alu.src1, alu.sel1, alu.neg1, alu.swz1) = (byte, selected, negated, swizzle),
        1 => (alu.src2, alu.sel2, alu.neg2, alu.swz2) = (byte, selected, negated, swizzle),
        _ => (alu.src3, alu.sel3, alu.neg3, alu.swz3) = (byte, selected, negated, swizzle),
    }
}

/// Sets the flags of relative constants as the operands have them; those of operands that are not read do not count.
fn relative(alu: &mut Alu, from: [Origin; 3], a0: bool) {
    let constants: Vec<Origin> = from.into_iter().filter(|from| matches!(from, C | Q)).collect();
    alu.const0_rel = u8::from(constants.first() == Some(&Q));
    alu.const1_rel = u8::from(constants.iter().skip(1).any(|from| *from == Q));
    alu.addr_a0 = u8::from(a0);
}

fn predicate(alu: &mut Alu, k: usize) {
    (alu.pred_en, alu.pred_cond) = [(0, 0), (1, 1), (1, 0)][k % 3];
}

/// Every vector operation.
pub(super) fn vector(list: &mut List) {
    for row in VECTOR_TABLE {
        for k in 0..VARIANTS {
            let (files, a0) = FILES[k];
            let mut alu = Alu { vop: row.number, vmask: MASKS[k], vdest: 1, ..idle() };
            let mut from = [R; 3];
            for (n, from) in from.iter_mut().enumerate().take(row.opcode.sources()) {
                *from = files[n];
                source(&mut alu, n, files[n], k);
            }
            relative(&mut alu, from, a0);
            match DESTINATIONS[k] {
                1 => (alu.vdest, alu.vdest_rel) = (60, 1),
                2 => alu.export = 1,
                _ => {}
            }
            alu.vclamp = u8::from(matches!(k, 1 | 4));
            predicate(&mut alu, k);
            let in_loop = alu.vdest_rel != 0 || from.contains(&A) || from.contains(&Q) && !a0;
            let name = format!("{} {k}", row.mnemonic);
            list.slots(&name, k == 0, stage(k), in_loop, vec![Slot::Alu(alu)]);
        }
        // The sign of constants is for all of them: once with each sign.
        for negated in 0..2 {
            let [src1, src2, src3] = [7, 8, 9];
            let mut alu = Alu { vop: row.number, vmask: 15, vdest: 1, src1, src2, src3, ..idle() };
            (alu.sel1, alu.sel2, alu.sel3) = (0, 0, 0);
            (alu.neg1, alu.neg2, alu.neg3) = (negated, negated, negated);
            alu.abs_const = 1;
            let name = format!("{} absolute constants {negated}", row.mnemonic);
            list.slots(&name, false, stage(usize::from(negated)), false, vec![Slot::Alu(alu)]);
        }
    }
}

/// Every scalar operation.
pub(super) fn scalar(list: &mut List) {
    for row in SCALAR_TABLE {
        for k in 0..VARIANTS {
            let (files, a0) = FILES[k];
            let mut alu = Alu { sop: row.number, smask: MASKS[k], sdest: 1, ..idle() };
            if k % 2 == 1 {
                // Three operands move the second scalar one.
                (alu.vop, alu.vdest) = (VectorOp::Muladd as u8, 5);
            }
            let constant = row.opcode.shape() == ScalarShape::Constant;
            let from = if constant { if k == 2 || k == 4 { Q } else { C } } else { files[(k / 4) * 2] };
            source(&mut alu, 2, from, k);
            // Every component in each of the channels that may count.
            let channel = |c: usize| (k + c) % 4;
            alu.swz3 = swizzle([channel(1), channel(3), channel(2), channel(0)]);
            if constant {
                // A register number stands in the other bits.
                (alu.src3, alu.sel3) = (17, u8::from(k % 3 == 0));
                alu.swz3 = alu.swz3 & 0xc3 | 0x0c;
                alu.abs_const = u8::from(k >= 6);
                alu.neg3 = (k % 2) as u8;
            }
            let a0 = a0 || constant && k == 2;
            alu.const0_rel = u8::from(from == Q);
            alu.addr_a0 = u8::from(a0);
            match DESTINATIONS[k] {
                1 => (alu.sdest, alu.sdest_rel) = (60, 1),
                2 => alu.export = 1,
                _ => {}
            }
            alu.sclamp = u8::from(matches!(k, 1 | 4));
            predicate(&mut alu, k);
            let in_loop = alu.export == 0 && alu.sdest_rel != 0 || from == A || from == Q && !a0;
            let name = format!("{} {k}", row.mnemonic);
            // Mutants of these are mutants of SIN and LOG_IEEE, but for those that an even function and one of small results forgive.
            let forgives = matches!(row.opcode, ScalarOp::Cos | ScalarOp::LogClamp);
            list.slots(&name, k == 0 && !forgives, stage(k), in_loop, vec![Slot::Alu(alu)]);
        }
        if row.opcode.shape() != ScalarShape::None && row.opcode.shape() != ScalarShape::Constant {
            for (k, from) in [R, A, C, Q, Q].into_iter().enumerate() {
                let a0 = k == 4;
                let mut alu = Alu { sop: row.number, smask: 1, sdest: 1, ..idle() };
                source(&mut alu, 2, from, k);
                (alu.const0_rel, alu.addr_a0) = (u8::from(from == Q), u8::from(a0));
                if from == C {
                    (alu.abs_const, alu.neg3) = (1, 1);
                }
                let in_loop = from == A || from == Q && !a0;
                let name = format!("{} operand {k}", row.mnemonic);
                list.slots(&name, false, stage(k), in_loop, vec![Slot::Alu(alu)]);
            }
        }
    }
}

/// What both halves do together.
pub(super) fn together(list: &mut List) {
    let mut push = |name: &str, stage: Stage, in_loop: bool, alus: Vec<Alu>| {
        let slots = alus.into_iter().map(Slot::Alu).collect();
        list.slots(&format!("both halves {name}"), true, stage, in_loop, slots);
    };
    // MAXv and SETGTs read few options.
    let both = Alu {
        vop: VectorOp::Cnde as u8,
        sop: ScalarOp::Setgts as u8,
        src1: 1,
        src2: 2,
        src3: 3,
        swz2: swizzle([1, 2, 3, 0]),
        vmask: 15,
        vdest: 3,
        smask: 15,
        sdest: 1,
        ..idle()
    };
    push("read before they write", Stage::Vertex, false, vec![both]);
    push("write the same components", Stage::Vertex, false, vec![Alu { sdest: 3, smask: 6, ..both }]);
    let relative = Alu { vdest_rel: 1, smask: 3, ..both };
    push("write perhaps the same", Stage::Fragment, true, vec![relative]);
    let export = Alu { export: 1, vdest: 1, vmask: 0b0111, smask: 0b1100, ..both };
    push("export a one", Stage::Fragment, false, vec![export]);
    let zeros = Alu { vmask: 0b0001, smask: 0b0100, sdest_rel: 1, ..export };
    push("export zeros", Stage::Vertex, false, vec![zeros]);
    push("export nothing", Stage::Vertex, false, vec![Alu { vmask: 0, smask: 0, ..export }]);
    let chained = |sop: ScalarOp| Alu { sop: sop as u8, vmask: 0, vop: VectorOp::Max as u8, ..both };
    let chain = vec![
        chained(ScalarOp::Setgts),
        chained(ScalarOp::RetainPrev),
        Alu { smask: 0, sdest: 4, ..chained(ScalarOp::PredSetInvs) },
        chained(ScalarOp::RetainPrev),
    ];
    push("pass the scalar on", Stage::Vertex, false, chain);
    let killing = Alu { vop: VectorOp::Killne as u8, sop: ScalarOp::Killgts as u8, ..both };
    push("kill, and exports are dropped", Stage::Fragment, false, vec![killing, export]);
    let predicates = Alu { vop: VectorOp::PredSetePush as u8, sop: ScalarOp::PredSetes as u8, ..both };
    push("set the predicate", Stage::Vertex, false, vec![predicates]);
    let addresses = Alu { vop: VectorOp::Mova as u8, sop: ScalarOp::MovaFloors as u8, ..both };
    push("set the address", Stage::Vertex, false, vec![addresses]);
}
