//! Generation of ALU slots: a vector operation, a scalar operation, or both.

use super::body::{Body, Item, bits};
use super::flow;
use super::operands::{Operands, operands, reconcile, set};
use super::range::{self, MAX_LOOP_CARRIED, Range};
use super::weights::{choose, flag};
use crate::generate::Entropy;
use lockstep_core::isa::a2xx::opcode::{SCALAR_TABLE, ScalarOp, ScalarShape, VECTOR_TABLE, VectorOp};
use lockstep_core::isa::a2xx::program::{Alu, R0, Slot, Source};

const MASKS: [(&str, u32); 7] =
    [("none", 1), ("x", 6), ("y", 6), ("z", 6), ("w", 6), ("partial", 30), ("full", 46)];

/// Appends an ALU slot.
pub(super) fn any(e: &mut Entropy<'_>, body: &mut Body) {
    let (v, s) = match e.weighted(&[40, 25, 35]) {
        0 => (Some(vector_op(e, body)), None),
        1 => (None, Some(scalar_op(e, body))),
        _ => (Some(vector_op(e, body)), Some(scalar_op(e, body))),
    };
    slot(e, body, v, s);
}

fn vector_op(e: &mut Entropy<'_>, body: &Body) -> VectorOp {
    let kills = u32::from(kills_fit(body));
    let weight = |op: VectorOp| match op {
        VectorOp::Muladd => 24,
        VectorOp::Add | VectorOp::Mul => 16,
        VectorOp::Mova => 2 * u32::from(body.relative && !body.single_slot),
        _ if op.kills() => kills,
        _ if op.sets_predicate() => 3 * u32::from(!body.single_slot),
        VectorOp::Sete | VectorOp::Setgt | VectorOp::Setgte | VectorOp::Setne => 3,
        VectorOp::Trunc | VectorOp::Floor | VectorOp::Cube => 5,
        _ => 9,
    };
    let weights: Vec<u32> = VECTOR_TABLE.iter().map(|row| weight(row.opcode)).collect();
    VECTOR_TABLE[e.weighted(&weights)].opcode
}

fn scalar_op(e: &mut Entropy<'_>, body: &Body) -> ScalarOp {
    let kills = u32::from(kills_fit(body));
    let weight = |op: ScalarOp| match op {
        ScalarOp::PredSetClrs => 2,
        ScalarOp::Movas | ScalarOp::MovaFloors => 3 * u32::from(body.relative && !body.single_slot),
        ScalarOp::MulPrev2s | ScalarOp::RetainPrev => 2,
        _ if op.kills() => kills,
        _ if op.sets_predicate() => 4 * u32::from(!body.single_slot),
        ScalarOp::Setes | ScalarOp::Setgts | ScalarOp::Setgtes | ScalarOp::Setnes => 3,
        _ => 10,
    };
    let weights: Vec<u32> = SCALAR_TABLE.iter().map(|row| weight(row.opcode)).collect();
    SCALAR_TABLE[e.weighted(&weights)].opcode
}

/// Whether a random slot may kill: only if warnings are allowed, since kills in vertex shaders cause a warning, and not where a step has to emit
/// exactly one slot. Otherwise, kills are emitted only at the end of pixel shaders, since a killed pixel has no results to compare.
fn kills_fit(body: &Body) -> bool {
    !body.single_slot && body.allows_warnings
}

/// Appends a slot that may kill.
pub(super) fn kill(e: &mut Entropy<'_>, body: &mut Body) {
    if e.chance(50) {
        let ops: Vec<VectorOp> = VECTOR_TABLE.iter().map(|row| row.opcode).filter(|op| op.kills()).collect();
        let beside = if e.chance(20) { Some(scalar_op(e, body)) } else { None };
        let op = e.pick(&ops).copied();
        return slot(e, body, op, beside);
    }
    let ops: Vec<ScalarOp> = SCALAR_TABLE.iter().map(|row| row.opcode).filter(|op| op.kills()).collect();
    let beside = if e.chance(40) { Some(vector_op(e, body)) } else { None };
    let op = e.pick(&ops).copied();
    slot(e, body, beside, op);
}

/// The destinations of the results of a slot.
#[derive(Clone, Copy, Debug)]
struct Places {
    export: bool,
    vdest: u8,
    vdest_rel: bool,
    vmask: u8,
    sdest: u8,
    sdest_rel: bool,
    smask: u8,
}

