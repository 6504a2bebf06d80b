//! Tests of the rules: for each rule a small program that breaks it, and for most a similar one that does not.

use crate::pica200::corpus::corpus;
use crate::pica200::random::{config, program};
use crate::pica200::text::read;
use lockstep_core::isa::pica200::decode::decode;
use lockstep_core::isa::pica200::interface::entries;
use lockstep_core::isa::pica200::rules::RULES;
use lockstep_core::isa::pica200::validate::validate;
use lockstep_core::isa::{Entry, Level, Port, RuleRow, Stage, Violation};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;

fn violations(text: &str) -> Vec<Violation> {
    let program = read(&format!(".padding off\n{text}"));
    validate(&program, &entries(&program)[0])
}

/// Returns the rules that a text breaks, each with the word at fault. Ignores reads of unwritten registers, which most texts have and which are
/// tested separately.
fn broken(text: &str) -> Vec<(u16, Option<u32>)> {
    violations(text).into_iter().map(|v| (v.code, v.word)).filter(|(code, _)| *code != UNWRITTEN).collect()
}

/// The number of the rule about reads of unwritten registers.
const UNWRITTEN: u16 = 33;

/// Returns the numbers of the words, in this text, that read a register not written on some path.
fn unwritten(text: &str) -> Vec<u32> {
    violations(text).into_iter().filter(|v| v.code == UNWRITTEN).filter_map(|v| v.word).collect()
}

/// Asserts that one text breaks exactly this rule, and the other one none.
#[track_caller]
fn rule(code: u16, word: Option<u32>, bad: &str, good: &str) {
    assert_eq!(broken(bad), [(code, word)], "{bad}");
    assert_eq!(broken(good), [], "{good}");
}

#[test]
fn rules_about_entries_and_memory_are_checked() {
    rule(2, None, ".raw vertex, entry=1\nend", ".raw vertex, entry=0\nend");
    rule(2, None, ".raw vertex, entry=4294967295\nend", ".raw vertex\nend");
    let long = |n: usize| format!(".raw geometry\nend\n{}", "nop\n".repeat(n));
    rule(4, None, &long(4096), &long(4095));
    let reach = |n: usize| format!(".raw vertex\n{}end", "nop\n".repeat(n));
    rule(5, Some(512), &reach(512), &reach(511));
    assert_eq!(broken(&reach(511).replace("vertex", "geometry")), []);
    assert_eq!(broken(&reach(512).replace("vertex", "geometry")), []);
    // Unreachable words may be anything.
    assert_eq!(broken(&format!(".raw vertex\nend\n{}", ".word 0x40000000\n".repeat(600))), []);
    let shbin = |kind: u32| {
        format!(
            ".dvlb version=0, code=0x1c, descriptors=0, filenames=0\n.dvle at=0x2c, version=0, type={kind}, main=0, \
             end=1, inputs=0, outputs=0\nend"
        )
    };
    rule(3, None, &shbin(2), &shbin(1));
    let program = read(".raw vertex\nend");
    for change in [
        |e: &mut Entry| e.version = 1,
        |e: &mut Entry| e.stage = Stage::Fragment,
        |e: &mut Entry| e.stage = Stage::Geometry,
        |e: &mut Entry| e.extra[0] = 0,
        |e: &mut Entry| e.interface.outputs = vec![Port { slot: 16, mask: 1 }],
        |e: &mut Entry| e.interface.inputs = vec![Port { slot: 0, mask: 0 }],
        |e: &mut Entry| e.interface.inputs = vec![Port { slot: 34, mask: 1 }],
    ] {
        let mut entry = entries(&program)[0].clone();
        change(&mut entry);
        let found: Vec<_> = validate(&program, &entry).iter().map(|v| v.code).collect();
        assert_eq!(found, [1], "{entry:?}");
    }
}

