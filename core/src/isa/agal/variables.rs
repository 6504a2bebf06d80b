//! The lowering's variables: the keys that refinement and traces use for them, and their names.

use super::names::{COMPONENTS, register_name};
use super::program::File;
use crate::ir::VarKey;
use crate::isa::Stage;

/// Returns the key of a register component.
pub(super) fn key(file: File, number: u16, component: usize) -> VarKey {
    VarKey { file: file as u8, index: number, component: component as u8 }
}

/// Returns the display name of a key, in assembly syntax.
pub(super) fn name(stage: Stage, key: VarKey) -> String {
    let register = File::from_number(key.file)
        .map_or_else(|| format!("?{}.{}", key.file, key.index), |file| register_name(file, key.index, stage));
    format!("{register}.{}", COMPONENTS[usize::from(key.component & 3)])
}
