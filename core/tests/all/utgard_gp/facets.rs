//! The coverage points of the facets are exactly those of words in legal programs, found by trying fields, except for one point that a test names.

use super::random::{any_program, config, corpus};
use lockstep_core::isa::facet::{Site, points};
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::utgard_gp::decode::decode;
use lockstep_core::isa::utgard_gp::encode::encode;
use lockstep_core::isa::utgard_gp::facets::TABLE;
use lockstep_core::isa::utgard_gp::facts::Facts;
use lockstep_core::isa::utgard_gp::interface::entries;
use lockstep_core::isa::utgard_gp::opcode::INFO;
use lockstep_core::isa::utgard_gp::options::OPTION_SPECS;
use lockstep_core::isa::utgard_gp::program::{Acc, Load, Mul, Program, Store, Word};
use lockstep_core::isa::utgard_gp::validate::validate;
use lockstep_core::isa::{CoverPoint, Level, Options};
use proptest::prelude::*;
use std::collections::BTreeSet;

const LOAD_X: u8 = 12;
const IDENTITY: u8 = 22;

struct Reached {
    found: BTreeSet<CoverPoint>,
    tried: u32,
}

impl Reached {
    /// Adds the points of the last word if the program is legal.
    fn try_words(&mut self, words: Vec<Word>) {
        self.tried += 1;
        let program = Program { words, tail: vec![], facts: Facts::default() };
        let found = validate(&program, &entries(&program)[0], &Options::new(OPTION_SPECS));
        if found.iter().all(|v| v.level < Level::Error) {
            self.found.extend(TABLE.points(&program, program.words.len() as u32 - 1));
        }
    }
}

/// Returns a word in which every unit moves the operand of this code.
fn full(code: u8, attribute: u8) -> Word {
    let acc = Acc { a: code, b: IDENTITY, neg_a: 0, neg_b: 1 };
    let mul = Mul { a: code, b: IDENTITY, neg: 0 };
    Word {
        acc: [acc; 2],
        mul: [mul; 2],
        complex_op: 9,
        complex_src: code,
        pass_src: code,
        port0_attribute: attribute,
        ..Word::default()
    }
}

/// Returns words that try every code in every operand of every operation.
fn variants(attribute: u8) -> Vec<Word> {
    let mut all = Vec::new();
    let nop = Word { port0_attribute: attribute, ..Word::default() };
    for code in 0..32 {
        for op in 0..8 {
            for (a, b) in [(code, LOAD_X), (LOAD_X, code), (code, IDENTITY), (code, code)] {
                for signs in 0..4 {
                    let acc = Acc { a, b, neg_a: signs & 1, neg_b: signs >> 1 };
                    for k in 0..2 {
                        let mut word = Word { acc_op: op, ..nop };
                        word.acc[k] = acc;
                        all.push(word);
                    }
                }
                for neg in 0..2 {
                    for k in 0..2 {
                        let mut word = Word { mul_op: op, ..nop };
                        word.mul[k] = Mul { a, b, neg };
                        all.push(word);
                        word.mul[1 - k] = Mul { a: LOAD_X, b: LOAD_X, neg: 0 };
                        all.push(word);
                    }
                }
            }
            all.push(Word { pass_op: op, pass_src: code, ..nop });
        }
        for op in 0..16 {
            all.push(Word { complex_op: op, complex_src: code, ..nop });
        }
        for (b, d) in [(18, code), (code, 12)] {
            for neg in 0..2 {
                let mul = [Mul { a: IDENTITY, b, neg }, Mul { a: IDENTITY, b: d, neg: 0 }];
                all.push(Word { mul_op: 1, mul, ..nop });
            }
        }
    }
    for offset in 0..8 {
        let load = Load { address: 3, offset };
        let with: Vec<Word> = [full(LOAD_X, attribute)]
            .into_iter()
            .chain((0..8).flat_map(|op| {
                let mut select = Word { mul_op: op, ..nop };
                select.mul = [Mul { a: LOAD_X, b: LOAD_X, neg: 0 }; 2];
                let acc = [Acc { a: LOAD_X, b: LOAD_X, neg_a: 0, neg_b: 0 }; 2];
                [select, Word { acc_op: op, acc, ..nop }, Word { pass_op: op, pass_src: LOAD_X, ..nop }]
            }))
            .chain((0..16).map(|op| Word { complex_op: op, complex_src: LOAD_X, ..nop }))
            .collect();
        all.extend(with.into_iter().map(|word| Word { load, ..word }));
    }
    all
}

