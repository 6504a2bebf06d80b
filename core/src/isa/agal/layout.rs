//! Every bit of an AGAL token. A token is an opcode word, a destination word, a source and a source or sampler.

use crate::binary::Use::{Choice, Number, Reserved};
use crate::binary::{Field, Layout};

/// Size of the header in bytes: `A0`, version, `A1`, stage.
pub const HEADER: usize = 7;
/// Size of a token in bytes.
pub const TOKEN: usize = 24;

const SEED: &str = "SEED";
const SHEET: &str = "SEED, GCL (SEED, GCL, MINI3)";

const REGISTER: crate::binary::Use = Choice(&[
    (0, "attribute"),
    (1, "constant"),
    (2, "temporary"),
    (3, "output"),
    (4, "varying"),
    (5, "sampler"),
    (6, "depth"),
    (7, "instance"),
]);

/// The opcode word.
pub static OPCODE: Layout =
    Layout { name: "opcode", bits: 32, source: SEED, fields: &[Field::new("opcode", 0, 32, Number)] };

/// The destination word.
pub static DEST: Layout = Layout {
    name: "destination",
    bits: 32,
    source: SEED,
    fields: &[
        Field::new("number", 0, 16, Number),
        Field::new("mask", 16, 4, Number),
        Field::new("zero20", 20, 4, Reserved),
        Field::new("type", 24, 4, REGISTER),
        Field::new("zero28", 28, 4, Reserved),
    ],
};

/// A source.
pub static SOURCE: Layout = Layout {
    name: "source",
    bits: 64,
    source: SEED,
    fields: &[
        Field::new("number", 0, 16, Number),
        Field::new("offset", 16, 8, Number),
        Field::new("swizzle", 24, 8, Number),
        Field::new("type", 32, 4, REGISTER),
        Field::new("zero36", 36, 4, Reserved),
        Field::new("index_type", 40, 4, REGISTER),
        Field::new("zero44", 44, 4, Reserved),
        Field::new("index_component", 48, 2, Number),
        Field::new("zero50", 50, 13, Reserved),
        Field::new("indirect", 63, 1, Number),
    ],
};

/// A sampler, which stands in place of the second source of texture reads.
pub static SAMPLER: Layout = Layout {
    name: "sampler",
    bits: 64,
    source: SHEET,
    fields: &[
        Field::new("number", 0, 16, Number),
        Field::new("bias", 16, 8, crate::binary::Use::Signed),
        Field::new("zero24", 24, 8, Reserved),
        Field::new("type", 32, 4, REGISTER),
        Field::new("zero36", 36, 4, Reserved),
        Field::new("format", 40, 4, Choice(&[(0, "rgba"), (1, "dxt1"), (2, "dxt5"), (3, "video")])),
        Field::new("dimension", 44, 4, Choice(&[(0, "2d"), (1, "cube"), (2, "3d")])),
        Field::new("special", 48, 4, Choice(SPECIAL)),
        Field::new("wrap", 52, 4, Choice(&WRAP)),
        Field::new("mip", 56, 4, Choice(&[(0, "nomip"), (1, "mipnearest"), (2, "miplinear")])),
        Field::new("filter", 60, 4, Choice(FILTER)),
    ],
};

/// Flags, not a choice of one: each value here is one bit.
const SPECIAL: &[(u64, &str)] = &[(1, "centroid"), (2, "single"), (4, "ignoresampler")];
const WRAP: [(u64, &str); 4] =
    [(0, "clamp"), (1, "repeat"), (2, "clamp_u_repeat_v"), (3, "repeat_u_clamp_v")];
const FILTER: &[(u64, &str)] = &[
    (0, "nearest"),
    (1, "linear"),
    (2, "anisotropic2x"),
    (3, "anisotropic4x"),
    (4, "anisotropic8x"),
    (5, "anisotropic16x"),
];

/// All of them.
pub static LAYOUTS: [Layout; 4] = [OPCODE, DEST, SOURCE, SAMPLER];

/// Whether a value of the sampler's `special` field has the named flag.
pub fn special(value: u8, flag: &str) -> bool {
    SPECIAL.iter().any(|(bit, name)| *name == flag && u64::from(value) & bit != 0)
}
