//! Vectors: a program, its inputs and its expected results, derived from documents. The types here have the form of a vector file.
//!
//! An expected number is exact or a range. NaN equals NaN whatever its payload; `"any"` is not compared. If a vector has alternatives, all of its
//! lanes together must agree with one of them.

use super::number::Number;
use crate::case::{EntryRef, from_toml};
use lockstep_core::host::{Dimension, SamplerState};
use lockstep_core::isa::{End, IsaId};
use lockstep_core::text::count;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The reason why a file is not a valid vector file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VectorError {
    /// The file is not TOML or has unknown keys. The message contains line and column.
    #[error("{0}")]
    Form(String),
    /// Neither the file nor its path names the instruction set.
    #[error(
        "the instruction set is missing: write `isa = \"NAME\"` at the head, or put the file into the folder of an instruction set"
    )]
    NoIsa,
    /// The file has no vector.
    #[error("the file contains no vector: `[[vector]]` begins one")]
    Empty,
    /// A vector is invalid.
    #[error("at line {line}: vector '{name}': {message}")]
    Vector {
        /// The line on which the vector begins, from 1.
        line: usize,
        /// The vector's name.
        name: String,
        /// The error.
        message: String,
    },
}

/// A texture with explicit texels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureForm {
    /// The dimension.
    pub dimension: Dimension,
    /// The width, height and depth of level 0 in texels.
    pub size: [u16; 3],
    /// The number of mipmap levels.
    pub levels: u8,
    /// Texels in the order of [`lockstep_core::host::Texels::Explicit`].
    pub explicit: Vec<[Number; 4]>,
    /// The sampler state for instructions that contain none.
    #[serde(default)]
    pub state: SamplerState,
}

/// One lane of a vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorLane {
    /// Input registers by name.
    #[serde(default)]
    pub input: BTreeMap<String, [Number; 4]>,
    /// Expected output registers by name.
    #[serde(default)]
    pub output: BTreeMap<String, [Number; 4]>,
    /// The expected kill mark; not compared if absent.
    pub killed: Option<bool>,
    /// How the lane must end; by default it must finish. The results of a lane that hangs or runs out of fuel are not compared.
    pub end: Option<End>,
    /// All expected effects, in order; not compared if absent.
    pub effects: Option<Vec<VectorEffect>>,
}

/// An expected effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorEffect {
    /// The destination, as named by [`lockstep_core::isa::Syntax::effect_name`].
    pub name: String,
    /// The values; `"any"` for components that the effect lacks.
    pub values: [Number; 4],
}

/// A buffer, given as words. Each word is written as the number that has its bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferForm {
    /// The words from address 0 up.
    pub words: Vec<Number>,
}

/// A vector: a program with inputs and expected results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// The name, unique in the file.
    pub name: String,
    /// The section of the document from which the vector is derived.
    pub source: String,
    /// The derivation. The derivation may be omitted for a result seen on a device.
    #[serde(default)]
    pub derivation: String,
    /// The device that produced this result: a console, a graphics card with its driver, or a program with its version.
    pub device: Option<String>,
    /// The date of that observation, as YYYY-MM-DD.
    pub date: Option<String>,
    /// The program as assembly text.
    pub program: String,
    /// The options that differ from the defaults.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Constants by slot.
    #[serde(default)]
    pub constants: BTreeMap<u16, [Number; 4]>,
    /// The entry; the program's first by default.
    #[serde(default)]
    pub entry: EntryRef,
    /// Integer constants by slot.
    #[serde(default)]
    pub ints: BTreeMap<u16, [i32; 4]>,
    /// Boolean constants by slot.
    #[serde(default)]
    pub bools: BTreeMap<u16, bool>,
    /// Buffers by number.
    #[serde(default)]
    pub buffer: Vec<BufferForm>,
    /// The number of backward transfers and calls that a lane may make, for vectors that test running out of fuel.
    pub fuel: Option<u32>,
    /// The maximum number of effects that a lane can record, for vectors that test this limit.
    pub room: Option<u32>,
    /// Textures by unit.
    #[serde(default)]
    pub texture: Vec<TextureForm>,
    /// The lanes. Stages that run in quads need a multiple of four, or one that represents all four lanes of a quad.
    pub lane: Vec<VectorLane>,
    /// Other permitted results of the lanes.
    #[serde(default)]
    pub alternative: Vec<Alternative>,
}

/// Another permitted result of all lanes of a vector together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// Why this result is also correct.
    pub why: String,
    /// The expected lanes, as many as the vector has, without inputs.
    pub lane: Vec<VectorLane>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    isa: Option<IsaId>,
    #[serde(default)]
    vector: Vec<Vector>,
}

