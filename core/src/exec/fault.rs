//! Planting faults, to show that they would be found.

use super::{Inst, Kernel, Plan};

/// Which instructions of a plan a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Every instruction with this kernel.
    Kernel(Kernel),
    /// The instruction at this place of [`Plan::code`].
    At(u32),
    /// Result number `result` (0 = first) of the code made from the block of source instruction `origin`.
    Origin {
        /// As in [`super::PlanBlock::origin`].
        origin: u32,
        /// Counts the instructions of that block that have a row for a result.
        result: u32,
    },
}

/// A fault: one bit of the results of some instructions is always wrong. A Bool result is wrong as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The instructions.
    pub target: Target,
    /// The bit, 0 to 31.
    pub bit: u8,
}

impl Plan {
    /// Plants `fault`: after each instruction that it strikes, one more turns the bit over. Returns how many were struck; 0 leaves
    /// the plan as it was. A plan without faults pays nothing.
    pub fn plant(&mut self, fault: Fault) -> usize {
        self.plant_in(fault, u64::MAX)
    }

    /// The same in these lanes of each block only, a bit a lane.
    pub fn plant_in(&mut self, fault: Fault, lanes: u64) -> usize {
        let mut code = Vec::with_capacity(self.code.len() + 1);
        let mut sources = Vec::with_capacity(self.code.len() + 1);
        let mut struck = 0;
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
                let hit = match fault.target {
                    Target::Kernel(kernel) => inst.kernel == kernel,
                    Target::At(wanted) => at == wanted as usize,
                    Target::Origin { origin, result: wanted } => block.origin == origin && result == wanted,
                };
                result += 1;
                if hit {
                    let x = if inst.truth { u32::MAX } else { 1 << (fault.bit & 31) };
                    code.push(Inst {
                        kernel: Kernel::Flip,
                        n: 0,
                        s: [lanes as u32, (lanes >> 32) as u32, 0, 0],
                        x,
                        ..inst
                    });
                    sources.push(self.sources[at]);
                    struck += 1;
                }
            }
            block.end = code.len() as u32;
        }
        self.code = code;
        self.sources = sources;
        struck
    }
}
