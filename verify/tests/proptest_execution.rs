//! Reference, executor and evaluator agree on whatever the generators make. Failures are kept in `proptest-regressions`.

use lockstep::case::Case;
use lockstep::generate::{Entropy, any_case, mutate};
use lockstep::oracle::{Oracle, Verdict, ask};
use lockstep_core::isa::IsaId;
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestCaseResult};

fn config() -> ProptestConfig {
    let place = FileFailurePersistence::Direct("proptest-regressions/execution.txt");
    ProptestConfig { cases: 600, failure_persistence: Some(Box::new(place)), ..ProptestConfig::default() }
}

fn agrees(case: &Case) -> TestCaseResult {
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
            agrees(&any_case(isa, &mut Entropy::from_bytes(&choices)))?;
        }
    }

    #[test]
    fn engines_agree_on_mutants(seed in any::<u64>(), choices in prop::collection::vec(any::<u8>(), 0..200)) {
        for &isa in IsaId::ALL {
            let case = any_case(isa, &mut Entropy::seeded(seed));
            agrees(&mutate(&case, &mut Entropy::from_bytes(&choices)))?;
        }
    }

    #[test]
    fn cases_survive_both_forms(seed in any::<u64>()) {
        for &isa in IsaId::ALL {
            let case = any_case(isa, &mut Entropy::seeded(seed));
            prop_assert_eq!(Case::from_bytes(&case.to_bytes()).map(|c| c.to_bytes()), Some(case.to_bytes()));
            let text = case.to_text(None);
            match Case::from_text(&text) {
                // NaN is no number to compare; its binary form is.
                Ok(again) => prop_assert_eq!(again.bytes, case.bytes),
                Err(error) => prop_assert!(false, "{}\n{}", error, text),
            }
        }
    }
}
