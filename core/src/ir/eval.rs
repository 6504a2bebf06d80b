//! The IR evaluator. It contains the definition of each operation, once for every [`Domain`].
//!
//! The evaluator runs a group of lanes in the same order as the references: of the lanes that are still running, those in the lowest-numbered block
//! run first.

use super::op::{Flush, Op, QuadLane, Ty};
use super::program::{ArrayDecl, ArrayInit, BlockId, LodKind, Program, Terminator, Value};
use crate::exec::StandardMode;
use crate::host::{Effect, Host, Lod, SampleRequest};
use crate::value::{Domain, FUn, Freedom, IBin, ICmp};

/// A value of any type.
#[derive(Clone, Debug)]
pub enum Scalar<D: Domain> {
    /// A binary32 number.
    F(D::F),
    /// A 32-bit integer.
    I(D::I),
    /// A truth value.
    B(D::B),
}

impl<D: Domain> Scalar<D> {
    /// The literal of type `ty` with these bits.
    pub fn literal(d: &D, ty: Ty, bits: u32) -> Scalar<D> {
        match ty {
            Ty::F32 => Scalar::F(d.f(f32::from_bits(bits))),
            Ty::I32 => Scalar::I(d.i(bits as i32)),
            Ty::Bool => Scalar::B(d.b(bits != 0)),
        }
    }

    /// The float. Zero if the value is of another type, which does not happen in a verified program.
    pub fn f(&self, d: &D) -> D::F {
        match self {
            Scalar::F(v) => v.clone(),
            _ => d.f(0.0),
        }
    }
    /// The integer. Zero if the value is of another type.
    pub fn i(&self, d: &D) -> D::I {
        match self {
            Scalar::I(v) => v.clone(),
            _ => d.i(0),
        }
    }
    /// The truth value. False if the value is of another type.
    pub fn b(&self, d: &D) -> D::B {
        match self {
            Scalar::B(v) => v.clone(),
            _ => d.b(false),
        }
    }
}

/// The reason why a lane stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The lane returned.
    Finished,
    /// The lane ran out of fuel.
    OutOfFuel,
    /// The lane reached a point at which the hardware would hang.
    Hung,
}

/// The state of one lane.
#[derive(Clone, Debug)]
pub struct Lane<D: Domain> {
    /// Variables.
    pub vars: Vec<Scalar<D>>,
    /// Arrays.
    pub arrays: Vec<Vec<D::F>>,
    /// Whether the lane was marked killed at any point.
    pub killed: D::B,
    /// The number of units of fuel left.
    pub fuel: u32,
    /// The block to run next.
    pub next_block: BlockId,
    /// The reason why the lane stopped; `None` while it runs.
    pub stop: Option<Stop>,
    /// The latest result for each [`Value`]. A value is read only in the block that computes it.
    pub values: Vec<Scalar<D>>,
}

impl<D: Domain> Lane<D> {
    /// A lane at the entry of `program`. `host` provides the constants with which arrays may be initialised.
    pub fn new<H: Host<D>>(d: &D, host: &mut H, program: &Program, fuel: u32) -> Lane<D> {
        Lane {
            vars: program.vars.iter().map(|v| Scalar::literal(d, v.ty, v.init)).collect(),
            arrays: program.arrays.iter().map(|a| entry_elements(d, host, a)).collect(),
            killed: d.b(false),
            fuel,
            next_block: BlockId(program.entry),
            stop: None,
            values: vec![Scalar::F(d.f(0.0)); program.values as usize],
        }
    }

    /// Whether the lane has as many variables and values as `program`.
    pub fn fits(&self, program: &Program) -> bool {
        self.vars.len() == program.vars.len() && self.values.len() == program.values as usize
    }

    /// The value most recently computed for `v`, for traces.
    pub fn value(&self, v: Value) -> &Scalar<D> {
        &self.values[v.0 as usize]
    }
}

/// The elements of an array at entry.
fn entry_elements<D: Domain, H: Host<D>>(d: &D, host: &mut H, array: &ArrayDecl) -> Vec<D::F> {
    // The slot that was read last. It is kept because consecutive elements may be components of one slot.
    let mut last: Option<(u16, [D::F; 4])> = None;
    let element = |n: usize| match array.init {
        ArrayInit::Zero => d.f(0.0),
        ArrayInit::Uniforms => {
            let key = array.key(n);
            let values = match &last {
                Some((slot, values)) if *slot == key.index => values,
                _ => &last.insert((key.index, host.constant(d, &d.i(key.index.into())))).1,
            };
            values[usize::from(key.component & 3)].clone()
        }
    };
    (0..array.len as usize).map(element).collect()
}

