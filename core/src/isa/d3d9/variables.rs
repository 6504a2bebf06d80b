//! The keys of the lowering's IR variables, by which refinement and traces find them.

use super::names::{LETTERS, output_name};
use super::opcode::Opcode;
use super::program::{Instruction, Program, Version};
use super::registers::COUNTER;
use crate::ir::VarKey;

/// A register file, or a part of the control unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum File {
    /// `r`.
    Temporary,
    /// `t` of ps_1_0 to ps_1_3, where it can be written.
    Texture,
    /// The output slots.
    Output,
    /// `a0`: integers.
    Address,
    /// `p0`: Booleans.
    Predicate,
    /// `aL`: component 0 of register 0, an integer.
    Counter,
    /// For each loop, by [`loop_number`], three integers: the passes left, including the current one; the step of aL; the value of aL to restore.
    Loop,
    /// The dot products of the last two rows that texture instructions computed for a matrix product: components 0 and 1 of register 0, the later row
    /// last.
    RowProduct,
    /// The previous value of the destination of the first instruction of a co-issued pair.
    Before,
    /// For each label: the return address of its subroutine, an integer. Used only in the fallback.
    Return,
}

/// Every file, by number.
const FILES: [File; 10] = [
    File::Temporary,
    File::Texture,
    File::Output,
    File::Address,
    File::Predicate,
    File::Counter,
    File::Loop,
    File::RowProduct,
    File::Before,
    File::Return,
];

impl File {
    /// Returns the key of component `component` of register `index`.
    #[inline]
    pub fn key(self, index: u16, component: usize) -> VarKey {
        VarKey { file: self as u8, index, component: component as u8 }
    }

    /// Returns the file of a key.
    pub fn of(key: VarKey) -> Option<File> {
        FILES.get(usize::from(key.file)).copied()
    }
}

/// Returns the number of a loop, which identifies its variables: the number of loops that begin before it in program order. A loop is active at most
/// once at a time, because there is no recursion (calls go forward).
pub fn loop_number(program: &Program, word: u32) -> u16 {
    let begins = |i: &&Instruction| matches!(i.op(), Some(Opcode::Loop | Opcode::Rep));
    let before = program.instructions.iter().take(word as usize).filter(begins).count();
    u16::try_from(before).unwrap_or(u16::MAX)
}

/// Returns the display name of a key, with the component if there are several.
pub fn name(version: Version, key: VarKey) -> String {
    let (n, c) = (key.index, usize::from(key.component));
    let xyzw = LETTERS[0][c & 3];
    match File::of(key) {
        Some(File::Temporary) => format!("r{n}.{xyzw}"),
        Some(File::Texture) => format!("t{n}.{xyzw}"),
        Some(File::Output) => format!("{}.{xyzw}", output_name(version, n)),
        Some(File::Address) => format!("a{n}.{xyzw}"),
        Some(File::Predicate) => format!("p{n}.{xyzw}"),
        Some(File::Counter) => COUNTER.to_owned(),
        Some(File::Loop) => format!("{} of loop {n}", ["passes", "step", "outer aL", "unused"][c & 3]),
        Some(File::RowProduct) => format!("{} row", ["earlier", "later"][c & 1]),
        Some(File::Before) => format!("{xyzw} before the pair"),
        Some(File::Return) => format!("return address of l{n}"),
        None => format!("file {} register {n}.{xyzw}", key.file),
    }
}
