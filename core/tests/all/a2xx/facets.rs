//! The coverage points of the facets are exactly those of words in legal programs, found by trying fields; setters accept any program.

use super::random::{bytes, dwords};
use lockstep_core::binary::FieldKind;
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::a2xx::decode::{decode, decode_as, from_dwords};
use lockstep_core::isa::a2xx::encode::encode;
use lockstep_core::isa::a2xx::facets::TABLE;
use lockstep_core::isa::a2xx::format::VALUES;
use lockstep_core::isa::a2xx::interface::entries;
use lockstep_core::isa::a2xx::program::{Program, Vertex};
use lockstep_core::isa::a2xx::validate::validate;
use lockstep_core::isa::facet::{Site, points};
use lockstep_core::isa::{CoverPoint, Level, Stage};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Adds the coverage points of word `at` if the program is legal.
fn legal(words: &[u32], at: u32, found: &mut BTreeSet<CoverPoint>) {
    for stage in [Stage::Vertex, Stage::Fragment] {
        let mut shader = from_dwords(words);
        shader.stage = Some(stage);
        let program = Program { shaders: vec![shader], gaps: vec![Vec::new(); 2], ..Program::default() };
        let errors = validate(&program, &entries(&program)[0]).iter().any(|v| v.level == Level::Error);
        if !errors {
            found.extend(TABLE.points(&program, at));
        }
    }
}

#[test]
fn the_coverage_points_are_exactly_those_of_legal_programs() {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut reached = BTreeSet::new();
    // EXEC, a loop around one clause, an end, and six slots: words 1 to 3 are inspected.
    let (start, end) = (0x7000_0000_0004, 0x8000_0000_0002);
    let clause_program = |clauses: [u64; 3]| {
        let [start, clause, end] = clauses;
        let pairs = [[0x1000_0000_1003, start], [clause, end], [0x2000_0000_0003, 0]];
        let dwords = pairs.map(|[a, b]: [u64; 2]| [a as u32, (a >> 32 | b << 16) as u32, (b >> 16) as u32]);
        [dwords.concat(), [0x1400_0000, 0, 0xe200_0000].repeat(6)].concat()
    };
    for op in 0..16u64 {
        for _ in 0..400 {
            let bits = next();
            // Addresses and kinds of slots that a legal program needs.
            let (clauses, at) = match op {
                7 => ([start | bits & 0x2000, 0, end], 1),
                8 => ([start, 0, end | bits & (1 << 21 | 1 << 42)], 3),
                1..=6 | 13 | 14 => {
                    ([start, (op << 44) | 3 | ((next() % 7) << 12) | (bits & 0x7ff_0aaa_8000), end], 2)
                }
                _ => ([start, (op << 44) | (next() % 6) | (bits & 0x7ff_ffff_e000), end], 2),
            };
            legal(&clause_program(clauses), at, &mut reached);
        }
    }
    let slot_program = |fetch: u32, slot: [u32; 3]| [[0x0000_1001 | fetch << 16, 0x2000, 0], slot].concat();
    for op in 0..64u32 {
        for k in 0..3000 {
            let [mut a, mut b, mut c] = [next() as u32, next() as u32, next() as u32];
            if k % 2 == 0 {
                a &= !0x8000;
            } else {
                a = a & !0x3f | [0, 1, 62][k % 3];
            }
            // Some of the words get properties that random bits seldom have: single components, plain operands, empty and full masks.
            if k % 4 == 0 {
                a = a & !0x00ff_0000 | 1 << (16 + k / 4 % 4) | 1 << (20 + k / 16 % 4);
                b &= 0xff00_0000;
            }
            if k % 5 == 0 {
                b = b & 0xff00_0000 | 0x6c_6c6c;
            }
            if k % 7 == 0 {
                a &= !0x00f0_0000;
            }
            if k % 11 == 0 {
                a &= !0x000f_0000;
            }
            if k % 13 == 0 {
                a |= 0x00ff_0000;
            }
            let vector = c & 0xe0ff_ffff | (op % 30) << 24;
            legal(&slot_program(0, [a & !0xfc00_0000 | 50 << 26, b, vector]), 2, &mut reached);
            c = c & 0xe0ff_ffff | [2u32, 11][k % 2] << 24;
            legal(&slot_program(0, [a & 0x03ff_ffff | op << 26, b, c]), 2, &mut reached);
            let [mut a, mut b, mut c] = [next() as u32, next() as u32, next() as u32];
            a = a & !0x1f | op & 0x1f;
            if op == 0 {
                a |= 1 << 19;
            }
            b = match k % 4 {
                0 => b & !0xfff | 0x688,
                1 => b | 0xfff,
                2 => b & !0x924,
                _ => b,
            };
            if k % 3 == 0 {
                (b, c) = (b & 0x8000_0fff, c & 0x8000_00ff);
            }
            legal(&slot_program(1, [a, b, c]), 2, &mut reached);
        }
    }
    let all = points::<A2xx>();
    let listed: BTreeSet<_> = all.iter().cloned().collect();
    assert_eq!(all.len(), listed.len(), "no point is listed twice");
    let none = Vec::<&CoverPoint>::new();
    assert_eq!(listed.difference(&reached).collect::<Vec<_>>(), none, "listed but not reached");
    assert_eq!(reached.difference(&listed).collect::<Vec<_>>(), none, "reached but not listed");
    eprintln!("{} coverage points", all.len());
}

