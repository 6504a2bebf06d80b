//! Tests of verbs (subcommands) from the command line: output, files and exit codes.

use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::{Format, Syntax};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep")).args(arguments).output().unwrap()
}

fn written(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A program that writes to a constant register, which is an error (Flash error 3652).
const ILLEGAL: &str = "version 1 vertex\nmov vc0, va0\nmov op, va0\n";

#[test]
fn validate_prints_rule_position_and_source_and_obeys_levels() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "p.agal.txt", ILLEGAL);
    let done = run(&["validate", &path]);
    let said = text(&done.stdout);
    assert_eq!(done.status.code(), Some(1), "{said}");
    for part in ["error[agal:3652]", "instruction 0", "ERR 3652", "mov vc0, va0", "1 error"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let lowered = run(&["validate", &path, "--warn", "agal:3652"]);
    assert_eq!(lowered.status.code(), Some(0), "{}", text(&lowered.stdout));
    assert!(text(&lowered.stdout).contains("warning[agal:3652]"));
    let denied = run(&["validate", &path, "--warn", "3652", "--deny", "warnings"]);
    assert_eq!(denied.status.code(), Some(1));
    let json = run(&["validate", &path, "--json"]);
    let rows: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&rows[0]["rule"], &rows[0]["instruction"]), (&Value::from(3652), &Value::from(0)));
    assert_eq!(rows[0]["file"], Value::from(path.clone()));
    let config = written(folder.path(), "levels.toml", "allow = ['3652']\n");
    let allowed = run(&["validate", &path, "--config", &config]);
    assert_eq!(text(&allowed.stdout).lines().last(), Some("0 errors, 0 warnings"));
    let typo = written(folder.path(), "typo.toml", "alow = ['3652']\n");
    assert_eq!(run(&["validate", &path, "--config", &typo]).status.code(), Some(2));
    assert_eq!(run(&["validate", &path, "--warn", "agal"]).status.code(), Some(2));
    // The command line takes precedence over the file. Contradicting levels of one rule on the command line are an error.
    let over = run(&["validate", &path, "--config", &config, "--warn", "3652"]);
    assert!(text(&over.stdout).contains("warning[agal:3652]"), "{}", text(&over.stdout));
    let both = run(&["validate", &path, "--warn", "3652", "--allow", "agal:3652"]);
    assert_eq!(both.status.code(), Some(2), "{both:?}");
}

#[test]
fn asm_and_dis_report_broken_rules() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "p.agal.txt", ILLEGAL);
    let program = folder.path().join("p.agal").display().to_string();
    let done = run(&["asm", &path, "-o", &program]);
    assert_eq!(done.status.code(), Some(0));
    assert!(text(&done.stderr).contains("error[agal:3652]"), "{}", text(&done.stderr));
    assert!(text(&run(&["dis", "-v", &program]).stderr).contains("error[agal:3652]"));
    assert!(!text(&run(&["dis", &program]).stderr).contains("3652"));
}

#[test]
fn asm_reads_text_whatever_its_first_line() {
    let folder = tempfile::tempdir().unwrap();
    // The first line of the text looks like no header: the text must be assembled, not copied as the bytes of a program.
    let path = written(folder.path(), "e.a2xx.txt", "EXEC_END ADDR(0x1) CNT(0x0)\nNOP\n");
    let out = folder.path().join("e.bin").display().to_string();
    let done = run(&["asm", &path, "-o", &out]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert_ne!(std::fs::read(&out).unwrap(), std::fs::read(&path).unwrap());
    let picasso = written(folder.path(), "x.v.pica", ".proc main\nmov o0, v0\nend\n.end\n");
    assert_eq!(run(&["asm", &picasso, "-o", &out]).status.code(), Some(0));
    let unnamed = written(folder.path(), "x.s", "end\n");
    let done = run(&["asm", &unnamed, "-o", &out]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("--isa"), "{}", text(&done.stderr));
    // Bytes are not text, even if they are a whole program.
    let program = Agal::encode(&Agal::assemble("version 1 vertex\nmov op, va0\n").unwrap());
    for bytes in [vec![0xa0, 1, 0, 0, 0, 0xa1, 0, 0xff], program] {
        let bytes = written(folder.path(), "b.agal.txt", bytes);
        assert_eq!(run(&["asm", &bytes, "-o", &out]).status.code(), Some(2));
    }
}

#[test]
fn a_single_error_is_printed_in_the_singular() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "p.agal.txt", "version 1 vertex\nmov op, vx0\n");
    let done = run(&["asm", &path]);
    assert!(text(&done.stderr).contains("1 error,"), "{}", text(&done.stderr));
}

