//! The compiler: turns a [`Plan`] into x86-64 machine code for AVX2 or AVX-512.
//!
//! The wide interpreter reads and writes a row of memory for each operand of each instruction. Compiled code keeps rows in vector registers through a
//! whole run of instructions, accesses inputs and outputs directly in the caller's memory, and uses constants as memory operands. Everything else is
//! shared with the interpreter: plans, lane masks, the order of blocks, fuel, effects. Instructions that the compiler does not support (see
//! [`Compiled::interpreted`]) run in the interpreter between two runs of compiled code.
//!
//! [`encode`] encodes instructions, [`registers`] allocates registers, [`kernels`] emits the code of each kernel, and [`compile`] all other code.
//! [`memory`] makes code executable. [`layout`] describes the code to a validator. [`single`] runs single instructions on
//! the processor, so that a validator's definitions of their semantics can be compared with it.

mod compile;
mod encode;
mod kernels;
mod layout;
mod memory;
mod registers;
pub(in crate::exec) mod single;
#[cfg(test)]
mod tests;

pub use layout::{CodePart, Layout};

use super::wide::Row;
use super::{Inst, Kernel, Level, Plan};
use compile::Compiler;
use encode::Width;
use memory::Memory;
use std::ops::Range;

/// The reason why a plan cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The processor lacks the instructions of the level, or the level is not a compiled one.
    #[error("there is no machine code for level {0:?} on this processor")]
    Level(Level),
    /// The plan has too many rows to address: displacements of memory operands have 31 bits.
    #[error("the plan has {0} rows, more than a displacement of 31 bits can address")]
    TooManyRows(u32),
    /// The compiler has no code for a kernel that it does not leave to the interpreter.
    #[error("the kernel {0:?} cannot be compiled to machine code")]
    Kernel(Kernel),
    /// An instruction needs more registers than the processor has.
    #[error("the kernel {0:?} needs more registers than the processor has")]
    Registers(Kernel),
    /// The system provides no memory for code, or does not allow it to be executed.
    #[error("memory for machine code cannot be allocated or made executable: {0}")]
    Memory(#[from] std::io::Error),
}

/// A part of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Compiled code, and the instructions of the plan that it was made from.
    Compiled(RunCode, Range<u32>),
    /// Instructions of the plan for the interpreter.
    Wide(Range<u32>),
}

/// The code of one run: offsets of functions for large blocks of lanes, then for small ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RunCode {
    /// The code for blocks of lanes that all run.
    all: [u32; 2],
    /// The code for blocks of lanes of which only some run. Plans whose lanes always run together have none.
    some: [u32; 2],
}

/// The argument of compiled code.
#[repr(C)]
pub(super) struct Frame {
    pub(super) rows: *mut Row,
    /// Points to the first lane of the first input. Each input has as many numbers as a row.
    pub(super) inputs: *const f32,
    /// Points to the first lane of the first output, in the same layout as the inputs.
    pub(super) outputs: *mut f32,
    /// The lanes that run, one bit each.
    pub(super) active: u64,
    /// The lanes that run, as a row of truth values.
    pub(super) mask: *const Row,
    /// The number of vectors of lanes, at least 1.
    pub(super) groups: u64,
}

/// The machine code of a plan.
///
/// The code may only be run with the plan from which it was compiled. Memory is never writable and executable at once.
#[derive(Debug, Default)]
pub struct Compiled {
    compiler: Compiler,
    memory: Memory,
    width: Option<Width>,
    code_bytes: usize,
    /// The numbers of rows, inputs and outputs of the plan that was compiled: the bounds of what the code may access.
    extent: [usize; 3],
}

/// The rows, inputs and outputs of a plan.
fn extent(plan: &Plan) -> [usize; 3] {
    [plan.rows() as usize, plan.inputs().len(), plan.outputs().len()]
}

impl Compiled {
    /// Compiles a plan for a level that has machine code.
    ///
    /// # Errors
    /// If the level belongs to the interpreter or the processor does not support it, the plan exceeds a limit, or no memory for code is available.
    pub fn new(plan: &Plan, level: Level) -> Result<Compiled, CompileError> {
        let mut compiled = Compiled::default();
        compiled.replace(plan, level)?;
        Ok(compiled)
    }

    /// Compiles another plan in the same memory.
    ///
    /// # Errors
    /// The same errors as [`Compiled::new`]; the code is then unusable.
    pub fn replace(&mut self, plan: &Plan, level: Level) -> Result<(), CompileError> {
        self.width = None;
        let width = match level {
            Level::Jit256 => Width::Ymm,
            Level::Jit512 => Width::Zmm,
            _ => return Err(CompileError::Level(level)),
        };
        if !level.is_available() {
            return Err(CompileError::Level(level));
        }
        self.compiler.compile(plan, width)?;
        self.code_bytes = self.compiler.code.bytes.len();
        self.memory.fill(&self.compiler.code.bytes)?;
        self.extent = extent(plan);
        self.width = Some(width);
        Ok(())
    }

    /// Whether there is compiled code, and its accesses are within the rows, inputs and outputs of `plan`.
    pub(super) fn fits(&self, plan: &Plan) -> bool {
        self.width.is_some() && self.extent == extent(plan)
    }

    /// The level that the code is for.
    pub fn level(&self) -> Level {
        if self.width == Some(Width::Zmm) { Level::Jit512 } else { Level::Jit256 }
    }

    /// Bytes of machine code and constants.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    /// The machine code with its constants.
    pub fn bytes(&self) -> &[u8] {
        &self.compiler.code.bytes
    }

