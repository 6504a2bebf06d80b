//! What the lowering's variables stand for, by the keys under which refinement and traces find them.

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
    /// `t` of ps_1_0 to 1_3, which are written.
    Texture,
    /// The output slots.
    Output,
    /// `a0`: integers.
    Address,
    /// `p0`: truth values.
    Predicate,
    /// `aL`: component 0 of register 0, an integer.
    Counter,
    /// Of each loop, by [`loop_number`]: passes to come, the present one among them, the step of aL, and the aL to go back to. Integers.
    Loop,
    /// Rows of a matrix product that texture instructions have begun: components 0 and 1 of register 0, the later one last.
    Row,
    /// What the destination of the first of two instructions issued together held before.
    Before,
    /// Of each label: where its subroutine returns to. Of the fallback only; integers.
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
    File::Row,
    File::Before,
    File::Return,
];

impl File {
    /// The key of component `component` of register `index`.
    #[inline]
    pub fn key(self, index: u16, component: usize) -> VarKey {
        VarKey { file: self as u8, index, component: component as u8 }
    }

    /// The file of a key.
    pub fn of(key: VarKey) -> Option<File> {
        FILES.get(usize::from(key.file)).copied()
    }
}

/// The number of the variables of the loop that begins at `word`: how many loops begin before it in the text. A loop is under way at most
/// once at a time, because there is no recursion (calls lead forward).
pub fn loop_number(program: &Program, word: u32) -> u16 {
    let begins = |i: &&Instruction| matches!(i.op(), Some(Opcode::Loop | Opcode::Rep));
    let before = program.instructions.iter().take(word as usize).filter(begins).count();
    u16::try_from(before).unwrap_or(u16::MAX)
}

/// The name of what a key stands for.
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
        Some(File::Row) => format!("{} row", ["earlier", "later"][c & 1]),
        Some(File::Before) => format!("{xyzw} before the pair"),
        Some(File::Return) => format!("return address of l{n}"),
        None => format!("file {} register {n}.{xyzw}", key.file),
    }
}
