//! The end of a shader: combines all unread values into the exports.

use super::alu;
use super::body::{Body, Item, bits};
use super::flow::{self, bare};
use super::range::{MAX_FACTOR, Range};
use super::weights::choose;
use crate::generate::Entropy;
use crate::generate::retry::until;
use lockstep_core::isa::Stage;
use lockstep_core::isa::a2xx::opcode::{CfOp, ScalarOp, VectorOp};
use lockstep_core::isa::a2xx::program::{Alu, Exec, Slot, swizzle};

/// Chooses the exports of the shader, and whether they may be written anywhere. If so, allocates them at the start.
pub(super) fn plan(e: &mut Entropy<'_>, body: &mut Body) {
    let memory = e.chance(7);
    if body.stage == Stage::Vertex {
        if e.chance(85) {
            body.exports.push((62, 0xf));
        }
        if e.chance(6) {
            body.exports.push((63, 1));
        }
        let count = 1 + e.weighted(&[25, 22, 18, 15, 10, 5, 3, 2]);
        body.exports.extend((0..count as u8).map(|k| (k, 0xf)));
    } else {
        if e.chance(8) {
            body.exports.push((61, 1));
        }
        let count = 1 + e.weighted(&[40, 25, 20, 15]);
        body.exports.extend((0..count as u8).map(|k| (k, 0xf)));
    }
    if memory {
        let data = e.between(33, 37) as u8;
        body.exports.insert(0, (data, 0xf));
        body.exports.insert(0, (32, 0xf));
    }
    body.early = e.chance(60);
    if body.early {
        reserve(e, body);
    }
}

/// Allocates every planned export.
fn reserve(e: &mut Entropy<'_>, body: &mut Body) {
    let has = |body: &Body, numbers: std::ops::RangeInclusive<u8>| {
        body.exports.iter().filter(|(n, _)| numbers.contains(n)).map(|(n, _)| *n).max()
    };
    if body.stage == Stage::Vertex {
        let size = u8::from(has(body, 63..=63).is_some());
        let clause = flow::alloc(e, body, Some(1), size);
        body.push(Item::Clause(clause));
    }
    if has(body, 32..=37).is_some() {
        let clause = flow::alloc(e, body, Some(3), 0);
        body.push(Item::Clause(clause));
    }
    let parameters = has(body, 0..=15);
    if parameters.is_some() || body.stage == Stage::Fragment {
        // Adreno's compilers count parameters only in vertex shaders.
        let counted = body.stage == Stage::Vertex && !body.xenos;
        let size = if counted { parameters.unwrap_or_default() } else { 0 };
        let clause = flow::alloc(e, body, Some(2), size);
        body.push(Item::Clause(clause));
    }
}

/// Writes every remaining export, and ends the shader.
pub(super) fn end(e: &mut Entropy<'_>, body: &mut Body) {
    (body.use_a0, body.single_slot) = (false, false);
    if !body.early {
        reserve(e, body);
    }
    until(body, |body| body.unread_registers().len() <= body.exports.len(), |body| combine(e, body));
    // Assigns the values with the most components to the widest exports.
    let mut unread_registers = body.unread_registers();
    unread_registers.sort_by_key(|n| body.unread(*n).count_ones());
    let mut pending = std::mem::take(&mut body.exports);
    pending.sort_by_key(|(_, mask)| mask.count_ones());
    let requested = [CfOp::CondExecEnd, CfOp::CondPredExecEnd, CfOp::CondExecPredCleanEnd]
        .into_iter()
        .find(|op| body.is_requested(op.row().mnemonic));
    let conditional = match requested {
        Some(op) => Some(op),
        None if e.chance(5) => Some(
            [CfOp::CondPredExecEnd, CfOp::CondExecEnd, CfOp::CondExecPredCleanEnd][e.weighted(&[60, 25, 15])],
        ),
        None => None,
    };
    // Conditional exports come before the last clause, which the other lanes still run.
    let mut last: Vec<(u8, u8, Option<usize>)> = Vec::new();
    while let Some((number, mask)) = pending.pop() {
        let from = unread_registers.pop();
        last.push((number, mask, from));
    }
    last.reverse();
    let kept = match choose(e, facet!("cnt"), &[("none", 12), ("some", 78), ("six", 10)]) {
        0 => 0,
        1 => e.between(1, 4).min(last.len()),
        _ => 6,
    };
    let more = if kept == 6 { 6usize.saturating_sub(last.len()) } else { 0 };
    let before = last.len().saturating_sub(kept);
    for (number, mask, from) in last.drain(..before).collect::<Vec<_>>() {
        export(e, body, number, mask, from);
    }
    if let Some(op) = conditional {
        conditional_end(e, body, op);
    }
    // Kills are emitted late, so that killed lanes have usually exported something.
    if body.stage == Stage::Fragment && e.chance(if before > 0 { 60 } else { 12 }) {
        (0..e.between(1, 2)).for_each(|_| alu::kill(e, body));
        let known = |n: usize| last.iter().any(|(.., from)| *from == Some(n));
        let new: Vec<usize> = body.unread_registers().into_iter().filter(|n| !known(*n)).collect();
        last.extend(new.into_iter().map(|n| (0, 0xf, Some(n))));
    }
    let head = flow::head(e, body, CfOp::ExecEnd);
    let again = last.first().copied().unwrap_or((0, 0xf, None));
    body.push(Item::Head(head));
    for _ in 0..more {
        let number = if again.0 < 4 { again.0 } else { 0 };
        let known = body.stage == Stage::Fragment || number == again.0;
        export(e, body, if known { number } else { again.0 }, again.1, None);
    }
    for (number, mask, from) in last {
        export(e, body, number, mask, from);
    }
}