#[test]
fn errors_in_the_program_of_a_case_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let env = "[env]\nfuel = 1\nconstants = []\nlanes = [{ slots = [] }]\n";
    for (body, errors) in [("mov op, vx0\n", "1 error"), ("mov op, vx0\nmov op, vx1\n", "2 errors")] {
        let case = format!("isa = \"agal\"\nprogram = \"\"\"\nversion 1 vertex\n{body}\"\"\"\n{env}");
        let done = run(&["run", &written(folder.path(), "c.toml", case)]);
        let message = format!("c.toml: {errors}, so the program in it does not assemble");
        assert!(text(&done.stderr).contains(&message), "{}", text(&done.stderr));
    }
}

#[test]
fn run_as_json_lists_all_inputs_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let program = written(folder.path(), "p.agal.txt", "version 1 vertex\nadd op, va0, vc1\n");
    let case = folder.path().join("c.toml").display().to_string();
    let made = run(&[
        "case",
        "new",
        &program,
        "--constant",
        "1=0.5,0x80000000,nan",
        "--input",
        "0=1,2,3,4",
        "--input",
        "1:0=-1,0,0,0",
        "-o",
        &case,
    ]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let done = run(&["run", &case, "--json"]);
    let run: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(run["isa"], "agal");
    assert_eq!(run["entry"]["stage"], "vertex");
    assert_eq!(run["inputs"]["constants"][1][1]["bits"], "0x80000000");
    assert_eq!(run["inputs"]["lanes"][1][0][0]["value"], "-1.0");
    assert_eq!(run["inputs"]["fuel"], 256);
    assert!(run["options"].as_object().is_some_and(|options| !options.is_empty()));
    let outputs: Vec<&str> =
        run["lanes"][0]["outputs"].as_array().unwrap().iter().map(|o| o["value"].as_str().unwrap()).collect();
    assert_eq!(outputs, ["1.5", "2.0", "NaN", "4.0"]);
}

#[test]
fn malformed_numbers_are_refused_with_the_argument() {
    let folder = tempfile::tempdir().unwrap();
    let program = written(folder.path(), "p.agal.txt", "version 1 vertex\nadd op, va0, vc1\n");
    for wrong in ["1", "x=1", "1=a", "1=1,2,3,4,5", "99999=1", "2=1"] {
        let done = run(&["case", "new", &program, "--constant", wrong]);
        assert_eq!(done.status.code(), Some(2), "{wrong}");
        assert!(text(&done.stderr).contains(wrong), "{wrong}: {}", text(&done.stderr));
    }
}

#[test]
fn the_case_format_that_help_describes_is_read() {
    let described = text(&run(&["case", "format"]).stdout);
    // The example is the indented text before the words "An entry that".
    let example = described.split("An entry that").next().unwrap();
    let case: Vec<&str> = example
        .lines()
        .filter_map(|line| line.strip_prefix("    ").or(line.is_empty().then_some("")))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "c.toml", case.join("\n"));
    let done = run(&["run", &path]);
    assert_eq!(done.status.code(), Some(0), "{}{}", text(&done.stdout), text(&done.stderr));
}

#[test]
fn raw_programs_have_their_entry_in_a_file_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().display().to_string();
    for isa in ["agal", "d3d9", "pica200", "a2xx", "utgard-gp"] {
        let done = run(&["gen", "--isa", isa, "--count", "2", "--raw", &to]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let name = isa.replace('-', "_");
        let stem = folder.path().join(format!("{name}-00000001"));
        let json: Value =
            serde_json::from_slice(&std::fs::read(stem.with_extension("json")).unwrap()).unwrap();
        assert_eq!(json["isa"], name);
        let program = stem.with_extension(&name).display().to_string();
        let listing = run(&["dis", "--isa", isa, &program]);
        assert_eq!(listing.status.code(), Some(0), "{isa}: {}", text(&listing.stderr));
    }
}

#[test]
fn completions_and_the_manual_page_name_every_verb() {
    let (script, page) = (run(&["completions", "bash"]), run(&["man"]));
    // The verbs that the help lists; another test compares them with the expected list.
    let help = text(&run(&["--help"]).stdout);
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let verb = |line: &str| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned);
    let verbs: Vec<String> =
        listed.filter_map(verb).filter(|v| !["", "help", "selftest"].contains(&v.as_str())).collect();
    assert!(verbs.len() > 10, "{verbs:?}");
    let (script, pages) = (text(&script.stdout), text(&page.stdout));
    for verb in verbs {
        // A manual page of its own, and a case in the completion script.
        assert!(pages.contains(&format!("\nlockstep\\-{verb} ")), "{verb}: {pages}");
        assert!(script.contains(&format!("lockstep,{verb})")), "{verb}: {script}");
    }
    assert!(pages.starts_with(".ie"), "roff");
    assert!(!pages.contains("worker"), "a hidden verb has a page");
}

