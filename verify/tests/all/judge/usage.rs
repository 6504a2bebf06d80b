//! Arguments of `lockstep judge`: unusable ones give an error with an explanation, and options have their effect. Also interrupts.

use super::{file, findings, judge};

#[test]
fn unusable_arguments_exit_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("plain.py", "print()");
    put("profile.toml", "supports = 'only movv'\n");
    put("list.toml", "[[finding]]\nsignature = 'x'\nclass = 'value'\ncase = 'nothing'\n");
    put("broken.agal.txt", "version 1 vertex\nmvo op, va0\n");
    put("other.d3d9.txt", "vs_2_0\nmov oPos, c0\n");
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let bad = |how: &str| format!("python3 -S {} {how}", file("tests/all/judge/bad.py"));
    let good = bad("good");
    let rows: &[(&[&str], &str)] = &[
        (&[], "SUBJECT is missing"),
        (&["./nothing-there"], "there is no program './nothing-there'"),
        (&["nothing-there-at-all --x"], "there is no program 'nothing-there-at-all'"),
        (&["plain.py"], "give the command that runs it, such as 'python3 ./plain.py'"),
        (&["python3 'open"], "is not closed"),
        (&[""], "SUBJECT is empty"),
        (&["false"], "ended with exit status 1"),
        (&["python3 -S nothing.py"], "it printed:"),
        (&["echo hello"], "exit status 0"),
        (&[&bad("version")], "speaks version 2 of the protocol, and this is version 1"),
        (&[&bad("isa")], "does not support agal; it supports d3d9"),
        (&[&bad("unable")], "can neither decode nor run"),
        (&[&bad("profile")], "the profile of bad: 'supports', 1:1"),
        (&[&good, "--profile", "profile.toml"], "profile.toml: 'supports', 1:1"),
        (&[&good, "--profile", "absent.toml"], "absent.toml"),
        (&[&good, "--baseline", "list.toml"], "finding x: "),
        (&[&good, "--baseline", "profile.toml"], "supports"),
        (&[&good, "broken.agal.txt"], "mvo"),
        (&[&good, "absent.agal"], "absent.agal"),
        (&[&good, "other.d3d9.txt"], "other.d3d9.txt"),
        (&[&good, "empty"], "empty contains nothing to judge"),
        (&[&good, "--shard", "3/2"], "K from 1 to N"),
        (&[&good, "--patience", "0"], "from 0.01 to 3600"),
        (&[&good, "--without", "litp"], "--without: 'supports', 2:1"),
    ];
    for (arguments, part) in rows {
        let mut all = vec!["--isa", "agal", "--count", "0"];
        all.extend(*arguments);
        let done = judge(folder.path(), &all);
        assert_eq!(done.status, Some(2), "{arguments:?}: {}{}", done.out, done.err);
        assert!(done.err.contains(part), "{arguments:?}: {}", done.err);
    }
}

#[test]
fn a_run_that_compares_nothing_is_inconclusive() {
    let folder = tempfile::tempdir().unwrap();
    let good = format!("python3 -S {} good", file("tests/all/judge/bad.py"));
    let done = judge(folder.path(), &[&good, "--isa", "agal", "--count", "0"]);
    assert_eq!(done.status, Some(3), "{}{}", done.out, done.err);
    assert!(done.out.contains("nothing was compared"), "{}", done.out);
}

#[test]
fn shards_share_the_programs_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.toml"), "[invalid]\nmalformed = 'any'\n").unwrap();
    for (shard, count) in [("1/3", 34), ("2/3", 33), ("3/3", 33)] {
        let arguments = [
            "--isa",
            "agal",
            "--count",
            "100",
            "--shard",
            shard,
            "--profile",
            "p.toml",
            "--",
            "python3",
            "-S",
        ];
        let script = file("tests/all/judge/bad.py");
        let mut all = arguments.to_vec();
        all.extend([script.as_str(), "good"]);
        let done = judge(folder.path(), &all);
        assert_eq!(done.status, Some(0), "{}{}", done.out, done.err);
        assert!(done.out.contains(&format!("{count} cases sent")), "{shard}: {}", done.out);
    }
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_a_campaign_with_its_summary() {
    let folder = tempfile::tempdir().unwrap();
    let script = file("tests/all/judge/bad.py");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["judge", "--isa", "agal", "--time", "100", "--", "python3", "-S", &script, "good"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    // Interrupts are handled once the line about the subject has been printed.
    assert_eq!(lines.next().unwrap().unwrap(), "bad: agal, decode");
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(rest.iter().any(|line| line.contains("interrupted: these are the results so far")), "{rest:?}");
    assert_eq!(child.wait().unwrap().code(), Some(3), "{rest:?}");
}

#[test]
fn excluded_opcodes_are_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let subject = format!("python3 -S {} --bug", file("examples/subject.py"));
    let arguments = ["--isa", "agal", "--count", "160", "--without", "sge"];
    let around = judge(folder.path(), &[&[subject.as_str()], &arguments[..]].concat());
    assert_eq!(around.status, Some(0), "{}{}", around.out, around.err);
    let with = judge(folder.path(), &[&[subject.as_str()], &arguments[..4], &["--without", "slt"]].concat());
    assert_eq!(with.status, Some(1), "{}{}", with.out, with.err);
    // The command in the report contains `--without`, too.
    let [found] = findings(folder.path()).try_into().expect("one finding");
    let report = std::fs::read_to_string(found.join("finding.txt")).unwrap();
    assert!(report.contains(" --isa agal --without slt --count 0 "), "{report}");
}

#[test]
fn a_run_ends_once_there_are_enough_findings() {
    let folder = tempfile::tempdir().unwrap();
    let lockstep = env!("CARGO_BIN_EXE_lockstep");
    let subject = format!("'{lockstep}' serve --isa agal --bug one-component-stores-x");
    let arguments = ["--isa", "agal", "--count", "10000", "--most", "2", "--strict-options"];
    let done = judge(folder.path(), &[&[subject.as_str()], &arguments[..]].concat());
    assert_eq!(done.status, Some(1), "{}{}", done.out, done.err);
    let sent = done.out.lines().find_map(|line| line.split_once(" cases sent")?.0.parse::<u64>().ok());
    assert!(findings(folder.path()).len() >= 2 && sent.is_some_and(|sent| sent < 5000), "{}", done.out);
}

#[test]
fn differences_explained_by_an_option_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let lockstep = env!("CARGO_BIN_EXE_lockstep");
    let subject = format!("'{lockstep}' serve --isa agal --bug one-component-stores-x");
    let arguments = [subject.as_str(), "--isa", "agal", "--count", "200"];
    let done = judge(folder.path(), &arguments);
    assert_eq!(done.status, Some(0), "{}{}", done.out, done.err);
    let explained = done.out.lines().find_map(|line| line.split_once(" differences explained by ")?.1.into());
    assert_eq!(explained, Some("single_mask = \"x\""), "{}", done.out);
    assert!(findings(folder.path()).is_empty(), "{}", done.out);
    let strict = judge(folder.path(), &[&arguments[..], &["--strict-options"]].concat());
    assert_eq!(strict.status, Some(1), "{}{}", strict.out, strict.err);
    let report = std::fs::read_to_string(findings(folder.path())[0].join("finding.txt")).unwrap();
    assert!(report.contains(" --strict-options --count 0 "), "{report}");
}
