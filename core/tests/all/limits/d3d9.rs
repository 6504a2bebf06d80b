//! The limits of Direct3D 9. Source of the numbers: MS (see the manual's list of sources). Every row of a limit lists all seventeen versions, except
//! those that lack the limited feature or have no limit.

use crate::limits::{Broken, Limit, Unlimited, check, least, legal, most, times, within};
use lockstep_core::isa::Level;
use lockstep_core::isa::d3d9::assemble::assemble;
use lockstep_core::isa::d3d9::interface::entries;
use lockstep_core::isa::d3d9::rules::RULES;
use lockstep_core::isa::d3d9::validate::validate;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The rule that registers exist only up to the last number of their file.
const RANGE: &[u16] = &[32];
/// The rule that warns of register numbers that only some devices have.
const DEVICE_RANGE: &[u16] = &[34];

fn head(version: &str, lines: &str) -> String {
    format!("{version}\n{lines}")
}

/// Returns a program that reads a texture from sampler n, with an opcode of the version.
fn sampled(v: &str, n: i64) -> String {
    let read = match v {
        "ps_2_0" | "ps_2_x" | "ps_2_sw" => "texld r0, t0",
        _ if v.starts_with("vs") => "texldl r0, v0",
        _ => "texld r0, v0",
    };
    head(v, &format!("dcl_2d s{n}\n{read}, s{n}"))
}

/// Returns a program with `open` n times, then `end` n times.
fn nested(v: &str, open: &str, end: &str, n: i64) -> String {
    head(v, &(times(open, n) + &times(end, n)))
}

/// Returns a program with a chain of `n` calls: subroutine k calls subroutine k + 1, and the last one only returns.
fn calls(v: &str, n: i64) -> String {
    if n == 0 {
        return head(v, "nop");
    }
    let mut text = head(v, "call l0\nret\n");
    for k in 0..n {
        writeln!(text, "label l{k}").unwrap();
        if k + 1 < n {
            writeln!(text, "call l{}", k + 1).unwrap();
        }
        writeln!(text, "ret").unwrap();
    }
    text
}

/// Returns a program of one instruction with n sources, at most three, each a different register of a file.
fn reading(v: &str, file: &str, n: i64) -> String {
    let op = ["nop", "mov", "add", "mad"][n.clamp(0, 3) as usize];
    let sources: String = (0..n.min(3)).map(|k| format!(", {file}{k}")).collect();
    head(v, &if n == 0 { "nop".to_owned() } else { format!("{op} r0{sources}") })
}

/// Returns a program of one co-issued pair whose halves read n different constants in total.
fn pair(v: &str, n: i64) -> String {
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| k.min(n - 1));
    head(v, &format!("mul r0.xyz, c{a}, c{b}\n+mul r0.w, c{c}, c{d}"))
}

fn value(v: &str, x: i64, y: i64, z: i64) -> String {
    head(v, &format!("defi i0, {x}, {y}, {z}, 0\nloop aL, i0\nendloop"))
}

/// Returns a program of one instruction whose result is shifted by n, as words, because some shifts have no text.
fn shifted(v: &str, n: i64) -> String {
    let length = if v.contains("s_1_") { 0 } else { 2 << 24 };
    head(v, &format!(".token {:#x}, {:#x}, 0xa0e40000", length | 1, 0x800f_0000 | (n & 15) << 24))
}

/// The largest register number: its field has eleven bits.
const NUMBERS: i64 = 2047;
/// The largest number of a floating-point constant: four files of 2048 registers each.
const CONSTANTS: i64 = 4 * 2048 - 1;

/// All versions.
const VERSIONS: [&str; 17] = [
    "vs_1_0", "vs_1_1", "vs_2_0", "vs_2_x", "vs_2_sw", "vs_3_0", "vs_3_sw", "ps_1_0", "ps_1_1", "ps_1_2",
    "ps_1_3", "ps_1_4", "ps_2_0", "ps_2_x", "ps_2_sw", "ps_3_0", "ps_3_sw",
];

const LOOPS: &[(&str, i64)] = &[("vs_2_0", 255), ("vs_2_x", 255), ("vs_3_0", 255), ("ps_3_0", 255)];

