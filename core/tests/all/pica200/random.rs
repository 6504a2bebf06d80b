//! Random programs, with many parts that resemble the output of assemblers.

use lockstep_core::isa::Stage;
use lockstep_core::isa::pica200::container::*;
use lockstep_core::isa::pica200::decode::decode;
use lockstep_core::isa::pica200::encode::encode;
use lockstep_core::isa::pica200::program::{Container, Descriptor, DescriptorRow, Instruction, Program, Raw};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// Failures are kept next to the source file of the test that found them, which replays them.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig { cases, failure_persistence: Some(Box::new(persistence)), ..ProptestConfig::default() }
}

/// Draws any word, often with a small descriptor number and near targets.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        2 => any::<u32>(),
        3 => (0u32..64, any::<u32>()).prop_map(|(op, bits)| {
            let bits = bits & 0x03ff_ffff;
            op << 26 | match op {
                0x00..=0x1f | 0x2e | 0x2f => bits & !0x78,
                0x30.. => bits & !0x1c,
                0x20..=0x22 | 0x2a => 0,
                _ => bits & !(0x300 | 0xff0 << 10) & !0xf8,
            }
        }),
    ]
}

fn row() -> impl Strategy<Value = DescriptorRow> {
    (any::<u32>(), prop_oneof![5 => Just(0u32), 1 => any::<u32>()])
        .prop_map(|(word, second)| DescriptorRow { descriptor: Descriptor::from_word(word), second })
}

fn constant() -> impl Strategy<Value = Constant> {
    let plain = (0u16..3, 0u16..96, any::<[u32; 4]>()).prop_map(|(kind, id, words)| {
        let words = match kind {
            0 => [words[0] & 1, 0, 0, 0],
            1 => [words[0], 0, 0, 0],
            _ => words.map(|w| w & 0x00ff_ffff),
        };
        Constant { kind, id, words }
    });
    let any = (any::<u16>(), any::<u16>(), any::<[u32; 4]>()).prop_map(|(kind, id, words)| Constant {
        kind,
        id,
        words,
    });
    prop_oneof![4 => plain, 1 => any]
}

fn label() -> impl Strategy<Value = Label> {
    (any::<u8>(), any::<[u8; 3]>(), 0u32..40, any::<u32>(), 0u32..40)
        .prop_map(|(id, unused, word, unknown, symbol)| Label { id, unused, word, unknown, symbol })
}

fn output() -> impl Strategy<Value = Output> {
    (0u16..12, 0u16..18, any::<u8>(), prop_oneof![4 => Just([0; 3]), 1 => any::<[u8; 3]>()])
        .prop_map(|(kind, register, mask, unused)| Output { kind, register, mask, unused })
}

fn symbol() -> impl Strategy<Value = Symbol> {
    (0u32..40, 0u16..0x90, 0u16..0x90).prop_map(|(symbol, first, last)| Symbol { symbol, first, last })
}

fn symbols() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"projection\0model_view\0".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..40),
        Just(b"unfinished".to_vec()),
        Just(b"\0\0a\0".to_vec()),
    ]
}

/// A DVLE with consecutive tables. Its offset in the file is set later.
fn dvle() -> impl Strategy<Value = Dvle> {
    let tables = (
        proptest::collection::vec(constant(), 0..4),
        proptest::collection::vec(label(), 0..3),
        proptest::collection::vec(output(), 0..4),
        proptest::collection::vec(symbol(), 0..3),
        symbols(),
    );
    let head = (any::<u16>(), 0u8..3, any::<u8>(), 0u32..40, 0u32..40, any::<[u16; 2]>(), any::<[u8; 4]>());
    (head, tables).prop_map(|((version, kind, flags, main, end, masks, mode), tables)| {
        let (constants, labels, outputs, uniforms, symbols) = tables;
        let [input_mask, output_mask] = masks;
        let [mode, fixed_start, variable_vertices, fixed_vertices] = mode;
        let mut next = 0x40u32;
        let mut allocate = |size: usize| {
            let at = next;
            next += size as u32;
            at
        };
        Dvle {
            offset: 0,
            version,
            kind,
            flags,
            main,
            end,
            input_mask,
            output_mask,
            mode,
            fixed_start,
            variable_vertices,
            fixed_vertices,
            constants: Table { offset: allocate(constants.len() * 20), rows: constants },
            labels: Table { offset: allocate(labels.len() * 16), rows: labels },
            outputs: Table { offset: allocate(outputs.len() * 8), rows: outputs },
            uniforms: Table { offset: allocate(uniforms.len() * 8), rows: uniforms },
            symbols: Table { offset: allocate(symbols.len()), rows: symbols },
        }
    })
}

