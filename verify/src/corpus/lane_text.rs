//! The command-line syntax of lanes of vectors: `va0=1,2,3,4; va1=0.5 -> op=2,4,6,any; killed`.

use super::{Alternative, Number, VectorLane};
use lockstep_core::isa::End;
use std::collections::BTreeMap;

/// A syntax error in the text of a lane.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at column {column}: {message}")]
pub struct LaneError {
    /// The position of the error in characters, from 1.
    pub column: usize,
    /// The error as a sentence.
    pub message: String,
}

/// A part of the text, with its position.
#[derive(Clone, Copy)]
struct Part<'a> {
    whole: &'a str,
    /// The offset of the part in the whole text, in bytes.
    at: usize,
    text: &'a str,
}

impl<'a> Part<'a> {
    fn of(whole: &'a str) -> Part<'a> {
        Part { whole, at: 0, text: whole }
    }

    fn wrong(self, message: impl Into<String>) -> LaneError {
        let column = self.whole.get(..self.at).unwrap_or_default().chars().count() + 1;
        LaneError { column, message: message.into() }
    }

    fn trimmed(self) -> Part<'a> {
        let begun = self.text.trim_start();
        let at = self.at + self.text.len() - begun.len();
        Part { at, text: begun.trim_end(), ..self }
    }

    /// Splits the part at the first occurrence of `separator`.
    fn cut(self, separator: &str) -> Option<(Part<'a>, Part<'a>)> {
        let (before, after) = self.text.split_once(separator)?;
        let rest = self.at + before.len() + separator.len();
        Some((Part { text: before, ..self }, Part { at: rest, text: after, ..self }))
    }

    /// Splits the part at every occurrence of `separator`, and trims white space.
    fn split(self, separator: &str) -> Vec<Part<'a>> {
        let (mut all, mut rest) = (Vec::new(), self);
        while let Some((before, after)) = rest.cut(separator) {
            all.push(before.trimmed());
            rest = after;
        }
        all.push(rest.trimmed());
        all
    }
}

/// Parses a lane: its inputs, the arrow `->`, and its expected results.
///
/// # Errors
/// The error and its column.
pub fn lane(text: &str) -> Result<VectorLane, LaneError> {
    let whole = Part::of(text);
    let (inputs, outcome) = whole
        .cut("->")
        .ok_or_else(|| whole.wrong("a lane is INPUTS -> OUTPUTS, as in va0=1,2,3,4 -> op=2,4,6,8"))?;
    let mut lane = outcome_of(outcome)?;
    for part in inputs.split(";").into_iter().filter(|part| !part.text.is_empty()) {
        let (name, values) = register(part, Number::Exactly(0.0))?;
        if lane.input.insert(name, values).is_some() {
            return Err(part.wrong("this input is given twice"));
        }
    }
    Ok(lane)
}

/// Parses an alternative: the reason, a colon, and the expected results of each lane, separated by `|`.
///
/// # Errors
/// The error and its column.
pub fn alternative(text: &str) -> Result<Alternative, LaneError> {
    let whole = Part::of(text);
    let (why, lanes) = whole
        .cut(":")
        .ok_or_else(|| whole.wrong("an alternative is WHY: OUTPUTS, and OUTPUTS of further lanes after |"))?;
    let lane = lanes.split("|").into_iter().map(outcome_of).collect::<Result<_, _>>()?;
    Ok(Alternative { why: why.text.trim().to_owned(), lane })
}

fn outcome_of(part: Part<'_>) -> Result<VectorLane, LaneError> {
    let mut lane = VectorLane {
        input: BTreeMap::new(),
        output: BTreeMap::new(),
        killed: None,
        end: None,
        effects: None,
    };
    for part in part.split(";").into_iter().filter(|part| !part.text.is_empty()) {
        match part.text {
            "killed" | "alive" => lane.killed = Some(part.text == "killed"),
            "out_of_fuel" => lane.end = Some(End::OutOfFuel),
            _ => {
                let (name, values) = register(part, Number::Any)?;
                if lane.output.insert(name, values).is_some() {
                    return Err(part.wrong("this output is given twice"));
                }
            }
        }
    }
    Ok(lane)
}

/// Parses a register name with up to four numbers; `missing` fills the rest.
fn register(part: Part<'_>, missing: Number) -> Result<(String, [Number; 4]), LaneError> {
    let (name, numbers) = part
        .cut("=")
        .ok_or_else(|| part.wrong(format!("'{}' is not of the form REGISTER=x,y,z,w", part.text)))?;
    let mut values = [missing; 4];
    for (at, number) in numbers.split(",").into_iter().enumerate() {
        let place = values.get_mut(at).ok_or_else(|| number.wrong("a register has four components"))?;
        *place = Number::from_text(number.text).map_err(|message| number.wrong(message))?;
    }
    Ok((name.text.trim().to_owned(), values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_has_inputs_and_outputs_and_marks() {
        let read = lane(" va0 = 1, -2.5 ; va1=0x3f800001 -> op=1..2,any; killed ").unwrap();
        let bits = f32::from_bits(0x3f80_0001);
        let [one, zero] = [1.0, 0.0].map(Number::Exactly);
        assert_eq!(read.input["va0"], [one, Number::Exactly(-2.5), zero, zero]);
        assert_eq!(read.input["va1"], [Number::Exactly(bits), zero, zero, zero]);
        assert_eq!(read.output["op"], [Number::Between(1.0, 2.0), Number::Any, Number::Any, Number::Any]);
        assert_eq!((read.killed, read.end), (Some(true), None));
        let read = alternative("a driver of 2003: op=1 | alive; out_of_fuel").unwrap();
        assert_eq!((read.why.as_str(), read.lane.len()), ("a driver of 2003", 2));
        assert_eq!((read.lane[1].killed, read.lane[1].end), (Some(false), Some(End::OutOfFuel)));
    }

    #[test]
    fn errors_have_their_column() {
        let column = |text: &str| lane(text).unwrap_err().column;
        assert_eq!(column("va0=1"), 1);
        assert_eq!(column("va0=1,x -> op=1"), 7);
        assert_eq!(column("va0=1 -> op=1; ä=2; op=3"), 21);
        assert_eq!(column("-> op=1,2,3,4,5"), 15);
        assert_eq!(column("-> op"), 4);
        assert_eq!(column("-> op=0.1"), 7);
        assert_eq!(column("a=1; a=2 -> op=0"), 6);
        assert_eq!(alternative("op=1").unwrap_err().column, 1);
        assert_eq!(alternative("why: op=1 | op=2..1").unwrap_err().column, 16);
    }
}
