//! The limits of PICA200. Sources of the numbers: S1, S5 (see the manual's list of sources).

use crate::limits::{Broken, Limit, Unlimited, check, most, times, within};
use lockstep_core::isa::pica200::assemble::assemble;
use lockstep_core::isa::pica200::interface::entries;
use lockstep_core::isa::pica200::rules::RULES;
use lockstep_core::isa::pica200::validate::validate;
use std::fmt::Write as _;

fn raw(stage: &str, lines: &str) -> String {
    format!(".padding off\n.raw {stage}\n{lines}")
}

/// Returns a program of `n` nested scopes, with a word between their ends.
fn nested(stage: &str, n: i64, open: &dyn Fn(i64) -> String) -> String {
    let opened: String = (0..n).map(|k| open(2 * n - k) + "\n").collect();
    raw(stage, &(opened + &times("nop", n + 2) + "end"))
}

/// Returns a program in which procedure k calls procedure k + 1. Each procedure has three words; the entry before them has two.
fn calls(stage: &str, n: i64) -> String {
    let mut text = raw(stage, "call 2, 3\nend\n");
    for k in 1..n {
        writeln!(text, "call {}, 3\nnop\nnop", 2 + 3 * k).unwrap();
    }
    text + "nop\nnop\nnop\n"
}

const BOTH: &[(&str, i64)] = &[("vertex", 511), ("geometry", 4095)];

/// The largest target of a jump or call: its field has twelve bits.
const TARGET: i64 = 4095;

const LIMITS: &[Limit] = &[
    most("words of program memory", &[4], "S1, S5", &[("vertex", 4096), ("geometry", 4096)], |s, n| {
        raw(s, &("end\n".to_owned() + &times("nop", n - 1)))
    }),
    most("words of a vertex unit", &[5], "S1, S5", &[("vertex", 512)], |s, n| {
        raw(s, &(times("nop", n - 1) + "end"))
    }),
    most("the entry", &[2], "S1", &[("vertex, entry=", 1)], |s, n| raw(&format!("{s}{n}"), "nop\nend")),
    within(
        TARGET,
        &most("the target of a jump", &[6], "11", BOTH, |s, n| raw(s, &format!("jmpu b0, {n}\nend"))),
    ),
    within(
        TARGET,
        &most("the target of a call", &[6], "11", BOTH, |s, n| raw(s, &format!("callu b0, {n}, 1\nend"))),
    ),
    most("the last word of a procedure", &[6], "S1, S5", BOTH, |s, n| {
        raw(s, &format!("callu b0, {}, 12\nend", n - 11))
    }),
    most("the end of a block", &[6], "S1, S5", &[("vertex", 512), ("geometry", 4096)], |s, n| {
        // A target has twelve bits, so in a geometry program it is the other branch that ends at word `n`.
        let (to, other) = if s == "vertex" { (n, 0) } else { (4095, n - 4095) };
        raw(s, &format!("ifu b0, {to}, {other}\nend"))
    }),
    most("the last word of a loop", &[6], "S1, S5", &[("vertex", 511)], |s, n| {
        raw(s, &format!("for i0, {n}\nend"))
    }),
    most("descriptors", &[8], "S1, S5", &[("vertex", 0), ("geometry", 0)], |s, n| {
        raw(s, &format!("mov r0, v0\n.word {:#x}\nend", 0x13 << 26 | n))
    }),
    most("vertex slots", &[10], "S1, S5", &[("geometry", 2)], |s, n| raw(s, &format!("setemit {n}\nend"))),
    most("nested calls", &[25], "S1, S5", &[("vertex", 4), ("geometry", 4)], calls),
    most("nested blocks", &[26], "S1, S5", &[("vertex", 8), ("geometry", 8)], |s, n| {
        nested(s, n, &|end| format!("ifu b0, {end}, 0"))
    }),
    most("nested loops", &[27], "S1, S5", &[("vertex", 4), ("geometry", 4)], |s, n| {
        nested(s, n, &|end| format!("for i0, {end}"))
    }),
    most("the first operator", &[28], "S1, S5", &[("vertex", 5), ("geometry", 5)], |s, n| {
        raw(s, &format!("cmp v0, ==, ==, v0\n.word {:#x}\nend", 0x2e_i64 << 26 | n << 24))
    }),
    most("the second operator", &[28], "S1, S5", &[("vertex", 5), ("geometry", 5)], |s, n| {
        raw(s, &format!("cmp v0, ==, ==, v0\n.word {:#x}\nend", 0x2e_i64 << 26 | n << 21))
    }),
    most("integers", &[29], "S1, S5", &[("vertex", 3), ("geometry", 3)], |s, n| {
        raw(s, &format!("for i{n}, 1\nnop\nend"))
    }),
];

/// The rules that have no numeric limit, by what they require.
const UNLIMITED: Unlimited = &[
    ("A referenced entry, kind of program or opcode exists or does not.", &[1, 3, 7]),
    ("Restricts an opcode to stages.", &[9]),
    ("Concerns the position of a word in scopes and reachability.", &[11, 20, 21, 22, 30, 31, 32, 40]),
    ("Forbids a second input, mova or write.", &[23, 24, 41]),
    ("Requires an earlier write.", &[33]),
];

#[test]
fn each_limit_is_exact() {
    let broken = |text: &str| -> Result<Vec<Broken>, String> {
        let program = assemble(text).map_err(|e| format!("{e:?}"))?;
        Ok(validate(&program, &entries(&program)[0]).into_iter().map(|v| (v.code, v.level)).collect())
    };
    let all: Vec<u16> = RULES.iter().map(|row| row.code).collect();
    check(LIMITS, &all, UNLIMITED, &["vertex", "geometry"], broken);
}
