//! The coverage points of the facets are exactly those of instructions in legal programs, found by trying fields; setters work on any program.

use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::agal::decode::decode;
use lockstep_core::isa::agal::encode::encode;
use lockstep_core::isa::agal::facets::TABLE as FACETS;
use lockstep_core::isa::agal::interface::entries;
use lockstep_core::isa::agal::opcode::{Opcode, Shape, TABLE};
use lockstep_core::isa::agal::program::{Dest, File, Program, Sampler, Source, SourceOrSampler, Token};
use lockstep_core::isa::agal::validate::validate;
use lockstep_core::isa::facet::{Facet, Site, points};
use lockstep_core::isa::{CoverPoint, Level, Stage};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A legal instruction to vary: reads inputs and writes temporary 0.
fn plain(op: Opcode, stage: Stage) -> Token {
    let input = if stage == Stage::Fragment { File::Varying } else { File::Attribute };
    let scalar = matches!(op.row().shape, Shape::Compare | Shape::Kill);
    let source = Source::register(input, 0, if scalar { 0 } else { Source::XYZW });
    let mask = if op.row().writes_w { 0xf } else { 7 };
    Token {
        opcode: op.row().number,
        dest: if op.has_dest() { Dest::register(File::Temporary, 0, mask) } else { Dest::default() },
        a: if op.sources() > 0 { source } else { Source::default() },
        b: match op.sources() {
            _ if op.has_sampler() => {
                SourceOrSampler::Sampler(Sampler { file: File::Sampler as u8, ..Sampler::default() })
            }
            // A different register from the first, otherwise the condition would be constant.
            2 => SourceOrSampler::Source(Source { number: 1, ..source }),
            _ => SourceOrSampler::Source(Source::default()),
        },
    }
}

/// Variants of the plain instruction, each with one change, legal or not.
fn variants(op: Opcode, stage: Stage) -> Vec<Token> {
    let plain = plain(op, stage);
    let mut all = vec![plain];
    let with = |change: &dyn Fn(&mut Token)| {
        let mut token = plain;
        change(&mut token);
        token
    };
    let change_b = |token: &mut Token, change: &dyn Fn(&mut Source)| {
        if let SourceOrSampler::Source(b) = &mut token.b {
            change(b);
        }
    };
    all.extend((0..16).map(|mask| with(&|t| t.dest.mask = mask)));
    for swizzle in 0..=255 {
        all.push(with(&|t| t.a.swizzle = swizzle));
        all.push(with(&|t| change_b(t, &|b| b.swizzle = swizzle)));
    }
    for file in 0..8 {
        all.push(with(&|t| t.a.file = file));
        all.push(with(&|t| change_b(t, &|b| b.file = file)));
        for component in 0..4 {
            let index = |s: &mut Source| {
                (s.indirect, s.file, s.index_file, s.index_component) =
                    (1, File::Constant as u8, file, component);
            };
            all.push(with(&|t| index(&mut t.a)));
            all.push(with(&|t| change_b(t, &index)));
        }
    }
    // A second source that is the destination register. For the first source, the loop over register files above includes this case.
    all.push(with(&|t| change_b(t, &|b| (b.file, b.number) = (File::Temporary as u8, 0))));
    for value in 0..16 {
        let changes: [fn(&mut Sampler, u8); 7] = [
            |s, v| s.dimension = v,
            |s, v| s.format = v,
            |s, v| s.filter = v,
            |s, v| s.mip = v,
            |s, v| s.wrap = v,
            |s, v| s.special = v,
            |s, v| s.bias = v,
        ];
        for change in changes {
            all.push(with(&|t| {
                if let SourceOrSampler::Sampler(s) = &mut t.b {
                    change(s, value);
                }
            }));
        }
    }
    all
}

