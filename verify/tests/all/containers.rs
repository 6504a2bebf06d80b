//! Container files are recognised by their content, regardless of the file name.

use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::{Format, Syntax};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn chunk(name: &[u8; 4], contents: &[u8]) -> Vec<u8> {
    [&name[..], &(contents.len() as u32).to_le_bytes(), contents].concat()
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// Returns an MBS file with a vertex program of one word for the Mali-400 (source `L` of Utgard GP).
fn mbs() -> Vec<u8> {
    let text = "attribute.load(0), acc[0].mov(attribute.x), acc[1].mov(attribute.y), store[0].varying(0, acc[0].out, acc[1].out);\n";
    let code = UtgardGp::encode(&UtgardGp::assemble(text).expect("a program"));
    assert_eq!(code.len(), 16);
    chunk(b"MBS1", &chunk(b"CVER", &[words(&[6]), chunk(b"DBIN", &code)].concat()))
}

/// Returns a trace with the number of a chip, and a buffer with a packet that loads a fragment shader (source `fd-notes` of A2xx).
fn trace() -> Vec<u8> {
    let text = ".a2xx fragment\nALLOC PARAM/PIXEL SIZE(0x0)\nEXEC_END\nALU: MAXv export0 = R0, R0\n";
    let shader = A2xx::encode(&A2xx::assemble(text).expect("a program"));
    let dwords = shader.len() as u32 / 4;
    let load = [words(&[0xc000_2b00 | (dwords + 1) << 16, 1, dwords]), shader].concat();
    [words(&[13, 4, 220, 12, load.len() as u32]), load].concat()
}

/// Runs `lockstep` in a folder with these bytes on standard input. Returns the exit status and all output.
fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The process need not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    let done = child.wait_with_output().unwrap();
    let text = [done.stdout, done.stderr].concat();
    (done.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn containers_are_read_under_any_name_and_without_one() {
    for (bytes, names, head) in [
        (mbs(), ["a.mbs", "a", "a.data"], ".utgard_gp vertex"),
        (trace(), ["a.rd", "a", "a.data"], ".container trace"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for name in names {
            std::fs::write(folder.join(name), &bytes).unwrap();
            let (status, said) = run(folder, &["dis", name], &[]);
            assert!(status == Some(0) && said.contains(head), "{name}: {said}");
        }
        let (status, said) = run(folder, &["dis", "-"], &bytes);
        assert!(status == Some(0) && said.contains(head), "{said}");
        // If the folder is given, each file in it is checked.
        let (status, said) = run(folder, &["check", "."], &[]);
        assert!(status == Some(0) && !said.contains("skipped"), "{said}");
    }
}

#[test]
fn a_truncated_trace_is_a_finding_and_one_of_another_chip_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let whole = trace();
    let other = words(&[13, 4, 320, 12, 8, 0x8000_0000, 0x8000_0000]);
    std::fs::write(folder.path().join("other.rd"), other).unwrap();
    std::fs::write(folder.path().join("whole.rd"), &whole).unwrap();
    let (status, said) = run(folder.path(), &["check", "."], &[]);
    assert!(status == Some(0) && said.contains("other.rd"), "{said}");
    std::fs::write(folder.path().join("cut.rd"), [&whole[..], &words(&[3, 8, 1])].concat()).unwrap();
    let (status, said) = run(folder.path(), &["check", "."], &[]);
    assert!(status == Some(1) && said.contains("cut.rd") && said.contains("section of a trace"), "{said}");
}
