//! Lowers the units of one word.

use super::kinds::{self, UnitResultKind};
use super::{Cx, File, Outline, float, int, memory, register, result};
use crate::ir::{Builder, Flush, Op as Ir, Value};
use crate::isa::utgard_gp::opcode::Op;
use crate::isa::utgard_gp::options::Choice;
use crate::isa::utgard_gp::program::{AddressSet, Word};
use crate::isa::utgard_gp::source::{ResultOf, Source};
use crate::value::{BBin, FCmp, FUn, IBin, ICmp};

/// Maps a slot number into range, as the option for the address range defines.
pub(super) fn in_range(cx: &Cx<'_>, b: &mut Builder, slot: Value) -> Value {
    let last = b.i(511);
    match cx.options.get(Choice::AddressRange as usize) {
        0 => slot,
        1 => b.ibin(IBin::And, slot, last),
        _ => {
            let zero = b.i(0);
            let below = b.icmp(ICmp::LtS, slot, zero);
            let above = b.icmp(ICmp::LtS, last, slot);
            let at_most = b.sel_i(above, last, slot);
            b.sel_i(below, zero, at_most)
        }
    }
}

/// The state of lowering the units of a word.
pub(super) struct Alu<'a, 'b> {
    cx: &'a Cx<'a>,
    outline: &'a Outline,
    pc: u32,
    word: &'a Word,
    b: &'b mut Builder,
    port0: [Option<Value>; 4],
    port1: [Option<Value>; 4],
    load: [Option<Value>; 4],
    slot: Option<Value>,
}

impl<'a, 'b> Alu<'a, 'b> {
    pub(super) fn new(
        cx: &'a Cx<'a>,
        outline: &'a Outline,
        pc: u32,
        word: &'a Word,
        b: &'b mut Builder,
    ) -> Self {
        Alu { cx, outline, pc, word, b, port0: [None; 4], port1: [None; 4], load: [None; 4], slot: None }
    }

    fn option_is(&self, option: Choice, choice: u8) -> bool {
        self.cx.options.get(option as usize) == choice
    }

    fn read_port0(&mut self, c: usize) -> Value {
        if let Some(value) = self.port0[c] {
            return value;
        }
        let value = if self.word.port0_attribute != 0 {
            self.b.op(Ir::Input(u16::from(self.word.port0) * 4 + c as u16), &[])
        } else {
            let var = register(self.cx, self.b, usize::from(self.word.port0 & 15), c);
            self.b.read(var)
        };
        self.port0[c] = Some(value);
        value
    }

    fn read_port1(&mut self, c: usize) -> Value {
        if let Some(value) = self.port1[c] {
            return value;
        }
        let var = register(self.cx, self.b, usize::from(self.word.port1 & 15), c);
        let value = self.b.read(var);
        self.port1[c] = Some(value);
        value
    }

    fn read_load(&mut self, c: usize) -> Value {
        if let Some(value) = self.load[c] {
            return value;
        }
        let load = self.word.load;
        let in_memory = self.outline.memory;
        let value = match load.register() {
            None if !in_memory => self.b.op(Ir::Uniform(load.address * 4 + c as u16), &[]),
            offset => {
                let slot = match self.slot {
                    Some(slot) => slot,
                    None => {
                        let mut slot = self.b.i(load.address.into());
                        if let Some(n) = offset {
                            let var = int(self.b, File::Address.key(0, n));
                            let address = self.b.read(var);
                            let sum = self.b.ibin(IBin::Add, slot, address);
                            slot = in_range(self.cx, self.b, sum);
                        }
                        *self.slot.insert(slot)
                    }
                };
                if in_memory {
                    self.b.op(Ir::Load(memory(c)), &[slot])
                } else {
                    let slots = self.b.i(512);
                    let inside = self.b.icmp(ICmp::LtU, slot, slots);
                    let value = self.b.op(Ir::UniformAt(c as u8), &[slot]);
                    let zero = self.b.f(0.0);
                    self.b.sel(inside, value, zero)
                }
            }
        };
        self.load[c] = Some(value);
        value
    }

    /// Returns the values of read port 0 that operands of the next word read.
    pub(super) fn port0_for_next(&mut self) -> [Option<Value>; 4] {
        let mut out = [None; 4];
        if let Some(next) = self.cx.program.words.get(self.pc as usize + 1) {
            for (source, _) in next.operands() {
                if let Source::Port0Before(c) = source {
                    let c = usize::from(c & 3);
                    out[c] = Some(self.read_port0(c));
                }
            }
        }
        out
    }

