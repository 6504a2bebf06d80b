//! The lines of assembly text on which instructions are.

use super::Reported;
use lockstep_core::isa::{Context, Isa, IsaId, Options};
use lockstep_core::with_isa;
use std::collections::BTreeMap;

/// Adds to violations the lines of the text that their program was assembled from. A line is known where as many lines as instructions read
/// like the instruction; of others nothing is said.
pub fn place(found: &mut [Reported], isa: IsaId, text: &str) {
    if found.iter().any(|violation| violation.instruction.is_some()) {
        with_isa!(isa, I => place_of::<I>(found, text));
    }
}

fn place_of<I: Isa>(found: &mut [Reported], text: &str) {
    let Ok(program) = I::assemble(text) else { return };
    let options = Options::new(I::axes());
    let count = |entry| I::words(&Context { program: &program, entry: &entry, options: &options });
    let count = I::entries(&program).into_iter().map(count).max().unwrap_or(0);
    let mut lines: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        lines.entry(bare(line)).or_default().push(n as u32 + 1);
    }
    let mut instructions: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for at in 0..count {
        instructions.entry(bare(&I::disassemble_word(&program, at))).or_default().push(at);
    }
    for violation in found {
        let Some(at) = violation.instruction.filter(|at| *at < count) else { continue };
        let text = bare(&I::disassemble_word(&program, at));
        if let (Some(lines), Some(all)) = (lines.get(&text), instructions.get(&text))
            && lines.len() == all.len()
        {
            violation.line = all.iter().position(|other| *other == at).and_then(|k| lines.get(k)).copied();
        }
    }
}

/// A line without comments and in one spelling.
fn bare(line: &str) -> String {
    let code = line.split("//").next().unwrap_or_default().split('#').next().unwrap_or_default();
    let words: Vec<&str> = code.trim().trim_end_matches(';').split_whitespace().collect();
    words.join(" ").replace(", ", ",").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::legality::{Levels, violations};
    use lockstep_core::isa::agal::Agal;

    fn lines(text: &str) -> Vec<Option<u32>> {
        let case = Case::bare(IsaId::Agal, &Agal::encode(&Agal::assemble(text).expect("text")));
        let mut found = violations(&case, &Levels::default()).expect("a program");
        place(&mut found, IsaId::Agal, text);
        found.iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn a_violation_has_the_line_of_its_instruction_or_none() {
        // Reads of a register that nothing has written.
        let known = "version 1 vertex\n// vt1 is never written\nmov vt0, va0\nadd   vt0,vt1,vt0 // here\nmov op, vt0\n";
        assert_eq!(lines(known), [Some(4)]);
        // The same instruction twice: each has its own line.
        let twice = "version 1 vertex\nmov vt0, vt1\nmov vt0, vt2\nmov vt0, vt1\nmov op, vt0\n";
        assert_eq!(lines(twice), [Some(2), Some(3), Some(4)]);
        // Written in another way than we do.
        let other = "version 1 vertex\nmov vt0.xyzw, vt1.xyzw\nmov op, vt0\n";
        assert_eq!(lines(other), [None]);
    }
}
