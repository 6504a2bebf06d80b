//! Random programs.

use super::environment::{access, state};
use super::numbers::{float, int};
use super::source::Source;
use crate::host::{Access, Dimension, FetchFormat, FetchKind};
use crate::ir::rewrite::{Operand, Term, rules};
use crate::ir::{
    Array, ArrayDecl, ArrayInit, Block, BlockId, Flush, Inst, LodKind, Op, Program, QuadLane, Sampler,
    SamplerDecl, Terminator, Ty, Value, Var, VarDecl, VarKey,
};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp, Narrow};

/// The rules of [`crate::ir::verify()`] that the programs obey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// All rules hold.
    Strict,
    /// All rules hold except two. Variables of every type may be outputs, which allows a comparison of integers and truth values. Lanes that run
    /// alone may compute derivatives, which are 0.
    Lax,
}

struct ProgramGenerator<'a, 's> {
    r: &'a mut Source<'s>,
    rules: Rules,
    p: Program,
    /// Values of the block under construction, by type.
    known: [Vec<Value>; 3],
}

fn type_index(ty: Ty) -> usize {
    match ty {
        Ty::F32 => 0,
        Ty::I32 => 1,
        Ty::Bool => 2,
    }
}

impl ProgramGenerator<'_, '_> {
    fn emit(&mut self, op: Op, args: &[Value]) -> Value {
        let result = Value(self.p.values);
        let inst = Inst { op, args: self.p.pool.len() as u32, arity: args.len() as u8, result };
        self.p.pool.extend_from_slice(args);
        let (ty, n) = self.p.results(&inst);
        self.p.insts.push(inst);
        self.p.values += u32::from(n);
        for k in 0..u32::from(n) {
            self.known[type_index(ty)].push(Value(result.0 + k));
        }
        result
    }

    fn value(&mut self, ty: Ty) -> Value {
        let known = &self.known[type_index(ty)];
        if !known.is_empty() && !self.r.one_in(6) {
            // Recent values are preferred, so operations often use each other's results.
            let n = known.len() as u32;
            let back = if self.r.one_in(2) { self.r.below(n.min(3)) } else { self.r.below(n) };
            return self.known[type_index(ty)][(n - 1 - back) as usize];
        }
        let vars: Vec<u32> =
            (0..self.p.vars.len() as u32).filter(|v| self.p.vars[*v as usize].ty == ty).collect();
        if !vars.is_empty() && self.r.one_in(2) {
            let var = self.r.pick(&vars);
            return self.emit(Op::Read(Var(var)), &[]);
        }
        let op = match (ty, self.r.below(3)) {
            (Ty::F32, 0) => Op::F32(float(self.r)),
            (Ty::F32, 1) => Op::Uniform(self.r.below(24) as u16),
            (Ty::F32, _) if self.p.group == 4 && self.r.one_in(4) => {
                Op::QuadInput(self.r.pick(&QuadLane::ALL), self.r.below(20) as u16)
            }
            (Ty::F32, _) => Op::Input(self.r.below(20) as u16),
            (Ty::I32, 0) => Op::IntUniform(self.r.below(12) as u16),
            (Ty::I32, _) => Op::I32(int(self.r)),
            (Ty::Bool, 0) => Op::BoolUniform(self.r.below(4) as u16),
            (Ty::Bool, _) => Op::Bool(self.r.one_in(2)),
        };
        self.emit(op, &[])
    }

