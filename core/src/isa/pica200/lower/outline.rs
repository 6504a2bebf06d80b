//! What is worked out once for a program: which stacks can hold a frame that ends behind a word, and which registers have two banks.

use super::{Cx, banked};
use crate::isa::pica200::opcode::Opcode;

/// Which stacks can hold a frame that ends behind a word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    pub(super) call: bool,
    pub(super) arm: bool,
    pub(super) body: bool,
}

/// The outline of a program.
pub struct Outline {
    /// By the address behind a word.
    ends: Vec<Ends>,
    /// See [`banked`].
    pub(super) banked: u32,
}

impl Outline {
    /// Reads a program once.
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
        Outline { ends, banked: banked(cx) }
    }

    /// What can end at the address behind a word.
    pub(super) fn ends(&self, next: u32) -> Ends {
        self.ends.get(next as usize).copied().unwrap_or_default()
    }
}
