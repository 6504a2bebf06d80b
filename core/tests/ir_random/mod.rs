//! Random programs of the IR, drawn from a tape of numbers so that they shrink with it.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each test binary uses its part

use lockstep_core::host::{
    Access, Answer, Bound, Dimension, EffectRecord, Environment, FetchFormat, FetchKind, Filter, LaneInput,
    MipFilter, SamplerState, Texels, Texture, Wrap,
};
use lockstep_core::ir::eval::{Lane, Stop, run};
use lockstep_core::ir::rewrite::{Operand, Term, rules};
use lockstep_core::ir::{
    Array, BlockId, Builder, Flush, LodKind, Op, Program, SamplerDecl, Terminator, Ty, Value, VarKey,
};
use lockstep_core::value::{BBin, Concrete, FCmp, FUn, IBin, ICmp, Narrow, canonical_bits};

/// Floats where rules go wrong if they do.
pub const FLOATS: [u32; 68] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x0040_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3f7f_ffff,
    0xbf80_0001,
    0x3f00_0000,
    0xbf00_0000,
    0x3f00_0001,
    0x3eff_ffff,
    0x4000_0000,
    0xc000_0000,
    0x4040_0000,
    0xc040_0000,
    0x3fc0_0000,
    0xbfc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x3dcc_cccd,
    0xbdcc_cccd,
    0x4049_0fdb,
    0x3eaa_aaab,
    0x4080_0000,
    0x3e80_0000,
    0x42fe_0000,
    0x437f_0000,
    0x4b00_0000,
    0x4b7f_ffff,
    0x4b80_0000,
    0xcb80_0001,
    0x4f00_0000,
    0xcf00_0000,
    0x4eff_ffff,
    0xcf00_0001,
    0x4f80_0000,
    0x477f_e000,
    0x5f7f_ff80,
    0x5f7f_ffc0,
    0x5f80_0000,
    0x2000_0000,
    0x2080_0000,
    0x1900_0000,
    0x18ff_ffff,
    0x3f80_0040,
    0x7e80_0000,
    0x7f00_0000,
    0xff00_0000,
    0x7e7f_ffff,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x0100_0000,
    0x8100_0000,
    0x1e3c_e508,
    0x60ad_78ec,
    0xe0ad_78ec,
    0x5ef0_0000,
];

/// Integers where rules go wrong if they do.
pub const INTS: [i32; 20] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    5,
    31,
    32,
    33,
    255,
    256,
    0x7f_ffff,
    1 << 23,
    -(1 << 23),
    0x1234_5678,
    i32::MAX,
    i32::MIN,
    i32::MIN + 1,
    0x7fc0_0001,
];

/// Numbers to draw from; zeros after its end.
pub struct Tape<'a> {
    numbers: std::slice::Iter<'a, u32>,
}

