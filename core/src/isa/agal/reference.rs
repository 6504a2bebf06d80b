//! The reference interpreter, in the terms of the documents.
//!
//! A lane is a program counter and registers. Every instruction reads its sources as whole vectors, swizzles them, computes component by component
//! and writes through the mask (DEF, lane rule).

use super::options::Choice;
use super::program::{File, Sampler, Source, Token};
use super::{Agal, opcode::Opcode};
use crate::host::{Access, Dimension, Filter, Host, Lod, MipFilter, SampleRequest, SamplerState, Wrap};
use crate::isa::{Context, LaneState, Stage};
use crate::value::{Domain, FUn, Freedom, ICmp};

/// Temporaries of the largest version.
pub const TEMPORARIES: usize = 26;
/// Varyings of the largest version.
pub const VARYINGS: usize = 10;
/// Output registers: `op`, or `fo0` to `fo3`; then the depth.
pub const OUTPUTS: usize = 5;
/// The output slot of the depth in a fragment program.
pub const DEPTH_SLOT: u16 = 4;
/// The input slot of the instance number.
pub const INSTANCE_SLOT: u16 = 32;

type Vec4<D> = [<D as Domain>::F; 4];

/// A lane: program counter and registers.
#[derive(Clone, Debug)]
pub struct Lane<D: Domain> {
    /// Number of the next instruction.
    pub pc: u32,
    /// `vt` or `ft`; zero at the start.
    pub temporaries: [Vec4<D>; TEMPORARIES],
    /// `op` or `fo`, and the depth.
    pub outputs: [Vec4<D>; OUTPUTS],
    /// `v` of a vertex program.
    pub varyings: [Vec4<D>; VARYINGS],
    /// Whether `kil` has discarded the pixel.
    pub killed: D::B,
}

impl<D: Domain> Lane<D> {
    /// A lane before its first instruction.
    pub fn new(d: &D) -> Lane<D> {
        fn zeros<D: Domain, const N: usize>(d: &D) -> [Vec4<D>; N] {
            std::array::from_fn(|_| std::array::from_fn(|_| d.f(0.0)))
        }
        Lane { pc: 0, temporaries: zeros(d), outputs: zeros(d), varyings: zeros(d), killed: d.b(false) }
    }

    /// The destination register; `None` if this stage cannot write it.
    fn dest(&mut self, token: &Token) -> Option<&mut Vec4<D>> {
        let number = usize::from(token.dest.number);
        match File::from_number(token.dest.file)? {
            File::Temporary => self.temporaries.get_mut(number),
            File::Output => self.outputs.get_mut(number),
            File::Varying => self.varyings.get_mut(number),
            File::Depth => self.outputs.get_mut(usize::from(DEPTH_SLOT)),
            _ => None,
        }
    }
}

/// The context for executing an instruction, apart from the lane.
struct Reader<'a, D: Domain, H: Host<D>> {
    d: &'a D,
    host: &'a mut H,
    cx: &'a Context<'a, Agal>,
    /// Number of the lane in its group.
    at: usize,
}

