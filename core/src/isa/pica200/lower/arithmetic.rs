//! Lowers arithmetic instructions.

use super::{Cx, condition_var, float, int};
use crate::ir::{Builder, Flush, Op, Ty, Value};
use crate::isa::pica200::opcode::{Opcode, SourceComponents};
use crate::isa::pica200::options::Choice;
use crate::isa::pica200::program::{Instruction, Register, Source, Target};
use crate::isa::pica200::variables::File;
use crate::isa::pica200::word::{Comparison, Index};
use crate::value::{FCmp, FUn, IBin, ICmp, Narrow};

/// The bits of 127.99609375, the bound to which `litp` clamps the exponent.
const LIGHT_LIMIT: u32 = 0x42ff_fe00;

/// Lowers an instruction with a descriptor.
pub(super) fn lower(cx: &Cx<'_>, op: Opcode, instruction: &Instruction, b: &mut Builder) {
    let Some(descriptor) = cx.program.descriptor(instruction) else { return };
    let sources = cx.program.sources(instruction);
    let mask = descriptor.write_mask();
    let mut l = Lower { cx, b };
    match (op, instruction) {
        (Opcode::Cmp, Instruction::Compare(words)) => l.compare([words.cmpx, words.cmpy], &sources),
        (Opcode::Mova, _) => l.mova(mask, &sources),
        _ => {
            let file = match instruction.dst() {
                Some(Target::Output(n)) => (File::Output, usize::from(n)),
                Some(Target::Temporary(n)) => (File::Temporary, usize::from(n)),
                None => return,
            };
            let results = l.results(op, mask, &sources);
            for (c, value) in results.into_iter().enumerate().filter(|(c, _)| mask >> c & 1 == 1) {
                if let Some(value) = value {
                    let var = float(l.b, file.0, file.1, c);
                    l.b.write(var, value);
                }
            }
        }
    }
}

struct Lower<'a, 'b> {
    cx: &'a Cx<'a>,
    b: &'b mut Builder,
}

/// The location of a source.
enum OperandLocation {
    Input(u16),
    Temporary(usize),
    Uniform(u16),
    /// A uniform with a computed number, which is taken modulo 128. `missing`: the number is above 95, and the uniform reads as ones. `outside`: the
    /// offset was outside -128 to 127.
    Ring {
        slot: Value,
        missing: Value,
        outside: Value,
    },
}

impl Lower<'_, '_> {
    fn option_is(&self, option: Choice, choice: u8) -> bool {
        self.cx.options.get(option as usize) == choice
    }

    fn location(&mut self, source: &Source) -> OperandLocation {
        let index = match Index::from_number(source.idx) {
            Some(Index::A0X) => Some(0),
            Some(Index::A0Y) => Some(1),
            Some(Index::Loop) => Some(2),
            Some(Index::None) | None => None,
        };
        match (source.register, index) {
            (Register::Input(n), _) => OperandLocation::Input(n.into()),
            (Register::Temporary(n), _) => OperandLocation::Temporary(n.into()),
            (Register::Uniform(n), None) => OperandLocation::Uniform(n.into()),
            (Register::Uniform(n), Some(index)) => {
                let var = int(self.b, File::Address, 0, index);
                let offset = self.b.read(var);
                let [low, high, zero] = [-128, 127, 0].map(|v| self.b.i(v));
                let below = self.b.icmp(ICmp::LtS, offset, low);
                let above = self.b.icmp(ICmp::LtS, high, offset);
                let outside = self.b.logic(crate::value::BBin::Or, below, above);
                let offset = self.b.sel_i(outside, zero, offset);
                let base = self.b.i(n.into());
                let sum = self.b.ibin(IBin::Add, base, offset);
                let ring = self.b.i(0x7f);
                let slot = self.b.ibin(IBin::And, sum, ring);
                let last = self.b.i(95);
                let missing = self.b.icmp(ICmp::LtS, last, slot);
                OperandLocation::Ring { slot, missing, outside }
            }
        }
    }

