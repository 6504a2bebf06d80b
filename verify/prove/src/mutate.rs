//! Mutants of IR programs: each has one small mistake that a lowering might contain. A proof that accepts a mutant with a different meaning proves
//! nothing about that mistake.

use lockstep_core::host::{Access, Dimension};
use lockstep_core::ir::{
    BlockId, Inst, Op, Program, QuadLane, SamplerDecl, Terminator, Ty, Value, Var, VarDecl, VarKey,
};
use lockstep_core::value::{BBin, FCmp, FUn, IBin, ICmp};

/// One change to a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// A description of the change.
    pub name: String,
    /// The only block that is changed; the entry block if an initial value is changed.
    pub block: u32,
    change: Change,
}

#[derive(Clone, Debug, PartialEq)]
enum Change {
    /// Exchanges two operands of an instruction.
    Swap(usize, u8, u8),
    /// Replaces the operation of an instruction, with the same operands.
    Op(usize, Op),
    /// Reads or writes another component.
    Component(usize),
    /// Redirects the write of a variable to one that nothing reads, or replaces a store to an array, a kill or an effect with an unused literal.
    Drop(usize),
    /// Negates a result.
    Negate(usize),
    /// Changes the unit, dimension, state or access of a texture read.
    Sampler(usize, SamplerDecl),
    /// Exchanges the two targets of a branch, or rotates the targets of a switch.
    Targets(usize),
    /// Writes a variable, which may be new, at the end of a block.
    Write(usize, VarDecl),
    /// Makes lanes return at the end of a block.
    Return(usize),
    /// Makes lanes hang at the end of a block.
    Hang(usize),
    /// Changes the initial value of a variable.
    Begin(usize),
}

/// The key of a register file that no instruction set has.
const UNUSED_KEY: VarKey = VarKey { file: 253, index: 0, component: 0 };

/// Returns a similar operation that might be written by mistake instead of `op`; `None` if there is none.
fn replacement(op: Op) -> Option<Op> {
    Some(match op {
        Op::Add => Op::Sub,
        Op::Sub | Op::Min | Op::Mulz | Op::MulzInf => match op {
            Op::Sub => Op::Add,
            Op::Min => Op::Max,
            _ => Op::Mul,
        },
        Op::Max => Op::Min,
        Op::Mul => Op::Mulz,
        Op::Div => Op::Mul,
        Op::Flush(_) => Op::Un(FUn::Abs),
        Op::Un(un) => Op::Un(match un {
            FUn::Neg => FUn::Abs,
            FUn::Abs => FUn::Neg,
            FUn::Floor | FUn::RoundEven => FUn::Trunc,
            FUn::Trunc => FUn::Floor,
            FUn::Exp2 => FUn::Log2,
            FUn::Log2 => FUn::Exp2,
            FUn::Sin => FUn::Cos,
            FUn::Cos => FUn::Sin,
            FUn::Sqrt | FUn::Narrow(_) => FUn::Abs,
        }),
        Op::Cmp(FCmp::Lt) => Op::Cmp(FCmp::Le),
        Op::Cmp(FCmp::Le) => Op::Cmp(FCmp::Lt),
        Op::Cmp(FCmp::Eq) => Op::Cmp(FCmp::Le),
        Op::ICmp(ICmp::Eq) => Op::ICmp(ICmp::LtU),
        Op::ICmp(ICmp::LtS) => Op::ICmp(ICmp::LtU),
        Op::ICmp(ICmp::LtU) => Op::ICmp(ICmp::LtS),
        Op::IBin(IBin::Add) => Op::IBin(IBin::Sub),
        Op::IBin(IBin::ShrU) => Op::IBin(IBin::ShrS),
        Op::IBin(IBin::ShrS) => Op::IBin(IBin::ShrU),
        Op::IBin(IBin::And) => Op::IBin(IBin::Or),
        Op::IBin(_) => Op::IBin(IBin::Add),
        Op::Logic(BBin::And) => Op::Logic(BBin::Or),
        Op::Logic(_) => Op::Logic(BBin::And),
        Op::F32(bits) if bits & 0x7fff_ffff == 0 => Op::F32(1f32.to_bits()),
        Op::F32(bits) => Op::F32(bits ^ 1 << 31),
        Op::I32(v) => Op::I32(v.wrapping_add(1)),
        Op::Bool(v) => Op::Bool(!v),
        Op::QuadInput(lane, n) => Op::QuadInput(other_lane(lane), n),
        Op::Ddx { fine } => Op::Ddy { fine },
        Op::Ddy { fine } => Op::Ddx { fine },
        Op::BoolUniform(n) => Op::BoolUniform(n ^ 1),
        Op::Fuel(n) => Op::Fuel(n + 1),
        Op::Effect { kind, index, mask } => Op::Effect { kind, index: index ^ 1, mask },
        _ => return None,
    })
}

