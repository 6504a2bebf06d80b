//! Tests of nearly valid input: the error message, and the position that it names.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("LOCKSTEP_LOG")
        .env_remove("LOCKSTEP_CORPORA")
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

/// Runs a verb that must fail with `code`, and returns all its output.
fn refused(folder: &Path, arguments: &[&str], code: i32) -> String {
    let done = run(folder, arguments);
    let said = format!("{}{}", String::from_utf8_lossy(&done.stderr), String::from_utf8_lossy(&done.stdout));
    assert_eq!(done.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn written(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    std::fs::write(path, content).expect("a file");
}

#[track_caller]
fn has(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part} in: {said}");
    }
}

#[test]
fn a_wrong_entry_in_a_list_of_bytes_is_named() {
    let folder = folder();
    written(folder.path(), "x.agal", "// by hand\n&[160, 1, 0, 0, 0, 161, 0,\n 0xGG, 0]\n");
    for verb in ["validate", "run", "dis"] {
        has(&refused(folder.path(), &[verb, "x.agal"], 2), &["x.agal:3:2: ", "'0xGG'", "0 to 255"]);
    }
    has(&refused(folder.path(), &["check", "x.agal"], 1), &["x.agal:3:2: ", "'0xGG'"]);
}

#[test]
fn a_header_overrides_the_folder_and_conflicts_with_the_extension() {
    let folder = folder();
    let text = "; of a game\n  vs_1_1\ndcl_position v0\nmov oPos, v0\n";
    for name in ["pica200/x.txt", "x.pica200.txt", "x.toml.pica"] {
        written(folder.path(), name, text);
    }
    for verb in ["validate", "run", "dis", "asm"] {
        assert_eq!(run(folder.path(), &[verb, "pica200/x.txt"]).status.code(), Some(0), "{verb}");
        has(
            &refused(folder.path(), &[verb, "x.pica200.txt"], 2),
            &["x.pica200.txt:2:3: ", "this begins like text of d3d9, but the file's name says pica200"],
        );
        has(
            &refused(folder.path(), &[verb, "pica200/x.txt", "--isa", "agal"], 2),
            &["pica200/x.txt:2:3: ", "this begins like text of d3d9, but it is to be read as agal"],
        );
        assert_eq!(
            run(folder.path(), &[verb, "x.pica200.txt", "--isa", "d3d9"]).status.code(),
            Some(0),
            "{verb}"
        );
    }
    has(&refused(folder.path(), &["check", "x.toml.pica"], 1), &["x.toml.pica:2:3: ", "d3d9", "pica200"]);
    let case = "isa = \"agal\"\nprogram = \"\"\"\n; c\nps_1_1\nmov r0, c0\n\"\"\"\n[env]\nfuel = 1\nconstants = []\nlanes = [{ slots = [] }]\n";
    written(folder.path(), "c.toml", case);
    has(
        &refused(folder.path(), &["run", "c.toml"], 2),
        &["2:1: ", "this begins like text of d3d9, but the case says agal"],
    );
}

#[test]
fn files_without_a_program_are_reported() {
    let folder = folder();
    for name in ["x.agal", "x.agal.txt", "x.toml", "x.shbin", "x.bin", "x"] {
        written(folder.path(), name, "");
        for verb in ["validate", "run", "asm"] {
            has(&refused(folder.path(), &[verb, name], 2), &[name, "at byte 0x0: the file is empty"]);
        }
    }
    written(folder.path(), "head.agal", [0xa0, 1, 0, 0, 0, 0xa1, 0]);
    has(
        &refused(folder.path(), &["run", "head.agal"], 2),
        &["head.agal", "at byte 0x7", "the file contains no program"],
    );
    // An SHBIN without a DVLE, and a shader that consists only of its version and END.
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let shbin =
        [b"DVLB".to_vec(), words(&[0]), b"DVLP".to_vec(), words(&[0, 40, 0, 40, 0, 40, 0, 0, 0])].concat();
    written(folder.path(), "none.shbin", shbin);
    for (verb, what) in
        [("validate", "nothing to validate"), ("run", "nothing to run"), ("trace", "nothing to run")]
    {
        has(&refused(folder.path(), &[verb, "none.shbin"], 2), &["none.shbin: ", "has no entry", what]);
    }
    written(folder.path(), "none.vso", words(&[0xfffe_0200, 0xffff]));
    has(
        &refused(folder.path(), &["run", "none.vso"], 2),
        &["none.vso: this cannot be run: there is no instruction"],
    );
    written(
        folder.path(),
        "hex.toml",
        "isa = \"agal\"\nhex = \"\"\n[env]\nfuel = 1\nconstants = []\nlanes = []\n",
    );
    has(
        &refused(folder.path(), &["run", "hex.toml"], 2),
        &["hex.toml: line 2, column 7: the program of the case has no bytes"],
    );
}