impl<'a> Tape<'a> {
    pub fn new(numbers: &'a [u32]) -> Tape<'a> {
        Tape { numbers: numbers.iter() }
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.numbers.next().map_or(0, |&v| v as usize) % n
    }
    pub fn is_done(&self) -> bool {
        self.numbers.len() == 0
    }
    fn float(&mut self) -> u32 {
        FLOATS[self.below(FLOATS.len())]
    }
    fn int(&mut self) -> i32 {
        INTS[self.below(INTS.len())]
    }
}

const UNARY: [FUn; 12] = [
    FUn::Neg,
    FUn::Abs,
    FUn::Neg,
    FUn::Sqrt,
    FUn::Floor,
    FUn::Trunc,
    FUn::RoundEven,
    FUn::Exp2,
    FUn::Log2,
    FUn::Sin,
    FUn::Narrow(Narrow::F24Nearest),
    FUn::Narrow(Narrow::F24Zero),
];
const BINARY: [Op; 9] =
    [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max, Op::Mulz, Op::MulzInf, Op::Fma];
const INT: [IBin; 9] =
    [IBin::Add, IBin::Sub, IBin::Mul, IBin::And, IBin::Or, IBin::Xor, IBin::Shl, IBin::ShrU, IBin::ShrS];
const TYPES: [Ty; 3] = [Ty::F32, Ty::I32, Ty::Bool];

struct Random<'a, 'b> {
    tape: &'b mut Tape<'a>,
    builder: Builder,
    /// Values of the block by type, in order of [`TYPES`].
    pool: [Vec<Value>; 3],
    vars: u16,
    group: u8,
    array: Option<Array>,
}

/// A program that verifies and always ends.
pub fn program(numbers: &[u32]) -> Program {
    let mut tape = Tape::new(numbers);
    let tape = &mut tape;
    let group = if tape.below(3) == 0 { 4 } else { 1 };
    let blocks = 1 + tape.below(5);
    let vars = 3 + tape.below(6) as u16;
    let mut builder = Builder::new(group);
    let array = (tape.below(2) == 0).then(|| builder.array(9, 1 + tape.below(4) as u32));
    let mut r = Random { tape, builder, pool: [const { Vec::new() }; 3], vars, group, array };
    for n in 0..vars {
        let init = match n % 3 {
            0 => r.tape.float(),
            1 => r.tape.int() as u32,
            _ => r.tape.below(2) as u32,
        };
        let var = r.builder.var(key(n), TYPES[usize::from(n % 3)], init);
        if n % 3 == 0 && r.tape.below(3) > 0 {
            r.builder.output(n, var);
        }
    }
    for b in 0..blocks {
        r.pool = [const { Vec::new() }; 3];
        let steps = 1 + r.tape.below(24);
        for _ in 0..steps {
            r.step();
        }
        let target = |t: &mut Tape<'_>| BlockId(t.below(blocks) as u32);
        let (condition, index) = (r.value(Ty::Bool), r.value(Ty::I32));
        let terminator = match r.tape.below(if b + 1 == blocks { 2 } else { 4 }) {
            0 if r.tape.below(4) == 3 => Terminator::Hang,
            0 => Terminator::Return,
            1 => Terminator::Branch(condition, target(r.tape), target(r.tape)),
            2 => Terminator::Jump(BlockId(b as u32 + 1)),
            _ => Terminator::Switch(index, (0..=r.tape.below(3)).map(|_| target(r.tape)).collect()),
        };
        if terminator.targets().any(|t| t.0 <= b as u32) {
            r.builder.op(Op::Fuel(1), &[]);
        }
        r.builder.end_block(b as u32 * 3, terminator);
    }
    let entry = BlockId(r.tape.below(blocks) as u32);
    r.builder.finish(entry)
}

fn key(n: u16) -> VarKey {
    VarKey { file: 1, index: n / 4, component: (n % 4) as u8 }
}

fn at(ty: Ty) -> usize {
    TYPES.iter().position(|t| *t == ty).unwrap()
}

impl Random<'_, '_> {
    fn value(&mut self, ty: Ty) -> Value {
        let pool = &self.pool[at(ty)];
        let n = pool.len();
        if n > 0 && self.tape.below(5) > 0 {
            let back = self.tape.below(n.min(6));
            return self.pool[at(ty)][n - 1 - back];
        }
        let op = self.leaf(ty);
        self.emit(op, &[])
    }

    fn leaf(&mut self, ty: Ty) -> Op {
        let n = self.tape.below(12) as u16;
        match (ty, self.tape.below(3)) {
            (Ty::F32, 0) => Op::F32(self.tape.float()),
            (Ty::F32, 1) => Op::Input(n),
            (Ty::F32, _) => Op::Uniform(n),
            (Ty::I32, 0) => Op::I32(self.tape.int()),
            (Ty::I32, _) => Op::IntUniform(n),
            (Ty::Bool, 0) => Op::Bool(n & 1 == 1),
            (Ty::Bool, _) => Op::BoolUniform(n),
        }
    }

    fn emit(&mut self, op: Op, args: &[Value]) -> Value {
        let value = self.builder.op(op, args);
        if let Some((ty, count)) = op.results() {
            (0..u32::from(count)).for_each(|k| self.pool[at(ty)].push(Value(value.0 + k)));
        }
        value
    }

