//! The lowering's variables: the keys that refinement and traces use for them, and their names.

use super::names::{A_0, A_L, REGISTER};
use crate::ir::{Ty, VarKey};
use crate::isa::Register;
use crate::isa::component::NAMES;
use std::ops::Range;

/// A register file, or a part of the control state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum File {
    /// The general registers R0 to R63.
    Register,
    /// Number of passes completed by the loop at each depth, outermost first: integers.
    Pass,
    /// a0, and aL where the active loops are not statically known: components of register 0, integers.
    Address,
    /// The predicate, and whether exports are dropped: components of register 0, Booleans.
    Flag,
    /// PS, and the level of detail set by SET_TEX_LOD: components of register 0, floats.
    Float,
    /// The gradients set along x and along y.
    Gradient,
    /// The index that the last full VERTEX computed and, where that VERTEX is not statically known, the index of its slot plus one (0 if there is no
    /// such VERTEX): components of register 0, integers.
    Fetch,
    /// The return word of each call, newest first; [`NO_FRAME`] if there is none.
    Call,
    /// The number of active loops, the last slot of the current clause, and the word after that clause: components of register 0, integers.
    Depth,
    /// Count, start and step of the loop at each depth.
    Loop,
}

/// All files, indexed by number.
const FILES: [File; 10] = [
    File::Register,
    File::Pass,
    File::Address,
    File::Flag,
    File::Float,
    File::Gradient,
    File::Fetch,
    File::Call,
    File::Depth,
    File::Loop,
];

/// The return address in an unused stack frame.
pub const NO_FRAME: i32 = -1;

impl File {
    /// Returns the key of a component of register or frame `index`.
    pub fn key(self, index: usize, component: usize) -> VarKey {
        VarKey { file: self as u8, index: index as u16, component: component as u8 }
    }
}

/// Returns the display name of a key, in the manual's terms.
pub fn name(key: VarKey) -> String {
    let (n, c) = (key.index, usize::from(key.component) & 3);
    let xyzw = NAMES[c];
    match FILES.get(usize::from(key.file)) {
        Some(File::Register) => format!("{REGISTER}{n}.{xyzw}"),
        Some(File::Pass) => format!("iterations of loop {n}"),
        Some(File::Address) => [A_0, A_L][c & 1].to_owned(),
        Some(File::Flag) => ["predicate", "exports dropped"][c & 1].to_owned(),
        Some(File::Float) => ["PS", "level of detail"][c & 1].to_owned(),
        Some(File::Gradient) => format!("gradient along {}.{xyzw}", NAMES[usize::from(n) & 1]),
        Some(File::Fetch) => ["index of the last fetch", "slot of the last fetch"][c & 1].to_owned(),
        Some(File::Call) => format!("return address of call {n}"),
        Some(File::Depth) => ["active loops", "last slot", "word after the clause", "unused"][c].to_owned(),
        Some(File::Loop) => format!("{} of loop {n}", ["count", "start", "step", "unused"][c]),
        None => format!("file {} register {n}.{xyzw}", key.file),
    }
}

const ADDRESS_SLOT: u16 = 64;
const PREDICATE_SLOT: u16 = ADDRESS_SLOT + 1;
const PREVIOUS_SLOT: u16 = ADDRESS_SLOT + 2;

/// The slots of a0, the predicate and PS, which can have an initial and a final value. General registers are ordinary inputs. aL has no slot, because
/// it exists only within loops.
pub const REGISTER_SLOTS: Range<u16> = ADDRESS_SLOT..PREVIOUS_SLOT + 1;

/// Returns the register at a slot.
pub fn register(slot: u16) -> Option<Register> {
    let (key, ty) = match slot {
        ADDRESS_SLOT => (File::Address.key(0, 0), Ty::I32),
        PREDICATE_SLOT => (File::Flag.key(0, 0), Ty::Bool),
        PREVIOUS_SLOT => (File::Float.key(0, 0), Ty::F32),
        _ => return None,
    };
    Some(Register { name: name(key), components: vec![key], ty, is_control: true })
}
