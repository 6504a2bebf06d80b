//! Facts about AGAL: the verdicts of Flash Player's validator on small programs.

use super::{Exception, Facts, lines};
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::{Context, Format, Legality, Level, Options, Tables};
use serde::Deserialize;

/// The number of facts, as `FORMAT.md` states it.
const COUNT: usize = 16;

/// Facts that do not hold here.
const EXCEPTIONS: &[Exception] = &[];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "tested_on")]
    _tested_on: String,
    program_hex: String,
    /// `accepted`, or `rejected, error #NUMBER`.
    expect: String,
    #[serde(rename = "fact")]
    _fact: String,
    #[serde(rename = "lockstep")]
    _lockstep: String,
    #[serde(rename = "lockstep_reason")]
    _lockstep_reason: String,
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("a byte");
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// Returns the numbers of the error-level rules that a file breaks; `None` if the file does not decode. The player refuses such
/// a file with 3612 or 3615, which state only that it is too short.
fn refused(file: &[u8]) -> Option<Vec<u16>> {
    let program = Agal::decode(file).ok()?;
    let options = Options::new(Agal::option_specs());
    let entry = &Agal::entries(&program)[0];
    let all = Agal::validate(&Context { program: &program, entry, options: &options });
    Some(all.into_iter().filter(|v| v.level == Level::Error).map(|v| v.code).collect())
}

fn holds(fact: &Row) -> Result<(), String> {
    let found = refused(&bytes(&fact.program_hex));
    match fact.expect.strip_prefix("rejected, error #") {
        None if fact.expect == "accepted" => match found {
            Some(codes) if codes.is_empty() => Ok(()),
            Some(codes) => Err(format!("the player accepts it; here it is refused with {codes:?}")),
            None => Err("the player accepts it; here it does not decode".to_owned()),
        },
        None => Err(format!("expected is '{}'", fact.expect)),
        Some(number) => {
            let number: u16 = number.parse().map_err(|e| format!("{number}: {e}"))?;
            match found {
                None if matches!(number, 3612 | 3615) => Ok(()),
                Some(codes) if codes.contains(&number) => Ok(()),
                None => Err(format!("the player refuses it with error {number}; here it does not decode")),
                Some(codes) => Err(format!("the player refuses it with error {number}; here with {codes:?}")),
            }
        }
    }
}

fn facts() -> Option<Vec<Row>> {
    lines("agal", "agal-facts.jsonl")
}

#[test]
fn every_fact_of_agal_holds() {
    let Some(all) = facts() else { return };
    let mut judged = Facts::new(EXCEPTIONS);
    for fact in &all {
        judged.judge(&fact.id, holds(fact));
    }
    judged.finish(COUNT);
}

/// A changed verdict or error number is detected.
#[test]
fn a_fact_of_agal_that_is_changed_fails() {
    let Some(mut all) = facts() else { return };
    for fact in &mut all {
        fact.expect = match fact.expect.as_str() {
            "accepted" => "rejected, error #3646".to_owned(),
            "rejected, error #3646" => "rejected, error #3647".to_owned(),
            _ => "accepted".to_owned(),
        };
        assert!(holds(fact).is_err(), "{}", fact.id);
    }
    assert_eq!(all.len(), COUNT);
}
