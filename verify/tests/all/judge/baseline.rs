//! Baselines: known findings do not fail the gate, and entries that no longer fail are reported.

use super::{file, judge, text};

#[test]
fn only_new_findings_fail_and_fixed_ones_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let subject = |bug: &str| format!("python3 -S {}{bug}", file("examples/subject.py"));
    let arguments = ["--isa", "agal", "--count", "160", "--baseline", "known.toml"];
    let run = |bug: &str| {
        let subject = subject(bug);
        let mut all = vec![subject.as_str()];
        all.extend(arguments);
        judge(folder.path(), &all)
    };
    std::fs::write(folder.path().join("known.toml"), "").unwrap();
    let first = run(" --bug");
    assert_eq!(first.status, Some(1), "{}{}", first.out, first.err);
    let baseline = text(folder.path().join("lockstep-judged/baseline.toml"));
    assert!(baseline.contains("signature = \"agal-value-output-sge\""), "{baseline}");
    std::fs::write(folder.path().join("known.toml"), &baseline).unwrap();
    let second = run(" --bug");
    assert_eq!(second.status, Some(0), "{}{}", second.out, second.err);
    assert!(second.out.contains("1 finding of the baseline found again"), "{}", second.out);
    assert!(second.out.contains("(in the baseline)"), "{}", second.out);
    let third = run("");
    assert_eq!(third.status, Some(0), "{}{}", third.out, third.err);
    assert!(third.out.contains("the finding agal-value-output-sge no longer fails"), "{}", third.out);
    // A finding with another name is new.
    std::fs::write(folder.path().join("known.toml"), baseline.replace("-sge\"", "-slt\"")).unwrap();
    let fourth = run(" --bug");
    assert_eq!(fourth.status, Some(1), "{}{}", fourth.out, fourth.err);
}

#[test]
fn a_baseline_entry_excuses_only_its_own_failure() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.agal.txt"), "version 1 vertex\nsqt op, va0\n").unwrap();
    let subject = format!("python3 -S {} reject", file("tests/all/judge/bad.py"));
    let run = |baseline: &str| {
        std::fs::write(folder.path().join("known.toml"), baseline).unwrap();
        let arguments = [&subject, "--isa", "agal", "--count", "0", "--baseline", "known.toml", "p.agal.txt"];
        judge(folder.path(), &arguments).status
    };
    assert_eq!(run(""), Some(1));
    let baseline = text(folder.path().join("lockstep-judged/baseline.toml"));
    assert_eq!(run(&baseline), Some(0));
    let class = "class = \"verdict\"\n";
    assert!(baseline.contains(class) && baseline.contains("sqt op,"), "{baseline}");
    assert_eq!(run(&baseline.replace(class, "class = \"crash\"\n")), Some(1));
    assert_eq!(run(&baseline.replace("sqt op,", "mov op,")), Some(1));
}
