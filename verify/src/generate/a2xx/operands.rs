//! Source operands of an ALU slot: the sources of both halves, and how they share the slot's fields.

use super::body::{Body, bits};
use super::range;
use super::source::{Operand, SourceRequest, plain, source};
use crate::generate::Entropy;
use lockstep_core::isa::a2xx::opcode::{ScalarOp, ScalarShape, VectorOp};
use lockstep_core::isa::a2xx::program::{Alu, component, swizzle};

/// The sources of both halves: for each, its number, the operand, and a mask of the channels read. The number is 1 to 3, or 4 for the register of an
/// operation with a constant and a register.
pub(super) struct Operands {
    pub(super) list: Vec<(u8, Operand, u8)>,
}

impl Operands {
    pub(super) fn of(&self, which: u8) -> Option<&(u8, Operand, u8)> {
        self.list.iter().find(|(w, ..)| *w == which)
    }
}

pub(super) fn operands(
    e: &mut Entropy<'_>,
    body: &Body,
    v: Option<VectorOp>,
    s: Option<ScalarOp>,
    vmask: u8,
) -> Operands {
    let mut list: Vec<(u8, Operand, u8)> = Vec::new();
    let scalar = s.filter(|op| !matches!(op.shape(), ScalarShape::None | ScalarShape::Constant));
    if let Some(op) = v {
        for which in 1..=op.sources() as u8 {
            let want = range::vector_preference(op, usize::from(which) - 1);
            let channels = op.channels(which, vmask);
            let mut need = SourceRequest { channels, want };
            if let Some(scalar) = scalar
                && which == 3
                && body.is_requested(scalar.row().mnemonic)
            {
                need = SourceRequest { channels: 0xf, want: range::scalar_preference(scalar) };
            }
            let mut chosen = source(e, body, need);
            for _ in 0..3 {
                // Using the same operand twice tests little.
                if list.iter().any(|(_, other, _)| *other == chosen) {
                    chosen = source(e, body, need);
                }
            }
            // Replicates one component, so that a kill depends on one comparison instead of any of four.
            if op.kills() {
                let c = component(chosen.source.swizzle, 0);
                chosen.source.swizzle = swizzle([c; 4]);
            }
            let extra = if which == 3 { scalar.map_or(0, |_| 0b1100) } else { 0 };
            list.push((which, chosen, channels | extra));
        }
        if op == VectorOp::Killne && list.len() == 2 {
            // Two numbers are hardly ever equal unless they are the same operand.
            if e.chance(70) {
                list[1].1 = list[0].1;
            }
        }
    }
    if let Some(op) = scalar
        && v.is_none_or(|op| op.sources() < 3)
    {
        let two = matches!(op.shape(), ScalarShape::Two | ScalarShape::TwoPrevious);
        let channels = if two { 0b1001 } else { 0b1000 };
        let need = SourceRequest { channels, want: range::scalar_preference(op) };
        let mut chosen = source(e, body, need);
        let c = |channel| component(chosen.source.swizzle, channel);
        let (a, mut b) = (c(3), c(0));
        if two && a == b && !e.chance(15) {
            b = (a + 1 + e.below(3)) % 4;
        }
        let tidy = e.chance(80);
        if tidy || two {
            let order = if two { [b, b, a, a] } else { [a; 4] };
            chosen.source.swizzle = swizzle(order);
        }
        list.push((3, chosen, channels));
    }
    if let Some(op) = s
        && op.shape() == ScalarShape::Constant
    {
        let need = SourceRequest { channels: 0b1000, want: range::MODERATE };
        let mut constant = source(e, body, need);
        for _ in 0..20 {
            if !constant.source.register {
                break;
            }
            constant = source(e, body, need);
        }
        if constant.source.register {
            let number = e.pick(&body.constants).copied().unwrap_or_default();
            constant.source = plain(number).source;
            constant.source.register = false;
        }
        list.push((3, constant, 0b1000));
        // Uses a register whose parity matches the opcode, if one is worth reading.
        let odd = op as u8 & 1;
        let mut from: Vec<u8> =
            body.unread_registers().iter().map(|n| *n as u8).filter(|n| n & 1 == odd).collect();
        if from.is_empty() {
            from = body.inputs.iter().chain(&body.working).copied().filter(|n| n & 1 == odd).collect();
        }
        let number = e.pick(&from).copied().unwrap_or(odd);
        let mut register = plain(number);
        let unread: Vec<usize> = bits(body.unread(number.into())).collect();
        let lane = e.pick(&unread).copied().unwrap_or_else(|| e.below(4));
        register.source.swizzle = swizzle([lane; 4]);
        (register.source.negated, register.source.absolute) =
            (constant.source.negated, constant.source.absolute);
        list.push((4, register, 1));
    }
    Operands { list }
}