fn reached() -> Reached {
    let mut reached = Reached { found: BTreeSet::new(), tried: 0 };
    for attribute in 0..2 {
        let plain = full(LOAD_X, attribute);
        let fixed = Word { pass_op: 4, ..plain };
        for word in variants(attribute) {
            reached.try_words(vec![plain, plain, word]);
            // Stages of exp2 find their input in the pass unit.
            reached.try_words(vec![fixed, fixed, word]);
        }
        // A logarithm, ready for postlog2.
        for code in 0..32 {
            let x = Mul { a: LOAD_X, b: LOAD_X, neg: 0 };
            let begin =
                Word { mul_op: 3, mul: [x, plain.mul[1]], complex_op: 3, complex_src: LOAD_X, ..plain };
            let mul = [Mul { a: IDENTITY, b: 18, neg: 0 }, Mul { a: IDENTITY, b: LOAD_X, neg: 0 }];
            let middle = Word { mul_op: 1, mul, ..plain };
            let post = Word { pass_op: 5, pass_src: code, ..plain };
            reached.try_words(vec![begin, middle, plain, post]);
            reached.try_words(vec![
                begin,
                middle,
                plain,
                Word { branch: 1, branch_target_lo: 1, unknown_1: 13, ..post },
            ]);
        }
    }
    // Address registers set by pass.
    reached.try_words(vec![Word { complex_op: 10, pass_src: LOAD_X, ..Word::default() }]);
    functions(&mut reached);
    stores(&mut reached);
    branches(&mut reached);
    reached
}

/// Tries complex1 with its last operand from every possible source.
fn functions(reached: &mut Reached) {
    // The operand comes through a port, or is a result of the previous word that was moved on.
    for (port, attribute) in [(LOAD_X, 0), (0, 0), (0, 1), (4, 0)] {
        for component in 0..4 {
            let code = port + component;
            let all = full(code, attribute);
            for offset in [1, 2, 3, 7] {
                let load = Load { address: 0, offset };
                for neg in 0..2 {
                    for last in 0..32 {
                        for x in [code, 16] {
                            // In this word mul 0 and complex start the function; the other units move the operand.
                            let mul = [Mul { a: x, b: x, neg: 0 }, Mul { a: x, b: IDENTITY, neg: 0 }];
                            let begin = Word {
                                mul_op: 3,
                                mul,
                                complex_op: 5,
                                complex_src: x,
                                load,
                                ..full(x, attribute)
                            };
                            let mul = [Mul { a: IDENTITY, b: 18, neg }, Mul { a: IDENTITY, b: last, neg: 0 }];
                            let end =
                                Word { mul_op: 1, mul, port0_attribute: attribute, load, ..Word::default() };
                            reached.try_words(vec![Word { load, ..all }, begin, end]);
                        }
                    }
                }
            }
        }
    }
}

fn stores(reached: &mut Reached) {
    for unit in 0..2 {
        for a in 0..8 {
            for b in [7, a, 0] {
                for sources in [[a, b], [b, a]] {
                    for (varying, temporary) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        let mut word = full(LOAD_X, 0);
                        word.store[unit] = Store { sources, address: 0, varying, temporary };
                        reached.try_words(vec![word]);
                    }
                }
            }
        }
    }
}