const LIMITS: &[Limit] = &[
    most(
        "r",
        RANGE,
        "4.1",
        &[
            ("vs_1_0", 11),
            ("vs_1_1", 11),
            ("vs_2_0", 11),
            ("vs_2_x", 31),
            ("vs_2_sw", 31),
            ("vs_3_0", 31),
            ("vs_3_sw", 31),
            ("ps_1_0", 1),
            ("ps_1_1", 1),
            ("ps_1_2", 1),
            ("ps_1_3", 1),
            ("ps_1_4", 5),
            ("ps_2_0", 11),
            ("ps_2_x", 31),
            ("ps_2_sw", 31),
            ("ps_3_0", 31),
            ("ps_3_sw", 31),
        ],
        |v, n| head(v, &format!("mov r{n}, c0")),
    ),
    most("r on every device", DEVICE_RANGE, "4.1", &[("vs_2_x", 11), ("ps_2_x", 11)], |v, n| {
        head(v, &format!("mov r{n}, c0"))
    }),
    within(
        CONSTANTS,
        &most(
            "c",
            &[32, 33],
            "4.1, note 3",
            &[
                ("vs_1_0", 95),
                ("vs_1_1", 255),
                ("vs_2_0", 255),
                ("vs_2_x", 255),
                ("vs_2_sw", 8191),
                ("vs_3_0", 255),
                ("vs_3_sw", 8191),
                ("ps_1_0", 7),
                ("ps_1_1", 7),
                ("ps_1_2", 7),
                ("ps_1_3", 7),
                ("ps_1_4", 7),
                ("ps_2_0", 31),
                ("ps_2_x", 31),
                ("ps_2_sw", 8191),
                ("ps_3_0", 223),
                ("ps_3_sw", 8191),
            ],
            |v, n| head(v, &format!("mov r0, c{n}")),
        ),
    ),
    most("c on every device", DEVICE_RANGE, "4.1", &[("vs_1_1", 95)], |v, n| {
        head(v, &format!("mov r0, c{n}"))
    }),
    // With software vertex processing a vertex shader has constants above the hardware limit, up to c8191 (WTEST).
    within(
        CONSTANTS,
        &most(
            "c of software",
            // No rule enforces this limit: no larger number can be encoded.
            &[],
            "4.1, 6",
            &[("vs_1_1", 8191), ("vs_2_0", 8191), ("vs_3_0", 8191)],
            |v, n| head(v, &format!("mov r0, c{n}")),
        ),
    ),
    within(
        NUMBERS,
        &most(
            "i",
            &[32],
            "4.1, note 1 and 3",
            &[
                ("vs_2_0", 15),
                ("vs_2_x", 15),
                ("vs_2_sw", 2047),
                ("vs_3_0", 15),
                ("vs_3_sw", 2047),
                ("ps_2_x", 15),
                ("ps_2_sw", 2047),
                ("ps_3_0", 15),
                ("ps_3_sw", 2047),
            ],
            |v, n| head(v, &format!("rep i{n}\nendrep")),
        ),
    ),
    within(
        NUMBERS,
        &most(
            "b",
            &[32],
            "4.1, note 1 and 3",
            &[
                ("vs_2_0", 15),
                ("vs_2_x", 15),
                ("vs_2_sw", 2047),
                ("vs_3_0", 15),
                ("vs_3_sw", 2047),
                ("ps_2_x", 15),
                ("ps_2_sw", 2047),
                ("ps_3_0", 15),
                ("ps_3_sw", 2047),
            ],
            |v, n| head(v, &format!("if b{n}\nendif")),
        ),
    ),
    most(
        "v",
        RANGE,
        "4.1",
        &[
            ("vs_1_0", 15),
            ("vs_1_1", 15),
            ("vs_2_0", 15),
            ("vs_2_x", 15),
            ("vs_2_sw", 15),
            ("vs_3_0", 15),
            ("vs_3_sw", 15),
            ("ps_1_0", 1),
            ("ps_1_1", 1),
            ("ps_1_2", 1),
            ("ps_1_3", 1),
            ("ps_1_4", 1),
            ("ps_2_0", 1),
            ("ps_2_x", 1),
            ("ps_2_sw", 1),
            ("ps_3_0", 9),
            ("ps_3_sw", 9),
        ],
        |v, n| head(v, &format!("mov r0, v{n}")),
    ),
    most(
        "t",
        RANGE,
        "4.1, note 4",
        &[
            ("ps_1_0", 3),
            ("ps_1_1", 3),
            ("ps_1_2", 3),
            ("ps_1_3", 3),
            ("ps_1_4", 5),
            ("ps_2_0", 7),
            ("ps_2_x", 7),
            ("ps_2_sw", 7),
        ],
        |v, n| head(v, &format!("mov r0, t{n}")),
    ),
    most(
        "s",
        RANGE,
        "4.1",
        &[
            ("vs_3_0", 3),
            ("vs_3_sw", 3),
            ("ps_2_0", 15),
            ("ps_2_x", 15),
            ("ps_2_sw", 15),
            ("ps_3_0", 15),
            ("ps_3_sw", 15),
        ],
        sampled,
    ),
    most(
        "oT",
        RANGE,
        "4.1",
        &[("vs_1_0", 7), ("vs_1_1", 7), ("vs_2_0", 7), ("vs_2_x", 7), ("vs_2_sw", 7)],
        |v, n| head(v, &format!("mov oT{n}, v0")),
    ),
    most(
        "oD",
        RANGE,
        "4.1",
        &[("vs_1_0", 1), ("vs_1_1", 1), ("vs_2_0", 1), ("vs_2_x", 1), ("vs_2_sw", 1)],
        |v, n| head(v, &format!("mov oD{n}, v0")),
    ),
    most("o", RANGE, "4.1, note 2 and 3", &[("vs_3_0", 11), ("vs_3_sw", 15)], |v, n| {
        head(v, &format!("mov o{n}, v0"))
    }),
    most(
        "oC",
        RANGE,
        "4.1",
        &[("ps_2_0", 3), ("ps_2_x", 3), ("ps_2_sw", 3), ("ps_3_0", 3), ("ps_3_sw", 3)],
        |v, n| head(v, &format!("mov oC{n}, r0")),
    ),
    within(
        NUMBERS,
        &most(
            "labels",
            // No rule enforces this limit: no larger number can be encoded.
            &[],
            "4.1, note 5",
            &[
                ("vs_2_0", 2047),
                ("vs_2_x", 2047),
                ("vs_2_sw", 2047),
                ("vs_3_0", 2047),
                ("vs_3_sw", 2047),
                ("ps_2_x", 2047),
                ("ps_2_sw", 2047),
                ("ps_3_0", 2047),
                ("ps_3_sw", 2047),
            ],
            |v, n| head(v, &format!("call l{n}\nret\nlabel l{n}\nret")),
        ),
    ),
    most(
        "labels of the validator",
        &[120],
        "MS",
        &[("vs_2_0", 15), ("vs_2_x", 15), ("ps_2_x", 15)],
        |v, n| head(v, &format!("call l{n}\nret\nlabel l{n}\nret")),
    ),
    most(
        "the last row of a matrix",
        &[86],
        "MS",
        &[
            // In the other vertex shaders, rule 33 already forbids constants above c255.
            ("vs_2_sw", 8188),
            ("vs_3_sw", 8188),
            ("ps_2_0", 28),
            ("ps_2_x", 28),
            ("ps_2_sw", 8188),
            ("ps_3_0", 220),
            ("ps_3_sw", 8188),
        ],
        |v, n| head(v, &format!("m4x4 r0, v0, c{n}")),
    ),
    most(
        "ports of v",
        &[130],
        "MS81",
        &[
            ("vs_1_0", 1),
            ("vs_1_1", 1),
            ("vs_2_0", 1),
            ("vs_2_x", 1),
            ("vs_3_0", 1),
            ("ps_1_0", 1),
            ("ps_1_1", 2),
            ("ps_1_2", 2),
            ("ps_1_3", 2),
            ("ps_1_4", 2),
            ("ps_2_0", 1),
            ("ps_2_x", 1),
            ("ps_3_0", 1),
        ],
        |v, n| reading(v, "v", n),
    ),
    most(
        "ports of r",
        &[130],
        "MS81",
        &[("ps_1_0", 2), ("ps_1_1", 2), ("ps_1_2", 2), ("ps_1_3", 2)],
        |v, n| reading(v, "r", n),
    ),
    legal(
        "ports of r",
        &[130],
        "MS81",
        "No instruction has more than three sources that are registers.",
        &[
            ("vs_1_0", 3),
            ("vs_1_1", 3),
            ("vs_2_0", 3),
            ("vs_2_x", 3),
            ("vs_3_0", 3),
            ("ps_1_4", 3),
            ("ps_2_0", 3),
            ("ps_2_x", 3),
            ("ps_3_0", 3),
        ],
        |v, n| reading(v, "r", n),
    ),
    most(
        "ports of c",
        &[130],
        "MS81",
        &[
            ("vs_1_0", 1),
            ("vs_1_1", 1),
            ("vs_2_0", 1),
            ("vs_2_x", 1),
            ("vs_3_0", 1),
            ("ps_1_0", 2),
            ("ps_1_1", 2),
            ("ps_1_2", 2),
            ("ps_1_3", 2),
            ("ps_1_4", 2),
            ("ps_2_0", 1),
            ("ps_2_x", 1),
            ("ps_3_0", 1),
        ],
        |v, n| reading(v, "c", n),
    ),
    most(
        "ports of t",
        &[130],
        "MS81",
        &[("ps_1_0", 1), ("ps_1_1", 2), ("ps_1_4", 1), ("ps_2_0", 1), ("ps_2_x", 1)],
        |v, n| reading(v, "t", n),
    ),
    legal(
        "ports of t",
        &[130],
        "MS81",
        "No instruction has more than three sources that are registers.",
        &[("ps_1_2", 3), ("ps_1_3", 3)],
        |v, n| reading(v, "t", n),
    ),
    most(
        "reads of one c",
        &[130],
        "MS81",
        &[("vs_2_0", 2), ("vs_2_x", 2), ("ps_2_0", 2), ("ps_2_x", 2)],
        |v, n| head(v, if n == 2 { "add r0, c0, c0" } else { "mad r0, c0, c0, c0" }),
    ),
    legal(
        "reads of one v",
        &[130],
        "MS81",
        "MS says any number, and no instruction has more than three sources.",
        &[
            ("vs_1_0", 3),
            ("vs_1_1", 3),
            ("vs_2_0", 3),
            ("vs_2_x", 3),
            ("vs_3_0", 3),
            ("ps_1_0", 3),
            ("ps_1_1", 3),
            ("ps_1_2", 3),
            ("ps_1_3", 3),
            ("ps_1_4", 3),
            ("ps_2_0", 3),
            ("ps_2_x", 3),
            ("ps_3_0", 3),
        ],
        |v, _| head(v, "mad r0, v0, v0, v0"),
    ),
    legal(
        "reads of one c",
        &[130],
        "MS81",
        "MS says any number, and no instruction has more than three sources.",
        &[
            ("vs_1_0", 3),
            ("vs_1_1", 3),
            ("vs_3_0", 3),
            ("ps_1_0", 3),
            ("ps_1_1", 3),
            ("ps_1_2", 3),
            ("ps_1_3", 3),
            ("ps_1_4", 3),
            ("ps_3_0", 3),
        ],
        |v, _| head(v, "mad r0, c0, c0, c0"),
    ),
    most(
        "constants at other indices",
        &[131],
        "MS81",
        &[("vs_1_0", 1), ("vs_1_1", 1), ("vs_2_0", 1), ("vs_2_x", 1), ("vs_3_0", 1)],
        |v, n| head(v, &format!("add r0, c[a0.x + 1], c[a0.x + {n}]")),
    ),
    most(
        "registers of a pair",
        &[132],
        "MS81",
        &[("ps_1_0", 3), ("ps_1_1", 3), ("ps_1_2", 3), ("ps_1_3", 3), ("ps_1_4", 3)],
        pair,
    ),
    most(
        "slots",
        &[170],
        "MS",
        &[
            ("vs_1_0", 128),
            ("vs_1_1", 128),
            ("vs_2_0", 256),
            ("vs_2_x", 256),
            ("vs_3_0", 32768),
            ("ps_1_0", 8),
            ("ps_1_1", 8),
            ("ps_1_2", 8),
            ("ps_1_3", 8),
            ("ps_1_4", 8),
            ("ps_2_0", 64),
            ("ps_2_x", 512),
            ("ps_3_0", 32768),
        ],
        |v, n| head(v, &times("mov r0, c0", n)),
    ),
    most(
        "slots on every device",
        &[171],
        "MS",
        &[("vs_3_0", 512), ("ps_2_x", 96), ("ps_3_0", 512)],
        |v, n| head(v, &times("mov r0, c0", n)),
    ),
    most("slots of a phase", &[170], "MS", &[("ps_1_4", 8)], |v, n| {
        head(v, &format!("{}phase\n{}", times("mov r0, c0", n), times("mov r0, c0", n)))
    }),
    most(
        "slots for textures",
        &[172],
        "MS",
        &[("ps_1_1", 4), ("ps_1_2", 4), ("ps_1_3", 4), ("ps_1_4", 6), ("ps_2_0", 32)],
        |v, n| {
            let line = match v {
                "ps_1_4" => "texld r0, t0",
                "ps_2_0" => "texld r0, t0, s0",
                _ => "tex t0",
            };
            head(v, &times(line, n))
        },
    ),
    most("textures of ps_1_0", &[172], "MS", &[("ps_1_0", 2)], |v, n| {
        head(v, &("tex t0\n".to_owned() + &times("texbem t1, t0", n)))
    }),
    most("flow instructions", &[114], "MS, MSCAPS", &[("vs_2_0", 16), ("vs_2_x", 16)], |v, n| {
        head(v, &times("if b0\nendif", n))
    }),
    most("branches", &[114], "MS, MSCAPS", &[("vs_2_0", 8), ("vs_2_x", 8)], |v, n| {
        head(v, &times("if b0\nelse\nendif", n))
    }),
    most(
        "nested loops",
        &[112],
        "MS, MSCAPS",
        &[
            ("vs_2_0", 4),
            ("vs_2_x", 4),
            ("vs_2_sw", 4),
            ("vs_3_0", 4),
            ("vs_3_sw", 4),
            ("ps_2_x", 4),
            ("ps_2_sw", 4),
            ("ps_3_0", 4),
            ("ps_3_sw", 4),
        ],
        |v, n| nested(v, "rep i0", "endrep", n),
    ),
    most(
        "nested loops on every device",
        &[113],
        "MS, MSCAPS",
        &[
            ("vs_2_0", 1),
            ("vs_2_x", 1),
            ("vs_2_sw", 4),
            ("vs_3_0", 4),
            ("vs_3_sw", 4),
            ("ps_2_x", 0),
            ("ps_2_sw", 4),
            ("ps_3_0", 4),
            ("ps_3_sw", 4),
        ],
        |v, n| nested(v, "rep i0", "endrep", n),
    ),
    most(
        "nested calls",
        &[112],
        "MS, MSCAPS",
        &[
            ("vs_2_0", 4),
            ("vs_2_x", 4),
            ("vs_2_sw", 4),
            ("vs_3_0", 4),
            ("vs_3_sw", 4),
            ("ps_2_x", 4),
            ("ps_2_sw", 4),
            ("ps_3_0", 4),
            ("ps_3_sw", 4),
        ],
        calls,
    ),
    most(
        "nested calls on every device",
        &[113],
        "MS, MSCAPS",
        &[
            ("vs_2_0", 1),
            ("vs_2_x", 1),
            ("vs_2_sw", 4),
            ("vs_3_0", 4),
            ("vs_3_sw", 4),
            ("ps_2_x", 0),
            ("ps_2_sw", 4),
            ("ps_3_0", 4),
            ("ps_3_sw", 4),
        ],
        calls,
    ),
    most(
        "nested dynamic conditions",
        &[113],
        "MS, MSCAPS",
        &[
            ("vs_2_x", 0),
            ("vs_2_sw", 24),
            ("vs_3_0", 24),
            ("vs_3_sw", 24),
            ("ps_2_x", 0),
            ("ps_2_sw", 24),
            ("ps_3_0", 24),
            ("ps_3_sw", 24),
        ],
        |v, n| nested(v, "if_gt r0.x, r1.x", "endif", n),
    ),
    most(
        "nested static conditions",
        &[113],
        "MS, MSCAPS",
        &[
            ("vs_2_sw", 24),
            ("vs_3_0", 24),
            ("vs_3_sw", 24),
            ("ps_2_x", 0),
            ("ps_2_sw", 24),
            ("ps_3_0", 24),
            ("ps_3_sw", 24),
        ],
        |v, n| nested(v, "if b0", "endif", n),
    ),
    most("the count of a loop", &[124], "MS, 9ON12", LOOPS, |v, n| value(v, n, 0, 1)),
    least(
        "the count of a loop",
        &[124],
        "MS, 9ON12",
        &[("vs_2_0", 0), ("vs_2_x", 0), ("vs_3_0", 0), ("ps_3_0", 0)],
        |v, n| value(v, n, 0, 1),
    ),
    most("the start of a loop", &[124], "MS, 9ON12", LOOPS, |v, n| value(v, 1, n, 1)),
    least(
        "the start of a loop",
        &[124],
        "MS, 9ON12",
        &[("vs_2_0", 0), ("vs_2_x", 0), ("vs_3_0", 0), ("ps_3_0", 0)],
        |v, n| value(v, 1, n, 1),
    ),
    most(
        "the step of a loop",
        &[124],
        "MS, 9ON12",
        &[("vs_2_0", 127), ("vs_2_x", 127), ("vs_3_0", 127), ("ps_3_0", 127)],
        |v, n| value(v, 1, 0, n),
    ),
    least(
        "the step of a loop",
        &[124],
        "MS, 9ON12",
        &[("vs_2_0", -128), ("vs_2_x", -128), ("vs_3_0", -128), ("ps_3_0", -128)],
        |v, n| value(v, 1, 0, n),
    ),
    most("_dz", &[60], "MS", &[("ps_1_4", 2)], |v, n| {
        head(v, &("phase\n".to_owned() + &times("texld r0, r0_dz", n)))
    }),
    most("cmp", &[166], "MS", &[("ps_1_2", 3), ("ps_1_3", 3)], |v, n| {
        head(v, &times("cmp r0, v0, v1, c0", n))
    }),
    most("dp4", &[166], "MS", &[("ps_1_2", 4), ("ps_1_3", 4)], |v, n| head(v, &times("dp4 r0, v0, v1", n))),
    most("bem", &[166], "MS", &[("ps_1_4", 1)], |v, n| head(v, &(times("bem r0.xy, r0, r1", n) + "phase"))),
    most("dependent texture reads", &[169], "MS", &[("ps_2_0", 3), ("ps_2_x", 3)], |v, n| {
        head(v, &("texld r0, t0, s0\n".to_owned() + &times("texld r0, r0, s0", n)))
    }),
    most("outputs without a point size", &[157], "note 2, MS", &[("vs_3_0", 11)], |v, n| {
        let mut text = head(v, "dcl_position0 o0\n");
        (1..n).for_each(|k| writeln!(text, "dcl_texcoord{k} o{k}").unwrap());
        text
    }),
    // ps_1_x has _x2, _x4 and _d2; only ps_1_4 has _x8, _d4 and _d8.
    most(
        "the shift of a result to the left",
        &[56],
        "MS",
        &[
            ("vs_1_0", 0),
            ("vs_1_1", 0),
            ("vs_2_0", 0),
            ("vs_2_x", 0),
            ("vs_2_sw", 0),
            ("vs_3_0", 0),
            ("vs_3_sw", 0),
            ("ps_1_0", 2),
            ("ps_1_1", 2),
            ("ps_1_2", 2),
            ("ps_1_3", 2),
            ("ps_1_4", 3),
            ("ps_2_0", 0),
            ("ps_2_x", 0),
            ("ps_2_sw", 0),
            ("ps_3_0", 0),
            ("ps_3_sw", 0),
        ],
        shifted,
    ),
    least(
        "the shift of a result to the right",
        &[56],
        "MS",
        &[
            ("vs_1_0", 0),
            ("vs_1_1", 0),
            ("vs_2_0", 0),
            ("vs_2_x", 0),
            ("vs_2_sw", 0),
            ("vs_3_0", 0),
            ("vs_3_sw", 0),
            ("ps_1_0", -1),
            ("ps_1_1", -1),
            ("ps_1_2", -1),
            ("ps_1_3", -1),
            ("ps_1_4", -3),
            ("ps_2_0", 0),
            ("ps_2_x", 0),
            ("ps_2_sw", 0),
            ("ps_3_0", 0),
            ("ps_3_sw", 0),
        ],
        shifted,
    ),
];