    fn inst(&mut self) {
        let unary = [
            FUn::Neg,
            FUn::Abs,
            FUn::Sqrt,
            FUn::Floor,
            FUn::Trunc,
            FUn::RoundEven,
            FUn::Exp2,
            FUn::Log2,
            FUn::Sin,
            FUn::Cos,
            FUn::Narrow(Narrow::F24Nearest),
            FUn::Narrow(Narrow::F24Zero),
            FUn::Narrow(Narrow::F24ZeroSaturate),
        ];
        let op = match self.r.below(52) {
            0..4 => Op::Un(self.r.pick(&unary)),
            4..8 => Op::Add,
            8..10 => Op::Sub,
            10..16 => Op::Mul,
            16 => Op::Div,
            17 => Op::Fma,
            18 => Op::Min,
            19 => Op::Max,
            20 => self.r.pick(&[Op::Mulz, Op::MulzInf]),
            21 => Op::Flush(self.r.pick(&Flush::ALL)),
            22..24 => Op::Cmp(self.r.pick(&[FCmp::Lt, FCmp::Le, FCmp::Eq])),
            24 => Op::ICmp(self.r.pick(&[ICmp::Eq, ICmp::LtS, ICmp::LtU])),
            25..27 => Op::IBin(self.r.pick(&IBin::ALL)),
            27 => Op::Logic(self.r.pick(&[BBin::And, BBin::Or, BBin::Xor])),
            28 => Op::Not,
            29..32 => Op::Sel(self.r.pick(&[Ty::F32, Ty::F32, Ty::I32, Ty::Bool])),
            32 => Op::TruncI,
            33 => Op::ToF,
            34 => self.r.pick(&[Op::Bits, Op::FromBits]),
            35 => Op::UniformAt(self.r.below(4) as u8),
            36 if !self.p.arrays.is_empty() => Op::Load(Array(self.r.below(self.p.arrays.len() as u32))),
            37 if !self.p.arrays.is_empty() => Op::Store(Array(self.r.below(self.p.arrays.len() as u32))),
            38 if self.may_use_quads() => self.r.pick(&[Op::Ddx { fine: true }, Op::Ddx { fine: false }]),
            39 if self.may_use_quads() => self.r.pick(&[Op::Ddy { fine: true }, Op::Ddy { fine: false }]),
            40 if self.r.one_in(2) => Op::Sample(Sampler(self.r.below(self.p.samplers.len() as u32))),
            41 if self.r.one_in(2) => Op::Fetch { buffer: self.r.below(3) as u8, format: self.format() },
            42 if self.r.one_in(4) => Op::Fuel(self.r.below(4)),
            43 if self.r.one_in(2) => Op::Kill,
            44 if self.r.one_in(2) => Op::Effect {
                kind: self.r.below(3) as u8,
                index: self.r.below(9) as u16,
                mask: self.r.below(16) as u8,
            },
            45..50 => return self.rule(),
            _ => Op::Write(Var(self.r.below(self.p.vars.len() as u32))),
        };
        match op {
            Op::Min if self.r.one_in(2) => return self.saturation(),
            Op::Add if self.r.one_in(2) => return self.chain(),
            _ => {}
        }
        let mut types: Vec<Ty> = op.operands().to_vec();
        match op {
            Op::Write(var) => types.push(self.p.var(var).ty),
            Op::Sample(s) => types.extend(vec![Ty::F32; self.p.sampler(s).lod.operands()]),
            _ => {}
        }
        let args: Vec<Value> = types.into_iter().map(|ty| self.value(ty)).collect();
        self.emit(op, &args);
    }

    fn may_use_quads(&self) -> bool {
        self.rules == Rules::Lax || self.p.group == 4
    }

    fn format(&mut self) -> FetchFormat {
        let kind = self.r.pick(&FetchKind::ALL);
        if self.r.one_in(2) {
            return FetchFormat::packed(kind, [8, 8, 8, 0]);
        }
        FetchFormat {
            kind,
            bits: std::array::from_fn(|_| self.r.pick(&[8, 16, 0, 1, 5, 10, 32, 40])),
            stride: self.r.below(20) as u16,
            offset: self.r.below(8) as i32 - 4,
            exponent: self.r.below(16) as i8 - 8,
            missing_w_one: self.r.one_in(2),
        }
    }

    /// Appends the left side of a rewrite rule.
    fn rule(&mut self) {
        let rule = &rules()[self.r.below(rules().len() as u32) as usize];
        let operands: Vec<Value> = rule.operands.iter().map(|o| self.operand(*o)).collect();
        self.term(&rule.lhs, &operands);
    }

    fn operand(&mut self, operand: Operand) -> Value {
        let op = match (operand.literal, operand.ty) {
            (false, ty) => return self.value(ty),
            // Zero is frequent, because several rules apply only to zero.
            (true, Ty::F32) if self.r.one_in(4) => Op::F32(0),
            (true, Ty::F32) => Op::F32(float(self.r)),
            (true, Ty::I32) => Op::I32(int(self.r)),
            (true, Ty::Bool) => Op::Bool(self.r.one_in(2)),
        };
        self.emit(op, &[])
    }

    fn term(&mut self, term: &Term, operands: &[Value]) -> Value {
        match term {
            Term::Operand(k) => operands[usize::from(*k)],
            Term::Op(op, args) => {
                let args: Vec<Value> = args.iter().map(|a| self.term(a, operands)).collect();
                self.emit(*op, &args)
            }
        }
    }

    /// Appends a Max followed by a Min, which the executor combines into one instruction.
    fn saturation(&mut self) {
        let (a, b, c) = (self.value(Ty::F32), self.value(Ty::F32), self.value(Ty::F32));
        let low = self.emit(Op::Max, &[a, b]);
        self.emit(Op::Min, &[low, c]);
    }

