//! Decoding and disassembling lose no information, for any bytes. Failing inputs are kept in `proptest-regressions`.

use lockstep::fuzz::position_error;
use lockstep::generate::{Entropy, Generate, ProgramRequest, noise};
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::{FileFailurePersistence, TestCaseResult, TestRunner};

fn config() -> ProptestConfig {
    let place = FileFailurePersistence::Direct("proptest-regressions/roundtrip.txt");
    ProptestConfig { cases: 400, failure_persistence: Some(Box::new(place)), ..ProptestConfig::default() }
}

/// Fails if the bytes decode to a program that encodes to other bytes, or if the position of the error is after their end. Returns whether the bytes
/// decode.
fn bytes_survive<I: Generate>(bytes: &[u8]) -> Result<bool, TestCaseError> {
    match I::decode(bytes) {
        Ok(program) => {
            prop_assert_eq!(I::encode(&program), bytes);
            Ok(true)
        }
        Err(error) => {
            prop_assert!(error.offset <= bytes.len() as u64, "{}", error);
            Ok(false)
        }
    }
}

/// Replaces parts of a generated program's listing by `pieces`, some of which have multi-byte characters. If the result is refused, every diagnostic
/// must have a valid position, with the column counted in characters. Returns whether the text was refused.
fn check_diagnostic_positions<I: Generate>(
    choices: &[u8],
    pieces: &[(Index, usize, &str)],
) -> Result<bool, TestCaseError> {
    let mut e = Entropy::from_bytes(choices);
    let program =
        <I as Generate>::program(&mut e, &ProgramRequest { size: Some(4), ..ProgramRequest::default() });
    let mut letters: Vec<char> = I::disassemble(&program).chars().collect();
    for (at, len, put) in pieces {
        let start = at.index(letters.len() + 1);
        let end = (start + len).min(letters.len());
        letters.splice(start..end, put.chars());
    }
    let text: String = letters.into_iter().collect();
    let Err(diagnostics) = I::assemble(&text) else { return Ok(false) };
    prop_assert_eq!(position_error(&text, &diagnostics), None, "{}: {:?} of {:?}", I::ID, diagnostics, text);
    Ok(true)
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

/// Assembles a text of lines from two listings of an instruction set, after the first line of the first listing. If the text assembles, the program
/// must survive the round trips through bytes and text; otherwise every diagnostic must have a valid position. Returns whether the text assembled.
fn mixed_lines_survive<I: Generate>(choices: &[u8], picks: &[Index]) -> Result<bool, TestCaseError> {
    let mut e = Entropy::from_bytes(choices);
    let mut listing = || {
        let program =
            <I as Generate>::program(&mut e, &ProgramRequest { size: Some(4), ..ProgramRequest::default() });
        I::disassemble(&program).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (first, second) = (listing(), listing());
    let lines: Vec<&String> = first.iter().skip(1).chain(second.iter().skip(1)).collect();
    let mut text = first[0].clone() + "\n";
    for pick in picks.iter().filter(|_| !lines.is_empty()) {
        text += lines[pick.index(lines.len())];
        text += "\n";
    }
    match I::assemble(&text) {
        Ok(program) => {
            program_survives::<I>(&program)?;
            Ok(true)
        }
        Err(diagnostics) => {
            prop_assert_eq!(
                position_error(&text, &diagnostics),
                None,
                "{}: {:?} of {:?}",
                I::ID,
                diagnostics,
                text
            );
            Ok(false)
        }
    }
}

/// Strings that replace parts of listings.
const PIECES: &[&str] = &[
    "\u{e9}",
    "\u{4e16}\u{754c}",
    "\u{1f600} ",
    "\n",
    "\r\n",
    "x",
    ",",
    "9999999999",
    "; \u{e9}\n",
    "// \u{e9}",
    "\t",
    "(",
    "]",
];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_bytes_are_programs_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => bytes_survive::<I>(&bytes)?);
        }
    }

    #[test]
    fn errors_have_spans_inside_the_text(
        choices in prop::collection::vec(any::<u8>(), 0..200),
        pieces in prop::collection::vec((any::<Index>(), 0..6usize, prop::sample::select(PIECES)), 1..4),
    ) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => check_diagnostic_positions::<I>(&choices, &pieces)?);
        }
    }

    #[test]
    fn lines_in_any_order_are_read_or_refused(
        choices in prop::collection::vec(any::<u8>(), 0..300), picks in prop::collection::vec(any::<Index>(), 0..8),
    ) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => mixed_lines_survive::<I>(&choices, &picks)?);
        }
    }

    #[test]
    fn noise_decodes_and_encodes(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => bytes_survive::<I>(&noise::<I>(&mut Entropy::from_bytes(&choices)))?);
        }
    }

    #[test]
    fn valid_programs_round_trip(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => {
                let mut e = Entropy::from_bytes(&choices);
                program_survives::<I>(&<I as Generate>::program(&mut e, &ProgramRequest::default()))?;
            });
        }
    }

    #[test]
    fn invalid_programs_round_trip(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => {
                let mut e = Entropy::from_bytes(&choices);
                program_survives::<I>(&<I as Generate>::near_valid(&mut e, &ProgramRequest::default()))?;
            });
        }
    }

    #[test]
    fn decoded_noise_round_trips_as_text(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => {
                if let Ok(program) = I::decode(&noise::<I>(&mut Entropy::from_bytes(&choices))) {
                    program_survives::<I>(&program)?;
                }
            });
        }
    }
}

