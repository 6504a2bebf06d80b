//! Tests of the rules: some program breaks each rule, and programs of compilers break none, except for the warnings listed here.

use super::random::{any_program, corpus};
use lockstep_core::isa::utgard_gp::assemble::assemble;
use lockstep_core::isa::utgard_gp::container::MAGIC;
use lockstep_core::isa::utgard_gp::decode::decode;
use lockstep_core::isa::utgard_gp::interface::{EntryFacts, entries};
use lockstep_core::isa::utgard_gp::options::OPTION_SPECS;
use lockstep_core::isa::utgard_gp::program::Program;
use lockstep_core::isa::utgard_gp::rules::{RULES, Rule};
use lockstep_core::isa::utgard_gp::validate::validate;
use lockstep_core::isa::{Level, Options, Violation};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;

fn read(text: &str) -> Program {
    assemble(text).unwrap_or_else(|e| panic!("{text}: {e:#?}"))
}

fn check(program: &Program) -> Vec<Violation> {
    validate(program, &entries(program)[0], &Options::new(OPTION_SPECS))
}

/// Returns the numbers and words of the rules that a text breaks, without the rule about missing outputs.
fn broken(text: &str) -> Vec<(u16, Option<u32>)> {
    let all = check(&read(text)).into_iter();
    all.filter(|v| v.code != Rule::NoOutput.row().code).map(|v| (v.code, v.word)).collect()
}

/// Warnings for compilers' programs, each with its reason. No such program has a hazard or an error.
const WARNINGS: [(&str, Rule, u32, &str); 3] = [
    (
        "glsl2agal_regression_000011",
        Rule::Position,
        0,
        "the source writes gl_Position.xyz through three stores and never w",
    ),
    ("piglit_glsl_vs_vec4_indexing_2", Rule::Unwritten, 4, "a component that nothing wrote"),
    (
        "piglit_vs_loop_simple_unroll_induction_variable_inside_if_branch",
        Rule::Unwritten,
        43,
        "written only in a branch that the source always takes",
    ),
];

#[test]
fn real_programs_break_no_rule() {
    let Some(files) = corpus("meta") else { return };
    let mut used = BTreeSet::new();
    for (name, bytes, _) in &files {
        for v in check(&decode(bytes).unwrap()) {
            let known = WARNINGS.iter().position(|(file, rule, word, _)| {
                file == name && rule.row().code == v.code && v.word.unwrap_or(0) == *word
            });
            assert!(v.level == Level::Warning && known.is_some(), "{name}: {v}");
            used.extend(known);
        }
    }
    assert_eq!(used.len(), WARNINGS.len(), "an unused exception");
}

/// The reciprocal of uniform x, in the words printed by SEED, M, I94.
const RCP: &str = "mul[0].complex2(uniform.x, uniform.x), complex.rcp(uniform.x);\n\
    mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], uniform.x);\n";

