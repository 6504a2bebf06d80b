//! Evidence: vectors that contradict the reference, and `lockstep vector add`.

use std::path::Path;
use std::process::Command;

/// Runs `lockstep` in a folder. Returns the exit status and all output.
fn lockstep(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    let done = command.args(arguments).current_dir(folder).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code().expect("no signal"), text(&done.stdout) + &text(&done.stderr))
}

/// Runs `lockstep vector add` for v.toml. The vector states the results `numbers` of AGAL's `pow` for 0^0, inf^0, 1^inf and 0^2.
fn add(folder: &Path, name: &str, numbers: &str, more: &[&str]) -> (i32, String) {
    let lane = format!("v0=0,inf,1,0; v1=0,0,inf,2 -> oc={numbers}");
    let text = "version 1 fragment\npow oc, v0, v1\n";
    let head = ["vector", "add", "v.toml", "--isa", "agal", "--text", text, "--name", name, "--lane", &lane];
    lockstep(folder, &[&head[..], &["--source", "own run"], more].concat())
}

#[test]
fn a_contradicting_vector_is_added_and_names_the_satisfying_choice() {
    let folder = tempfile::tempdir().unwrap();
    let device = ["--device", "a card, driver 53.03", "--date", "2004-02-29"];
    let (status, said) = add(folder.path(), "ieee", "nan,nan,nan,0", &device);
    assert_eq!((status, said.as_str()), (0, "v.toml: 1 vector filed\n"));
    let (status, said) = add(folder.path(), "one", "1,1,nan,0", &[&device[..], &["--device", "b"]].concat());
    assert_eq!(status, 2, "{said}");
    let (status, said) = add(folder.path(), "one", "1,1,nan,0", &["--device", "another card"]);
    let choice = "pow_zero_exponent = \"one\" would satisfy it";
    assert!(status == 1 && said.contains("one: reference contradicted: ") && said.contains(choice), "{said}");
    let (status, said) = add(folder.path(), "none", "1,1,1,7", &["--device", "a third"]);
    let none = "no choice of options would satisfy it";
    assert!(status == 1 && said.contains(none), "{said}");
    let (status, said) = lockstep(folder.path(), &["check", "v.toml", "--isa", "agal", "--json", "r.json"]);
    assert_eq!(status, 1, "{said}");
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("r.json")).unwrap()).unwrap();
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(findings.len(), 2, "{report}");
    for (finding, expected) in findings.iter().zip([choice, none]) {
        let [message, detail] = ["message", "detail"].map(|key| finding[key].as_str().expect("text"));
        assert!(message.contains("reference contradicted: ") && message.ends_with(expected), "{message}");
        let squeezed = detail.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed.contains(&format!("reference contradicted; {expected}")), "{detail}");
        assert!(detail.contains("card") || detail.contains("third"), "{detail}");
    }
    assert_eq!(findings[0]["line"].as_u64(), Some(16), "{report}");
}

#[test]
fn ranges_and_alternatives_are_compared_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    // The reference matches the alternative: the first results are those of another choice.
    let more = ["--derivation", "d", "--or", "by the formula: oc=nan,nan,nan,-1..1"];
    let (status, said) = add(folder.path(), "joint", "1,1,nan,0", &more);
    assert_eq!(status, 0, "{said}");
    assert_eq!(lockstep(folder.path(), &["check", "v.toml"]).0, 0);
    // A result that partly matches the main result and partly the alternative matches neither.
    let more = ["--device", "d", "--or", "half: oc=1,nan,1,0"];
    let (status, said) = add(folder.path(), "halves", "nan,1,nan,0", &more);
    assert!(status == 1 && said.contains("the alternative does not match either"), "{said}");
    let (status, said) = add(folder.path(), "narrow", "any,any,any,0x00000001..1", &["--device", "e"]);
    assert!(status == 1 && said.contains("must be from 1e-45 (0x00000001) to 1.0"), "{said}");
}

#[test]
fn malformed_or_duplicate_vectors_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(add(folder.path(), "first", "nan,nan,nan,0", &["--derivation", "d"]).0, 0);
    let file = folder.path().join("v.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    for (name, numbers, more, expected) in [
        ("first", "1", &["--derivation", "d"][..], "has the name of 'first' on line 3"),
        (
            "other",
            "nan,nan,nan,0",
            &["--derivation", "e"],
            "has the same inputs and results as 'first' on line 3",
        ),
        ("other", "1", &["--derivation", "d"], "it is an alternative of 'first' on line 3"),
        ("other", "1,0.1", &["--derivation", "d"], "--lane 1 "),
        ("other", "1,0.1", &["--derivation", "d"], "at column 36: binary32 cannot represent 0.1 exactly"),
        ("other", "1", &[], "needs a derivation, or the device"),
        ("other", "1", &["--device", "x", "--date", "2004-02-30"], "'2004-02-30' is not a date"),
        ("other", "1", &["--device", "x", "--or", "w: oc=1 | oc=2"], "alternative 1: it has 2 lanes"),
        ("other", "1", &["--device", "x", "--constant", "x=1"], "--constant 1 'x=1': 'x' is not the number"),
        ("other", "1", &["--device", "x", "--constant", "0=1,y"], "component 2: 'y' is not a number"),
        ("other", "1", &["--device", "x", "-O", "ifg=x"], "option 'ifg' has no choice 'x'"),
        ("other", "1; od=1", &["--device", "x"], "no output 'od'"),
    ] {
        let (status, said) = add(folder.path(), name, numbers, more);
        assert!(status == 2 && said.contains(expected), "{expected}: {said}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    }
    let text =
        ["--text", "version 1 fragment\nfoo oc, v0\n", "--lane", "-> oc=1", "--name", "x", "--source", "s"];
    let (status, said) =
        lockstep(folder.path(), &[&["vector", "add", "v.toml", "--device", "d"], &text[..]].concat());
    assert!(status == 2 && said.contains("2:1"), "{said}");
    // A malformed file is not extended, and the error names the wrong key.
    std::fs::write(&file, before.replace("source", "sauce")).unwrap();
    let (status, said) = add(folder.path(), "other", "1", &["--derivation", "d"]);
    assert!(status == 2 && said.contains("sauce"), "{said}");
}

#[test]
fn vectors_of_a_file_are_added_completely() {
    let folder = tempfile::tempdir().unwrap();
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora");
    for isa in lockstep_core::isa::IsaId::ALL {
        let name = format!("{isa}.toml");
        let mut files: Vec<_> = std::fs::read_dir(corpora.join(isa.name()).join("vectors"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let from = files[0].display().to_string();
        let add = |to: &str, from: &str| {
            lockstep(folder.path(), &["vector", "add", to, "--isa", isa.name(), "--from", from])
        };
        let (status, said) = add(&name, &from);
        assert_eq!(status, 0, "{said}");
        for file in &files[1..] {
            let to = format!("{isa}-{}", file.file_name().unwrap().to_str().unwrap());
            let (status, said) = add(&to, &file.display().to_string());
            assert_eq!(status, 0, "{}: {said}", file.display());
        }
        let (status, said) = lockstep(folder.path(), &["check", &name]);
        assert_eq!(status, 0, "{said}");
        let (status, said) = lockstep(folder.path(), &["vector", "add", &name, "--from", &from]);
        assert!(status == 2 && said.contains("has the name of"), "{said}");
    }
}
