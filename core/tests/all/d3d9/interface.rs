//! The inputs that programs read.

use lockstep_core::isa::d3d9::assemble::assemble;
use lockstep_core::isa::d3d9::interface::entries;

/// The components of t1 that a pixel shader reads.
fn read(text: &str) -> u8 {
    let entry = entries(&assemble(text).unwrap()).remove(0);
    entry.interface.inputs.iter().find(|port| port.slot == 17).map_or(0, |port| port.mask)
}

/// Before 2_0, texkill reads x, y and z; from 2_0 on, it reads all four components. A mask changes neither (MS, MSTOK, WINE).
#[test]
fn texkill_reads_components_outside_its_mask() {
    assert_eq!(read("ps_1_4\ntexkill t1.x"), 0b0111);
    assert_eq!(read("ps_1_4\ntexkill t1"), 0b0111);
    assert_eq!(read("ps_2_0\ntexkill t1.x"), 0b1111);
    assert_eq!(read("ps_2_0\ntexkill t1"), 0b1111);
}
