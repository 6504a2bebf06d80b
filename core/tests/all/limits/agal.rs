//! The limits of AGAL. Sources of the numbers: SEED, GCL, ERR, MINI3 (see the manual's list of sources).

use crate::limits::{Broken, Limit, Unlimited, check, most, times};
use lockstep_core::isa::agal::assemble::assemble;
use lockstep_core::isa::agal::interface::entries;
use lockstep_core::isa::agal::rules::RULES;
use lockstep_core::isa::agal::validate::validate;

fn fs(version: &str, lines: &str) -> String {
    format!("version {version} fragment\n{lines}\nmov oc, v0")
}

fn vs(version: &str, lines: &str) -> String {
    format!("version {version} vertex\n{lines}\nmov op, va0")
}

/// Returns a program with a texture read whose sampler field has the upper 32 bits `high`.
fn sampler(version: &str, high: i64) -> String {
    fs(version, &format!(".token 0x28, 0x020f0000, 0x00000004e4000000, 0x{high:08x}00000000"))
}

const LIMITS: &[Limit] = &[
    most("instructions", &[3629], "SEED; 4", &[("1", 200), ("2", 1024), ("3", 2048), ("4", 2048)], |v, n| {
        format!("version {v} fragment\nmov oc, v0\n{}", times("mov ft0, v0", n - 1))
    }),
    most("va", &[3658], "SEED, MINI3", &[("1", 7), ("2", 7), ("3", 15), ("4", 15)], |v, n| {
        vs(v, &format!("mov vt0, va{n}"))
    }),
    most("vc", &[3659], "SEED, MINI3", &[("1", 127), ("2", 249), ("3", 249), ("4", 249)], |v, n| {
        vs(v, &format!("mov vt0, vc{n}"))
    }),
    most("vt", &[3661], "SEED, MINI3", &[("1", 7), ("2", 25), ("3", 25), ("4", 25)], |v, n| {
        vs(v, &format!("mov vt{n}, va0"))
    }),
    most(
        "v of a vertex program",
        &[3657],
        "SEED, MINI3",
        &[("1", 7), ("2", 9), ("3", 9), ("4", 9)],
        |v, n| vs(v, &format!("mov v{n}, va0")),
    ),
    most(
        "v of a fragment program",
        &[3657],
        "SEED, MINI3",
        &[("1", 7), ("2", 9), ("3", 9), ("4", 9)],
        |v, n| fs(v, &format!("mov ft0, v{n}")),
    ),
    most("fc", &[3659], "SEED, MINI3", &[("1", 27), ("2", 63), ("3", 199), ("4", 199)], |v, n| {
        fs(v, &format!("mov ft0, fc{n}"))
    }),
    most("ft", &[3661], "SEED, MINI3", &[("1", 7), ("2", 25), ("3", 25), ("4", 25)], |v, n| {
        fs(v, &format!("mov ft{n}, v0"))
    }),
    most("fs", &[3656], "SEED, MINI3", &[("1", 7), ("2", 15), ("3", 15), ("4", 15)], |v, n| {
        fs(v, &format!("tex ft0, v0, fs{n} <2d>"))
    }),
    most("vs", &[3656], "SEED, MINI3", &[("4", 3)], |v, n| vs(v, &format!("tld vt0, va0, vs{n} <2d>"))),
    most("fo", &[3660], "SEED, MINI3", &[("1", 0), ("2", 3), ("3", 3), ("4", 3)], |v, n| {
        fs(v, &format!("mov fo{n}, v0"))
    }),
    most("op", &[3660], "SEED, MINI3", &[("1", 0), ("2", 0), ("3", 0), ("4", 0)], |v, n| {
        vs(v, &format!(".token 0, 0x030f{n:04x}, 0x00000000e4000000, 0"))
    }),
    most("fd", &[3749], "SEED, MINI3", &[("2", 0), ("3", 0), ("4", 0)], |v, n| {
        fs(v, &format!(".token 0, 0x0601{n:04x}, 0x0000000400000000, 0"))
    }),
    most(
        "rows of a matrix",
        &[3659],
        "SEED, GCL, MINI3",
        &[("1", 124), ("2", 246), ("3", 246), ("4", 246)],
        |v, n| vs(v, &format!("m44 vt0, va0, vc{n}")),
    ),
    most("nested blocks", &[3624], "ERR", &[("2", 4), ("3", 4), ("4", 4)], |v, n| {
        fs(v, &(times("ife v0.x, v0.y", n) + "mov ft0, v0\n" + &times("eif", n)))
    }),
    most("the format of a texture", &[1], "SEED, GCL", &[("1", 3), ("2", 3), ("3", 3), ("4", 3)], |v, n| {
        sampler(v, 5 | n << 8)
    }),
    most(
        "the dimension of a texture",
        &[3664],
        "SEED, GCL",
        &[("1", 2), ("2", 2), ("3", 2), ("4", 2)],
        |v, n| sampler(v, 5 | n << 12),
    ),
    most(
        "the flags of a sampler",
        &[3668],
        "SEED, GCL",
        &[("1", 7), ("2", 7), ("3", 7), ("4", 7)],
        |v, n| sampler(v, 5 | n << 16),
    ),
    most("the wrap mode", &[3667], "SEED, GCL", &[("1", 3), ("2", 3), ("3", 3), ("4", 3)], |v, n| {
        sampler(v, 5 | n << 20)
    }),
    most("the mip mode", &[3666], "SEED, GCL", &[("1", 2), ("2", 2), ("3", 2), ("4", 2)], |v, n| {
        sampler(v, 5 | n << 24)
    }),
    most("the filter", &[3665], "SEED, GCL", &[("1", 5), ("2", 5), ("3", 5), ("4", 5)], |v, n| {
        sampler(v, 5 | n << 28)
    }),
    most(
        "the type of a register",
        &[3655],
        "SEED, GCL",
        &[("1", 7), ("2", 7), ("3", 7), ("4", 7)],
        |v, n| vs(v, &format!(".token 0, 0x020f0000, 0x{n:08x}e4000000, 0")),
    ),
    most("the version", &[3617], "SEED", &[("a header", 4)], |_, n| fs(&n.to_string(), "")),
];