#[test]
fn completions_offer_what_help_shows_and_nothing_that_is_hidden() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = text(&run(&["completions", shell]).stdout);
        for shown in ["trace", "limit", "new", "version", "profile"] {
            assert!(script.contains(shown), "{shell}: {shown} in {script}");
        }
        let words: Vec<&str> = script
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .filter(|word| !word.is_empty())
            .collect();
        for hidden in ["worker", "--fault"] {
            assert!(!words.contains(&hidden), "{shell}: {hidden} in {script}");
        }
        // The syntax of fish.
        assert!(words.windows(2).all(|pair| pair != ["-l", "fault"]), "{shell}: {script}");
    }
}

/// A program that reads an unwritten temporary. Flash has error 3647 for this, but players run such programs.
const DOUBTFUL: &str = "version 1 vertex\nmov vt0, va0\nadd vt0, vt1, vt0\nmov op, vt0\n";

#[test]
fn check_lists_broken_rules_and_fails_where_they_are_denied() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "shaders/p.agal.txt", DOUBTFUL);
    let shaders = folder.path().join("shaders").display().to_string();
    let reports = ["json", "junit", "sarif", "html"].map(|form| folder.path().join(format!("r.{form}")));
    let report = |arguments: &[&str]| {
        let mut all = vec!["check".to_owned(), shaders.clone()];
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        for file in &reports {
            all.push(format!("--{}", file.extension().unwrap().display()));
            all.push(file.display().to_string());
        }
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let done = run(&all);
        (
            done.status.code(),
            text(&done.stdout),
            reports.clone().map(|file| std::fs::read_to_string(file).unwrap()),
        )
    };
    let (code, said, [json, junit, sarif, html]) = report(&[]);
    assert_eq!(code, Some(0), "{said}");
    for form in [&said, &junit, &html] {
        for part in ["warning[agal:3647]", ":3:1", "ERR 3647", "add vt0, vt1, vt0"] {
            assert!(form.contains(part), "{part}: {form}");
        }
    }
    let json: Value = serde_json::from_str(&json).unwrap();
    let broken = &json["items"][0]["violations"][0];
    assert_eq!((&broken["rule"], &broken["line"]), (&Value::from(3647), &Value::from(3)), "{json}");
    assert_eq!(json["isas"][0]["violations"], 1);
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&Value::from("agal:3647"), &Value::from("warning")));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    // A violation of a denied rule is a finding, and a violation of an allowed rule is not reported. Both levels can be set in a file, too.
    let (code, said, [json, junit, ..]) = report(&["--deny", "warnings"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(json.contains("agal-rule-3647-p.agal.txt") && junit.contains("failures=\"1\""), "{json}{junit}");
    for arguments in [["--allow", "agal:3647"], ["--allow", "3647"]] {
        let (code, said, _) = report(&[&["--deny", "warnings"][..], &arguments].concat());
        assert!(code == Some(0) && !said.contains("3647"), "{said}");
    }
    let config = written(folder.path(), "levels.toml", "deny = ['warnings']\n");
    assert_eq!(report(&["--config", &config]).0, Some(1));
    assert_eq!(report(&["--config", &config, "--allow", "3647"]).0, Some(0));
    let here = tempfile::tempdir().unwrap();
    written(here.path(), "lockstep.toml", "deny = ['warnings']\n");
    let done =
        Command::new(env!("CARGO_BIN_EXE_lockstep")).current_dir(here.path()).args(["check", &path]).output();
    assert_eq!(done.unwrap().status.code(), Some(1), "lockstep.toml of the current folder is not read");
    assert_eq!(report(&["--deny", "wranings"]).0, Some(2));
}

#[test]
fn check_can_fail_where_programs_are_refused_or_files_skipped() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), "shaders/p.agal.txt", ILLEGAL);
    written(folder.path(), "shaders/good.agal.txt", "version 1 vertex\nmov op, va0\n");
    written(folder.path(), "shaders/notes.md", "not a shader");
    let shaders = folder.path().join("shaders").display().to_string();
    let check = |arguments: &[&str]| {
        let done = run(&[&["check", &shaders][..], arguments].concat());
        (done.status.code(), text(&done.stdout))
    };
    let (code, said) = check(&[]);
    assert!(code == Some(0) && said.contains("error[agal:3652]"), "{said}");
    let (code, said) = check(&["--deny", "refused"]);
    assert!(code == Some(1) && said.contains("agal-refused-p.agal.txt (seen once, in "), "{said}");
    let (code, said) = check(&["--deny", "skipped"]);
    assert!(code == Some(1) && said.contains("unknown-skipped-notes.md"), "{said}");
    // The reported level of a violation does not affect what can be run.
    let (code, said) = check(&["--deny", "refused", "--warn", "3652"]);
    assert!(code == Some(1) && said.contains("warning[agal:3652]"), "{said}");
}

