//! The compiler: turns a plan into machine code.
//!
//! A block is divided into *runs* of instructions that are compiled, and sequences of instructions that are not compiled. Textures, buffers, effects,
//! fuel, arrays and the four elementary functions are left to the wide interpreter. Compiled code stores rows where the interpreter expects them.
//! Runs are compiled from the last to the first, so that the rows used after each run are known.

use super::encode::{Code, K, Width};
use super::kernels::{Emitter, is_compiled};
use super::registers::{ACTIVE, ACTIVE_VECTOR, Home, NEVER, ROW, Registers};
use super::{CompileError, Part, RunCode};
use crate::exec::{Inst, Kernel, Plan, PlanTerminator};
use std::ops::Range;

/// The working memory of the compiler, kept from plan to plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Compiler {
    pub(super) code: Code,
    /// The parts of all blocks.
    pub(super) parts: Vec<Part>,
    /// The parts of each block.
    pub(super) blocks: Vec<Range<u32>>,
    /// The indices of the outputs that compiled code leaves in rows instead of storing them.
    pub(super) unstored: Vec<u32>,
    /// Whether instructions that are not compiled read inputs, which then have to be in rows.
    pub(super) reads_input_rows: bool,
    /// Whether all lanes run all code: there is one block, which no lane leaves early.
    pub(super) straight_line: bool,
    homes: Vec<Home>,
    /// The next use of each row. Blocks are scanned from the end.
    next_use: Vec<u32>,
    /// The rows of operands, instruction by instruction. `next` contains the next use of each.
    operands: Vec<u32>,
    next: Vec<u32>,
    /// For each instruction, the index of its first operand in `operands`, and the next use of its result.
    starts: Vec<(u32, u32)>,
    registers: Registers,
    /// The offsets at which the code of instructions begins: see [`super::Compiled::instruction_offsets`].
    pub(super) instruction_offsets: Vec<(u32, Option<u32>)>,
}

/// The rows that an instruction reads.
fn rows_read<'a>(plan: &'a Plan, inst: &'a Inst) -> impl Iterator<Item = u32> + 'a {
    let pool = &plan.pool()[inst.pool_range()];
    // The last four rows are results.
    let results = if matches!(inst.kernel, Kernel::Sample | Kernel::Fetch) { 4 } else { 0 };
    let pool = &pool[..pool.len() - results];
    inst.src[..inst.kernel.operands()].iter().chain(pool).copied()
}

impl Compiler {
    /// Compiles a plan for vectors of up to `width`.
    pub(super) fn compile(&mut self, plan: &Plan, width: Width) -> Result<(), CompileError> {
        self.code.clear();
        self.parts.clear();
        self.blocks.clear();
        self.instruction_offsets.clear();
        if i64::from(plan.rows()) * i64::from(ROW) > i64::from(i32::MAX) {
            return Err(CompileError::TooManyRows(plan.rows()));
        }
        self.find_homes(plan);
        let leaves = |inst: &Inst| inst.kernel == Kernel::Fuel;
        self.straight_line = plan.blocks().len() == 1
            && matches!(plan.blocks()[0].terminator, PlanTerminator::Return)
            && !plan.code().iter().any(leaves);
        self.reads_input_rows = plan
            .code()
            .iter()
            .filter(|inst| !is_compiled(inst.kernel))
            .any(|inst| rows_read(plan, inst).any(|row| matches!(self.homes[row as usize], Home::Input(_))))
            || plan.blocks().iter().any(|block| {
                matches!(block.terminator, PlanTerminator::Branch { condition: row, .. } | PlanTerminator::Switch { index: row, .. }
                    if matches!(self.homes[row as usize], Home::Input(_)))
            });
        self.unstored.clear();
        self.unstored.extend(0..plan.outputs().len() as u32);
        for number in 0..plan.blocks().len() {
            self.block(plan, number, width)?;
        }
        self.code.finish();
        Ok(())
    }

    fn find_homes(&mut self, plan: &Plan) {
        self.homes.clear();
        self.homes.resize(plan.rows() as usize, Home::Temporary);
        for inst in plan.code().iter().filter(|inst| inst.masked) {
            self.homes[inst.dst as usize] = Home::Variable;
        }
        for (row, _) in plan.inits() {
            self.homes[*row as usize] = Home::Variable;
        }
        for (_, row) in plan.outputs() {
            self.homes[*row as usize] = Home::Variable;
        }
        for (row, _) in plan.scalars() {
            self.homes[*row as usize] = Home::Scalar;
        }
        for (k, (_, row)) in plan.inputs().iter().enumerate() {
            self.homes[*row as usize] = Home::Input(k as u32);
        }
    }