/// Appends a clause that ends the shader for the lanes that run it, with exports that show which lanes did.
fn conditional_end(e: &mut Entropy<'_>, body: &mut Body, op: CfOp) {
    let count = match choose(e, facet!("cnt"), &[("none", 15), ("some", 75), ("six", 10)]) {
        0 => 0,
        1 => e.between(1, 3),
        _ => 6,
    };
    if op == CfOp::CondPredExecEnd {
        flow::set_predicate(e, body);
    }
    let head: Exec = flow::head(e, body, op);
    body.push(Item::Head(head));
    body.enter(false);
    for _ in 0..count {
        let number = e.below(if body.stage == Stage::Vertex { 1 } else { 4 }) as u8;
        let position = body.stage == Stage::Vertex;
        export(e, body, if position { 62 } else { number }, 0xf, None);
    }
    body.leave();
    let next = flow::head(e, body, CfOp::Exec);
    if count > 0 {
        body.push(Item::Head(next));
    }
}

/// Returns a swizzle that cycles through the components of `mask`, for these channels.
fn spread(mask: u8, channels: u8) -> u8 {
    let there: Vec<usize> = bits(mask).collect();
    let at = |k: usize| there.get(k % there.len().max(1)).copied().unwrap_or_default();
    let mut order: [usize; 4] = std::array::from_fn(at);
    for (k, channel) in bits(channels).enumerate() {
        order[channel] = at(k);
    }
    swizzle(order)
}

/// Combines two or three unread registers into one.
pub(super) fn combine(e: &mut Entropy<'_>, body: &mut Body) {
    let mut unread_registers = body.unread_registers();
    let mut taken: Vec<usize> = Vec::new();
    while taken.len() < 3 && !unread_registers.is_empty() {
        let mut at = e.below(unread_registers.len());
        if let Some(first) = taken.first() {
            // Prefers registers of similar magnitude, since the smaller value would otherwise be lost in rounding.
            let size = |n: usize| body.hull_of(n, body.unread(n)).size().max(1.0).log2();
            let apart = |n: usize| (size(n) - size(*first)).abs();
            let near = (0..unread_registers.len())
                .min_by(|a, b| apart(unread_registers[*a]).total_cmp(&apart(unread_registers[*b])));
            at = near.unwrap_or(at);
        }
        taken.push(unread_registers.swap_remove(at));
    }
    let tame = |n: usize| body.hull_of(n, body.unread(n)).size() <= MAX_FACTOR;
    let varied = |n: usize| !body.hull_of(n, body.unread(n)).discrete;
    let mut alu = match taken[..] {
        [a, b, _] if e.chance(25) && tame(a) && tame(b) && varied(a) && varied(b) => bare(VectorOp::Muladd),
        _ => bare(VectorOp::Add),
    };
    if alu.vop == VectorOp::Add as u8 {
        taken.truncate(2);
    }
    let Some(&wide) = taken.iter().max_by_key(|n| body.unread(**n).count_ones()) else { return };
    let mask = body.unread(wide);
    let swizzles: Vec<u8> = taken.iter().map(|n| spread(body.unread(*n), mask)).collect();
    (alu.vdest, alu.vmask) = (wide as u8, mask);
    let mut ranges = [Range::ZERO; 4];
    let mut size = 0.0;
    let used = taken.len();
    for (k, n) in taken.iter().enumerate() {
        let byte = *n as u8;
        match k {
            0 => (alu.src1, alu.swz1) = (byte, swizzles[0]),
            1 => (alu.src2, alu.swz2, alu.neg2) = (byte, swizzles[1], u8::from(e.chance(30))),
            _ => (alu.src3, alu.swz3) = (byte, swizzles[2]),
        }
        let over = body.hull_of(*n, body.unread(*n)).size();
        size = if k == 1 && used == 3 { size * over } else { size + over };
    }
    for n in &taken {
        let unread = body.unread(*n);
        // Reads no more components than the wider register has.
        let read = bits(mask).fold(0, |read, c| {
            let k = taken.iter().position(|t| t == n).unwrap_or_default();
            read | 1 << lockstep_core::isa::a2xx::program::component(swizzles[k], c)
        });
        body.mark(*n, unread & read);
    }
    for c in bits(mask) {
        ranges[c] = Range::between(-size, size, true);
    }
    body.push(Item::Slot(Slot::Alu(alu)));
    body.record_write(wide, mask, &ranges, true);
}

