//! Filing vectors: checks a vector and appends it to a vector file.

use super::prepared::{PROGRAM, prepared};
use super::running::PANIC;
use super::vector::{line_of, meaningless_fields, parse};
use super::{Vector, VectorError, VectorLane, run_vector};
use crate::case::{Case, EntryRef};
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The reason why a vector was not filed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FilingError {
    /// The target file is not a valid vector file, or the vector is invalid.
    #[error("{0}")]
    File(VectorError),
    /// The file contains vectors of another instruction set.
    #[error("the file contains vectors for {there}, but the new vector is for {here}")]
    Isa {
        /// The file's instruction set.
        there: IsaId,
        /// The vector's instruction set.
        here: IsaId,
    },
    /// The vector is meaningless: its program cannot be run, it names an unknown register, or it expects no result.
    #[error("vector '{name}': {message}")]
    Meaningless {
        /// The vector's name.
        name: String,
        /// The problem, as a sentence.
        message: String,
    },
    /// The file already contains this vector.
    #[error("vector '{name}' {how} '{other}' on line {line}")]
    Duplicate {
        /// The new vector's name.
        name: String,
        /// What the two vectors have in common.
        how: &'static str,
        /// The existing vector's name.
        other: String,
        /// The line on which the existing vector begins.
        line: usize,
    },
}

/// Returns the text of a vector file with one more vector. `text` is the file's content, `None` if the file does not exist. `path_isa` is the
/// instruction set that the path names.
///
/// # Errors
/// The reason why the vector is not filed.
pub fn filed(
    text: Option<&str>,
    path_isa: Option<IsaId>,
    isa: IsaId,
    vector: &Vector,
) -> Result<String, FilingError> {
    let mut vector = vector.clone();
    vector.program = format!("{}\n", vector.program.trim_end());
    let meaningless = |message: String| FilingError::Meaningless { name: vector.name.clone(), message };
    if let Some(message) = meaningless_fields(&vector) {
        return Err(meaningless(message));
    }
    let mut whole = match text {
        Some(text) => {
            let (there, vectors) = parse(text, path_isa).map_err(FilingError::File)?;
            if there != isa {
                return Err(FilingError::Isa { there, here: isa });
            }
            if let Some(duplicate) = duplicate(isa, text, &vectors, &vector) {
                return Err(duplicate);
            }
            format!("{}\n\n", text.trim_end())
        }
        None => format!("isa = \"{isa}\"\n\n"),
    };
    whole.push_str(&written(&vector));
    // Reads the result back and compares it with the vector, so that the writer need not be trusted.
    let (_, read) = parse(&whole, path_isa.or(Some(isa))).map_err(FilingError::File)?;
    let same = read.last().is_some_and(|last| in_bytes(last) == in_bytes(&vector));
    if !same {
        return Err(meaningless("it contains a value that cannot be written".to_owned()));
    }
    if let Err(failure) = run_vector(isa, &vector)
        && [PROGRAM, PANIC].contains(&failure.component.as_str())
    {
        return Err(meaningless(failure.problems.join("; ")));
    }
    Ok(whole)
}

fn in_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).unwrap_or_default()
}

/// Returns an error if an existing vector has the same name, or has the same case and either expects the same results or names the same device.
fn duplicate(isa: IsaId, text: &str, vectors: &[Vector], vector: &Vector) -> Option<FilingError> {
    let question = case_to_compare(isa, vector);
    let found = vectors.iter().enumerate().find_map(|(n, other)| {
        let how = if other.name == vector.name {
            "has the name of"
        } else if question.is_none() || question != self::case_to_compare(isa, other) {
            return None;
        } else if expected_bytes(other) == expected_bytes(vector) {
            "has the same inputs and results as"
        } else if other.device == vector.device {
            "has the same inputs but other results, so it is an alternative of"
        } else {
            return None;
        };
        Some((n, other, how))
    });
    found.map(|(n, other, how)| FilingError::Duplicate {
        name: vector.name.clone(),
        how,
        other: other.name.clone(),
        line: line_of(text, n).unwrap_or(1),
    })
}

/// Returns the case of a vector, without the list of compared outputs.
fn case_to_compare(isa: IsaId, vector: &Vector) -> Option<Case> {
    let mut case = with_isa!(isa, I => prepared::<I>(vector).ok().map(|(case, _)| case))?;
    if let EntryRef::Given(entry) = &mut case.entry {
        entry.interface.outputs.clear();
    }
    Some(case)
}

