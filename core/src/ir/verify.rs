//! The verifier: checks that a program is well formed.
//!
//! Besides types and ranges, the verifier checks the layout: the ranges of blocks cover the instructions in order without gaps, those of instructions
//! cover the operand pool in the same way, and results are numbered in order of definition. So two programs with the same text are equal, and code
//! may use the indices in a verified program without checks.

use super::op::{Op, Ty, Var};
use super::program::{BlockId, Inst, Program, Terminator, Value};
use crate::text::count;

/// The maximum number of elements of all arrays of a program together. This bounds the memory of a lane.
pub const MAX_ARRAY_ELEMENTS: u64 = 1 << 13;

/// The first error in a program. Instructions and blocks are given by their indices in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// The number of lanes in a group is neither 1 nor 4.
    #[error("the group size is {}; it must be 1 or 4", count(*.0, "lane"))]
    Group(u8),
    /// The entry is not a block.
    #[error("the entry is block {0}, which does not exist")]
    Entry(u32),
    /// The value of a Bool variable at entry is neither 0 nor 1.
    #[error("variable v{0} is Boolean and has the initial value {1:#x}; it must be 0 or 1")]
    Init(u32, u32),
    /// The arrays have more than [`MAX_ARRAY_ELEMENTS`] elements together.
    #[error("the arrays have {0} elements together; the limit is {MAX_ARRAY_ELEMENTS}")]
    Arrays(u64),
    /// An array has a component that does not exist.
    #[error("array a{0} has a component outside 0 to 3")]
    ArrayComponent(u32),
    /// An output is not a variable of type F32.
    #[error("output {0} is not a variable of type f32")]
    Output(u16),
    /// A block does not begin where the previous block ends or has an invalid range, or the last block does not end at the last instruction.
    #[error("there is a gap or an overlap between the instructions of block {0} and those of its neighbours")]
    Tiling(u32),
    /// A block has a successor that does not exist.
    #[error("block {0} goes to block {1}, which does not exist")]
    Target(u32, u32),
    /// A switch has no targets.
    #[error("block {0} ends in a switch without targets")]
    EmptySwitch(u32),
    /// The operand of a terminator is not a value of its block, or has the wrong type.
    #[error("the terminator of block {0} uses %{1}, which is not a value of that block with the right type")]
    Condition(u32, u32),
    /// The operands of an instruction do not start where those of the previous instruction end, or the pool has more operands.
    #[error(
        "the operands of instruction {0} do not follow those of the instruction before it in the operand pool"
    )]
    Pool(u32),
    /// An instruction has the wrong number of operands.
    #[error("instruction {0} has {operands}; it takes {2}", operands = count(*.1, "operand"))]
    Arity(u32, u8, u8),
    /// The block does not define an operand before the instruction that uses it.
    #[error("instruction {0} uses %{1}, which its block does not define before the instruction")]
    Undefined(u32, u32),
    /// An operand has the wrong type.
    #[error("instruction {0}: operand {1} is {2:?}; it must be {3:?}")]
    Type(u32, u8, Ty, Ty),
    /// The number of a result is not the next one.
    #[error("instruction {0} defines %{1}; it must define %{2}, the next unused number")]
    Numbering(u32, u32, u32),
    /// The declared number of values differs from the number of values that instructions define.
    #[error("the program declares {values} and defines {1}", values = count(*.0, "value"))]
    Values(u32, u32),
    /// An instruction contains a variable, array, sampler, component or mask that does not exist.
    #[error("instruction {0} names a variable, array, sampler, component or mask that does not exist")]
    Range(u32),
    /// A program for single lanes contains a quad operation.
    #[error("instruction {0} is a quad operation in a program for single lanes")]
    Quad(u32),
}

/// Checks that a program is well formed. Takes time linear in the size of the program.
///
/// # Errors
/// The first error.
pub fn verify(program: &Program) -> Result<(), VerifyError> {
    declarations(program)?;
    let mut types: Vec<Ty> = Vec::with_capacity(program.values.min(program.insts.len() as u32 * 4) as usize);
    let (mut next, mut pool) = (0u32, 0u32);
    for (b, block) in (0u32..).zip(&program.blocks) {
        if block.insts.start != next
            || block.insts.end < next
            || block.insts.end as usize > program.insts.len()
        {
            return Err(VerifyError::Tiling(b));
        }
        let first = types.len();
        for at in block.insts.clone() {
            let inst = &program.insts[at as usize];
            if inst.args != pool || pool as usize + usize::from(inst.arity) > program.pool.len() {
                return Err(VerifyError::Pool(at));
            }
            pool += u32::from(inst.arity);
            immediates(program, at, inst)?;
            operands(program, at, inst, &types, first)?;
            if inst.result.0 as usize != types.len() {
                return Err(VerifyError::Numbering(at, inst.result.0, types.len() as u32));
            }
            let (ty, count) = program.results(inst);
            types.extend(std::iter::repeat_n(ty, usize::from(count)));
        }
        next = block.insts.end;
        terminator(program, b, &block.terminator, &types, first)?;
    }
    if next as usize != program.insts.len() {
        return Err(VerifyError::Tiling(program.blocks.len().saturating_sub(1) as u32));
    }
    if pool as usize != program.pool.len() {
        return Err(VerifyError::Pool(program.insts.len().saturating_sub(1) as u32));
    }
    if program.values as usize != types.len() {
        return Err(VerifyError::Values(program.values, types.len() as u32));
    }
    Ok(())
}

