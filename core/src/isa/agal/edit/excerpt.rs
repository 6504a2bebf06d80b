//! Extracts consecutive instructions of a program as separate programs, for minimisation.

use super::super::program::{File, Program, Source, SourceOrSampler, Token};
use super::super::reads::is_file;
use crate::isa::Stage;
use std::ops::Range;

/// The mask of all four components.
const ALL: u8 = 15;

/// Returns programs that consist of these instructions only. A direct read of a temporary that no earlier one of these instructions writes becomes a
/// read of an input, and a temporary written by the last instruction becomes the output. One program keeps the write mask; if the mask is partial, a
/// second one has the full mask.
pub(in super::super) fn excerpts(program: &Program, words: Range<u32>) -> Vec<Program> {
    let Some(tokens) = program.tokens.get(words.start as usize..words.end as usize) else {
        return Vec::new();
    };
    let input = if program.stage == Stage::Fragment { File::Varying } else { File::Attribute };
    let mut written: Vec<u16> = Vec::new();
    let mut taken: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let mut token = *token;
        let source = |source: Source| {
            let kept = !is_file(source.file, File::Temporary) || written.contains(&source.number);
            if kept || source.indirect != 0 { source } else { Source { file: input as u8, ..source } }
        };
        token.a = source(token.a);
        if let SourceOrSampler::Source(b) = token.b {
            token.b = SourceOrSampler::Source(source(b));
        }
        if is_file(token.dest.file, File::Temporary) {
            written.push(token.dest.number);
        }
        taken.push(token);
    }
    let Some(last) = taken.last_mut() else { return Vec::new() };
    if !is_file(last.dest.file, File::Temporary) {
        return vec![Program { tokens: taken, ..*program }];
    }
    last.dest.file = File::Output as u8;
    last.dest.number = 0;
    let mask = last.dest.mask;
    let mut unmasked = taken.clone();
    if let Some(last) = unmasked.last_mut() {
        last.dest.mask = ALL;
    }
    let mut all = vec![Program { tokens: taken, ..*program }];
    if mask != ALL {
        all.push(Program { tokens: unmasked, ..*program });
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::isa::agal::Agal;
    use crate::isa::{Edits, Syntax};

    #[test]
    fn temporaries_from_outside_are_inputs_and_the_last_result_is_the_output() {
        let program =
            "version 1 vertex\nmov vt3, va0\nadd vt0.xy, vt3, vc1\nmul vt1, vt0.xyxy, vt3\nmov op, vt1\n";
        let program = Agal::assemble(program).unwrap();
        let texts = |words| -> Vec<String> {
            Agal::excerpts(&program, words).iter().map(Agal::disassemble).collect()
        };
        let expected = |lines: &str| format!("version 1 vertex\n{lines}\n");
        assert_eq!(texts(1..2), [expected("add op.xy, va3, vc1"), expected("add op, va3, vc1")]);
        assert_eq!(texts(1..3), [expected("add vt0.xy, va3, vc1\nmul op, vt0.xyxy, va3")]);
        assert_eq!(texts(3..4), [expected("mov op, va1")]);
        assert!(texts(4..5).is_empty() && texts(2..2).is_empty());
    }
}
