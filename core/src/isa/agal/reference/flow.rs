//! Conditions, and the targets of lanes that skip parts of blocks.

use super::super::Agal;
use super::super::opcode::Opcode;
use super::super::options::Choice;
use super::super::program::Token;
use super::{Lane, LaneContext};
use crate::host::Host;
use crate::isa::Context;
use crate::value::{Domain, Freedom};

/// Returns the condition of a block, which depends on the first component of the swizzled sources or, under an option, on all components.
pub(super) fn condition<D: Domain, H: Host<D>>(
    reader: &mut LaneContext<'_, D, H>,
    op: Opcode,
    lane: &Lane<D>,
    token: &Token,
) -> D::B {
    let d = reader.d;
    let Some(second) = token.b_source() else { return d.b(false) };
    let (a, b) = (reader.source(lane, &token.a), reader.source(lane, second));
    let first = compare(reader, op, &a[0], &b[0]);
    if token.a.is_replicated() && second.is_replicated() {
        return first;
    }
    reader.record(Freedom::ScalarLane, &d.b(true));
    match reader.choice(Choice::Conditions) {
        0 => first,
        _ => (1..4).fold(first, |all, i| d.and(&all, &compare(reader, op, &a[i], &b[i]))),
    }
}

/// Compares one component as the opcode specifies.
fn compare<D: Domain, H: Host<D>>(
    reader: &mut LaneContext<'_, D, H>,
    op: Opcode,
    a: &D::F,
    b: &D::F,
) -> D::B {
    let d = reader.d;
    match op {
        Opcode::Ife => d.eq(a, b),
        Opcode::Ine => d.not(&d.eq(a, b)),
        Opcode::Ifl => d.lt(a, b),
        _ => {
            let equal = d.eq(a, b);
            reader.record(Freedom::GreaterOrEqual, &equal);
            match reader.choice(Choice::Ifg) {
                0 => d.lt(b, a),
                _ => d.le(b, a),
            }
        }
    }
}

/// Returns the target of a lane that skips the instructions after `pc`: after the matching `els` if `stops_at_else` is true and there is one,
/// otherwise after the matching `eif`, or at the end of the program if there is no `eif`.
pub(super) fn skip(cx: &Context<'_, Agal>, pc: u32, stops_at_else: bool) -> u32 {
    let mut depth = 0u32;
    for (k, token) in cx.program.tokens.iter().enumerate().skip(pc as usize + 1) {
        match token.op() {
            Some(Opcode::Ife | Opcode::Ine | Opcode::Ifg | Opcode::Ifl) => depth += 1,
            Some(Opcode::Els) if depth == 0 && stops_at_else => return k as u32 + 1,
            Some(Opcode::Eif) if depth == 0 => return k as u32 + 1,
            Some(Opcode::Eif) => depth -= 1,
            _ => {}
        }
    }
    cx.program.tokens.len() as u32
}