/// Returns a second replacement, for operations that have one. `last_place` is the lowest bit of a literal that the program's number format keeps.
fn second_replacement(op: Op, last_place: u32) -> Option<Op> {
    Some(match op {
        Op::F32(bits) if bits & 0x7fff_ffff != 0 => Op::F32(bits ^ last_place),
        Op::Ddx { fine } => Op::Ddx { fine: !fine },
        Op::Ddy { fine } => Op::Ddy { fine: !fine },
        Op::Effect { kind, index, mask } => Op::Effect { kind, index, mask: mask ^ 1 },
        Op::Div => Op::Add,
        Op::Mul => Op::Add,
        Op::Add => Op::Mul,
        _ => return None,
    })
}

/// Returns another [`QuadLane`], which denotes a different lane than `lane` as seen from at least one lane of the quad.
fn other_lane(lane: QuadLane) -> QuadLane {
    let next = QuadLane::ALL.iter().cycle().skip_while(|other| **other != lane).nth(1);
    next.copied().unwrap_or(lane)
}

fn has_component(op: Op) -> bool {
    matches!(
        op,
        Op::Input(_)
            | Op::QuadInput(..)
            | Op::Uniform(_)
            | Op::UniformAt(_)
            | Op::IntUniform(_)
            | Op::Read(_)
            | Op::Write(_)
    )
}

/// Whether the operation is commutative by definition.
fn commutes(op: Op) -> bool {
    match op {
        Op::Add
        | Op::Mul
        | Op::Mulz
        | Op::MulzInf
        | Op::Cmp(FCmp::Eq)
        | Op::ICmp(ICmp::Eq)
        | Op::Logic(_) => true,
        Op::IBin(b) => matches!(b, IBin::Add | IBin::Mul | IBin::And | IBin::Or | IBin::Xor),
        _ => false,
    }
}

/// Returns the mutations of each instruction of `blocks`, and of each terminator with several targets, in the order of `blocks`.
pub fn mutations(program: &Program, blocks: &[u32]) -> Vec<Mutation> {
    let mut all = Vec::new();
    // Rounding to a short format hides changes below its last place.
    let short = program.insts.iter().any(|inst| matches!(inst.op, Op::Un(FUn::Narrow(_))));
    let last_place = if short { 1 << 7 } else { 1 };
    for &block in blocks {
        let Some(b) = program.blocks.get(block as usize) else { continue };
        for at in b.insts.start as usize..b.insts.end as usize {
            add_instruction_mutations(program, block, at, last_place, &mut all);
        }
        if b.terminator.targets().count() > 1 {
            let name = format!("targets of block {block} exchanged");
            all.push(Mutation { name, block, change: Change::Targets(block as usize) });
        }
    }
    all
}

/// Returns the mutations that drop a write or an effect, in program order.
pub fn drops(program: &Program) -> impl Iterator<Item = Mutation> + '_ {
    (0..program.blocks.len() as u32).flat_map(|block| drops_in(program, BlockId(block)))
}

/// Returns the mutations of one block that drop a write or an effect.
pub fn drops_in(program: &Program, block: BlockId) -> impl Iterator<Item = Mutation> + '_ {
    let BlockId(block) = block;
    let insts = program.blocks[block as usize].insts.clone();
    let is_drop = |at: &usize| {
        let op = program.insts[*at].op;
        op.is_effect() && !matches!(op, Op::Fuel(_))
    };
    (insts.start as usize..insts.end as usize).filter(is_drop).map(move |at| {
        let name = format!("%{at} {:?}: dropped", program.insts[at].op);
        Mutation { name, block, change: Change::Drop(at) }
    })
}

/// Returns a mutation of the initial value of variable `number`, modulo the number of variables; `None` if there are none.
pub fn initial_mutant(program: &Program, number: usize) -> Option<Mutation> {
    let at = number.checked_rem(program.vars.len())?;
    let name = format!("{:?}: wrong initial value", program.vars[at].key);
    Some(Mutation { name, block: program.entry, change: Change::Begin(at) })
}

/// Returns the mutations that write a number to a register at the end of a block, one for each block.
pub fn writes(program: &Program, key: VarKey) -> impl Iterator<Item = Mutation> + '_ {
    (0u32..).zip(&program.blocks).map(move |(block, _)| {
        let name = format!("block {block}: {key:?} written");
        Mutation { name, block, change: Change::Write(block as usize, VarDecl { ty: Ty::F32, key, init: 0 }) }
    })
}