/// Parses a vector file. `isa` is the instruction set that the path names; the file may override it.
pub(super) fn parse(text: &str, isa: Option<IsaId>) -> Result<(IsaId, Vec<Vector>), VectorError> {
    let file: File = from_toml(text).map_err(VectorError::Form)?;
    let isa = file.isa.or(isa).ok_or(VectorError::NoIsa)?;
    if file.vector.is_empty() {
        return Err(VectorError::Empty);
    }
    for (n, vector) in file.vector.iter().enumerate() {
        let twin = file.vector[..n].iter().any(|other| other.name == vector.name);
        let message = if twin {
            Some("there are two vectors of this name".to_owned())
        } else {
            meaningless_fields(vector)
        };
        if let Some(message) = message {
            let line = line_of(text, n).unwrap_or(1);
            return Err(VectorError::Vector { line, name: vector.name.clone(), message });
        }
    }
    Ok((isa, file.vector))
}

/// Returns the line, from 1, on which the `n`-th vector of a file begins.
pub(super) fn line_of(text: &str, n: usize) -> Option<usize> {
    let mut heads = text.lines().zip(1..).filter(|(line, _)| line.trim() == "[[vector]]");
    heads.nth(n).map(|(_, line)| line)
}

/// Returns a sentence about the first error in the fields of a vector; the program is not examined.
pub(super) fn meaningless_fields(vector: &Vector) -> Option<String> {
    let is_empty = |text: &str| text.trim().is_empty();
    if is_empty(&vector.name) || is_empty(&vector.source) {
        return Some("it needs a name and a source".to_owned());
    }
    if is_empty(&vector.derivation) && vector.device.as_deref().is_none_or(is_empty) {
        return Some("it needs a derivation, or the device that produced the result".to_owned());
    }
    if let Some(date) = vector.date.as_deref().filter(|date| !is_date(date)) {
        return Some(format!("date: '{date}' is not a date; dates are written YYYY-MM-DD"));
    }
    vector.alternative.iter().zip(1..).find_map(|(alternative, n)| {
        let at = format!("alternative {n}:");
        if is_empty(&alternative.why) {
            Some(format!("{at} it needs a reason, `why`"))
        } else if alternative.lane.len() != vector.lane.len() {
            let lanes = count(alternative.lane.len(), "lane");
            Some(format!("{at} it has {lanes}, and the vector {}", vector.lane.len()))
        } else if alternative.lane.iter().any(|lane| !lane.input.is_empty()) {
            Some(format!("{at} it must not have inputs; those of the vector's lanes apply"))
        } else {
            None
        }
    })
}

/// Whether a text is a date.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |part: &str, digits: usize| {
        let plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse::<u32>().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_are_refused() {
        let head = "[[vector]]\nname='a'\nsource='s'\nderivation='d'\nprogram='p'\nlane=[]\n";
        assert!(parse(head, Some(IsaId::Agal)).is_ok());
        let error = parse(&format!("{head}tolerance = 1\n"), Some(IsaId::Agal)).unwrap_err().to_string();
        assert!(error.contains("tolerance"), "{error}");
        assert_eq!(parse("", Some(IsaId::Agal)), Err(VectorError::Empty));
        assert_eq!(parse(head, None), Err(VectorError::NoIsa));
    }

    #[test]
    fn numbers_are_read_exactly_or_refused() {
        let read = |number: &str| {
            let text = format!("words = [{number}]");
            toml::from_str::<BufferForm>(&text).map(|form| form.words[0].value().to_bits()).ok()
        };
        let held = [
            ("0", 0),
            ("1", 0x3f80_0000),
            ("-2.5", 0xc020_0000),
            ("16777216", 0x4b80_0000),
            ("1e38", 0),
            ("'inf'", 0x7f80_0000),
            ("'-inf'", 0xff80_0000),
            ("'-0'", 0x8000_0000),
            ("'any'", 0),
            ("'0x00000001'", 1),
            ("'0xdeadbeef'", 0xdead_beef),
            ("'0xDEADBEEF'", 0xdead_beef),
        ];
        for (number, bits) in held.into_iter().filter(|(number, _)| *number != "1e38") {
            assert_eq!(read(number), Some(bits), "{number}");
        }
        assert!(read("'nan'").is_some_and(|bits| f32::from_bits(bits).is_nan()));
        // 0.1, 1/3, 2^24 + 1 and 10^38 are not binary32 numbers; bits have eight digits.
        for number in [
            "0.1",
            "0.3333333333333333",
            "16777217",
            "1e38",
            "1e-60",
            "1e300",
            "9007199254740993",
            "9223372036854775807",
            "'0x1'",
            "'0x3f8000'",
            "'0x0000000001'",
            "'0x'",
            "'3f800000'",
            "'0x3f80000g'",
            "'one'",
            "''",
            "true",
        ] {
            assert_eq!(read(number), None, "{number}");
        }
    }
}