/// For each rule except those tested separately below, programs that break it and no other, with the offending word (0 for rules about the program).
const BREAKERS: &[(Rule, u32, &str)] = &[
    (Rule::Tail, 0, "nop;\n.tail 1"),
    (Rule::Prefetch, 0, ".prefetch 0\nnop; attribute.load(0);"),
    (Rule::Position, 0, "acc[0].mov(uniform.x), store[0].varying(0, acc[0].out, acc[0].out);"),
    (Rule::Position, 0, ".position 3\nacc[0].mov(uniform.x), store[1].varying(3, acc[0].out, acc[0].out);"),
    (Rule::AccOp, 0, "acc[1].op3(uniform.x, uniform.y);"),
    (Rule::MulOp, 0, "mul.op7(uniform.x, uniform.y, uniform.z, uniform.w);"),
    (Rule::ComplexOp, 1, "nop; complex.op11(uniform.x);"),
    (Rule::PassOp, 0, "pass.op3(uniform.x);"),
    (Rule::SourceCode, 0, "pass.mov(unknown1);"),
    (Rule::UnusedCode, 0, "pass.mov(unknown0);"),
    (Rule::UnusedCode, 0, "acc[1].mov(uniform.x), mul[0].mul(unknown0, unknown0);"),
    (Rule::SeedAddress, 0, "pass.mov(uniform.x), complex.set_addr01();"),
    (Rule::SourceCode, 0, "acc[0].add(uniform.x, -unknown3);"),
    (Rule::HalfUnused, 0, "acc[0].add(unused, uniform.x);"),
    (Rule::HalfUnused, 0, "mul[1].mul(uniform.x, unused);"),
    (Rule::HalfUnused, 0, "mul.select(uniform.x, unused, uniform.y);"),
    (Rule::HalfUnused, 0, "complex_op=12;"),
    (Rule::HalfUnused, 0, "complex.nop(uniform.x);"),
    (Rule::IgnoredOperand, 0, "mul.select(uniform.x, uniform.y, uniform.z), mul1_src1=15;"),
    (Rule::WideNegate, 0, "mul.select(uniform.x, uniform.y, uniform.z), mul0_neg=1;"),
    (Rule::LoadOffset, 0, "pass.mov(uniform.x), uniform.load(1, addr[0]);"),
    (Rule::StoreSource, 0, "store[0].register(1, unknown_5, unused);"),
    (Rule::StoreTarget, 0, "pass.mov(uniform.x), store[1].temporary(pass.out, unused), store1_varying=1;"),
    (Rule::StoreIdle, 0, "pass.mov(uniform.x), store[0].register(1, pass.out, acc[1].out);"),
    (Rule::StoreIdle, 0, "complex.set_addr1(uniform.x), store[0].register(1, complex.out, unused);"),
    (
        Rule::StoreIdle,
        0,
        "mul.select(uniform.x, uniform.y, uniform.z), store[0].register(1, mul[1].out, unused);",
    ),
    (Rule::StoreStage, 0, "pass.preexp2(uniform.x), store[0].register(1, pass.out, unused);"),
    (Rule::StoreStage, 0, "complex.rcp(uniform.x), store[0].register(1, complex.out, unused);"),
    (
        Rule::TemporaryMark,
        0,
        "complex.set_addr0(uniform.y), acc[0].mov(uniform.x), store[0].temporary(acc[0].out, unused);",
    ),
    (
        Rule::TemporaryAddress,
        1,
        "complex.set_addr0(uniform.y); acc[0].mov(uniform.x), store[0].temporary(acc[0].out, unused), unknown_1(12);",
    ),
    (
        Rule::TemporaryField,
        0,
        "complex.set_addr0(uniform.y), acc[0].mov(uniform.x), store[0].temporary(5, acc[0].out, unused), unknown_1(12);",
    ),
    (Rule::Mark, 0, "unknown_1(12);"),
    (Rule::Mark, 0, "unknown_1(1);"),
    (Rule::BranchCondition, 0, "branch(1), unknown_1(13); nop;"),
    (Rule::BranchStage, 0, "pass.preexp2(uniform.x), branch(1), unknown_1(13); nop;"),
    (Rule::BranchMove, 0, "pass.clamp(uniform.z), branch(1), unknown_1(13); nop;"),
    (Rule::BranchMark, 0, "pass.mov(uniform.x), branch(1); nop;"),
    (Rule::BranchTarget, 0, "pass.mov(uniform.x), branch(2), unknown_1(13); nop;"),
    (Rule::BlockHistory, 0, "pass.mov(acc[0].out[1]);"),
    (Rule::BlockHistory, 1, "acc[0].mov(uniform.x); pass.mov(acc[0].out[2]);"),
    (Rule::BlockHistory, 1, "pass.mov(uniform.x), branch(1), unknown_1(13); acc[0].mov(pass.out[1]);"),
    (
        Rule::BlockHistory,
        2,
        "pass.mov(uniform.x), branch(2), unknown_1(13); mul[1].mov(uniform.x); acc[0].mov(mul[1].out[1]);",
    ),
    (Rule::PortHistory, 0, "pass.mov(register[0].y[1]);"),
    (Rule::IdleResult, 1, "acc[1].mov(uniform.x); pass.mov(acc[0].out[1]);"),
    (Rule::IdleResult, 2, "acc[1].mov(uniform.x); nop; pass.mov(mul[0].out[2]);"),
    (Rule::IdleResult, 1, "complex.set_addr2(uniform.x); pass.mov(complex.out[1]);"),
    (Rule::IdleResult, 1, "mul.select(uniform.x, uniform.y, uniform.z); pass.mov(mul[1].out[1]);"),
    (Rule::Stage, 1, "pass.preexp2(uniform.x); pass.mov(pass.out[1]);"),
    (
        Rule::Stage,
        1,
        "complex.log2(uniform.x); acc[0].add(uniform.y, uniform.x), acc[1].add(complex.out[1], uniform.x);",
    ),
    (Rule::Stage, 1, "mul[0].complex2(uniform.x, uniform.x); complex.set_addr1(mul[0].out[1]);"),
    (Rule::Stage, 2, "pass.preexp2(uniform.x); nop; mul[1].mul(uniform.x, pass.out[2]);"),
    (Rule::Pattern, 0, "mul[0].complex2(uniform.x, uniform.y);"),
    (Rule::Pattern, 0, "complex.exp2(uniform.x);"),
    (Rule::Pattern, 0, "pass.postlog2(uniform.x);"),
    (Rule::Pattern, 1, "pass.preexp2(uniform.x); mul[0].complex2(pass.out[1], uniform.x);"),
    // An adder's result for -x is not x.
    (
        Rule::Pattern,
        2,
        "acc[0].mov(-uniform.x); mul[0].complex2(uniform.x, uniform.x), complex.rcp(acc[0].out[1]);\
         mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], uniform.x);",
    ),
    // The square is that of another number.
    (
        Rule::Pattern,
        1,
        "mul[0].complex2(uniform.y, uniform.y), complex.rcp(uniform.x);\
         mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], uniform.x);",
    ),
    // For exp2 the last operand must be the result of preexp2, not the number itself.
    (
        Rule::Pattern,
        2,
        "pass.preexp2(uniform.x); mul[0].complex2(pass.out[1], pass.out[1]), complex.exp2(pass.out[1]);\
         mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], uniform.x);",
    ),
    // The register held the number, but another one was stored since.
    (
        Rule::Pattern,
        4,
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused);\
         acc[0].mov(uniform.y), store[0].register(1, acc[0].out, unused); nop;\
         mul[0].complex2(uniform.x, uniform.x), complex.rcp(uniform.x);\
         register[1].load(1), mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], register[1].x);",
    ),
    // Another component of the register holds the number.
    (
        Rule::Pattern,
        3,
        "acc[0].mov(uniform.x), acc[1].mov(uniform.y), store[0].register(1, acc[0].out, acc[1].out); nop;\
         mul[0].complex2(uniform.x, uniform.x), complex.rcp(uniform.x);\
         register[1].load(1), mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], register[1].y);",
    ),
    // The register was stored in another block, which another path may bypass, so its contents are unknown.
    (
        Rule::Pattern,
        4,
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused), pass.mov(uniform.y); nop;\
         pass.mov(uniform.y), branch(l), unknown_1(13);\
         l: mul[0].complex2(uniform.x, uniform.x), complex.rcp(uniform.x);\
         register[1].load(1), mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], register[1].x);",
    ),
    (
        Rule::EarlyRegister,
        3,
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); \
         acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); nop; register[1].load(1), pass.mov(register[1].x);",
    ),
    // Port 0 read the register one word before port 1 reads it.
    (
        Rule::EarlyRegister,
        3,
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); nop; register[0].load(1); \
         register[1].load(1), acc[0].add(register[1].x, register[0].x[1]);",
    ),
    (
        Rule::EarlyTemporary,
        3,
        "complex.set_addr0(uniform.y), acc[0].mov(uniform.x), store[1].temporary(unused, acc[0].out), unknown_1(12); nop; nop; pass.mov(uniform.x);",
    ),
    (
        Rule::EarlyAddress,
        3,
        "complex.set_addr3(uniform.y); nop; nop; uniform.load(1, addr[3]), pass.mov(uniform.x);",
    ),
    (Rule::Unwritten, 0, "register[0].load(15), pass.mov(register[0].w);"),
    // In this and the later programs with a branch, one of two paths skips a store or a write of an address register.
    (
        Rule::Unwritten,
        5,
        "pass.mov(uniform.x), branch(l), unknown_1(13);\
         acc[0].mov(uniform.x), store[0].register(0, acc[0].out, unused); nop; nop; l: nop; pass.mov(register[0].x);",
    ),
    (Rule::UnwrittenAddress, 0, "uniform.load(1, addr[1]), pass.mov(uniform.x);"),
    (
        Rule::UnwrittenAddress,
        6,
        "pass.mov(uniform.x), branch(l), unknown_1(13);\
         complex.set_addr1(uniform.y); nop; nop; nop; l: nop; uniform.load(1, addr[1]), pass.mov(uniform.x);",
    ),
    (
        Rule::EarlyRegister,
        5,
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); nop; nop; pass.mov(uniform.x), branch(l), unknown_1(13);\
         acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); l: register[1].load(1), pass.mov(register[1].x);",
    ),
    (
        Rule::EarlyTemporary,
        3,
        "pass.mov(uniform.x), branch(l), unknown_1(13);\
         complex.set_addr0(uniform.y), acc[0].mov(uniform.x), store[1].temporary(unused, acc[0].out), unknown_1(12);\
         l: nop; pass.mov(uniform.x);",
    ),
    (
        Rule::EarlyAddress,
        5,
        "complex.set_addr3(uniform.y); nop; nop; pass.mov(uniform.x), branch(l), unknown_1(13);\
         complex.set_addr3(uniform.y); l: uniform.load(1, addr[3]), pass.mov(uniform.x);",
    ),
    (
        Rule::VaryingTwice,
        2,
        "pass.mov(uniform.x), branch(l), unknown_1(13); acc[0].mov(uniform.x), store[0].varying(2, acc[0].out, unused);\
         l: acc[0].mov(uniform.x), store[0].varying(2, acc[0].out, acc[0].out);",
    ),
    (
        Rule::VaryingTwice,
        1,
        "acc[0].mov(uniform.x), store[0].varying(2, acc[0].out, unused);\
         acc[0].mov(uniform.x), store[0].varying(2, acc[0].out, acc[0].out);",
    ),
];

