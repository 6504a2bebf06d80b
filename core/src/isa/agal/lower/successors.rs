//! Lowers control flow: the successors of instructions, and the conditions of blocks.

use super::super::opcode::{Opcode, Shape};
use super::super::options::Choice;
use super::super::program::Token;
use super::outline::Outline;
use super::{Cx, Lower};
use crate::ir::Value;
use crate::isa::lowering::Successors;
use crate::value::{BBin, FCmp};
use smallvec::smallvec;

/// Returns the successors of the instruction at `pc`. For a condition, the successor taken if it is true comes first. The index after the last
/// instruction is also a node, at which lanes end.
pub fn successors(cx: &Cx<'_>, outline: &Outline, pc: &u32) -> Successors<u32> {
    let pc = *pc;
    let tokens = &cx.program.tokens;
    let Some(token) = tokens.get(pc as usize) else { return Successors::new() };
    let next = pc + 1;
    let skip_target = outline.get(pc as usize).copied().unwrap_or(next);
    let mut successors: Successors<u32> = match token.op().map(|op| (op, op.row().shape)) {
        Some((_, Shape::Compare)) => smallvec![next, skip_target],
        Some((Opcode::Els, _)) => smallvec![skip_target],
        _ => smallvec![next],
    };
    // The condition of an empty block has one successor, not two.
    successors.dedup();
    successors
}

impl Lower<'_, '_> {
    pub(super) fn condition(&mut self, op: Opcode, token: &Token) -> Value {
        let Some(second) = token.b_source() else { return self.b.b(false) };
        let several = !token.a.is_replicated() || !second.is_replicated();
        if several && self.option_is(Choice::Conditions, 1) {
            let (a, b) = (self.vector(&token.a, 4), self.vector(second, 4));
            let mut all = self.comparison(op, a[0], b[0]);
            for (a, b) in a.into_iter().zip(b).skip(1) {
                let one = self.comparison(op, a, b);
                all = self.b.logic(BBin::And, all, one);
            }
            return all;
        }
        let (a, b) = (self.component(&token.a, 0), self.component(second, 0));
        self.comparison(op, a, b)
    }

    pub(super) fn comparison(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        match op {
            Opcode::Ife => self.b.cmp(FCmp::Eq, a, b),
            Opcode::Ine => {
                let equal = self.b.cmp(FCmp::Eq, a, b);
                self.b.not(equal)
            }
            Opcode::Ifl => self.b.cmp(FCmp::Lt, a, b),
            _ => {
                let cmp = if self.option_is(Choice::Ifg, 0) { FCmp::Lt } else { FCmp::Le };
                self.b.cmp(cmp, b, a)
            }
        }
    }
}