impl<D: Domain, H: Host<D>> Reader<'_, D, H> {
    fn choice(&self, option: Choice) -> u8 {
        self.cx.options.get(option as usize)
    }

    /// The value of a register, before swizzling.
    fn register(&mut self, lane: &Lane<D>, file: u8, number: u16) -> Vec4<D> {
        let zeros = || std::array::from_fn(|_| self.d.f(0.0));
        match File::from_number(file) {
            Some(File::Attribute) => self.host.input(self.d, self.at, number),
            Some(File::Varying) if self.cx.program.stage == Stage::Fragment => {
                self.host.input(self.d, self.at, number)
            }
            Some(File::Instance) => self.host.input(self.d, self.at, INSTANCE_SLOT),
            Some(File::Constant) => self.host.constant(self.d, &self.d.i(i32::from(number))),
            Some(File::Temporary) => lane.temporaries.get(usize::from(number)).cloned().unwrap_or_else(zeros),
            _ => zeros(),
        }
    }

    /// The value of the register `row` places after a source's, before swizzling.
    fn raw(&mut self, lane: &Lane<D>, source: &Source, row: u16) -> Vec4<D> {
        if source.indirect == 0 {
            return self.register(lane, source.file, source.number.wrapping_add(row));
        }
        let index = self.register(lane, source.index_file, source.number);
        let index = self.index(&index[usize::from(source.index_component)]);
        let offset = match self.choice(Choice::Offset) {
            0 => i32::from(source.offset),
            _ => i32::from(source.offset as i8),
        };
        self.record(Freedom::IndexRange, &self.d.b(source.offset >= 128));
        let slot = self.d.ibin(crate::value::IBin::Add, &index, &self.d.i(offset + i32::from(row)));
        let slot = self.within(slot);
        self.host.constant(self.d, &slot)
    }

    /// The number of an indexed constant, replaced by option if that constant does not exist.
    fn within(&mut self, slot: D::I) -> D::I {
        let d = self.d;
        let (first, last) = (d.i(0), d.i(i32::from(self.cx.entry.interface.constants.max(1)) - 1));
        let (below, above) = (d.icmp(ICmp::LtS, &slot, &first), d.icmp(ICmp::LtS, &last, &slot));
        self.record(Freedom::IndexRange, &d.or(&below, &above));
        match self.choice(Choice::ConstantRange) {
            0 => slot,
            1 => d.sel_i(&below, &first, &d.sel_i(&above, &last, &slot)),
            _ => d.sel_i(&d.or(&below, &above), &first, &slot),
        }
    }

    /// `a * b`, with the option for zero times infinity or NaN.
    fn product(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let plain = d.mul(a, b);
        let either = d.or(&self.is_zero(a), &self.is_zero(b));
        if self.host.notes() {
            // The choices differ for NaN, and in the sign of zero.
            self.record(Freedom::ZeroTimesInfinity, &d.and(&either, &d.is_not_plus_zero(&plain)));
        }
        match self.choice(Choice::ZeroTimes) {
            0 => plain,
            _ => d.sel(&either, &d.f(0.0), &plain),
        }
    }

    /// `2 ^ (y * log2 x)` with the options for negative bases, zeros and infinities.
    fn power(&mut self, x: &D::F, y: &D::F) -> D::F {
        let d = self.d;
        let negative = d.lt(x, &d.f(0.0));
        self.record(Freedom::NegativeBase, &negative);
        let base = match self.choice(Choice::PowNegative) {
            0 => d.abs(x),
            _ => x.clone(),
        };
        let (zero_base, zero_exponent) = (self.is_zero(&base), self.is_zero(y));
        self.record(Freedom::ZeroBase, &zero_base);
        self.record(Freedom::ZeroExponent, &zero_exponent);
        let log = d.un(FUn::Log2, &base);
        let log = match self.choice(Choice::PowZeroBase) {
            0 => log,
            _ => d.sel(&zero_base, &d.f(f32::MIN), &log),
        };
        let power = d.un(FUn::Exp2, &self.product(y, &log));
        match self.choice(Choice::PowZeroExponent) {
            0 => power,
            _ => d.sel(&zero_exponent, &d.f(1.0), &power),
        }
    }

    /// An index register's value as an integer.
    fn index(&mut self, value: &D::F) -> D::I {
        let d = self.d;
        let whole = d.eq(value, &d.un(FUn::Trunc, value));
        self.host.record(Freedom::IndexConversion, &d.not(&whole));
        match self.choice(Choice::Index) {
            0 => d.trunc_i(&d.un(FUn::Trunc, value)),
            1 => d.trunc_i(&d.un(FUn::RoundEven, value)),
            _ => d.trunc_i(&d.un(FUn::Floor, value)),
        }
    }

    /// A source after swizzling.
    fn source(&mut self, lane: &Lane<D>, source: &Source) -> Vec4<D> {
        let raw = self.raw(lane, source, 0);
        std::array::from_fn(|i| raw[source.component(i)].clone())
    }

    fn record(&mut self, freedom: Freedom, when: &D::B) {
        self.host.record(freedom, when);
    }

    fn is_zero(&self, v: &D::F) -> D::B {
        self.d.eq(v, &self.d.f(0.0))
    }

    /// A unary operation on one component.
    fn unary(&mut self, op: Opcode, a: &D::F) -> D::F {
        let d = self.d;
        match op {
            Opcode::Rcp => self.quotient(&d.f(1.0), a),
            Opcode::Frc => d.sub(a, &d.un(FUn::Floor, a)),
            Opcode::Sqt => {
                let a = self.not_negative(a);
                d.un(FUn::Sqrt, &a)
            }
            Opcode::Rsq => {
                let a = self.not_negative(a);
                let zero = self.is_zero(&a);
                self.record(Freedom::RsqOfZero, &zero);
                let root = d.div(&d.f(1.0), &d.un(FUn::Sqrt, &a));
                match self.choice(Choice::RsqZero) {
                    0 => root,
                    _ => d.sel(&zero, &d.f(f32::MAX), &root),
                }
            }
            Opcode::Log => {
                let a = self.not_negative(a);
                let zero = self.is_zero(&a);
                self.record(Freedom::LogOfZero, &zero);
                match self.choice(Choice::LogZero) {
                    0 => d.un(FUn::Log2, &a),
                    _ => d.sel(&zero, &d.f(f32::MIN), &d.un(FUn::Log2, &a)),
                }
            }
            Opcode::Exp => d.un(FUn::Exp2, a),
            Opcode::Sin => d.un(FUn::Sin, a),
            Opcode::Cos => d.un(FUn::Cos, a),
            Opcode::Abs => d.abs(a),
            Opcode::Neg => d.neg(a),
            Opcode::Sat => {
                self.record(Freedom::SaturateNan, &d.is_nan(a));
                let (zero, one) = (d.f(0.0), d.f(1.0));
                let at_most_one = |v: &D::F| d.sel(&d.lt(v, &one), v, &one);
                let at_least_zero = |v: &D::F| d.sel(&d.lt(&zero, v), v, &zero);
                match self.choice(Choice::SaturateNan) {
                    0 => at_least_zero(&at_most_one(a)),
                    1 => at_most_one(&at_least_zero(a)),
                    _ => d.sel(&d.is_nan(a), a, &at_most_one(&at_least_zero(a))),
                }
            }
            Opcode::Sgn => {
                let nan = d.is_nan(a);
                self.record(Freedom::SignOfNan, &nan);
                let zero = d.f(0.0);
                let positive = d.sel(&d.lt(&zero, a), &d.f(1.0), &zero);
                let sign = d.sel(&d.lt(a, &zero), &d.f(-1.0), &positive);
                match self.choice(Choice::SignNan) {
                    0 => sign,
                    _ => d.sel(&nan, a, &sign),
                }
            }
            // mov; the others of this shape work on whole vectors and are handled elsewhere.
            _ => a.clone(),
        }
    }

    fn binary(&mut self, op: Opcode, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let truth = |c: D::B| d.sel(&c, &d.f(1.0), &d.f(0.0));
        match op {
            Opcode::Add => d.add(a, b),
            Opcode::Sub => d.sub(a, b),
            Opcode::Mul => self.product(a, b),
            Opcode::Div => self.quotient(a, b),
            Opcode::Min => self.min_or_max(&d.lt(a, b), a, b),
            Opcode::Max => self.min_or_max(&d.lt(b, a), a, b),
            Opcode::Pow => self.power(a, b),
            Opcode::Sge => truth(d.le(b, a)),
            Opcode::Slt => truth(d.lt(a, b)),
            Opcode::Seq => truth(d.eq(a, b)),
            Opcode::Sne => truth(d.not(&d.eq(a, b))),
            _ => a.clone(),
        }
    }

    /// Minimum or maximum: `a` if the comparison `first` holds, else `b`, with the options for NaN.
    fn min_or_max(&mut self, first: &D::B, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let (a_nan, b_nan) = (d.is_nan(a), d.is_nan(b));
        self.record(Freedom::MinMaxNan, &d.or(&a_nan, &b_nan));
        let plain = d.sel(first, a, b);
        match self.choice(Choice::MinMaxNan) {
            0 => plain,
            1 => d.sel(&b_nan, a, &plain),
            _ => d.sel(&a_nan, a, &d.sel(&b_nan, b, &plain)),
        }
    }

    fn quotient(&mut self, a: &D::F, b: &D::F) -> D::F {
        let d = self.d;
        let by_zero = self.is_zero(b);
        self.record(Freedom::ReciprocalOfZero, &by_zero);
        let plain = d.div(a, b);
        if self.choice(Choice::ReciprocalZero) == 0 {
            return plain;
        }
        let high = d.sel(&d.eq(&plain, &d.f(f32::INFINITY)), &d.f(f32::MAX), &plain);
        let both = d.sel(&d.eq(&plain, &d.f(f32::NEG_INFINITY)), &d.f(f32::MIN), &high);
        d.sel(&by_zero, &both, &plain)
    }

    fn not_negative(&mut self, a: &D::F) -> D::F {
        self.record(Freedom::NegativeRoot, &self.d.lt(a, &self.d.f(0.0)));
        match self.choice(Choice::NegativeRoot) {
            0 => a.clone(),
            _ => self.d.abs(a),
        }
    }

    /// The dot product of the first `n` components, summed from the left.
    fn dot(&mut self, n: usize, a: &Vec4<D>, b: &Vec4<D>) -> D::F {
        let (d, first) = (self.d, self.product(&a[0], &b[0]));
        (1..n).fold(first, |sum, i| d.add(&sum, &self.product(&a[i], &b[i])))
    }

    fn normalize(&mut self, a: &Vec4<D>) -> Vec4<D> {
        let d = self.d;
        let square = self.dot(3, a, a);
        let zero = self.is_zero(&square);
        self.record(Freedom::NormalizeZero, &zero);
        let scale = d.div(&d.f(1.0), &d.un(FUn::Sqrt, &square));
        let keep = self.choice(Choice::NormalizeZero) == 0;
        std::array::from_fn(|i| {
            if i == 3 {
                return d.f(0.0);
            }
            let scaled = self.product(&a[i], &scale);
            if keep { scaled } else { d.sel(&zero, &d.f(0.0), &scaled) }
        })
    }

    /// The result of a texture read, given the coordinates of every lane of the group.
    fn texel(&mut self, op: Opcode, sampler: &Sampler, coords: &[Vec4<D>], whole: bool) -> Vec4<D> {
        let d = self.d;
        let dimension = dimension(sampler);
        let used = if dimension == Dimension::Two { 2 } else { 3 };
        let vector = |v: &Vec4<D>| -> [D::F; 3] {
            std::array::from_fn(|i| if i < used { v[i].clone() } else { d.f(0.0) })
        };
        let bias = {
            let eighths = f32::from(sampler.bias as i8) / 8.0;
            if sampler.bias != 0 {
                self.record(Freedom::LodBias, &d.b(true));
            }
            match self.choice(Choice::LodBias) {
                0 => d.f(eighths),
                _ => d.f(0.0),
            }
        };
        let lod = if op == Opcode::Tld {
            Lod::Explicit(bias)
        } else if sampler.mip == 0 && sampler.special & IGNORE_SAMPLER == 0 {
            Lod::Base
        } else {
            let [dx, dy] = [true, false].map(|x| {
                let v: Vec4<D> = std::array::from_fn(|c| {
                    let values: [&D::F; 4] = std::array::from_fn(|l| &coords[l.min(coords.len() - 1)][c]);
                    self.derivative(x, values, whole)
                });
                vector(&v)
            });
            Lod::Gradient { dx, dy, bias }
        };
        let state = (sampler.special & IGNORE_SAMPLER == 0).then(|| state(sampler));
        let coords = vector(&coords[self.at.min(coords.len() - 1)]);
        self.host.sample(
            d,
            sampler.number as u8,
            &SampleRequest { dimension, state, access: Access::PLAIN, coords, lod },
        )
    }

    /// The derivative of a value across the quad, for lane `self.at`.
    fn derivative(&mut self, x: bool, values: [&D::F; 4], whole: bool) -> D::F {
        let d = self.d;
        if !whole {
            self.record(Freedom::DivergentDerivative, &d.b(true));
            return d.f(0.0);
        }
        self.record(Freedom::DerivativePlace, &d.b(true));
        let step = if x { 1 } else { 2 };
        let from = match self.choice(Choice::Derivative) {
            0 => self.at & !step,
            _ => 0,
        };
        d.sub(values[from | step], values[from])
    }
}