#[test]
fn rules_about_single_words_are_checked() {
    rule(6, Some(0), ".raw vertex\njmpu b0, 512\nend", ".raw vertex\njmpu b0, 1\nend");
    rule(6, Some(0), ".raw vertex\ncallu b0, 500, 13\nend", ".raw vertex\ncallu b0, 500, 12\nend");
    rule(6, Some(0), ".raw geometry\ncallu b0, 4095, 2\nend", ".raw geometry\ncallu b0, 4095, 1\nend");
    rule(6, Some(0), ".raw geometry\nifu b0, 4095, 2\nend", ".raw geometry\nifu b0, 4095, 1\nend");
    rule(6, Some(0), ".raw vertex\nfor i0, 512\nend", ".raw vertex\nfor i0, 511\nend");
    for number in [0x10, 0x11, 0x14, 0x17, 0x1c, 0x1f] {
        rule(7, Some(0), &format!(".raw vertex\n.word {:#x}\nend", number << 26), ".raw vertex\nnop\nend");
    }
    let mov = 0x13 << 26;
    rule(8, Some(0), &format!(".raw vertex\n.word {mov:#x}\nend"), ".raw vertex\nmov r0, v0\nend");
    rule(9, Some(0), ".raw vertex\nemit\nend", ".raw geometry\nemit\nend");
    rule(9, Some(0), ".raw vertex\nsetemit 0\nend", ".raw geometry\nsetemit 0\nend");
    rule(10, Some(0), ".raw geometry\nsetemit 3\nend", ".raw geometry\nsetemit 2\nend");
    rule(23, Some(0), ".raw vertex\nadd r0, v0, v1\nend", ".raw vertex\nadd r0, v1, v1\nend");
    rule(23, Some(0), ".raw vertex\nmad r0, v0, r0, v1\nend", ".raw vertex\nmad r0, v1, c0, v1\nend");
    rule(
        24,
        Some(1),
        ".raw vertex\nmova a0.x, v0\nmova a0.y, v0\nend",
        ".raw vertex\nmova a0.x, v0\nnop\nmova a0.y, v0\nend",
    );
    rule(28, Some(0), ".raw vertex\ncmp v0, 6, ==, v0\nend", ".raw vertex\ncmp v0, >=, ==, v0\nend");
    rule(28, Some(0), ".raw vertex\ncmp v0, ==, 7, v0\nend", ".raw vertex\ncmp v0, ==, !=, v0\nend");
    rule(29, Some(0), ".raw vertex\nfor i4, 1\nnop\nend", ".raw vertex\nfor i3, 1\nnop\nend");
    rule(40, None, ".raw vertex\nnop", ".raw vertex\nnop\nend");
    rule(
        41,
        Some(1),
        ".raw vertex\nmov o0.xy, v0\nmov o0.yz, v0\nend",
        ".raw vertex\nmov o0.xy, v0\nmov o0.zw, v0\nend",
    );
    assert_eq!(broken(".raw geometry\nmov o0, v0\nemit\nmov o0, v1\nemit\nend"), []);
}

