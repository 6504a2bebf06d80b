//! Passes operands to the evaluator and the executor.

use crate::host::{Effect, FetchFormat, Host, SampleRequest};
use crate::value::{Concrete, Freedom};

/// Returns the input slot for an operand: the operand as a float, then the high and the low half of its bits as whole numbers.
pub(super) fn components(operand: u32) -> [f32; 4] {
    [f32::from_bits(operand), (operand >> 16) as f32, (operand & 0xffff) as f32, 0.0]
}

/// The host of the evaluator: inputs for each lane, and constants.
pub(super) struct Numbers<'a> {
    pub(super) inputs: &'a [u32],
    pub(super) constants: &'a [[f32; 4]],
    pub(super) operands: usize,
}

impl Host<Concrete> for Numbers<'_> {
    fn input(&mut self, _: &Concrete, lane: usize, slot: u16) -> [f32; 4] {
        components(self.inputs[lane * self.operands + usize::from(slot)])
    }
    fn constant(&mut self, _: &Concrete, slot: &i32) -> [f32; 4] {
        self.constants[*slot as usize]
    }
    fn int_constant(&mut self, _: &Concrete, _: u16) -> [i32; 4] {
        [0; 4]
    }
    fn bool_constant(&mut self, _: &Concrete, _: u16) -> bool {
        false
    }
    fn sample(&mut self, _: &Concrete, _: u8, _: &SampleRequest<f32>) -> [f32; 4] {
        [0.0; 4]
    }
    fn fetch(&mut self, _: &Concrete, _: u8, _: FetchFormat, _: &i32) -> [f32; 4] {
        [0.0; 4]
    }
    fn effect(&mut self, _: &Concrete, _: usize, _: Effect<Concrete>) {}
    fn record(&mut self, _: Freedom, _: &bool) {}
}
