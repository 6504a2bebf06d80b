//! The positions of instructions in files: lines of assembly text, or bytes of a program.

use super::LocatedViolation;
use lockstep_core::isa::{Format, IsaId, Syntax};
use lockstep_core::with_isa;

/// Adds to each violation the position of its instruction in the text that the program was assembled from, in any dialect of the syntax. If the text
/// does not assemble, or contains no such instruction, no position is added.
pub fn add_positions(found: &mut [LocatedViolation], isa: IsaId, text: &str) {
    if found.iter().any(|violation| violation.instruction.is_some()) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        with_isa!(isa, I => add_text_positions::<I>(found, text));
    }
}

/// Returns the line and the column, from 1, of an instruction in the text that its program was assembled from; `None` if the text does not assemble
/// or does not contain the instruction.
pub fn position_in_text(isa: IsaId, text: &str, instruction: u32) -> Option<(u32, u32)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let spans = with_isa!(isa, I => I::assemble_with_spans(text).map(|(_, spans)| spans)).ok()?;
    let span = (*spans.get(instruction as usize)?)?;
    Some((span.line, span.column))
}

fn add_text_positions<I: Syntax>(found: &mut [LocatedViolation], text: &str) {
    let Ok((_, places)) = I::assemble_with_spans(text) else { return };
    for violation in found {
        let place = violation.instruction.and_then(|at| places.get(at as usize).copied().flatten());
        (violation.line, violation.column) = (place.map(|place| place.line), place.map(|place| place.column));
    }
}

/// Adds to each violation the byte range of its instruction in a file. If the file itself is not a program, no position is added.
pub fn add_byte_positions(found: &mut [LocatedViolation], isa: IsaId, file: &[u8]) {
    if found.iter().any(|violation| violation.instruction.is_some()) {
        with_isa!(isa, I => place_bytes_of::<I>(found, file));
    }
}