    /// Returns the kind of an operand, and its number or the number that represents its stage of a complex function.
    fn operand(&mut self, source: Source, identity: f32) -> (UnitResultKind, Value) {
        let kind = kinds::operand(self.cx.program, self.outline, self.pc, source);
        let value = match source {
            _ if kind == UnitResultKind::Nothing => self.b.f(f32::NAN),
            Source::Port0(c) => self.read_port0(usize::from(c & 3)),
            Source::Port1(c) => self.read_port1(usize::from(c & 3)),
            Source::Load(c) => self.read_load(usize::from(c & 3)),
            Source::Port0Before(c) => {
                let var = float(self.b, File::Port.key(0, usize::from(c & 3)));
                self.b.read(var)
            }
            Source::Result { of, age } => {
                let var = float(self.b, result(of, age));
                self.b.read(var)
            }
            Source::Identity => self.b.f(identity),
            Source::Unused | Source::Unknown(_) => self.b.f(f32::NAN),
        };
        (kind, value)
    }

    /// Returns an operand as a number; NaN if it is not a number.
    fn number(&mut self, code: u8, is_second: bool, identity: f32) -> Value {
        let (kind, value) = self.operand(Source::decode(code, is_second), identity);
        if kind == UnitResultKind::Number { value } else { self.b.f(f32::NAN) }
    }

    /// Returns the result of a unit: a number, or the number that represents a stage of a complex function. `None` if there is no result.
    pub(super) fn result(&mut self, of: ResultOf) -> Option<Value> {
        let word = self.word;
        let op = word.result_op(of)?;
        let kind = kinds::of_unit(self.cx.program, self.outline, self.pc, word, of);
        if kind == UnitResultKind::Nothing {
            return None;
        }
        let [m0, m1] = word.mul;
        Some(match op {
            Op::Preexp2 | Op::Postlog2 => self.operand(Source::decode(word.pass_src, false), 0.0).1,
            Op::Exp2 | Op::Log2 | Op::Rsqrt | Op::Rcp => {
                self.operand(Source::decode(word.complex_src, false), 0.0).1
            }
            Op::Complex2 => self.operand(Source::decode(m0.a, false), 1.0).1,
            Op::Complex1 => {
                let (function, _) = self.operand(Source::decode(m0.a, false), 1.0);
                let (_, x) = self.operand(Source::decode(m1.b, true), 1.0);
                let value = self.function(function, x);
                if m0.neg != 0 && self.option_is(Choice::WideNegate, 1) {
                    self.b.un(FUn::Neg, value)
                } else {
                    value
                }
            }
            Op::Select => {
                let condition = self.number(m0.b, true, 1.0);
                let condition = self.is_condition_true(condition, Choice::SelectTruth);
                let (first, second) = (self.number(m1.a, false, 1.0), self.number(m0.a, false, 1.0));
                let value = if self.option_is(Choice::Select, 0) {
                    self.b.sel(condition, first, second)
                } else {
                    self.b.sel(condition, second, first)
                };
                let value = self.flush_input(value);
                let value = self.flush_result(value);
                if m0.neg != 0 && self.option_is(Choice::WideNegate, 1) {
                    self.b.un(FUn::Neg, value)
                } else {
                    value
                }
            }
            Op::Mul => {
                let mul = if of == ResultOf::Mul0 { m0 } else { m1 };
                let (a, b) = (self.number(mul.a, false, 1.0), self.number(mul.b, true, 1.0));
                let (a, b) = (self.flush_input(a), self.flush_input(b));
                let zeros = self.option_is(Choice::ZeroTimesInfinity, 1);
                let product = self.b.op(if zeros { Ir::Mulz } else { Ir::Mul }, &[a, b]);
                let product = self.flush_result(product);
                if mul.neg != 0 { self.b.un(FUn::Neg, product) } else { product }
            }
            Op::PassMov | Op::Clamp => {
                let value = self.number(word.pass_src, false, 0.0);
                let value = self.flush_moved(value);
                if op == Op::Clamp { self.clamp(value) } else { value }
            }
            Op::ComplexMov => {
                let value = self.number(word.complex_src, false, 0.0);
                self.flush_moved(value)
            }
            _ => self.acc(op, of),
        })
    }