    /// Reads the components of a source that `mask` selects, with swizzle and sign.
    fn read(&mut self, source: &Source, mask: u8) -> [Option<Value>; 4] {
        let mut out = [None; 4];
        if mask == 0 {
            return out;
        }
        let location = self.location(source);
        for (lane, out) in out.iter_mut().enumerate().filter(|(c, _)| mask >> c & 1 == 1) {
            let c = source.component(lane);
            let value = match location {
                OperandLocation::Input(n) => self.b.op(Op::Input(n * 4 + c as u16), &[]),
                OperandLocation::Uniform(n) => self.b.op(Op::Uniform(n * 4 + c as u16), &[]),
                OperandLocation::Temporary(n) => {
                    let var = float(self.b, File::Temporary, n, c);
                    self.b.read(var)
                }
                OperandLocation::Ring { slot, missing, outside } => {
                    let value = self.b.op(Op::UniformAt(c as u8), &[slot]);
                    let one = self.b.f(1.0);
                    let value = self.b.sel(missing, one, value);
                    if self.option_is(Choice::RelativeRange, 1) {
                        let zero = self.b.f(0.0);
                        self.b.sel(outside, zero, value)
                    } else {
                        value
                    }
                }
            };
            *out = Some(if source.negate { self.b.un(FUn::Neg, value) } else { value });
        }
        out
    }