#[test]
fn rules_about_scopes_are_checked() {
    // Breaks that no path reaches inside a loop (rule 11), and one that is only lexically outside (rule 32).
    rule(11, Some(0), ".raw vertex\nbreak\nend", ".raw vertex\nfor i0, 2\nbreak\nnop\nend");
    rule(
        11,
        Some(3),
        ".raw vertex\nfor i0, 2\nnop\nnop\nbreakc cmp.x\nend",
        ".raw vertex\nfor i0, 2\nbreakc cmp.x\nnop\nend",
    );
    let called = |at: &str| format!(".raw vertex\nfor i0, 3\n{at}\nend\nbreak\nnop");
    assert_eq!(broken(&called("nop\ncall 5, 2\nnop")), [(32, Some(5))], "called within the loop");
    assert_eq!(broken(&called("nop\nnop\nnop\ncall 6, 2")), [(11, Some(6))], "called after the loop");
    // The last word of each kind of scope.
    for last in ["jmpc cmp.x, 4", "jmpu b0, 4", "call 4, 1", "callc cmp.x, 4, 1", "callu b0, 4, 1"] {
        for scope in ["ifc cmp.x, 3, 0", "ifu b0, 3, 0", "for i0, 2"] {
            let text = |body: &str| format!(".raw vertex\n{scope}\n{body}\nnop\nend");
            rule(20, Some(2), &text(&format!("nop\n{last}")), &text(&format!("{last}\nnop")));
        }
        let body = |body: &str| format!(".raw vertex\ncall 2, 2\nend\n{body}");
        let last = last.replace('4', "1");
        rule(20, Some(3), &body(&format!("nop\n{last}")), &body(&format!("{last}\nnop")));
        // The end of a second arm has no such restriction.
        assert_eq!(
            broken(&format!(
                ".raw vertex\nifu b0, 2, 1\nnop\n{}\nend",
                last.replace('1', "3").replace(", 3, 3", ", 3, 1")
            )),
            []
        );
    }
    rule(20, Some(2), ".raw vertex\nfor i0, 2\nnop\nbreak\nend", ".raw vertex\nfor i0, 2\nbreak\nnop\nend");
    let shared = ".raw vertex\nfor i0, 3\nifu b0, 4, 0\nnop\nnop\nend";
    assert_eq!(broken(shared), [(21, Some(0)), (21, Some(1))]);
    assert_eq!(broken(".raw vertex\nfor i0, 4\nifu b0, 4, 0\nnop\nnop\nnop\nend"), []);
    rule(22, Some(1), ".raw vertex\nnop\nifu b0, 1, 0\nend", ".raw vertex\nnop\nifu b0, 3, 0\nnop\nend");
    rule(22, Some(1), ".raw vertex\nnop\nfor i0, 0\nend", ".raw vertex\nnop\nfor i0, 2\nnop\nend");
}

/// Ends of scopes that assemblers keep apart, and transfers into and out of scopes.
#[test]
fn ends_and_paths_that_break_rules_are_reported() {
    // The last two words of the loop are the arms of a branch: after the first arm, control jumps past the loop's end.
    rule(
        30,
        Some(2),
        ".raw vertex\nfor i0, 4\nnop\nifu b0, 4, 1\nnop\nnop\nend",
        ".raw vertex\nfor i0, 5\nnop\nifu b0, 4, 1\nnop\nnop\nnop\nend",
    );
    // The same in the first arm of a branch.
    rule(
        30,
        Some(2),
        ".raw vertex\nifu b0, 5, 1\nnop\nifu b1, 4, 1\nnop\nnop\nnop\nend",
        ".raw vertex\nifu b0, 6, 1\nnop\nifu b1, 4, 1\nnop\nnop\nnop\nnop\nend",
    );
    // The end of a second arm has no such restriction.
    assert_eq!(broken(".raw vertex\nifu b0, 2, 4\nnop\nifu b1, 4, 2\nnop\nnop\nnop\nend"), []);
    // A branch or a loop at the end of a procedure prevents its return.
    for inner in ["ifu b0, 5, 0", "ifu b0, 4, 1", "for i0, 4"] {
        let text =
            |words: u32, pad: &str| format!(".raw vertex\ncall 2, {words}\nend\n{inner}\nnop\nnop\n{pad}");
        rule(30, Some(2), &text(3, ""), &text(4, "nop"));
    }
    // A jump into a second arm; a jump within this arm, past it or into the first arm is legal.
    let jump = |to: u32| format!(".raw vertex\njmpu b0, {to}\nifu b1, 4, 2\nnop\nnop\njmpu b2, 5\nnop\nend");
    rule(31, Some(0), &jump(4), &jump(6));
    assert_eq!(broken(&jump(5)), [(31, Some(0))]);
    assert_eq!(broken(&jump(3)), []);
    // A break reached by a jump out of the loop.
    let jumps = |to: u32| format!(".raw vertex\nfor i0, 2\njmpu b0, {to}\nnop\nend\nnop\nbreak\nend");
    assert_eq!(broken(&jumps(5)), [(32, Some(5))]);
    // A branch whose second arm lies outside the loop also leaves the loop open.
    let leaves = ".raw vertex\nfor i0, 3\nifu b0, 3, 2\nnop\nnop\nbreak\nend";
    assert_eq!(broken(leaves), [(32, Some(4))]);
    rule(
        32,
        Some(5),
        ".raw vertex\nfor i0, 3\nnop\ncall 5, 2\nnop\nend\nbreak\nnop",
        ".raw vertex\nfor i0, 3\nbreakc cmp.x\nnop\nnop\nend\nnop\nnop",
    );
}