/// Runs a group of lanes until all lanes have stopped.
pub fn run<D: Domain, H: Host<D>>(d: &mut D, host: &mut H, program: &Program, lanes: &mut [Lane<D>]) {
    let _mode = StandardMode::enter();
    run_to_the_end(d, host, program, lanes);
}

#[inline(never)]
fn run_to_the_end<D: Domain, H: Host<D>>(d: &mut D, host: &mut H, program: &Program, lanes: &mut [Lane<D>]) {
    while step(d, host, program, lanes).is_some() {}
}

/// Runs the lanes at the lowest-numbered block through that block, and returns the block. Returns `None` if all lanes have stopped.
pub fn step<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    program: &Program,
    lanes: &mut [Lane<D>],
) -> Option<BlockId> {
    let block = lanes.iter().filter(|l| l.stop.is_none()).map(|l| l.next_block).min()?;
    let mut active: Vec<bool> = lanes.iter().map(|l| l.stop.is_none() && l.next_block == block).collect();
    run_block(d, host, program, block, lanes, &mut active);
    for (lane, _) in lanes.iter_mut().zip(&active).filter(|(_, a)| **a) {
        match &program.blocks[block.0 as usize].terminator {
            Terminator::Jump(to) => lane.next_block = *to,
            Terminator::Branch(v, yes, no) => {
                let c = lane.value(*v).b(d);
                lane.next_block = if d.decide(&c) { *yes } else { *no };
            }
            Terminator::Switch(v, targets) => {
                let v = lane.value(*v).i(d);
                let last = targets.len().saturating_sub(1);
                let at = match d.known_i(&v) {
                    Some(k) => usize::try_from(k).map_or(last, |k| k.min(last)),
                    None => (0..last)
                        .find(|k| {
                            let hit = d.icmp(ICmp::Eq, &v, &d.i(*k as i32));
                            d.decide(&hit)
                        })
                        .unwrap_or(last),
                };
                lane.next_block = targets.get(at).copied().unwrap_or(lane.next_block);
            }
            Terminator::Return => lane.stop = Some(Stop::Finished),
            Terminator::Hang => lane.stop = Some(Stop::Hung),
        }
    }
    Some(block)
}

/// Evaluates the instructions of a block, but not its terminator, for the `active` lanes. Clears the entry in `active` of a lane that runs out of
/// fuel.
pub fn run_block<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    program: &Program,
    block: BlockId,
    lanes: &mut [Lane<D>],
    active: &mut [bool],
) {
    for inst in program.block(block) {
        let args = program.args(inst);
        if let Op::Ddx { fine } | Op::Ddy { fine } = inst.op {
            derivative(d, host, lanes, active, matches!(inst.op, Op::Ddx { .. }), fine, args[0], inst.result);
            continue;
        }
        for (l, lane) in lanes.iter_mut().enumerate() {
            if !active[l] {
                continue;
            }
            if let Op::Fuel(n) = inst.op {
                if lane.fuel < n {
                    lane.fuel = 0;
                    lane.stop = Some(Stop::OutOfFuel);
                    active[l] = false;
                } else {
                    lane.fuel -= n;
                }
                continue;
            }
            eval(d, host, program, l, lane, inst.op, args, inst.result);
        }
    }
}

#[allow(clippy::too_many_arguments)] // the operands of one operation, spelled out
fn derivative<D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    lanes: &mut [Lane<D>],
    active: &[bool],
    x: bool,
    fine: bool,
    arg: Value,
    result: Value,
) {
    let whole = lanes.len() == 4 && active.iter().all(|&a| a);
    let source: Vec<D::F> = lanes.iter().map(|l| l.value(arg).f(d)).collect();
    for (l, lane) in lanes.iter_mut().enumerate().filter(|(l, _)| active[*l]) {
        let value = if whole {
            let [from, to] = QuadLane::of_derivative(x, fine).map(|lane| lane.seen_from(l));
            d.sub(&source[to], &source[from])
        } else {
            host.record(Freedom::DivergentDerivative, &d.b(true));
            d.f(0.0)
        };
        lane.values[result.0 as usize] = Scalar::F(value);
    }
}