/// Appends a slot with these operations, at least one of which must be given, and slots that provide or use its implicit operands and results.
pub(super) fn slot(e: &mut Entropy<'_>, body: &mut Body, v: Option<VectorOp>, s: Option<ScalarOp>) {
    let scalar_is_requested = s.is_some_and(|op| body.is_requested(op.row().mnemonic));
    let scalar_is_main = v.is_none() || scalar_is_requested;
    let has_three_sources = v.is_some_and(|op| op.sources() == 3);
    let shape = s.map(ScalarOp::shape);
    if has_three_sources && shape == Some(ScalarShape::Constant) {
        // The slot gets only one of the two operations, since they would interpret the same fields in different ways.
        return slot(e, body, v.filter(|_| !scalar_is_requested), s.filter(|_| scalar_is_requested));
    }
    let mut predicate = {
        let some = if body.predicate.is_some() { 8 } else { 1 };
        let table = [("none", 90), ("true", some), ("false", some)];
        choose(e, facet!("predicate"), &table)
    };
    if predicate != 0 && body.predicate != Some(true) {
        if body.single_slot {
            predicate = 0;
        } else {
            flow::set_predicate(e, body);
        }
    }
    let uses_previous = matches!(shape, Some(ScalarShape::OnePrevious | ScalarShape::TwoPrevious))
        || s == Some(ScalarOp::RetainPrev);
    let previous_is_usable =
        body.previous.varies && body.previous.size() <= MAX_LOOP_CARRIED * MAX_LOOP_CARRIED;
    if uses_previous && !body.single_slot && !body.previous_unread && !previous_is_usable {
        auxiliary_slot(e, body, None, Some(ScalarOp::Adds));
    }
    let mut alu = Alu { vop: VectorOp::Max as u8, sel1: 1, sel2: 1, sel3: 1, ..Alu::default() };
    alu.pred_en = u8::from(predicate != 0);
    alu.pred_cond = u8::from(predicate == 1);
    alu.vop = v.unwrap_or(if e.chance(85) { VectorOp::Max } else { VectorOp::Add }) as u8;
    let masks = masks(e, v, s);
    let mut operands = operands(e, body, v, s, masks[0]);
    reconcile(e, body, &mut alu, &mut operands);
    let clamp = |e: &mut Entropy<'_>| flag(e, facet!("clamp"), 5);
    let (vclamp, sclamp) = (v.map_or(0, |_| clamp(e)), s.map_or(0, |_| clamp(e)));
    let results = results(body, v, s, &operands, [vclamp, sclamp]);
    let sure = predicate == 0;
    let places = places(e, body, (v, s), scalar_is_main, masks, &results, sure);
    (alu.vclamp, alu.sclamp) = (vclamp, sclamp);
    set(&mut alu, &operands, s);
    set_places(e, body, &mut alu, &places);
    // Operands are marked as read before the results are recorded.
    for (_, operand, channels) in &operands.list {
        body.mark_source(operand, *channels);
    }
    fill(e, body, &mut alu, s, v.is_some() && places.vmask == 0);
    if s.is_some() {
        body.previous_unread = places.smask == 0 && s != Some(ScalarOp::RetainPrev);
        let result = results.1;
        let before = body.previous;
        body.previous = if sure { result } else { before.or(result) };
    }
    body.push(Item::Slot(Slot::Alu(alu)));
    let now = |r: Range| [r; 4];
    if !places.export {
        if places.vmask != 0 {
            record_result(body, places.vdest, places.vdest_rel, places.vmask, &results.0, sure);
        }
        if places.smask != 0 {
            let result = now(range::clamp(results.1, sclamp != 0));
            record_result(body, places.sdest, places.sdest_rel, places.smask, &result, sure);
        }
    }
    use_implicit_results(e, body, v, s, &results);
}

fn record_result(body: &mut Body, number: u8, relative: bool, mask: u8, ranges: &[Range; 4], sure: bool) {
    body.record_write(number.into(), mask, ranges, sure);
    if relative && body.loops > 0 {
        // The register that a relative write changes is unknown here. The read-back uses the same index.
        read_back(body, number, mask);
    }
}

/// Adds the value just written relative to aL to a working register, so that it can be compared.
pub(super) fn read_back(body: &mut Body, number: u8, mask: u8) {
    for c in bits(mask) {
        body.cells[usize::from(number)][c].unread = false;
    }
    let to = body.working.first().copied().unwrap_or(2);
    let mut alu = Alu { vop: VectorOp::Add as u8, sel1: 1, sel2: 1, sel3: 1, ..Alu::default() };
    (alu.vdest, alu.vmask, alu.sop) = (to, mask, ScalarOp::RetainPrev as u8);
    (alu.src1, alu.src2) = (to, Source { number, relative: true, ..R0 }.byte());
    body.push(Item::Slot(Slot::Alu(alu)));
    let old = body.hull_of(to.into(), mask);
    let size = old.size() + MAX_LOOP_CARRIED;
    body.record_write(to.into(), mask, &[Range::between(-size, size, true); 4], true);
}