#[test]
fn a_new_case_contains_exactly_what_was_requested() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov r0, v0\nrep i1\nadd r0, r0, c2\nendrep\nif b2\nmov r0, v1\nendif\nmov oPos, r0\n";
    let program = written(folder.path(), "p.d3d9.txt", lines);
    let made = |arguments: &[&str]| {
        let done = run(&[&["case", "new", &program], arguments].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        lockstep::case::Case::from_text(&text(&done.stdout)).unwrap()
    };
    let plain = made(&[]);
    assert_eq!((plain.env.fuel, plain.env.effects, plain.env.lanes.len()), (256, 64, 1));
    for limit in [0, 1, 63, 65, 1000] {
        let number = limit.to_string();
        assert_eq!(made(&["--effects", &number]).env.effects, limit);
        assert_eq!(made(&["--fuel", &number]).env.fuel, limit);
    }
    // An input without a lane applies to lane 0.
    let env = made(&["--input", "1=5", "--input", "2:0=7,8"]).env;
    let slots: Vec<Vec<[f32; 4]>> = env.lanes.into_iter().map(|lane| lane.slots).collect();
    let zero = [0.0; 4];
    assert_eq!(slots, [vec![zero, [5.0, 0.0, 0.0, 0.0]], vec![], vec![[7.0, 8.0, 0.0, 0.0]]]);
    let env = made(&["--constant", "2=0x3f800000,-0,inf,0.5", "--int", "1=-1,2", "--bool", "2=true"]).env;
    assert_eq!(env.constants, [zero, zero, [1.0, -0.0, f32::INFINITY, 0.5]]);
    assert_eq!((env.ints, env.bools), (vec![[0; 4], [-1, 2, 0, 0]], vec![false, false, true]));
}

#[test]
fn the_file_of_a_seed_is_the_case_of_that_seed() {
    use lockstep::generate::{Entropy, ProgramRequest, any_case, case};
    use lockstep_core::isa::IsaId;
    use lockstep_core::with_isa;
    let folder = tempfile::tempdir().unwrap();
    for &isa in IsaId::ALL {
        for (first, any) in [(0u64, false), (1, true), (41, false), (u64::MAX, false)] {
            let to = folder.path().join(format!("{isa}-{first}")).display().to_string();
            let (seed, name) = (first.to_string(), isa.to_string());
            let mut arguments =
                vec!["gen", "--isa", &name, "--seed", &seed, "--count", "3", "--binary", "-o", &to];
            arguments.extend(any.then_some("--any"));
            let done = run(&arguments);
            assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
            for n in 0..3 {
                let seed = first.wrapping_add(n);
                let bytes = std::fs::read(Path::new(&to).join(format!("{isa}-{seed:08}.case"))).unwrap();
                let mut e = Entropy::seeded(seed);
                let made = if any {
                    any_case(isa, &mut e)
                } else {
                    with_isa!(isa, I => case::<I>(&mut e, &ProgramRequest::default()))
                };
                assert_eq!(bytes, made.to_bytes(), "{isa}, seed {seed}");
            }
        }
    }
}

#[test]
fn long_lists_are_cut_and_counted_unless_all_are_asked_for() {
    for count in [1usize, 11, 12, 13, 30] {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), "p.agal.txt", "version 1 vertex\nmov op, va0\n");
        (0..count).for_each(|n| drop(written(folder.path(), &format!("notes{n}.md"), "hello")));
        let path = folder.path().display().to_string();
        for (all, shown) in [(false, count.min(12)), (true, count)] {
            let done = run(&[&["check", &path][..], if all { &["--all"] } else { &[] }].concat());
            let said = text(&done.stdout);
            assert_eq!(done.status.code(), Some(0), "{said}");
            assert!(said.contains(&format!("skipped: {count}\n")), "{said}");
            let named = said.lines().filter(|line| line.contains(".md: ")).count();
            assert_eq!(named, if shown < count { 0 } else { count }, "{said}");
            // A long list has one line per reason, with the count and the first item.
            let reason = said.lines().filter(|line| line.contains(&format!("seen {count} times, first in ")));
            assert_eq!(reason.count(), usize::from(shown < count), "{said}");
            assert_eq!(said.contains("--all names each"), shown < count, "{said}");
        }
    }
}

