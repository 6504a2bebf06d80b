//! `lockstep check` does not succeed if something was not checked: the binary is tested with crashes, unreadable inputs and unwritable outputs.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn lockstep() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command
        .env_remove("LOCKSTEP_LOG")
        .env_remove("LOCKSTEP_CORPORA")
        .env_remove("LOCKSTEP_PLANT")
        .stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    lockstep().args(arguments).output().expect("the binary runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A temporary folder, and paths in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(&path, content).expect("a file");
        path.display().to_string()
    }

    fn json(&self, name: &str) -> Value {
        let text = std::fs::read(self.at(name)).expect("the report is written");
        serde_json::from_slice(&text).expect("JSON")
    }
}

const GOOD: &str = "version 1 vertex\nm44 op, va0, vc0\nadd v0, va1, vc4.x\n";
/// A program whose third instruction writes a register that no other instruction writes.
const BAD: &str = "version 1 vertex\nmov vt0, va0\nmul vt1, vt0, vc0\nadd vt5, vt1, vc1\nmul vt2, vt5, vc2\nadd op, vt2, va1\n";

/// Writes [`GOOD`] and [`BAD`]. Returns the bytes of the third instruction's opcode and destination in hexadecimal: planted faults occur at
/// instructions with these bytes.
fn programs(folder: &Folder) -> String {
    folder.file("shaders/good.agal.txt", GOOD);
    let text = folder.file("shaders/bad.agal.txt", BAD);
    let bytes = folder.at("bad.agal");
    assert_eq!(code(&run(&["asm", &text, "-o", &bytes])), 0);
    let bytes = std::fs::read(bytes).expect("assembled");
    // A header of 7 bytes, then tokens of 24 bytes.
    bytes[7 + 2 * 24..][..8].iter().map(|b| format!("{b:02x}")).collect()
}

fn signatures(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().expect("a list");
    findings.iter().map(|f| f["signature"].as_str().expect("text").to_owned()).collect()
}

// Faults can be planted in test builds only.
#[test]
#[cfg(debug_assertions)]
fn crashes_are_minimised_findings_and_the_rest_is_judged() {
    for (fault, part) in [("panic", "panic"), ("abort", "death"), ("overflow", "death")] {
        let folder = Folder::new();
        let pattern = programs(&folder);
        let plant = format!("{fault}:{pattern}");
        let findings = folder.at("findings");
        let done = lockstep()
            .args(["check", &folder.at("shaders"), "--json", &folder.at("r.json"), "--findings", &findings])
            .env("LOCKSTEP_PLANT", &plant)
            .output()
            .expect("the binary runs");
        assert_eq!(code(&done), 1, "{fault}: {}", printed(&done));
        let report = folder.json("r.json");
        let found = signatures(&report);
        assert!(!found.is_empty() && found.iter().all(|s| s.ends_with(part)), "{fault}: {found:?}");
        // The other program is judged as usual.
        let items = report["items"].as_array().expect("a list");
        let good =
            items.iter().find(|i| i["name"].as_str().is_some_and(|n| n.contains("good"))).expect("judged");
        assert!(good["runs"] == 4 && good["compared"]["components"].as_u64() > Some(0), "{good}");
        // The program of five instructions is minimised to one instruction, and the command of the report reproduces the finding.
        let case = report["findings"][0]["case"].as_str().expect("a file");
        let text = std::fs::read_to_string(case).expect("written");
        let program = text.split("\"\"\"").nth(1).expect("a program as text");
        assert_eq!(program.trim().lines().count(), 2, "{fault}: {text}");
        assert!(program.contains("vt5"), "{fault}: {text}");
        let again = report["findings"][0]["reproduce"].as_str().expect("a command");
        let arguments: Vec<&str> = again.split(' ').skip(1).collect();
        let done =
            lockstep().args(&arguments).env("LOCKSTEP_PLANT", &plant).output().expect("the binary runs");
        assert_eq!(code(&done), 1, "{again}: {}", printed(&done));
        assert_eq!(code(&run(&arguments)), 0, "fails without the fault");
    }
}

