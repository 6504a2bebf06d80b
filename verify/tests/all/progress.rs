//! The command's output about its own work: `-v` for people, `--time-trace` for trace viewers.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = "version 1 vertex\nm44 op, va0, vc0\nadd v0, va1, vc4.x\n";

fn lockstep(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("LOCKSTEP_LOG")
        .env_remove("LOCKSTEP_CORPORA")
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("light.agal.txt"), PROGRAM).expect("a file");
    folder
}

fn profile(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    lockstep(folder, &[arguments, &["--time-trace", "trace.json"]].concat());
    let text = std::fs::read(folder.join("trace.json")).expect("the profile is written");
    serde_json::from_slice(&text).expect("an array of JSON")
}

fn names(events: &[Value]) -> BTreeSet<&str> {
    events.iter().filter_map(|event| event["name"].as_str()).collect()
}

#[test]
fn a_profile_has_every_step_of_a_run() {
    let folder = folder();
    let events = profile(folder.path(), &["check", "light.agal.txt"]);
    let found = names(&events);
    for step in [
        "judge",
        "decode",
        "validate",
        "lower",
        "explore",
        "rewrite",
        "plan",
        "run",
        "reference",
        "evaluate",
        "compare",
    ] {
        assert!(found.contains(step), "{step} of {found:?}");
    }
    // Judging happens in a process of its own.
    let processes: BTreeSet<u64> = events.iter().filter_map(|event| event["pid"].as_u64()).collect();
    assert!(processes.len() >= 2, "{processes:?}");
    let span = |name: &str| events.iter().find(|event| event["name"] == name).expect("it is there");
    let (outer, inner) = (span("judge"), span("lower"));
    let [from, to] = [0.0, 1.0]
        .map(|k| outer["ts"].as_f64().expect("a time") + k * outer["dur"].as_f64().expect("a time"));
    let at = inner["ts"].as_f64().expect("a time");
    assert!(from <= at && at <= to, "lowering is not inside judging: {from} {at} {to}");
    assert_eq!(inner["args"]["words"], 2);
    assert!(
        inner["args"]["blocks"].as_u64() >= Some(1) && span("explore")["args"]["nodes"].as_u64() >= Some(2)
    );
}

#[test]
fn each_obligation_of_a_proof_is_a_span_with_its_size() {
    let folder = folder();
    let events = profile(
        folder.path(),
        &["prove", "--isa", "agal", "--filter", "agal lowering rules mov stage=vertex"],
    );
    let spans = |name: &'static str| events.iter().filter(move |event| event["name"] == name);
    let asked: u64 = spans("obligations").filter_map(|event| event["args"]["count"].as_u64()).sum();
    let rules: Vec<&Value> = spans("obligation").filter(|o| o["args"]["kind"] == "lowering rules").collect();
    assert!(asked >= 1, "{events:?}");
    assert_eq!(rules.len() as u64, asked, "{rules:?}");
    for rule in rules {
        let args = &rule["args"];
        assert!(
            args["name"].as_str().is_some_and(|name| name.starts_with("agal lowering rules mov")),
            "{rule}"
        );
        assert!(args["claims"].as_u64() >= Some(1) && args["mutants"].as_u64() >= Some(1), "{rule}");
        assert!(rule["dur"].as_f64() > Some(0.0), "{rule}");
    }
}

#[test]
fn verbosity_increases_the_output() {
    let folder = folder();
    let said = |more: &[&str]| {
        let output = lockstep(folder.path(), &[&["run", "light.agal.txt", "-O", "ifg=ge"], more].concat());
        String::from_utf8(output.stderr).expect("text")
    };
    assert_eq!(said(&[]), "");
    let details = said(&["-vv"]);
    for word in ["decode", "lower", "plan", "reference", "option", "ifg"] {
        assert!(details.contains(word), "{word} in\n{details}");
    }
    assert!(said(&["-v"]).lines().count() < details.lines().count());
    assert!(said(&["-vvv"]).lines().count() >= details.lines().count());
}

#[test]
fn the_fallback_is_logged_with_its_reason() {
    let folder = folder();
    // The innermost procedure has 27 call paths, each of which is a control state of its own.
    let calls = |name: &str, callee: &str| {
        format!(".proc {name}\n{}.end\n", format!("    call {callee}\n").repeat(3))
    };
    let inner = format!(".proc third\n{}.end\n", "    add r0, r0, position\n".repeat(30));
    let main = ".proc main\n    mov r0, position\n    call first\n    call first\n    call first\n    mov pos, r0\n    end\n.end\n";
    let text = [
        ".in position v0\n.out pos position\n",
        &inner,
        &calls("second", "third"),
        &calls("first", "second"),
        main,
    ]
    .concat();
    std::fs::write(folder.path().join("deep.pica200.txt"), text).expect("a file");
    let output = lockstep(folder.path(), &["check", "deep.pica200.txt", "--seeds", "1", "-v"]);
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.contains("fallback") && said.contains("nodes"), "{said}");
}

#[test]
fn a_time_trace_that_cannot_be_written_is_an_error_before_the_work() {
    let folder = folder();
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["run", "light.agal.txt", "--time-trace", "absent/trace.json"])
        .current_dir(folder.path())
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains("absent/trace.json")
    );
}

#[test]
fn profile_is_an_alias_of_time_trace_except_for_judge() {
    let folder = folder();
    for arguments in [["run", "light.agal.txt"].as_slice(), &["case", "new", "light.agal.txt"]] {
        let name = arguments.join("-");
        lockstep(folder.path(), &[arguments, &["--profile", &name]].concat());
        let text = std::fs::read(folder.path().join(&name)).expect("the profile is written");
        let events: Vec<Value> = serde_json::from_slice(&text).expect("an array of JSON");
        assert!(names(&events).contains("decode"), "{name}: {events:?}");
    }
    let help = |verb| String::from_utf8(lockstep(folder.path(), &[verb, "--help"]).stdout).expect("text");
    assert!(
        help("check").contains("--profile <FILE>") && !help("judge").contains("The same as --time-trace")
    );
    let both = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["run", "light.agal.txt", "--profile", "x.json", "--time-trace", "y.json"])
        .current_dir(folder.path())
        .output()
        .expect("the binary runs");
    assert_eq!(both.status.code(), Some(2));
}