/// Returns the expected results of a vector as bytes.
fn expected_bytes(vector: &Vector) -> Vec<u8> {
    let outcome = |lane: &VectorLane| VectorLane { input: BTreeMap::new(), ..lane.clone() };
    let alternatives = vector.alternative.iter().map(|alternative| &alternative.lane);
    let ways = std::iter::once(&vector.lane).chain(alternatives);
    in_bytes(&ways.map(|lanes| lanes.iter().map(outcome).collect()).collect::<Vec<Vec<_>>>())
}

/// Returns a vector in the syntax of vector files.
fn written(vector: &Vector) -> String {
    let mut text = String::from("[[vector]]\n");
    key(&mut text, "name", &vector.name);
    key(&mut text, "source", &vector.source);
    if !vector.derivation.is_empty() {
        key(&mut text, "derivation", &vector.derivation);
    }
    optional_key(&mut text, "device", vector.device.as_ref());
    optional_key(&mut text, "date", vector.date.as_ref());
    let _ = writeln!(text, "program = {}", program(&vector.program));
    if vector.entry != EntryRef::default() {
        key(&mut text, "entry", &vector.entry);
    }
    table(&mut text, "options", &vector.options);
    table(&mut text, "constants", &vector.constants);
    table(&mut text, "ints", &vector.ints);
    table(&mut text, "bools", &vector.bools);
    optional_key(&mut text, "fuel", vector.fuel.as_ref());
    optional_key(&mut text, "room", vector.room.as_ref());
    for buffer in &vector.buffer {
        text.push_str("[[vector.buffer]]\n");
        key(&mut text, "words", &buffer.words);
    }
    for texture in &vector.texture {
        text.push_str("[[vector.texture]]\n");
        key(&mut text, "dimension", &texture.dimension);
        key(&mut text, "size", &texture.size);
        key(&mut text, "levels", &texture.levels);
        key(&mut text, "explicit", &texture.explicit);
        key(&mut text, "state", &texture.state);
    }
    for lane in &vector.lane {
        text.push_str("[[vector.lane]]\n");
        lane_keys(&mut text, lane);
    }
    for alternative in &vector.alternative {
        text.push_str("[[vector.alternative]]\n");
        key(&mut text, "why", &alternative.why);
        for lane in &alternative.lane {
            text.push_str("[[vector.alternative.lane]]\n");
            lane_keys(&mut text, lane);
        }
    }
    text
}

fn lane_keys(text: &mut String, lane: &VectorLane) {
    table(text, "input", &lane.input);
    table(text, "output", &lane.output);
    optional_key(text, "killed", lane.killed.as_ref());
    optional_key(text, "end", lane.end.as_ref());
    optional_key(text, "effects", lane.effects.as_ref());
}

/// Returns a TOML value on one line.
fn inline<T: Serialize>(value: &T) -> String {
    toml::Value::try_from(value).map(|value| value.to_string()).unwrap_or_default()
}

fn key<T: Serialize>(text: &mut String, name: &str, value: &T) {
    let _ = writeln!(text, "{name} = {}", inline(value));
}

fn optional_key<T: Serialize>(text: &mut String, name: &str, value: Option<&T>) {
    if let Some(value) = value {
        key(text, name, value);
    }
}

fn table<K: std::fmt::Display, V: Serialize>(text: &mut String, name: &str, values: &BTreeMap<K, V>) {
    if values.is_empty() {
        return;
    }
    let bare = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
    };
    let one = |(name, value): (&K, &V)| {
        let name = name.to_string();
        let name = if bare(&name) { name } else { inline(&name) };
        format!("{name} = {}", inline(value))
    };
    let all: Vec<String> = values.iter().map(one).collect();
    let _ = writeln!(text, "{name} = {{ {} }}", all.join(", "));
}

