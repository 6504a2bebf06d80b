//! Kernel selection: which kernel implements an operation, and which operations one kernel combines.
//!
//! If a value has a single use, the operation that uses it may *absorb* the step that computes it: one kernel then performs both. Every rounding is
//! kept: a kernel for two operations rounds twice.

use super::Scalar;
use super::gather::{FIXED, Kind, NONE, PlanWorkspace, Step, is_scalar};
use super::inst::{Inst, Kernel};
use crate::ir::{Flush, Inst as IrInst, Op, Program};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp, Narrow};

/// The kernels for sums of products in which each step is rounded in the same way.
struct Family {
    add: Kernel,
    sub: Kernel,
    mul: Kernel,
    mul_add: Kernel,
    dot2: Kernel,
    dot3: Kernel,
    dot4: Kernel,
    chain2: Kernel,
    chain3: Kernel,
}

/// The kernels without further rounding.
const PLAIN: Family = Family {
    add: Kernel::Add,
    sub: Kernel::Sub,
    mul: Kernel::Mul,
    mul_add: Kernel::MulAdd,
    dot2: Kernel::Dot2,
    dot3: Kernel::Dot3,
    dot4: Kernel::Dot4,
    chain2: Kernel::Chain2,
    chain3: Kernel::Chain3,
};

/// The kernels that round each step by `RoundF24`.
const F24: Family = Family {
    add: Kernel::AddF24,
    sub: Kernel::SubF24,
    mul: Kernel::MulF24,
    mul_add: Kernel::MulAddF24,
    dot2: Kernel::Dot2F24,
    dot3: Kernel::Dot3F24,
    dot4: Kernel::Dot4F24,
    chain2: Kernel::Chain2F24,
    chain3: Kernel::Chain3F24,
};

/// The kernels that round each step by `Flush`.
const FLUSH: Family = Family {
    add: Kernel::AddFlush,
    sub: Kernel::SubFlush,
    mul: Kernel::MulFlush,
    mul_add: Kernel::MulAddFlush,
    dot2: Kernel::Dot2Flush,
    dot3: Kernel::Dot3Flush,
    dot4: Kernel::Dot4Flush,
    chain2: Kernel::Chain2Flush,
    chain3: Kernel::Chain3Flush,
};

/// The kernel and immediate for an operation that [`PlanWorkspace::inst`] does not handle.
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
        Op::Un(FUn::Narrow(Narrow::F24ZeroSaturate)) => Kernel::NarrowZeroSaturate,
        Op::Add => Kernel::Add,
        Op::Sub => Kernel::Sub,
        Op::Mul => Kernel::Mul,
        Op::Div => Kernel::Div,
        Op::Fma => Kernel::Fma,
        Op::Min => Kernel::Min,
        Op::Max => Kernel::Max,
        Op::Mulz => Kernel::Mulz,
        Op::MulzInf => Kernel::MulzInf,
        Op::Flush(Flush::Subnormal) => Kernel::Flush,
        Op::Flush(Flush::F24) => Kernel::FlushF24,
        Op::Flush(Flush::F24Unsigned) => Kernel::FlushF24Unsigned,
        Op::Flush(Flush::Sign) => Kernel::FlushSign,
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
        Op::QuadInput(lane, _) => {
            let lanes = (0..4).map(|k| (lane.seen_from(k) as u32) << (2 * k));
            return (Kernel::QuadInput, lanes.sum());
        }
        Op::UniformAt(c) => return (Kernel::UniformAt, u32::from(c & 3)),
        Op::Load(array) => return (Kernel::Load, array.0),
        Op::Store(array) => return (Kernel::Store, array.0),
        Op::Sample(sampler) => return (Kernel::Sample, sampler.0),
        Op::Fetch { .. } => Kernel::Fetch,
        Op::Effect { .. } => Kernel::Effect,
        Op::Fuel(n) => return (Kernel::Fuel, n),
        // `PlanWorkspace::inst` handles these operations, so this kernel is not used.
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