#[test]
fn each_rule_has_a_program_that_breaks_only_it() {
    let mut wrong = String::new();
    for (rule, word, text) in BREAKERS {
        let found = broken(text);
        let of_program = rule.row().code < 10;
        if found != [(rule.row().code, (!of_program).then_some(*word))] {
            let _ = writeln!(wrong, "{rule:?}: {found:?}: {text}");
        }
    }
    assert_eq!(wrong, "");
    // These rules are tested separately, because programs that break them mostly break another rule as well.
    let late = format!(
        "{RCP}mul.complex1(uniform.x, uniform.x, uniform.x, uniform.x), store[0].register(1, mul[0].out, unused);"
    );
    assert!(broken(&late).contains(&(Rule::StoreLate.row().code, Some(2))));
    let early = format!("{RCP}pass.mov(mul[0].out[1]);");
    assert_eq!(broken(&early), [(Rule::Complex1Early.row().code, Some(2))]);
    let unset = "acc[0].mov(uniform.x), store[0].temporary(acc[0].out, unused), unknown_1(12);";
    let codes: Vec<_> = broken(unset).iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [Rule::TemporaryAddress.row().code, Rule::UnwrittenAddress.row().code]);
    let seed = Rule::SeedAddress.row().code;
    for pass in ["", "pass.preexp2(uniform.x), "] {
        let idle = format!("{pass}complex.set_addr01();");
        assert_eq!(broken(&idle), [(seed, Some(0)), (Rule::AddressPass.row().code, Some(0))]);
    }
    let operand = "pass.mov(uniform.x), complex.set_addr01(uniform.y);";
    assert_eq!(broken(operand), [(Rule::IgnoredOperand.row().code, Some(0)), (seed, Some(0))]);
    let none = read("nop;");
    assert_eq!(check(&none)[0].code, Rule::NoOutput.row().code);

    let mut broken: BTreeSet<Rule> = BREAKERS.iter().map(|(rule, ..)| *rule).collect();
    broken.extend([Rule::StoreLate, Rule::Complex1Early, Rule::NoOutput, Rule::AddressPass]);
    broken.extend(entry_rules());
    let untested: Vec<_> =
        RULES.iter().filter(|row| !broken.contains(&row.rule)).map(|row| row.rule).collect();
    assert_eq!(untested, []);
    assert!(RULES.windows(2).all(|w| w[0].code < w[1].code));
}

