//! The environment: everything outside a program that affects a run.

use super::{Buffer, Texture};
use serde::{Deserialize, Serialize};

/// Inputs of one lane, indexed by input slot; slots beyond the end read zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneInput {
    /// One vec4 for each slot.
    pub slots: Vec<[f32; 4]>,
}

impl LaneInput {
    /// Returns the value of a slot. Slots up to it are added as zeros if the list is shorter.
    pub fn slot_mut(&mut self, slot: u16) -> &mut [f32; 4] {
        let slot = usize::from(slot);
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, [0.0; 4]);
        }
        &mut self.slots[slot]
    }
}

/// The environment of a run: constants, textures, buffers, fuel and the inputs of every lane.
///
/// For programs that run in quads, each four consecutive lanes are a quad, in the order (0,0), (1,0), (0,1), (1,1) of their positions (x, y).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// The float constant file, one vec4 for each slot.
    pub constants: Vec<[f32; 4]>,
    /// The integer constant file.
    #[serde(default)]
    pub ints: Vec<[i32; 4]>,
    /// The Boolean constant file.
    #[serde(default)]
    pub bools: Vec<bool>,
    /// Textures with their sampler state, by unit.
    #[serde(default)]
    pub textures: Vec<Texture>,
    /// Raw buffers, by number.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// The maximum number of fuel-costing control transfers of a lane: see [`costs_fuel`](crate::isa::run::costs_fuel).
    pub fuel: u32,
    /// The maximum number of effects that a lane may record.
    #[serde(default)]
    pub effects: u32,
    /// The lanes.
    pub lanes: Vec<LaneInput>,
}
