//! The limits of Utgard GP. Sources of the numbers: SEED, M, L, W, C, I94 (see the manual's list of sources).

use crate::limits::{Broken, Limit, Unlimited, check, least, most, times};
use lockstep_core::isa::Options;
use lockstep_core::isa::utgard_gp::assemble::assemble;
use lockstep_core::isa::utgard_gp::interface::entries;
use lockstep_core::isa::utgard_gp::options::OPTION_SPECS;
use lockstep_core::isa::utgard_gp::rules::RULES;
use lockstep_core::isa::utgard_gp::validate::validate;

/// Returns the text of the word `first` and, `n` words later, the word `second`.
fn apart(first: &str, n: i64, second: &str) -> String {
    format!("{first};\n{}{second};", times("nop;", n - 1))
}

/// Returns a reciprocal of `operand`, `n` words after the word `first`.
fn reciprocal(first: &str, n: i64, operand: &str) -> String {
    let function = format!("complex.rcp({operand}), mul[0].complex2({operand}, {operand})");
    let port = if operand.starts_with("register") { "register[1].load(1), " } else { "" };
    apart(first, n, &format!("{port}{function}"))
        + &format!("\n{port}mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], {operand});")
}

/// Returns a reciprocal of an operand that is loaded through an address register, `n` words after the address is set.
fn reciprocal_at(r: &str, n: i64) -> String {
    let load = format!("uniform.load(1, addr[{r}])");
    let function = "complex.rcp(uniform.x), mul[0].complex2(uniform.x, uniform.x)";
    apart(&format!("complex.set_addr{r}(uniform.y)"), n, &format!("{load}, {function}"))
        + &format!("\n{load}, mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], uniform.x);")
}

const TEMPORARY: &str = "complex.set_addr0(uniform.y), acc[0].mov(uniform.x), store[1].temporary(unused, acc[0].out), unknown_1(12)";
const REGISTER: &str = "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused)";

const LIMITS: &[Limit] = &[
    // The last stage of a function reads its argument again, a word later: both reads must be before a store takes effect, or both after.
    most(
        "words from a store to a function of the register before it",
        &[45],
        "SEED, M, L, I94",
        &[("x", 1)],
        |_, n| reciprocal(REGISTER, n, "register[1].x"),
    ),
    least(
        "words from a store to a function of the register after it",
        &[45],
        "SEED, M, L, I94",
        &[("x", 3)],
        |_, n| reciprocal(REGISTER, n, "register[1].x"),
    ),
    most(
        "words from a store to a function of the temporary before it",
        &[45],
        "SEED, M, I94",
        &[("a load", 2)],
        |_, n| reciprocal(TEMPORARY, n, "uniform.x"),
    ),
    least(
        "words from a store to a function of the temporary after it",
        &[45],
        "SEED, M, I94",
        &[("a load", 4)],
        |_, n| reciprocal(TEMPORARY, n, "uniform.x"),
    ),
    most(
        "words from an address to a function of the operand that it selected before",
        &[45],
        "SEED, M, I94",
        &[("1", 2), ("2", 2), ("3", 2)],
        reciprocal_at,
    ),
    least(
        "words from an address to a function of the operand that it selects",
        &[45],
        "SEED, M, I94",
        &[("1", 4), ("2", 4), ("3", 4)],
        reciprocal_at,
    ),
    most("words", &[3], "SEED, M", &[("a program", 512)], |_, n| times("nop;", n)),
    most("prefetch", &[5], "M, W", &[("the second word", 1)], |_, n| {
        format!(".prefetch {n}\nnop; attribute.load(0); nop;")
    }),
    least("prefetch", &[5], "M, W", &[("the second word", 1)], |_, n| {
        format!(".prefetch {n}\nnop; attribute.load(0); nop;")
    }),
    most("the target of a branch", &[34], "M, W", &[("two words", 1)], |_, n| {
        format!("pass.mov(uniform.x), branch({n}), unknown_1(13); nop;")
    }),
    least(
        "words from the store of a register to its read",
        &[50],
        "SEED, M, L",
        &[("x", 3), ("w", 3)],
        |c, n| {
            let store = if c == "x" {
                "store[0].register(1, acc[0].out, unused)"
            } else {
                "store[1].register(1, unused, acc[0].out)"
            };
            apart(
                &format!("acc[0].mov(uniform.x), {store}"),
                n,
                &format!("register[1].load(1), pass.mov(register[1].{c})"),
            )
        },
    ),
    least("words from the store of a temporary to its load", &[51], "SEED, M", &[("a load", 4)], |_, n| {
        let store = "complex.set_addr0(uniform.y), acc[0].mov(uniform.x), store[1].temporary(unused, acc[0].out), unknown_1(12)";
        apart(store, n, "pass.mov(uniform.x)")
    }),
    least("words from an address to its use", &[52], "SEED, M", &[("1", 4), ("2", 4), ("3", 4)], |r, n| {
        apart(
            &format!("complex.set_addr{r}(uniform.y)"),
            n,
            &format!("uniform.load(1, addr[{r}]), pass.mov(uniform.x)"),
        )
    }),
    least("words to the result of complex1", &[43], "SEED, M, C", &[("a word", 2)], |_, n| {
        let function = "mul[0].complex2(uniform.x, uniform.x), complex.rcp(uniform.x);\n\
                        mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], uniform.x)";
        apart(function, n, &format!("pass.mov(mul[0].out[{n}])"))
    }),
    most("words back", &[40], "SEED, M", &[("one word before", 1), ("two words before", 2)], |which, n| {
        let before = if which == "one word before" { 1 } else { 2 };
        // A result from one word further back would be from before the first word.
        let words = times("acc[0].mov(uniform.x);", before);
        if n <= 2 {
            format!("{words}pass.mov(acc[0].out[{n}]);")
        } else {
            "pass.mov(acc[0].out[2]);".to_owned()
        }
    }),
];

/// The rules that have no numeric limit, by what they require.
const UNLIMITED: Unlimited = &[
    ("A referenced entry, operation or operand exists or does not.", &[1, 10, 11, 12, 13, 14, 18, 19, 20]),
    ("Compares the length of the file with its header.", &[2, 4]),
    (
        "Restricts combinations of units and operands in one word.",
        &[15, 16, 17, 21, 22, 23, 24, 30, 31, 32, 35, 36, 42, 44],
    ),
    ("Bits of unknown meaning have the values seen in real programs.", &[25, 26, 27, 28, 33]),
    ("Requires or forbids an earlier store.", &[6, 7, 41, 53, 54, 55]),
];

#[test]
fn each_limit_is_exact() {
    let options = Options::new(OPTION_SPECS);
    let broken = |text: &str| -> Result<Vec<Broken>, String> {
        let program = assemble(text).map_err(|e| format!("{e:?}"))?;
        Ok(validate(&program, &entries(&program)[0], &options)
            .into_iter()
            .map(|v| (v.code, v.level))
            .collect())
    };
    let all: Vec<u16> = RULES.iter().map(|row| row.code).collect();
    check(LIMITS, &all, UNLIMITED, &[], broken);
}