// Faults can be planted in test builds only.
#[test]
#[cfg(debug_assertions)]
fn a_crash_that_does_not_occur_again_is_reported_as_unsteady() {
    let folder = Folder::new();
    let pattern = programs(&folder);
    let done = lockstep()
        .args([
            "check",
            &folder.at("shaders"),
            "--json",
            &folder.at("r.json"),
            "--findings",
            &folder.at("findings"),
        ])
        .env("LOCKSTEP_PLANT", format!("once={}:{pattern}", folder.at("died")))
        .output()
        .expect("the binary runs");
    assert_eq!(code(&done), 1, "{}", printed(&done));
    let found = signatures(&folder.json("r.json"));
    assert!(matches!(&found[..], [one] if one.ends_with("bad.agal.txt-unsteady")), "{found:?}");
}

// Faults can be planted in test builds only.
#[test]
#[cfg(debug_assertions)]
fn hangs_are_ended_and_reported_and_the_rest_is_judged() {
    let folder = Folder::new();
    let pattern = programs(&folder);
    let findings = folder.at("findings");
    let done = lockstep()
        .args(["check", &folder.at("shaders"), "--json", &folder.at("r.json"), "--findings", &findings])
        .args(["--patience", "3"])
        .env("LOCKSTEP_PLANT", format!("hang:{pattern}"))
        .output()
        .expect("the binary runs");
    assert_eq!(code(&done), 1, "{}", printed(&done));
    let report = folder.json("r.json");
    let found = signatures(&report);
    assert!(!found.is_empty() && found.iter().all(|s| s.ends_with("death")), "{found:?}");
    let words = printed(&done).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("was ended: it hangs"), "{words}");
    let items = report["items"].as_array().expect("a list");
    let good = items.iter().find(|i| i["name"].as_str().is_some_and(|n| n.contains("good"))).expect("judged");
    assert!(good["runs"] == 4, "{good}");
}

// Faults can be planted in test builds only.
#[test]
#[cfg(debug_assertions)]
fn a_fault_on_one_level_and_lowering_is_found_and_named() {
    let folder = Folder::new();
    let good = folder.file("good.agal.txt", GOOD);
    let mut engines: Vec<(String, &str)> = vec![
        ("IR after rewriting".to_owned(), "rewriting"),
        ("executor after rewriting".to_owned(), "rewriting"),
    ];
    for tier in lockstep::engine::Tier::available() {
        engines.extend(["Nodes", "Fallback"].map(|mode| (format!("executor ({tier}, {mode})"), "execution")));
    }
    for (engine, claim) in &engines {
        let done = lockstep()
            .args(["reproduce", &good])
            .env("LOCKSTEP_PLANT", format!("wrong:{engine}"))
            .output()
            .expect("the binary runs");
        assert_eq!(code(&done), 1, "{engine}: {}", printed(&done));
        let text = printed(&done);
        let failing: Vec<&str> = text.lines().filter(|line| line.contains("FAILS")).collect();
        assert_eq!(failing.len(), 1, "{engine}: {text}");
        assert!(failing[0].starts_with(claim) && failing[0].contains("killed"), "{engine}: {text}");
        assert!(*claim == "rewriting" || failing[0].contains(engine.as_str()), "{engine}: {text}");
    }
    let nobody = lockstep().args(["reproduce", &good]).env("LOCKSTEP_PLANT", "wrong:nobody").output();
    assert_eq!(code(&nobody.expect("the binary runs")), 0);
}

/// Returns the arguments that request a report in every format.
fn report_arguments(folder: &Folder) -> Vec<String> {
    ["json", "junit", "sarif", "html"]
        .iter()
        .flat_map(|form| [format!("--{form}"), folder.at(&format!("r.{form}"))])
        .collect()
}