    /// Marks the variables as used: lanes may end here, or other blocks may read them.
    fn use_variables(&mut self) {
        for (position, home) in self.next_use.iter_mut().zip(&self.homes) {
            if *home == Home::Variable {
                *position = 0;
            }
        }
    }

    fn block(&mut self, plan: &Plan, number: usize, width: Width) -> Result<(), CompileError> {
        let block = plan.blocks()[number];
        let code = &plan.code()[block.start as usize..block.end as usize];
        self.next_use.clear();
        self.next_use.resize(plan.rows() as usize, NEVER);
        if self.straight_line {
            for (_, row) in plan.outputs() {
                self.next_use[*row as usize] = 0;
            }
        } else {
            self.use_variables();
        }
        if let PlanTerminator::Branch { condition: row, .. } | PlanTerminator::Switch { index: row, .. } =
            block.terminator
        {
            self.next_use[row as usize] = 0;
        }
        let first = self.parts.len();
        let mut end = code.len();
        while end > 0 {
            let compiled = is_compiled(code[end - 1].kernel);
            let start = code[..end]
                .iter()
                .rposition(|inst| is_compiled(inst.kernel) != compiled)
                .map_or(0, |at| at + 1);
            let part = if compiled {
                let last = end == code.len();
                let run = self.run(plan, block.start + start as u32, &code[start..end], width, last)?;
                Part::Compiled(run, block.start + start as u32..block.start + end as u32)
            } else {
                for inst in code[start..end].iter().rev() {
                    self.scan_uncompiled(plan, inst);
                }
                Part::Wide(block.start + start as u32..block.start + end as u32)
            };
            self.parts.push(part);
            end = start;
        }
        self.parts[first..].reverse();
        self.blocks.push(first as u32..self.parts.len() as u32);
        Ok(())
    }

    /// Updates the uses for an instruction that is not compiled, in the scan from the end.
    fn scan_uncompiled(&mut self, plan: &Plan, inst: &Inst) {
        if inst.kernel == Kernel::Fuel {
            self.use_variables();
        }
        // The result stays live: lanes that do not run keep their values in its row.
        for row in rows_read(plan, inst) {
            self.next_use[row as usize] = 0;
        }
    }

    /// Finds the next use of every operand and result of a run, from the end. Rows used after the run have their next use at `code.len()`.
    fn find_uses(&mut self, plan: &Plan, code: &[Inst]) {
        let end = code.len() as u32;
        for position in &mut self.next_use {
            *position = if *position == NEVER { NEVER } else { end };
        }
        self.operands.clear();
        self.starts.clear();
        for inst in code {
            self.starts.push((self.operands.len() as u32, NEVER));
            self.operands.extend(rows_read(plan, inst));
        }
        self.next.clear();
        self.next.resize(self.operands.len(), NEVER);
        let mut stop = self.operands.len();
        for (at, inst) in code.iter().enumerate().rev() {
            let d = inst.dst as usize;
            let start = self.starts[at].0 as usize;
            self.starts[at].1 = self.next_use[d];
            self.next_use[d] = NEVER;
            for k in start..stop {
                self.next[k] = self.next_use[self.operands[k] as usize];
            }
            for k in start..stop {
                self.next_use[self.operands[k] as usize] = at as u32;
            }
            stop = start;
        }
    }

    fn run(
        &mut self,
        plan: &Plan,
        first: u32,
        code: &[Inst],
        width: Width,
        last: bool,
    ) -> Result<RunCode, CompileError> {
        self.find_uses(plan, code);
        let mut run = RunCode::default();
        let narrow = if width == Width::Ymm { None } else { Some(Width::Ymm) };
        for (at, width) in [Some(width), narrow].into_iter().enumerate() {
            let Some(width) = width else { continue };
            run.all[at] = self.emit(plan, first, code, width, false, last && self.straight_line)?;
            if !self.straight_line {
                run.some[at] = self.emit(plan, first, code, width, true, false)?;
            }
        }
        if narrow.is_none() {
            (run.all[1], run.some[1]) = (run.all[0], run.some[0]);
        }
        Ok(run)
    }

