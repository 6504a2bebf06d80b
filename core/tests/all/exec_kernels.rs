//! Every kernel on every level equals its `Domain` meaning, and a fault in any lane-wise kernel except `Copy` is noticed.

use lockstep_core::exec::check::{Extent, boundary, damaged_kernels, kernels};
use lockstep_core::exec::{Fault, Kernel, Level, Target};

#[test]
fn kernels_equal_the_domain_operations() {
    assert!(boundary().len() >= 200);
    for level in Level::available() {
        let reports = kernels(level, Extent::Boundary);
        for report in &reports {
            assert!(report.count >= 200, "{report:?}");
            assert_eq!(report.mismatch, None, "{level:?}: {}", report.op);
        }
        assert!(reports.len() > 150, "{}", reports.len());
    }
}

#[test]
fn a_wrong_bit_in_any_lane_wise_kernel_is_noticed() {
    for &kernel in Kernel::ALL.iter().filter(|k| k.is_lane_wise() && **k != Kernel::Copy) {
        for bit in [0, 31] {
            let fault = Fault { target: Target::Kernel(kernel), bit };
            let noticed = damaged_kernels(Level::detect(), |plan| plan.plant(fault) > 0);
            assert!(noticed.is_some(), "{fault:?}");
        }
    }
}

#[test]
fn a_fault_in_one_lane_of_a_batch_is_noticed() {
    let fault = Fault { target: Target::Kernel(Kernel::Add), bit: 30 };
    for lane in 0..64 {
        let noticed = damaged_kernels(Level::detect(), |plan| plan.plant_in(fault, 1 << lane) > 0);
        assert!(noticed.is_some(), "lane {lane}");
    }
}