#[test]
fn coverage_points_of_a_slot_match_its_listing() {
    // MULv R2.xyz_ = R3.zzzw, C10 / RECIP_IEEE R4.x___ = R0 (fd-notes), and the same with bits changed.
    let slot = |a: u32, b: u32| {
        let shader = from_dwords(&[0x0000_1001, 0x2000, 0, 0x4c17_0402 ^ a, 0x0006_0000 ^ b, 0xa103_0a00]);
        let program = Program { shaders: vec![shader], gaps: vec![Vec::new(); 2], ..Program::default() };
        let shown = TABLE.points(&program, 2);
        shown.into_iter().map(|p| format!("{} {}", p.opcode, p.modifier)).collect::<BTreeSet<_>>()
    };
    let has = |found: &BTreeSet<String>, wanted: &[&str]| {
        for point in wanted {
            assert!(found.contains(*point), "{point} in {found:?}");
        }
    };
    let plain = slot(0, 0);
    has(&plain, &["MULv mask=partial", "MULv dest=register", "MULv a.file=register", "MULv b.file=constant"]);
    has(&plain, &["MULv a.swizzle=permuted", "MULv b.swizzle=identity", "MULv a.sign=plain"]);
    has(
        &plain,
        &["RECIP_IEEE mask=x", "RECIP_IEEE a.component=w", "MULv predicate=none", "MULv stage=fragment"],
    );
    // Masks z and w; predicate true, source 1 negated.
    let other = slot(0x0017_0000 ^ 0x0084_0000, 0x1c00_0000);
    has(&other, &["MULv mask=z", "RECIP_IEEE mask=w", "MULv predicate=true", "MULv a.sign=negated"]);
    // Export, and the first constant relative to aL.
    has(&slot(0x8000, 0x8000_0000), &["MULv dest=export", "MULv b.file=constant_al"]);
}

/// The facet value of a format is its name in the layout (mesa, xenia), `11_11_10` for number 17, which the layout does not list, or `other`.
#[test]
fn formats_have_the_names_of_their_numbers() {
    let field = Vertex::LAYOUT.field("format").unwrap();
    let FieldKind::Choice(names) = field.kind else { panic!("formats have names") };
    let mut called = BTreeSet::new();
    for number in 0..1u32 << field.width {
        let format = number << 16;
        let shader = from_dwords(&[0x0001_1001, 0x2000, 0, 1 << 19, 0x688 | format, 0]);
        let program = Program { shaders: vec![shader], gaps: vec![Vec::new(); 2], ..Program::default() };
        let shown = TABLE.points(&program, 2);
        let shown = shown.iter().find_map(|point| point.modifier.strip_prefix("format=")).unwrap();
        let name = match number {
            17 => "11_11_10",
            _ => {
                names.iter().find(|(known, _)| *known == u64::from(number)).map_or("other", |(_, name)| *name)
            }
        };
        assert!(shown == name || shown == "other", "{number}: {shown}, {name}");
        called.insert(VALUES.into_iter().find(|(name, _)| *name == shown).unwrap().0);
    }
    assert_eq!(called.len(), VALUES.len(), "each value has its own number");
}

fn try_setters(program: &Program) -> Result<(), TestCaseError> {
    let words = program.words() + 1;
    for site in (0..words).flat_map(|word| (0..3).map(move |unit| Site { word, unit })) {
        for (facet, its) in TABLE.facets.iter().enumerate() {
            for value in 0..its.values.len() {
                let Some((made, at)) = TABLE.set(program, site, facet as u8, value as u8) else { continue };
                prop_assert!(at.word < made.words());
                prop_assert!(
                    its.is_shown(&made, at, its.values[value]),
                    "{} {}",
                    its.name,
                    its.values[value]
                );
                prop_assert_eq!(decode_as(&encode(&made), made.order).unwrap(), made);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn setters_accept_any_program(words in dwords(), other in proptest::collection::vec(any::<u32>(), 3..40)) {
        try_setters(&decode(&bytes(&words)).unwrap())?;
        try_setters(&decode(&bytes(&other)).unwrap())?;
    }
}
