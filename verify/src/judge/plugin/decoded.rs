//! Reads the results of a library's `decode` function.

use super::abi::{Decoded as Raw, NOT_OFFERED, Room};
use super::room::{Outcome, Text, malformed_answer, read_verdict};
use crate::judge::subject::{Decoded, Failure, Hex, InstructionData};

/// Buffers for a decoder's results.
pub(super) struct DecodeBuffers {
    text: Text,
    encoded: Text,
    instructions: Text,
    message: Text,
    raw: Raw,
}

impl DecodeBuffers {
    pub(super) fn new() -> DecodeBuffers {
        let [text, encoded, instructions, message] =
            ["text", "encoded", "instructions", "message"].map(Text::new);
        let none = Room { at: std::ptr::null_mut(), capacity: 0, length: 0 };
        let raw = Raw {
            size: size_of::<Raw>(),
            consumed: NOT_OFFERED,
            text: none,
            encoded: none,
            instructions: none,
            message: none,
        };
        DecodeBuffers { text, encoded, instructions, message, raw }
    }

    /// Clears the buffers for a call and returns the structure that the library fills.
    pub(super) fn raw(&mut self) -> *mut Raw {
        self.raw = Raw {
            size: size_of::<Raw>(),
            consumed: NOT_OFFERED,
            text: self.text.room(),
            encoded: self.encoded.room(),
            instructions: self.instructions.room(),
            message: self.message.room(),
        };
        &raw mut self.raw
    }

    /// Reads the result of the call; `Outcome::Again` if the library needs larger buffers.
    ///
    /// # Errors
    /// If the result is malformed, or the library reports a failure.
    pub(super) fn read(&mut self, returned: u32) -> Result<Outcome<Decoded>, Failure> {
        let mut again = false;
        for (text, room) in [
            (&mut self.text, &self.raw.text),
            (&mut self.encoded, &self.raw.encoded),
            (&mut self.instructions, &self.raw.instructions),
            (&mut self.message, &self.raw.message),
        ] {
            again |= text.take(room)?;
        }
        if again {
            return Ok(Outcome::Again);
        }
        let message = self.message.text();
        Ok(Outcome::Answer(Decoded {
            verdict: read_verdict(returned, message.clone())?,
            consumed: (self.raw.consumed != NOT_OFFERED).then_some(self.raw.consumed),
            text: self.text.text(),
            encoded: self.encoded.bytes().map(|bytes| Hex(bytes.to_vec())),
            instructions: self.instructions.text().map(|text| read_instructions(&text)).transpose()?,
            message,
        }))
    }
}

/// Parses instructions in the text format that `lockstep.h` defines, one per line.
fn read_instructions(text: &str) -> Result<Vec<InstructionData>, Failure> {
    let instruction = |(line, number): (&str, u32)| {
        let (opcode, fields) = line.split_once('\t').unwrap_or((line, ""));
        let field = |word: &str| {
            let pair = word.split_once('=').map(|(facet, value)| (facet.to_owned(), value.to_owned()));
            pair.ok_or_else(|| {
                malformed_answer(format!(
                    "instruction {number} has '{word}', which is not of the form FACET=VALUE"
                ))
            })
        };
        let fields =
            fields.split('\t').filter(|field| !field.is_empty()).map(field).collect::<Result<_, _>>()?;
        Ok(InstructionData { opcode: opcode.to_owned(), fields })
    };
    text.lines().zip(0..).map(instruction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_lines_of_an_opcode_and_fields() {
        let read = read_instructions("mov\tmask=x or y\ta.file=r\n\nend\n").unwrap();
        let opcodes: Vec<&str> = read.iter().map(|instruction| instruction.opcode.as_str()).collect();
        assert_eq!((opcodes, read[0].fields.len(), read[2].fields.len()), (vec!["mov", "", "end"], 2, 0));
        assert_eq!(read[0].fields["a.file"], "r");
        let wrong = read_instructions("mov\nadd\txy").unwrap_err();
        assert!(wrong.message.contains("instruction 1 has 'xy'"), "{}", wrong.message);
    }

    #[test]
    fn each_number_of_consumed_bytes_counts_except_that_of_not_offered() {
        use crate::judge::plugin::abi::verdict;
        for (number, read) in
            [(0, Some(0)), (1, Some(1)), (u64::MAX - 1, Some(u64::MAX - 1)), (NOT_OFFERED, None)]
        {
            let mut buffers = DecodeBuffers::new();
            buffers.raw();
            buffers.raw.consumed = number;
            let Ok(Outcome::Answer(decoded)) = buffers.read(verdict::ACCEPTED) else { panic!("no answer") };
            assert_eq!(decoded.consumed, read);
        }
    }
}
