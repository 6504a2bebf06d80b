//! The keys of the lowering's IR variables, by which refinement and traces find them.

use super::interface::{ADDRESS_SLOT, CONDITION_SLOT, FIRST_TEMPORARY_SLOT};
use super::names::{ADDRESS, CONDITION};
use super::registers::File as Registers;
use super::word::Index;
use crate::ir::{Ty, VarKey};
use crate::isa::Register;
use crate::isa::component::NAMES;
use std::ops::Range;

/// A register file, a stack of the control unit, or other state. The frames of a stack are numbered from the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum File {
    /// `r0` to `r15`.
    Temporary,
    /// `o0` to `o15`.
    Output,
    /// The inactive bank of outputs.
    Inactive,
    /// `a0.x`, `a0.y`, `aL`: components of register 0, integers.
    Address,
    /// `cmp.x`, `cmp.y`: components of register 0, Booleans.
    Condition,
    /// The settings of `setemit`: vertex slot, whether the vertex completes a primitive, winding. These are components of register 0, integers.
    Emission,
    /// For each loop: the number of passes after the current one, the step of `aL`, and the value of `aL` to restore.
    Loop,
    /// For each loop: the first word of the body, and the word after the body, which is [`NO_FRAME`] for an empty frame.
    LoopPlace,
    /// For each call: the address after the called words, which is [`NO_FRAME`] for an empty frame, and the return address.
    Call,
    /// For each conditional block: the word after the first arm, which is [`NO_FRAME`] for an empty frame, and the word after the second arm.
    Arm,
}

/// Every file, by number.
const FILES: [File; 10] = [
    File::Temporary,
    File::Output,
    File::Inactive,
    File::Address,
    File::Condition,
    File::Emission,
    File::Loop,
    File::LoopPlace,
    File::Call,
    File::Arm,
];

/// The address in an empty frame of a stack.
pub const NO_FRAME: i32 = -1;

impl File {
    /// Returns the key of component `component` of register or frame `index`.
    pub fn key(self, index: usize, component: usize) -> VarKey {
        VarKey { file: self as u8, index: index as u16, component: component as u8 }
    }
}

const R: Registers = Registers::Temporary;
const O: Registers = Registers::Output;

/// Returns the display name of a key, in the manual's terms.
pub fn name(key: VarKey) -> String {
    let (n, c) = (key.index, usize::from(key.component));
    let xyzw = NAMES[c & 3];
    let pick = |names: [&'static str; 3]| names[c.min(2)];
    match FILES.get(usize::from(key.file)) {
        Some(File::Temporary) => format!("{}.{xyzw}", R.register(n)),
        Some(File::Output) => format!("{}.{xyzw}", O.register(n)),
        Some(File::Inactive) => format!("{}.{xyzw} of the inactive bank", O.register(n)),
        Some(File::Address) => pick([Index::A0X, Index::A0Y, Index::Loop].map(Index::name)).to_owned(),
        Some(File::Condition) => format!("{CONDITION}{}", pick([".x", ".y", ""])),
        Some(File::Emission) => pick(["vertex slot", "primitive", "winding"]).to_owned(),
        Some(File::Loop) => format!("{} of loop {n}", pick(["iterations left", "step", "outer aL"])),
        Some(File::LoopPlace) => format!("{} of loop {n}", pick(["start", "end", "no component"])),
        Some(File::Call) => format!("{} of call {n}", pick(["end", "return address", "no component"])),
        Some(File::Arm) => format!("{} of condition {n}", pick(["else", "end", "no component"])),
        None => format!("file {} register {n}.{xyzw}", key.file),
    }
}

/// The slots of the registers that can have an initial value: `r0` to `r15`, `a0` and `cmp`.
pub const REGISTER_SLOTS: Range<u16> = FIRST_TEMPORARY_SLOT..ADDRESS_SLOT + 2;

/// Returns the register at a slot. The third component of `a0` is `aL`.
pub fn register(slot: u16) -> Option<Register> {
    let all = |file: File, number, components| (0..components).map(|c| file.key(number, c)).collect();
    let (name, components, ty) = match slot {
        ADDRESS_SLOT => (ADDRESS.to_owned(), all(File::Address, 0, 3), Ty::I32),
        CONDITION_SLOT => (CONDITION.to_owned(), all(File::Condition, 0, 2), Ty::Bool),
        FIRST_TEMPORARY_SLOT..ADDRESS_SLOT => {
            let number = usize::from(slot - FIRST_TEMPORARY_SLOT);
            (R.register(number), all(File::Temporary, number, 4), Ty::F32)
        }
        _ => return None,
    };
    Some(Register { name, components, ty, is_control: ty != Ty::F32 })
}