/// Writes an export from an unread register, or from another source if `from` is `None`.
fn export(e: &mut Entropy<'_>, body: &mut Body, number: u8, most: u8, from: Option<usize>) {
    let mut alu = bare(VectorOp::Max);
    (alu.export, alu.vdest, alu.vmask) = (1, number, most);
    let input = e.pick(&body.inputs).copied().unwrap_or_default();
    if e.chance(45) {
        alu.sop = [ScalarOp::Maxs, ScalarOp::Adds][e.weighted(&[80, 20])] as u8;
    }
    match from {
        None => {
            // The exported value is the sum of an input and another source.
            alu.vop = VectorOp::Add as u8;
            (alu.src1, alu.src2) = (input, e.pick(&body.working).copied().unwrap_or(input));
            if !body.hull_of(alu.src2.into(), 0xf).varies
                || body.hull_of(alu.src2.into(), 0xf).size() > MAX_FACTOR
            {
                alu.src2 = input;
            }
            alu.swz2 = swizzle([[1, 3, 1, 3], [1, 0, 3, 2], [3, 2, 1, 0]][e.below(3)]);
            body.mark(alu.src1.into(), 0xf);
            body.mark(alu.src2.into(), 0xf);
        }
        Some(n) => {
            let unread = body.unread(n);
            if unread == 0 {
                return export(e, body, number, most, None);
            }
            let (count, places) = (unread.count_ones(), most.count_ones());
            let varies = bits(unread).all(|c| body.cells[n][c].range.varies);
            alu.src1 = n as u8;
            alu.swz1 = spread(unread, most);
            if count > places || !varies && body.hull_of(n, unread).size() <= MAX_FACTOR && e.chance(70) {
                if count > places {
                    // If there are more unread components than the export has, a dot product with a varying value covers all of them.
                    (alu.vop, alu.src2, alu.swz1) = (VectorOp::Dot4 as u8, input, spread(unread, 0xf));
                } else {
                    (alu.vop, alu.src2) = (VectorOp::Add as u8, input);
                }
            } else if e.chance(15) {
                // The value is the maximum of the source and itself, both negated.
                (alu.src2, alu.swz2, alu.neg1, alu.neg2) = (alu.src1, alu.swz1, 1, 1);
            } else {
                (alu.src2, alu.swz2) = (alu.src1, alu.swz1);
            }
            if most == 0xf && count < 4 && varies && alu.vop == VectorOp::Max as u8 && e.chance(50) {
                narrow(e, body, &mut alu, unread, input);
            }
            body.mark(n, unread);
        }
    }
    body.push(Item::Slot(Slot::Alu(alu)));
}

/// Writes only as many components as are unread. The other components come from the scalar half or from constants, or are not written.
fn narrow(e: &mut Entropy<'_>, body: &mut Body, alu: &mut Alu, unread: u8, input: u8) {
    let count = unread.count_ones();
    alu.vmask = (1u8 << count) - 1;
    alu.swz1 = spread(unread, alu.vmask);
    alu.swz2 = alu.swz1;
    match e.weighted(&[50, 35, 8, 7]) {
        1 => {
            (alu.sop, alu.smask, alu.sdest) = (ScalarOp::Maxs as u8, 8, alu.vdest);
            (alu.src3, alu.swz3) = (input, swizzle([e.below(4); 4]));
            body.mark(input.into(), 0xf);
        }
        2 => alu.sdest_rel = 1,
        3 => {
            // A component in both masks is set to the constant one.
            alu.vmask |= 8;
            (alu.sop, alu.smask, alu.sdest) = (ScalarOp::Maxs as u8, 8, alu.vdest);
        }
        _ => {}
    }
}
