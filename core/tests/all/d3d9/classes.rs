//! Coverage classes.

use crate::d3d9::corpus::shaders;
use crate::d3d9::random::{Random, shader};
use lockstep_core::isa::d3d9::classes::{all_classes, classes};
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::interface::entries;
use lockstep_core::isa::d3d9::opcode::{Kind, Opcode, TABLE};
use lockstep_core::isa::d3d9::profile::Profile;
use lockstep_core::isa::d3d9::program::Program;
use lockstep_core::isa::d3d9::validate::validate;
use lockstep_core::isa::{ClassPoint, Level};
use std::collections::BTreeSet;

fn all() -> BTreeSet<ClassPoint> {
    let all = all_classes();
    let set: BTreeSet<_> = all.iter().cloned().collect();
    assert_eq!(all.len(), set.len(), "no class is listed twice");
    set
}

/// The classes of a program's instructions that are not in the list.
fn unlisted(program: &Program, all: &BTreeSet<ClassPoint>) -> Vec<ClassPoint> {
    let words = 0..program.instructions.len() as u32;
    words.flat_map(|word| classes(program, word)).filter(|c| !all.contains(c)).collect()
}

#[test]
fn every_opcode_is_listed_in_every_version_that_has_it() {
    let all = all();
    for row in TABLE {
        let silent = row.kind == Kind::Declaration || matches!(row.opcode, Opcode::Nop | Opcode::Label);
        for profile in Profile::ALL {
            let modifier = format!("version={}", profile.name());
            let point = ClassPoint { opcode: row.mnemonic, modifier };
            assert_eq!(all.contains(&point), row.versions.has(*profile) && !silent, "{point:?}");
        }
    }
    eprintln!("{} classes", all.len());
}

#[test]
fn classes_of_open_files_are_listed() {
    let Some(shaders) = shaders() else { return };
    let all = all();
    for shader in &shaders {
        let program = decode(&shader.bytes).unwrap();
        assert_eq!(unlisted(&program, &all), [], "{}", shader.name);
    }
}

/// Random instructions that happen to be legal are in no class that the list lacks.
#[test]
fn classes_of_legal_random_instructions_are_listed() {
    let all = all();
    let mut random = Random(0xc1a55);
    let (mut legal, mut missing) = (0, BTreeSet::new());
    for _ in 0..60_000 {
        let mut program = decode(&shader(&mut random)).unwrap();
        // One instruction alone is legal more often.
        program.instructions.truncate(1);
        if validate(&program, &entries(&program)[0]).iter().all(|v| v.level < Level::Error) {
            legal += 1;
            missing.extend(unlisted(&program, &all));
        }
    }
    assert!(legal > 1000, "{legal}");
    assert!(missing.is_empty(), "{missing:?}");
}