/// Returns the mutations that make lanes return at the end of a block, one for each block.
pub fn returns(program: &Program) -> impl Iterator<Item = Mutation> {
    (0..program.blocks.len()).map(|block| {
        let name = format!("block {block}: lanes end");
        Mutation { name, block: block as u32, change: Change::Return(block) }
    })
}

/// Returns the mutation that makes lanes hang at the end of a block.
pub fn hang(block: BlockId) -> Mutation {
    let BlockId(block) = block;
    Mutation { name: format!("block {block}: lanes hang"), block, change: Change::Hang(block as usize) }
}

fn add_instruction_mutations(
    program: &Program,
    block: u32,
    at: usize,
    last_place: u32,
    all: &mut Vec<Mutation>,
) {
    let inst = &program.insts[at];
    let mut push = |name: String, change| {
        all.push(Mutation { name: format!("%{at} {:?}: {name}", inst.op), block, change });
    };
    let args = program.args(inst);
    let first = u8::from(matches!(inst.op, Op::Sel(_)));
    if !commutes(inst.op) {
        for k in first + 1..inst.arity {
            if args[usize::from(k)] != args[usize::from(k - 1)] && !matches!(inst.op, Op::Store(_)) {
                push(format!("operands {} and {k} exchanged", k - 1), Change::Swap(at, k - 1, k));
            }
        }
    }
    for other in [replacement(inst.op), second_replacement(inst.op, last_place)].into_iter().flatten() {
        push(format!("is {other:?}"), Change::Op(at, other));
    }
    if has_component(inst.op) {
        push("another component".to_owned(), Change::Component(at));
    }
    if inst.op.is_effect() && !matches!(inst.op, Op::Fuel(_)) {
        push("dropped".to_owned(), Change::Drop(at));
    }
    let (ty, count) = program.results(inst);
    if count == 1 && ty != Ty::I32 && !matches!(inst.op, Op::F32(_) | Op::Bool(_)) {
        push("result negated".to_owned(), Change::Negate(at));
    }
    if let Op::Sample(sampler) = inst.op {
        let decl = program.sampler(sampler);
        push("another unit".to_owned(), Change::Sampler(at, SamplerDecl { unit: decl.unit ^ 1, ..*decl }));
        let dimension = if decl.dimension == Dimension::Two { Dimension::Three } else { Dimension::Two };
        push("another dimension".to_owned(), Change::Sampler(at, SamplerDecl { dimension, ..*decl }));
        let state =
            if decl.state.is_some() { None } else { Some(lockstep_core::host::SamplerState::default()) };
        push("another state".to_owned(), Change::Sampler(at, SamplerDecl { state, ..*decl }));
        if decl.access != Access::PLAIN {
            let access = Access::PLAIN;
            push("a plain access".to_owned(), Change::Sampler(at, SamplerDecl { access, ..*decl }));
        }
    }
}

impl Mutation {
    /// Whether the mutation changes only what an instruction computes: not where its operands come from, not its destination, and not control flow.
    pub fn is_arithmetic(&self, program: &Program) -> bool {
        match self.change {
            Change::Swap(at, ..) | Change::Op(at, _) | Change::Negate(at) => {
                program.insts.get(at).is_some_and(|inst| !inst.op.is_effect())
            }
            Change::Component(_)
            | Change::Drop(_)
            | Change::Sampler(..)
            | Change::Targets(_)
            | Change::Write(..)
            | Change::Return(_)
            | Change::Hang(_)
            | Change::Begin(_) => false,
        }
    }

    /// Whether the mutation changes an initial value.
    pub fn changes_initial_value(&self) -> bool {
        matches!(self.change, Change::Begin(_))
    }

    /// Whether the mutation drops a write or another effect.
    pub fn drops(&self) -> bool {
        matches!(self.change, Change::Drop(_))
    }

    /// Whether the mutation drops an effect or a kill mark, results that later instructions cannot overwrite.
    pub fn drops_effect_or_kill(&self, program: &Program) -> bool {
        let Change::Drop(at) = self.change else { return false };
        matches!(program.insts[at].op, Op::Effect { .. } | Op::Kill)
    }

    /// Whether the mutation drops an observable result: an output, an effect, a kill mark.
    pub fn drops_visible(&self, program: &Program) -> bool {
        let Change::Drop(at) = self.change else { return false };
        match program.insts[at].op {
            Op::Write(var) => program.outputs.iter().any(|(_, output)| *output == var),
            op => matches!(op, Op::Effect { .. } | Op::Kill),
        }
    }