/// The flag that takes the sampler state from the texture unit.
const IGNORE_SAMPLER: u8 = 4;

fn dimension(sampler: &Sampler) -> Dimension {
    match sampler.dimension {
        1 => Dimension::Cube,
        2 => Dimension::Three,
        _ => Dimension::Two,
    }
}

/// The sampler state encoded in a token. The third coordinate wraps like the first.
fn state(sampler: &Sampler) -> SamplerState {
    let filter = if sampler.filter == 0 { Filter::Nearest } else { Filter::Linear };
    let mip = match sampler.mip {
        0 => MipFilter::None,
        1 => MipFilter::Nearest,
        _ => MipFilter::Linear,
    };
    let wrap = |repeats: bool| if repeats { Wrap::Repeat } else { Wrap::Clamp };
    let u = wrap(sampler.wrap & 1 == 1);
    let v = wrap(matches!(sampler.wrap, 1 | 2));
    SamplerState {
        min: filter,
        mag: filter,
        mip,
        wrap: [u, v, u],
        max_anisotropy: if sampler.filter > 1 { 1 << (sampler.filter - 1).min(4) } else { 1 },
        ..SamplerState::default()
    }
}

/// Runs the active lanes through the instruction at their program counter.
pub fn step<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Context<'_, Agal>,
    group: &mut [LaneState<Lane<D>>],
    active: u8,
) {
    let lanes = |active: u8| (0..8usize).filter(move |l| active >> l & 1 == 1);
    let Some(first) = lanes(active).next() else { return };
    let pc = group[first].lane.pc;
    let Some(token) = cx.program.tokens.get(pc as usize) else { return };
    let Some(op) = token.op() else {
        // The validator refuses it. Here it has no effect, so that a run still ends.
        lanes(active).for_each(|l| group[l].lane.pc += 1);
        return;
    };
    let whole = group.len() == 4 && active == 0b1111;

    // Derivatives and mip selection need the source in all lanes, so it is read in every lane first.
    let mut across: [Option<Vec4<D>>; 4] = [const { None }; 4];
    if matches!(op, Opcode::Ddx | Opcode::Ddy | Opcode::Tex | Opcode::Ted | Opcode::Tld) {
        for l in lanes(active) {
            across[l] = Some(Reader { d, host, cx, at: l }.source(&group[l].lane, &token.a));
        }
    }

    for l in lanes(active) {
        let lane = &mut group[l].lane;
        lane.pc = pc + 1;
        let mut reader = Reader { d: &*d, host: &mut *host, cx, at: l };
        let written = token.dest.mask;
        // By option, a single-component mask takes the x component of the result.
        let from_x = written.is_power_of_two() && written > 1 && {
            reader.record(Freedom::ScalarLane, &d.b(true));
            reader.choice(Choice::SingleMask) != 0
        };
        let mask = if from_x { 1 } else { written };
        let own = |compute: &mut dyn FnMut(usize) -> D::F| -> [Option<D::F>; 4] {
            std::array::from_fn(|i| (mask >> i & 1 == 1).then(|| compute(i)))
        };
        let result: [Option<D::F>; 4] = match op {
            Opcode::Ife | Opcode::Ine | Opcode::Ifg | Opcode::Ifl => {
                let condition = condition(&mut reader, op, lane, token);
                if !d.decide(&condition) {
                    lane.pc = skip(cx, pc, true);
                }
                continue;
            }
            Opcode::Els => {
                // Reached at the end of the first branch, so the second is skipped.
                lane.pc = skip(cx, pc, false);
                continue;
            }
            Opcode::Eif => continue,
            Opcode::Kil => {
                let value = reader.source(lane, &token.a);
                let mut looked_at = 1;
                if !token.a.is_replicated() {
                    reader.record(Freedom::KillLanes, &d.b(true));
                    if reader.choice(Choice::KillLanes) != 0 {
                        looked_at = 4;
                    }
                }
                for v in &value[..looked_at] {
                    lane.killed = d.or(&lane.killed, &d.lt(v, &d.f(0.0)));
                }
                continue;
            }
            Opcode::Tex | Opcode::Ted | Opcode::Tld => {
                let Some(sampler) = token.sampler() else { continue };
                let own_coords = across[l].clone().unwrap_or_else(|| reader.source(lane, &token.a));
                let coords: [Vec4<D>; 4] =
                    std::array::from_fn(|k| across[k].clone().unwrap_or_else(|| own_coords.clone()));
                reader.texel(op, sampler, &coords, whole).map(Some)
            }
            Opcode::Ddx | Opcode::Ddy => own(&mut |i| {
                let zero = d.f(0.0);
                let values = std::array::from_fn(|k| across[k].as_ref().map_or(&zero, |v| &v[i]));
                reader.derivative(op == Opcode::Ddx, values, whole)
            }),
            Opcode::Nrm => {
                let a = reader.source(lane, &token.a);
                reader.normalize(&a).map(Some)
            }
            Opcode::M33 | Opcode::M34 | Opcode::M44 => {
                let (rows, columns) = match op {
                    Opcode::M33 => (3, 3),
                    Opcode::M34 => (3, 4),
                    _ => (4, 4),
                };
                let a = reader.source(lane, &token.a);
                let Some(matrix) = token.b_source() else { continue };
                own(&mut |i| {
                    if i >= rows {
                        return d.f(0.0);
                    }
                    let row = reader.raw(lane, matrix, i as u16);
                    reader.dot(columns, &a, &row)
                })
            }
            Opcode::Add
            | Opcode::Sub
            | Opcode::Mul
            | Opcode::Div
            | Opcode::Min
            | Opcode::Max
            | Opcode::Pow
            | Opcode::Sge
            | Opcode::Slt
            | Opcode::Seq
            | Opcode::Sne
            | Opcode::Crs
            | Opcode::Dp3
            | Opcode::Dp4 => {
                let Some(second) = token.b_source() else { continue };
                let a = reader.source(lane, &token.a);
                let b = reader.source(lane, second);
                match op {
                    Opcode::Dp3 | Opcode::Dp4 => {
                        let n = if op == Opcode::Dp3 { 3 } else { 4 };
                        let dot = reader.dot(n, &a, &b);
                        own(&mut |_| dot.clone())
                    }
                    Opcode::Crs => own(&mut |i| {
                        if i == 3 {
                            return d.f(0.0);
                        }
                        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                        d.sub(&reader.product(&a[j], &b[k]), &reader.product(&a[k], &b[j]))
                    }),
                    _ => own(&mut |i| reader.binary(op, &a[i], &b[i])),
                }
            }
            Opcode::Mov
            | Opcode::Rcp
            | Opcode::Frc
            | Opcode::Sqt
            | Opcode::Rsq
            | Opcode::Log
            | Opcode::Exp
            | Opcode::Sin
            | Opcode::Cos
            | Opcode::Abs
            | Opcode::Neg
            | Opcode::Sat
            | Opcode::Sgn => {
                let a = reader.source(lane, &token.a);
                own(&mut |i| reader.unary(op, &a[i]))
            }
        };
        if let Some(register) = lane.dest(token) {
            for (i, value) in result.into_iter().enumerate() {
                if let (1, Some(value)) = (mask >> i & 1, value) {
                    register[if from_x { written.trailing_zeros() as usize } else { i }] = value;
                }
            }
        }
    }
}

/// The condition of a block, on the first component of the swizzled sources or, by option, on all of them.
fn condition<D: Domain, H: Host<D>>(
    reader: &mut Reader<'_, D, H>,
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

/// The comparison of an opcode, on one component.
fn compare<D: Domain, H: Host<D>>(reader: &mut Reader<'_, D, H>, op: Opcode, a: &D::F, b: &D::F) -> D::B {
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

/// The target of a lane that skips the block after `pc`: after the matching `els` if `stops_at_else` and there is one, else after `eif`.
fn skip(cx: &Context<'_, Agal>, pc: u32, stops_at_else: bool) -> u32 {
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