#[test]
fn an_unreadable_own_file_is_a_finding_in_every_report() {
    let vector = "isa = \"agal\"\n[[vector]]\nname = \"a\"\nsauce = \"s\"\n";
    for (name, content, why) in [
        ("in/typo.toml", vector.as_bytes(), "sauce"),
        ("in/heading.toml", b"[[vectr]]\nname = \"a\"\n", "vectr"),
        ("in/key.toml", b"name = \"a\"\nprogram = \"\"\"\nversion 1 vertex\n\"\"\"\n", "name"),
        ("in/wrong.agal.txt", b"version 1 vertex\nmov op, vx0\n", "vx0"),
        ("in/cut.agal", &[0xa0, 1, 0, 0, 0, 0xa1, 0, 1, 2], "does not decode"),
        ("in/noise.agal", b"hello", "does not decode"),
        ("in/agal/wrong.txt", b"version 1 vertex\nmov op, vx0\nmov v0, va0\n", "vx0"),
        ("in/case", b"LSC1\0\xff", "binary case"),
    ] {
        let folder = Folder::new();
        folder.file("in/good.agal.txt", GOOD);
        folder.file("in/notes.md", "not a shader");
        folder.file(name, content);
        let done = lockstep()
            .args(["check", &folder.at("in")])
            .args(report_arguments(&folder))
            .output()
            .expect("runs");
        assert_eq!(code(&done), 1, "{name}: {}", printed(&done));
        let report = folder.json("r.json");
        let file = name.rsplit('/').next().expect("a name");
        assert_eq!(signatures(&report).len(), 1, "{name}: {report}");
        assert!(signatures(&report)[0].contains(file), "{name}: {report}");
        let skipped = report["skipped"].as_array().expect("a list");
        assert!(
            skipped.len() == 1 && skipped[0]["name"].as_str().is_some_and(|n| n.ends_with("notes.md")),
            "{skipped:?}"
        );
        assert_eq!(report["isas"][0]["run"], 1, "{name}: the good program is not run");
        let sarif = folder.json("r.sarif");
        let result = &sarif["runs"][0]["results"][0];
        assert!(result["message"]["text"].as_str().is_some_and(|t| t.contains(why)), "{name}: {result}");
        for form in ["r.junit", "r.html"] {
            let text = std::fs::read_to_string(folder.at(form)).expect("written");
            assert!(text.contains(why) && text.contains(file), "{name}, {form}: {text}");
        }
        assert!(printed(&done).contains(why), "{name}: {}", printed(&done));
        // The result is the same if the file is the only input.
        assert_eq!(code(&run(&["check", &folder.at(name)])), 1, "{name}");
    }
}

#[test]
#[cfg(unix)]
fn an_unreadable_folder_is_a_finding() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.file("in/good.agal.txt", GOOD);
    // A link to itself is neither a file nor a folder.
    std::os::unix::fs::symlink("loop", folder.at("in/loop")).expect("a link");
    let done = run(&["check", &folder.at("in"), "--json", &folder.at("r.json")]);
    assert!(
        code(&done) == 1 && signatures(&folder.json("r.json")) == ["unknown-readable-loop"],
        "{}",
        printed(&done)
    );
    std::fs::remove_file(folder.at("in/loop")).expect("it is there");
    let closed = folder.at("in/closed");
    std::fs::create_dir(&closed).expect("a folder");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).expect("ours");
    let readable = std::fs::read_dir(&closed).is_ok();
    let done = run(&["check", &folder.at("in"), "--json", &folder.at("r.json")]);
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).expect("ours");
    if readable {
        println!("not tested: this user may read every folder, so none can be closed");
        assert_eq!(code(&done), 0, "{}", printed(&done));
    } else {
        assert!(
            code(&done) == 1 && signatures(&folder.json("r.json")) == ["unknown-readable-closed"],
            "{}",
            printed(&done)
        );
    }
}

/// Creates corpora of one instruction set, with one file in each folder. Returns their path.
fn corpora(folder: &Folder) -> PathBuf {
    let vector = "[[vector]]\nname = \"a\"\nsource = \"s\"\nderivation = \"d\"\nprogram = \"\"\"\nversion 1 vertex\nmov op, va0\n\"\"\"\n\
                  [[vector.lane]]\ninput = { va0 = [1, 2, 3, 4] }\noutput = { op = [1, 2, 3, 4] }\n";
    folder.file("corpora/agal/programs/good.agal.txt", GOOD);
    folder.file("corpora/agal/vectors/v.toml", vector);
    folder.0.path().join("corpora")
}

fn check_own(folder: &Folder, corpora: &Path) -> Output {
    let corpora = corpora.display().to_string();
    lockstep()
        .args([
            "check",
            "--no-proofs",
            "--isa",
            "agal",
            "--corpora",
            &corpora,
            "--json",
            &folder.at("r.json"),
        ])
        .env("LOCKSTEP_REAL_CORPORA", folder.at("absent"))
        .output()
        .expect("the binary runs")
}