#[test]
fn long_lists_of_reasons_are_truncated_with_a_count() {
    for count in [12usize, 13, 30] {
        let folder = tempfile::tempdir().unwrap();
        // Each program breaks the rule at a different instruction, so all reasons differ.
        for n in 0..count {
            let before = "mov vt0, va0\n".repeat(n);
            let program = format!("version 1 vertex\n{before}mov vc0, va0\nmov op, va0\n");
            written(folder.path(), &format!("p{n}.agal.txt"), program);
        }
        let path = folder.path().display().to_string();
        let said = text(&run(&["check", &path]).stdout);
        let (_, refused) =
            said.split_once(&format!("refused: {count}\n")).unwrap_or_else(|| panic!("{said}"));
        let places = (0..count).filter(|n| refused.contains(&format!("  instruction {n}: "))).count();
        assert_eq!(places, if count > 12 { 12 } else { 0 }, "{said}");
        let more = match count {
            13 => "  and 1 more reason\n".to_owned(),
            _ => format!("  and {} more reasons\n", count.saturating_sub(12)),
        };
        assert_eq!(refused.contains(&more), count > 12, "{said}");
        let all = text(&run(&["check", &path, "--all"]).stdout);
        let (_, refused) = all.split_once(&format!("refused: {count}\n")).unwrap_or_else(|| panic!("{all}"));
        assert_eq!(refused.lines().filter(|line| line.contains(".agal.txt: ")).count(), count, "{all}");
    }
}

#[test]
fn twenty_errors_of_a_text_are_shown_and_all_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for count in [1, 2, 19, 20, 21, 50] {
        let lines: String = (0..count).map(|n| format!("mov op, q{n}\n")).collect();
        let path = written(folder.path(), "wrong.agal.txt", format!("version 1 vertex\n{lines}"));
        let done = run(&["asm", &path, "-o", &folder.path().join("never").display().to_string()]);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        let shown = (0..count).filter(|n| said.contains(&format!(":{}:9:", n + 2))).count();
        assert_eq!(shown, count.min(20), "{said}");
        let errors = if count == 1 { "1 error,".to_owned() } else { format!("{count} errors,") };
        assert!(said.contains(&errors), "{said}");
    }
}

#[test]
fn exit_codes_state_whether_there_is_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let illegal = written(folder.path(), "illegal.agal.txt", ILLEGAL);
    let plain = "version 1 vertex\nmov vt0, va0\nmov op, vt0\n";
    let legal = written(folder.path(), "legal.agal.txt", plain);
    let exit = |arguments: &[&str]| {
        let done = run(arguments);
        (done.status.code(), text(&done.stdout) + &text(&done.stderr))
    };
    for claim in ["bytes", "text", "validity", "execution", "rewriting"] {
        let (code, said) = exit(&["reproduce", &legal, "--oracle", claim]);
        assert!(code == Some(0) && said.contains("holds"), "{claim}: {said}");
        let (code, said) = exit(&["minimize", &legal, "--oracle", claim]);
        assert!(code == Some(3) && said.contains("nothing to minimise"), "{claim}: {said}");
        // An illegal program has bytes and text, but is not run.
        let applies = ["bytes", "text"].contains(&claim);
        let (code, said) = exit(&["reproduce", &illegal, "--oracle", claim]);
        assert_eq!(code, Some(if applies { 0 } else { 3 }), "{claim}: {said}");
        assert_eq!(said.contains("does not apply"), !applies, "{claim}: {said}");
    }
    // The program has two instructions; a trace limited to fewer is inconclusive.
    for (limit, expected) in [("0", 3), ("1", 3), ("3", 0)] {
        let (code, said) = exit(&["trace", &legal, "--limit", limit]);
        assert_eq!(
            (code, said.contains("--limit raises it")),
            (Some(expected), expected == 3),
            "{limit}: {said}"
        );
    }
}

