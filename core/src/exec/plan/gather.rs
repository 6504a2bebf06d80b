//! The first half of planning a block: determines which values are needed, how they are computed, and which operations one kernel can combine. The
//! result is a list of steps.

use super::Scalar;
use super::fixed::Fixed;
use super::inst::{Inst, Kernel};
use crate::ir::{BlockId, Inst as IrInst, Op, Program, Ty, Value, VarDecl};

/// Marks the absence of a value, an operand, a step or a variable.
pub(super) const NONE: u32 = u32::MAX;
/// This bit is set in an operand that is a fixed row instead of a value. The bits below [`SCALAR`] are then the number of the row.
pub(super) const FIXED: u32 = 1 << 31;
/// This bit is set besides [`FIXED`] if the row is the same in every lane.
pub(super) const SCALAR: u32 = 1 << 30;

/// Whether an operand is the same in every lane.
pub(super) fn is_scalar(operand: u32) -> bool {
    operand & (FIXED | SCALAR) == FIXED | SCALAR
}

/// A step of a block: one instruction of the plan, or the read or write of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) kind: Kind,
    /// The value that the step defines (the first one if there are four), or the variable that it writes.
    pub(super) result: u32,
    /// The index of the first operand in [`PlanWorkspace::args`].
    pub(super) args: u32,
    /// Number of operands.
    pub(super) n: u8,
    /// The immediate of a kernel, or the variable that the step reads.
    pub(super) x: u32,
    /// The index of the IR instruction.
    pub(super) ir: u32,
    /// The number of values that the kernel defines.
    pub(super) results: u8,
    /// Whether the values that the kernel defines are Bools.
    pub(super) truth: bool,
    /// Whether a later step does the work of this step.
    pub(super) absorbed: bool,
}

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Kernel(Kernel),
    /// A read of a variable. The value is in the variable's row.
    Read,
    Write,
}

/// The state of a variable in the current block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VarState {
    block: u32,
    /// The operand that equals the variable at this point of the block, or [`NONE`].
    pub(super) current: u32,
    /// The step that first reads the variable's row, or [`NONE`].
    read: u32,
    /// The value in the variable's row, or [`NONE`]. The second half of planning maintains this field.
    pub(super) resident: u32,
}

/// The working memory of planning. Tables of values are indexed by the number of the value in the program.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanWorkspace {
    /// The number of uses of each value.
    pub(super) uses: Vec<u32>,
    /// The canonical operand of each value: the value itself, another value, or a fixed row.
    pub(super) canon: Vec<u32>,
    /// The step that defines each value.
    pub(super) def: Vec<u32>,
    /// The last step that uses each value.
    pub(super) last: Vec<u32>,
    /// For each value, the variable into whose row it may be computed directly.
    pub(super) home: Vec<u32>,
    pub(super) vars: Vec<VarState>,
    /// Whether the program writes each variable.
    pub(super) written: Vec<bool>,
    /// Whether the row of each variable must contain its value at entry when a lane starts.
    pub(super) needs_init: Vec<bool>,
    /// Whether every lane sets each variable in the entry block, to which control never returns.
    pub(super) set_at_entry: Vec<bool>,
    /// The instructions of [`super::Plan::prologue`].
    pub(super) prologue: Vec<Inst>,
    pub(super) steps: Vec<Step>,
    pub(super) args: Vec<u32>,
    /// Whether each instruction of the current block is needed, in reverse order.
    needed: Vec<bool>,
    /// One past the last step at which lanes may have ended. No write to a variable may be moved to before that step.
    pub(super) write_barrier: u32,
    stamp: u32,
    pub(super) fixed: Fixed,
}

/// Returns the bits in a variable's row at entry.
pub(super) fn entry_bits(decl: &VarDecl) -> u32 {
    if decl.ty == Ty::Bool && decl.init != 0 { u32::MAX } else { decl.init }
}

impl PlanWorkspace {
    pub(super) fn begin(&mut self, program: &Program) {
        let values = program.values as usize;
        self.uses.clear();
        self.uses.resize(values, 0);
        for table in [&mut self.canon, &mut self.def, &mut self.last, &mut self.home] {
            table.clear();
            table.resize(values, NONE);
        }
        self.vars.clear();
        self.vars.resize(program.vars.len(), VarState { block: NONE, ..VarState::default() });
        self.written.clear();
        self.written.resize(program.vars.len(), false);
        self.needs_init.clear();
        self.needs_init.resize(program.vars.len(), false);
        self.set_at_entry.clear();
        self.set_at_entry.resize(program.vars.len(), false);
        self.prologue.clear();
        for inst in &program.insts {
            if let Op::Write(var) = inst.op {
                self.written[var.0 as usize] = true;
            }
        }
        let arrays: u32 = program.arrays.iter().map(|a| a.len).sum();
        self.fixed.clear(program.vars.len() as u32 + arrays);
    }

    pub(super) fn var(&mut self, var: u32) -> &mut VarState {
        let state = &mut self.vars[var as usize];
        if state.block != self.stamp {
            *state = VarState { block: self.stamp, current: NONE, read: NONE, resident: NONE };
        }
        state
    }

    /// Returns the operand for a value. For a value that no earlier instruction defines, returns the literal 0.
    pub(super) fn operand(&mut self, value: Value) -> u32 {
        match self.canon[value.0 as usize] {
            NONE => self.fixed.literal(0),
            operand => operand,
        }
    }

