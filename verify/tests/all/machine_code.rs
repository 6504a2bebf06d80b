//! `lockstep run --engine` and `--dump asm`: one engine alone, and compiled code beside the IR and the shader.

use lockstep_core::exec::Level;
use std::process::{Command, Output};

const PROGRAM: &str = "version 1 vertex\nadd vt0, va0, vc0\nmul vt1, vt0, va1\nsub vt2, vt1, vc1\ndiv vt3, vt2, va2\nsqt vt4, vt3\nsin vt5, vt4\nmov op, vt5\n";

fn run(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.agal.txt");
    std::fs::write(&path, PROGRAM).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.arg("run").arg(path).args(arguments).output().expect("the binary runs")
}

/// Returns the lines after the first line that begins with `begin`, up to the next line that does not begin with `deeper`.
fn below<'a>(lines: &[&'a str], begin: &str, deeper: &str) -> Vec<&'a str> {
    let from = lines.iter().position(|line| line.starts_with(begin));
    let from = from.unwrap_or_else(|| panic!("no line begins with '{begin}'"));
    lines[from + 1..].iter().take_while(|line| line.starts_with(deeper)).copied().collect()
}

#[test]
fn code_is_shown_below_the_instructions_that_it_was_made_from() {
    if !Level::Jit256.is_available() {
        assert_eq!(run(&["--engine", "jit256", "--dump", "asm"]).status.code(), Some(3));
        return;
    }
    let done = run(&["--engine", "jit256", "--dump", "asm"]);
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(0), "{text}");
    let start = text.find("machine code, jit256, nodes: ").expect("a heading");
    let lines: Vec<&str> = text[start..].lines().collect();
    assert!(lines[1].starts_with("valid: "), "{text}");
    // The shader's instruction, the operation of the IR and, from Intel's manual, the instruction of the processor.
    let rows = [
        ("   0: add ", " = add ", "vaddps"),
        ("   1: mul ", " = mul ", "vmulps"),
        ("   2: sub ", " = sub ", "vsubps"),
        ("   3: div ", " = div ", "vdivps"),
        ("   4: sqt ", " = sqrt ", "vsqrtps"),
    ];
    for (shader, operation, processor) in rows {
        let section = below(&lines, shader, "    ");
        let ir: Vec<&&str> = section.iter().filter(|line| line.contains(operation)).collect();
        assert_eq!(ir.len(), 4, "{shader}: one for each component\n{text}");
        for line in ir {
            let code = below(&section, line, "      ");
            let counts = rows.map(|row| code.iter().filter(|line| line.contains(row.2)).count());
            let expected = rows.map(|row| usize::from(row.2 == processor));
            assert_eq!(counts, expected, "{line}\n{text}");
        }
    }
    let sine = below(&lines, "   5: sin ", "    ");
    assert_eq!(sine.iter().filter(|line| line.contains("interpreter runs Sin")).count(), 4, "{text}");
}

#[test]
fn only_the_named_engine_runs() {
    let levels = [("portable", Level::Portable), ("avx2", Level::Avx2), ("jit256", Level::Jit256)];
    let runnable = levels.iter().filter(|(_, level)| level.is_available()).map(|(name, _)| *name);
    for name in runnable.chain(["evaluator"]) {
        let done = run(&["--engine", name, "--json"]);
        assert_eq!(done.status.code(), Some(0), "{name}");
        let json: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let engines = json["engines"].as_array().expect("a list");
        let engine =
            if name == "evaluator" { "IR evaluator".to_owned() } else { format!("executor, {name}") };
        let expected = [format!("{engine}, nodes"), format!("{engine}, fallback")];
        assert!(engines.iter().map(|e| e["engine"].as_str().unwrap_or_default()).eq(expected), "{json}");
    }
}

#[test]
fn machine_code_of_an_engine_that_has_none_is_refused() {
    let done = run(&["--engine", "evaluator", "--dump", "asm"]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.code() == Some(2) && said.contains("only jit, jit256 and jit512 have"), "{said}");
    assert!(done.stdout.is_empty(), "nothing runs first");
    let done = run(&["--dump", "asm", "--json"]);
    assert_eq!(done.status.code(), Some(2), "text and JSON in one output");
}