    fn acc(&mut self, op: Op, of: ResultOf) -> Value {
        let acc = self.word.acc[of as usize];
        let mut a = self.number(acc.a, false, 0.0);
        if acc.neg_a != 0 {
            a = self.b.un(FUn::Neg, a);
        }
        let a = self.flush_input(a);
        let value = match op {
            Op::Floor => self.b.un(FUn::Floor, a),
            Op::Sign => self.sign(a),
            _ => {
                let mut b = self.number(acc.b, true, 0.0);
                if acc.neg_b != 0 {
                    b = self.b.un(FUn::Neg, b);
                }
                let b = self.flush_input(b);
                match op {
                    Op::Ge => {
                        let c = self.b.cmp(FCmp::Le, b, a);
                        self.bool_to_float(c)
                    }
                    Op::Lt if self.option_is(Choice::CompareNan, 0) => {
                        let c = self.b.cmp(FCmp::Lt, a, b);
                        self.bool_to_float(c)
                    }
                    Op::Lt => {
                        let c = self.b.cmp(FCmp::Le, b, a);
                        let c = self.b.not(c);
                        self.bool_to_float(c)
                    }
                    Op::Min => self.extreme(a, b, false),
                    Op::Max => self.extreme(a, b, true),
                    _ => self.b.add(a, b),
                }
            }
        };
        self.flush_result(value)
    }

    fn bool_to_float(&mut self, c: Value) -> Value {
        let (one, zero) = (self.b.f(1.0), self.b.f(0.0));
        self.b.sel(c, one, zero)
    }

    fn function(&mut self, function: UnitResultKind, x: Value) -> Value {
        let x = self.flush_stage(x);
        let value = match function {
            UnitResultKind::LookupResult(Op::Log2) => {
                let x = self.abs_by_option(x);
                let log = self.b.un(FUn::Log2, x);
                if self.option_is(Choice::LogZero, 0) {
                    log
                } else {
                    let zero = self.b.f(0.0);
                    let is_zero = self.b.cmp(FCmp::Eq, x, zero);
                    let lowest = self.b.f(f32::MIN);
                    self.b.sel(is_zero, lowest, log)
                }
            }
            UnitResultKind::LookupResult(Op::Rcp) => {
                let one = self.b.f(1.0);
                let value = self.b.div(one, x);
                if self.option_is(Choice::ReciprocalZero, 0) { value } else { self.largest(x, value) }
            }
            UnitResultKind::LookupResult(Op::Rsqrt) => {
                let x = self.abs_by_option(x);
                let root = self.b.un(FUn::Sqrt, x);
                let one = self.b.f(1.0);
                let value = self.b.div(one, root);
                if self.option_is(Choice::RsqrtZero, 0) { value } else { self.largest(x, value) }
            }
            _ => self.b.un(FUn::Exp2, x),
        };
        self.flush_stage(value)
    }

    /// Returns the largest finite number with the sign of `value` if `x` is zero, otherwise `value`.
    fn largest(&mut self, x: Value, value: Value) -> Value {
        let zero = self.b.f(0.0);
        let is_zero = self.b.cmp(FCmp::Eq, x, zero);
        let below = self.b.cmp(FCmp::Lt, value, zero);
        let (low, high) = (self.b.f(f32::MIN), self.b.f(f32::MAX));
        let bound = self.b.sel(below, low, high);
        self.b.sel(is_zero, bound, value)
    }

    fn abs_by_option(&mut self, x: Value) -> Value {
        if self.option_is(Choice::NegativeRoot, 0) { x } else { self.b.un(FUn::Abs, x) }
    }

    fn clamp(&mut self, a: Value) -> Value {
        let (low, high) = (self.read_load(0), self.read_load(1));
        let value = if self.option_is(Choice::Clamp, 0) {
            let at_least = self.b.max(a, low);
            self.b.min(at_least, high)
        } else {
            let at_most = self.b.min(a, low);
            self.b.max(at_most, high)
        };
        let of_nan = match self.cx.options.get(Choice::ClampNan as usize) {
            0 => low,
            1 => high,
            _ => a,
        };
        let nan = self.is_nan(a);
        self.b.sel(nan, of_nan, value)
    }

    fn is_nan(&mut self, a: Value) -> Value {
        let number = self.b.cmp(FCmp::Eq, a, a);
        self.b.not(number)
    }

    fn is_condition_true(&mut self, a: Value, option: Choice) -> Value {
        let zero = self.b.f(0.0);
        let number = match self.cx.options.get(option as usize) {
            0 => {
                let is_zero = self.b.cmp(FCmp::Eq, a, zero);
                self.b.not(is_zero)
            }
            1 => {
                let (bits, none) = (self.b.op(Ir::Bits, &[a]), self.b.i(0));
                let none = self.b.icmp(ICmp::Eq, bits, none);
                self.b.not(none)
            }
            _ => self.b.cmp(FCmp::Lt, zero, a),
        };
        let nan = self.is_nan(a);
        if self.option_is(Choice::TruthNan, 0) {
            self.b.logic(BBin::Or, nan, number)
        } else {
            let not_nan = self.b.not(nan);
            self.b.logic(BBin::And, not_nan, number)
        }
    }

