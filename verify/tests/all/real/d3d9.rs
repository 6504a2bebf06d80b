//! Real programs of Direct3D 9.

use super::{Expected, Refused};

/// The expectations; every file is a program.
pub(super) const EXPECTED: Expected = Expected { refused: &REFUSED, unread: &[] };

const REFUSED: [Refused; 2] = [
    Refused {
        file: "vs_1_1_wine_d3d9_d3d9ex_vs_1_256.bin",
        rule: "rule 33",
        reason: "a negative test: c256, which only software vertex processing has",
    },
    Refused {
        file: "vs_3_0_wine_d3d9_d3d9ex_vs_3_i16.bin",
        rule: "rule 32",
        reason: "a negative test: reads i16, but there are only sixteen integer registers",
    },
];
