//! The lowering: tokens to scalar IR, component by component, in the reference's order of operations.

use super::Agal;
use super::opcode::{Opcode, Shape};
use super::options::Choice;
use super::program::{File, Sampler, Source, SourceOrSampler, Token};
use super::variables::key;
use super::word::Special;
use crate::host::{Access, Dimension, Filter, MipFilter, SamplerState, Wrap};
use crate::ir::blocks::{self, Mark};
use crate::ir::{Builder, LodKind, Op, SamplerDecl, Ty, Value, Var};
use crate::isa::lowering::{BranchSelect, FallbackExit, Successors};
use crate::isa::{Context, Stage};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp};
use smallvec::smallvec;

type Cx<'a> = Context<'a, Agal>;

/// The first output slot of varyings in a vertex program.
const FIRST_VARYING_SLOT: u16 = 1;
const DEPTH_SLOT: u16 = 4;
const INSTANCE_SLOT: u16 = 32;

/// The variable of a register component.
fn var(b: &mut Builder, file: File, number: u16, component: usize) -> Var {
    b.var(key(file, number, component), Ty::F32, 0)
}

/// Declares the outputs of the interface.
pub fn declare(cx: &Cx<'_>, b: &mut Builder) {
    for port in &cx.entry.interface.outputs {
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

/// For each token that can skip a part of its block, the index of the token after that part.
pub type Outline = Vec<u32>;

/// Finds the blocks of a program.
pub fn outline(cx: &Cx<'_>) -> Outline {
    blocks::behind(cx.program.tokens.iter().map(|token| match token.op().map(|op| (op, op.row().shape)) {
        Some((_, Shape::Compare)) => Mark::Opens,
        Some((Opcode::Els, _)) => Mark::Turns,
        Some((Opcode::Eif, _)) => Mark::Closes,
        _ => Mark::No,
    }))
}

/// The successors of the instruction at `pc`; for a condition, the one taken if it holds comes first. The index after the last instruction is a node
/// too: lanes end there.
pub fn successors(cx: &Cx<'_>, outline: &Outline, pc: &u32) -> Successors<u32> {
    let pc = *pc;
    let tokens = &cx.program.tokens;
    let Some(token) = tokens.get(pc as usize) else { return Successors::new() };
    let next = pc + 1;
    let behind = outline.get(pc as usize).copied().unwrap_or(next);
    let mut successors: Successors<u32> = match token.op().map(|op| (op, op.row().shape)) {
        Some((_, Shape::Compare)) => smallvec![next, behind],
        Some((Opcode::Els, _)) => smallvec![behind],
        _ => smallvec![next],
    };
    // The condition of an empty block has one successor, not two.
    successors.dedup();
    successors
}

/// Lowers an instruction for the fallback.
pub fn word(cx: &Cx<'_>, outline: &Outline, word: u32, b: &mut Builder) -> FallbackExit {
    FallbackExit::Static(node(cx, outline, &word, b), successors(cx, outline, &word))
}

/// Lowers the instruction at `pc`.
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
            let some = !token.a.is_replicated() && l.is(Choice::KillLanes, 1);
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
            if matches!(mask, 2 | 4 | 8) && l.is(Choice::SingleMask, 1) {
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
    fn is(&self, option: Choice, choice: u8) -> bool {
        self.cx.options.get(option as usize) == choice
    }

    /// Component `c` of a register.
    fn register(&mut self, file: u8, number: u16, c: usize) -> Value {
        match File::from_number(file) {
            Some(File::Attribute) => self.b.op(Op::Input(number * 4 + c as u16), &[]),
            Some(File::Varying) => self.b.op(Op::Input(number * 4 + c as u16), &[]),
            Some(File::Instance) => self.b.op(Op::Input(INSTANCE_SLOT * 4 + c as u16), &[]),
            Some(File::Constant) => self.b.op(Op::Uniform(number * 4 + c as u16), &[]),
            Some(File::Temporary) => {
                let var = var(self.b, File::Temporary, number, c);
                self.b.read(var)
            }
            _ => self.b.f(0.0),
        }
    }

    /// The slot of an indirect source, before a matrix row is added.
    fn slot(&mut self, source: &Source) -> Value {
        let index = self.register(source.index_file, source.number, usize::from(source.index_component));
        let index = if self.is(Choice::Index, 1) {
            self.b.un(FUn::RoundEven, index)
        } else if self.is(Choice::Index, 2) {
            self.b.un(FUn::Floor, index)
        } else {
            index
        };
        let index = self.b.op(Op::TruncI, &[index]);
        let offset = if self.is(Choice::Offset, 1) {
            i32::from(source.offset as i8)
        } else {
            i32::from(source.offset)
        };
        let offset = self.b.i(offset);
        self.b.ibin(IBin::Add, index, offset)
    }

    /// The slot of an indexed constant, replaced by option if that constant does not exist.
    fn constant_in_range(&mut self, slot: Value) -> Value {
        if self.is(Choice::ConstantRange, 0) {
            return slot;
        }
        let end = i32::from(self.cx.entry.interface.constants.max(1));
        let (first, last) = (self.b.i(0), self.b.i(end - 1));
        let below = self.b.icmp(ICmp::LtS, slot, first);
        let above = self.b.icmp(ICmp::LtS, last, slot);
        if self.is(Choice::ConstantRange, 1) {
            let slot = self.b.sel_i(above, last, slot);
            return self.b.sel_i(below, first, slot);
        }
        let outside = self.b.logic(BBin::Or, below, above);
        self.b.sel_i(outside, first, slot)
    }

    /// `a * b`; by option, zero if either operand is zero.
    fn product(&mut self, a: Value, b: Value) -> Value {
        if self.is(Choice::ZeroTimes, 1) { self.b.op(Op::Mulz, &[a, b]) } else { self.b.mul(a, b) }
    }

    /// Component `c` of a source, swizzled.
    fn component(&mut self, source: &Source, c: usize) -> Value {
        let c = source.component(c);
        if source.indirect == 0 {
            return self.register(source.file, source.number, c);
        }
        let slot = self.slot(source);
        let slot = self.constant_in_range(slot);
        self.b.op(Op::UniformAt(c as u8), &[slot])
    }

    /// The components of a source selected by `mask`, swizzled; the index is computed once.
    fn components(&mut self, source: &Source, mask: u8) -> [Option<Value>; 4] {
        let mut out = [None; 4];
        let slot = (source.indirect != 0).then(|| {
            let slot = self.slot(source);
            self.constant_in_range(slot)
        });
        for (c, out) in out.iter_mut().enumerate().filter(|(c, _)| mask >> c & 1 == 1) {
            let from = source.component(c);
            *out = Some(match slot {
                Some(slot) => self.b.op(Op::UniformAt(from as u8), &[slot]),
                None => self.register(source.file, source.number, from),
            });
        }
        out
    }

    fn vector(&mut self, source: &Source, n: usize) -> [Value; 4] {
        let read = self.components(source, (1 << n) - 1);
        let first = read[0].unwrap_or(Value(0));
        read.map(|v| v.unwrap_or(first))
    }

    /// The components of the result selected by `mask`.
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

    fn dot(&mut self, n: usize, a: &[Value; 4], b: &[Value; 4]) -> Value {
        let mut sum = self.product(a[0], b[0]);
        for i in 1..n {
            let product = self.product(a[i], b[i]);
            sum = self.b.add(sum, product);
        }
        sum
    }

    fn binary(&mut self, op: Opcode, first: &Source, second: &Source, mask: u8) -> [Option<Value>; 4] {
        match op {
            Opcode::Dp3 | Opcode::Dp4 => {
                let n = if op == Opcode::Dp3 { 3 } else { 4 };
                let (a, b) = (self.vector(first, n), self.vector(second, n));
                let dot = self.dot(n, &a, &b);
                [Some(dot); 4]
            }
            Opcode::Crs => {
                let (a, b) = (self.vector(first, 3), self.vector(second, 3));
                self.each(mask, |l, i| {
                    if i == 3 {
                        return l.b.f(0.0);
                    }
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    let plus = l.product(a[j], b[k]);
                    let minus = l.product(a[k], b[j]);
                    l.b.sub(plus, minus)
                })
            }
            _ => {
                let (a, b) = (self.components(first, mask), self.components(second, mask));
                self.each(mask, |l, i| match (a[i], b[i]) {
                    (Some(a), Some(b)) => l.binary_component(op, a, b),
                    _ => Value(0),
                })
            }
        }
    }

    fn binary_component(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        match op {
            Opcode::Add => self.b.add(a, b),
            Opcode::Sub => self.b.sub(a, b),
            Opcode::Mul => self.product(a, b),
            Opcode::Div => self.quotient(a, b),
            Opcode::Min | Opcode::Max => {
                let plain = if op == Opcode::Min { self.b.min(a, b) } else { self.b.max(a, b) };
                if self.is(Choice::MinMaxNan, 0) {
                    return plain;
                }
                // b == b fails only for NaN. With "number", a NaN in b yields a; with "nan", the NaN operand is the result.
                let b_number = self.b.cmp(FCmp::Eq, b, b);
                if self.is(Choice::MinMaxNan, 1) {
                    return self.b.sel(b_number, plain, a);
                }
                let a_number = self.b.cmp(FCmp::Eq, a, a);
                let rest = self.b.sel(b_number, plain, b);
                self.b.sel(a_number, rest, a)
            }
            Opcode::Pow => {
                let base = if self.is(Choice::PowNegative, 0) { self.b.un(FUn::Abs, a) } else { a };
                let mut log = self.b.un(FUn::Log2, base);
                if self.is(Choice::PowZeroBase, 1) {
                    let (zero, lowest) = (self.b.f(0.0), self.b.f(f32::MIN));
                    let is_zero = self.b.cmp(FCmp::Eq, base, zero);
                    log = self.b.sel(is_zero, lowest, log);
                }
                let exponent = self.product(b, log);
                let power = self.b.un(FUn::Exp2, exponent);
                if self.is(Choice::PowZeroExponent, 0) {
                    return power;
                }
                let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
                let is_zero = self.b.cmp(FCmp::Eq, b, zero);
                self.b.sel(is_zero, one, power)
            }
            Opcode::Sge => self.truth(FCmp::Le, b, a, true),
            Opcode::Slt => self.truth(FCmp::Lt, a, b, true),
            Opcode::Seq => self.truth(FCmp::Eq, a, b, true),
            Opcode::Sne => self.truth(FCmp::Eq, a, b, false),
            _ => a,
        }
    }

    fn truth(&mut self, cmp: FCmp, a: Value, b: Value, yes: bool) -> Value {
        let c = self.b.cmp(cmp, a, b);
        let (one, zero) = (self.b.f(1.0), self.b.f(0.0));
        if yes { self.b.sel(c, one, zero) } else { self.b.sel(c, zero, one) }
    }

    /// `a / b` with the option for division by zero, which clamps infinities, but only there.
    fn quotient(&mut self, a: Value, b: Value) -> Value {
        let plain = self.b.div(a, b);
        if self.is(Choice::ReciprocalZero, 0) {
            return plain;
        }
        let zero = self.b.f(0.0);
        let by_zero = self.b.cmp(FCmp::Eq, b, zero);
        let mut clamped = plain;
        for (infinity, bound) in [(f32::INFINITY, f32::MAX), (f32::NEG_INFINITY, f32::MIN)] {
            let (infinity, bound) = (self.b.f(infinity), self.b.f(bound));
            let infinite = self.b.cmp(FCmp::Eq, plain, infinity);
            clamped = self.b.sel(infinite, bound, clamped);
        }
        self.b.sel(by_zero, clamped, plain)
    }

    fn unary(&mut self, op: Opcode, source: &Source, mask: u8) -> [Option<Value>; 4] {
        if op == Opcode::Nrm {
            let a = self.vector(source, 3);
            let square = self.dot(3, &a, &a);
            let root = self.b.un(FUn::Sqrt, square);
            let one = self.b.f(1.0);
            let scale = self.b.div(one, root);
            let zero = (!self.is(Choice::NormalizeZero, 0)).then(|| {
                let zero = self.b.f(0.0);
                (zero, self.b.cmp(FCmp::Eq, square, zero))
            });
            return self.each(mask, |l, i| {
                if i == 3 {
                    return l.b.f(0.0);
                }
                let scaled = l.product(a[i], scale);
                zero.map_or(scaled, |(zero, is_zero)| l.b.sel(is_zero, zero, scaled))
            });
        }
        let a = self.components(source, mask);
        self.each(mask, |l, i| a[i].map_or(Value(0), |a| l.unary_component(op, a)))
    }

    fn not_negative(&mut self, a: Value) -> Value {
        if self.is(Choice::NegativeRoot, 0) { a } else { self.b.un(FUn::Abs, a) }
    }

    fn unary_component(&mut self, op: Opcode, a: Value) -> Value {
        match op {
            Opcode::Rcp => {
                let one = self.b.f(1.0);
                self.quotient(one, a)
            }
            Opcode::Frc => {
                let floor = self.b.un(FUn::Floor, a);
                self.b.sub(a, floor)
            }
            Opcode::Sqt => {
                let a = self.not_negative(a);
                self.b.un(FUn::Sqrt, a)
            }
            Opcode::Rsq => {
                let a = self.not_negative(a);
                let root = self.b.un(FUn::Sqrt, a);
                let one = self.b.f(1.0);
                let plain = self.b.div(one, root);
                if self.is(Choice::RsqZero, 0) {
                    return plain;
                }
                let zero = self.b.f(0.0);
                let is_zero = self.b.cmp(FCmp::Eq, a, zero);
                let largest = self.b.f(f32::MAX);
                self.b.sel(is_zero, largest, plain)
            }
            Opcode::Log => {
                let a = self.not_negative(a);
                let log = self.b.un(FUn::Log2, a);
                if self.is(Choice::LogZero, 0) {
                    return log;
                }
                let zero = self.b.f(0.0);
                let is_zero = self.b.cmp(FCmp::Eq, a, zero);
                let lowest = self.b.f(f32::MIN);
                self.b.sel(is_zero, lowest, log)
            }
            Opcode::Exp => self.b.un(FUn::Exp2, a),
            Opcode::Sin => self.b.un(FUn::Sin, a),
            Opcode::Cos => self.b.un(FUn::Cos, a),
            Opcode::Abs => self.b.un(FUn::Abs, a),
            Opcode::Neg => self.b.un(FUn::Neg, a),
            Opcode::Sat => {
                let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
                if self.is(Choice::SaturateNan, 0) {
                    let low = self.b.min(a, one);
                    return self.b.max(low, zero);
                }
                let high = self.b.max(a, zero);
                let plain = self.b.min(high, one);
                if self.is(Choice::SaturateNan, 1) {
                    return plain;
                }
                let number = self.b.cmp(FCmp::Eq, a, a);
                self.b.sel(number, plain, a)
            }
            Opcode::Sgn => {
                let zero = self.b.f(0.0);
                let up = self.b.cmp(FCmp::Lt, zero, a);
                let down = self.b.cmp(FCmp::Lt, a, zero);
                let (one, minus) = (self.b.f(1.0), self.b.f(-1.0));
                let not_down = self.b.sel(up, one, zero);
                let sign = self.b.sel(down, minus, not_down);
                if self.is(Choice::SignNan, 0) {
                    return sign;
                }
                let number = self.b.cmp(FCmp::Eq, a, a);
                self.b.sel(number, sign, a)
            }
            Opcode::Ddx | Opcode::Ddy => {
                let fine = self.is(Choice::Derivative, 0);
                let op = if op == Opcode::Ddx { Op::Ddx { fine } } else { Op::Ddy { fine } };
                self.b.op(op, &[a])
            }
            _ => {
                debug_assert_eq!(op, Opcode::Mov);
                a
            }
        }
    }

    fn texel(&mut self, op: Opcode, token: &Token, sampler: &Sampler) -> [Value; 4] {
        let (dimension, n) = match sampler.dimension {
            1 => (Dimension::Cube, 3),
            2 => (Dimension::Three, 3),
            _ => (Dimension::Two, 2),
        };
        let read = self.components(&token.a, (1 << n) - 1);
        let zero = self.b.f(0.0);
        let coords = [0, 1, 2].map(|i| read[i].unwrap_or(zero));
        let mut args = smallvec::SmallVec::<[Value; 10]>::from_slice(&coords);
        let own_state = !sampler.has(Special::IgnoreSampler);
        let eighths = if self.is(Choice::LodBias, 0) { f32::from(sampler.bias as i8) } else { 0.0 };
        let lod = if op == Opcode::Tld {
            args.push(self.b.f(eighths / 8.0));
            LodKind::Explicit
        } else if own_state && sampler.mip == 0 {
            LodKind::Base
        } else {
            let fine = self.is(Choice::Derivative, 0);
            for op in [Op::Ddx { fine }, Op::Ddy { fine }] {
                for (i, coord) in coords.iter().enumerate() {
                    args.push(if i < n { self.b.op(op, &[*coord]) } else { zero });
                }
            }
            args.push(self.b.f(eighths / 8.0));
            LodKind::Gradient
        };
        let decl = SamplerDecl {
            unit: sampler.number as u8,
            dimension,
            state: own_state.then(|| bound(sampler)),
            access: Access::PLAIN,
            lod,
        };
        let sampler = self.b.sampler(decl);
        let first = self.b.op(Op::Sample(sampler), &args);
        [0, 1, 2, 3].map(|c| Value(first.0 + c))
    }

    fn condition(&mut self, op: Opcode, token: &Token) -> Value {
        let Some(second) = token.b_source() else { return self.b.b(false) };
        let several = !token.a.is_replicated() || !second.is_replicated();
        if several && self.is(Choice::Conditions, 1) {
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

    fn comparison(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        match op {
            Opcode::Ife => self.b.cmp(FCmp::Eq, a, b),
            Opcode::Ine => {
                let equal = self.b.cmp(FCmp::Eq, a, b);
                self.b.not(equal)
            }
            Opcode::Ifl => self.b.cmp(FCmp::Lt, a, b),
            _ => {
                let cmp = if self.is(Choice::Ifg, 0) { FCmp::Lt } else { FCmp::Le };
                self.b.cmp(cmp, b, a)
            }
        }
    }
}

/// The sampler state encoded in a token.
fn bound(sampler: &Sampler) -> SamplerState {
    let (filter, anisotropy) = match sampler.filter {
        0 => (Filter::Nearest, 1),
        1 => (Filter::Linear, 1),
        n => (Filter::Linear, 2u8.pow(u32::from(n.min(5) - 1))),
    };
    let (u, v) = match sampler.wrap {
        0 => (Wrap::Clamp, Wrap::Clamp),
        1 => (Wrap::Repeat, Wrap::Repeat),
        2 => (Wrap::Clamp, Wrap::Repeat),
        _ => (Wrap::Repeat, Wrap::Clamp),
    };
    SamplerState {
        min: filter,
        mag: filter,
        mip: [MipFilter::None, MipFilter::Nearest, MipFilter::Linear][usize::from(sampler.mip.min(2))],
        wrap: [u, v, u],
        max_anisotropy: anisotropy,
        ..SamplerState::default()
    }
}