fn declarations(program: &Program) -> Result<(), VerifyError> {
    if !matches!(program.group, 1 | 4) {
        return Err(VerifyError::Group(program.group));
    }
    if program.entry as usize >= program.blocks.len() {
        return Err(VerifyError::Entry(program.entry));
    }
    for (n, var) in (0u32..).zip(&program.vars) {
        if var.ty == Ty::Bool && var.init > 1 {
            return Err(VerifyError::Init(n, var.init));
        }
    }
    let elements = program.arrays.iter().map(|a| u64::from(a.len)).sum();
    if let Some(n) = program.arrays.iter().position(|a| a.component.is_some_and(|c| c > 3)) {
        return Err(VerifyError::ArrayComponent(n as u32));
    }
    if elements > MAX_ARRAY_ELEMENTS {
        return Err(VerifyError::Arrays(elements));
    }
    let is_float = |var: Var| program.vars.get(var.0 as usize).is_some_and(|v| v.ty == Ty::F32);
    match program.outputs.iter().find(|(_, var)| !is_float(*var)) {
        Some((number, _)) => Err(VerifyError::Output(*number)),
        None => Ok(()),
    }
}

/// Checks the immediates of an operation, and that quad operations occur only in programs for quads.
fn immediates(program: &Program, at: u32, inst: &Inst) -> Result<(), VerifyError> {
    let valid = match inst.op {
        Op::Read(var) | Op::Write(var) => (var.0 as usize) < program.vars.len(),
        Op::Load(array) | Op::Store(array) => (array.0 as usize) < program.arrays.len(),
        Op::Sample(sampler) => (sampler.0 as usize) < program.samplers.len(),
        Op::UniformAt(component) => component < 4,
        Op::Effect { mask, .. } => mask < 16,
        _ => true,
    };
    if !valid {
        return Err(VerifyError::Range(at));
    }
    if inst.op.is_quad() && program.group != 4 {
        return Err(VerifyError::Quad(at));
    }
    Ok(())
}

/// Checks the number, the definitions and the types of operands. `types` are the types of the values defined so far, `first` is the block's first
/// value.
fn operands(program: &Program, at: u32, inst: &Inst, types: &[Ty], first: usize) -> Result<(), VerifyError> {
    let written;
    let (fixed, more): (&[Ty], usize) = match inst.op {
        Op::Write(var) => {
            written = [program.var(var).ty];
            (&written, 0)
        }
        Op::Sample(sampler) => (inst.op.operands(), program.sampler(sampler).lod.operands()),
        op => (op.operands(), 0),
    };
    let count = fixed.len() + more;
    if usize::from(inst.arity) != count {
        return Err(VerifyError::Arity(at, inst.arity, count as u8));
    }
    for (k, arg) in program.args(inst).iter().enumerate() {
        let expected = fixed.get(k).copied().unwrap_or(Ty::F32);
        match type_of(*arg, types, first) {
            None => return Err(VerifyError::Undefined(at, arg.0)),
            Some(ty) if ty != expected => return Err(VerifyError::Type(at, k as u8, ty, expected)),
            Some(_) => {}
        }
    }
    Ok(())
}

fn type_of(value: Value, types: &[Ty], first: usize) -> Option<Ty> {
    if (value.0 as usize) < first { None } else { types.get(value.0 as usize).copied() }
}

fn terminator(
    program: &Program,
    b: u32,
    terminator: &Terminator,
    types: &[Ty],
    first: usize,
) -> Result<(), VerifyError> {
    let expected = match terminator {
        Terminator::Branch(..) => Ty::Bool,
        _ => Ty::I32,
    };
    if let Some(value) = terminator.operand().filter(|v| type_of(*v, types, first) != Some(expected)) {
        return Err(VerifyError::Condition(b, value.0));
    }
    if matches!(terminator, Terminator::Switch(_, targets) if targets.is_empty()) {
        return Err(VerifyError::EmptySwitch(b));
    }
    match terminator.targets().find(|BlockId(t)| *t as usize >= program.blocks.len()) {
        Some(BlockId(target)) => Err(VerifyError::Target(b, target)),
        None => Ok(()),
    }
}