impl PlanWorkspace {
    /// Adds the step for an operation. If its result is the same in every lane because its operands are, adds an instruction of the prologue instead.
    pub(super) fn add_kernel_step(&mut self, program: &Program, at: u32, inst: &IrInst) {
        let (mut kernel, x) = kernel(inst.op);
        // The operands are appended to `args`. There the operands of an absorbed step replace the operand that it computes.
        let start = self.args.len();
        let mut scalar = true;
        for value in program.args(inst) {
            let operand = self.operand(*value);
            scalar &= is_scalar(operand);
            self.args.push(operand);
        }
        if let Op::QuadInput(_, n) = inst.op {
            scalar = false;
            self.args.push(self.fixed.input(n));
        }
        let (ty, results) = inst.op.results().unwrap_or((crate::ir::Ty::F32, 0));
        let truth = ty == crate::ir::Ty::Bool && results > 0;
        if scalar && (kernel.is_lane_wise() || kernel == Kernel::UniformAt) {
            let row = self.fixed.scalar(Scalar::Computed);
            let mut s = [0; 4];
            for (s, arg) in s.iter_mut().zip(&self.args[start..]) {
                *s = row_of(*arg);
            }
            self.args.truncate(start);
            self.prologue.push(Inst { kernel, masked: false, truth, n: 0, dst: row_of(row), src: s, imm: x });
            self.canon[inst.result.0 as usize] = row;
            return;
        }
        match kernel {
            Kernel::Add => self.sum(&mut kernel, start, &PLAIN),
            Kernel::Flush => self.rounded(&mut kernel, start, Kernel::Mul, &FLUSH),
            Kernel::FlushF24Unsigned => {
                if let Some(step) = self.absorb(self.args[start], |k| k == Kernel::NarrowZero) {
                    kernel = Kernel::RoundF24;
                    self.replace(start, &[step], &[]);
                    self.rounded(&mut kernel, start, Kernel::MulzInf, &F24);
                }
            }
            Kernel::Sub => {
                let (a, b) = (self.args[start], self.args[start + 1]);
                if let Some(step) = self.absorb(a, |k| k == Kernel::Mul) {
                    kernel = Kernel::MulSub;
                    self.replace(start, &[step], &[b]);
                } else if let Some(step) = self.absorb(b, |k| k == Kernel::Mul) {
                    kernel = Kernel::NegMulAdd;
                    self.replace(start, &[step], &[a]);
                }
            }
            Kernel::Min => {
                if let Some(step) = self.absorb(self.args[start], |k| k == Kernel::Max) {
                    kernel = Kernel::Clamp;
                    let bound = self.args[start + 1];
                    self.replace(start, &[step], &[bound]);
                }
            }
            Kernel::Select => {
                while let Some(step) = self.absorb(self.args[start], |k| k == Kernel::Not) {
                    self.args[start] = self.args[step.args as usize];
                    self.args.swap(start + 1, start + 2);
                }
                let compares = |k| matches!(k, Kernel::Lt | Kernel::Le | Kernel::Eq);
                if let Some(step) = self.absorb(self.args[start], compares) {
                    kernel = match step.kind {
                        Kind::Kernel(Kernel::Lt) => Kernel::SelectLt,
                        Kind::Kernel(Kernel::Le) => Kernel::SelectLe,
                        _ => Kernel::SelectEq,
                    };
                    let choices = [self.args[start + 1], self.args[start + 2]];
                    self.replace(start, &[step], &choices);
                }
            }
            _ => {}
        }
        let number = self.steps.len() as u32;
        for k in inst.result.0..inst.result.0 + u32::from(results) {
            self.canon[k as usize] = k;
            self.def[k as usize] = number;
        }
        let result = if results == 0 { NONE } else { inst.result.0 };
        let n = (self.args.len() - start) as u8;
        let kind = Kind::Kernel(kernel);
        self.step(Step { kind, result, args: start as u32, n, x, ir: at, results, truth, absorbed: false });
        if kernel == Kernel::Fuel {
            self.write_barrier = self.steps.len() as u32;
        }
    }

    /// Selects the kernel for a rounding operation. The operation absorbs the product, difference or sum that it rounds. `product` is the kernel of
    /// products that the family rounds.
    fn rounded(&mut self, kernel: &mut Kernel, start: usize, product: Kernel, family: &Family) {
        let steps = |k| k == product || matches!(k, Kernel::Add | Kernel::Sub);
        let Some(step) = self.absorb(self.args[start], steps) else { return };
        self.replace(start, &[step], &[]);
        match step.kind {
            Kind::Kernel(Kernel::Add) => {
                *kernel = family.add;
                self.sum(kernel, start, family);
            }
            Kind::Kernel(Kernel::Sub) => *kernel = family.sub,
            _ => *kernel = family.mul,
        }
    }

    /// Selects the kernel for a sum. A sum with one product becomes a multiply-add, with more products a dot product or a chain. The order of
    /// additions is kept.
    fn sum(&mut self, kernel: &mut Kernel, start: usize, family: &Family) {
        // Addition is commutative, so either operand may be the product.
        let (a, b) = (self.args[start], self.args[start + 1]);
        if a == b {
            return;
        }
        for (product, rest) in [(b, a), (a, b)] {
            let Some(step) = self.absorb(product, |k| k == family.mul) else {
                continue;
            };
            let extended = [
                (family.mul, family.dot2),
                (family.dot2, family.dot3),
                (family.dot3, family.dot4),
                (family.mul_add, family.chain2),
                (family.chain2, family.chain3),
            ];
            let longer = |kernel| extended.iter().find(|(k, _)| *k == kernel).map(|(_, longer)| *longer);
            if let Some(chain) = self.absorb(rest, |k| longer(k).is_some()) {
                if let Kind::Kernel(shorter) = chain.kind {
                    *kernel = longer(shorter).unwrap_or(*kernel);
                }
                self.replace(start, &[chain, step], &[]);
            } else {
                *kernel = family.mul_add;
                self.replace(start, &[step], &[rest]);
            }
            return;
        }
    }

    /// Absorbs and returns the step that computes `operand`, if `operand` has a single use and `kernels` is true for the kernel of the step. An
    /// absorbed step emits no instruction of its own.
    #[inline(always)]
    fn absorb(&mut self, operand: u32, kernels: impl Fn(Kernel) -> bool) -> Option<Step> {
        if operand & FIXED != 0 || self.uses[operand as usize] != 1 {
            return None;
        }
        let step = &mut self.steps[self.def[operand as usize] as usize];
        match step.kind {
            Kind::Kernel(kernel) if kernels(kernel) => {
                step.absorbed = true;
                Some(*step)
            }
            _ => None,
        }
    }

    /// Replaces the operands in `args` from `start` on by the operands of `steps` and then `rest`.
    #[inline(always)]
    fn replace(&mut self, start: usize, steps: &[Step], rest: &[u32]) {
        self.args.truncate(start);
        for step in steps {
            for at in step.args..step.args + u32::from(step.n) {
                self.args.push(self.args[at as usize]);
            }
        }
        for &operand in rest {
            self.args.push(operand);
        }
    }
}

/// Returns the row of a fixed operand.
pub(super) fn row_of(operand: u32) -> u32 {
    operand & !(super::gather::FIXED | super::gather::SCALAR)
}