/// The rules that have no numeric limit, by what they require.
const UNLIMITED: Unlimited = &[
    ("A referenced version, opcode, usage or modifier exists or does not.", &[1, 2, 3, 10, 55, 95]),
    ("Bits and lengths of instructions have required values.", &[12, 13, 14, 23, 101, 102, 103]),
    (
        "Restricts an opcode, a control or a capability to versions.",
        &[11, 15, 16, 18, 19, 52, 53, 54, 63, 71, 122],
    ),
    (
        "Restricts the kinds of registers or operands.",
        &[
            17, 30, 31, 35, 36, 38, 39, 40, 41, 42, 50, 51, 57, 58, 59, 61, 62, 70, 72, 73, 78, 80, 81, 83,
            84, 85, 87, 88, 97, 98, 104, 105, 123, 163, 167,
        ],
    ),
    ("Restricts the components of a mask.", &[74, 75, 76, 77, 79, 82, 89, 99, 150, 152]),
    ("Restricts which instructions may be co-issued.", &[20, 21, 22]),
    (
        "Requires or forbids an earlier declaration, definition or write.",
        &[90, 91, 92, 93, 94, 96, 100, 140, 141, 142, 151, 153, 154, 155, 158],
    ),
    (
        "Requires balanced blocks, loops, phases and subroutines and restricts their contents.",
        &[37, 110, 111, 115, 116, 117, 118, 119, 121, 125, 126, 156, 161, 162, 168],
    ),
    ("Concerns the order of instructions.", &[160, 164, 165, 180]),
];

