//! Campaigns, from the command line, with a profile that declares inexact opcodes.

use super::judge;

#[test]
fn a_campaign_in_which_too_much_is_undecided_fails() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("p.toml", "passes = ['mov']\n[inexact.exp]\nulps = 3\n[inexact.log]\nulps = 3\n");
    // The difference of two inexact results may be zero, so nothing is known about its reciprocal and their product.
    let bad =
        "version 1 vertex\nexp vt0, va0\nexp vt1, va0\nsub vt0, vt0, vt1\nrcp vt1, vt0\nmul op, vt0, vt1\n";
    put("bad.agal.txt", bad);
    let silent = format!("'{}' serve --isa agal --engine executor", env!("CARGO_BIN_EXE_lockstep"));
    let subject = format!("'{}' serve --isa agal --engine reference", env!("CARGO_BIN_EXE_lockstep"));
    let arguments = [subject.as_str(), "--isa", "agal", "--profile", "p.toml", "--count"];
    // No generated program is undecided, and small programs contain the inexact opcodes.
    let done = judge(folder.path(), &[&arguments[..], &["160"]].concat());
    assert_eq!(done.status, Some(0), "{}{}", done.out, done.err);
    assert!(done.out.contains("160 cases sent") && !done.out.contains("not compared"), "{}", done.out);
    // A subject that lists its steps is compared in the middle of a program, too.
    let done = judge(folder.path(), &[&arguments[..], &["2", "bad.agal.txt"]].concat());
    assert_eq!(done.status, Some(0), "{}{}", done.out, done.err);
    assert!(!done.out.contains("not compared"), "{}", done.out);
    let done = judge(folder.path(), &[&[silent.as_str()], &arguments[1..], &["2", "bad.agal.txt"]].concat());
    assert_eq!(done.status, Some(3), "{}{}", done.out, done.err);
    assert!(
        done.out.contains("too many results are undecided") && done.out.contains(" not compared, "),
        "{}",
        done.out
    );
}
