//! Entries: the ways to run a program, with stage, first instruction and interface.

use serde::{Deserialize, Serialize};

/// A stage of the graphics pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// One lane per vertex.
    Vertex,
    /// One lane per pixel; in quads where [`Reference::group`](super::Reference::group) is 4.
    Fragment,
    /// One lane per primitive.
    Geometry,
}

impl Stage {
    /// Returns the name used in assembly text and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Fragment => "fragment",
            Stage::Geometry => "geometry",
        }
    }
}

/// An input or output register of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Port {
    /// Slot number, as in [`crate::host::LaneInput`] or [`super::Reference::output`].
    pub slot: u16,
    /// The components read or written; bit 0 is x.
    pub mask: u8,
}

/// Whether ports are in ascending order of slots without duplicates, each slot exists, and each mask has at least one of four components.
pub(super) fn are_valid_ports(ports: &[Port], exists: impl Fn(&Port) -> bool) -> bool {
    ports.iter().all(|port| exists(port) && (1..=15).contains(&port.mask))
        && ports.windows(2).all(|pair| pair[0].slot < pair[1].slot)
}

/// Returns the mask of the port at a slot. If there is no such port, one with an empty mask is inserted. Ports are in ascending order of slots.
pub fn port_mask(ports: &mut Vec<Port>, slot: u16) -> &mut u8 {
    let at = ports.binary_search_by_key(&slot, |port| port.slot).unwrap_or_else(|at| {
        ports.insert(at, Port { slot, mask: 0 });
        at
    });
    &mut ports[at].mask
}

/// The inputs, outputs and resources of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Interface {
    /// Per-lane inputs read.
    pub inputs: Vec<Port>,
    /// Output components written.
    pub outputs: Vec<Port>,
    /// Number of float constants that can be read. Slots start at 0.
    pub constants: u16,
    /// Number of integer constants that can be read.
    pub ints: u16,
    /// Number of Boolean constants that can be read.
    pub bools: u16,
    /// Texture units read.
    pub samplers: Vec<u8>,
}

impl Interface {
    /// Iterates over the output components as (slot, component) with 0 = x: port by port, x first. Every engine lists the compared outputs of a lane
    /// in this order.
    pub fn components(&self) -> impl Iterator<Item = (u16, u8)> + '_ {
        self.outputs.iter().flat_map(|port| {
            (0..4u8).filter(|c| port.mask >> c & 1 == 1).map(|component| (port.slot, component))
        })
    }
}

/// Returns the number of an output component, as used in [`crate::ir::Program::outputs`].
pub fn output_number(slot: u16, component: u8) -> u16 {
    slot.saturating_mul(4).saturating_add(component.into())
}

/// One way to run a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Entry {
    /// The pipeline stage.
    pub stage: Stage,
    /// Index of the first instruction.
    pub start: u32,
    /// The instruction set's version or profile number.
    pub version: u32,
    /// Inputs, outputs and resources.
    pub interface: Interface,
    /// Further numbers that running a program requires. The meaning of the numbers is documented in the `interface` module of each instruction set.
    #[serde(default)]
    pub extra: [u32; 4],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_follow_ports_and_masks() {
        let port = |slot, mask| Port { slot, mask };
        let interface =
            Interface { outputs: vec![port(9, 0b1010), port(2, 0), port(3, 0b0001)], ..Interface::default() };
        assert_eq!(interface.components().collect::<Vec<_>>(), [(9, 1), (9, 3), (3, 0)]);
        assert_eq!(output_number(9, 3), 39);
    }
}