fn place_bytes_of<I: Format>(found: &mut [LocatedViolation], file: &[u8]) {
    let Ok(program) = I::decode(file) else { return };
    let places = I::spans(&program);
    for violation in found {
        let place = violation.instruction.and_then(|at| places.get(at as usize));
        violation.byte_offset = place.map(|place| place.start as u64);
        violation.byte_length = place.map(|place| place.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::corpus::{Content, load_own, own_corpora};
    use crate::legality::{Levels, violations};
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Context, Format, Options, Syntax, Tables, instruction_count};
    use std::ops::Range;

    fn lines(text: &str) -> Vec<Option<(u32, u32)>> {
        let case = Case::bare(
            IsaId::Agal,
            &Agal::encode(&Agal::assemble(text.trim_start_matches('\u{feff}')).expect("text")),
        );
        let mut found = violations(&case, &Levels::default()).expect("a program");
        add_positions(&mut found, IsaId::Agal, text);
        found.iter().map(|violation| violation.line.zip(violation.column)).collect()
    }

    #[test]
    fn a_violation_has_the_line_of_its_instruction_in_any_syntax() {
        // The violations are reads of an unwritten register.
        let known = "version 1 vertex\n// vt1 is never written\nmov vt0, va0\n\n  add   vt0,vt1,vt0 // here\nmov op, vt0\n";
        assert_eq!(lines(known), [Some((5, 3))]);
        let twice = "version 1 vertex\nmov vt0, vt1\nmov vt0, vt2\nmov vt0, vt1\nmov op, vt0\n";
        assert_eq!(lines(twice), [Some((2, 1)), Some((3, 1)), Some((4, 1))]);
        let other = "agal 1 vs\n\tmov vt0.xyzw, vt1.rgba\nmov op, vt0\n";
        assert_eq!(lines(other), [Some((2, 2))]);
        assert_eq!(lines(&format!("\u{feff}{other}")), [Some((2, 2))]);
    }

    /// Checks that there are at least as many positions as instructions, that nearly all are known, and that text follows each known position on its
    /// line. Returns the number of known positions.
    fn count_positions<I: Syntax + Tables>(name: &str, text: &str) -> usize {
        let Ok((program, places)) = I::assemble_with_spans(text) else { return 0 };
        let count = instruction_count::<I>(&program);
        assert!(places.len() >= count as usize, "{name}: {} places, {count} words", places.len());
        let lines: Vec<&str> = text.lines().collect();
        let mut known = 0;
        for (word, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            let line =
                lines.get(place.line as usize - 1).unwrap_or_else(|| panic!("{name}: no line {place:?}"));
            let rest: String = line.chars().skip(place.column as usize - 1).collect();
            assert!(!rest.trim().is_empty(), "{name}, word {word}: nothing is at {place:?}");
            known += 1;
        }
        // Slots that pad clauses of A2xx appear in no text.
        assert!(
            (known + 1) * 10 >= places.len() * 9,
            "{name}: {known} of {} words have a position",
            places.len()
        );
        known
    }

    /// Checks that each instruction whose text is on exactly one line of the listing has its position on that line. Returns the number of these
    /// instructions.
    fn listed<I: Syntax>(name: &str, program: &I::Program) -> usize {
        let text = I::disassemble(program);
        let Ok((_, places)) = I::assemble_with_spans(&text) else { panic!("{name}: does not assemble") };
        let lines: Vec<&str> = text.lines().collect();
        let mut found = 0;
        for (word, place) in places.iter().enumerate() {
            let shown = I::disassemble_word(program, word as u32);
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            let (Some(place), Some(first)) = (place, shown.lines().find(|line| !line.trim().is_empty()))
            else {
                continue;
            };
            // An instruction whose text is on several lines or on none is not checked.
            let line = lines[place.line as usize - 1];
            let own = squeezed(first).trim_end_matches(';').to_owned();
            if lines.iter().filter(|line| squeezed(line).contains(&own)).count() == 1 {
                assert!(squeezed(line).contains(&own), "{name}, word {word}: '{first}' is not '{line}'");
                found += 1;
            }
        }
        found
    }

    fn check_lines<I: Syntax + Tables>() {
        let own = load_own(&own_corpora(None).expect("the corpora belong to the workspace"), &[I::ID]);
        let (mut known, mut found) = (0, 0);
        for item in &own.items {
            let Content::Program { bytes, .. } = &item.content else { continue };
            if let Ok(text) = std::fs::read_to_string(&item.path) {
                known += count_positions::<I>(&item.name, &text);
            }
            if let Ok(program) = I::decode(bytes) {
                found += listed::<I>(&item.name, &program);
            }
        }
        println!("{}: positions of {known} instructions in texts, {found} right ones in listings", I::ID);
        assert!(known > 200 && found > 200, "{}: {known}, {found}", I::ID);
    }

    /// Whether flipping some bit of a byte changes an instruction but none of its neighbours. Only flips after which the program has as many
    /// instructions as before are considered.
    fn changes_only<I: Syntax>(
        bytes: &[u8],
        program: &I::Program,
        word: usize,
        places: &[Range<usize>],
        byte: usize,
    ) -> bool {
        let around = word.saturating_sub(1)..(word + 2).min(places.len());
        let listed = |program: &I::Program| -> Vec<String> {
            around.clone().map(|at| I::disassemble_word(program, at as u32)).collect()
        };
        let before = listed(program);
        (0..8).any(|bit| {
            let mut bytes = bytes.to_vec();
            bytes[byte] ^= 1 << bit;
            let changed = I::decode(&bytes).ok().filter(|program| I::spans(program).len() == places.len());
            changed.is_some_and(|changed| {
                let after = listed(&changed);
                around
                    .clone()
                    .zip(before.iter().zip(&after))
                    .all(|(at, (before, after))| (before == after) == (at != word))
            })
        })
    }

    /// Checks the byte range of an instruction: changing some byte inside it changes the instruction, and changing the nearest byte of either
    /// neighbour does not.
    fn has_right_span<I: Syntax>(
        bytes: &[u8],
        program: &I::Program,
        word: usize,
        places: &[Range<usize>],
    ) -> bool {
        let own = places[word].clone();
        let others =
            [word.checked_sub(1).map(|at| places[at].end - 1), places.get(word + 1).map(|next| next.start)];
        let mut others = others.into_iter().flatten().filter(|byte| !own.contains(byte));
        let changes_only = |byte| changes_only::<I>(bytes, program, word, places, byte);
        own.clone().any(changes_only) && !others.any(changes_only)
    }

    fn check_byte_ranges<I: Syntax + Tables>() {
        let own = load_own(&own_corpora(None).expect("the corpora belong to the workspace"), &[I::ID]);
        let mut found = 0;
        for item in &own.items {
            let Content::Program { bytes, .. } = &item.content else { continue };
            let Ok(program) = I::decode(bytes) else { continue };
            let places = I::spans(&program);
            let entry = &I::entries(&program)[0];
            let options = Options::new(I::option_specs());
            let count = I::instruction_count(&Context { program: &program, entry, options: &options });
            assert_eq!(places.len(), count as usize, "{}: not one byte range per instruction", item.name);
            for word in (0..places.len()).step_by(places.len().div_ceil(8).max(1)) {
                assert!(
                    has_right_span::<I>(bytes, &program, word, &places),
                    "{}: instruction {word} is not at {:?}",
                    item.name,
                    places[word]
                );
                found += 1;
            }
        }
        assert!(found > 200, "{}: {found}", I::ID);
    }

    #[test]
    fn instructions_of_every_set_have_their_bytes() {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => check_byte_ranges::<I>());
        }
    }

    #[test]
    fn a_violation_has_the_bytes_of_its_instruction() {
        let text = "version 1 vertex\nmov vt0, va0\nadd vt0, vt1, vt0\nmov op, vt0\n";
        let bytes = Agal::encode(&Agal::assemble(text).expect("text"));
        let mut found = violations(&Case::bare(IsaId::Agal, &bytes), &Levels::default()).expect("a program");
        add_byte_positions(&mut found, IsaId::Agal, &bytes);
        let places: Vec<_> = found.iter().map(|v| (v.byte_offset, v.byte_length)).collect();
        // The file has a header of 7 bytes and one token of 24 bytes before the instruction.
        assert_eq!(places, [(Some(31), Some(24))]);
    }

    #[test]
    fn instructions_of_every_set_have_their_lines() {
        for &isa in IsaId::ALL {
            with_isa!(isa, I => check_lines::<I>());
        }
    }
}