#[test]
fn own_corpora_that_cannot_be_read_are_findings_and_empty_ones_are_inconclusive() {
    let folder = Folder::new();
    let root = corpora(&folder);
    let done = check_own(&folder, &root);
    assert_eq!(code(&done), 0, "{}", printed(&done));
    // The parts that all instruction sets share are checked and counted, too.
    let shared = folder.json("r.json")["isas"][1].clone();
    assert_eq!(shared["isa"], "shared");
    for key in ["lanes", "components", "vectors"] {
        assert!(shared[key].as_u64() > Some(100), "{key}: {shared}");
    }
    folder.file("corpora/agal/programs/wrong.agal.txt", "version 1 vertex\nmov op, vx0\n");
    let done = check_own(&folder, &root);
    assert_eq!(code(&done), 1, "{}", printed(&done));
    assert_eq!(signatures(&folder.json("r.json")), ["agal-readable-wrong.agal.txt"]);
    std::fs::remove_file(root.join("agal/programs/wrong.agal.txt")).expect("it is there");
    std::fs::create_dir(root.join("agal/regressions")).expect("a folder");
    let done = check_own(&folder, &root);
    assert!(
        code(&done) == 3 && printed(&done).contains("agal/regressions: it contains nothing to check"),
        "{}",
        printed(&done)
    );
}

#[test]
fn an_unwritable_report_does_not_prevent_the_others() {
    let folder = Folder::new();
    let good = folder.file("in/good.agal.txt", GOOD);
    let unwritable = folder.at("no/such/folder/r.json");
    let done = run(&["check", &good, "--json", &unwritable, "--junit", &folder.at("r.junit")]);
    assert!(
        code(&done) == 2 && printed(&done).contains("r.json") && printed(&done).contains("clean in"),
        "{}",
        printed(&done)
    );
    assert!(Path::new(&folder.at("r.junit")).is_file());
    folder.file("in/wrong.agal.txt", "version 1 vertex\nmov op, vx0\n");
    let done = run(&["check", &folder.at("in"), "--json", &unwritable, "--html", &folder.at("r.html")]);
    assert!(code(&done) == 1 && printed(&done).contains("1 finding in"), "{}", printed(&done));
    assert!(std::fs::read_to_string(folder.at("r.html")).expect("written").contains("vx0"));
    #[cfg(target_os = "linux")]
    for (path, expected) in [(good, 2), (folder.at("in"), 1)] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        let done = lockstep().args(["check", &path]).stdout(full).output().expect("runs");
        assert_eq!(code(&done), expected, "{path}");
    }
}

#[test]
fn a_closed_pipe_does_not_change_the_verdict() {
    let folder = Folder::new();
    folder.file("in/wrong.agal.txt", "version 1 vertex\nmov op, vx0\n");
    for more in [&["--json", "-"][..], &[]] {
        let mut child = lockstep()
            .args(["check", &folder.at("in")])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        drop(child.stdout.take());
        assert_eq!(child.wait().expect("it ends").code(), Some(1), "{more:?}");
    }
}

#[test]
#[cfg(all(unix, debug_assertions))]
fn an_interrupt_prints_partial_results_and_writes_the_reports() {
    for signal in ["-INT", "-TERM"] {
        let folder = Folder::new();
        let pattern = programs(&folder);
        folder.file("shaders/wrong.agal.txt", "version 1 vertex\nmov op, vx0\n");
        let mut child = lockstep()
            .args([
                "check",
                &folder.at("shaders"),
                "--json",
                &folder.at("r.json"),
                "--junit",
                &folder.at("r.junit"),
            ])
            .env("LOCKSTEP_PLANT", format!("hang:{pattern}"))
            .env("RAYON_NUM_THREADS", "2")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        // Long enough for the good program to be judged; the bad program would take ten minutes.
        std::thread::sleep(Duration::from_secs(5));
        assert!(child.try_wait().expect("a child").is_none(), "it ended early");
        let started = Instant::now();
        // The signal is sent twice, as by a program that signals the process and then its process group.
        for _ in 0..2 {
            let sent =
                Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
            assert!(sent.success());
        }
        let done = child.wait_with_output().expect("it ends");
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert_eq!(code(&done), 1, "the unreadable file is a finding: {}", printed(&done));
        assert!(
            printed(&done).contains("interrupted") && printed(&done).contains("vx0"),
            "{}",
            printed(&done)
        );
        let report = folder.json("r.json");
        assert_eq!(report["isas"][0]["run"], 1, "the good program is missing: {report}");
        let notes = report["notes"].to_string();
        assert!(notes.contains("1 of 2 checks were not run"), "{notes}");
        assert!(std::fs::read_to_string(folder.at("r.junit")).expect("written").contains("good.agal.txt"));
    }
}