/// The rules that have no numeric limit, by what they require.
const UNLIMITED: Unlimited = &[
    ("A referenced opcode, type or entry exists or does not.", &[2, 3615, 3620, 3621]),
    (
        "Restricts a feature to stages or versions.",
        &[3622, 3637, 3639, 3644, 3645, 3650, 3726, 3750, 3788, 3789, 3803, 3804, 3805],
    ),
    (
        "Restricts the kinds of registers, operands or modes.",
        &[
            3625, 3626, 3638, 3640, 3642, 3646, 3649, 3651, 3652, 3662, 3689, 3693, 3703, 3704, 3740, 3743,
            3758, 3786,
        ],
    ),
    ("Bits without meaning are zero.", &[3627, 3636, 3643, 3654]),
    ("Restricts the components of a mask.", &[3628, 3633, 3635, 3653, 3701, 3756]),
    ("Requires or forbids an earlier write.", &[3, 3634, 3647, 3648, 3744, 3775]),
    (
        "Requires balanced blocks and restricts the instructions in them.",
        &[3623, 3739, 3741, 3742, 3748, 3751, 3752],
    ),
    ("Two reads through one sampler must agree in their options.", &[3696]),
];

#[test]
fn each_limit_is_exact() {
    let broken = |text: &str| -> Result<Vec<Broken>, String> {
        let program = assemble(text).map_err(|e| format!("{e:?}"))?;
        Ok(validate(&program, &entries(&program)[0]).into_iter().map(|v| (v.code, v.level)).collect())
    };
    let all: Vec<u16> = RULES.iter().map(|row| row.code).collect();
    check(LIMITS, &all, UNLIMITED, &["1", "2", "3", "4"], broken);
}