    /// Returns the offsets at which code begins, in ascending order, each with the index of the plan's instruction that the code is for; `None` marks
    /// code around the instructions: function entry, stores of results, the step to the next group of lanes, the return. The constants after the last
    /// function have no entry.
    pub fn instruction_offsets(&self) -> &[(u32, Option<u32>)] {
        &self.compiler.instruction_offsets
    }

    /// The instructions of the plan that run in the interpreter, in order.
    pub fn interpreted<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = &'a Inst> + 'a {
        let wide = self.compiler.parts.iter().filter_map(|part| match part {
            Part::Wide(range) => Some(range.clone()),
            Part::Compiled(..) => None,
        });
        wide.flat_map(|range| &plan.code()[range.start as usize..range.end as usize])
    }

    /// Whether all lanes run the whole code once.
    pub(super) fn is_straight(&self) -> bool {
        self.compiler.straight_line
    }

    /// Whether the interpreter reads inputs from their rows.
    pub(super) fn reads_input_rows(&self) -> bool {
        self.compiler.reads_input_rows
    }

    /// The outputs that compiled code leaves in their rows, by index.
    pub(super) fn unstored(&self) -> &[u32] {
        &self.compiler.unstored
    }

    /// Whether one function call runs a whole block of lanes: all lanes run all code, none of which is left to the interpreter, and the
    /// function reads inputs and stores outputs in the caller's memory.
    pub(super) fn is_one_call(&self, plan: &Plan) -> bool {
        let parts = &self.compiler.parts[self.parts(plan.entry() as usize)];
        self.is_straight()
            && !self.reads_input_rows()
            && self.unstored().is_empty()
            && matches!(parts, [Part::Compiled(..)])
    }

    /// Runs `blocks` blocks of [`WIDTH`](super::WIDTH) lanes. `inputs` and `outputs` contain the rows of each block, one block after the other.
    ///
    /// # Panics
    /// If the code belongs to another plan or is not one call, or if there are fewer rows, inputs or outputs than the plan and the number of blocks
    /// need.
    pub(super) fn run_blocks(
        &self,
        plan: &Plan,
        rows: &mut [Row],
        inputs: &[f32],
        outputs: &mut [f32],
        blocks: usize,
    ) {
        let [input_step, output_step] =
            [plan.inputs().len(), plan.outputs().len()].map(|count| count * super::WIDTH);
        assert!(self.fits(plan) && self.is_one_call(plan), "the machine code belongs to another plan");
        assert!(rows.len() >= plan.rows() as usize, "fewer rows than the plan has");
        // A product that overflows is more than any slice holds.
        let holds = |len: usize, step: usize| blocks.checked_mul(step).is_some_and(|needed| len >= needed);
        assert!(holds(inputs.len(), input_step), "fewer inputs than the blocks have");
        assert!(holds(outputs.len(), output_step), "fewer outputs than the blocks have");
        let part = self.parts(plan.entry() as usize).start;
        let mask = Row::ZERO;
        for block in 0..blocks {
            let mut frame = Frame {
                rows: rows.as_mut_ptr(),
                inputs: inputs.as_ptr().wrapping_add(block * input_step),
                outputs: outputs.as_mut_ptr().wrapping_add(block * output_step),
                active: u64::MAX,
                mask: &raw const mask,
                groups: 0,
            };
            // SAFETY: the assertions above cover what the code accesses. There is code only if `Compiled::replace` found its level available. Tested by
            // `streaming_equals_running_without_branches`.
            unsafe { self.part(part, &mut frame, super::WIDTH, false) };
        }
    }

    /// The indices of the parts of a block of the plan, among the parts of all blocks.
    pub(super) fn parts(&self, block: usize) -> Range<usize> {
        self.compiler.blocks.get(block).map_or(0..0, |parts| parts.start as usize..parts.end as usize)
    }

    /// Runs a part if it is compiled code, or returns the instructions for the interpreter. `lanes` is the number of lanes of the block: 64 or 8.
    ///
    /// # Safety
    /// The frame has at least as many rows as the plan. Its inputs and outputs are valid for all lanes of the block, up to the plan's last input and
    /// last output. The mask points to a row. The processor has the features of the level that the code was compiled for.
    #[inline(always)]
    pub(super) unsafe fn part(
        &self,
        part: usize,
        frame: &mut Frame,
        lanes: usize,
        partial: bool,
    ) -> Option<Range<usize>> {
        match &self.compiler.parts[part] {
            Part::Wide(range) => Some(range.start as usize..range.end as usize),
            Part::Compiled(run, _) => {
                let small = lanes < super::WIDTH;
                let offset = if partial { run.some[usize::from(small)] } else { run.all[usize::from(small)] };
                let vector = if small { Width::Ymm } else { self.width.unwrap_or(Width::Ymm) };
                frame.groups = (lanes / vector.lanes()) as u64;
                if let Some(address) = self.memory.address(offset as usize) {
                    // SAFETY: at this offset of the executable mapping begins a function of this signature, which `Compiler::emit` wrote; it keeps to
                    // the System V convention: it changes only registers that a call may change, and leaves the stack alone. It accesses rows, inputs,
                    // outputs and mask within the bounds that the caller promises. Tested by `every_level_equals_the_evaluator` and by the checks in
                    // `exec::check`, which run every kernel on it.
                    unsafe {
                        let function: extern "sysv64" fn(*const Frame) = std::mem::transmute(address);
                        function(frame);
                    }
                }
                None
            }
        }
    }
}