    /// Emits a run as a function over groups of lanes, and returns its offset in the code. With `partial`, groups without active lanes are skipped.
    /// With `ends`, the run is the last of a straight-line program and stores the outputs.
    fn emit(
        &mut self,
        plan: &Plan,
        first: u32,
        code: &[Inst],
        width: Width,
        partial: bool,
        ends: bool,
    ) -> Result<u32, CompileError> {
        let entry = self.code.bytes.len() as u32;
        self.instruction_offsets.push((entry, None));
        self.code.emit_prologue();
        let loop_start = self.code.bytes.len();
        let mut skip = None;
        if partial {
            // Groups without active lanes are skipped: `test si, si` or `test sil, sil`, then jz.
            self.code.raw(if width == Width::Zmm { &[0x66, 0x85, 0xf6] } else { &[0x40, 0x84, 0xf6] });
            skip = Some(self.code.jump_forward(4));
            match width {
                Width::Zmm => self.code.set_mask(ACTIVE),
                Width::Ymm => self.code.load_mask(ACTIVE_VECTOR),
            }
        }
        self.registers.begin(plan.rows() as usize, width, partial);
        for (at, inst) in code.iter().enumerate() {
            self.instruction_offsets.push((self.code.bytes.len() as u32, Some(first + at as u32)));
            self.inst(inst, at, width)?;
        }
        self.instruction_offsets.push((self.code.bytes.len() as u32, None));
        if ends {
            self.store_outputs(plan, code, width);
        }
        self.registers.write_back(&mut self.code, &self.homes);
        if let Some(skip) = skip {
            self.code.patch_jump(skip);
            // shr rsi
            self.code.raw(&[0x48, 0xc1, 0xee, width.lanes() as u8]);
        }
        self.code.emit_loop_end(width, loop_start);
        Ok(entry)
    }

    fn inst(&mut self, inst: &Inst, at: usize, width: Width) -> Result<(), CompileError> {
        let (start, next) = self.starts[at];
        let stop = self.starts.get(at + 1).map_or(self.operands.len(), |s| s.0 as usize);
        let operands = &self.operands[start as usize..stop];
        let uses = &self.next[start as usize..stop];
        let mut emitter = Emitter {
            code: &mut self.code,
            registers: &mut self.registers,
            homes: &self.homes,
            width,
            operands,
            next: uses,
            last_mask: ACTIVE.0,
        };
        let Some(result) = emitter.kernel(inst.kernel) else { return Err(CompileError::Kernel(inst.kernel)) };
        for (row, next) in operands.iter().zip(uses) {
            self.registers.set_next_use(*row, *next);
        }
        self.registers.invalidate(inst.dst);
        self.registers.hold(result, inst.dst, next);
        self.registers.end_instruction();
        if self.registers.exhausted {
            return Err(CompileError::Registers(inst.kernel));
        }
        Ok(())
    }

    /// Stores the outputs that the run computes at their destination outside the rows; their rows are not read any more.
    fn store_outputs(&mut self, plan: &Plan, code: &[Inst], width: Width) {
        for (k, (_, row)) in plan.outputs().iter().enumerate() {
            if code.iter().any(|inst| inst.dst == *row) {
                let v = self.registers.load(&mut self.code, &self.homes, *row);
                self.code.store(width, super::encode::Base::Outputs, k as i32 * ROW, v);
                self.registers.unpin();
                self.unstored.retain(|other| *other as usize != k);
            }
        }
        for (_, row) in plan.outputs() {
            self.registers.mark_stored(*row);
        }
    }
}

impl Code {
    /// Loads the fields of [`super::Frame`] into registers: r9 inputs, r10 outputs, rsi active lanes, r11 their mask, rcx groups, rdi rows; r8 = rdi.
    pub(super) fn emit_prologue(&mut self) {
        self.raw(&[0x4c, 0x8b, 0x4f, 8, 0x4c, 0x8b, 0x57, 16, 0x48, 0x8b, 0x77, 24, 0x4c, 0x8b, 0x5f, 32]);
        self.raw(&[0x48, 0x8b, 0x4f, 40, 0x48, 0x8b, 0x3f, 0x49, 0x89, 0xf8]);
    }

    /// Jumps to `loop_start` for the next group of lanes, or returns after the last.
    pub(super) fn emit_loop_end(&mut self, width: Width, loop_start: usize) {
        let step = 4 * width.lanes() as u8;
        // add r8, r9, r10, r11; dec rcx; jnz
        for register in [0xc0, 0xc1, 0xc2, 0xc3] {
            self.raw(&[0x49, 0x83, register, step]);
        }
        self.raw(&[0x48, 0xff, 0xc9]);
        self.jump_back(5, loop_start);
        // vzeroupper; ret
        self.raw(&[0xc5, 0xf8, 0x77, 0xc3]);
    }

    /// `kmovw k, esi`.
    fn set_mask(&mut self, k: K) {
        self.raw(&[0xc5, 0xf8, 0x92, 0xc0 | k.0 << 3 | 6]);
    }

    /// Loads the truth values of the active lanes.
    fn load_mask(&mut self, v: super::encode::V) {
        self.load(Width::Ymm, v, super::encode::Src::Mem(super::encode::Base::Mask, 0));
    }
}