/// Returns the coverage points of an instruction, if the program built around it is legal. The program contains the rest of the instruction's block,
/// and writes an output.
fn points_if_legal(token: Token, op: Opcode, stage: Stage, version: u32) -> Vec<CoverPoint> {
    let block = |op| plain(op, stage);
    let mut tokens = match op.row().shape {
        Shape::Compare => vec![token, block(Opcode::Eif)],
        Shape::Marker if op == Opcode::Els => vec![block(Opcode::Ife), token, block(Opcode::Eif)],
        Shape::Marker => vec![block(Opcode::Ife), token],
        _ => vec![token],
    };
    let at = tokens.iter().position(|t| *t == token).unwrap() as u32;
    let mut out = plain(Opcode::Mov, stage);
    out.dest.file = File::Output as u8;
    tokens.push(out);
    let program = Program { version, stage, tokens };
    let found = validate(&program, &entries(&program)[0]);
    let legal = found.iter().all(|v| v.level < Level::Error);
    if legal { FACETS.points(&program, at) } else { Vec::new() }
}

#[test]
fn the_coverage_points_are_exactly_those_of_legal_programs() {
    let mut reached = BTreeSet::new();
    for row in TABLE {
        for stage in [Stage::Vertex, Stage::Fragment] {
            for version in 1..=4 {
                for token in variants(row.opcode, stage) {
                    reached.extend(points_if_legal(token, row.opcode, stage, version));
                }
            }
        }
    }
    let all = points::<Agal>();
    let listed: BTreeSet<_> = all.iter().cloned().collect();
    assert_eq!(all.len(), listed.len(), "no point is listed twice");
    let show = |set: &BTreeSet<CoverPoint>, other: &BTreeSet<CoverPoint>| -> Vec<String> {
        set.difference(other).map(|c| format!("{} {}", c.opcode, c.modifier)).collect()
    };
    assert_eq!(show(&listed, &reached), Vec::<String>::new(), "listed but not reached");
    assert_eq!(show(&reached, &listed), Vec::<String>::new(), "reached but not listed");
    for row in TABLE {
        assert!(listed.iter().any(|c| c.opcode == row.mnemonic), "{}", row.mnemonic);
    }
    eprintln!("{} points", all.len());
}

/// Programs of any version and stage, most of them with existing opcodes and legal field values.
fn any_program() -> impl Strategy<Value = Program> {
    let number = prop_oneof![9 => 0u32..0x30, 1 => any::<u32>()];
    // Arbitrary bits, or bits of existing files and options.
    let source = prop_oneof![
        any::<u64>(),
        any::<u64>().prop_map(|bits| bits & 0x8003_0707_ffff_0007),
        any::<u64>().prop_map(|bits| bits & 0x0000_0007_00ff_0007),
    ];
    let dest = prop_oneof![any::<u32>(), any::<u32>().prop_map(|bits| bits & 0x070f_0007)];
    let token = (number, dest, source.clone(), source);
    let header = (prop_oneof![9 => 1u32..5, 1 => any::<u32>()], 0u8..2);
    (header, proptest::collection::vec(token, 1..6)).prop_map(|((version, stage), tokens)| {
        let mut bytes = vec![0xa0];
        bytes.extend(version.to_le_bytes());
        bytes.extend([0xa1, stage]);
        for (number, dest, a, b) in tokens {
            bytes.extend(number.to_le_bytes().into_iter().chain(dest.to_le_bytes()));
            bytes.extend(a.to_le_bytes().into_iter().chain(b.to_le_bytes()));
        }
        decode(&bytes).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any program, a value that was set is read back, and of the other facets only those in `disturbs` may change.
    #[test]
    fn setters_accept_any_program(program in any_program()) {
        let sites = (0..=program.tokens.len() as u32).flat_map(|word| (0..2).map(move |unit| Site { word, unit }));
        for site in sites {
            for (number, facet) in FACETS.facets.iter().enumerate() {
                for (value, name) in facet.values.iter().enumerate() {
                    let Some((edited, at)) = FACETS.set(&program, site, number as u8, value as u8) else { continue };
                    prop_assert!(facet.is_shown(&edited, at, name), "{}={name}: {program:?}", facet.name);
                    let is_unchanged = |other: &&Facet<Program>| {
                        other.name == facet.name || facet.disturbs.contains(&other.name)
                            || (other.get)(&edited, at) == (other.get)(&program, site)
                    };
                    let changed = FACETS.facets.iter().find(|other| !is_unchanged(other)).map(|other| other.name);
                    prop_assert_eq!(changed, None, "{}={}: {:?}", facet.name, name, program);
                    prop_assert!(decode(&encode(&edited)).is_ok_and(|read| read == edited));
                }
            }
        }
    }
}
