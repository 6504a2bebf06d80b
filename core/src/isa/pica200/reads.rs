//! The registers that an instruction reads and writes, by component.

use super::opcode::{MaskRule, Opcode, SourceComponents};
use super::program::{Instruction, Program, Register, Source, Target};

/// A register that an instruction may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// The register; for a relative read, the base.
    pub(super) register: Register,
    /// The address register of a relative read: 1 `a0.x`, 2 `a0.y`, 3 `aL`; 0 for a direct read.
    pub(super) idx: u8,
    /// Components, bit 0 = x.
    pub(super) mask: u8,
}

/// Returns the components of source `n`, after swizzling, that the result depends on. `mask` is the write mask, bit 0 = x.
pub fn source_mask(op: Opcode, n: usize, mask: u8) -> u8 {
    let row = op.row();
    match row.sources_read {
        SourceComponents::Own if op == Opcode::Cmp => 3,
        SourceComponents::Own if row.mask == MaskRule::Address => mask & 3,
        SourceComponents::Own => mask,
        SourceComponents::First(_) if mask == 0 => 0,
        // The w of the first source is replaced by 1.
        SourceComponents::First(_) if matches!(op, Opcode::Dph | Opcode::Dphi) && n == 0 => 7,
        SourceComponents::First(count) => (1 << count) - 1,
        SourceComponents::Distance if n == 0 => mask & 0b0110,
        SourceComponents::Distance => mask & 0b1010,
        // The condition bits depend on x and w, whatever the mask.
        SourceComponents::Light => mask & 0b0010 | 0b1001,
        SourceComponents::None => 0,
    }
}

/// Returns the register components that a source reads for the swizzled components in `mask`.
fn components(source: &Source, mask: u8) -> u8 {
    (0..4).filter(|c| mask >> c & 1 != 0).fold(0, |mask, c| mask | 1 << source.component(c))
}

/// Calls `each` for every register that an instruction reads; never if its descriptor is missing.
pub(super) fn reads(program: &Program, instruction: &Instruction, mut each: impl FnMut(Read)) {
    let Some(op) = instruction.op() else { return };
    let mask = program.descriptor(instruction).map_or(0, super::program::Descriptor::write_mask);
    for (n, source) in program.sources(instruction).into_iter().enumerate() {
        let Some(source) = source else { continue };
        let relative = matches!(source.register, Register::Uniform(_));
        let idx = if relative { source.idx } else { 0 };
        each(Read { register: source.register, idx, mask: components(&source, source_mask(op, n, mask)) });
    }
}

/// Returns the register that an instruction writes, and its components, bit 0 = x.
pub(super) fn write(program: &Program, instruction: &Instruction) -> Option<(Target, u8)> {
    Some((instruction.dst()?, program.descriptor(instruction)?.write_mask()))
}
