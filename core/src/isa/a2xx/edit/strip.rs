//! One shader without its file, in as few clauses as run the same slots in the same order.

use super::super::decode;
use super::super::encode::{encode, to_dwords};
use super::super::interface::shader_of;
use super::super::opcode::CfOp;
use super::super::program::{Clause, Exec, Kind, Order, Program, Shader};
use super::super::word::MOST_RUN;
use super::{each_target, remove_clauses};
use crate::isa::Entry;

/// The shader that the entry runs, bare; `None` if that is all there is already, or if its words would be read as something else.
pub fn strip(program: &Program, entry: &Entry) -> Option<Program> {
    let mut shader = Shader { stage: None, tail: Vec::new(), ..shader_of(program, entry)?.clone() };
    while merge(&mut shader) {}
    let shader = decode::from_dwords(&to_dwords(&shader));
    let gaps = vec![Vec::new(); 2];
    let stripped = Program { kind: Kind::Bare, order: Order::Little, shaders: vec![shader], gaps };
    let read = decode::decode(&encode(&stripped)).ok()?;
    (read == stripped && stripped != *program).then_some(stripped)
}

/// Makes one clause of the first two that run adjoining slots on no condition, unless the second is a target. Says whether there were any.
fn merge(shader: &mut Shader) -> bool {
    let mut targets = Vec::new();
    each_target(shader, |target| targets.push(usize::from(*target)));
    let joined = |at: usize| {
        let (Clause::Exec(a), Clause::Exec(b)) = (shader.clauses.get(at)?, shader.clauses.get(at + 1)?)
        else {
            return None;
        };
        let goes_on = a.opcode == CfOp::Exec as u8;
        let plain = goes_on && [CfOp::Exec as u8, CfOp::ExecEnd as u8].contains(&b.opcode);
        let adjoin = b.addr == a.addr + u16::from(a.cnt) && a.cnt + b.cnt <= MOST_RUN;
        let low = |bits: u32| (1 << bits) - 1;
        let count = u32::from(a.cnt);
        (plain && adjoin && !targets.contains(&(at + 1))).then(|| Exec {
            addr: a.addr,
            cnt: a.cnt + b.cnt,
            seq: a.seq & low(2 * count) | b.seq << (2 * count),
            vc: a.vc & low(count) as u8 | b.vc << count,
            ..*b
        })
    };
    let Some((at, exec)) = (0..shader.clauses.len()).find_map(|at| Some((at, joined(at)?))) else {
        return false;
    };
    shader.clauses[at] = Clause::Exec(exec);
    remove_clauses(shader, at + 1, at + 2);
    true
}
