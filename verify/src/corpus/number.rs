//! Numbers in the syntax of vector files.

use lockstep_core::value::{canonical_bits, same};
use serde::{Deserialize, Serialize};

/// A number in a vector file. A number is written as an integer or decimal that binary32 represents exactly, as `"nan"`, `"inf"`, `"-inf"` or `"-0"`,
/// as bits such as `"0x3f800000"`, as `"any"`, or as a range: `{ from = 1, to = "0x3f800002" }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Exactly this number.
    Exactly(f32),
    /// Any number from the first to the second, inclusive. Neither bound is NaN, and zeros are compared without sign. Not allowed as an input.
    Between(f32, f32),
    /// Any number. An input `"any"` is 0.
    Any,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawNumber {
    Integer(i64),
    Decimal(f64),
    Text(String),
    Range(RawRange),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRange {
    from: Number,
    to: Number,
}

/// A number is serialised in readable form in files, and as the bits of its bounds between processes.
impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Number, D::Error> {
        if from.is_human_readable() {
            return RawNumber::deserialize(from)?.try_into().map_err(serde::de::Error::custom);
        }
        let bounds = Option::<(u32, u32)>::deserialize(from)?;
        Ok(match bounds.map(|(from, to)| (f32::from_bits(from), f32::from_bits(to))) {
            None => Number::Any,
            Some((from, to)) if from.to_bits() == to.to_bits() => Number::Exactly(from),
            Some((from, to)) => Number::Between(from, to),
        })
    }
}

impl Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            return self.written().serialize(to);
        }
        match self {
            Number::Exactly(value) => Some((value.to_bits(), value.to_bits())).serialize(to),
            Number::Between(low, high) => Some((low.to_bits(), high.to_bits())).serialize(to),
            Number::Any => None::<(u32, u32)>.serialize(to),
        }
    }
}

impl TryFrom<RawNumber> for Number {
    type Error = String;

    fn try_from(raw: RawNumber) -> Result<Number, String> {
        let exact = |wide: f64| {
            let narrow = wide as f32;
            (f64::from(narrow) == wide)
                .then_some(Number::Exactly(narrow))
                .ok_or_else(|| format!("binary32 cannot represent {wide} exactly; write its bits"))
        };
        match raw {
            RawNumber::Integer(v) if v.unsigned_abs() > 1 << 53 => {
                Err(format!("{v} is too large; write its bits"))
            }
            RawNumber::Integer(v) => exact(v as f64),
            RawNumber::Decimal(v) => exact(v),
            RawNumber::Text(text) => match text.as_str() {
                "any" => Ok(Number::Any),
                "nan" => Ok(Number::Exactly(f32::NAN)),
                "inf" => Ok(Number::Exactly(f32::INFINITY)),
                "-inf" => Ok(Number::Exactly(f32::NEG_INFINITY)),
                "-0" => Ok(Number::Exactly(-0.0)),
                bits => bits
                    .strip_prefix("0x")
                    .filter(|digits| digits.len() == 8)
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    .map(|bits| Number::Exactly(f32::from_bits(bits)))
                    .ok_or_else(|| {
                        format!(
                            "'{text}' is not a number; write nan, inf, -inf, -0, any or eight digits after 0x"
                        )
                    }),
            },
            RawNumber::Range(range) => Number::between(range.from, range.to),
        }
    }
}

impl Number {
    /// Returns the range between two numbers.
    ///
    /// # Errors
    /// If a bound is not a number, or the bounds are in the wrong order.
    pub fn between(from: Number, to: Number) -> Result<Number, String> {
        match (from, to) {
            (Number::Exactly(from), Number::Exactly(to)) if from.to_bits() == to.to_bits() => {
                Ok(Number::Exactly(from))
            }
            (Number::Exactly(from), Number::Exactly(to)) if from <= to => Ok(Number::Between(from, to)),
            (Number::Exactly(from), Number::Exactly(to)) => Err(format!(
                "a range goes from its lower bound to its upper one, not from {from:?} to {to:?}"
            )),
            _ => Err("the bounds of a range must be numbers".to_owned()),
        }
    }

    /// Parses the command-line form: the form of vector files without quotes, `FROM..TO` for a range, and decimals.
    ///
    /// # Errors
    /// A sentence that describes the syntax error.
    pub fn from_text(text: &str) -> Result<Number, String> {
        if let Some((from, to)) = text.split_once("..") {
            return Number::between(Number::from_text(from)?, Number::from_text(to)?);
        }
        let raw = match (text.parse::<i64>(), text.parse::<f64>()) {
            // Integers have no negative zero.
            (Ok(number), _) if text != "-0" => RawNumber::Integer(number),
            (Err(_), Ok(number)) if number.is_finite() && text.ends_with(|c: char| c.is_ascii_digit()) => {
                RawNumber::Decimal(number)
            }
            _ => RawNumber::Text(text.to_owned()),
        };
        raw.try_into()
    }

    /// Returns the value to use as an input.
    pub(super) fn value(self) -> f32 {
        match self {
            Number::Exactly(v) => v,
            Number::Between(..) | Number::Any => 0.0,
        }
    }