    /// Appends a sum of products, with operands in either order and each step rounded in the same way. The executor combines up to four products into
    /// one instruction.
    fn chain(&mut self) {
        const F24: [Op; 2] = [Op::Un(FUn::Narrow(Narrow::F24Zero)), Op::Flush(Flush::F24Unsigned)];
        const FLUSH: [Op; 1] = [Op::Flush(Flush::Subnormal)];
        let (mul, rounding): (Op, &[Op]) = match self.r.below(3) {
            0 => (Op::MulzInf, &F24),
            1 => (Op::Mul, &FLUSH),
            _ => (Op::Mul, &[]),
        };
        // All operands are emitted before the steps, because the executor does not combine a step that has other uses.
        let steps = 1 + self.r.below(5);
        let operands: Vec<[Value; 2]> =
            (0..=steps).map(|_| [self.value(Ty::F32), self.value(Ty::F32)]).collect();
        let mut sum = operands[0][0];
        if self.r.one_in(2) {
            sum = self.rounded(mul, &operands[0], rounding);
        }
        for [a, b] in &operands[1..] {
            if self.r.one_in(16) {
                let op = self.r.pick(&[Op::Add, Op::Sub]);
                sum = self.rounded(op, &[sum, *a], rounding);
                continue;
            }
            let product = self.rounded(mul, &[*a, *b], rounding);
            let args = if self.r.one_in(2) { [sum, product] } else { [product, sum] };
            sum = self.rounded(Op::Add, &args, rounding);
        }
    }

    fn rounded(&mut self, op: Op, args: &[Value], rounding: &[Op]) -> Value {
        let value = self.emit(op, args);
        rounding.iter().fold(value, |value, op| self.emit(*op, &[value]))
    }

    fn block(&mut self, number: u32, count: u32) {
        let start = self.p.insts.len() as u32;
        self.known = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..self.r.below(if count == 1 { 40 } else { 14 }) {
            self.inst();
        }
        // Without these writes most values would have no effect on the results.
        for _ in 0..self.r.below(6) {
            let var = Var(self.r.below(self.p.vars.len() as u32));
            let value = self.value(self.p.var(var).ty);
            self.emit(Op::Write(var), &[value]);
        }
        // A block that takes fuel may continue with any block, other blocks only with later ones.
        let back = self.r.one_in(3);
        if back {
            let n = 1 + self.r.below(2);
            self.emit(Op::Fuel(n), &[]);
        }
        let mut target = || {
            let low = if back { 0 } else { number + 1 };
            BlockId(low + self.r.below(count - low))
        };
        let terminator = if !back && number + 1 == count {
            Terminator::Return
        } else {
            let (a, b, c) = (target(), target(), target());
            match self.r.below(8) {
                0 if self.r.one_in(3) => Terminator::Hang,
                0 => Terminator::Return,
                1 | 2 => Terminator::Jump(a),
                3 => Terminator::Switch(self.value(Ty::I32), vec![a, b, c]),
                4 => Terminator::Switch(self.value(Ty::I32), vec![a]),
                _ => Terminator::Branch(self.value(Ty::Bool), a, b),
            }
        };
        let end = self.p.insts.len() as u32;
        self.p.blocks.push(Block { insts: start..end, terminator, origin: number });
    }
}

/// A program of up to eight blocks, occasionally many more. The program terminates in every environment.
pub fn program(r: &mut Source<'_>, rules: Rules) -> Program {
    let mut p = Program { group: if r.one_in(2) { 4 } else { 1 }, ..Program::default() };
    for index in 0..4 + r.below(6) as u16 {
        let ty = r.pick(&[Ty::F32, Ty::F32, Ty::F32, Ty::I32, Ty::Bool]);
        let init = match ty {
            Ty::F32 => float(r),
            Ty::I32 => int(r) as u32,
            Ty::Bool => r.below(2),
        };
        p.vars.push(VarDecl { ty, key: VarKey { file: 0, index, component: 0 }, init });
        if !r.one_in(3) && (ty == Ty::F32 || rules == Rules::Lax) {
            p.outputs.push((index, Var(u32::from(index))));
        }
    }
    for _ in 0..r.below(3) {
        let component = if r.one_in(2) { Some(r.below(4) as u8) } else { None };
        let init = if r.one_in(2) { ArrayInit::Uniforms } else { ArrayInit::Zero };
        p.arrays.push(ArrayDecl { len: r.below(6), file: 1, component, init });
    }
    for _ in 0..3 {
        p.samplers.push(SamplerDecl {
            unit: r.below(3) as u8,
            dimension: r.pick(&[Dimension::One, Dimension::Two, Dimension::Three, Dimension::Cube]),
            state: if r.one_in(2) { Some(state(r)) } else { None },
            access: if r.one_in(3) { access(r) } else { Access::PLAIN },
            lod: r.pick(&[LodKind::Base, LodKind::Explicit, LodKind::Gradient]),
        });
    }
    let count = match r.below(64) {
        63 => 60 + r.below(140),
        48..63 => 1,
        _ => 1 + r.below(8),
    };
    let mut generator = ProgramGenerator { r, rules, p, known: Default::default() };
    for number in 0..count {
        generator.block(number, count);
    }
    if generator.r.one_in(4) {
        generator.p.entry = generator.r.below(count);
    }
    generator.p
}
