//! The lowering's variables: the keys that refinement and traces use for them, and their names.

use super::limits::count;
use super::names::register_name;
use super::program::File;
use crate::ir::{Ty, VarKey};
use crate::isa::{Register, Stage, component};
use std::ops::Range;

/// Returns the key of a register component.
pub(super) fn key(file: File, number: u16, component: usize) -> VarKey {
    VarKey { file: file as u8, index: number, component: component as u8 }
}

/// Returns the display name of a variable, in assembly syntax.
pub(super) fn name(stage: Stage, key: VarKey) -> String {
    let register = File::from_number(key.file)
        .map_or_else(|| format!("?{}.{}", key.file, key.index), |file| register_name(file, key.index, stage));
    format!("{register}.{}", component::NAMES[usize::from(key.component & 3)])
}

/// The slot of the first temporary among [`REGISTER_SLOTS`].
const FIRST_TEMPORARY_SLOT: u16 = 64;

/// The slots of the registers that can have an initial value: the temporaries. AGAL has no control registers.
pub(super) const REGISTER_SLOTS: Range<u16> = FIRST_TEMPORARY_SLOT..FIRST_TEMPORARY_SLOT + 26;

/// Returns the register at a slot, if programs of this version and stage have it.
pub(super) fn register(version: u32, stage: Stage, slot: u16) -> Option<Register> {
    let number = slot.checked_sub(FIRST_TEMPORARY_SLOT)?;
    (number < count(version, stage, File::Temporary)).then(|| Register {
        name: register_name(File::Temporary, number, stage),
        components: (0..4).map(|c| key(File::Temporary, number, c)).collect(),
        ty: Ty::F32,
        is_control: false,
    })
}