    fn emit_typed(&mut self, op: Op) -> Value {
        let args: Vec<Value> = op.operands().iter().map(|ty| self.value(*ty)).collect();
        self.emit(op, &args)
    }

    fn step(&mut self) {
        let n = self.tape.below(16) as u16;
        match self.tape.below(22) {
            0 => drop(self.emit_typed(Op::Un(UNARY[usize::from(n) % 12]))),
            1..=3 => drop(self.emit_typed(BINARY[usize::from(n) % 9])),
            4 => drop(self.emit_typed(Op::IBin(INT[usize::from(n) % 9]))),
            5 => drop(self.emit_typed(Op::Cmp([FCmp::Lt, FCmp::Le, FCmp::Eq][usize::from(n) % 3]))),
            6 => drop(self.emit_typed(Op::ICmp([ICmp::Eq, ICmp::LtS, ICmp::LtU][usize::from(n) % 3]))),
            7 => drop(self.emit_typed(Op::Logic([BBin::And, BBin::Or, BBin::Xor][usize::from(n) % 3]))),
            8 => {
                let sel = Op::Sel(TYPES[usize::from(n) % 3]);
                let flush = Op::Flush(Flush::ALL[usize::from(n) / 8 % 4]);
                let op = [Op::Not, sel, sel, Op::TruncI, Op::ToF, Op::Bits, Op::FromBits, flush];
                self.emit_typed(op[usize::from(n) % 8]);
            }
            9 | 10 => {
                let var = self.builder.find(key(n % self.vars)).unwrap();
                let value = self.builder.read(var);
                self.pool[usize::from(n % self.vars) % 3].push(value);
            }
            11..=13 => {
                let var = self.builder.find(key(n % self.vars)).unwrap();
                let value = self.value(TYPES[usize::from(n % self.vars) % 3]);
                if n < 4 {
                    // Not through the builder's forwarding, so that the rewriter has something to forward and to drop.
                    let live = self.builder.read(var);
                    self.builder.write(var, live);
                    self.builder.op(Op::Write(var), &[value]);
                    let again = self.builder.op(Op::Read(var), &[]);
                    self.builder.write(var, again);
                } else {
                    self.builder.write(var, value);
                }
            }
            14 => match self.array {
                Some(array) if n & 1 == 0 => drop(self.emit_typed(Op::Load(array))),
                Some(array) => drop(self.emit_typed(Op::Store(array))),
                None => {}
            },
            15 if self.group == 4 => {
                let fine = n & 1 == 1;
                self.emit_typed(if n & 2 == 0 { Op::Ddx { fine } } else { Op::Ddy { fine } });
            }
            16 if n < 3 => drop(self.emit_typed(Op::Kill)),
            16 if n < 8 => {
                self.emit_typed(Op::Effect { kind: n as u8, index: n * 3, mask: n as u8 * 2 + 1 });
            }
            16 if n < 12 => drop(self.builder.op(Op::Fuel(u32::from(n) % 3), &[])),
            16 => drop(self.emit_typed(Op::UniformAt(n as u8 % 4))),
            17 => self.sample(n),
            18 => {
                let kind = FetchKind::ALL[usize::from(n) % 8];
                let bits = [n as u8 + 1, 8, if n & 1 == 0 { 16 } else { 0 }, 0];
                let format = FetchFormat {
                    kind,
                    bits,
                    stride: n,
                    offset: -3,
                    exponent: n as i8 - 8,
                    missing_w_one: n & 2 == 0,
                };
                self.emit_typed(Op::Fetch { buffer: n as u8 % 2, format });
            }
            _ => {
                let rule = &rules()[self.tape.below(rules().len())];
                let operands: Vec<Value> = rule.operands.iter().map(|o| self.operand(*o)).collect();
                self.term(&rule.lhs, &operands);
            }
        }
    }