#[test]
fn every_entry_of_a_program_is_validated() {
    // Two vertex programs; `emit` is only for geometry programs.
    let part = |name: &str, extra: &str| {
        format!(
            ".in position v0\n.out pos position o0\n.entry {name}\n.proc {name}\n{extra}mov pos, v0\nend\n.end\n"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    for (first, second) in [(false, false), (true, false), (false, true), (true, true)] {
        let bad = |is: bool| if is { "emit\n" } else { "" };
        let program = format!("{}.shader\n{}", part("one", bad(first)), part("two", bad(second)));
        let path = written(folder.path(), "p.pica200.txt", program);
        let done = run(&["validate", &path, "--json"]);
        assert_eq!(done.status.code(), Some(i32::from(first || second)), "{}", text(&done.stderr));
        let rows: Value = serde_json::from_slice(&done.stdout).unwrap();
        let mut entries: Vec<u64> =
            rows.as_array().unwrap().iter().filter_map(|row| row["entry"].as_u64()).collect();
        entries.dedup();
        let expected: Vec<u64> = [(first, 0), (second, 1)].into_iter().filter(|e| e.0).map(|e| e.1).collect();
        assert_eq!(entries, expected, "{rows}");
        let said = text(&run(&["validate", &path]).stdout);
        let at_second = |said: &str| said.contains(": error") && said.contains("entry 1, instruction");
        assert_eq!(at_second(&said), second, "{said}");
        let bytes = folder.path().join("p.shbin").display().to_string();
        let assembled = run(&["asm", &path, "-o", &bytes]);
        for done in [assembled, run(&["dis", "-v", &bytes])] {
            assert_eq!(at_second(&text(&done.stderr)), second, "{}", text(&done.stderr));
        }
    }
}

#[test]
fn outputs_never_overwrite_inputs_or_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("a.agal.txt");
    let program = "version 1 vertex\nmov op, va0\n";
    std::fs::write(&text, program).unwrap();
    let path = text.to_str().unwrap();
    for arguments in [
        ["asm", path, "-o", path].as_slice(),
        &["dis", path, "-o", path],
        &["minimize", path, "-o", path],
        &["case", "new", path, "-o", path],
        &["check", path, "--json", path],
        &["check", path, "--html", path],
        &["run", path, "--time-trace", path],
        &["run", path, "--profile", path],
    ] {
        let done = run(arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        assert_eq!(std::fs::read_to_string(&text).unwrap(), program, "{arguments:?}");
        assert!(String::from_utf8_lossy(&done.stderr).contains("over itself"), "{arguments:?}: {done:?}");
    }
    let report = folder.path().join("r").display().to_string();
    let again = folder.path().join("./r").display().to_string();
    for other in [&report, &again] {
        let done = run(&["check", path, "--json", &report, "--junit", other]);
        assert_eq!(done.status.code(), Some(2), "{other}");
    }
}

#[test]
fn validate_continues_after_an_unreadable_file() {
    let folder = tempfile::tempdir().unwrap();
    let (good, cut) = (folder.path().join("a.agal.txt"), folder.path().join("cut.agal"));
    std::fs::write(&good, "version 1 vertex\nmov vt0, va0\n").unwrap();
    std::fs::write(&cut, [0xa0, 1]).unwrap();
    let done = run(&["validate", cut.to_str().unwrap(), good.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("agal:3635") && said.contains(", 1 file not validated"), "{said}");
    assert!(String::from_utf8_lossy(&done.stderr).contains("cut.agal"), "{done:?}");
}

#[test]
fn slots_are_selected_by_number_register_or_name() {
    let folder = tempfile::tempdir().unwrap();
    let vertex = "vs_2_0\ndcl_position v3\ndcl_texcoord1 v0\nmov oPos, v3\nadd oT0, v0, c1\n";
    let d3d9 = written(folder.path(), "p.d3d9.txt", vertex);
    let shown = text(&run(&["case", "slots", &d3d9]).stdout);
    for row in [
        "input                3  v3          xyzw        position0",
        "constant             1  c1",
        "output               0  oPos",
    ] {
        assert!(shown.contains(row), "{row}: {shown}");
    }
    let env = |program: &str, arguments: &[&str]| {
        let done = run(&[&["case", "new", program], arguments].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        lockstep::case::Case::from_text(&text(&done.stdout)).unwrap().env
    };
    let [by_number, by_register, by_usage] = ["3", "v3", "position0"].map(|name| {
        let input = format!("1:{name}=1,2,3,4");
        env(&d3d9, &["--input", &input, "--constant", "c1=5"])
    });
    assert_eq!(by_number.lanes[1].slots[3], [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(by_number.constants[1][0], 5.0);
    assert!(by_number == by_register && by_register == by_usage);
    // Values left by an earlier run in registers of PICA200.
    let pica = ".fvec matrix[2]\n.in position v1\n.out pos position o0\n.proc main\nmov r0, matrix[1]\nifc cmp.x\nmov r0, v1\n.end\nmov pos, r0\nend\n.end\n";
    let pica = written(folder.path(), "p.pica", pica);
    let left = env(&pica, &["--input", "cmp=1,1", "--input", "position=3", "--constant", "matrix[1]=7"]);
    assert_eq!((left.lanes[0].slots[33], left.lanes[0].slots[1][0]), ([1.0, 1.0, 0.0, 0.0], 3.0));
    assert_eq!(left.constants.iter().filter(|c| c[0] == 7.0).count(), 1);
    for (arguments, said) in [
        (["--input", "normal0=1"], "3 = v3 = position0"),
        (["--constant", "c2=1"], "1 = c1"),
        (["--int", "i0=1"], "takes no integer constants"),
        (["--bool", "0=true"], "takes no Boolean constants"),
        (["--input", "4096:v0=1"], "0 to 4095"),
        (["--fuel", "999999"], "the limit, which is"),
        (["--effects", "99999"], "65536"),
    ] {
        let done = run(&[&["case", "new", &d3d9], &arguments[..]].concat());
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        assert!(text(&done.stderr).contains(said), "{arguments:?}: {}", text(&done.stderr));
    }
}

#[test]
fn reduced_or_exhausted_fuel_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let looping =
        "vs_2_0\ndcl_position v0\ndefi i0, 200, 0, 0, 0\nrep i0\nadd r0, r0, v0\nendrep\nmov oPos, r0\n";
    let program = written(folder.path(), "p.d3d9.txt", looping);
    let short = text(&run(&["run", &program, "--fuel", "3"]).stdout);
    assert!(short.contains("each had 3 ") && short.contains("--fuel N gives up to "), "{short}");
    assert!(!text(&run(&["run", &program, "--fuel", "400"]).stdout).contains("out of fuel"));
    assert_eq!(run(&["run", &program, "--fuel", "4000000"]).status.code(), Some(2));
    let case = folder.path().join("c.toml").display().to_string();
    run(&["case", "new", &program, "-o", &case]);
    let much = std::fs::read_to_string(&case).unwrap().replace("fuel = 256", "fuel = 99999999");
    let much = written(folder.path(), "much.toml", much);
    for verb in ["run", "trace"] {
        let said = text(&run(&[verb, &much]).stderr);
        assert!(said.contains("note: fuel 99999999 is more than the limit"), "{verb}: {said}");
        assert!(!text(&run(&[verb, &case]).stderr).contains("limit"), "{verb}");
    }
    // `check` prints the same note with the name of the case, and writes it into the report.
    let said = text(&run(&["run", &much]).stderr);
    let words = said.lines().find_map(|line| line.strip_prefix("note: ")).unwrap();
    let report = folder.path().join("r.json").display().to_string();
    let told = text(&run(&["check", &much, "--json", &report]).stdout);
    assert!(told.contains(&format!("much.toml: {words}")), "{told}");
    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
    assert!(report["notes"].to_string().contains(words), "{report}");
    assert!(!text(&run(&["check", &case]).stdout).contains("limit"));
}

#[test]
fn violations_name_the_position_in_the_source_text() {
    let folder = tempfile::tempdir().unwrap();
    // Each program reads an unwritten register, in a spelling that differs from the disassembler's.
    for (name, lines, place) in [
        (
            "p.agal.txt",
            "# a comment\n\nagal 1 vs\n   add   vt0.xyzw ,vt1,  va0 // here\nmov op, vt0\n",
            ":4:4",
        ),
        (
            "p.d3d9.txt",
            "// by a compiler\n    VS_1_1\n    dcl_position v0 ; in\n\n  ADD  r0 , r1,v0\n    mov oPos,r0\n",
            ":5:3",
        ),
        (
            "p.pica",
            ".in position v0\n.out pos position o0\n.proc main\n    ; nothing here\n    add r0,r1 , v0\n    mov pos, r0\n    end\n.end\n",
            ":5:5",
        ),
    ] {
        let path = written(folder.path(), name, lines);
        let done = run(&["validate", &path]);
        let said = text(&done.stdout);
        assert!(said.contains(&format!("{path}{place}: warning[")), "{place}: {said}");
        let out = folder.path().join("out").display().to_string();
        for arguments in [vec!["asm", &path, "-o", &out], vec!["run", &path]] {
            let said = text(&run(&arguments).stderr);
            assert!(said.contains(&format!("{path}{place}: warning[")), "{arguments:?}: {said}");
        }
        let checked = text(&run(&["check", &path]).stdout);
        assert!(checked.contains(&format!("{place}: warning[")), "{checked}");
    }
}

#[test]
#[cfg(unix)]
fn control_characters_of_names_and_texts_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\u{1b}]0;title\u{7}.agal.txt";
    let path = written(folder.path(), name, "version 1 vertex\nmov op, \u{1b}[2Jva0\n");
    let fine = written(folder.path(), "b\u{1b}[2J.agal.txt", ILLEGAL);
    let at = folder.path().display().to_string();
    for colour in ["never", "always"] {
        for arguments in [
            vec!["check", &at],
            vec!["check", &at, "--json", "-"],
            vec!["check", &at, "--junit", "-"],
            vec!["check", &at, "--html", "-"],
            vec!["validate", &fine],
            vec!["validate", &path],
            vec!["asm", &path],
            vec!["run", &fine],
            vec!["run", &path],
            vec!["trace", &path],
            vec!["dis", &path],
        ] {
            let arguments = [&["--color", colour], &arguments[..]].concat();
            let done = run(&arguments);
            for said in [done.stdout, done.stderr] {
                let said = text(&said);
                assert!(!said.contains("\u{1b}]") && !said.contains("\u{1b}[2J"), "{arguments:?}: {said:?}");
                assert!(!said.contains('\u{7}'), "{arguments:?}: {said:?}");
            }
        }
    }
    assert!(text(&run(&["validate", &fine]).stdout).contains("b\\u001b[2J.agal.txt"));
}

#[test]
fn two_reports_for_standard_output_are_refused_with_its_name() {
    let done = run(&["check", "--json", "-", "--junit", "-"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("standard output"), "{}", text(&done.stderr));
}

#[test]
#[cfg(unix)]
fn an_interrupt_of_gen_and_prove_prints_partial_results() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases").display().to_string();
    for arguments in [vec!["gen", "--count", "1000000", "-o", &cases], vec!["prove", "--isa", "d3d9"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        let child = command.args(&arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let done = child.wait_with_output().unwrap();
        let said = text(&done.stdout);
        assert_eq!(done.status.code(), Some(3), "{arguments:?}: {said}");
        assert!(said.contains("interrupted"), "{arguments:?}: {said}");
    }
}

#[test]
fn rules_of_several_sets_are_named_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "p.agal.txt", ILLEGAL);
    for (rule, said) in [("2", "agal:2 or pica200:2"), ("64999", "there is no rule '64999'")] {
        let done = run(&["validate", &path, "--allow", rule]);
        assert_eq!(done.status.code(), Some(2), "{rule}");
        assert!(text(&done.stderr).contains(said), "{rule}: {}", text(&done.stderr));
    }
    assert_eq!(run(&["validate", &path, "--allow", "agal:2"]).status.code(), Some(1));
}

#[test]
fn dis_reports_notes_and_asm_reproduces_the_words() {
    use lockstep_core::isa::utgard_gp::UtgardGp;
    let folder = tempfile::tempdir().unwrap();
    let words = UtgardGp::encode(
        &UtgardGp::assemble(
            "attribute.load(0);\nacc[0].add(attribute.x, ident), store[0].varying(0, acc[0].out, unused);\n",
        )
        .unwrap(),
    );
    let path = written(folder.path(), "v.utgard_gp", &words);
    let plain = run(&["dis", &path]);
    assert_eq!((plain.status.code(), text(&plain.stderr).as_str()), (Some(0), ""));
    let notes =
        "uniform_size 48\nconstant_size 4\nprefetch 0\ngl_pos_idx 0\npoint_size_idx -1\nconst 0 0x3f800000\n";
    written(folder.path(), "v.meta", notes);
    let noted = run(&["dis", &path]);
    assert!(text(&noted.stderr).contains("v.meta"), "{}", text(&noted.stderr));
    let listing = written(folder.path(), "w.utgard_gp.txt", &noted.stdout);
    let out = folder.path().join("w.bin").display().to_string();
    assert_eq!(run(&["asm", &listing, "-o", &out]).status.code(), Some(0));
    let made = UtgardGp::decode(&std::fs::read(&out).unwrap()).unwrap();
    assert_eq!(made.words, UtgardGp::decode(&words).unwrap().words);
    assert!(!made.facts.is_empty());
}