/// Facts M, W, C: the condition of a branch is moved through pass. A stage of a function is no condition.
#[test]
fn a_branch_takes_its_condition_from_each_operation_of_pass_by_the_rules() {
    let [idle, stage, other] =
        [Rule::BranchCondition, Rule::BranchStage, Rule::BranchMove].map(|rule| rule.row().code);
    for (pass, expected) in [
        ("", vec![idle]),
        ("pass.mov(uniform.x), ", vec![]),
        ("pass.preexp2(uniform.x), ", vec![stage]),
        ("pass.postlog2(uniform.x), ", vec![other]),
        ("pass.clamp(uniform.z), ", vec![other]),
    ] {
        let found = broken(&format!("{pass}branch(1), unknown_1(13); nop;"));
        let found: Vec<u16> =
            found.iter().map(|(code, _)| *code).filter(|code| [idle, stage, other].contains(code)).collect();
        assert_eq!(found, expected, "{pass}");
    }
}

/// Facts SEED, M: mul 0 and mul 1 negate their own result, so that the effect of either negation on an operation of both is unknown. complex2 counts
/// as wide for mul 0 only: mul 1 has an operation of its own beside it.
#[test]
fn each_negation_of_a_wide_operation_is_reported() {
    for (operation, wide) in [
        ("mul[0].mul(uniform.x, uniform.y), mul[1].mul(uniform.x, uniform.y)", [false, false]),
        ("mul.select(uniform.x, uniform.y, uniform.z)", [true, true]),
        ("mul.complex1(uniform.x, uniform.x, uniform.x, uniform.x)", [true, true]),
        ("mul[0].complex2(uniform.x, uniform.x), mul[1].mul(uniform.x, uniform.y)", [true, false]),
    ] {
        for negated in 0..4 {
            let bits = [negated & 1, negated >> 1];
            let mut program = read(&format!("{operation};"));
            for (mul, bit) in program.words[0].mul.iter_mut().zip(bits) {
                mul.neg = bit;
            }
            let found = check(&program).iter().any(|v| v.code == Rule::WideNegate.row().code);
            let expected = (0..2).any(|k| wide[k] && bits[k] == 1);
            assert_eq!(found, expected, "{operation}, negated {bits:?}");
        }
    }
}