/// An SHBIN: DVLEs before or after the code, and gaps between the parts.
fn shbin() -> impl Strategy<Value = Program> {
    (
        proptest::collection::vec(word(), 0..24),
        proptest::collection::vec(row(), 0..12),
        proptest::collection::vec((dvle(), proptest::collection::vec(any::<u8>(), 0..9)), 0..3),
        proptest::collection::vec(any::<u8>(), 0..70),
        any::<bool>(),
        any::<u32>(),
    )
        .prop_map(|(words, descriptors, dvles, tail, early, filenames)| {
            let dvlp = 8 + 4 * dvles.len() as u32;
            let mut at = dvlp + 0x1c;
            let size = |d: &Dvle| d.symbols.offset + d.symbols.rows.len() as u32;
            let mut placed = Vec::new();
            let mut gaps = Vec::new();
            let mut code = 0;
            for late in [false, true] {
                if late == early {
                    for (dvle, gap) in &dvles {
                        let mut dvle = dvle.clone();
                        dvle.offset = at;
                        at += size(&dvle);
                        gaps.push((at, gap.clone()));
                        at += gap.len() as u32;
                        placed.push(dvle);
                    }
                } else {
                    code = at;
                    at += 4 * words.len() as u32 + 8 * descriptors.len() as u32;
                }
            }
            gaps.push((at, tail));
            gaps.retain(|(_, bytes)| !bytes.is_empty());
            // Adjacent gaps are merged.
            gaps.dedup_by(|(at, next), (before, bytes)| {
                let touch = *before + bytes.len() as u32 == *at;
                if touch {
                    bytes.append(next);
                }
                touch
            });
            let shbin = Shbin {
                version: 0,
                code: code - dvlp,
                descriptors: code - dvlp + 4 * words.len() as u32,
                filenames,
                dvles: placed,
                gaps: gaps.into_iter().map(|(offset, bytes)| Gap { offset, bytes }).collect(),
            };
            let code = words.into_iter().map(Instruction::from_word).collect();
            Program { container: Container::Shbin(shbin), code, descriptors }
        })
}

fn raw() -> impl Strategy<Value = Program> {
    (
        proptest::collection::vec(word(), 0..40),
        proptest::collection::vec(row(), 0..20),
        any::<bool>(),
        any::<u16>(),
        prop_oneof![4 => 0u32..40, 1 => any::<u32>()],
    )
        .prop_map(|(words, descriptors, geometry, output_mask, start)| {
            let stage = if geometry { Stage::Geometry } else { Stage::Vertex };
            let code = words.into_iter().map(Instruction::from_word).collect();
            Program { container: Container::Raw(Raw { stage, output_mask, start }), code, descriptors }
        })
}

/// A program of either form, as decoded from its bytes.
pub(crate) fn program() -> impl Strategy<Value = Program> {
    prop_oneof![raw(), shbin()]
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn programs_round_trip_as_bytes(program in program()) {
        let bytes = encode(&program);
        let back = decode(&bytes);
        prop_assert_eq!(back.as_ref(), Ok(&program));
        prop_assert_eq!(encode(&back.unwrap()), bytes);
    }
}
