//! First half of planning a block: determines which values are needed, how they are computed, and which operations one kernel can combine.

use super::Scalar;
use super::fixed::Fixed;
use super::inst::{Inst, Kernel};
use crate::ir::{BlockId, Inst as IrInst, Op, Program, Ty, Value, VarDecl};

/// Marks the absence of a value or step.
pub(super) const NONE: u32 = u32::MAX;
/// Set in an operand that is a fixed row instead of a value; the rest is the row.
pub(super) const FIXED: u32 = 1 << 31;
/// Set besides [`FIXED`] if the row is the same in every lane.
pub(super) const SCALAR: u32 = 1 << 30;

/// Whether an operand is the same in every lane.
pub(super) fn is_scalar(operand: u32) -> bool {
    operand & (FIXED | SCALAR) == FIXED | SCALAR
}

/// A step of a block, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) kind: Kind,
    /// The value it defines (the first of four), or the variable it sets.
    pub(super) result: u32,
    /// First operand in [`Gather::args`].
    pub(super) args: u32,
    /// Number of operands.
    pub(super) n: u8,
    /// The instruction's immediate.
    pub(super) x: u32,
    /// Index of the IR instruction.
    pub(super) ir: u32,
    /// The number of values it defines.
    pub(super) results: u8,
    /// Whether they are Bools.
    pub(super) truth: bool,
    /// Merged into a later step.
    pub(super) absorbed: bool,
}

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Kernel(Kernel),
    /// The value is in the variable's row.
    Read,
    Write,
}

/// The state of a variable in the current block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VarState {
    block: u32,
    /// The operand that equals the variable.
    pub(super) current: u32,
    /// The step that first read its row.
    read: u32,
    /// The value in its row; maintained by the second half.
    pub(super) resident: u32,
}

/// Working memory of planning. Values are indexed by their number in the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Gather {
    /// The number of uses of a value.
    pub(super) uses: Vec<u32>,
    /// The canonical operand of a value: itself, another value, or a fixed row.
    pub(super) canon: Vec<u32>,
    /// The step that defines a value.
    pub(super) def: Vec<u32>,
    /// The last step that uses a value.
    pub(super) last: Vec<u32>,
    /// The variable whose row may hold a value as it is computed.
    pub(super) home: Vec<u32>,
    pub(super) vars: Vec<VarState>,
    /// Whether a variable is ever written.
    pub(super) written: Vec<bool>,
    /// Whether a variable's row must hold its entry value.
    pub(super) needs_init: Vec<bool>,
    /// Whether every lane sets a variable in the entry block, to which control never returns.
    pub(super) set_at_entry: Vec<bool>,
    /// Instructions over scalars only.
    pub(super) prologue: Vec<Inst>,
    pub(super) steps: Vec<Step>,
    pub(super) args: Vec<u32>,
    /// For each instruction of the current block, from its end: whether it is needed.
    needed: Vec<bool>,
    /// One past the last step at which lanes may have ended. No write may be moved to before it.
    pub(super) fuel: u32,
    stamp: u32,
    pub(super) fixed: Fixed,
}

/// The bits in a variable's row at entry.
pub(super) fn entry_bits(decl: &VarDecl) -> u32 {
    if decl.ty == Ty::Bool && decl.init != 0 { u32::MAX } else { decl.init }
}

impl Gather {
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

    /// The operand for a value; 0 for a value that no earlier instruction defines.
    pub(super) fn operand(&mut self, value: Value) -> u32 {
        match self.canon[value.0 as usize] {
            NONE => self.fixed.literal(0),
            operand => operand,
        }
    }

    /// Counts uses in a block, from its end, so that instructions that are not needed do not count as uses.
    fn count(&mut self, program: &Program, block: u32) {
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

    /// Whether any result of an operation without effects is used.
    #[inline]
    fn has_use(&self, inst: &IrInst) -> bool {
        let result = inst.result.0 as usize;
        let results = if matches!(inst.op, Op::Sample(_) | Op::Fetch { .. }) { 4 } else { 1 };
        self.uses[result..result + results].iter().any(|&uses| uses > 0)
    }

    /// Fills `steps` for a block. `fresh`: every lane starts with this block and none returns to it.
    pub(super) fn block(&mut self, program: &Program, block: u32, fresh: bool) {
        self.count(program, block);
        self.steps.clear();
        self.args.clear();
        self.fuel = 0;
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
            // The bits are unchanged: only `Bits` distinguishes NaNs, and it canonicalises them itself.
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
                return self.kernel(program, at, inst);
            }
        };
        self.canon[result as usize] = fixed;
    }

    fn write(&mut self, var: u32, operand: u32, at: u32, fresh: bool) {
        let fuel = self.fuel;
        let state = *self.var(var);
        if operand & FIXED == 0 {
            let def = self.def[operand as usize];
            let plain = matches!(self.steps[def as usize].kind, Kind::Kernel(k) if k.has_row());
            if plain
                && self.home[operand as usize] == NONE
                && def >= fuel
                && (state.read == NONE || state.read < def)
            {
                self.home[operand as usize] = var;
            }
        }
        self.share(operand);
        self.push(Kind::Write, var, Some(operand), 0, at);
        self.var(var).current = operand;
        // Every lane reaches this point, unless some ended before it.
        if fresh && fuel == 0 {
            self.set_at_entry[var as usize] = true;
        }
    }

    /// Counts one more use of an operand, because another value equals it; no step may then absorb it.
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

    /// Appends a step whose operands are the last in `args`.
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
