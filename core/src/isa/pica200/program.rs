//! The typed form of a PICA200 program. It preserves every bit of the file.
//!
//! A file is an SHBIN (see [`super::container`]), or the project's own raw form for fuzzers and generators, all little endian:
//!
//! | bytes | contents |
//! |---|---|
//! | 00..04 | `PICA` |
//! | 04..06 | stage: 0 vertex, 1 geometry |
//! | 06..08 | output mask: bit n for `on`, the registers that a geometry program emits |
//! | 08..0C | address of the entry, in words |
//! | 0C..10 | number of instructions |
//! | 10..14 | number of descriptors |
//! | then | instructions of 4 bytes, then descriptors of 8 bytes |

pub use super::word::{
    Binary, BinaryInverse, Compare, Conditional, Descriptor, Emission, Instruction, Plain, Ternary,
    TernaryInverse, Unary, Uniform, Unknown, mask_bit, place, reverse,
};

use super::registers::File;
use crate::binary::List;
use crate::isa::Stage;

// The register numbers of the first temporary and the first uniform in source fields.
const TEMPORARY: u8 = File::Temporary.first();
const UNIFORM: u8 = File::Float.first();

/// Size of program memory in words; an address has 12 bits.
pub const MEMORY: u32 = 4096;
/// Size of program memory in words in the units that run only vertex programs (S6).
pub const VERTEX_MEMORY: u32 = 512;
/// Maximum number of descriptors that instructions can refer to.
pub const DESCRIPTORS: usize = 128;
/// Number of float uniforms.
pub const UNIFORMS: u16 = File::Float.count() as u16;
/// Maximum number of frames on the call stack. A push on a full stack drops the oldest frame.
pub const CALL_DEPTH: usize = 4;
/// Maximum number of frames on the stack of conditional blocks. A push on a full stack drops the oldest frame.
pub const IF_DEPTH: usize = 8;
/// Maximum number of frames on the loop stack. A push on a full stack drops the oldest frame.
pub const LOOP_DEPTH: usize = 4;

/// A source register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Register {
    /// `v0` to `v15`.
    Input(u8),
    /// `r0` to `r15`.
    Temporary(u8),
    /// `c0` to `c95`.
    Uniform(u8),
}

impl Register {
    /// Returns the source register with this number. Narrow operands have 5 bits and cannot name uniforms.
    #[inline]
    pub fn source(number: u8) -> Register {
        match number & 0x7f {
            n if n < TEMPORARY => Register::Input(n),
            n if n < UNIFORM => Register::Temporary(n - TEMPORARY),
            n => Register::Uniform(n - UNIFORM),
        }
    }

    /// Returns the number of the register in a source field.
    pub fn number(self) -> u8 {
        match self {
            Register::Input(n) => n,
            Register::Temporary(n) => n + TEMPORARY,
            Register::Uniform(n) => n + UNIFORM,
        }
    }
}

/// A destination register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// `o0` to `o15`.
    Output(u8),
    /// `r0` to `r15`.
    Temporary(u8),
}

impl Target {
    /// Returns the destination register with this number.
    #[inline]
    pub fn from_number(number: u8) -> Target {
        if number & TEMPORARY == 0 { Target::Output(number & 0xf) } else { Target::Temporary(number & 0xf) }
    }

    /// Returns the number of the register in a destination field.
    pub fn number(self) -> u8 {
        match self {
            Target::Output(n) => n,
            Target::Temporary(n) => n + TEMPORARY,
        }
    }
}

/// A source, as specified by an instruction and its descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The register.
    pub register: Register,
    /// The index added to a uniform's number: 0 none, 1 `a0.x`, 2 `a0.y`, 3 `aL`. Always 0 for a narrow source; ignored if the register is not a
    /// uniform.
    pub idx: u8,
    /// Whether all four components are negated, after the swizzle.
    pub negate: bool,
    /// The selector: two bits per component, x highest.
    pub select: u8,
}

impl Source {
    /// Returns the register component that is read for component `c` of the swizzled source, 0 = x.
    #[inline]
    pub fn component(&self, c: usize) -> usize {
        component(self.select, c)
    }
}

/// The components of a selector, w first, since x is in the highest bits. [`place`] converts between the two orders.
const SELECT: List<4> = List::of(&Descriptor::select1);

/// Returns the component that a selector selects for component `c`, 0 = x.
#[inline]
pub fn component(select: u8, c: usize) -> usize {
    SELECT.get(select, place(c)).into()
}

/// Returns the selector that selects these components for x, y, z and w.
///
/// # Panics
/// If one of `components` is greater than 3.
pub fn selector(components: [u8; 4]) -> u8 {
    SELECT.join(std::array::from_fn(|element| components[place(element)]))
}

/// A row of the descriptor table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DescriptorRow {
    /// The descriptor.
    pub descriptor: Descriptor,
    /// The second word, which loaders do not use: 0 from picasso and nihstro, 0Fh from aemstro.
    pub second: u32,
}

/// The container of the code and descriptors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Container {
    /// An SHBIN file.
    Shbin(super::container::Shbin),
    /// The raw form.
    Raw(Raw),
}

/// The header of the raw form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// The stage: vertex or geometry.
    pub stage: Stage,
    /// Bit n for `on`: the registers that a geometry program emits.
    pub output_mask: u16,
    /// Address of the entry, in words.
    pub start: u32,
}

/// A program: instructions, a table of descriptors, and one or more entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The container.
    pub container: Container,
    /// Instructions. A lane that runs past the last one ends, as if `end` followed.
    pub code: Vec<Instruction>,
    /// Operand descriptors.
    pub descriptors: Vec<DescriptorRow>,
}

impl Program {
    /// Returns the descriptor of an instruction; `None` if it has none, or if its number is not in the table.
    #[inline]
    pub fn descriptor(&self, instruction: &Instruction) -> Option<&Descriptor> {
        instruction.desc().and_then(|n| self.descriptors.get(usize::from(n))).map(|row| &row.descriptor)
    }

    /// Returns the sources of an instruction with swizzle and sign. All are `None` if its descriptor is not in the table.
    #[inline]
    pub fn sources(&self, instruction: &Instruction) -> [Option<Source>; 3] {
        let Some(descriptor) = self.descriptor(instruction) else { return [None; 3] };
        let mut n = 0;
        instruction.sources().map(|source| {
            let (negate, select) = descriptor.source(n);
            n += 1;
            source.map(|(number, idx)| Source { register: Register::source(number), idx, negate, select })
        })
    }
}
