//! The second half of planning a block: assigns rows to values and emits instructions.

use super::gather::{FIXED, Kind, NONE, PlanWorkspace, Step, entry_bits};
use super::inst::{Inst, Kernel};
use super::select::row_of;
use super::{ArrayRows, Plan, PlanBlock, PlanTerminator, RowIndex};
use crate::ir::{Op, Program, Terminator, Ty};
use tracing::field::Empty;

/// Creates plans. Keeps its working memory from one plan to the next.
#[derive(Clone, Debug, Default)]
pub struct Planner {
    gather: PlanWorkspace,
    /// The row of each value.
    value_rows: Vec<RowIndex>,
    /// Rows that contain no value that is still needed, and can be reused.
    free: Vec<RowIndex>,
}

/// Creates a plan of `program` with a new planner.
pub fn plan(program: &Program) -> Plan {
    let mut plan = Plan::default();
    Planner::default().plan(program, &mut plan);
    plan
}

impl Planner {
    /// Replaces `plan` by a plan of `program`, reusing the memory of `plan`.
    ///
    /// The program must obey the rules of [`Program`]: blocks, variables and values exist, operands have the right types, each value is used in its
    /// own block only, and no `switch` lacks targets. A program that violates them may panic here or give results that differ from the evaluator's.
    pub fn plan(&mut self, program: &Program, plan: &mut Plan) {
        let span =
            tracing::debug_span!("plan", blocks = program.blocks.len(), rows = Empty, instructions = Empty);
        let _span = span.enter();
        plan.clear();
        self.gather.begin(program);
        self.value_rows.clear();
        self.value_rows.resize(program.values as usize, NONE);
        self.free.clear();
        plan.entry = program.entry;
        plan.quads = program.group == 4;
        plan.samplers.extend_from_slice(&program.samplers);
        let mut start = program.vars.len() as u32;
        for array in &program.arrays {
            plan.arrays.push(ArrayRows { start, len: array.len, decl: *array });
            start += array.len;
        }
        let once = !program.blocks.iter().any(|b| b.terminator.targets().any(|t| t.0 == program.entry));
        for block in 0..program.blocks.len() as u32 {
            self.block(program, block, once && block == program.entry, plan);
        }
        self.finish(program, plan);
        span.record("rows", plan.rows);
        span.record("instructions", plan.code.len());
    }

    fn finish(&mut self, program: &Program, plan: &mut Plan) {
        let gather = &mut self.gather;
        plan.rows = gather.fixed.next;
        plan.scalars.extend_from_slice(&gather.fixed.scalars);
        plan.inputs.extend_from_slice(&gather.fixed.inputs);
        plan.inputs.sort_unstable();
        plan.prologue.extend_from_slice(&gather.prologue);
        for &(number, var) in &program.outputs {
            plan.outputs.push((number, var.0));
            gather.needs_init[var.0 as usize] = true;
        }
        for (var, decl) in program.vars.iter().enumerate() {
            if gather.needs_init[var] && !gather.set_at_entry[var] {
                plan.inits.push((var as u32, entry_bits(decl)));
            }
        }
        assert!(plan.is_sound(), "the plan is not sound");
    }

    fn block(&mut self, program: &Program, number: u32, fresh: bool, plan: &mut Plan) {
        self.gather.block(program, number, fresh);
        let block = &program.blocks[number as usize];
        let start = plan.code.len() as u32;
        let selector = block.terminator.operand().map(|v| self.gather.operand(v));
        if let Some(selector) = selector
            && selector & FIXED == 0
        {
            // The terminator uses the value after every step, so no step frees its row.
            self.gather.last[selector as usize] = NONE;
        }
        let steps = std::mem::take(&mut self.gather.steps);
        for (at, step) in steps.iter().enumerate() {
            if !step.absorbed {
                self.step(program, at as u32, *step, plan);
            }
        }
        self.gather.steps = steps;
        let selector = selector.map_or(0, |w| self.row(w));
        let transfer = match &block.terminator {
            Terminator::Jump(to) => PlanTerminator::Jump(to.0),
            Terminator::Branch(_, yes, no) => {
                PlanTerminator::Branch { condition: selector, yes: yes.0, no: no.0 }
            }
            Terminator::Switch(_, targets) => {
                let start = plan.targets.len() as u32;
                plan.targets.extend(targets.iter().map(|t| t.0));
                PlanTerminator::Switch { index: selector, start, len: targets.len() as u32 }
            }
            Terminator::Return => PlanTerminator::Return,
            Terminator::Hang => PlanTerminator::Hang,
        };
        let end = plan.code.len() as u32;
        plan.blocks.push(PlanBlock { start, end, terminator: transfer, origin: block.origin });
        if let Some(operand) = block.terminator.operand().map(|v| self.gather.operand(v))
            && operand & FIXED == 0
        {
            let row = self.value_rows[operand as usize];
            self.release(program, row);
        }
    }