/// Facts M, W: prefetch is the last word that reads an attribute; a driver passes 0 if there is none.
#[test]
fn prefetch_is_the_last_word_that_reads_an_attribute_or_zero() {
    let prefetch = Rule::Prefetch.row().code;
    for reads in 0..8u32 {
        let words: String = (0..3)
            .map(|k| if reads >> k & 1 == 1 { "attribute.load(0), pass.mov(attribute.x);" } else { "nop;" })
            .collect();
        let last = reads.checked_ilog2().unwrap_or(0);
        for given in 0..4 {
            let found = broken(&format!(".prefetch {given}\n{words}")).contains(&(prefetch, None));
            assert_eq!(found, given != last, "{given}: {words}");
        }
        assert!(!broken(&words).contains(&(prefetch, None)), "{words}");
    }
}

/// Breaks each rule about entries. Returns these rules.
fn entry_rules() -> Vec<Rule> {
    let program = read(&"nop;".repeat(513));
    let options = Options::new(OPTION_SPECS);
    let good = entries(&program).remove(0);
    let codes = |change: &dyn Fn(&mut lockstep_core::isa::Entry)| {
        let mut entry = good.clone();
        change(&mut entry);
        validate(&program, &entry, &options).iter().map(|v| v.code).collect::<Vec<_>>()
    };
    let count = |n| {
        move |e: &mut lockstep_core::isa::Entry| {
            e.extra = EntryFacts { count: n, ..EntryFacts::from_words(e.extra) }.to_words();
        }
    };
    assert_eq!(codes(&count(512)), [Rule::NoOutput.row().code]);
    assert_eq!(codes(&count(513)), [Rule::TooLong.row().code]);
    assert_eq!(codes(&count(0)), [Rule::Count.row().code]);
    assert_eq!(codes(&count(514)), [Rule::Count.row().code, Rule::TooLong.row().code]);
    for change in [
        |e: &mut lockstep_core::isa::Entry| e.start = 1,
        |e: &mut lockstep_core::isa::Entry| e.version = 1,
        |e: &mut lockstep_core::isa::Entry| e.stage = lockstep_core::isa::Stage::Fragment,
        |e: &mut lockstep_core::isa::Entry| {
            e.interface.inputs = vec![lockstep_core::isa::Port { slot: 16, mask: 1 }];
        },
    ] {
        let both = |e: &mut lockstep_core::isa::Entry| {
            count(512)(e);
            change(e);
        };
        assert_eq!(codes(&both)[0], Rule::EntryMismatch.row().code);
    }
    vec![Rule::EntryMismatch, Rule::Count, Rule::TooLong]
}

