//! Which kernel does an operation, and which operations one kernel does together.
//!
//! A value needed once, by the very operation under way, may be taken over ("absorbed") by it. Every rounding stays where it was: a
//! kernel that does two operations rounds twice.

use super::Scalar;
use super::gather::{FIXED, Gather, Kind, NONE, Step, is_scalar};
use super::inst::{Inst, Kernel};
use crate::ir::{Inst as IrInst, Op, Program};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp, Narrow};

/// The operands of one step, at most as many as a texture read has.
#[derive(Clone, Copy)]
struct Args {
    items: [u32; 10],
    n: usize,
}

impl Args {
    const NONE: Args = Args { items: [0; 10], n: 0 };

    #[inline]
    fn push(&mut self, operand: u32) {
        self.items[self.n] = operand;
        self.n += 1;
    }

    /// These and then those from number `from` of `rest` on.
    #[inline]
    fn then(mut self, rest: &Args, from: usize) -> Args {
        for &operand in &rest.items[from..rest.n] {
            self.push(operand);
        }
        self
    }

    #[inline]
    fn all(&self) -> &[u32] {
        &self.items[..self.n]
    }
}

/// The kernel and immediate for an operation that is not a constant, an input or a variable.
fn kernel(op: Op) -> (Kernel, u32) {
    let kernel = match op {
        Op::Un(FUn::Neg) => Kernel::Neg,
        Op::Un(FUn::Abs) => Kernel::Abs,
        Op::Un(FUn::Sqrt) => Kernel::Sqrt,
        Op::Un(FUn::Floor) => Kernel::Floor,
        Op::Un(FUn::Trunc) => Kernel::Trunc,
        Op::Un(FUn::RoundEven) => Kernel::RoundEven,
        Op::Un(FUn::Exp2) => Kernel::Exp2,
        Op::Un(FUn::Log2) => Kernel::Log2,
        Op::Un(FUn::Sin) => Kernel::Sin,
        Op::Un(FUn::Cos) => Kernel::Cos,
        Op::Un(FUn::Narrow(Narrow::F24Nearest)) => Kernel::NarrowNearest,
        Op::Un(FUn::Narrow(Narrow::F24Zero)) => Kernel::NarrowZero,
        Op::Add => Kernel::Add,
        Op::Sub => Kernel::Sub,
        Op::Mul => Kernel::Mul,
        Op::Div => Kernel::Div,
        Op::Fma => Kernel::Fma,
        Op::Min => Kernel::Min,
        Op::Max => Kernel::Max,
        Op::Mulz => Kernel::Mulz,
        Op::Flush => Kernel::Flush,
        Op::Cmp(FCmp::Lt) => Kernel::Lt,
        Op::Cmp(FCmp::Le) => Kernel::Le,
        Op::Cmp(FCmp::Eq) => Kernel::Eq,
        Op::ICmp(ICmp::Eq) => Kernel::IEq,
        Op::ICmp(ICmp::LtS) => Kernel::ILtS,
        Op::ICmp(ICmp::LtU) => Kernel::ILtU,
        Op::IBin(IBin::Add) => Kernel::IAdd,
        Op::IBin(IBin::Sub) => Kernel::ISub,
        Op::IBin(IBin::Mul) => Kernel::IMul,
        Op::IBin(IBin::And) | Op::Logic(BBin::And) => Kernel::And,
        Op::IBin(IBin::Or) | Op::Logic(BBin::Or) => Kernel::Or,
        Op::IBin(IBin::Xor) | Op::Logic(BBin::Xor) => Kernel::Xor,
        Op::IBin(IBin::Shl) => Kernel::Shl,
        Op::IBin(IBin::ShrU) => Kernel::ShrU,
        Op::IBin(IBin::ShrS) => Kernel::ShrS,
        Op::Not => Kernel::Not,
        Op::Sel(_) => Kernel::Select,
        Op::TruncI => Kernel::TruncI,
        Op::ToF => Kernel::ToF,
        Op::Bits => Kernel::Bits,
        Op::Ddx { fine: true } => Kernel::DdxFine,
        Op::Ddx { fine: false } => Kernel::DdxCoarse,
        Op::Ddy { fine: true } => Kernel::DdyFine,
        Op::Ddy { fine: false } => Kernel::DdyCoarse,
        Op::Kill => Kernel::Kill,
        Op::UniformAt(c) => return (Kernel::UniformAt, u32::from(c & 3)),
        Op::Load(array) => return (Kernel::Load, array.0),
        Op::Store(array) => return (Kernel::Store, array.0),
        Op::Sample(sampler) => return (Kernel::Sample, sampler.0),
        Op::Fetch { .. } => Kernel::Fetch,
        Op::Effect { .. } => Kernel::Effect,
        Op::Fuel(n) => return (Kernel::Fuel, n),
        // Constants, inputs and variables do not come here.
        Op::F32(_)
        | Op::I32(_)
        | Op::Bool(_)
        | Op::Input(_)
        | Op::Uniform(_)
        | Op::IntUniform(_)
        | Op::BoolUniform(_)
        | Op::Read(_)
        | Op::Write(_)
        | Op::FromBits => Kernel::Copy,
    };
    (kernel, 0)
}

