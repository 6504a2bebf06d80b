//! The changes to A2xx programs that are implemented as functions. Each re-enacts how a published bug misreads a program.

use super::change::Misread;
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::a2xx::opcode::{ScalarOp, ScalarShape, VectorOp};
use lockstep_core::isa::a2xx::program::{Alu, COORDINATE_SWIZZLE, Program, Slot, Texture};

impl Misread for A2xx {
    const CHANGES: &'static [(&'static str, super::change::Coded<A2xx>)] = &[
        ("constants below 64", |program, _| {
            for alu in alus(program) {
                let reads_src3 = alu.scalar().is_none_or(|op| op.shape() != ScalarShape::Constant);
                let sources = [
                    (alu.sel1 == 0, &mut alu.src1),
                    (alu.sel2 == 0, &mut alu.src2),
                    (alu.sel3 == 0 && reads_src3, &mut alu.src3),
                ];
                for (_, byte) in sources.into_iter().filter(|(constant, _)| *constant) {
                    *byte &= 0x3f;
                }
            }
        }),
        ("no scalar operation without a mask", |program, _| {
            for alu in alus(program).filter(|alu| alu.smask == 0 && alu.vmask != 0) {
                alu.sop = ScalarOp::RetainPrev as u8;
            }
        }),
        ("no scalar half in exports", |program, _| {
            for alu in alus(program).filter(|alu| alu.export != 0) {
                alu.smask &= alu.vmask;
            }
        }),
        ("kills as comparisons", |program, _| {
            const VECTOR: [(VectorOp, VectorOp); 4] = [
                (VectorOp::Kille, VectorOp::Sete),
                (VectorOp::Killgt, VectorOp::Setgt),
                (VectorOp::Killgte, VectorOp::Setgte),
                (VectorOp::Killne, VectorOp::Setne),
            ];
            const SCALAR: [(ScalarOp, ScalarOp); 4] = [
                (ScalarOp::Killes, ScalarOp::Setes),
                (ScalarOp::Killgts, ScalarOp::Setgts),
                (ScalarOp::Killgtes, ScalarOp::Setgtes),
                (ScalarOp::Killnes, ScalarOp::Setnes),
            ];
            for alu in alus(program) {
                if let Some((_, set)) = VECTOR.iter().find(|(kill, _)| alu.vop == *kill as u8) {
                    alu.vop = *set as u8;
                }
                if let Some((_, set)) = SCALAR.iter().find(|(kill, _)| alu.sop == *kill as u8) {
                    alu.sop = *set as u8;
                }
            }
        }),
        ("inverted predicates", |program, _| {
            for slot in slots(program) {
                match slot {
                    Slot::Alu(alu) if alu.pred_en != 0 => alu.pred_cond ^= 1,
                    Slot::Vertex(vertex) if vertex.pred_en != 0 => vertex.pred_cond ^= 1,
                    Slot::Texture(texture) if texture.pred_en != 0 => texture.pred_cond ^= 1,
                    _ => {}
                }
            }
        }),
        ("relative swizzles in fetches", |program, _| {
            for slot in slots(program) {
                if let Slot::Texture(texture) = slot {
                    make_swizzle_relative(texture);
                }
            }
        }),
        ("8-bit vertex offsets", |program, _| {
            for slot in slots(program) {
                if let Slot::Vertex(vertex) = slot {
                    vertex.offset &= 0xff;
                }
            }
        }),
        ("scalar opcodes without their lowest bit", |program, _| {
            for alu in alus(program) {
                alu.sop &= !1;
            }
        }),
    ];
}

fn slots(program: &mut Program) -> impl Iterator<Item = &mut Slot> {
    program.shaders.iter_mut().flat_map(|shader| &mut shader.slots)
}

fn alus(program: &mut Program) -> impl Iterator<Item = &mut Alu> {
    slots(program).filter_map(|slot| match slot {
        Slot::Alu(alu) => Some(alu),
        _ => None,
    })
}

/// Applies the faulty reading of the coordinate swizzle: relative to the component, as ALU swizzles are.
fn make_swizzle_relative(texture: &mut Texture) {
    let mut components = COORDINATE_SWIZZLE.split(texture.src_swizzle);
    for (c, component) in (0..).zip(&mut components) {
        *component = (*component + c) & 3;
    }
    texture.src_swizzle = COORDINATE_SWIZZLE.join(components);
}
