//! Reference, executor and evaluator agree on arbitrary generated programs. Failing inputs are kept in `proptest-regressions`.

use lockstep::case::{Case, EntryRef};
use lockstep::generate::{Entropy, any_case, mutate};
use lockstep::oracle::{Oracle, Verdict, ask};
use lockstep_core::host::{Buffer, Environment, LaneInput, SamplerState, Texture};
use lockstep_core::isa::{Entry, Interface, IsaId, Port, Stage};
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestCaseResult};

fn config() -> ProptestConfig {
    let place = FileFailurePersistence::Direct("proptest-regressions/execution.txt");
    ProptestConfig { cases: 600, failure_persistence: Some(Box::new(place)), ..ProptestConfig::default() }
}

fn check_agreement(case: &Case) -> TestCaseResult {
    for oracle in [Oracle::Validity, Oracle::Execution, Oracle::Rewriting] {
        if let Verdict::Fails(failure) = ask(oracle, case) {
            prop_assert!(false, "{}: {:?}\n{}", oracle.name(), failure, case.to_text(None));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn engines_agree(choices in prop::collection::vec(any::<u8>(), 0..800)) {
        for &isa in IsaId::ALL {
            check_agreement(&any_case(isa, &mut Entropy::from_bytes(&choices)))?;
        }
    }

    #[test]
    fn engines_agree_on_mutants(seed in any::<u64>(), choices in prop::collection::vec(any::<u8>(), 0..200)) {
        for &isa in IsaId::ALL {
            let case = any_case(isa, &mut Entropy::seeded(seed));
            check_agreement(&mutate(&case, &mut Entropy::from_bytes(&choices)))?;
        }
    }

    #[test]
    fn cases_round_trip_in_both_forms(seed in any::<u64>()) {
        for &isa in IsaId::ALL {
            check_round_trips(&any_case(isa, &mut Entropy::seeded(seed)))?;
        }
    }
}

/// Fails unless every part of a case survives the round trips through bytes and through text.
fn check_round_trips(case: &Case) -> TestCaseResult {
    let bytes = case.to_bytes();
    let Some(again) = Case::from_bytes(&bytes) else {
        return Err(TestCaseError::fail(format!("{case:?} does not read back from its bytes")));
    };
    check_equal(&again, case)?;
    let text = case.to_text(None);
    match Case::from_text(&text) {
        Ok(again) => check_equal(&again, case),
        Err(error) => Err(TestCaseError::fail(format!("{error}\n{text}"))),
    }
}

/// Fails unless all parts of two cases are equal. Entries and environments are compared by their debug output, which includes every field and in
/// which all NaNs are equal.
fn check_equal(left: &Case, right: &Case) -> TestCaseResult {
    prop_assert_eq!(left.isa, right.isa);
    prop_assert_eq!(&left.bytes, &right.bytes);
    prop_assert_eq!(format!("{:?}", left.entry), format!("{:?}", right.entry));
    prop_assert_eq!(&left.options, &right.options);
    prop_assert_eq!(format!("{:?}", left.env), format!("{:?}", right.env));
    Ok(())
}

/// Each of these parts occurs in some generated case. Otherwise `cases_round_trip_in_both_forms` would not detect that a form of cases omits the
/// part.
#[test]
fn drawn_cases_have_every_part() {
    let cases: Vec<Case> = IsaId::ALL
        .iter()
        .flat_map(|&isa| (0..200).map(move |seed| any_case(isa, &mut Entropy::seeded(seed))))
        .collect();
    let parts: [(&str, &dyn Fn(&Case) -> bool); 12] = [
        ("options", &|c| !c.options.is_empty()),
        ("an entry other than the first", &|c| matches!(c.entry, EntryRef::Own(n) if n > 0)),
        ("constants", &|c| !c.env.constants.is_empty()),
        ("negative integers", &|c| c.env.ints.iter().flatten().any(|n| *n < 0)),
        ("true Booleans", &|c| c.env.bools.iter().any(|b| *b)),
        ("textures", &|c| !c.env.textures.is_empty()),
        ("sampler states", &|c| c.env.textures.iter().any(|t| t.state != SamplerState::default())),
        ("buffers", &|c| !c.env.buffers.is_empty()),
        ("several lanes", &|c| c.env.lanes.len() > 1 && c.env.lanes[1] != c.env.lanes[0]),
        ("negative zeros", &|c| {
            c.env.lanes.iter().any(|l| l.slots.iter().flatten().any(|v| v.to_bits() == 1 << 31))
        }),
        ("infinities", &|c| c.env.lanes.iter().any(|l| l.slots.iter().flatten().any(|v| v.is_infinite()))),
        ("fuel", &|c| c.env.fuel > 0),
    ];
    for (what, has) in parts {
        let count = cases.iter().filter(|case| has(case)).count();
        println!("{count} of {} cases have {what}", cases.len());
        assert!(count > 0, "no case has {what}");
    }
}

/// Tests one case with parts that the generators do not produce.
#[test]
fn a_complete_case_round_trips_in_both_forms() {
    let mut case = any_case(IsaId::A2xx, &mut Entropy::seeded(1));
    case.entry = EntryRef::Own(3);
    case.options = [("a".to_owned(), "b".to_owned()), ("ifg".to_owned(), "ge".to_owned())].into();
    let state = SamplerState {
        lod_bias: -1.5,
        max_anisotropy: 4,
        border: [1.0, 2.0, 3.0, 4.0],
        ..SamplerState::default()
    };
    let texture = |size| Texture { size, levels: 2, state, ..Texture::default() };
    let lane = |x: f32| LaneInput { slots: vec![[x, -0.0, f32::INFINITY, f32::NAN], [x; 4]] };
    // Every field is named, so a new field is a compile error until it is added here.
    case.env = Environment {
        constants: vec![[f32::from_bits(1), -0.0, f32::NEG_INFINITY, f32::MAX]],
        ints: vec![[i32::MIN, i32::MAX, -1, 0]],
        bools: vec![true, false, true],
        textures: vec![texture([8, 4, 1]), texture([2, 2, 2])],
        buffers: vec![Buffer { words: vec![0, u32::MAX, 7] }, Buffer { words: vec![9] }],
        fuel: 12345,
        effects: 54321,
        lanes: vec![lane(1.0), lane(2.0), lane(3.0), lane(4.0)],
    };
    assert!(check_round_trips(&case).is_ok(), "{:?}", check_round_trips(&case));
    let resolved = case_entry();
    case.entry = EntryRef::Given(resolved);
    assert!(check_round_trips(&case).is_ok(), "{:?}", check_round_trips(&case));
}

/// Returns an entry with every part.
fn case_entry() -> Entry {
    let port = |slot, mask| Port { slot, mask };
    let interface = Interface {
        inputs: vec![port(1, 3), port(7, 15)],
        outputs: vec![port(2, 9)],
        constants: 5,
        ints: 6,
        bools: 7,
        samplers: vec![0, 1, 2],
    };
    Entry { stage: Stage::Geometry, start: 11, version: 13, interface, extra: [1, 2, 3, u32::MAX] }
}
