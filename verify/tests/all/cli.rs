//! Every verb from the command line: exit code, output, and the handling of bad input.

use crate::whole_check::WholeCheck;
use lockstep::worst::worst;
use lockstep_core::isa::IsaId;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const TEXT: &str = "version 1 vertex\nm44 op, va0, vc0\nadd v0, va1, vc4.x\n";

fn lockstep() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.env_remove("LOCKSTEP_LOG").env_remove("LOCKSTEP_CORPORA").env_remove("NO_COLOR");
    command
}

fn run(arguments: &[&str]) -> Output {
    lockstep().args(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

fn fed(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = lockstep()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // The process may stop reading early.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a file");
    path.display().to_string()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Assembles [`TEXT`] and returns the path of the program.
fn program(folder: &Path) -> String {
    let text = file(folder, "p.agal.txt", TEXT);
    let path = folder.join("p.agal").display().to_string();
    let done = run(&["asm", &text, "-o", &path]);
    assert_eq!(code(&done), 0, "{}", err(&done));
    path
}

#[test]
fn help_names_every_verb_and_has_examples() {
    let done = run(&["--help"]);
    assert_eq!(code(&done), 0);
    let help = out(&done);
    assert!(help.contains("Examples") && help.contains("Exit codes"), "{help}");
    // The verbs below the heading, without their descriptions.
    let listed = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let verb = |line: &str| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned);
    let verbs: Vec<String> =
        listed.filter_map(verb).filter(|v| !["", "help"].contains(&v.as_str())).collect();
    // Only builds with planted faults have the verb `selftest`.
    let (selftest, verbs): (Vec<String>, Vec<String>) = verbs.into_iter().partition(|v| v == "selftest");
    assert_eq!(!selftest.is_empty(), cfg!(feature = "selftest"));
    let known = [
        "check",
        "validate",
        "prove",
        "asm",
        "dis",
        "run",
        "trace",
        "reproduce",
        "minimize",
        "gen",
        "case",
        "vector",
        "judge",
        "explain",
        "serve",
        "bugs",
        "isa",
        "completions",
        "man",
    ];
    assert_eq!(verbs, known);
    for verb in &verbs {
        let done = run(&[verb, "--help"]);
        assert!(code(&done) == 0 && out(&done).contains("Example"), "{verb}: {}", out(&done));
    }
    assert_eq!(code(&run(&["no-such-verb"])), 2);
    assert_eq!(code(&run(&[])), 2);
}

/// The command's help states that it exits with 3 if nothing was proved.
#[test]
fn proofs_of_nothing_are_inconclusive() {
    let done = run(&["prove", "--isa", "agal", "--filter", "the name of no obligation"]);
    assert_eq!(code(&done), 3, "{}{}", out(&done), err(&done));
}

#[test]
fn text_and_bytes_convert_both_ways() {
    let folder = folder();
    let path = program(folder.path());
    // A header of 7 bytes and two tokens of 24 bytes.
    assert_eq!(std::fs::metadata(&path).expect("written").len(), 7 + 2 * 24);
    let text = run(&["dis", &path]);
    assert_eq!(code(&text), 0);
    assert!(out(&text).contains("m44 op, va0, vc0"), "{}", out(&text));
    let again = fed(&["asm", "--isa", "agal", "-"], out(&text).as_bytes());
    assert_eq!(again.stdout, std::fs::read(&path).expect("written"));
    let piped = fed(&["dis", "-"], &again.stdout);
    assert_eq!(piped.stdout, text.stdout);
}

#[test]
fn all_errors_in_text_are_shown_at_their_columns() {
    let folder = folder();
    let text = file(folder.path(), "wrong.agal.txt", "version 1 vertex\nmov op, vx0\nfoo op, va0\n");
    let done = run(&["asm", &text, "-o", &folder.path().join("never").display().to_string()]);
    assert_eq!(code(&done), 2);
    let said = err(&done);
    assert!(
        said.contains("2:9") && said.contains("vx0") && said.contains("3:1") && said.contains("foo"),
        "{said}"
    );
    assert!(!said.contains('\u{1b}'), "colours without a terminal: {said}");
    assert!(!folder.path().join("never").exists());
}

#[test]
fn run_prints_outputs_and_agreement() {
    let folder = folder();
    let path = program(folder.path());
    let done = run(&["run", &path, "--seed", "2"]);
    assert_eq!(code(&done), 0, "{}", err(&done));
    assert!(
        out(&done).contains("op.x") && out(&done).contains("v0.w") && out(&done).contains("agrees"),
        "{}",
        out(&done)
    );
    let json = run(&["run", &path, "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(value["lanes"][0]["outputs"].as_array().map(Vec::len), Some(8));
    assert!(
        value["engines"].as_array().is_some_and(|e| e.iter().all(|e| e["agrees"] == true) && e.len() >= 4)
    );
}

/// Two lanes, of which only the second shows a fault in the sum: the first adds zero.
const SUMS: &str = "isa = \"agal\"\nprogram = \"\"\"\nversion 1 vertex\nadd op, va0, va1\nmul v3.xz, va0, vc0\nmov v3.yw, vc0\n\"\"\"\n\
    [env]\nconstants = [[0.5, -0.0, inf, 7.0]]\nfuel = 1\nlanes = [\n\
    { slots = [[1.0, 2.0, 3.0, -4.0], [0.0, 0.0, 0.0, 0.0]] },\n\
    { slots = [[10.0, 0.1, nan, 1e30], [0.25, 0.2, 1.0, 1e30]] },\n]\n";

/// The expected outputs: for each lane the decimals and bits. 0.1 + 0.2 in binary32 is 0x3e99999a; 3 * inf is inf, not NaN.
const SUMMED: [[(&str, &str, u32); 8]; 2] = [
    [
        ("op.x", "1.0", 0x3f80_0000),
        ("op.y", "2.0", 0x4000_0000),
        ("op.z", "3.0", 0x4040_0000),
        ("op.w", "-4.0", 0xc080_0000),
        ("v3.x", "0.5", 0x3f00_0000),
        ("v3.y", "-0.0", 0x8000_0000),
        ("v3.z", "inf", 0x7f80_0000),
        ("v3.w", "7.0", 0x40e0_0000),
    ],
    [
        ("op.x", "10.25", 0x4124_0000),
        ("op.y", "0.3", 0x3e99_999a),
        ("op.z", "NaN", 0x7fc0_0000),
        ("op.w", "2e30", 0x71c9_f2ca),
        ("v3.x", "5.0", 0x40a0_0000),
        ("v3.y", "-0.0", 0x8000_0000),
        ("v3.z", "NaN", 0x7fc0_0000),
        ("v3.w", "7.0", 0x40e0_0000),
    ],
];

#[test]
fn run_prints_every_component_of_every_lane() {
    let folder = folder();
    let path = file(folder.path(), "sums.toml", SUMS);
    let done = run(&["run", &path]);
    assert_eq!(code(&done), 0, "{}{}", out(&done), err(&done));
    let printed: Vec<Vec<String>> =
        out(&done).lines().map(|l| l.split_whitespace().map(str::to_owned).collect()).collect();
    let mut expected: Vec<Vec<String>> = Vec::new();
    for (lane, components) in SUMMED.iter().enumerate() {
        expected.push(vec!["lane".to_owned(), lane.to_string(), "Finished".to_owned()]);
        let line = |(name, value, bits): &(&str, &str, u32)| {
            vec![(*name).to_owned(), (*value).to_owned(), format!("0x{bits:08x}")]
        };
        expected.extend(components.iter().map(line));
    }
    assert_eq!(printed[..expected.len()], expected, "{}", out(&done));
    // Each engine, in both ways of lowering, reports that it agrees, and nothing else is printed.
    let said: Vec<String> = printed[expected.len()..].iter().map(|words| words.join(" ")).collect();
    for mode in ["nodes", "fallback"] {
        assert!(said.contains(&format!("IR evaluator, {mode} agrees")), "{said:?}");
        assert!(said.contains(&format!("executor, portable, {mode} agrees")), "{said:?}");
    }
    assert!(said.iter().all(|line| line.ends_with(" agrees")) && said.len().is_multiple_of(2), "{said:?}");

    let json = run(&["run", &path, "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(value["isa"], "agal");
    assert_eq!(value["engines"].as_array().map(Vec::len), Some(said.len()));
    let lanes = value["lanes"].as_array().expect("lanes");
    assert_eq!(lanes.len(), 2);
    for (at, (lane, components)) in lanes.iter().zip(&SUMMED).enumerate() {
        assert_eq!(lane["lane"], at);
        let written: Vec<_> = components
            .iter()
            .map(|(name, value, bits)| {
                serde_json::json!({ "name": name, "value": value, "bits": format!("0x{bits:08x}") })
            })
            .collect();
        assert_eq!(lane["outputs"].as_array(), Some(&written), "lane {at}");
    }
}

#[test]
fn run_names_the_lane_and_the_component_in_which_an_engine_differs() {
    let folder = folder();
    let path = file(folder.path(), "sums.toml", SUMS);
    // In the lowered programs the sum becomes a difference: 10 - 0.25 on lane 1.
    let done = run(&["run", &path, "--fault", "0"]);
    assert_eq!(code(&done), 1, "{}", out(&done));
    let engines: Vec<String> = out(&done)
        .lines()
        .filter(|l| l.contains("executor") || l.contains("IR evaluator"))
        .map(str::to_owned)
        .collect();
    assert!(engines.len() >= 4, "{engines:?}");
    for line in &engines {
        let said = ["lane 1, op.x: ", "9.75 (0x411c0000)", "the reference has 10.25 (0x41240000)"];
        assert!(said.iter().all(|part| line.contains(part)), "{line}");
    }
    let json = run(&["run", &path, "--fault", "0", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let opinions = value["engines"].as_array().expect("engines");
    assert_eq!(opinions.len(), engines.len());
    assert!(opinions.iter().all(|e| e["agrees"] == false && e["difference"]["lane"] == 1), "{opinions:?}");
    // The reference's numbers are still printed.
    assert_eq!(value["lanes"][1]["outputs"][0]["value"], "10.25");
}

#[test]
fn run_takes_the_seed_the_entry_and_every_lane_of_the_environment() {
    let folder = folder();
    let path = program(folder.path());
    let outputs = |seed: &str| out(&run(&["run", &path, "--seed", seed]));
    assert_eq!(outputs("2"), outputs("2"));
    assert_ne!(outputs("2"), outputs("3"));
    assert_eq!(outputs("2").lines().filter(|line| line.starts_with("lane ")).count(), 8, "{}", outputs("2"));
    let done = run(&["run", &path, "--entry", "1"]);
    assert!(code(&done) == 2 && err(&done).contains("no entry 1"), "{}", err(&done));
}

#[test]
fn an_option_given_by_name_takes_effect() {
    // For equal numbers "greater" is false and "greater or equal" is true.
    let folder = folder();
    let text = "isa = \"agal\"\nprogram = \"\"\"\nversion 2 vertex\nmov vt0, va0\nifg va0.x, vc0.x\nmov vt0, vc0\neif\nmov op, vt0\n\"\"\"\n\
        [env]\nconstants = [[1.0, 2.0, 3.0, 4.0]]\nfuel = 1\nlanes = [{ slots = [[1.0, 6.0, 7.0, 8.0]] }]\n";
    let path = file(folder.path(), "equal.toml", text);
    for (arguments, y) in [(&[][..], "6.0"), (&["-O", "ifg=gt"], "6.0"), (&["-O", "ifg=ge"], "2.0")] {
        let done = run(&[&["run", &path, "--json"], arguments].concat());
        assert_eq!(code(&done), 0, "{}", err(&done));
        let value: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
        assert_eq!(value["lanes"][0]["outputs"][1]["value"], y, "{arguments:?}");
        let traced = run(&[&["trace", &path], arguments].concat());
        assert_eq!(out(&traced).contains("mov vt0, vc0"), y == "2.0", "{arguments:?}: {}", out(&traced));
    }
}

#[test]
fn columns_are_counted_in_characters() {
    let folder = folder();
    // In the comment each character takes one column and two or three bytes.
    let path = file(
        folder.path(),
        "letters.agal.txt",
        "version 1 vertex\nmov op, \u{e9}\u{4e16}, va0\nadd \u{e9}\u{e9}\u{e9}, qq\n",
    );
    let done = run(&["asm", &path, "-o", &folder.path().join("never").display().to_string()]);
    let said = err(&done);
    assert!(code(&done) == 2 && said.contains(":2:9:") && said.contains(":3:5:"), "{said}");
    let long = format!("version 1 vertex\nmov op, va0 {}, qq\n", "\u{e9}".repeat(600));
    let done = run(&[
        "asm",
        &file(folder.path(), "long.agal.txt", long),
        "-o",
        &folder.path().join("never").display().to_string(),
    ]);
    let said = err(&done);
    let lines: Vec<&str> = said.lines().collect();
    let mark = lines.iter().position(|l| l.trim() == "^").expect("a mark");
    let column = lines[mark].chars().count() - 1;
    assert!(lines[0].contains(":2:13:"), "{said}");
    assert_eq!(lines[mark - 1].chars().nth(column), Some('\u{e9}'), "{said}");
    assert_eq!(lines[mark - 1].chars().nth(column - 1), Some(' '), "{said}");
}

#[test]
fn options_are_checked_by_name() {
    let folder = folder();
    let path = program(folder.path());
    assert_eq!(code(&run(&["run", &path, "-O", "ifg=ge"])), 0);
    let done = run(&["run", &path, "-O", "ifg=often"]);
    assert!(code(&done) == 2 && err(&done).contains("gt, ge"), "{}", err(&done));
    let done = run(&["run", &path, "-O", "nonsense"]);
    assert!(code(&done) == 2 && err(&done).contains("OPTION=CHOICE"), "{}", err(&done));
}

#[test]
fn a_trace_shows_each_instruction_and_marks_the_first_divergence() {
    let folder = folder();
    let path = program(folder.path());
    let done = run(&["trace", &path, "--lane", "1"]);
    assert_eq!(code(&done), 0, "{}{}", out(&done), err(&done));
    let said = out(&done);
    assert!(
        said.contains("m44 op, va0, vc0") && said.contains("op.x") && said.contains("no difference"),
        "{said}"
    );
    // m44 lowers to sixteen products and twelve sums; changing the first of these changes op.
    let done = run(&["trace", &path, "--lane", "1", "--fault", "0"]);
    let said = out(&done);
    assert_eq!(code(&done), 1, "{said}");
    let marked = said.lines().find(|line| line.contains("first divergence")).expect("a mark");
    assert!(marked.contains("m44"), "{said}");
    assert!(said.lines().any(|line| line.contains("op.") && line.contains("!=")), "{said}");
    let json = run(&["trace", &path, "--fault", "0", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(value["first_difference"], 0);
    let done = run(&["trace", &path, "--lane", "99"]);
    assert!(code(&done) == 2 && err(&done).contains("99"), "{}", err(&done));
}

#[test]
fn a_program_of_too_many_states_is_traced_in_the_fallback() {
    let folder = folder();
    let family = worst(IsaId::D3d9).iter().find(|family| family.name == "calls four deep").expect("a family");
    let path = file(folder.path(), "calls.d3d9.txt", (family.text)(10));
    let done = run(&["trace", &path, "--limit", "50000"]);
    assert_eq!(code(&done), 0, "{}{}", out(&done), err(&done));
    let said = out(&done);
    assert!(
        said.contains("no difference") && said.contains("not run: nodes: too many nodes in the control flow"),
        "{said}"
    );
    assert!(said.lines().any(|line| line.contains("fallback") && line.contains("agrees")), "{said}");
}

#[test]
fn programs_that_neither_lowering_accepts_run_out_of_fuel_on_the_reference() {
    let folder = folder();
    let family = worst(IsaId::A2xx).iter().find(|family| family.name == "calls four deep of a fragment");
    let path = file(folder.path(), "calls.a2xx.txt", (family.expect("a family").text)(48));
    let done = run(&["run", &path]);
    assert_eq!(code(&done), 3, "{}{}", out(&done), err(&done));
    let said = out(&done);
    assert!(said.contains("out of fuel: ") && said.contains("the program has no fallback"), "{said}");
    assert!(!said.contains("agrees"), "{said}");
    let done = run(&["check", "--no-proofs", &path]);
    assert!(code(&done) == 3 && !out(&done).contains("too many nodes"), "{}{}", out(&done), err(&done));
}

#[test]
fn traces_of_quads_stay_aligned_across_branches() {
    let folder = folder();
    let text = "version 2 fragment\nmov ft0, v0\nifg v0.x, fc0.x\nadd ft0, ft0, fc0\nels\nmul ft0, ft0, fc0\neif\nmov oc, ft0\n";
    let path = file(folder.path(), "branch.agal.txt", text);
    for seed in ["0", "1", "2", "3"] {
        for lane in ["0", "1", "2", "3", "7"] {
            let done = run(&["trace", &path, "--seed", seed, "--lane", lane]);
            assert_eq!(code(&done), 0, "seed {seed}, lane {lane}: {}", out(&done));
            let arms = [out(&done).contains("add ft0"), out(&done).contains("mul ft0")];
            assert!(arms[0] != arms[1], "not exactly one arm: {}", out(&done));
        }
    }
}

#[test]
fn reproduce_and_minimize_say_when_nothing_fails() {
    let folder = folder();
    let path = program(folder.path());
    let done = run(&["reproduce", &path]);
    assert_eq!(code(&done), 0, "{}", out(&done));
    for claim in ["bytes", "text", "validity", "execution", "rewriting"] {
        assert!(out(&done).lines().any(|l| l.starts_with(claim) && l.contains("holds")), "{}", out(&done));
    }
    let done = run(&["reproduce", &path, "--oracle", "execution"]);
    assert_eq!(out(&done).lines().count(), 1);
    assert_eq!(code(&run(&["reproduce", &path, "--oracle", "magic"])), 2);
    let done = run(&["minimize", &path, "-o", &folder.path().join("small.toml").display().to_string()]);
    assert!(code(&done) == 3 && err(&done).contains("nothing"), "{}", err(&done));
    // A case that is refused: claims about running do not apply.
    let refused = file(folder.path(), "refused.agal.txt", "version 1 vertex\nmov va0, vc0\n");
    let done = run(&["reproduce", &refused, "--oracle", "execution"]);
    assert_eq!(code(&done), 3, "{}{}", out(&done), err(&done));
}

#[test]
fn the_manual_is_printed_and_survives_a_closed_pipe() {
    let manual = run(&["isa", "agal"]);
    assert!(code(&manual) == 0 && out(&manual).contains("m44") && out(&manual).lines().count() > 40);
    let listed = out(&run(&["isa"]));
    assert_eq!(
        listed.split_whitespace().collect::<Vec<_>>(),
        ["agal", "pica200", "utgard_gp", "a2xx", "d3d9"]
    );
    for name in listed.split_whitespace() {
        let manual = run(&["isa", name]);
        assert!(code(&manual) == 0 && out(&manual).lines().count() > 40, "{name}");
    }
    assert_eq!(code(&run(&["isa", "z80"])), 2);
    // A reader that closes the pipe at once.
    let mut child =
        lockstep().args(["isa", "agal"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    drop(child.stdout.take());
    let done = child.wait_with_output().expect("it ends");
    assert!(done.status.code() == Some(0) && done.stderr.is_empty(), "{done:?}");
}

#[test]
fn check_everything_is_clean_and_reports_in_every_form() {
    let check = WholeCheck::run();
    let said = &check.text;
    assert_eq!(check.status, 0, "{said}");
    assert!(
        said.contains("agal")
            && said.contains("pica200")
            && said.contains("clean in")
            && !said.contains('\u{1b}'),
        "{said}"
    );
    let json: serde_json::Value = serde_json::from_str(&check.report("r.json")).expect("JSON");
    assert_eq!(json["schema"], "lockstep-report/1");
    assert_eq!(json["verdict"], "clean");
    let row = &json["isas"][0];
    for key in ["programs", "decoded", "bytes", "text", "run", "lanes", "components", "rewritten", "vectors"]
    {
        assert!(row[key].as_u64().is_some_and(|n| n > 0), "{key}: {row}");
    }
    let sarif: serde_json::Value = serde_json::from_str(&check.report("r.sarif")).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let begins = |name, text| check.report(name).starts_with(text);
    assert!(begins("r.xml", "<?xml") && begins("r.html", "<!doctype html>"));
    assert!(!check.has_findings(), "a clean run leaves no findings");
}

#[test]
fn proofs_that_are_left_out_are_named() {
    let folder = folder();
    let programs = folder.path().join("agal/programs");
    std::fs::create_dir_all(&programs).expect("a folder");
    program(&programs);
    let done = lockstep()
        .args(["check", "--isa", "agal", "--no-proofs", "--json", "-"])
        .env("LOCKSTEP_CORPORA", folder.path())
        .output()
        .expect("the binary runs");
    let json: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON and nothing else");
    let skipped = json["skipped"].as_array().expect("a list");
    assert!(skipped.iter().any(|s| s["name"] == "proofs"), "skipped proofs are not named: {skipped:?}");
}

#[test]
fn check_of_a_folder_counts_and_names_what_it_skips() {
    let folder = folder();
    program(folder.path());
    file(folder.path(), "notes.md", "not a shader");
    let path = folder.path().display().to_string();
    let done = run(&["check", &path, "--json", "-"]);
    assert_eq!(code(&done), 0, "{}{}", out(&done), err(&done));
    let json: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON and nothing else");
    // The program as text and as bytes.
    assert_eq!(json["isas"][0]["programs"], 2);
    let skipped = json["skipped"].as_array().expect("a list");
    assert!(
        skipped.len() == 1 && skipped[0]["name"].as_str().is_some_and(|n| n.ends_with("notes.md")),
        "{skipped:?}"
    );
}

#[test]
fn a_run_that_checks_nothing_fails() {
    let folder = folder();
    let done = run(&["check", &folder.path().display().to_string()]);
    assert!(code(&done) == 3 && out(&done).contains("nothing was checked"), "{}", out(&done));
    let done = run(&["check", "--corpora", &folder.path().join("absent").display().to_string()]);
    assert!(code(&done) == 2 && err(&done).contains("absent"), "{}", err(&done));
}

#[test]
fn regressions_that_compare_nothing_are_findings_and_absent_folders_are_errors() {
    let folder = folder();
    let agal = folder.path().join("agal");
    for subfolder in ["programs", "vectors", "regressions"] {
        std::fs::create_dir_all(agal.join(subfolder)).expect("folders");
    }
    let check = || {
        let corpora = folder.path().display().to_string();
        let real = folder.path().join("programs").display().to_string();
        lockstep()
            .args(["check", "--no-proofs", "--corpora", &corpora, "--isa", "agal", "--json", "-"])
            .env("LOCKSTEP_REAL_CORPORA", real)
            .output()
            .expect("the binary runs")
    };
    let head = "isa = \"agal\"\nprogram = \"\"\"\nversion 1 vertex\nmov op, va0\n\"\"\"\n";
    let env = |lanes: &str| format!("[env]\nconstants = []\nfuel = 1\nlanes = [{lanes}]\n");
    let lane = "{ slots = [[1.0, 2.0, 3.0, 4.0]] }";
    // A check of nothing must fail. The programs that are run are generated, not read from the folder.
    let json = |done: &Output| -> serde_json::Value { serde_json::from_slice(&done.stdout).expect("JSON") };
    let done = check();
    assert_eq!(code(&done), 3, "{}{}", out(&done), err(&done));
    let arrays = json(&done)["isas"][0]["run"].clone();
    assert!(arrays.as_u64() > Some(0), "{arrays}");
    for (name, text) in [
        ("option", format!("{head}[options]\nno_such_axis = \"x\"\n{}", env(lane))),
        ("entry", format!("{head}entry = {{ own = 7 }}\n{}", env(lane))),
        ("lanes", format!("{head}{}", env(""))),
    ] {
        std::fs::write(agal.join("regressions").join(format!("{name}.toml")), text).expect("a file");
    }
    // In one run, because each run generates the arrays.
    let done = check();
    assert_eq!(code(&done), 1, "{}{}", out(&done), err(&done));
    let json = json(&done);
    let findings = json["findings"].as_array().expect("a list");
    let signatures: Vec<_> = findings.iter().map(|finding| finding["signature"].as_str()).collect();
    let expected = ["entry", "lanes", "option"].map(|name| format!("agal-corpus-{name}.toml"));
    assert_eq!(signatures, expected.each_ref().map(|name| Some(name.as_str())));
    let ours = |finding: &serde_json::Value| {
        finding["message"].as_str().is_some_and(|message| message.contains("case of the project's own"))
    };
    assert!(findings.iter().all(ours), "{json}");
    assert_eq!(json["isas"][0]["run"], arrays, "only the covering arrays were run");
    // A missing folder is a finding.
    std::fs::remove_dir_all(agal.join("regressions")).expect("it is there");
    std::fs::create_dir(agal.join("regressions")).expect("a folder");
    std::fs::remove_dir(agal.join("vectors")).expect("it is there");
    let done = check();
    assert!(code(&done) == 1 && err(&done).contains("vectors"), "{}{}", out(&done), err(&done));
}

#[test]
fn a_false_vector_is_a_finding() {
    let folder = folder();
    let vector = "isa = \"agal\"\n[[vector]]\nname = \"wrong\"\nsource = \"s\"\nderivation = \"d\"\n\
                  program = \"\"\"\nversion 1 vertex\nadd op, va0, va0\n\"\"\"\n\
                  [[vector.lane]]\ninput = { va0 = [1, 2, 3, 4] }\noutput = { op = [2, 4, 6, 9] }\n";
    let path = file(folder.path(), "wrong.toml", vector);
    let done = run(&["check", &path]);
    assert_eq!(code(&done), 1, "{}{}", out(&done), err(&done));
    assert!(
        out(&done).contains("op.w") && out(&done).contains("wrong") && out(&done).contains("1 finding in"),
        "{}",
        out(&done)
    );
}

#[test]
fn verbose_runs_show_spans_on_standard_error() {
    let folder = folder();
    let path = program(folder.path());
    let quiet = run(&["check", &path]);
    assert!(err(&quiet).is_empty(), "{}", err(&quiet));
    let done = run(&["check", &path, "-v"]);
    assert!(err(&done).contains("judge"), "{}", err(&done));
    let done =
        lockstep().args(["check", &path]).env("LOCKSTEP_LOG", "lockstep=debug").output().expect("runs");
    assert!(err(&done).contains("judged"), "{}", err(&done));
}

#[test]
fn colours_follow_the_flag_and_the_variable() {
    let folder = folder();
    let path = program(folder.path());
    assert!(out(&run(&["check", &path, "--color", "always"])).contains('\u{1b}'));
    assert!(!out(&run(&["check", &path])).contains('\u{1b}'));
}

/// Fails unless each of the verbs in [`check_verbs_fail`] fails for a damaged file within 20 seconds and prints one of the texts `why` on standard
/// error. For `check` the failure is a finding.
fn check_damaged_file(path: &str, why: &[&str]) {
    check_verbs_fail(path, why, 1);
}

/// Like [`check_damaged_file`], for a file of unknown kind or a missing file. For `check` the failure is a usage error.
fn check_unknown_file(path: &str, why: &[&str]) {
    check_verbs_fail(path, why, 2);
}

fn check_verbs_fail(path: &str, why: &[&str], check: i32) {
    for verb in ["check", "asm", "dis", "run", "trace", "reproduce", "minimize"] {
        let started = Instant::now();
        let mut child = lockstep()
            .args([verb, path])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let status = loop {
            match child.try_wait().expect("a child") {
                Some(status) => break status,
                None if started.elapsed() > Duration::from_secs(20) => {
                    let _ = child.kill();
                    panic!("{verb} {path} does not end");
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let output = child.wait_with_output().expect("it ended");
        let expected = if verb == "check" { check } else { 2 };
        assert_eq!(status.code(), Some(expected), "{verb} {path}: {}", err(&output));
        // `asm` treats every file as text: it names a line and column, or asks for the instruction set.
        let text: &[&str] = if verb == "asm" { &["does not assemble", "--isa NAME"] } else { &[] };
        let said = err(&output);
        assert!(why.iter().chain(text).any(|why| said.contains(why)), "{verb} {path}: {said}");
        assert!(output.stderr.len() < 100_000, "{verb} {path}: {} bytes of error", output.stderr.len());
    }
}

#[test]
fn bad_bytes_are_refused_with_an_offset() {
    let folder = folder();
    let path = program(folder.path());
    let bytes = std::fs::read(&path).expect("written");
    // The offset is 0x0 if too little is left to recognise the format, otherwise that of the truncated token.
    for end in [0, 3, 6, 8, 30, bytes.len() - 1] {
        let cut = file(folder.path(), "cut.agal", &bytes[..end]);
        check_damaged_file(&cut, &["at byte 0x"]);
    }
    let mut word = 0x2545_f491_4f6c_dd1du64;
    let mut random = |len: usize| -> Vec<u8> {
        (0..len)
            .map(|_| {
                word ^= word << 13;
                word ^= word >> 7;
                word ^= word << 17;
                word as u8
            })
            .collect()
    };
    check_damaged_file(&file(folder.path(), "random.agal", random(5000)), &["at byte 0x"]);
    check_unknown_file(&file(folder.path(), "random.bin", random(5000)), &["at byte 0x"]);
    check_damaged_file(&file(folder.path(), "random.agal.txt", random(5000)), &["at byte 0x"]);
    check_unknown_file(&file(folder.path(), "random.toml", random(5000)), &["at byte 0x"]);
    check_damaged_file(&file(folder.path(), "cut-case", b"LSC1\x00\xff\xff"), &["binary case"]);
}

#[test]
fn a_hundred_megabytes_of_zeros_are_refused_at_once() {
    let folder = folder();
    for name in ["zeros.agal", "zeros.bin", "zeros.toml", "zeros.agal.txt", "zeros"] {
        let path = folder.path().join(name);
        std::fs::File::create(&path).and_then(|f| f.set_len(100 << 20)).expect("a sparse file");
        let check = if name.contains("agal") { check_damaged_file } else { check_unknown_file };
        check(&path.display().to_string(), &["limit"]);
    }
}

#[test]
fn adversarial_tables_are_refused() {
    let folder = folder();
    let deep = format!("isa = \"agal\"\nenv = {}1{}\n", "[".repeat(200_000), "]".repeat(200_000));
    check_damaged_file(&file(folder.path(), "deep.toml", deep), &["error"]);
    let tables = format!("[{}]\n", vec!["a"; 100_000].join("."));
    check_unknown_file(&file(folder.path(), "dotted.toml", tables), &["error"]);
    let keys = (0..200_000).map(|n| format!("k{n} = {n}")).collect::<Vec<_>>().join("\n");
    check_unknown_file(&file(folder.path(), "keys.toml", keys), &["error"]);
    let hex = format!(
        "isa = \"agal\"\nhex = \"{}\"\n[env]\nconstants = []\nfuel = 1\nlanes = []\n",
        "0g".repeat(1_000_000)
    );
    check_damaged_file(&file(folder.path(), "hex.toml", hex), &["hexadecimal"]);
    let lines = "mov op, nonsense\n".repeat(100_000);
    check_damaged_file(
        &file(folder.path(), "lines.agal.txt", format!("version 1 vertex\n{lines}")),
        &["does not assemble"],
    );
    let line = format!("version 1 vertex\nmov op, {}\n", "va0.".repeat(500_000));
    check_damaged_file(&file(folder.path(), "line.agal.txt", line), &["does not assemble"]);
}

#[test]
fn paths_that_are_not_files_are_refused() {
    let folder = folder();
    let absent = folder.path().join("absent.agal").display().to_string();
    check_unknown_file(&absent, &["No such file", "cannot find"]);
    check_unknown_file(&file(folder.path(), "notes.md", "hello"), &["at byte 0x0"]);
    let folder: PathBuf = folder.path().into();
    for verb in ["asm", "dis", "run"] {
        assert_eq!(code(&run(&[verb, &folder.display().to_string()])), 2, "{verb}");
    }
    #[cfg(target_os = "linux")]
    check_unknown_file("/dev/zero", &["a device"]);
}

#[test]
fn generated_cases_are_the_same_for_the_same_seed_and_pass_every_claim() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).display().to_string();
    for to in ["a", "b"] {
        let done = run(&["gen", "--isa", "agal", "--seed", "7", "--count", "20", "-o", &at(to)]);
        assert_eq!(code(&done), 0, "{}", err(&done));
    }
    assert_eq!(code(&run(&["gen", "--seed", "8", "--count", "20", "--binary", "-o", &at("c")])), 0);
    let list = |name: &str| {
        let folder = std::fs::read_dir(at(name)).expect("a folder");
        let mut files: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        files
    };
    let content =
        |name: &str| list(name).iter().map(|p| std::fs::read(p).expect("a file")).collect::<Vec<_>>();
    assert_eq!(list("a").len(), 20);
    assert_eq!(content("a"), content("b"));
    assert_ne!(content("a")[0], content("a")[1]);
    for name in ["a", "c"] {
        let done = run(&["check", &at(name), "--json", "-"]);
        assert_eq!(code(&done), 0, "{}", err(&done));
        let json: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
        assert_eq!(
            (&json["isas"][0]["programs"], &json["isas"][0]["run"]),
            (&20.into(), &20.into()),
            "{json}"
        );
    }
    // Existing files are never overwritten.
    let done = run(&["gen", "--seed", "7", "--count", "1", "-o", &at("a")]);
    assert!(code(&done) == 2 && err(&done).contains("exists"), "{}", err(&done));
}