/// The number of random inputs from which [`shares`] counts how many decode, how many assemble and how many are refused.
const DRAWN: u64 = 300;

/// If a decoder refused almost everything, or texts were never refused, the other tests of this file would be vacuous.
#[test]
fn enough_drawn_cases_reach_the_comparison() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => shares::<I>());
    }
}

fn shares<I: Generate>() {
    let (mut noisy, mut flipped, mut refused) = (0, 0, 0);
    let runner = &mut TestRunner::deterministic();
    for seed in 0..DRAWN {
        let mut e = Entropy::seeded(seed);
        let decodes = |bytes: &[u8]| bytes_survive::<I>(bytes).unwrap_or_else(|e| panic!("{}: {e}", I::ID));
        noisy += u64::from(decodes(&noise::<I>(&mut e)));
        let mut bytes = I::encode(&<I as Generate>::program(&mut e, &ProgramRequest::default()));
        let at = e.below(bytes.len());
        bytes[at] ^= 1 << e.below(8);
        flipped += u64::from(decodes(&bytes));
        let choices: Vec<u8> = (0..100).map(|_| e.bits() as u8).collect();
        let piece = (any::<Index>(), 0..6usize, prop::sample::select(PIECES));
        let pieces = prop::collection::vec(piece, 1..4);
        let drawn = pieces.new_tree(runner).unwrap_or_else(|e| panic!("{e}")).current();
        let said = check_diagnostic_positions::<I>(&choices, &drawn);
        refused += u64::from(said.unwrap_or_else(|e| panic!("{e}")));
    }
    let mut read = 0;
    for seed in 0..DRAWN {
        let mut e = Entropy::seeded(seed);
        let choices: Vec<u8> = (0..200).map(|_| e.bits() as u8).collect();
        let picks = prop::collection::vec(any::<Index>(), 1..4);
        let picks = picks.new_tree(runner).unwrap_or_else(|e| panic!("{e}")).current();
        let survives = mixed_lines_survive::<I>(&choices, &picks);
        read += u64::from(survives.unwrap_or_else(|e| panic!("{e}")));
    }
    println!("{}: {read} of {DRAWN} texts of lines in any order are read", I::ID);
    // Such texts are rare in instruction sets whose clauses count their lines.
    assert!(read >= 10, "{}: {read} texts of lines in any order are read", I::ID);
    println!(
        "{}: of {DRAWN}: noise {noisy} decoded, {flipped} with a bit flipped, text refused {refused}",
        I::ID
    );
    let [least, _] = I::HEALTH.decoded;
    assert!(noisy as f64 * 100.0 >= least * DRAWN as f64, "{}: noise {noisy}", I::ID);
    assert!(flipped * 2 > DRAWN, "{}: {flipped} with a bit flipped decode", I::ID);
    assert!(refused * 2 > DRAWN, "{}: {refused} texts refused", I::ID);
}
