//! The keys of the lowering's IR variables, by which refinement and traces find them.

use super::names::{LETTERS, output_name};
use super::opcode::Opcode;
use super::program::{Instruction, Program, Version};
use super::registers::{ADDRESS_NAME, COUNTER};
use crate::ir::{Ty, VarKey};
use crate::isa::Register;
use std::ops::Range;

/// A register file, or a group of other state variables.
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

/// Returns the display name of a variable, with the component if its register has several.
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
        Some(File::Loop) => {
            format!("{} of loop {n}", ["iterations left", "step", "outer aL", "unused"][c & 3])
        }
        Some(File::RowProduct) => format!("{} row", ["earlier", "later"][c & 1]),
        Some(File::Before) => format!("{xyzw} before the pair"),
        Some(File::Return) => format!("return address of l{n}"),
        None => format!("file {} register {n}.{xyzw}", key.file),
    }
}

/// The slot of `r0` among [`REGISTER_SLOTS`].
const FIRST_TEMPORARY_SLOT: u16 = 64;
/// The slot of `a0`, the first after the temporaries.
const ADDRESS_SLOT: u16 = FIRST_TEMPORARY_SLOT + 32;
const PREDICATE_SLOT: u16 = ADDRESS_SLOT + 1;
const COUNTER_SLOT: u16 = ADDRESS_SLOT + 2;

/// The slots of the temporaries and of the control registers `a0`, `p0` and `aL`. All can have an initial value, control registers also a final one.
pub const REGISTER_SLOTS: Range<u16> = FIRST_TEMPORARY_SLOT..COUNTER_SLOT + 1;

/// Returns the register at a slot; `None` if the lowering of this version has no variables for it. The lowering also has variables for some registers
/// that the version lacks, such as `p0` in vs_2_0.
pub fn register(version: Version, slot: u16) -> Option<Register> {
    let later = version.major >= 2;
    let all = |file: File, number, components: usize| (0..components).map(|c| file.key(number, c)).collect();
    let row = |name: String, components, ty, is_control| Some(Register { name, components, ty, is_control });
    match slot {
        ADDRESS_SLOT if !version.is_pixel() && (version.major, version.minor) >= (1, 1) => {
            let components = if later { 4 } else { 1 };
            row(ADDRESS_NAME.to_owned(), all(File::Address, 0, components), Ty::I32, true)
        }
        PREDICATE_SLOT if later => row("p0".to_owned(), all(File::Predicate, 0, 4), Ty::Bool, true),
        COUNTER_SLOT if later => row(COUNTER.to_owned(), all(File::Counter, 0, 1), Ty::I32, true),
        FIRST_TEMPORARY_SLOT..ADDRESS_SLOT => {
            let number = slot - FIRST_TEMPORARY_SLOT;
            let has = later || number < 12;
            if has {
                row(format!("r{number}"), all(File::Temporary, number, 4), Ty::F32, false)
            } else {
                None
            }
        }
        _ => None,
    }
}
