//! The meaning of the lowering's variables: the keys by which refinement and traces find them.

use super::source::ResultOf;
use crate::ir::{Ty, VarKey};
use crate::isa::Register;
use crate::isa::component::NAMES;
use std::ops::Range;

/// A register file, or a part of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum File {
    /// Registers.
    Register,
    /// Varyings.
    Varying,
    /// The memory of uniforms and temporaries.
    Memory,
    /// Address registers: components of register 0, integers.
    Address,
    /// Results of the last two words: first those of the previous word by unit, then those of the word before it. A stage of a complex function is
    /// represented by the function's argument; the stage that complex1 computes for log2, by the logarithm.
    Result,
    /// The value of read port 0 one word before.
    Port,
    /// Values of pending stores, newest word first.
    PendingStore,
    /// Integers of pending stores: the slot of a temporary, and the new value of an address register.
    PendingSlot,
    /// For each word with pending stores: its index, its age and the destinations of the stores; used by refinement only.
    PendingDestination,
    /// In the fallback: values of the stores of the last four words.
    PendingFallback,
    /// In the fallback: destinations of the stores of the last four words.
    PendingFallbackDestination,
    /// In the fallback: age, slot of a temporary, number of an address register, its new value.
    PendingFallbackSlot,
}

const FILES: [File; 12] = [
    File::Register,
    File::Varying,
    File::Memory,
    File::Address,
    File::Result,
    File::Port,
    File::PendingStore,
    File::PendingSlot,
    File::PendingDestination,
    File::PendingFallback,
    File::PendingFallbackDestination,
    File::PendingFallbackSlot,
];

impl File {
    /// Returns the key of component `component` of register, word or unit `index`.
    pub fn key(self, index: usize, component: usize) -> VarKey {
        VarKey { file: self as u8, index: index as u16, component: component as u8 }
    }
}

/// Returns the key of a unit's result, `age` (1 or 2) words before.
pub fn result(of: ResultOf, age: u8) -> VarKey {
    File::Result.key(of as usize + 6 * usize::from(age > 1), 0)
}

/// Returns the display name of a key, in assembly terms.
pub fn name(key: VarKey) -> String {
    let (n, c) = (key.index, key.component);
    let xyzw = NAMES[usize::from(c) & 3];
    match FILES.get(usize::from(key.file)) {
        Some(File::Register) => format!("${n}.{xyzw}"),
        Some(File::Varying) => format!("v{n}.{xyzw}"),
        Some(File::Memory) => format!("memory[{n}].{xyzw}"),
        Some(File::Address) => format!("address register {c}"),
        Some(File::Result) => {
            let of = ResultOf::ALL[usize::from(n) % 6];
            format!("{}.out[{}]", of.name(), n / 6 + 1)
        }
        Some(File::Port) => format!("port 0 {xyzw}[1]"),
        Some(File::PendingStore | File::PendingFallback) => format!("{xyzw} of pending store {n}"),
        Some(
            File::PendingSlot
            | File::PendingDestination
            | File::PendingFallbackDestination
            | File::PendingFallbackSlot,
        ) => {
            format!("destination field {c} of pending store {n}")
        }
        None => format!("file {} register {n}.{xyzw}", key.file),
    }
}

/// The slot of `$0` among [`REGISTER_SLOTS`].
const FIRST_SLOT: u16 = 64;
/// The slot of the address registers, register n as component n.
const ADDRESS_SLOT: u16 = FIRST_SLOT + 16;

/// The slots of the registers that can have an initial value. None can have a final value: stores may be pending when a program ends.
pub const REGISTER_SLOTS: Range<u16> = FIRST_SLOT..ADDRESS_SLOT + 1;

/// Returns the register at a slot.
pub fn register(slot: u16) -> Option<Register> {
    let all = |file: File, number| (0..4).map(|c| file.key(number, c)).collect();
    let (name, components, ty) = match slot {
        ADDRESS_SLOT => ("address".to_owned(), all(File::Address, 0), Ty::I32),
        FIRST_SLOT..ADDRESS_SLOT => {
            let number = usize::from(slot - FIRST_SLOT);
            (format!("${number}"), all(File::Register, number), Ty::F32)
        }
        _ => return None,
    };
    Some(Register { name, components, ty, is_control: false })
}
