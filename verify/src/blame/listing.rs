//! A disassembled program, with the lines of each instruction.

use lockstep_core::isa::{Context, Syntax};

/// A listing with a map from instructions to lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    /// The lines.
    pub(super) lines: Vec<String>,
    /// The line numbers of each instruction, from 0; empty if no lines of the listing match the instruction.
    pub(super) lines_by_word: Vec<Vec<usize>>,
}

impl Listing {
    pub(super) fn new<I: Syntax>(cx: &Context<'_, I>) -> Listing {
        let lines: Vec<String> = I::disassemble(cx.program).lines().map(str::to_owned).collect();
        let read = |reading: fn(&str) -> String| lines.iter().map(|line| reading(line)).collect::<Vec<_>>();
        let as_read = READINGS.map(|reading| (reading, read(reading)));
        let mut taken = vec![false; lines.len()];
        let mut next = 0;
        let lines_by_word = (0..I::instruction_count(cx)).map(|word| {
            // Some parts of an instruction are printed on lines of their own.
            let text = I::disassemble_word(cx.program, word);
            let found = as_read.iter().find_map(|(reading, bare)| {
                let text: String = text.split(" + ").map(reading).collect();
                // Lines are mostly in the order of the instructions; otherwise, the first matching line that belongs to no other instruction is
                // taken.
                (next..lines.len()).chain(0..next).find_map(|from| matching_lines(bare, &taken, from, &text))
            });
            let Some(range) = found else { return Vec::new() };
            next = range.end;
            taken[range.clone()].fill(true);
            range.collect()
        });
        let lines_by_word = lines_by_word.collect();
        Listing { lines, lines_by_word }
    }

    /// Returns the line numbers of an instruction.
    pub(super) fn lines_of(&self, word: u32) -> &[usize] {
        self.lines_by_word.get(word as usize).map_or(&[], Vec::as_slice)
    }
}

/// Returns the lines starting at `from` that together match `text`; `None` if there are none or they belong to another instruction.
fn matching_lines(
    bare: &[String],
    taken: &[bool],
    from: usize,
    text: &str,
) -> Option<std::ops::Range<usize>> {
    let mut rest = text;
    if bare[from].is_empty() || text.is_empty() {
        return None;
    }
    for at in from..bare.len() {
        rest = rest.strip_prefix(bare[at].as_str()).filter(|_| !taken[at])?;
        if rest.is_empty() {
            return Some(from..at + 1);
        }
    }
    None
}

/// Ways of normalising a line, strictest first: a listing may have labels where the text of a single instruction has numbers, or omit details that
/// neighbouring lines show.
const READINGS: [fn(&str) -> String; 3] = [bare, without_arguments, mnemonic];

/// Returns a line without its comment and without the prefix of the instruction: an address or the name of its unit.
fn code(line: &str) -> &str {
    let code = line.split("//").next().unwrap_or_default().split(';').next().unwrap_or_default();
    code.rsplit(':').find(|part| !part.trim().is_empty()).unwrap_or_default()
}

/// Returns the instruction without spaces and without the `+` that joins its parts.
fn bare(line: &str) -> String {
    code(line).chars().filter(|c| !c.is_whitespace() && *c != '+').collect()
}

/// Returns the instruction as [`bare`] does, and also without parenthesised arguments.
fn without_arguments(line: &str) -> String {
    let mut depth = 0usize;
    let code = bare(line);
    let outside = code.chars().filter(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    outside.collect()
}

/// Returns the first word of a line.
fn mnemonic(line: &str) -> String {
    code(line)
        .split(|c: char| c.is_whitespace() || c == '(')
        .find(|part| !part.is_empty())
        .unwrap_or_default()
        .to_owned()
}