fn branches(reached: &mut Reached) {
    for (at, target) in [(0usize, 0u32), (3, 0), (0, 4), (0, 300), (300, 290), (0, 511)] {
        for op in 0..8 {
            let mut words = vec![Word::default(); at];
            let mut word =
                Word { pass_op: op, branch: 1, unknown_1: 13, pass_src: LOAD_X, ..Word::default() };
            word.set_target(target).unwrap();
            words.push(word);
            let len = words.len().max(target as usize + 1).min(512);
            let mut program = Program { words, tail: vec![], facts: Facts::default() };
            program.words.resize(len, Word::default());
            let found = validate(&program, &entries(&program)[0], &Options::new(OPTION_SPECS));
            if found.iter().all(|v| v.level < Level::Error) {
                reached.found.extend(TABLE.points(&program, at as u32));
            }
        }
    }
}

#[test]
fn the_coverage_points_are_exactly_those_of_legal_programs() {
    let reached = reached();
    let all = points::<UtgardGp>();
    let listed: BTreeSet<_> = all.iter().cloned().collect();
    assert_eq!(all.len(), listed.len(), "no point is listed twice");
    let show = |set: &BTreeSet<CoverPoint>, other: &BTreeSet<CoverPoint>| -> Vec<String> {
        set.difference(other).map(|c| format!("{} {}", c.opcode, c.modifier)).collect()
    };
    assert_eq!(show(&listed, &reached.found), Vec::<String>::new(), "listed but not reached");
    // A lookup of a preexp2 result two words old is legal but useless: complex1, a word later, cannot read that result any more.
    assert_eq!(show(&reached.found, &listed), ["complex.exp2 a=pass.2"], "reached but not listed");
    for info in INFO {
        assert!(listed.iter().any(|c| c.opcode == info.mnemonic), "{}", info.mnemonic);
    }
    eprintln!("{} coverage points, {} programs tried", all.len(), reached.tried);
}

/// All coverage points of real programs are in the list of points. The test names the opcodes that no real program has.
#[test]
fn real_programs_have_coverage_points() {
    let Some(files) = corpus("lst") else { return };
    let all: BTreeSet<_> = points::<UtgardGp>().iter().collect();
    let mut live = BTreeSet::new();
    for (name, bytes, _) in &files {
        let program = decode(bytes).unwrap();
        for at in 0..program.words.len() as u32 {
            for point in TABLE.points(&program, at) {
                assert!(all.contains(&point), "{name} {at}: {point:?}");
                live.insert(point);
            }
        }
    }
    let opcodes: BTreeSet<_> = live.iter().map(|c| c.opcode).collect();
    let lacking: Vec<_> = INFO.iter().map(|i| i.mnemonic).filter(|m| !opcodes.contains(m)).collect();
    let unseen = [
        "complex.set_addr01",
        "complex.set_addr0",
        "complex.set_addr1",
        "complex.set_addr2",
        "complex.set_addr3",
        "store.temporary",
    ];
    assert_eq!(lacking, unseen);
    eprintln!("{} of {} coverage points occur in real programs", live.len(), all.len());
}

proptest! {
    #![proptest_config(config(200))]

    /// For any program, even one whose last words lack the rest of a complex function, the result of a setter encodes and decodes.
    #[test]
    fn setters_accept_any_program(program in any_program()) {
        let sites = (0..=program.words.len() as u32).flat_map(|word| (0..8).map(move |unit| Site { word, unit }));
        for site in sites {
            for (facet, its) in TABLE.facets.iter().enumerate() {
                for value in 0..its.values.len() {
                    if let Some((made, at)) = TABLE.set(&program, site, facet as u8, value as u8) {
                        prop_assert!((at.word as usize) < made.words.len());
                        prop_assert_eq!(decode(&encode(&made)).unwrap(), made);
                    }
                }
            }
        }
    }
}
