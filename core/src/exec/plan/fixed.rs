//! Rows that no instruction writes: constants and inputs.

use super::gather::{FIXED, NONE, SCALAR};
use super::{RowIndex, Scalar};

/// Allocates rows, and records those whose contents no instruction of the code changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Fixed {
    /// The next unused row.
    pub(super) next: RowIndex,
    pub(super) scalars: Vec<(RowIndex, Scalar)>,
    pub(super) inputs: Vec<(u16, RowIndex)>,
    /// The operands for uniforms and inputs, by the number of the uniform or input.
    uniform_of: Vec<u32>,
    input_of: Vec<u32>,
    /// Literals with their operands, by hash.
    literals: Vec<(u32, u32)>,
}

const LITERALS: usize = 64;

impl Fixed {
    pub(super) fn clear(&mut self, next: RowIndex) {
        self.next = next;
        self.scalars.clear();
        self.inputs.clear();
        self.uniform_of.clear();
        self.input_of.clear();
        self.literals.clear();
        self.literals.resize(LITERALS, (0, NONE));
    }

    pub(super) fn row(&mut self) -> RowIndex {
        self.next += 1;
        self.next - 1
    }

    pub(super) fn scalar(&mut self, scalar: Scalar) -> u32 {
        let row = self.row();
        self.scalars.push((row, scalar));
        row | FIXED | SCALAR
    }

    pub(super) fn literal(&mut self, bits: u32) -> u32 {
        let mut at = (bits.wrapping_mul(0x9e37_79b1) >> 26) as usize;
        for _ in 0..8 {
            match self.literals[at] {
                (_, NONE) => {
                    let operand = self.scalar(Scalar::Bits(bits));
                    self.literals[at] = (bits, operand);
                    return operand;
                }
                (known, operand) if known == bits => return operand,
                _ => at = (at + 1) % LITERALS,
            }
        }
        self.scalar(Scalar::Bits(bits))
    }

    pub(super) fn uniform(&mut self, n: u16) -> u32 {
        let at = usize::from(n);
        if self.uniform_of.len() <= at {
            self.uniform_of.resize(at + 1, NONE);
        }
        if self.uniform_of[at] == NONE {
            self.uniform_of[at] = self.scalar(Scalar::Uniform(n));
        }
        self.uniform_of[at]
    }

    pub(super) fn input(&mut self, n: u16) -> u32 {
        let at = usize::from(n);
        if self.input_of.len() <= at {
            self.input_of.resize(at + 1, NONE);
        }
        if self.input_of[at] == NONE {
            let row = self.row();
            self.inputs.push((n, row));
            self.input_of[at] = row | FIXED;
        }
        self.input_of[at]
    }
}
