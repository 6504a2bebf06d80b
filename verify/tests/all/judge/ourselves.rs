//! Doors tested against themselves: our own engines as subjects.

use super::judge;
use lockstep_core::isa::IsaId;

#[test]
fn our_engines_behind_the_door_are_clean() {
    for isa in IsaId::ALL {
        for engine in ["reference", "executor"] {
            let folder = tempfile::tempdir().unwrap();
            let subject = format!("'{}' serve --isa {isa} --engine {engine}", env!("CARGO_BIN_EXE_lockstep"));
            let done = judge(folder.path(), &[&subject, "--isa", isa.name(), "--count", "96"]);
            assert_eq!(done.status, Some(0), "{isa}, {engine}: {}{}", done.out, done.err);
            assert!(done.out.contains(&format!("lockstep {engine}")), "{}", done.out);
            // Of eight cases seven are programs, each with eight lanes, and each of them is decoded.
            assert!(
                done.out.contains("96 cases sent") && done.out.contains("84 programs decoded"),
                "{}",
                done.out
            );
            let lanes = done.out.lines().find_map(|line| {
                let (_, rest) = line.split_once("cases sent, ")?;
                rest.split(' ').next()?.parse::<u64>().ok()
            });
            assert!(lanes.is_some_and(|lanes| lanes >= 70 * 8), "{isa}, {engine}: {}", done.out);
        }
    }
}