/// Fact S1: a break in the last word of a loop is not taken properly, whatever other scope ends at the same word.
#[test]
fn a_break_in_the_last_word_of_a_loop_is_reported_whatever_ends_with_it() {
    let scopes = [("for i0, 4", true), ("ifu b0, 5, 0", false), ("ifc cmp.x, 5, 0", false)];
    for (outer, outer_loops) in scopes {
        for (inner, inner_loops) in scopes {
            for last in ["break", "breakc cmp.x", "nop"] {
                for later in [false, true] {
                    // Both scopes end after word 4, which is the break, or the word after the break.
                    let (break_at, rest) = if later { (3, "nop\nnop") } else { (4, "nop") };
                    let lines: Vec<&str> = (2..break_at).map(|_| "nop").chain([last]).collect();
                    let text = format!(".raw vertex\n{outer}\n{inner}\n{}\n{rest}\nend", lines.join("\n"));
                    let found = broken(&text).contains(&(20, Some(break_at)));
                    assert_eq!(found, (outer_loops || inner_loops) && last != "nop" && !later, "{text}");
                }
            }
        }
    }
}

/// Each jump instruction before a branch is reported exactly if it leads into the second arm of the branch.
#[test]
fn each_jump_into_a_second_arm_is_reported() {
    for jump in ["jmpu b0", "jmpc cmp.x", "jmpc cmp.x and cmp.y"] {
        for open in ["ifu b1", "ifc cmp.y"] {
            for to in 1..=8 {
                // Words 4 and 5 are the second arm.
                let text =
                    format!(".raw vertex\n{jump}, {to}\n{open}, 4, 2\nnop\nnop\nnop\nnop\nnop\nnop\nend");
                let found = broken(&text).contains(&(31, Some(0)));
                assert_eq!(found, (4..=5).contains(&to), "{text}");
            }
        }
    }
}

#[test]
fn called_ranges_that_control_also_enters_do_not_always_return() {
    let check = |lines: &str, words: &[u32]| {
        assert_eq!(unwritten(&format!(".raw vertex\n{lines}\nend")), words, "{lines}");
    };
    // A range that is also called does not always return if control falls or jumps into it, starts in it, or is in a call of a longer range.
    check("callu b0, 2, 1\nnop\nnop\nmov o0, r1", &[3]);
    check("callu b0, 3, 2\njmpu b1, 4\nend\nnop\nnop\nmov o0, r1", &[5]);
    check("callu b0, 0, 2\nnop\nmov o0, r1", &[2]);
    check("callu b0, 3, 2\ncallu b0, 4, 2\nend\nnop\nnop\nmov o0, r1", &[5]);
    check("jmpu b0, 3\ncallu b0, 1, 1\nmov o0, r1", &[2]);
    // A range that is only called returns, and one word can end several calls.
    check("callu b0, 2, 1\nend\nnop\nmov o0, r1", &[]);
    check("call 3, 2\nmov o0, r0\nend\nmov r0, v0\ncall 6, 1\nmov o0, r5\nnop\nend", &[]);
    check("call 3, 3\nmov o0, r0\nend\nmov r0, v0\ncall 4, 1\nmov o0, r5\nend", &[5]);
    check("call 3, 2\nmov o0, r1\nend\nmov r0, v0\ncall 6, 1\nnop\nnop\nend", &[1]);
}