/// Legal programs, each similar to an illegal one.
#[test]
fn reads_at_the_last_possible_word_are_legal() {
    for text in [
        // All four functions as printed by SEED, M, I94, with moves of the operand in between.
        &format!("{RCP}nop; acc[0].mov(mul[0].out[2]);"),
        &RCP.replace("rcp", "rsqrt"),
        "acc[0].mov(uniform.x); mul[0].complex2(acc[0].out[1], acc[0].out[1]), complex.log2(acc[0].out[1]), mul[1].mov(acc[0].out[1]);\
         mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], mul[1].out[1]); nop; pass.postlog2(mul[0].out[2]); acc[0].mov(pass.out[1]);",
        "pass.preexp2(uniform.x); mul[0].complex2(pass.out[1], pass.out[1]), complex.exp2(pass.out[1]);\
         mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], pass.out[2]); nop; acc[0].mov(mul[0].out[2]);",
        // A compiler stores the operand in a register, and moves it from unit to unit in the meantime.
        "acc[0].add(uniform.x, uniform.y), store[1].register(1, acc[0].out, unused); pass.mov(acc[0].out[1]);\
         mul[0].complex2(pass.out[1], pass.out[1]), complex.rcp(pass.out[1]);\
         register[1].load(1), mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], register[1].z);",
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); nop;\
         mul[0].complex2(uniform.x, uniform.x), complex.rcp(uniform.x);\
         register[1].load(1), mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], register[1].x);",
        // The register is stored in the same word that reads it, and the store takes effect after the last read.
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); nop; nop;\
         register[1].load(1), mul[0].complex2(register[1].x, register[1].x), complex.rcp(register[1].x), acc[0].mov(uniform.y), store[0].register(1, acc[0].out, unused);",
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); nop; nop; register[0].load(1), pass.mov(register[0].x);\
         pass.mov(register[0].x[1]);",
        "complex.set_addr0(uniform.y), acc[0].mov(uniform.x), store[0].temporary(acc[0].out, unused), unknown_1(12); nop; nop; nop; pass.mov(uniform.x);",
        ".uniforms 1\ncomplex.set_addr0(uniform.y), acc[0].mov(uniform.x), store[0].temporary(acc[0].out, unused), unknown_1(12); pass.mov(uniform.x);",
        "complex.set_addr1(uniform.y); nop; nop; nop; uniform.load(1, addr[1]), pass.mov(uniform.x);",
        // The offset of a load that nothing reads may be anything.
        "uniform.load(1, addr[0]), acc[0].mov(attribute.x);",
        // The two bubbles of a taken branch suffice for a store in the branch's word (W); the fall-through path has its own wait.
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); nop; nop;\
         again: register[0].load(1), acc[0].add(register[0].x, uniform.x), pass.mov(uniform.y), store[0].register(1, acc[0].out, unused), branch(again), unknown_1(13);",
        // The same varying on two mutually exclusive paths.
        "pass.mov(uniform.x), branch(l), unknown_1(13); acc[0].mov(uniform.x), store[0].varying(1, acc[0].out, unused), pass.mov(uniform.y), branch(end), unknown_1(13);\
         pass.mov(uniform.x); l: nop; end: nop;",
        "acc[0].floor(uniform.x), acc[1].floor(uniform.y), acc1_src1=0;",
    ] {
        assert_eq!(broken(text), [], "{text}");
    }
    let mut options = Options::new(OPTION_SPECS);
    options.set_named("branch_bubbles", "none").unwrap();
    let again = read(
        "acc[0].mov(uniform.x), store[0].register(1, acc[0].out, unused); nop; nop;\
         again: register[0].load(1), acc[0].add(register[0].x, uniform.x), pass.mov(uniform.y), store[0].register(1, acc[0].out, unused), branch(again), unknown_1(13);",
    );
    let found = validate(&again, &entries(&again)[0], &options);
    assert_eq!(found.last().map(|v| (v.code, v.word)), Some((Rule::EarlyRegister.row().code, Some(3))));
}