/// Records that an operation sets the predicate, and emits slots that use its other implicit results: a0 and the previous scalar.
fn use_implicit_results(
    e: &mut Entropy<'_>,
    body: &mut Body,
    v: Option<VectorOp>,
    s: Option<ScalarOp>,
    results: &([Range; 4], Range),
) {
    if v.is_some_and(VectorOp::sets_predicate) || s.is_some_and(ScalarOp::sets_predicate) {
        body.predicate = Some(s != Some(ScalarOp::PredSetClrs) && (results.1.varies || e.chance(70)));
    }
    if v == Some(VectorOp::Mova) || matches!(s, Some(ScalarOp::Movas | ScalarOp::MovaFloors)) {
        (body.a0, body.use_a0) = (true, true);
        if !body.single_slot {
            auxiliary_slot(e, body, Some(VectorOp::Add), None);
        }
        body.use_a0 = false;
    }
    if body.previous_unread && !body.single_slot {
        auxiliary_slot(e, body, None, Some(ScalarOp::AddPrevs));
    }
}

/// Appends an auxiliary slot, for which the program request is ignored.
fn auxiliary_slot(e: &mut Entropy<'_>, body: &mut Body, v: Option<VectorOp>, s: Option<ScalarOp>) {
    let opcode = std::mem::take(&mut body.opcode);
    slot(e, body, v, s);
    body.opcode = opcode;
}

/// Returns the ranges of the results of both operations; that of the scalar one is before its clamp.
fn results(
    body: &Body,
    v: Option<VectorOp>,
    s: Option<ScalarOp>,
    operands: &Operands,
    clamps: [u8; 2],
) -> ([Range; 4], Range) {
    let own = |which: u8, c: usize| operands.of(which).map_or(Range::ZERO, |(_, o, _)| body.channel(o, c));
    let all = |which: u8| operands.of(which).map_or(Range::ZERO, |(_, o, m)| body.channels(o, *m));
    let vector = std::array::from_fn(|c| {
        let Some(op) = v else { return Range::ZERO };
        let mixes = op.channels(1, 1) != 1;
        let of = |which: u8| if mixes && op != VectorOp::Dst { all(which) } else { own(which, c) };
        range::clamp(range::vector(op, c, [of(1), of(2), of(3)]), clamps[0] != 0)
    });
    let scalar = s.map_or(Range::ZERO, |op| {
        let has_three_sources = v.is_some_and(|op| op.sources() == 3);
        let second = match op.shape() {
            ScalarShape::Constant => own(4, 0),
            _ => own(3, if has_three_sources { 2 } else { 0 }),
        };
        range::scalar(op, [own(3, 3), second], body.previous)
    });
    (vector, scalar)
}

/// Returns the write masks of both operations.
fn masks(e: &mut Entropy<'_>, v: Option<VectorOp>, s: Option<ScalarOp>) -> [u8; 2] {
    let mask = |e: &mut Entropy<'_>| match choose(e, facet!("mask"), &MASKS) {
        0 => 0,
        k @ 1..=4 => 1 << (k - 1),
        5 => [3, 5, 6, 7, 9, 10, 11, 12, 13, 14][e.below(10)],
        _ => 0xf,
    };
    let vmask = v.map_or(0, |_| mask(e));
    let smask = match s {
        Some(ScalarOp::PredSetClrs) if !e.chance(20) => 0,
        Some(_) => match e.weighted(&[76, 10, 10, 4]) {
            0 => 1 << e.below(4),
            1 => [3, 5, 6, 7, 9, 10, 11, 12, 13, 14][e.below(10)],
            2 => 0xf,
            _ => 0,
        },
        None => 0,
    };
    [vmask, smask]
}

