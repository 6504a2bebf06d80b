//! Options of verbs have their effect in every form of the input and of the output.

use lockstep::case::Case;
use lockstep::generate::{Entropy, ProgramRequest, any_case, case};
use lockstep_core::host::LaneInput;
use lockstep_core::isa::IsaId;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::{Format, Syntax};
use lockstep_core::with_isa;
use std::path::Path;
use std::process::Command;

/// Runs `lockstep` and returns the exit status, the standard output and the standard error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

fn written(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn an_unknown_choice_is_refused_in_every_form_of_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let text = "version 2 fragment\nifg v0.x, v1.x\nmov oc, v0\nels\nmov oc, v1\neif\n";
    let program = Agal::assemble(text).unwrap();
    let mut case = Case::bare(IsaId::Agal, &Agal::encode(&program));
    case.env.lanes = vec![LaneInput::default(); 4];
    let files = [
        written(folder.path(), "p.agal.txt", text),
        written(folder.path(), "p.agal", Agal::encode(&program)),
        written(folder.path(), "p.toml", case.to_text(None)),
        written(folder.path(), "p.case", case.to_bytes()),
    ];
    for file in &files {
        for verb in ["validate", "run", "trace"] {
            for (choice, part) in
                [("nothing=ge", "no option 'nothing'"), ("ifg=nothing", "no choice 'nothing'")]
            {
                let (status, out, err) = run(&[verb, file, "-O", choice]);
                assert_eq!(status, Some(2), "{verb} {file} -O {choice}: {out}{err}");
                assert!(err.contains(part), "{verb} {file} -O {choice}: {err}");
            }
        }
        assert_eq!(run(&["validate", file, "-O", "ifg=ge"]).0, Some(0), "{file}");
    }
}

/// A program of PICA200 with two entries, which read different inputs.
const TWO: &str = ".in first v1\n.out pos position o0\n.entry one\n.proc one\nmov pos, v1\nend\n.end\n.shader\n\
    .in second v3\n.out pos position o0\n.entry two\n.proc two\nmov pos, v3\nend\n.end\n";

#[test]
fn every_verb_that_takes_an_entry_uses_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "p.pica200.txt", TWO);
    for (entry, there, absent) in [("0", "first", "second"), ("1", "second", "first")] {
        let (status, shown, err) = run(&["case", "slots", &file, "--entry", entry]);
        assert_eq!(status, Some(0), "{err}");
        assert!(shown.contains(there) && !shown.contains(absent), "{entry}: {shown}");
        let input = format!("{there}=1,2,3,4");
        let (status, made, err) = run(&["case", "new", &file, "--entry", entry, "--input", &input]);
        assert_eq!(status, Some(0), "{err}");
        let made = written(folder.path(), "made.toml", made);
        let (status, ran, err) = run(&["run", &made]);
        assert!(status == Some(0) && ran.contains(" 4.0 "), "{entry}: {ran}{err}");
        assert_eq!(
            run(&["case", "new", &file, "--entry", entry, "--input", &format!("{absent}=1")]).0,
            Some(2)
        );
    }
    for verb in [&["case", "slots"][..], &["case", "new"], &["run"], &["trace"]] {
        let (status, out, err) = run(&[verb, &[file.as_str(), "--entry", "2"]].concat());
        assert!(status == Some(2) && err.contains("there is no entry 2"), "{verb:?}: {out}{err}");
    }
}

#[test]
fn check_runs_a_program_in_as_many_environments_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "p.agal.txt", "version 1 vertex\nadd op, va0, vc0\n");
    for (seeds, runs) in [(None, 4u64), (Some("1"), 1), (Some("3"), 3), (Some("9"), 9)] {
        let mut arguments = vec!["check", &file, "--json", "-"];
        arguments.extend(seeds.iter().flat_map(|seeds| ["--seeds", seeds]));
        let (status, out, err) = run(&arguments);
        assert_eq!(status, Some(0), "{err}");
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        // An environment has two quads of lanes.
        assert_eq!(report["isas"][0]["lanes"], runs * 8, "{seeds:?}: {}", report["isas"]);
    }
}

#[test]
fn generated_programs_are_the_same_in_every_form_of_the_output() {
    let folder = tempfile::tempdir().unwrap();
    for isa in IsaId::ALL {
        let name = isa.name();
        for any in [false, true] {
            let expected: Vec<Case> = (5..17)
                .map(|seed| {
                    let mut e = Entropy::seeded(seed);
                    if any {
                        return any_case(*isa, &mut e);
                    }
                    with_isa!(*isa, I => case::<I>(&mut e, &ProgramRequest::default()))
                })
                .collect();
            for form in ["text", "binary", "raw"] {
                let to = folder.path().join(format!("{name}-{any}-{form}")).display().to_string();
                let mut arguments = vec!["gen", "--isa", name, "--seed", "5", "--count", "12"];
                arguments.extend(match form {
                    "raw" => vec!["--raw", &to],
                    "binary" => vec!["--binary", "-o", &to],
                    _ => vec!["-o", &to],
                });
                arguments.extend(any.then_some("--any"));
                let (status, _, err) = run(&arguments);
                assert_eq!(status, Some(0), "{err}");
                for (seed, case) in (5..).zip(&expected) {
                    let extension = match form {
                        "raw" => name,
                        "binary" => "case",
                        _ => "toml",
                    };
                    let path = Path::new(&to).join(format!("{name}-{seed:08}.{extension}"));
                    let bytes = std::fs::read(&path).unwrap();
                    let same = match form {
                        "raw" => bytes == case.bytes,
                        "binary" => bytes == case.to_bytes(),
                        _ => bytes == case.to_text(None).as_bytes(),
                    };
                    assert!(same, "{}", path.display());
                }
            }
        }
    }
}

#[test]
fn run_states_the_largest_fuel_that_it_accepts() {
    let folder = tempfile::tempdir().unwrap();
    let looping =
        "vs_2_0\ndcl_position v0\ndefi i0, 200, 0, 0, 0\nrep i0\nadd r0, r0, v0\nendrep\nmov oPos, r0\n";
    let file = written(folder.path(), "p.d3d9.txt", looping);
    let (_, said, _) = run(&["run", &file, "--fuel", "3"]);
    let most = said.split_once("--fuel N gives up to ").unwrap().1.lines().next().unwrap();
    let most: u64 = most.parse().unwrap();
    let with = |fuel: u64| run(&["run", &file, "--fuel", &fuel.to_string()]).0;
    assert_eq!((with(most), with(most + 1)), (Some(0), Some(2)), "{most}");
}