    fn row(&self, operand: u32) -> RowIndex {
        if operand & FIXED != 0 { row_of(operand) } else { self.value_rows[operand as usize] }
    }

    fn allocate_row(&mut self) -> RowIndex {
        self.free.pop().unwrap_or_else(|| self.gather.fixed.row())
    }

    /// Marks a row as free, unless it belongs to a variable.
    fn release(&mut self, program: &Program, row: RowIndex) {
        if row as usize >= program.vars.len() {
            self.free.push(row);
        }
    }

    fn step(&mut self, program: &Program, at: u32, step: Step, plan: &mut Plan) {
        match step.kind {
            Kind::Read => {
                self.value_rows[step.result as usize] = step.x;
                self.gather.var(step.x).resident = step.result;
            }
            Kind::Write => self.write(program, at, step, plan),
            Kind::Kernel(kernel) => self.kernel(program, at, step, kernel, plan),
        }
        // Frees the rows of operands whose last use is this step.
        for k in 0..step.n as usize {
            let arg = self.gather.args[step.args as usize + k];
            if arg & FIXED == 0 && self.gather.last[arg as usize] == at {
                // The row is freed only once, even if the step uses the value twice.
                self.gather.last[arg as usize] = NONE - 1;
                let row = self.value_rows[arg as usize];
                self.release(program, row);
            }
        }
    }

    fn write(&mut self, program: &Program, at: u32, step: Step, plan: &mut Plan) {
        let var = step.result;
        let truth = program.vars[var as usize].ty == Ty::Bool;
        let source = self.row(self.gather.args[step.args as usize]);
        if source == var {
            return;
        }
        let resident = self.gather.var(var).resident;
        if resident != NONE {
            let last = self.gather.last[resident as usize];
            // If a later step uses the value in the variable's row, that value is copied to another row first.
            if last > at && last != NONE - 1 && self.value_rows[resident as usize] == var {
                let row = self.allocate_row();
                emit(plan, step.ir, copy(row, var, false, truth));
                self.value_rows[resident as usize] = row;
            }
        }
        self.gather.var(var).resident = NONE;
        emit(plan, step.ir, copy(var, source, true, truth));
    }

    fn kernel(&mut self, program: &Program, at: u32, step: Step, kernel: Kernel, plan: &mut Plan) {
        let inst = &program.insts[step.ir as usize];
        let args = step.args as usize..step.args as usize + step.n as usize;
        let mut out =
            Inst { kernel, masked: false, truth: step.truth, n: 0, dst: 0, src: [0; 4], imm: step.x };
        let pooled = kernel.pooled().is_some() || kernel == Kernel::Sample;
        let start = plan.pool.len() as u32;
        for (k, arg) in args.enumerate() {
            let row = self.row(self.gather.args[arg]);
            if pooled {
                plan.pool.push(row);
            } else {
                out.src[k] = row;
            }
        }
        match inst.op {
            Op::Fetch { buffer, format } => {
                out.imm = plan.fetches.len() as u32;
                plan.fetches.push((buffer, format));
            }
            Op::Effect { kind, index, mask } => {
                out.imm = plan.effects.len() as u32;
                plan.effects.push((kind, index, mask));
            }
            _ => {}
        }
        if step.results == 4 {
            for k in 0..4 {
                let row = self.allocate_row();
                self.value_rows[(step.result + k) as usize] = row;
                plan.pool.push(row);
            }
            for k in 0..4 {
                let value = (step.result + k) as usize;
                if self.gather.uses[value] == 0 {
                    let row = self.value_rows[value];
                    self.release(program, row);
                }
            }
        } else if step.results == 1 {
            out.dst = self.destination(at, step.result);
            out.masked = (out.dst as usize) < program.vars.len();
            self.value_rows[step.result as usize] = out.dst;
        }
        out.n = (plan.pool.len() as u32 - start) as u8;
        if out.n > 0 {
            if kernel.is_lane_wise() {
                out.imm = start;
            } else {
                out.src[1] = start;
            }
        }
        emit(plan, step.ir, out);
    }

    /// Returns the row for a value: the row of the variable to which the value will be written if that row is free, otherwise an unused row.
    fn destination(&mut self, at: u32, value: u32) -> RowIndex {
        let home = self.gather.home[value as usize];
        if home != NONE {
            let resident = self.gather.var(home).resident;
            let vacant = resident == NONE || {
                let last = self.gather.last[resident as usize];
                last < at || last == NONE - 1 || self.value_rows[resident as usize] != home
            };
            if vacant {
                self.gather.var(home).resident = value;
                return home;
            }
        }
        self.allocate_row()
    }
}

fn copy(d: RowIndex, from: RowIndex, masked: bool, truth: bool) -> Inst {
    Inst { kernel: Kernel::Copy, masked, truth, n: 0, dst: d, src: [from, 0, 0, 0], imm: 0 }
}

fn emit(plan: &mut Plan, ir: u32, inst: Inst) {
    plan.code.push(inst);
    plan.sources.push(ir);
}