/// Returns the rules that a text breaks.
fn broken(text: &str) -> Result<Vec<Broken>, String> {
    let program = assemble(text).map_err(|e| format!("{e:?}"))?;
    Ok(validate(&program, &entries(&program)[0]).into_iter().map(|v| (v.code, v.level)).collect())
}

#[test]
fn each_limit_is_exact() {
    let all: Vec<u16> = RULES.iter().map(|row| row.code).collect();
    check(LIMITS, &all, UNLIMITED, &VERSIONS, broken);
}

/// Each cell of the table of ports in MS81 has a row. The table lists every version in which the register file exists according to the validator,
/// except for the software versions, which have no limit.
#[test]
fn every_cell_of_the_table_of_ports_is_a_row() {
    let is_there = |version: &str, file: &str| {
        let found = broken(&head(version, &format!("mov r0, {file}0")));
        found.is_ok_and(|found| !found.iter().any(|(_, level)| *level == Level::Error))
    };
    for (what, file) in [
        ("ports of v", "v"),
        ("ports of r", "r"),
        ("ports of c", "c"),
        ("ports of t", "t"),
        ("reads of one v", "v"),
        ("reads of one c", "c"),
    ] {
        let rows = LIMITS.iter().filter(|limit| limit.what == what).flat_map(|limit| limit.at);
        let found: BTreeSet<&str> = rows.map(|(version, _)| *version).collect();
        let versions = VERSIONS.into_iter().filter(|v| !v.ends_with("_sw") && is_there(v, file));
        assert_eq!(found, versions.collect(), "{what}");
    }
}