    /// Returns whether a value meets this expectation; `None` if every value does.
    pub(super) fn is_met_by(self, value: f32) -> Option<bool> {
        match self {
            Number::Exactly(expected) => Some(same(value, expected)),
            Number::Between(from, to) => Some(from <= value && value <= to),
            Number::Any => None,
        }
    }

    /// Returns the number in the form used in messages.
    pub(super) fn shown(self) -> String {
        let shown = |v: f32| format!("{v:?} (0x{:08x})", canonical_bits(v));
        match self {
            Number::Exactly(v) => shown(v),
            Number::Between(from, to) => format!("from {} to {}", shown(from), shown(to)),
            Number::Any => "anything".to_owned(),
        }
    }

    /// Returns the number in the form used in vector files.
    fn written(self) -> toml::Value {
        match self {
            Number::Exactly(v) => written(v),
            Number::Between(from, to) => {
                let bounds = [("from".to_owned(), written(from)), ("to".to_owned(), written(to))];
                toml::Value::Table(bounds.into_iter().collect())
            }
            Number::Any => toml::Value::String("any".to_owned()),
        }
    }
}

/// Returns the simplest TOML value that represents a number exactly.
fn written(v: f32) -> toml::Value {
    /// Decimals with more digits than this are written as bits.
    const MAX_DIGITS: usize = 10;
    const INTEGERS: f32 = 16_777_216.0;
    let text = |text: &str| toml::Value::String(text.to_owned());
    if v.to_bits() == f32::NAN.to_bits() {
        return text("nan");
    }
    // A word of a buffer may be a NaN with any payload.
    if v.is_nan() {
        return text(&format!("0x{:08x}", v.to_bits()));
    }
    if v.is_infinite() {
        return text(if v > 0.0 { "inf" } else { "-inf" });
    }
    if v == 0.0 && v.is_sign_negative() {
        return text("-0");
    }
    if v.fract() == 0.0 && v.abs() <= INTEGERS {
        return toml::Value::Integer(v as i64);
    }
    let decimal = f64::from(v);
    if decimal.to_string().len() <= MAX_DIGITS {
        return toml::Value::Float(decimal);
    }
    toml::Value::String(format!("0x{:08x}", v.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct One {
        number: Number,
    }

    fn read(text: &str) -> Result<Number, String> {
        toml::from_str::<One>(&format!("number = {text}")).map(|one| one.number).map_err(|e| e.to_string())
    }

    #[test]
    fn ranges_have_ordered_bounds_and_contain_what_is_between() {
        let range = read("{ from = 1, to = '0x3f800002' }").unwrap();
        assert_eq!(range, Number::Between(1.0, f32::from_bits(0x3f80_0002)));
        let met = [0x3f7f_ffff, 0x3f80_0000, 0x3f80_0001, 0x3f80_0002, 0x3f80_0003, 0x7fc0_0000];
        let met = met.map(|bits| range.is_met_by(f32::from_bits(bits)));
        assert_eq!(met, [false, true, true, true, false, false].map(Some));
        assert_eq!(read("{ from = -1, to = '-0' }").unwrap().is_met_by(0.0), Some(true));
        assert_eq!(read("{ from = 2.5, to = 2.5 }"), Ok(Number::Exactly(2.5)));
        for wrong in [
            "{ from = 2, to = 1 }",
            "{ from = 1, to = 'nan' }",
            "{ from = 'any', to = 1 }",
            "{ from = 1 }",
            "{ from = 1, to = 2, step = 1 }",
            "{ from = { from = 1, to = 2 }, to = 3 }",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_on_the_command_line_parse_as_in_files() {
        for (text, number) in [
            ("1", Number::Exactly(1.0)),
            ("-2.5", Number::Exactly(-2.5)),
            ("1e2", Number::Exactly(100.0)),
            ("0x3f800001", Number::Exactly(f32::from_bits(0x3f80_0001))),
            ("any", Number::Any),
            ("inf", Number::Exactly(f32::INFINITY)),
            ("1..0x3f800002", Number::Between(1.0, f32::from_bits(0x3f80_0002))),
        ] {
            assert_eq!(Number::from_text(text), Ok(number), "{text}");
        }
        let zero = Number::from_text("-0").unwrap().value();
        assert_eq!(zero.to_bits(), (-0.0f32).to_bits());
        for wrong in ["", "x", "0.1", "1..", "2..1", "any..1", "0x1", "infinity", "NaN", "1 2", "1..2..3"] {
            assert!(Number::from_text(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn written_numbers_are_read_back(a in prop_oneof![any::<u32>(), 0x7f80_0001..0x8000_0000u32], b in any::<u32>()) {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            let mut all = vec![Number::Exactly(a), Number::Any];
            all.extend(Number::between(Number::Exactly(a), Number::Exactly(b)));
            for number in all {
                let told = postcard::from_bytes::<One>(&postcard::to_stdvec(&One { number }).unwrap()).unwrap();
                let text = toml::to_string(&One { number }).unwrap();
                let read = toml::from_str::<One>(&text).unwrap();
                for other in [told.number, read.number] {
                    match (number, other) {
                        (Number::Exactly(a), Number::Exactly(b)) => prop_assert_eq!(a.to_bits(), b.to_bits(), "{}", text),
                        _ => prop_assert_eq!(number, other),
                    }
                }
            }
        }
    }
}