#[test]
fn reads_of_unwritten_registers_are_reported() {
    let check = |lines: &str, words: &[u32]| {
        assert_eq!(unwritten(&format!(".raw vertex\n{lines}\nend")), words, "{lines}");
    };
    check("mov o0, r0", &[0]);
    check("mov r0, v0\nmov o0, r0", &[]);
    // Reads are checked by component, after swizzling.
    check("mov r0.xy, v0\nmov o0.xy, r0.yx", &[]);
    check("mov r0.xy, v0\nmov o0.xy, r0.yz", &[1]);
    check("mov r0.xyz, v0\ndp3 o0, r0, r0", &[]);
    check("mov r0.xyz, v0\ndp4 o0, r0, r0", &[1]);
    // The same holds for address registers and condition bits.
    check("mov o0, c0[a0.x]", &[0]);
    check("mova a0.x, v0\nmov o0, c0[a0.x]", &[]);
    check("mova a0.x, v0\nmov o0, c0[a0.y]", &[1]);
    check("mov o0, c0[aL]", &[0]);
    check("for i0, 2\nnop\nnop\nmov o0, c0[aL]", &[]);
    check("jmpc cmp.x, 1", &[0]);
    check("cmp v0, ==, ==, v0\njmpc cmp.x, 2", &[]);
    check("litp r0, v0\njmpc cmp.x and cmp.y, 2", &[]);
    // A read is reported if some path to it has no write: after one arm that writes, but not after two. A loop's body runs at least once.
    check("ifu b0, 2, 0\nmov r0, v0\nmov o0, r0", &[2]);
    check("ifu b0, 2, 1\nmov r0, v0\nmov r0, v1\nmov o0, r0", &[]);
    check("ifu b0, 2, 1\nmov r1, v0\nmov r0, v1\nmov o0, r0", &[3]);
    check("ifu b0, 2, 1\nmov r0, v0\nmov r1, v1\nmov o0, r0", &[3]);
    check("for i0, 2\nmov r0, v0\nnop\nmov o0, r0", &[]);
    check("mov r1, v0\nfor i0, 4\nbreakc cmp.x\nmov r0, v0\nnop\nmov o0, r0", &[2, 5]);
    check("jmpu b0, 2\nmov r0, v0\nmov o0, r0", &[2]);
    // After a call, the registers written in its range count as written, in addition to those written before; separately for each call.
    let called = |main: &str, range: &str| format!("jmpu b0, 3\n{range}\n{main}");
    check(&called("call 1, 2\nmov o0, r0", "mov r0, v0\nnop"), &[]);
    check(&called("callu b0, 1, 2\nmov o0, r0", "mov r0, v0\nnop"), &[4]);
    check(&called("call 1, 2\nmov r1, v0\ncall 1, 2\nmov o0, r1", "mov r0, v0\nnop"), &[]);
    // Registers that the entry initialises count as written.
    let program = read(".padding off\n.raw vertex\nmov o0, c0[a0.y]\njmpc cmp.y, 2\nmov o1, r3\nend");
    let mut entry = entries(&program)[0].clone();
    let words = |entry: &Entry| {
        let found = validate(&program, entry).into_iter();
        found.map(|v| (v.code, v.word)).collect::<Vec<_>>()
    };
    assert_eq!(words(&entry), [(UNWRITTEN, Some(0)), (UNWRITTEN, Some(1)), (UNWRITTEN, Some(2))]);
    entry.interface.inputs =
        vec![Port { slot: 19, mask: 15 }, Port { slot: 32, mask: 2 }, Port { slot: 33, mask: 2 }];
    assert_eq!(words(&entry), []);
    entry.interface.inputs =
        vec![Port { slot: 19, mask: 7 }, Port { slot: 32, mask: 5 }, Port { slot: 33, mask: 1 }];
    assert_eq!(words(&entry), [(UNWRITTEN, Some(0)), (UNWRITTEN, Some(1)), (UNWRITTEN, Some(2))]);
}