    /// Counts the uses of values in a block. It starts at the end of the block, because operands of instructions that are not needed do not count.
    fn count_uses(&mut self, program: &Program, block: u32) {
        let decl = &program.blocks[block as usize];
        if let Some(value) = decl.terminator.operand() {
            self.uses[value.0 as usize] += 1;
        }
        self.needed.clear();
        for inst in program.block(BlockId(block)).iter().rev() {
            let needed = inst.op.is_effect() || self.has_use(inst);
            self.needed.push(needed);
            if needed {
                for value in program.args(inst) {
                    self.uses[value.0 as usize] += 1;
                }
            }
        }
    }

    /// Whether any result of an instruction is used. The operation must be one without effects.
    #[inline]
    fn has_use(&self, inst: &IrInst) -> bool {
        let result = inst.result.0 as usize;
        let results = if matches!(inst.op, Op::Sample(_) | Op::Fetch { .. }) { 4 } else { 1 };
        self.uses[result..result + results].iter().any(|&uses| uses > 0)
    }

    /// Fills `steps` for a block. `fresh` means that every lane starts with this block and that control never returns to it.
    pub(super) fn block(&mut self, program: &Program, block: u32, fresh: bool) {
        self.count_uses(program, block);
        self.steps.clear();
        self.args.clear();
        self.write_barrier = 0;
        self.stamp = block;
        let first = program.blocks[block as usize].insts.start;
        for (at, inst) in (first..).zip(program.block(BlockId(block))) {
            if self.needed.pop() == Some(true) {
                self.inst(program, at, inst, fresh);
            }
        }
    }

    fn inst(&mut self, program: &Program, at: u32, inst: &IrInst, fresh: bool) {
        let args = program.args(inst);
        let result = inst.result.0;
        let fixed = match inst.op {
            Op::F32(bits) => self.fixed.literal(bits),
            Op::I32(v) => self.fixed.literal(v as u32),
            Op::Bool(v) => self.fixed.literal(if v { u32::MAX } else { 0 }),
            Op::Input(n) => self.fixed.input(n),
            Op::Uniform(n) => self.fixed.uniform(n),
            Op::IntUniform(n) => self.fixed.scalar(Scalar::IntUniform(n)),
            Op::BoolUniform(n) => self.fixed.scalar(Scalar::BoolUniform(n)),
            // The bits are not changed. NaNs need not be canonicalised here: only `Bits` distinguishes them, and it canonicalises its operand.
            Op::FromBits => {
                let operand = self.operand(args[0]);
                self.share(operand);
                operand
            }
            Op::Read(var) => {
                let init = entry_bits(program.var(var));
                let constant = !self.written[var.0 as usize] || fresh;
                let step = self.steps.len() as u32;
                let current = self.var(var.0).current;
                if current != NONE {
                    current
                } else if constant {
                    let literal = self.fixed.literal(init);
                    self.var(var.0).current = literal;
                    literal
                } else {
                    self.needs_init[var.0 as usize] = true;
                    *self.var(var.0) =
                        VarState { block: self.stamp, current: result, read: step, resident: NONE };
                    self.push(Kind::Read, result, None, var.0, at);
                    self.def[result as usize] = step;
                    result
                }
            }
            Op::Write(var) => {
                let operand = self.operand(args[0]);
                self.write(var.0, operand, at, fresh);
                return;
            }
            _ => {
                return self.add_kernel_step(program, at, inst);
            }
        };
        self.canon[result as usize] = fixed;
    }

    fn write(&mut self, var: u32, operand: u32, at: u32, fresh: bool) {
        let barrier = self.write_barrier;
        let state = *self.var(var);
        if operand & FIXED == 0 {
            let def = self.def[operand as usize];
            let plain = matches!(self.steps[def as usize].kind, Kind::Kernel(k) if k.has_row());
            if plain
                && self.home[operand as usize] == NONE
                && def >= barrier
                && (state.read == NONE || state.read < def)
            {
                self.home[operand as usize] = var;
            }
        }
        self.share(operand);
        self.push(Kind::Write, var, Some(operand), 0, at);
        self.var(var).current = operand;
        // Without an earlier step at which lanes may have ended, every lane reaches this point.
        if fresh && barrier == 0 {
            self.set_at_entry[var as usize] = true;
        }
    }

    /// Counts one more use of an operand that another value or variable equals. No step absorbs an operand with two uses.
    fn share(&mut self, operand: u32) {
        if operand & FIXED == 0 {
            self.uses[operand as usize] += 1;
        }
    }

    fn push(&mut self, kind: Kind, result: u32, arg: Option<u32>, x: u32, ir: u32) {
        let args = self.args.len() as u32;
        self.args.extend(arg);
        let (n, results) = (u8::from(arg.is_some()), 0);
        self.step(Step { kind, result, args, n, x, ir, results, truth: false, absorbed: false });
    }

    /// Appends a step whose operands are the last ones in `args`.
    #[inline]
    pub(super) fn step(&mut self, step: Step) {
        let number = self.steps.len() as u32;
        for &arg in &self.args[step.args as usize..] {
            if arg & FIXED == 0 {
                self.last[arg as usize] = number;
            }
        }
        self.steps.push(step);
    }
}
