//! Every command of the README runs, and the picture of a run is what a run looks like.
//!
//! The README marks its commands by the fence: `sh` blocks are run here, line by line, in a folder of their own beside a copy of nothing but
//! `corpora`; `sh stage` blocks take minutes, so their lines have to stand in a script that continuous integration runs.

#![allow(clippy::expect_used)] // helpers of tests are tests

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository is there")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The contents of the README's fenced blocks that begin with this line after the three back quotes.
fn blocks(fence: &str) -> Vec<String> {
    let readme = read("README.md");
    let mut found: Vec<String> = Vec::new();
    let mut inside = None;
    for line in readme.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(info), None) => {
                inside = Some(info == fence);
                if info == fence {
                    found.push(String::new());
                }
            }
            (Some(_), Some(_)) => inside = None,
            (None, Some(true)) => {
                if let Some(block) = found.last_mut() {
                    *block += line;
                    *block += "\n";
                }
            }
            (None, _) => {}
        }
    }
    assert_eq!(inside, None, "a block of the README does not end");
    found
}

/// The command lines of blocks: without empty lines and comments.
fn commands(fence: &str) -> Vec<String> {
    let lines = blocks(fence).concat();
    lines.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned).collect()
}

/// Runs a command line as a person would who has `lockstep` on the path.
fn shell(line: &str, folder: &Path) -> Output {
    let tools = Path::new(env!("CARGO_BIN_EXE_lockstep")).parent().expect("a binary lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools.to_owned()).chain(std::env::split_paths(&path)));
    Command::new("bash")
        .args(["-euo", "pipefail", "-c", line])
        .current_dir(folder)
        .env("PATH", path.expect("the path can be extended"))
        .output()
        .expect("bash runs")
}

#[test]
fn every_short_command_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(root().join("corpora"), folder.path().join("corpora")).expect("a link");
    let commands = commands("sh");
    assert!(commands.len() >= 6, "the README shows how to use the tool: {commands:?}");
    for line in commands {
        let output = shell(&line, folder.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}\n{}\n{said}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn every_long_command_is_a_stage_of_continuous_integration() {
    let scripts: Vec<String> = [".ci/run", "ci/test", "ci/nightly"].map(read).into();
    for line in commands("sh stage") {
        let command = line.split_whitespace().next().unwrap_or_default();
        if command.starts_with("ci/") {
            let metadata =
                std::fs::metadata(root().join(command)).unwrap_or_else(|error| panic!("{command}: {error}"));
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
            assert!(mode & 0o111 != 0, "{command} is not executable");
        }
        let runs = |script: &String| {
            let lines = script.lines().map(str::trim).filter(|l| !l.starts_with('#'));
            lines.into_iter().any(|l| l == line || l.ends_with(&format!(" {line}")))
        };
        assert!(scripts.iter().any(runs), "no script of continuous integration has the line '{line}'");
    }
}

#[test]
fn no_other_block_holds_commands() {
    let known = ["sh", "sh stage", "text"];
    let readme = read("README.md");
    let fences = readme.lines().filter_map(|l| l.strip_prefix("```")).filter(|info| !info.is_empty());
    for info in fences {
        assert!(known.contains(&info), "'{info}' blocks are not tested");
    }
    assert_eq!(commands("sh stage")[..2], ["ci/check", "ci/test"], "the two commands come first");
}

/// The heads of the table in a text, and what its lines begin with, whatever rules are drawn around them.
fn shape(text: &str) -> (Vec<String>, Vec<String>) {
    let words = |line: &str| -> Vec<String> {
        let is_rule = |c: char| ('\u{2500}'..='\u{257f}').contains(&c);
        line.split(|c: char| c.is_whitespace() || is_rule(c))
            .filter(|w| !w.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let mut lines = text.lines().skip_while(|line| words(line).first().is_none_or(|word| word != "ISA"));
    let heads = lines.next().map(words).unwrap_or_default();
    let body = lines.take_while(|line| !line.trim().is_empty() && !line.contains(": "));
    (heads, body.filter_map(|line| words(line).into_iter().next()).collect())
}

#[test]
fn the_picture_of_a_run_is_what_a_run_looks_like() {
    let pictures = blocks("text");
    let picture = pictures.iter().find(|p| p.contains("check")).expect("the README shows a run of check");
    // Wide enough that no head is broken over two lines.
    let output = shell("COLUMNS=200 lockstep check --no-proofs --seeds 1", &root());
    let now = String::from_utf8_lossy(&output.stdout);
    let (mut shown, current) = (shape(picture), shape(&now));
    // What belongs to no instruction set is in a row of its own, and that is proofs only.
    shown.1.retain(|row| row != "shared");
    assert!(current.0.len() > 5 && !current.1.is_empty(), "there is a table: {now}");
    assert_eq!(shown, current, "{picture}\n{now}");
}
