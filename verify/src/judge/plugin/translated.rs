//! Reads the results of a library's `translate` function.

use super::abi::{Room, Translated as Raw};
use super::room::{Outcome, Text, malformed_answer, read_verdict};
use crate::judge::subject::{ConstantRange, Failure, Hex, Language, ShaderVariable, Translation};

/// Buffers for a translator's results.
pub(super) struct TranslateBuffers {
    source: Text,
    places: Text,
    message: Text,
    raw: Raw,
}

impl TranslateBuffers {
    pub(super) fn new() -> TranslateBuffers {
        let [source, places, message] = ["source", "places", "message"].map(Text::new);
        let none = Room { at: std::ptr::null_mut(), capacity: 0, length: 0 };
        let raw = Raw { size: size_of::<Raw>(), source: none, places: none, message: none };
        TranslateBuffers { source, places, message, raw }
    }

    /// Clears the buffers for a call and returns the structure that the library fills.
    pub(super) fn raw(&mut self) -> *mut Raw {
        self.raw = Raw {
            size: size_of::<Raw>(),
            source: self.source.room(),
            places: self.places.room(),
            message: self.message.room(),
        };
        &raw mut self.raw
    }

    /// Reads the results of the call, or returns [`Outcome::Again`] if they did not fit into the buffers.
    ///
    /// # Errors
    /// If the results are malformed, or the library reports a failure.
    pub(super) fn read(
        &mut self,
        returned: u32,
        language: Language,
    ) -> Result<Outcome<Translation>, Failure> {
        let mut again = false;
        for (text, room) in [
            (&mut self.source, &self.raw.source),
            (&mut self.places, &self.raw.places),
            (&mut self.message, &self.raw.message),
        ] {
            again |= text.take(room)?;
        }
        if again {
            return Ok(Outcome::Again);
        }
        let message = self.message.text();
        let mut translation = Translation {
            verdict: read_verdict(returned, message.clone())?,
            language,
            source: match language {
                Language::Spirv => Hex(self.source.bytes().unwrap_or_default().to_vec()).text(),
                Language::Glsl | Language::Wgsl => self.source.text().unwrap_or_default(),
            },
            message,
            ..Translation::default()
        };
        for line in self.places.text().unwrap_or_default().lines() {
            read_place(line, &mut translation).ok_or_else(|| {
                malformed_answer(format!(
                    "'{}' is not a valid line of `places`, whose form lockstep.h states",
                    line.escape_default()
                ))
            })?;
        }
        Ok(Outcome::Answer(translation))
    }
}

/// Parses a line that states which shader variable holds an input, an output or a range of constants; `None` if it is malformed.
fn read_place(line: &str, translation: &mut Translation) -> Option<()> {
    let words: Vec<&str> = line.split('\t').collect();
    let &[kind, first, second, third] = words.as_slice() else { return None };
    if let "input" | "output" = kind {
        let components = third.parse().ok().filter(|count| (1..=4).contains(count))?;
        let all = if kind == "input" { &mut translation.inputs } else { &mut translation.outputs };
        all.insert(first.to_owned(), ShaderVariable { name: second.to_owned(), components });
        return Some(());
    }
    let range = ConstantRange {
        name: third.to_owned(),
        first: first.parse().ok()?,
        count: second.parse().ok()?,
        block: matches!(kind, "block" | "int_block" | "bool_block"),
        matrix: kind == "matrix",
    };
    match kind {
        "constants" | "block" | "matrix" => translation.constants.push(range),
        "ints" | "int_block" => translation.ints.push(range),
        "bools" | "bool_block" => translation.bools.push(range),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_outputs_are_lines_of_four_words() {
        let mut translation = Translation::default();
        for line in
            ["input\tv0\ta\t4", "output\toPos\tgl_Position\t4", "constants\t2\t3\tc", "block\t0\t9\tb"]
        {
            assert_eq!(read_place(line, &mut translation), Some(()), "{line}");
        }
        assert_eq!(translation.inputs["v0"], ShaderVariable { name: "a".to_owned(), components: 4 });
        assert_eq!(translation.outputs["oPos"].name, "gl_Position");
        let spans: Vec<_> =
            translation.constants.iter().map(|one| (one.first, one.count, one.block)).collect();
        assert_eq!(spans, [(2, 3, false), (0, 9, true)]);
        assert_eq!(read_place("int_block\t1\t2\t3", &mut translation), Some(()));
        let ints = ConstantRange { name: "3".to_owned(), first: 1, count: 2, block: true, matrix: false };
        assert_eq!(translation.ints, [ints]);
        for line in ["", "input\tv0\ta", "input\tv0\ta\t5", "consts\t0\t1\tc", "ints\tx\t1\tc"] {
            assert_eq!(read_place(line, &mut translation), None, "{line}");
        }
    }
}