/// Returns a program's text as a multi-line TOML string, or as an escaped string if it contains characters that need escapes.
fn program(text: &str) -> String {
    let plain = |c: char| c != '\\' && (!c.is_control() || matches!(c, '\n' | '\t'));
    if text.chars().all(plain) && !text.contains("\"\"\"") {
        format!("\"\"\"\n{text}\"\"\"")
    } else {
        inline(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::lane_text::{alternative, lane};

    fn vector(name: &str, lanes: &[&str]) -> Vector {
        let head = format!("[[vector]]\nname='{name}'\nsource='s'\nderivation='d'\nlane=[]\nprogram='p'");
        let (_, mut vectors) = parse(&head, Some(IsaId::Agal)).unwrap();
        let mut vector = vectors.remove(0);
        vector.program = "version 1 vertex\nadd op, va0, vc0".to_owned();
        vector.lane = lanes.iter().map(|text| lane(text).unwrap()).collect();
        vector
    }

    fn file(text: Option<&str>, vector: &Vector) -> Result<String, String> {
        filed(text, None, IsaId::Agal, vector).map_err(|error| error.to_string())
    }

    #[test]
    fn added_vectors_follow_the_existing_ones() {
        let mut first = vector("first", &["va0=1,-0,inf,0x00000001 -> op=2,any,inf,0x3f800000..0x3f800001"]);
        first.constants.insert(0, [super::super::Number::Exactly(1.0); 4]);
        let mut second = vector("second \"quoted\" \\", &["va0=1 -> op=1"]);
        second.alternative.push(alternative("a driver: op=2").unwrap());
        (second.device, second.date) = (Some("a card".to_owned()), Some("2004-02-29".to_owned()));
        second.derivation.clear();
        let one = file(None, &first).unwrap();
        let both = file(Some(&format!("# kept\n{one}")), &second).unwrap();
        assert!(both.starts_with("# kept\nisa = \"agal\"\n"), "{both}");
        let (_, read) = parse(&both, None).unwrap();
        assert_eq!(read.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["first", second.name.as_str()]);
        assert_eq!((read[1].device.as_deref(), read[1].alternative.len()), (Some("a card"), 1));
        assert!(run_vector(IsaId::Agal, &read[0]).is_ok() && run_vector(IsaId::Agal, &read[1]).is_ok());
    }

    #[test]
    fn duplicates_are_refused_with_their_line() {
        let first = vector("first", &["va0=1 -> op=1"]);
        let text = file(None, &first).unwrap();
        let refused = |change: &dyn Fn(&mut Vector)| {
            let mut other = vector("other", &["va0=1 -> op=1"]);
            change(&mut other);
            file(Some(&text), &other)
        };
        assert!(
            refused(&|v| v.name = "first".to_owned())
                .unwrap_err()
                .ends_with("has the name of 'first' on line 3")
        );
        assert!(
            refused(&|_| {}).unwrap_err().contains("has the same inputs and results as 'first' on line 3")
        );
        let other = &|v: &mut Vector| v.lane = vec![lane("va0=1 -> op=2").unwrap()];
        assert!(refused(other).unwrap_err().contains("it is an alternative of 'first'"));
        // A vector for another device or with other inputs is not a duplicate.
        let device = |v: &mut Vector| {
            other(v);
            v.device = Some("a card".to_owned());
        };
        assert!(refused(&device).is_ok());
        assert!(refused(&|v| v.lane = vec![lane("va0=2 -> op=2").unwrap()]).is_ok());
    }

    #[test]
    fn inconsistent_vectors_are_not_added() {
        let wrong = |change: &dyn Fn(&mut Vector)| {
            let mut vector = vector("a", &["va0=1 -> op=1"]);
            change(&mut vector);
            file(None, &vector).unwrap_err()
        };
        let lanes = |text: &'static str| move |v: &mut Vector| v.lane = vec![lane(text).unwrap()];
        assert!(wrong(&|v| v.program = "version 1 vertex\nfoo op, va0".to_owned()).contains("2:1"));
        assert!(wrong(&lanes("va0=1 -> oc=1")).contains("no output 'oc'"));
        assert!(wrong(&lanes("vx9=1 -> op=1")).contains("no input 'vx9'"));
        assert!(wrong(&lanes("va0=1 -> ")).contains("it expects nothing"));
        assert!(wrong(&lanes("va0=1..2 -> op=1")).contains("a range cannot be an input"));
        assert!(wrong(&|v| v.derivation = " ".to_owned()).contains("needs a derivation, or the device"));
        for day in ["2003-02-29", "2004-13-01", "2004-1-01", "2004-04-31", "1900-02-29", "x", "2004-01-00"] {
            assert!(wrong(&|v| v.date = Some(day.to_owned())).contains("is not a date"), "{day}");
        }
        let alternative = |why: &str| alternative(&format!("{why}: op=1 | op=2")).unwrap();
        assert!(wrong(&|v| v.alternative.push(alternative("w"))).contains("alternative 1: it has 2 lanes"));
        assert!(wrong(&|v| v.alternative.push(alternative(""))).contains("it needs a reason"));
        assert!(
            wrong(&|v| v.options = [("ifg".to_owned(), "x".to_owned())].into()).contains("no choice 'x'")
        );
        let pica = filed(
            Some("isa = 'pica200'\n[[vector]]\nname='a'\nsource='s'\nderivation='d'\nprogram='p'\nlane=[]"),
            None,
            IsaId::Agal,
            &vector("a", &["-> op=1"]),
        );
        assert!(matches!(pica, Err(FilingError::Isa { .. })), "{pica:?}");
    }
}
