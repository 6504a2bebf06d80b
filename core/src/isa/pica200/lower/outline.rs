//! The outline: facts computed once per program, namely which stacks can hold a frame that ends at an address, and of which output registers both
//! banks are tracked.

use super::{Cx, double_banked};
use crate::isa::pica200::opcode::Opcode;

/// The stacks that can hold a frame that ends at an address.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    pub(super) call: bool,
    pub(super) arm: bool,
    pub(super) body: bool,
}

/// The outline of a program.
pub struct Outline {
    /// The stacks that can hold a frame ending at an address, by address.
    ends: Vec<Ends>,
    /// The output registers with two tracked banks: see [`double_banked`].
    pub(super) double_banked: u32,
}

impl Outline {
    /// Computes the outline of a program.
    pub fn of(cx: &Cx<'_>) -> Outline {
        let mut ends = vec![Ends::default(); cx.program.code.len() + 1];
        for instruction in &cx.program.code {
            let Some((dst, num)) = instruction.flow() else { continue };
            let (dst, num) = (usize::from(dst), usize::from(num));
            match instruction.op() {
                Some(Opcode::Call | Opcode::Callc | Opcode::Callu) => {
                    if let Some(ends) = ends.get_mut(dst + num) {
                        ends.call = true;
                    }
                }
                Some(Opcode::Ifc | Opcode::Ifu) => {
                    if let Some(ends) = ends.get_mut(dst) {
                        ends.arm = true;
                    }
                }
                Some(Opcode::Loop) => {
                    if let Some(ends) = ends.get_mut(dst + 1) {
                        ends.body = true;
                    }
                }
                _ => {}
            }
        }
        Outline { ends, double_banked: double_banked(cx) }
    }

    /// Returns the stacks that can hold a frame ending at an address.
    pub(super) fn ends(&self, next: u32) -> Ends {
        self.ends.get(next as usize).copied().unwrap_or_default()
    }
}
