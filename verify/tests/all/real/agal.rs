//! Real programs of AGAL.

use super::{Expected, Refused};

/// The expectations; every file is a program.
pub(super) const EXPECTED: Expected = Expected { refused: &REFUSED, unread: &[] };

const fn refused(file: &'static str, rule: &'static str, reason: &'static str) -> Refused {
    Refused { file, rule, reason }
}

const REFUSED: [Refused; 5] = [
    refused(
        "agal1_fs_ruffle_stage3d_agal_upload_errors_fs_17.agal",
        "rule 3646",
        "a negative test: reads an output register",
    ),
    refused(
        "agal1_fs_ruffle_stage3d_agal_upload_errors_fs_20.agal",
        "rule 3638",
        "a negative test: a sampler as an ordinary source",
    ),
    refused(
        "agal1_fs_ruffle_stage3d_agal_upload_errors_fs_23.agal",
        "rule 3652",
        "a negative test: writes a constant",
    ),
    refused(
        "agal1_fs_ruffle_stage3d_fractal_fs_3.agal",
        "rule 3634",
        "a fragment of a program: it writes no output",
    ),
    refused(
        "agal1_vs_ruffle_stage3d_agal_upload_errors_vs_26.agal",
        "rule 3651",
        "a negative test: writes an attribute",
    ),
];