#[test]
fn a_case_without_lanes_is_refused_with_advice() {
    let folder = folder();
    let case = "isa = \"agal\"\nprogram = \"version 1 vertex\\nmov op, va0\\n\"\n[env]\nfuel = 1\nconstants = []\nlanes = []\n";
    written(folder.path(), "c.toml", case);
    for verb in ["run", "trace"] {
        has(
            &refused(folder.path(), &[verb, "c.toml"], 2),
            &["c.toml: line 6, column 9: the case has no lanes"],
        );
    }
    has(
        &refused(folder.path(), &["check", "c.toml"], 3),
        &["c.toml: line 6, column 9: the case has no lanes"],
    );
    written(folder.path(), "c.toml", case.replace("lanes = []", "lanes = [{ slots = [] }]"));
    assert_eq!(run(folder.path(), &["run", "c.toml"]).status.code(), Some(0));
}

#[test]
fn a_case_may_contain_a_large_texture_but_not_many_more_values() {
    let folder = folder();
    let case = |texels: usize, lanes: usize| {
        format!(
            "isa = \"agal\"\nprogram = \"version 1 vertex\\nmov op, va0\\n\"\n[env]\nfuel = 1\nconstants = []\n\
             lanes = [{}]\n[[env.textures]]\ndimension = \"two\"\nsize = [256, 256, 1]\nlevels = 9\n\
             texels = {{ explicit = [{}] }}\n",
            "{slots=[]},".repeat(lanes),
            "[0.5, 0.5, 0.5, 1.0], ".repeat(texels)
        )
    };
    // All levels of 256 by 256 texels.
    written(folder.path(), "c.toml", case((1 << 18) / 3, 8));
    assert_eq!(run(folder.path(), &["run", "c.toml"]).status.code(), Some(0));
    written(folder.path(), "many.toml", case(0, 1 << 20));
    for (verb, code) in [("run", 2), ("check", 1)] {
        has(
            &refused(folder.path(), &[verb, "many.toml"], code),
            &["many.toml: at line 6, column ", "131072 opening brackets"],
        );
    }
    written(
        folder.path(),
        "vectors.toml",
        format!("isa = \"agal\"\n[[vector]]\nname = [{}]\n", "1,".repeat(1 << 21)),
    );
    has(&refused(folder.path(), &["check", "vectors.toml"], 1), &["at line 3, column ", "2097152 tokens"]);
}

#[test]
fn reports_of_other_tools_are_recognised_by_content() {
    let folder = folder();
    let report = "Found uniform symbol a for register v0\nmov o0, v0\n";
    let header =
        "#if 0\n//\n// Generated by 2.0.20675.0\n//\n    vs_2_0\n#endif\nconst BYTE g_vs20[] = { 1 };\n";
    for (name, text, tool) in [
        ("a.pica200.txt", report.to_owned(), "PICA200 disassembler"),
        ("b.pica200.txt", format!(".out pos position\n; c\n{report}"), "PICA200 disassembler"),
        ("a.d3d9.txt", header.to_owned(), "shader compiler"),
        ("b.d3d9.txt", format!("// c\nvs_2_0\n{header}"), "shader compiler"),
        ("c.d3d9.txt", "vs_1_1\nSHADER: x.bin\n    PROFILE: (null)\n".to_owned(), "MojoShader"),
    ] {
        written(folder.path(), name, text);
        has(&refused(folder.path(), &["validate", name], 2), &[name, ":1:1: this is a", tool]);
    }
}