impl Gather {
    /// Adds the step for an operation that is neither a constant, an input nor a variable.
    pub(super) fn kernel(&mut self, program: &Program, at: u32, inst: &IrInst) {
        let (mut kernel, x) = kernel(inst.op);
        let mut args = Args::NONE;
        for value in program.args(inst) {
            let operand = self.operand(*value);
            args.push(operand);
        }
        let hoistable = kernel.is_lane_wise() || kernel == Kernel::UniformAt;
        if hoistable && args.all().iter().all(|&a| is_scalar(a)) {
            let row = self.fixed.scalar(Scalar::Computed);
            let mut s = [0; 4];
            for (s, arg) in s.iter_mut().zip(args.all()) {
                *s = row_of(*arg);
            }
            let truth = matches!(program.results(inst).0, crate::ir::Ty::Bool);
            self.prologue.push(Inst { kernel, masked: false, truth, n: 0, d: row_of(row), s, x });
            self.canon[inst.result.0 as usize] = row;
            return;
        }
        match kernel {
            Kernel::Add => self.sum(&mut kernel, &mut args),
            Kernel::Sub => {
                if let Some(step) = self.absorb(args.items[0], &[Kernel::Mul]) {
                    kernel = Kernel::MulSub;
                    args = self.operands(step).then(&args, 1);
                } else if let Some(step) = self.absorb(args.items[1], &[Kernel::Mul]) {
                    kernel = Kernel::NegMulAdd;
                    args.n = 1;
                    args = self.operands(step).then(&args, 0);
                }
            }
            Kernel::Min => {
                if let Some(step) = self.absorb(args.items[0], &[Kernel::Max]) {
                    kernel = Kernel::Clamp;
                    args = self.operands(step).then(&args, 1);
                }
            }
            Kernel::Select => {
                while let Some(step) = self.absorb(args.items[0], &[Kernel::Not]) {
                    args.items[0] = self.args[step.args as usize];
                    args.items.swap(1, 2);
                }
                if let Some(step) = self.absorb(args.items[0], &[Kernel::Lt, Kernel::Le, Kernel::Eq]) {
                    kernel = match step.kind {
                        Kind::Kernel(Kernel::Lt) => Kernel::SelectLt,
                        Kind::Kernel(Kernel::Le) => Kernel::SelectLe,
                        _ => Kernel::SelectEq,
                    };
                    args = self.operands(step).then(&args, 1);
                }
            }
            _ => {}
        }
        let results = inst.op.results().map_or(0, |r| r.1);
        let result = if results == 0 { NONE } else { inst.result.0 };
        self.push(Kind::Kernel(kernel), result, args.all(), x, at);
        for k in 0..u32::from(results) {
            self.canon[(inst.result.0 + k) as usize] = inst.result.0 + k;
            self.def[(inst.result.0 + k) as usize] = self.steps.len() as u32 - 1;
        }
        if kernel == Kernel::Fuel {
            self.fuel = self.steps.len() as u32;
        }
    }

    /// A sum: with one product a multiply-add, with more a dot product or a chain, added from left to right.
    fn sum(&mut self, kernel: &mut Kernel, args: &mut Args) {
        const CHAINS: [Kernel; 5] = [Kernel::Mul, Kernel::Dot2, Kernel::Dot3, Kernel::MulAdd, Kernel::Chain2];
        // Addition commutes, so either side may be the product.
        let [a, b, ..] = args.items;
        for (product, rest) in [(b, a), (a, b)] {
            if product == rest {
                break;
            }
            let Some(step) = self.absorb(product, &[Kernel::Mul]) else {
                continue;
            };
            let product = self.operands(step);
            if let Some(chain) = self.absorb(rest, &CHAINS) {
                *kernel = match chain.kind {
                    Kind::Kernel(Kernel::Mul) => Kernel::Dot2,
                    Kind::Kernel(Kernel::Dot2) => Kernel::Dot3,
                    Kind::Kernel(Kernel::Dot3) => Kernel::Dot4,
                    Kind::Kernel(Kernel::MulAdd) => Kernel::Chain2,
                    _ => Kernel::Chain3,
                };
                *args = self.operands(chain).then(&product, 0);
            } else {
                *kernel = Kernel::MulAdd;
                *args = product;
                args.push(rest);
            }
            return;
        }
    }

    /// The step that computes `operand` with one of `kernels` for this one use; it will not be done on its own any more.
    fn absorb(&mut self, operand: u32, kernels: &[Kernel]) -> Option<Step> {
        if operand & FIXED != 0 || self.uses[operand as usize] != 1 {
            return None;
        }
        let step = &mut self.steps[self.def[operand as usize] as usize];
        match step.kind {
            Kind::Kernel(kernel) if kernels.contains(&kernel) => {
                step.absorbed = true;
                Some(*step)
            }
            _ => None,
        }
    }

    fn operands(&self, step: Step) -> Args {
        let mut args = Args::NONE;
        for &operand in &self.args[step.args as usize..][..step.n as usize] {
            args.push(operand);
        }
        args
    }
}

/// The row of a fixed operand.
pub(super) fn row_of(operand: u32) -> u32 {
    operand & !(super::gather::FIXED | super::gather::SCALAR)
}