/// Returns a program with `n` nested scopes whose ends are one word apart.
fn nested(n: usize, open: &dyn Fn(usize) -> String) -> String {
    let mut text = ".raw geometry\n".to_owned();
    for k in 0..n {
        text += &open(2 * n - k);
        text += "\n";
    }
    text + &"nop\n".repeat(n + 2) + "end"
}

#[test]
fn rules_about_depth_are_checked() {
    let blocks = |n| nested(n, &|end| format!("ifu b0, {end}, 0"));
    rule(26, Some(8), &blocks(9), &blocks(8));
    let loops = |n| nested(n, &|last| format!("for i0, {last}"));
    rule(27, Some(4), &loops(5), &loops(4));
    // Procedure k calls procedure k + 1; each has three words, after the entry's two.
    let calls = |n: u32| {
        let mut text = ".raw vertex\ncall 2, 3\nend\n".to_owned();
        for k in 1..n {
            writeln!(text, "call {}, 3\nnop\nnop", 2 + 3 * k).unwrap();
        }
        text + "nop\nnop\nnop\n"
    };
    rule(25, Some(2 + 3 * 3), &calls(5), &calls(4));
    // A block around a call adds to the depth within the callee.
    let mixed = format!(
        ".raw geometry\n{}call 30, 4\n{}end\n.word 0x84000000\n",
        (0..8).map(|k| format!("ifu b0, {}, 0\n", 17 - k)).collect::<String>(),
        "nop\n".repeat(12),
    );
    let pad = |text: &str| {
        let words = text.lines().count() - 1;
        format!("{text}{}ifu b0, 32, 0\nnop\nnop\nnop\n", "nop\n".repeat(30 - words))
    };
    assert_eq!(broken(&pad(&mixed)), [(26, Some(30))]);
    // A recursive procedure has unlimited depth.
    assert_eq!(broken(".raw vertex\ncall 2, 3\nend\ncallu b0, 2, 3\nnop\nnop"), [(25, Some(2))]);
}

#[test]
fn every_rule_is_broken_here_at_its_level() {
    // Rules 1 to 11 are the rules at error level.
    let listed = || RULES.iter().map(RuleRow::info);
    let errors: BTreeSet<u16> = listed().filter(|r| r.level == Level::Error).map(|r| r.code).collect();
    assert_eq!(errors, (1..=11).collect());
    let codes: BTreeSet<u16> = listed().map(|r| r.code).collect();
    assert_eq!(codes.len(), RULES.len());
    let tests = include_str!("rules.rs");
    for code in codes.iter().filter(|c| **c != 1) {
        let used = [
            format!("rule({code},"),
            format!("({code}, Some"),
            format!("        {code},\n"),
            format!("UNWRITTEN: u16 = {code};"),
        ];
        assert!(used.iter().any(|u| tests.contains(u.as_str())), "no test breaks rule {code}");
    }
}

/// The real programs were made by assemblers. None of them breaks a rule at error level.
#[test]
fn real_programs_have_no_errors() {
    let Some(files) = corpus() else { return };
    let mut warnings = std::collections::BTreeMap::<u16, usize>::new();
    for file in files {
        let program = decode(&file.bytes).unwrap();
        for entry in entries(&program) {
            for violation in validate(&program, &entry) {
                assert_ne!(violation.level, Level::Error, "{}: {violation}", file.name);
                *warnings.entry(violation.code).or_default() += 1;
            }
        }
    }
    eprintln!("warnings by rule: {warnings:?}");
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn violations_are_in_program_order(program in program()) {
        for entry in entries(&program) {
            let found = validate(&program, &entry);
            let words: Vec<u32> = found.iter().filter_map(|v| v.word).collect();
            prop_assert!(words.is_sorted() && words.iter().all(|w| (*w as usize) < program.code.len()));
            for v in &found {
                prop_assert!(RULES.iter().any(|r| (r.code, r.level, r.meaning) == (v.code, v.level, v.message.as_str())));
            }
        }
    }
}
