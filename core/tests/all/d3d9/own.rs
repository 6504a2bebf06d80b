//! Tests of the programs in the project's own corpus.

use lockstep_core::isa::Level;
use lockstep_core::isa::d3d9::assemble::assemble;
use lockstep_core::isa::d3d9::disassemble::disassemble;
use lockstep_core::isa::d3d9::interface::entries;
use lockstep_core::isa::d3d9::profile::Profile;
use lockstep_core::isa::d3d9::rules::Rule;
use lockstep_core::isa::d3d9::validate::validate;
use std::collections::BTreeSet;

/// Rules about capabilities that only some devices have: programs that use them cannot avoid the warning.
const CAPABILITIES: [Rule; 4] =
    [Rule::FlowCapability, Rule::PredicateCapability, Rule::DepthVersion, Rule::RangeCapability];

/// Programs written to demonstrate a warning, each with its rule.
const SHOWN: [(&str, Rule); 1] = [("kill_by_two", Rule::KillOperand)];

/// The programs assemble, break only rules about capabilities, and exist for every version.
#[test]
fn our_programs_break_only_rules_about_capabilities() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpora/d3d9/programs");
    let mut versions = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        // Generated programs may have any warning, because some coverage points occur only in programs with warnings.
        let drawn = name.starts_with("sweep_") || name.starts_with("lanes_");
        match assemble(&text) {
            Err(errors) => wrong.push(format!("{name}: {errors:?}")),
            Ok(program) => {
                versions.insert(program.version.profile());
                let found = validate(&program, &entries(&program)[0]);
                let mut is_expected = |code: u16| {
                    let shown = |(file, rule): &&(&'static str, Rule)| {
                        name.starts_with(*file) && rule.row().code == code
                    };
                    let shown = SHOWN.iter().find(shown).map(|(file, _)| *file);
                    used.extend(shown);
                    shown.is_some() || CAPABILITIES.iter().any(|rule| rule.row().code == code)
                };
                for v in found.iter().filter(|v| v.level == Level::Error || !drawn && !is_expected(v.code)) {
                    wrong.push(format!("{name}: {v:?}"));
                }
                assert_eq!(assemble(&disassemble(&program)).as_ref(), Ok(&program), "{name}");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(used.len(), SHOWN.len(), "a listed program no longer gives its warning");
    assert_eq!(versions.len(), Profile::ALL.len());
}
