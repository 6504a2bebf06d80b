//! Tests of facets: legal programs reach exactly the listed points, and a setter changes only one instruction.

use crate::pica200::random::{config, program};
use lockstep_core::isa::facet::{Site, points};
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::pica200::decode::decode;
use lockstep_core::isa::pica200::encode::encode;
use lockstep_core::isa::pica200::facets::TABLE;
use lockstep_core::isa::pica200::interface::entries;
use lockstep_core::isa::pica200::opcode::{self, Opcode};
use lockstep_core::isa::pica200::program::{Container, Descriptor, DescriptorRow, Instruction, Program, Raw};
use lockstep_core::isa::pica200::validate::validate;
use lockstep_core::isa::{Level, Stage};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn word(op: Opcode, bits: u32) -> Instruction {
    Instruction::from_word(op.row().number << 26 | bits)
}

/// Returns variants of one instruction: each part of the descriptor is varied in turn, and each field of the word has each value up to 0x7f.
fn variants(op: Opcode) -> Vec<(Instruction, Descriptor)> {
    let plain = word(op, 0);
    let mut all = Vec::new();
    let masks = (0..16).map(|mask| Descriptor { mask, ..Descriptor::default() });
    let selects =
        (0..=255).map(|s| Descriptor { select1: s, select2: s, select3: s, ..Descriptor::default() });
    let signs = (0..8).map(|n| Descriptor {
        negate1: n & 1,
        negate2: n >> 1 & 1,
        negate3: n >> 2,
        ..Descriptor::default()
    });
    all.extend(masks.chain(selects).chain(signs).map(|d| (plain, d)));
    // A source equal to the temporary that is written.
    for name in ["src1", "src2", "src3"] {
        all.push((plain.with_field("dst", 0x10).with_field(name, 0x10), Descriptor::default()));
    }
    for field in plain.layout().fields.iter().filter(|f| f.name != "opcode" && f.name != "desc") {
        for value in 0..=(field.max() as u32).min(0x7f) {
            let changed = plain.with_field(field.name, value);
            for name in ["src1", "src2", "src3"] {
                // Only wide sources reach the uniforms.
                if changed.layout().field(name).is_some_and(|field| field.max() >= 0x40) {
                    all.push((changed.with_field(name, 0x40), Descriptor::default()));
                }
            }
            all.push((changed.with_field("condop", 2), Descriptor::default()));
            all.push((changed.with_field("condop", 3), Descriptor::default()));
            all.push((changed, Descriptor::default()));
        }
    }
    all
}

#[test]
fn the_coverage_points_are_exactly_those_of_legal_programs() {
    let mut reached = BTreeSet::new();
    for row in opcode::TABLE {
        for (instruction, descriptor) in variants(row.opcode) {
            for (at, stage) in [1, 6].into_iter().flat_map(|at| [(at, Stage::Vertex), (at, Stage::Geometry)])
            {
                // Within a loop, so that breaks are legal and jumps have targets.
                let mut code = vec![word(Opcode::Nop, 0); 20];
                code[0] = word(Opcode::Loop, 12 << 10);
                code[at] = instruction;
                code[18] = word(Opcode::End, 0);
                let raw = Raw { stage, output_mask: 0, start: 0 };
                let descriptors = vec![DescriptorRow { descriptor, second: 0 }];
                let program = Program { container: Container::Raw(raw), code, descriptors };
                let found = validate(&program, &entries(&program)[0]);
                if found.iter().all(|violation| violation.level < Level::Error) {
                    reached.extend(TABLE.points(&program, at as u32));
                }
            }
        }
    }
    let all = points::<Pica200>();
    let listed: BTreeSet<_> = all.iter().cloned().collect();
    assert_eq!(all.len(), listed.len(), "no point is listed twice");
    let missing: Vec<_> = listed.difference(&reached).collect();
    assert!(missing.is_empty(), "listed but not reached: {missing:?}");
    let new: Vec<_> = reached.difference(&listed).collect();
    assert!(new.is_empty(), "reached but not listed: {new:?}");
    eprintln!("{} points", all.len());
}

proptest! {
    #![proptest_config(config(150))]

    /// Other instructions keep their words and the contents of their descriptors, even if rows are shared.
    #[test]
    fn setters_accept_any_program_and_change_one_instruction(program in program()) {
        let sites = (0..=program.code.len() as u32).flat_map(|word| (0..2).map(move |unit| Site { word, unit }));
        for site in sites {
            for (number, facet) in TABLE.facets.iter().enumerate() {
                for (value, name) in facet.values.iter().enumerate() {
                    let Some((edited, at)) = TABLE.set(&program, site, number as u8, value as u8) else { continue };
                    prop_assert_eq!(at, site);
                    prop_assert!(facet.is_shown(&edited, at, name), "{} {}", facet.name, name);
                    prop_assert_eq!(edited.code.len(), program.code.len());
                    for (k, (before, after)) in program.code.iter().zip(&edited.code).enumerate() {
                        if k != site.word as usize {
                            prop_assert_eq!(before, after);
                            prop_assert_eq!(program.descriptor(before), edited.descriptor(after));
                        }
                    }
                    prop_assert_eq!(decode(&encode(&edited)), Ok(edited));
                }
            }
        }
    }
}
