//! Planted faults: changes of a plan that the checks must detect.

use super::{Inst, Kernel, Plan};

/// The instructions of a plan that a fault affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Every instruction with this kernel.
    Kernel(Kernel),
    /// The instruction at this index in [`Plan::code`].
    At(u32),
    /// In each block with this `origin`, the instruction that computes result number `result`.
    Origin {
        /// The source instruction: see [`super::PlanBlock::origin`].
        origin: u32,
        /// The index, from 0, among the instructions of the block that have a result row.
        result: u32,
    },
}

/// A fault: inverts one bit of the results of the targeted instructions. For a Bool result, all bits are inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The instructions affected.
    pub target: Target,
    /// The number of the bit, 0 to 31.
    pub bit: u8,
}

impl Plan {
    /// Plants `fault`: after each affected instruction, inserts a [`Kernel::Flip`] of the bit. Returns the number of affected instructions; if
    /// it is 0, the plan is unchanged. A plan without faults has no overhead.
    pub fn plant(&mut self, fault: Fault) -> usize {
        self.plant_in(fault, u64::MAX)
    }

    /// Plants a fault as [`Plan::plant`] does, but only for some lanes of each block of lanes: those whose bit is set in `lanes`.
    pub fn plant_in(&mut self, fault: Fault, lanes: u64) -> usize {
        let mut code = Vec::with_capacity(self.code.len() + 1);
        let mut sources = Vec::with_capacity(self.code.len() + 1);
        let mut affected = 0;
        for block in &mut self.blocks {
            let range = block.start as usize..block.end as usize;
            block.start = code.len() as u32;
            let mut result = 0;
            for at in range {
                let inst = self.code[at];
                code.push(inst);
                sources.push(self.sources[at]);
                if !inst.kernel.has_row() || inst.kernel == Kernel::Flip {
                    continue;
                }
                let is_target = match fault.target {
                    Target::Kernel(kernel) => inst.kernel == kernel,
                    Target::At(wanted) => at == wanted as usize,
                    Target::Origin { origin, result: wanted } => block.origin == origin && result == wanted,
                };
                result += 1;
                if is_target {
                    let x = if inst.truth { u32::MAX } else { 1 << (fault.bit & 31) };
                    code.push(Inst {
                        kernel: Kernel::Flip,
                        n: 0,
                        src: [lanes as u32, (lanes >> 32) as u32, 0, 0],
                        imm: x,
                        ..inst
                    });
                    sources.push(self.sources[at]);
                    affected += 1;
                }
            }
            block.end = code.len() as u32;
        }
        self.code = code;
        self.sources = sources;
        affected
    }
}
