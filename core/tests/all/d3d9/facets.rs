//! The coverage points of the facets, and setters on any program.

use crate::d3d9::corpus::shaders;
use crate::d3d9::random::{Random, shader};
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::encode::encode;
use lockstep_core::isa::d3d9::facets::{TABLE as FACETS, cover_points};
use lockstep_core::isa::d3d9::interface::entries;
use lockstep_core::isa::d3d9::opcode::{Kind, Opcode, TABLE};
use lockstep_core::isa::d3d9::profile::Profile;
use lockstep_core::isa::d3d9::program::Program;
use lockstep_core::isa::d3d9::validate::validate;
use lockstep_core::isa::facet::{Site, points, rule_instances};
use lockstep_core::isa::{CoverPoint, Level};
use std::collections::BTreeSet;

fn all() -> BTreeSet<CoverPoint> {
    let all = points::<D3d9>();
    let set: BTreeSet<_> = all.iter().cloned().collect();
    assert_eq!(all.len(), set.len(), "no point is listed twice");
    set
}

/// The coverage points of a program's instructions that are not in the list.
fn unlisted(program: &Program, all: &BTreeSet<CoverPoint>) -> Vec<CoverPoint> {
    let words = 0..program.instructions.len() as u32;
    words.flat_map(|word| FACETS.points(program, word)).filter(|c| !all.contains(c)).collect()
}

#[test]
fn every_opcode_is_listed_in_every_version_that_has_it() {
    let all = all();
    for row in TABLE {
        let silent = row.kind == Kind::Declaration || matches!(row.opcode, Opcode::Nop | Opcode::Label);
        for profile in Profile::ALL {
            let modifier = format!("version={}", profile.name());
            let point = CoverPoint { opcode: row.mnemonic, modifier };
            assert_eq!(all.contains(&point), row.versions.has(*profile) && !silent, "{point:?}");
        }
    }
    eprintln!("{} points", all.len());
}

#[test]
fn points_of_real_shaders_are_listed() {
    let Some(shaders) = shaders() else { return };
    let all = all();
    for shader in &shaders {
        let program = decode(&shader.bytes).unwrap();
        assert_eq!(unlisted(&program, &all), [], "{}", shader.name);
    }
}

/// All coverage points of random instructions that happen to be legal are in the list.
#[test]
fn points_of_legal_random_instructions_are_listed() {
    let all = all();
    let mut random = Random(0xc1a55);
    let (mut legal, mut missing) = (0, BTreeSet::new());
    for _ in 0..60_000 {
        let mut program = decode(&shader(&mut random)).unwrap();
        // A single instruction is legal more often.
        program.instructions.truncate(1);
        if validate(&program, &entries(&program)[0]).iter().all(|v| v.level < Level::Error) {
            legal += 1;
            missing.extend(unlisted(&program, &all));
        }
    }
    assert!(legal > 1000, "{legal}");
    assert!(missing.is_empty(), "{missing:?}");
}

/// Setters refuse impossible values, also on empty programs, and their results encode and decode.
#[test]
fn setters_accept_any_program() {
    let mut random = Random(0xface7);
    let mut set = 0;
    for _ in 0..300 {
        let program = decode(&shader(&mut random)).unwrap();
        let words = (0..program.instructions.len() as u32 + 2).chain([u32::MAX]);
        let sites = words.flat_map(|word| [0, 1, 255].map(|unit| Site { word, unit }));
        for site in sites {
            for (number, facet) in FACETS.facets.iter().enumerate() {
                for value in 0..=facet.values.len() {
                    let Some((edited, at)) = FACETS.set(&program, site, number as u8, value as u8) else {
                        continue;
                    };
                    set += 1;
                    let value = facet.values[value];
                    assert!(facet.is_shown(&edited, at, value), "{}={value}", facet.name);
                    assert_eq!(decode(&encode(&edited)).unwrap(), edited, "{}={value}", facet.name);
                }
            }
        }
        assert_eq!(FACETS.set(&program, Site { word: 0, unit: 0 }, u8::MAX, 0), None);
    }
    assert!(set > 10_000, "{set}");
}

/// Classifying many instructions of a program at once gives the points of each, including those that depend on declarations.
#[test]
fn the_classifier_finds_the_points_of_each_instruction() {
    let mut random = Random(0x3a17e);
    let shaders = (0..500).map(|_| decode(&shader(&mut random)).unwrap());
    let mut textures = 0;
    for program in rule_instances::<D3d9>().iter().map(|instance| instance.program.clone()).chain(shaders) {
        let classify = cover_points(&program);
        for word in 0..program.instructions.len() as u32 {
            let found = classify(word);
            assert_eq!(found, FACETS.points(&program, word));
            textures += found.iter().filter(|point| point.modifier.starts_with("texture=")).count();
        }
    }
    assert!(textures > 10, "{textures}");
}