#[allow(clippy::too_many_arguments)] // the operands of one operation, spelled out
fn eval<D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    program: &Program,
    l: usize,
    lane: &mut Lane<D>,
    op: Op,
    args: &[Value],
    result: Value,
) {
    let f = |k: usize| lane.value(args[k]).f(d);
    let i = |k: usize| lane.value(args[k]).i(d);
    let b = |k: usize| lane.value(args[k]).b(d);
    let split = |n: u16| (n / 4, usize::from(n % 4));
    let value = match op {
        Op::Input(n) => {
            let (slot, c) = split(n);
            Scalar::F(host.input(d, l, slot)[c].clone())
        }
        Op::QuadInput(other, n) => {
            let (slot, c) = split(n);
            Scalar::F(host.input(d, other.seen_from(l), slot)[c].clone())
        }
        Op::Uniform(n) => {
            let (slot, c) = split(n);
            Scalar::F(host.constant(d, &d.i(i32::from(slot)))[c].clone())
        }
        Op::UniformAt(c) => Scalar::F(host.constant(d, &i(0))[usize::from(c & 3)].clone()),
        Op::IntUniform(n) => {
            let (slot, c) = split(n);
            Scalar::I(host.int_constant(d, slot)[c].clone())
        }
        Op::BoolUniform(n) => Scalar::B(host.bool_constant(d, n)),
        Op::Read(var) => lane.vars[var.0 as usize].clone(),
        Op::Write(var) => {
            lane.vars[var.0 as usize] = lane.value(args[0]).clone();
            return;
        }
        Op::Load(array) => Scalar::F(load(d, &lane.arrays[array.0 as usize], &i(0))),
        Op::Store(array) => {
            let (index, value) = (i(0), f(1));
            store(d, &mut lane.arrays[array.0 as usize], &index, &value);
            return;
        }
        Op::Sample(sampler) => {
            let decl = program.sampler(sampler);
            let vec3 = |k: usize| [f(k), f(k + 1), f(k + 2)];
            let lod = match decl.lod {
                LodKind::Base => Lod::Base,
                LodKind::Explicit => Lod::Explicit(f(3)),
                LodKind::Gradient => Lod::Gradient { dx: vec3(3), dy: vec3(6), bias: f(9) },
            };
            let request = SampleRequest {
                dimension: decl.dimension,
                state: decl.state,
                access: decl.access,
                coords: vec3(0),
                lod,
            };
            let texel = host.sample(d, decl.unit, &request);
            return set_four_results(lane, result, texel);
        }
        Op::Fetch { buffer, format } => {
            let element = host.fetch(d, buffer, format, &i(0));
            return set_four_results(lane, result, element);
        }
        Op::Kill => {
            lane.killed = d.or(&lane.killed, &b(0));
            return;
        }
        Op::Effect { kind, index, mask } => {
            let values = [f(1), f(2), f(3), f(4)];
            host.effect(d, l, Effect { when: b(0), kind, index, mask, values });
            return;
        }
        // The caller handles these, because it has the whole group.
        Op::Fuel(_) | Op::Ddx { .. } | Op::Ddy { .. } => return,
        op => match arithmetic(d, op, |k| lane.value(args[k])) {
            Some(value) => value,
            None => return,
        },
    };
    lane.values[result.0 as usize] = value;
}

