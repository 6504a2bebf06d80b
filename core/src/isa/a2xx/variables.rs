//! What the lowering's variables stand for, by the keys under which refinement and traces find them.

use super::names::{A_0, A_L, REGISTER};
use crate::ir::VarKey;

/// A register file, or a part of the control unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum File {
    /// R0 to R63.
    Register,
    /// Passes done of the loop at each depth, the outermost first: integers.
    Pass,
    /// a0, and aL where the loops under way are not known: components of register 0, integers.
    Address,
    /// The predicate, and whether exports are dropped: components of register 0, truth values.
    Mark,
    /// PS, and the level of detail that was set: components of register 0.
    Single,
    /// The gradients that were set, along x and along y.
    Gradient,
    /// The index of the last VERTEX that gave one, and its slot's number where that is not known: components of register 0, integers.
    Fetch,
    /// Of each call, the newest first, the word it returns to, which is [`NO_FRAME`] where there is none.
    Call,
    /// How many loops are under way, the last slot of the clause whose slots are run, and the word behind that clause: components of register
    /// 0, integers.
    Depth,
    /// Of the loop at each depth: count, start and step.
    Loop,
}

/// Every file, by number.
const FILES: [File; 10] = [
    File::Register,
    File::Pass,
    File::Address,
    File::Mark,
    File::Single,
    File::Gradient,
    File::Fetch,
    File::Call,
    File::Depth,
    File::Loop,
];

/// Stands in a stack for the address of a frame that there is not.
pub const NO_FRAME: i32 = -1;

impl File {
    /// The key of component `component` of register or frame `index`.
    pub fn key(self, index: usize, component: usize) -> VarKey {
        VarKey { file: self as u8, index: index as u16, component: component as u8 }
    }
}

/// Name in the manual's terms of what a key stands for.
pub fn name(key: VarKey) -> String {
    let (n, c) = (key.index, usize::from(key.component) & 3);
    let xyzw = ["x", "y", "z", "w"][c];
    match FILES.get(usize::from(key.file)) {
        Some(File::Register) => format!("{REGISTER}{n}.{xyzw}"),
        Some(File::Pass) => format!("passes of loop {n}"),
        Some(File::Address) => [A_0, A_L][c & 1].to_owned(),
        Some(File::Mark) => ["predicate", "dropped"][c & 1].to_owned(),
        Some(File::Single) => ["PS", "level of detail"][c & 1].to_owned(),
        Some(File::Gradient) => format!("gradient along {}.{xyzw}", ["x", "y"][usize::from(n) & 1]),
        Some(File::Fetch) => ["index of the last fetch", "slot of the last fetch"][c & 1].to_owned(),
        Some(File::Call) => format!("return address of call {n}"),
        Some(File::Depth) => ["loops under way", "last slot", "behind the clause", "rest"][c].to_owned(),
        Some(File::Loop) => format!("{} of loop {n}", ["count", "start", "step", "rest"][c]),
        None => format!("file {} register {n}.{xyzw}", key.file),
    }
}