#[test]
#[cfg(unix)]
fn workers_end_with_their_parent() {
    let folder = Folder::new();
    let pattern = programs(&folder);
    let mut child = lockstep()
        .args(["check", &folder.at("shaders")])
        .env("LOCKSTEP_PLANT", format!("hang:{pattern}"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut errors = child.stderr.take().expect("a pipe");
    std::thread::sleep(Duration::from_secs(3));
    child.kill().expect("it ended early");
    child.wait().expect("it ends");
    // The worker processes hold the other end of the pipe, so reading ends when all of them have ended. The worker that hangs would take ten minutes.
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let ended = std::io::Read::read_to_end(&mut errors, &mut Vec::new());
        let _ = tell.send(ended.is_ok());
    });
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(true), "a process survived");
}

#[test]
#[cfg(unix)]
fn pipes_devices_and_kernel_files_are_not_read() {
    let folder = Folder::new();
    folder.file("in/good.agal.txt", GOOD);
    let made = Command::new("mkfifo").arg(folder.at("in/pipe.agal")).status().expect("mkfifo runs");
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", folder.at("in/zero.agal")).expect("a link");
    let mut expected = vec!["pipe.agal", "zero.agal"];
    if cfg!(target_os = "linux") {
        std::os::unix::fs::symlink("/proc/self", folder.at("in/self")).expect("a link");
        expected.insert(1, "self");
    }
    let started = Instant::now();
    let done = run(&["check", &folder.at("in"), "--json", &folder.at("r.json")]);
    assert_eq!(code(&done), 0, "{}", printed(&done));
    let report = folder.json("r.json");
    let skipped = report["skipped"].as_array().expect("a list");
    let names: Vec<&str> = skipped.iter().filter_map(|s| s["name"].as_str()?.rsplit('/').next()).collect();
    assert_eq!(names, expected);
    for verb in ["check", "dis", "run"] {
        let done = run(&[verb, &folder.at("in/pipe.agal")]);
        assert!(code(&done) == 2 && printed(&done).contains("a pipe"), "{verb}: {}", printed(&done));
    }
    // Such files are not read as configurations for `check` or as profiles and baselines for `judge` either.
    let zero = folder.at("in/zero.agal");
    for arguments in [
        ["check", &folder.at("in/good.agal.txt"), "--config", &zero].as_slice(),
        &["judge", "absent", "--isa", "agal", "--profile", &zero],
        &["judge", "absent", "--isa", "agal", "--baseline", &zero],
    ] {
        let done = run(arguments);
        assert!(code(&done) == 2 && printed(&done).contains("a device"), "{arguments:?}: {}", printed(&done));
    }
    assert!(started.elapsed() < Duration::from_secs(30), "it took too long");
}

#[test]
fn the_signature_of_a_vector_names_vector_opcodes_and_component() {
    let folder = Folder::new();
    let vector = "isa = \"agal\"\n[[vector]]\nname = \"a sum\"\nsource = \"s\"\nderivation = \"d\"\n\
                  program = \"\"\"\nversion 1 vertex\nadd vt0, va0, va0\nmov op, vt0\n\"\"\"\n\
                  [[vector.lane]]\ninput = { va0 = [1, 2, 3, 4] }\noutput = { op = [2, 4, 7, 9] }\n";
    let path = folder.file("v.toml", vector);
    let done = run(&["check", &path, "--json", &folder.at("r.json")]);
    assert_eq!(code(&done), 1, "{}", printed(&done));
    assert_eq!(signatures(&folder.json("r.json")), ["agal-vector-a_sum-add+mov-op.z"]);
    let killed = vector.replace("output = { op = [2, 4, 7, 9] }", "killed = true");
    folder.file("v.toml", killed);
    run(&["check", &path, "--json", &folder.at("r.json")]);
    assert_eq!(signatures(&folder.json("r.json")), ["agal-vector-a_sum-add+mov-killed"]);
}