    /// Computes the components of the result, at least those that `mask` selects.
    fn results(&mut self, op: Opcode, mask: u8, sources: &[Option<Source>; 3]) -> [Option<Value>; 4] {
        let row = op.row();
        // The components of the sources that are read.
        let wanted: [u8; 3] = match row.sources_read {
            SourceComponents::Own => [mask; 3],
            SourceComponents::First(_) if mask == 0 => [0; 3],
            SourceComponents::First(n) => [(1 << n) - 1; 3],
            SourceComponents::Distance => [mask & 0b0110, mask & 0b1010, 0],
            // The condition bits depend on x and w, regardless of the mask.
            SourceComponents::Light => [0b1001 | mask & 0b0010, 0, 0],
            SourceComponents::None => [0; 3],
        };
        // dph replaces the fourth component of the first source with 1.
        let is_dph = matches!(op, Opcode::Dph | Opcode::Dphi);
        let wanted = if is_dph { [wanted[0] & 7, wanted[1], 0] } else { wanted };
        let mut read = [[None; 4]; 3];
        for ((read, source), wanted) in read.iter_mut().zip(sources).zip(wanted) {
            if let Some(source) = source {
                *read = self.read(source, wanted);
            }
        }
        let [a, b, c] = read;
        match op {
            Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph | Opcode::Dphi if mask == 0 => [None; 4],
            Opcode::Dp3 => [self.dot(3, a, b); 4],
            Opcode::Dp4 => [self.dot(4, a, b); 4],
            Opcode::Dph | Opcode::Dphi => {
                let a = [a[0], a[1], a[2], Some(self.b.f(1.0))];
                [self.dot(4, a, b); 4]
            }
            Opcode::Dst | Opcode::Dsti => {
                let y = match (a[1], b[1]) {
                    (Some(a), Some(b)) => Some(self.product(a, b)),
                    _ => None,
                };
                [Some(self.b.f(1.0)), y, a[2], b[3]]
            }
            Opcode::Litp => self.light(a, mask),
            Opcode::Ex2 | Opcode::Lg2 | Opcode::Rcp | Opcode::Rsq => {
                if mask == 0 {
                    return [None; 4];
                }
                [a[0].map(|x| self.scalar(op, x)); 4]
            }
            _ => {
                let mut out = [None; 4];
                for (i, out) in out.iter_mut().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
                    *out = match (a[i], b[i], c[i]) {
                        (Some(a), Some(b), Some(c)) => {
                            debug_assert!(matches!(op, Opcode::Mad | Opcode::Madi), "{op:?}");
                            let product = self.product(a, b);
                            let c = self.canonicalize(c);
                            Some(self.sum(product, c))
                        }
                        (Some(a), Some(b), None) => Some(self.binary(op, a, b)),
                        (Some(a), None, None) if op == Opcode::Flr => {
                            let a = self.canonicalize(a);
                            let floor = self.b.un(FUn::Floor, a);
                            Some(self.result(floor))
                        }
                        (a, _, _) => {
                            debug_assert_eq!(op, Opcode::Mov);
                            a
                        }
                    };
                }
                out
            }
        }
    }

    fn binary(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        match op {
            Opcode::Add => {
                let (a, b) = (self.canonicalize(a), self.canonicalize(b));
                self.sum(a, b)
            }
            Opcode::Mul => self.product(a, b),
            Opcode::Sge | Opcode::Sgei => self.compare_to_float(FCmp::Le, b, a),
            Opcode::Slt | Opcode::Slti => self.compare_to_float(FCmp::Lt, a, b),
            Opcode::Max => {
                let larger = self.b.max(a, b);
                self.second_if_infinite(larger, b)
            }
            Opcode::Min => self.b.min(a, b),
            _ => a,
        }
    }

    fn compare_to_float(&mut self, cmp: FCmp, a: Value, b: Value) -> Value {
        let c = self.b.cmp(cmp, a, b);
        let (one, zero) = (self.b.f(1.0), self.b.f(0.0));
        self.b.sel(c, one, zero)
    }

    fn second_if_infinite(&mut self, plain: Value, b: Value) -> Value {
        if self.option_is(Choice::MinMaxInfinity, 0) {
            return plain;
        }
        let magnitude = self.b.un(FUn::Abs, b);
        let infinity = self.b.f(f32::INFINITY);
        let infinite = self.b.cmp(FCmp::Eq, magnitude, infinity);
        self.b.sel(infinite, b, plain)
    }

    fn scalar(&mut self, op: Opcode, x: Value) -> Value {
        let x = self.canonicalize(x);
        let value = match op {
            Opcode::Ex2 => self.b.un(FUn::Exp2, x),
            Opcode::Lg2 => self.b.un(FUn::Log2, x),
            _ => {
                let one = self.b.f(1.0);
                let divisor = if op == Opcode::Rcp { x } else { self.b.un(FUn::Sqrt, x) };
                self.b.div(one, divisor)
            }
        };
        self.result(value)
    }

    fn light(&mut self, a: [Option<Value>; 4], mask: u8) -> [Option<Value>; 4] {
        let zero = self.b.f(0.0);
        let mut out = [None, None, Some(zero), None];
        for (bit, c) in [(0, 0), (1, 3)] {
            let Some(a) = a[c] else { continue };
            let holds = self.b.cmp(FCmp::Le, zero, a);
            let var = condition_var(self.b, bit);
            self.b.write(var, holds);
            if mask >> c & 1 == 0 {
                continue;
            }
            let positive = self.b.max(a, zero);
            out[c] = Some(if self.option_is(Choice::LitpNan, 0) {
                positive
            } else {
                let not_nan = self.b.cmp(FCmp::Eq, a, a);
                self.b.sel(not_nan, positive, a)
            });
        }
        out[1] = a[1].map(|a| {
            let (low, high) = (self.b.f(-f32::from_bits(LIGHT_LIMIT)), self.b.f(f32::from_bits(LIGHT_LIMIT)));
            let at_least = self.b.max(a, low);
            self.b.min(at_least, high)
        });
        out
    }

    /// Depending on options, replaces a subnormal number with zero and removes the sign of zero.
    fn canonicalize(&mut self, a: Value) -> Value {
        let (flush, unsigned) =
            (self.option_is(Choice::Subnormal, 0), self.option_is(Choice::NegativeZero, 0));
        let kind = match (flush, unsigned) {
            (false, false) => return a,
            (false, true) => Flush::Sign,
            (true, true) => Flush::F24Unsigned,
            (true, false) => Flush::F24,
        };
        self.b.op(Op::Flush(kind), &[a])
    }

    /// Rounds a result to the register format, then canonicalizes it.
    fn result(&mut self, a: Value) -> Value {
        let rounded = if self.option_is(Choice::Number, 0) {
            self.b.un(FUn::Narrow(Narrow::F24Zero), a)
        } else if self.option_is(Choice::Number, 1) {
            self.b.un(FUn::Narrow(Narrow::F24Nearest), a)
        } else if self.option_is(Choice::Number, 2) {
            a
        } else {
            self.b.un(FUn::Narrow(Narrow::F24ZeroSaturate), a)
        };
        self.canonicalize(rounded)
    }

    fn sum(&mut self, a: Value, b: Value) -> Value {
        let sum = self.b.add(a, b);
        self.result(sum)
    }

    fn product(&mut self, a: Value, b: Value) -> Value {
        let (a, b) = (self.canonicalize(a), self.canonicalize(b));
        let op = if self.option_is(Choice::ZeroProduct, 1) { Op::Mulz } else { Op::MulzInf };
        let product = self.b.op(op, &[a, b]);
        self.result(product)
    }

    fn dot(&mut self, n: usize, a: [Option<Value>; 4], b: [Option<Value>; 4]) -> Option<Value> {
        let mut products = [None; 4];
        for i in 0..n {
            products[i] = Some(self.product(a[i]?, b[i]?));
        }
        if self.option_is(Choice::DotOrder, 0) {
            let mut sum = self.b.f(0.0);
            for product in products.into_iter().take(n) {
                sum = self.sum(sum, product?);
            }
            return Some(sum);
        }
        let first = self.sum(products[0]?, products[1]?);
        let second = if n == 3 { products[2]? } else { self.sum(products[2]?, products[3]?) };
        Some(self.sum(first, second))
    }

    fn compare(&mut self, operators: [u8; 2], sources: &[Option<Source>; 3]) {
        let [Some(a), Some(b), _] = sources else { return };
        let (a, b) = (self.read(a, 3), self.read(b, 3));
        for (c, operator) in operators.into_iter().enumerate() {
            let (Some(a), Some(b)) = (a[c], b[c]) else { continue };
            let bit = match Comparison::from_number(operator) {
                Some(Comparison::Equal) => self.b.cmp(FCmp::Eq, a, b),
                Some(Comparison::NotEqual) => {
                    let equal = self.b.cmp(FCmp::Eq, a, b);
                    self.b.not(equal)
                }
                Some(Comparison::Less) => self.b.cmp(FCmp::Lt, a, b),
                Some(Comparison::LessEqual) => self.b.cmp(FCmp::Le, a, b),
                Some(Comparison::Greater) => self.b.cmp(FCmp::Lt, b, a),
                Some(Comparison::GreaterEqual) => self.b.cmp(FCmp::Le, b, a),
                None if self.option_is(Choice::CompareOperator, 0) => self.b.b(true),
                None => continue,
            };
            let var = condition_var(self.b, c);
            self.b.write(var, bit);
        }
    }

    fn mova(&mut self, mask: u8, sources: &[Option<Source>; 3]) {
        let [Some(a), ..] = sources else { return };
        let a = self.read(a, mask & 3);
        for (c, a) in a.into_iter().enumerate() {
            let Some(a) = a else { continue };
            let whole = if self.option_is(Choice::MovaRound, 0) { a } else { self.b.un(FUn::Floor, a) };
            let truncated = self.b.op(Op::TruncI, &[whole]);
            let value = if self.option_is(Choice::MovaRange, 0) {
                let magnitude = self.b.un(FUn::Abs, a);
                let limit = self.b.f(2_147_483_648.0);
                let holds = self.b.cmp(FCmp::Lt, magnitude, limit);
                let indefinite = self.b.i(i32::MIN);
                self.b.op(Op::Sel(Ty::I32), &[holds, truncated, indefinite])
            } else {
                let (low, high) = (self.b.i(-128), self.b.i(127));
                let below = self.b.icmp(ICmp::LtS, truncated, low);
                let above = self.b.icmp(ICmp::LtS, high, truncated);
                let at_most = self.b.sel_i(above, high, truncated);
                self.b.sel_i(below, low, at_most)
            };
            let var = int(self.b, File::Address, 0, c);
            self.b.write(var, value);
        }
    }
}