    /// Returns the mutated program.
    pub fn apply(&self, program: &Program) -> Program {
        let mut p = program.clone();
        match self.change {
            Change::Swap(at, a, b) => {
                let base = p.insts[at].args as usize;
                p.pool.swap(base + usize::from(a), base + usize::from(b));
            }
            Change::Op(at, op) => p.insts[at].op = op,
            Change::Component(at) => {
                p.insts[at].op = match p.insts[at].op {
                    Op::Input(n) => Op::Input(n ^ 1),
                    Op::QuadInput(lane, n) => Op::QuadInput(lane, n ^ 1),
                    Op::Uniform(n) => Op::Uniform(n ^ 1),
                    Op::UniformAt(c) => Op::UniformAt(c ^ 1),
                    Op::IntUniform(n) => Op::IntUniform(n ^ 1),
                    Op::Read(v) => Op::Read(neighbour(&mut p, v)),
                    Op::Write(v) => Op::Write(neighbour(&mut p, v)),
                    other => other,
                };
            }
            Change::Drop(at) => match p.insts[at].op {
                Op::Write(v) => {
                    let ty = p.vars[v.0 as usize].ty;
                    let nowhere = declare(&mut p, VarDecl { ty, key: UNUSED_KEY, init: 0 });
                    p.insts[at].op = Op::Write(nowhere);
                }
                // The effect is replaced by a literal whose result is unused.
                _ => {
                    let result = Value(p.values);
                    p.values += 1;
                    p.insts[at] = Inst { op: Op::Bool(false), args: 0, arity: 0, result };
                }
            },
            Change::Negate(at) => negate(&mut p, at),
            Change::Sampler(at, decl) => {
                p.samplers.push(decl);
                p.insts[at].op = Op::Sample(lockstep_core::ir::Sampler(p.samplers.len() as u32 - 1));
            }
            Change::Write(block, decl) => {
                let var = declare(&mut p, decl);
                let (literal, nothing) = (Value(p.values), Value(p.values + 1));
                p.values += 2;
                let end = p.blocks[block].insts.end as usize;
                let args = p.pool.len() as u32;
                p.pool.push(literal);
                insert(&mut p, block, end, Inst { op: Op::F32(ARBITRARY), args, arity: 0, result: literal });
                insert(&mut p, block, end + 1, Inst { op: Op::Write(var), args, arity: 1, result: nothing });
            }
            Change::Begin(var) => p.vars[var].init ^= 1,
            Change::Return(block) => p.blocks[block].terminator = Terminator::Return,
            Change::Hang(block) => p.blocks[block].terminator = Terminator::Hang,
            Change::Targets(block) => match &mut p.blocks[block].terminator {
                Terminator::Branch(_, a, b) => std::mem::swap(a, b),
                Terminator::Switch(_, all) => all.rotate_left(1),
                Terminator::Jump(_) | Terminator::Return | Terminator::Hang => {}
            },
        }
        p
    }
}

fn declare(p: &mut Program, decl: VarDecl) -> Var {
    let at = p.vars.iter().position(|v| v.key == decl.key).unwrap_or_else(|| {
        p.vars.push(decl);
        p.vars.len() - 1
    });
    Var(at as u32)
}

/// An arbitrary number that no common computation returns.
const ARBITRARY: u32 = 0x4049_1234;

/// Inserts an instruction at `at`, which is within `block` or at its end.
fn insert(p: &mut Program, block: usize, at: usize, inst: Inst) {
    p.insts.insert(at, inst);
    for (k, b) in p.blocks.iter_mut().enumerate() {
        // Blocks may be in any order.
        if k != block && b.insts.start as usize >= at {
            b.insts.start += 1;
            b.insts.end += 1;
        }
    }
    p.blocks[block].insts.end += 1;
}

/// Returns the variable of the neighbouring component (x and y, z and w), declared if the program has none.
fn neighbour(p: &mut Program, var: Var) -> Var {
    let mut decl = p.vars[var.0 as usize];
    decl.key.component ^= 1;
    declare(p, decl)
}

/// Inserts a negation after instruction `at`; later uses in its block read the negated value.
fn negate(p: &mut Program, at: usize) {
    let old = p.insts[at].result;
    let op = if p.results(&p.insts[at]).0 == Ty::Bool { Op::Not } else { Op::Un(FUn::Neg) };
    let new = Value(p.values);
    p.values += 1;
    let Some(block) = p.blocks.iter().position(|b| b.insts.contains(&(at as u32))) else { return };
    for k in at + 1..p.blocks[block].insts.end as usize {
        let inst = p.insts[k];
        for arg in &mut p.pool[inst.args as usize..inst.args as usize + usize::from(inst.arity)] {
            if *arg == old {
                *arg = new;
            }
        }
    }
    match &mut p.blocks[block].terminator {
        Terminator::Branch(v, ..) | Terminator::Switch(v, _) if *v == old => *v = new,
        _ => {}
    }
    p.pool.push(old);
    let args = p.pool.len() as u32 - 1;
    insert(p, block, at + 1, Inst { op, args, arity: 1, result: new });
}