    /// Returns whether the branch of this word is taken.
    pub(super) fn taken(&mut self, results: &[Option<Value>; 6]) -> Value {
        let condition = self.passed(results);
        self.is_condition_true(condition, Choice::BranchTruth)
    }

    /// Returns the result of the pass unit as a number; NaN if it is not a number.
    fn passed(&mut self, results: &[Option<Value>; 6]) -> Value {
        let is_number = kinds::of_unit(self.cx.program, self.outline, self.pc, self.word, ResultOf::Pass)
            == UnitResultKind::Number;
        match results[ResultOf::Pass as usize].filter(|_| is_number) {
            Some(value) => value,
            None => self.b.f(f32::NAN),
        }
    }

    /// Returns the address registers that this word sets, and the slot number assigned to them.
    pub(super) fn address(&mut self, results: &[Option<Value>; 6]) -> Option<(AddressSet, Value)> {
        let set = self.word.address_set()?;
        let mut value =
            if set.from_pass { self.passed(results) } else { self.number(self.word.complex_src, false, 0.0) };
        match self.cx.options.get(Choice::Address as usize) {
            0 => {}
            1 => value = self.b.un(FUn::RoundEven, value),
            _ => value = self.b.un(FUn::Floor, value),
        }
        Some((set, self.b.op(Ir::TruncI, &[value])))
    }

    fn sign(&mut self, a: Value) -> Value {
        let zero = self.b.f(0.0);
        let is_zero = self.b.cmp(FCmp::Eq, a, zero);
        let nan = self.is_nan(a);
        let of_zero = if self.option_is(Choice::SignZero, 0) { zero } else { a };
        let of_nan = if self.option_is(Choice::SignNan, 0) { zero } else { a };
        let positive = self.b.cmp(FCmp::Lt, zero, a);
        let (one, minus) = (self.b.f(1.0), self.b.f(-1.0));
        let sign = self.b.sel(positive, one, minus);
        let sign = self.b.sel(nan, of_nan, sign);
        self.b.sel(is_zero, of_zero, sign)
    }

    fn extreme(&mut self, x: Value, y: Value, larger: bool) -> Value {
        let first = if larger { self.b.cmp(FCmp::Lt, y, x) } else { self.b.cmp(FCmp::Lt, x, y) };
        let winner = self.b.sel(first, x, y);
        let of_equal = match self.cx.options.get(Choice::MinMaxZero as usize) {
            0 => {
                let (a, b) = (self.b.op(Ir::Bits, &[x]), self.b.op(Ir::Bits, &[y]));
                let bits = self.b.ibin(if larger { IBin::And } else { IBin::Or }, a, b);
                self.b.op(Ir::FromBits, &[bits])
            }
            1 => x,
            _ => y,
        };
        let equal = self.b.cmp(FCmp::Eq, x, y);
        let number = self.b.sel(equal, of_equal, winner);
        let (x_nan, y_nan) = (self.is_nan(x), self.is_nan(y));
        match self.cx.options.get(Choice::MinMaxNan as usize) {
            0 => {
                let rest = self.b.sel(x_nan, y, number);
                self.b.sel(y_nan, x, rest)
            }
            1 => {
                let either = self.b.logic(BBin::Or, x_nan, y_nan);
                self.b.sel(either, y, number)
            }
            _ => {
                let rest = self.b.sel(y_nan, y, number);
                self.b.sel(x_nan, x, rest)
            }
        }
    }

    fn flush_input(&mut self, a: Value) -> Value {
        let flushes = matches!(self.cx.options.get(Choice::Subnormals as usize), 0 | 1);
        if flushes { self.b.op(Ir::Flush(Flush::Subnormal), &[a]) } else { a }
    }

    fn flush_result(&mut self, a: Value) -> Value {
        let flushes = matches!(self.cx.options.get(Choice::Subnormals as usize), 0 | 2);
        if flushes { self.b.op(Ir::Flush(Flush::Subnormal), &[a]) } else { a }
    }

    fn flush_moved(&mut self, a: Value) -> Value {
        if self.option_is(Choice::MoveSubnormals, 1) {
            self.b.op(Ir::Flush(Flush::Subnormal), &[a])
        } else {
            a
        }
    }

    fn flush_stage(&mut self, a: Value) -> Value {
        if self.option_is(Choice::ComplexSubnormals, 1) {
            self.b.op(Ir::Flush(Flush::Subnormal), &[a])
        } else {
            a
        }
    }
}