/// Returns the destinations of both results.
fn places(
    e: &mut Entropy<'_>,
    body: &mut Body,
    (v, s): (Option<VectorOp>, Option<ScalarOp>),
    scalar_is_main: bool,
    [mut vmask, mut smask]: [u8; 2],
    results: &([Range; 4], Range),
    sure: bool,
) -> Places {
    let varies = bits(vmask).all(|c| results.0[c].varies) && (smask == 0 || results.1.varies);
    let export = if body.may_export() { if varies && sure { 14 } else { 2 } } else { 0 };
    let relative = if body.relative { 6 } else { 0 };
    let table = [("register", 90), ("relative", relative), ("export", export)];
    let dest = choose(e, facet!("dest"), &table);
    if dest == 2 && !body.exports.is_empty() {
        let at = if body.exports.len() > 1 { e.below(body.exports.len() - 1) } else { 0 };
        let (number, most) = body.exports[at];
        if body.exports.len() > 1 {
            body.exports.remove(at);
        }
        if most != 0xf {
            vmask &= most;
            smask &= most;
            if vmask | smask == 0 {
                *(if s.is_some() { &mut smask } else { &mut vmask }) = 1;
            }
        } else if s.is_some() && v.is_some() && smask & vmask != 0 && !e.chance(10) {
            // A component in both masks is exported as the constant one, whatever the results are.
            smask &= !vmask;
            if smask == 0 && s.is_some_and(|op| body.is_requested(op.row().mnemonic)) {
                (vmask, smask) = (vmask & 7, 8);
            }
        }
        let fill = most == 0xf && e.chance(6);
        return Places {
            export: true,
            vdest: number,
            vdest_rel: false,
            vmask,
            sdest: number,
            sdest_rel: fill,
            smask,
        };
    }
    let size = |mask: u8, r: &[Range; 4]| bits(mask).map(|c| r[c].size()).fold(0.0, f32::max);
    let vdest = self::dest(e, body, vmask, size(vmask, &results.0), sure);
    let mut sdest = vdest;
    if s.is_some() {
        sdest = if vmask & smask == 0 && e.chance(40) && v.is_some() && body.unread(vdest.into()) & smask == 0
        {
            vdest
        } else {
            self::dest(e, body, smask, results.1.size(), sure)
        };
        if sdest == vdest && vmask & smask != 0 && !(body.allows_warnings && e.chance(30)) {
            if vmask == 0xf {
                let others: Vec<u8> = body
                    .working
                    .iter()
                    .copied()
                    .filter(|n| *n != vdest && body.pinned >> n & 1 == 0)
                    .collect();
                sdest = e.pick(&others).copied().unwrap_or((vdest + 1) & 63);
            } else {
                let free: Vec<usize> = bits(!vmask & 0xf).collect();
                smask = 1 << e.pick(&free).copied().unwrap_or_default();
            }
        }
    }
    let of_scalar = scalar_is_main && s.is_some();
    let both = dest == 1;
    Places {
        export: false,
        vdest,
        vdest_rel: both && !of_scalar && vmask != 0,
        vmask,
        sdest,
        sdest_rel: both && of_scalar && smask != 0,
        smask,
    }
}

fn set_places(e: &mut Entropy<'_>, body: &Body, alu: &mut Alu, places: &Places) {
    alu.export = u8::from(places.export);
    (alu.vdest, alu.vdest_rel, alu.vmask) = (places.vdest, u8::from(places.vdest_rel), places.vmask);
    (alu.sdest, alu.sdest_rel, alu.smask) = (places.sdest, u8::from(places.sdest_rel), places.smask);
    if places.export && places.smask == 0 && !(body.allows_warnings && e.chance(20)) {
        alu.sdest = 0;
    }
}

/// Fills the unused scalar half of a slot in the way compilers do.
fn fill(e: &mut Entropy<'_>, body: &mut Body, alu: &mut Alu, s: Option<ScalarOp>, idle: bool) {
    if s.is_some() {
        return;
    }
    let retains = body.previous_unread || idle;
    let fillers = [ScalarOp::RetainPrev, ScalarOp::Maxs, ScalarOp::Adds];
    let filler = fillers[if retains { 0 } else { e.weighted(&[45, 45, 10]) }];
    alu.sop = filler as u8;
    alu.smask = 0;
    if filler != ScalarOp::RetainPrev {
        body.previous = Range::UNKNOWN;
    }
}

/// Returns a register to write to, if possible one in which no unread value is lost.
pub(super) fn dest(e: &mut Entropy<'_>, body: &Body, mask: u8, size: f32, sure: bool) -> u8 {
    let repeats = body.is_repeated();
    let allowed = |n: &u8| {
        let carried = if repeats && size > MAX_LOOP_CARRIED { body.written((*n).into()) } else { 0 };
        body.pinned >> n & 1 == 0 && carried & mask == 0
    };
    let all: Vec<u8> = body.working.iter().copied().filter(allowed).collect();
    let free: Vec<u8> =
        all.iter().copied().filter(|n| !sure || body.unread((*n).into()) & mask == 0).collect();
    let known: Vec<u8> = free.iter().copied().filter(|n| body.written((*n).into()) & mask == mask).collect();
    if (!sure || !body.scopes.is_empty()) && e.chance(60) && !known.is_empty() {
        // Prefers a register that already has a value for the lanes that do not run this slot.
        return e.pick(&known).copied().unwrap_or_default();
    }
    let new = || (0..64u8).rev().find(|n| body.pinned >> n & 1 == 0 && body.unread((*n).into()) == 0);
    e.pick(&free).copied().or_else(new).unwrap_or(2)
}
