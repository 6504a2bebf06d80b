//! Decoding and disassembling lose nothing, whatever the bytes. Failures are kept in `proptest-regressions`.

use lockstep::generate::{Entropy, Generate, Wish, noise};
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestCaseResult};

fn config() -> ProptestConfig {
    let place = FileFailurePersistence::Direct("proptest-regressions/roundtrip.txt");
    ProptestConfig { cases: 400, failure_persistence: Some(Box::new(place)), ..ProptestConfig::default() }
}

fn bytes_survive<I: Generate>(bytes: &[u8]) -> TestCaseResult {
    match I::decode(bytes) {
        Ok(program) => prop_assert_eq!(I::encode(&program), bytes),
        Err(error) => prop_assert!(error.offset <= bytes.len() as u64, "{}", error),
    }
    Ok(())
}

fn program_survives<I: Generate>(program: &I::Program) -> TestCaseResult {
    let bytes = I::encode(program);
    let decoded = I::decode(&bytes);
    prop_assert_eq!(decoded.as_ref(), Ok(program));
    let text = I::disassemble(program);
    match I::assemble(&text) {
        Ok(again) => prop_assert_eq!(&again, program, "{}", text),
        Err(errors) => prop_assert!(false, "{:?}\n{}", errors, text),
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_bytes_decode_and_encode(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => bytes_survive::<I>(&bytes)?);
        }
    }

    #[test]
    fn noise_decodes_and_encodes(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => bytes_survive::<I>(&noise::<I>(&mut Entropy::from_bytes(&choices)))?);
        }
    }

    #[test]
    fn valid_programs_survive(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => {
                let mut e = Entropy::from_bytes(&choices);
                program_survives::<I>(&<I as Generate>::program(&mut e, &Wish::default()))?;
            });
        }
    }

    #[test]
    fn broken_programs_survive(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => {
                let mut e = Entropy::from_bytes(&choices);
                program_survives::<I>(&<I as Generate>::near_valid(&mut e, &Wish::default()))?;
            });
        }
    }

    #[test]
    fn decoded_noise_survives_as_text(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => {
                if let Ok(program) = I::decode(&noise::<I>(&mut Entropy::from_bytes(&choices))) {
                    program_survives::<I>(&program)?;
                }
            });
        }
    }
}