    fn operand(&mut self, operand: Operand) -> Value {
        match (operand.literal, operand.ty) {
            (false, ty) => self.value(ty),
            (true, Ty::F32) => {
                let bits = self.tape.float();
                self.emit(Op::F32(bits), &[])
            }
            (true, Ty::I32) => {
                let v = self.tape.int();
                self.emit(Op::I32(v), &[])
            }
            (true, Ty::Bool) => {
                let v = self.tape.below(2) == 1;
                self.emit(Op::Bool(v), &[])
            }
        }
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

    fn sample(&mut self, n: u16) {
        let lod = [LodKind::Base, LodKind::Explicit, LodKind::Gradient][usize::from(n) % 3];
        let dimension =
            [Dimension::One, Dimension::Two, Dimension::Three, Dimension::Cube][usize::from(n) % 4];
        let border = [f32::from_bits(self.tape.float() & 0xbfff_ffff), -0.0, 1e-45, 0.1];
        let own = SamplerState {
            wrap: [Wrap::Border, Wrap::Mirror, Wrap::Repeat],
            border,
            ..SamplerState::default()
        };
        let state = (n & 4 == 0).then_some(own);
        let access = Access {
            answer: [Answer::Texel, Answer::Detail, Answer::Weights, Answer::Border][usize::from(n >> 4) % 4],
            texels: n & 64 != 0,
            half_texels: [(n % 5) as i8 - 2, 0, 1],
            faces_from_one: n & 128 != 0,
            min: (n & 256 != 0).then_some(Filter::Linear),
            mag: (n & 512 != 0).then_some(Filter::Linear),
            mip: (n & 1024 != 0).then_some(MipFilter::Linear),
        };
        let access = if n & 8 == 0 { Access::PLAIN } else { access };
        let sampler = self.builder.sampler(SamplerDecl { unit: n as u8 % 3, dimension, state, access, lod });
        let args: Vec<Value> = (0..3 + lod.operands()).map(|_| self.value(Ty::F32)).collect();
        self.emit(Op::Sample(sampler), &args);
    }
}

/// An environment with boundary values in every file.
pub fn environment(numbers: &[u32]) -> Environment {
    let mut tape = Tape::new(numbers);
    let mut vec4 = || [0; 4].map(|_| f32::from_bits(tape.float()));
    let constants = (0..3).map(|_| vec4()).collect();
    let lanes = (0..4).map(|_| LaneInput { slots: vec![vec4(), vec4()] }).collect();
    let ints = (0..3).map(|_| [0; 4].map(|_| tape.int())).collect();
    let bools = (0..9).map(|_| tape.below(2) == 1).collect();
    let texture = Texture { texels: Texels::Pattern { seed: 7 }, size: [8, 4, 1], ..Texture::default() };
    let buffers =
        vec![lockstep_core::host::Buffer { words: (0..8u32).map(|w| w.wrapping_mul(0x9e37_79b9)).collect() }];
    Environment { constants, ints, bools, textures: vec![texture], buffers, fuel: 12, effects: 6, lanes }
}

/// What a run hands over, comparable: how each lane ended and what a finished one gives.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub stop: Option<Stop>,
    pub killed: bool,
    pub outputs: Vec<u32>,
    pub records: Vec<EffectRecord>,
}

/// Runs one group.
pub fn outcome(program: &Program, environment: &Environment) -> Vec<Seen> {
    let mut d = Concrete;
    let mut host = Bound::<false>::new(environment, 0);
    let mut lanes: Vec<Lane<Concrete>> =
        (0..program.group).map(|_| Lane::new(&d, &mut host, program, environment.fuel)).collect();
    run(&mut d, &mut host, program, &mut lanes);
    let results = lanes.iter().enumerate().map(|(l, lane)| Seen {
        stop: lane.stop,
        killed: lane.killed,
        outputs: match lane.stop {
            Some(Stop::Finished) => {
                program.outputs.iter().map(|(_, v)| canonical_bits(lane.vars[v.0 as usize].f(&d))).collect()
            }
            _ => Vec::new(),
        },
        records: host.records(l).to_vec(),
    });
    results.collect()
}
