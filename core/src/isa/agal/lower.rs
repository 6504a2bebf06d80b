//! The lowering: translates tokens to scalar IR, component by component, in the reference's order of operations.

mod arithmetic;
mod operands;
mod outline;
mod successors;
mod texture;

pub use outline::{Outline, outline};
pub use successors::successors;

use super::Agal;
use super::opcode::{Opcode, Shape};
use super::options::Choice;
use super::program::{File, SourceOrSampler, Token};
use super::variables::key;
use crate::ir::{Builder, Op, Ty, Value, Var};
use crate::isa::lowering::{BranchSelect, FallbackExit};
use crate::isa::registers::plain_outputs;
use crate::isa::{Context, Stage};
use crate::value::{FCmp, IBin};

type Cx<'a> = Context<'a, Agal>;

/// The output slot of varying 0 in a vertex program.
const FIRST_VARYING_SLOT: u16 = 1;
const DEPTH_SLOT: u16 = 4;
const INSTANCE_SLOT: u16 = 32;

/// Returns the variable of a register component.
fn var(b: &mut Builder, file: File, number: u16, component: usize) -> Var {
    b.var(key(file, number, component), Ty::F32, 0)
}

/// Declares the outputs in the entry's interface.
pub fn declare(cx: &Cx<'_>, b: &mut Builder) {
    for port in plain_outputs::<Agal>(cx.entry) {
        let (file, number) = match (cx.program.stage, port.slot) {
            (Stage::Vertex, 0) => (File::Output, 0),
            (Stage::Vertex, slot) => (File::Varying, slot - FIRST_VARYING_SLOT),
            (_, DEPTH_SLOT) => (File::Depth, 0),
            (_, slot) => (File::Output, slot),
        };
        for c in (0..4usize).filter(|c| port.mask >> c & 1 == 1) {
            let var = var(b, file, number, c);
            b.output(port.slot * 4 + c as u16, var);
        }
    }
}

/// Lowers an instruction for the fallback.
pub fn word(cx: &Cx<'_>, outline: &Outline, word: u32, b: &mut Builder) -> FallbackExit {
    FallbackExit::Static(node(cx, outline, &word, b), successors(cx, outline, &word))
}

/// Lowers the instruction at `pc` and returns how it selects its successor.
pub fn node(cx: &Cx<'_>, outline: &Outline, pc: &u32, b: &mut Builder) -> BranchSelect {
    let Some(token) = cx.program.tokens.get(*pc as usize) else { return BranchSelect::Only };
    let Some(op) = token.op() else { return BranchSelect::Only };
    match op.row().shape {
        Shape::Compare => {
            let condition = Lower { cx, b }.condition(op, token);
            if successors(cx, outline, pc).len() == 2 {
                BranchSelect::If(condition)
            } else {
                BranchSelect::Only
            }
        }
        Shape::Marker => BranchSelect::Only,
        Shape::Kill => {
            let mut l = Lower { cx, b };
            let some = !token.a.is_replicated() && l.option_is(Choice::KillLanes, 1);
            let values = l.components(&token.a, if some { 15 } else { 1 });
            let zero = l.b.f(0.0);
            for value in values.into_iter().flatten() {
                let below = l.b.cmp(FCmp::Lt, value, zero);
                l.b.op(Op::Kill, &[below]);
            }
            BranchSelect::Only
        }
        _ => {
            let mut l = Lower { cx, b };
            let mask = token.dest.mask;
            if matches!(mask, 2 | 4 | 8) && l.option_is(Choice::SingleMask, 1) {
                let [x, ..] = l.results(op, token, 1);
                store(b, token, &[x; 4]);
            } else {
                let results = l.results(op, token, mask);
                store(b, token, &results);
            }
            BranchSelect::Only
        }
    }
}

fn store(b: &mut Builder, token: &Token, results: &[Option<Value>; 4]) {
    let dest = &token.dest;
    let Some(file) = File::from_number(dest.file) else { return };
    for (c, value) in results.iter().enumerate() {
        if let (1, Some(value)) = (dest.mask >> c & 1, value) {
            let var = var(b, file, if file == File::Depth { 0 } else { dest.number }, c);
            b.write(var, *value);
        }
    }
}

struct Lower<'a, 'b> {
    cx: &'a Cx<'a>,
    b: &'b mut Builder,
}

impl Lower<'_, '_> {
    fn option_is(&self, option: Choice, choice: u8) -> bool {
        self.cx.options.get(option as usize) == choice
    }

    /// Lowers the result components selected by `mask`.
    fn results(&mut self, op: Opcode, token: &Token, mask: u8) -> [Option<Value>; 4] {
        match (op.row().shape, &token.b) {
            (Shape::Matrix { rows, columns }, SourceOrSampler::Source(matrix)) => {
                let a = self.vector(&token.a, usize::from(columns));
                let slot = (matrix.indirect != 0).then(|| self.slot(matrix));
                self.each(mask, |l, row| {
                    if row >= usize::from(rows) {
                        return l.b.f(0.0);
                    }
                    let slot = slot.map(|slot| {
                        let row = l.b.i(row as i32);
                        let slot = l.b.ibin(IBin::Add, slot, row);
                        l.constant_in_range(slot)
                    });
                    let mut sum = None;
                    for (c, a) in a.iter().enumerate().take(usize::from(columns)) {
                        let m = match slot {
                            Some(slot) => l.b.op(Op::UniformAt(c as u8), &[slot]),
                            None => l.register(matrix.file, matrix.number.wrapping_add(row as u16), c),
                        };
                        let product = l.product(*a, m);
                        sum = Some(sum.map_or(product, |sum| l.b.add(sum, product)));
                    }
                    sum.unwrap_or(Value(0))
                })
            }
            (Shape::Texture, SourceOrSampler::Sampler(sampler)) => self.texel(op, token, sampler).map(Some),
            (Shape::Binary, SourceOrSampler::Source(second)) => self.binary(op, &token.a, second, mask),
            _ => self.unary(op, &token.a, mask),
        }
    }

    fn each(&mut self, mask: u8, mut f: impl FnMut(&mut Self, usize) -> Value) -> [Option<Value>; 4] {
        let mut out = [None; 4];
        for (c, out) in out.iter_mut().enumerate() {
            if mask >> c & 1 == 1 {
                *out = Some(f(self, c));
            }
        }
        out
    }
}