#[test]
fn the_first_slot_after_the_uniforms_is_a_temporary() {
    let early = |uniforms: u16| {
        let text = format!(
            ".uniforms {uniforms}\ncomplex.set_addr0(uniform.y), acc[0].mov(uniform.x), store[1].temporary(unused, acc[0].out), unknown_1(12); \
             nop; nop; uniform.load(2), pass.mov(uniform.x);"
        );
        broken(&text).contains(&(Rule::EarlyTemporary.row().code, Some(3)))
    };
    assert_eq!([0, 1, 2, 3].map(early), [true, true, true, false]);
}

#[test]
fn the_containers_magic_is_no_legal_word() {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(MAGIC);
    // If the magic were the first word, the next word would be read as the header's numbers, so it is the second of two words here.
    let words = decode(&[&[0; 16][..], &MAGIC].concat()).unwrap();
    let errors = check(&words).into_iter().filter(|v| v.word == Some(1) && v.level == Level::Error);
    assert!(errors.count() > 0);
}

#[test]
fn violations_name_the_unit_or_operand() {
    let found = check(&read("nop; pass.mov(acc[0].out[1]);"));
    assert!(found.iter().any(|v| v.message.starts_with("pass reads acc[0].out[1]")), "{found:?}");
    let found = check(&read("register[0].load(3), pass.mov(register[0].w);"));
    assert!(found.iter().any(|v| v.message.starts_with("$3.w")), "{found:?}");
}

proptest! {
    #![proptest_config(super::random::config(256))]

    #[test]
    fn any_program_is_validated(program in any_program()) {
        for v in check(&program) {
            prop_assert!(v.word.is_none_or(|w| (w as usize) < program.words.len()));
        }
    }
}