/// Returns the first vector of an instruction set whose first lane states a number, with one such number changed: as the text of a file, and as a
/// table.
fn spoiled(isa: &str) -> (String, toml::Table) {
    fn spoil(value: &mut toml::Value) -> bool {
        match value {
            toml::Value::Integer(_) | toml::Value::Float(_) => {
                *value = toml::Value::Integer(12345);
                true
            }
            toml::Value::Array(all) => all.iter_mut().any(spoil),
            toml::Value::Table(table) => table.iter_mut().any(|(_, value)| spoil(value)),
            _ => false,
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora").join(isa).join("vectors");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "toml")) {
        let file: toml::Table = std::fs::read_to_string(path).expect("text").parse().expect("TOML");
        for vector in file["vector"].as_array().expect("vectors") {
            let mut vector = vector.as_table().expect("a table").clone();
            let lane = vector["lane"].as_array_mut().expect("lanes")[0].as_table_mut().expect("a lane");
            let wrong = ["output", "effects"].iter().any(|part| lane.get_mut(*part).is_some_and(spoil));
            if wrong {
                let mut whole = toml::Table::new();
                whole.insert("isa".to_owned(), isa.into());
                whole.insert("vector".to_owned(), vec![toml::Value::Table(vector.clone())].into());
                return (whole.to_string(), vector);
            }
        }
    }
    panic!("{isa} has no vector with a number")
}

#[test]
fn a_finding_of_a_vector_is_complete() {
    for isa in lockstep_core::isa::IsaId::ALL {
        let folder = Folder::new();
        let (text, vector) = spoiled(isa.name());
        let path = folder.file("v.toml", &text);
        let reports = ["json", "sarif", "junit", "html"].map(|form| folder.at(&format!("r.{form}")));
        let [json, sarif, junit, html] = &reports;
        let done = run(&["check", &path, "--json", json, "--sarif", sarif, "--junit", junit, "--html", html]);
        assert_eq!(code(&done), 1, "{}", printed(&done));
        let report = folder.json("r.json");
        let finding = &report["findings"][0];
        let detail = finding["detail"].as_str().expect("text");
        println!("{detail}");
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let all = squeezed(detail);
        for key in ["name", "derivation", "source"] {
            let text = squeezed(vector[key].as_str().expect("text"));
            assert!(all.contains(&text), "{isa}: {key} '{text}' in {detail}");
        }
        assert!(all.contains("12345.0") && !all.contains("executor ("), "{detail}");
        // The source is spelled out, and the line that wrote the number is marked, with its inputs.
        let tags = lockstep_core::with_isa!(*isa, I => <I as lockstep_core::isa::Tables>::sources());
        let cited = lockstep_core::isa::source::cited(vector["source"].as_str().expect("text"), tags);
        for source in cited {
            assert!(all.contains(&squeezed(source.title)), "{isa}: {} in {detail}", source.title);
        }
        let marked: Vec<&str> = detail.lines().filter(|line| line.starts_with("    > ")).collect();
        assert!(!marked.is_empty() && detail.contains("  into it, in lane 0"), "{detail}");
        let wide: Vec<&str> = detail.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
        let lines = finding["exhibit"]["marked"].as_array().expect("lines");
        assert!(lines.len() <= marked.len(), "{detail}");
        // Every other report contains the marked line, too.
        let shown = printed(&done);
        for line in &marked {
            assert!(shown.contains(line), "{shown}");
            let bare = line.trim_start_matches([' ', '>']).replace('&', "&amp;").replace('<', "&lt;");
            for path in [junit, html] {
                let text = std::fs::read_to_string(path).expect("written");
                assert!(text.contains(&bare), "{bare} in {text}");
            }
        }
        let sarif = folder.json("r.sarif");
        let text = sarif["runs"][0]["results"][0]["message"]["text"].as_str().expect("text");
        assert!(text.contains(marked[0]), "{text}");
    }
}