/// Makes the constants of a slot compatible. The first constant has its own relative flag, and the others share one. All relative constants use the
/// same address register, and the absolute bit applies to all.
pub(super) fn reconcile(e: &mut Entropy<'_>, body: &Body, alu: &mut Alu, operands: &mut Operands) {
    let leader =
        operands.list.iter().position(|(which, o, _)| *which < 4 && !o.source.register && o.source.relative);
    let Some(leader) = leader else {
        absolute(alu, operands);
        return;
    };
    let kept = operands.list[leader].1;
    let constant_shape = operands.of(4).is_some();
    for k in 0..operands.list.len() {
        let (which, operand, _) = operands.list[k];
        if k == leader || which == 4 || operand.source.register || operand == kept {
            continue;
        }
        if which == 3 && constant_shape {
            // This source must be a constant, so it takes the addressing of the constant that is kept.
            let o = &mut operands.list[k].1;
            (o.source.relative, o.a0) = (kept.source.relative, kept.a0);
            continue;
        }
        let number = e.pick(&body.inputs).copied().unwrap_or_default();
        let order = operand.source.swizzle;
        operands.list[k].1 = plain(number);
        operands.list[k].1.source.swizzle = order;
        operands.list[k].1.source.negated = operand.source.negated;
    }
    alu.addr_a0 = u8::from(operands.list.iter().any(|(_, o, _)| o.a0 && !o.source.register));
    let relative: Vec<bool> = (1..=3u8)
        .filter_map(|which| operands.of(which))
        .filter(|(_, o, _)| !o.source.register)
        .map(|(_, o, _)| o.source.relative)
        .collect();
    alu.const0_rel = u8::from(relative.first().copied().unwrap_or_default());
    alu.const1_rel = u8::from(relative.iter().skip(1).any(|r| *r));
    let mut flags = std::iter::once(alu.const0_rel).chain(std::iter::repeat(alu.const1_rel));
    for which in 1..4u8 {
        let operand = operands.list.iter_mut().find(|(w, o, _)| *w == which && !o.source.register);
        if let Some((_, o, _)) = operand {
            o.source.relative = flags.next() == Some(1);
        }
    }
    absolute(alu, operands);
}

/// Applies the absolute bit to all constants.
fn absolute(alu: &mut Alu, operands: &mut Operands) {
    let any = operands.list.iter().any(|(which, o, _)| *which < 4 && !o.source.register && o.source.absolute);
    alu.abs_const = u8::from(any);
    for (which, o, _) in &mut operands.list {
        if *which < 4 && !o.source.register || *which == 4 {
            o.source.absolute = any;
        }
    }
}

/// Sets the fields of the sources.
pub(super) fn set(alu: &mut Alu, operands: &Operands, s: Option<ScalarOp>) {
    for (which, operand, _) in &operands.list {
        let o = operand.source;
        match which {
            1..=3 => alu.set_source(*which, &o),
            // Sets the register operand beside the constant, which is source 3.
            _ => alu.set_constant_operands(component(alu.swz3, 3), o.number, component(o.swizzle, 0)),
        }
    }
    if let Some(op) = s {
        alu.sop = op as u8;
    }
}