/// Returns the result of an operation that depends only on its operands; `None` for any other operation.
///
/// Constant folding and the proofs of rewrite rules call this function too, so they use the same definitions.
pub fn arithmetic<'a, D: Domain>(d: &D, op: Op, arg: impl Fn(usize) -> &'a Scalar<D>) -> Option<Scalar<D>>
where
    Scalar<D>: 'a,
{
    let f = |k: usize| arg(k).f(d);
    let i = |k: usize| arg(k).i(d);
    let b = |k: usize| arg(k).b(d);
    Some(match op {
        Op::F32(bits) => Scalar::F(d.f(f32::from_bits(bits))),
        Op::I32(v) => Scalar::I(d.i(v)),
        Op::Bool(v) => Scalar::B(d.b(v)),
        Op::Un(un) => Scalar::F(d.un(un, &f(0))),
        Op::Add => Scalar::F(d.add(&f(0), &f(1))),
        Op::Sub => Scalar::F(d.sub(&f(0), &f(1))),
        Op::Mul => Scalar::F(d.mul(&f(0), &f(1))),
        Op::Div => Scalar::F(d.div(&f(0), &f(1))),
        Op::Fma => Scalar::F(d.fma(&f(0), &f(1), &f(2))),
        Op::Min => Scalar::F(d.sel(&d.lt(&f(0), &f(1)), &f(0), &f(1))),
        Op::Max => Scalar::F(d.sel(&d.lt(&f(1), &f(0)), &f(0), &f(1))),
        Op::Mulz => {
            let zero = d.f(0.0);
            let either = d.or(&d.eq(&f(0), &zero), &d.eq(&f(1), &zero));
            Scalar::F(d.sel(&either, &zero, &d.mul(&f(0), &f(1))))
        }
        Op::MulzInf => {
            let product = d.mul(&f(0), &f(1));
            let numbers = d.and(&d.eq(&f(0), &f(0)), &d.eq(&f(1), &f(1)));
            let no_number = d.not(&d.eq(&product, &product));
            Scalar::F(d.sel(&d.and(&numbers, &no_number), &d.f(0.0), &product))
        }
        Op::Flush(kind) => Scalar::F(flush(d, kind, &f(0))),
        Op::Cmp(cmp) => Scalar::B(d.cmp(cmp, &f(0), &f(1))),
        Op::ICmp(cmp) => Scalar::B(d.icmp(cmp, &i(0), &i(1))),
        Op::IBin(bin) => Scalar::I(d.ibin(bin, &i(0), &i(1))),
        Op::Logic(bin) => Scalar::B(d.logic(bin, &b(0), &b(1))),
        Op::Not => Scalar::B(d.not(&b(0))),
        Op::Sel(Ty::F32) => Scalar::F(d.sel(&b(0), &f(1), &f(2))),
        Op::Sel(Ty::I32) => Scalar::I(d.sel_i(&b(0), &i(1), &i(2))),
        Op::Sel(Ty::Bool) => Scalar::B(d.sel_b(&b(0), &b(1), &b(2))),
        Op::TruncI => Scalar::I(d.trunc_i(&f(0))),
        Op::ToF => Scalar::F(d.to_f(&i(0))),
        Op::Bits => Scalar::I(d.bits(&f(0))),
        Op::FromBits => Scalar::F(d.from_bits(&i(0))),
        _ => return None,
    })
}

fn set_four_results<D: Domain>(lane: &mut Lane<D>, result: Value, values: [D::F; 4]) {
    for (c, value) in values.into_iter().enumerate() {
        lane.values[result.0 as usize + c] = Scalar::F(value);
    }
}

/// Reads an array at an index: the element if the index is known, otherwise a chain of selects.
fn load<D: Domain>(d: &D, array: &[D::F], index: &D::I) -> D::F {
    if let Some(at) = d.known_i(index) {
        return usize::try_from(at).ok().and_then(|at| array.get(at)).cloned().unwrap_or_else(|| d.f(0.0));
    }
    array
        .iter()
        .enumerate()
        .fold(d.f(0.0), |rest, (k, element)| d.sel(&d.icmp(ICmp::Eq, index, &d.i(k as i32)), element, &rest))
}

fn store<D: Domain>(d: &D, array: &mut [D::F], index: &D::I, value: &D::F) {
    if let Some(at) = d.known_i(index) {
        if let Some(element) = usize::try_from(at).ok().and_then(|at| array.get_mut(at)) {
            *element = value.clone();
        }
        return;
    }
    for (k, element) in array.iter_mut().enumerate() {
        *element = d.sel(&d.icmp(ICmp::Eq, index, &d.i(k as i32)), value, element);
    }
}

/// The definition of [`Op::Flush`].
fn flush<D: Domain>(d: &D, kind: Flush, a: &D::F) -> D::F {
    let magnitude = d.un(FUn::Abs, a);
    let (zero, smallest_f24) = (d.f(0.0), d.f(f32::from_bits((127 - 62) << 23)));
    match kind {
        Flush::Subnormal => {
            let tiny = d.lt(&magnitude, &d.f(f32::MIN_POSITIVE));
            let signed = d.from_bits(&d.ibin(IBin::And, &d.bits(a), &d.i(i32::MIN)));
            d.sel(&tiny, &signed, a)
        }
        Flush::F24 => {
            let small = d.and(&d.lt(&magnitude, &smallest_f24), &d.not(&d.eq(a, &zero)));
            d.sel(&small, &zero, a)
        }
        Flush::F24Unsigned => d.sel(&d.lt(&magnitude, &smallest_f24), &zero, a),
        Flush::Sign => d.sel(&d.eq(a, &zero), &zero, a),
    }
}
