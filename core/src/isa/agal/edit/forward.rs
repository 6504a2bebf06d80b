//! Replaces reads of a result by reads of an operand of the instruction that computes it, for minimisation.

use super::super::opcode::Opcode;
use super::super::program::{Dest, Program, Source, SourceOrSampler, Token};
use super::redirect::destination;
use crate::isa::edit::distinct_changes;

/// Returns the programs in which instruction `to` reads a source of instruction `from` instead of the register that `from` writes, and keeps its own
/// swizzle. Empty if one of the two does not exist, if `from` writes no register, or if nothing would change.
pub(in super::super) fn forwarded(program: &Program, from: u32, to: u32) -> Vec<Program> {
    let token = |at: u32| program.tokens.get(at as usize);
    let (Some(writer), Some(reader)) = (token(from), token(to)) else { return Vec::new() };
    let Some(written) = destination(writer) else { return Vec::new() };
    let readers = writer.sources().map(|source| reading(reader, written, source));
    let edited = |reader| {
        let mut edited = program.clone();
        edited.tokens[to as usize] = reader;
        edited
    };
    distinct_changes(reader, readers).into_iter().map(edited).collect()
}

/// Returns a token whose direct reads of the register `written` are replaced by reads of the register of `source`.
fn reading(reader: &Token, written: Dest, source: &Source) -> Token {
    let Source { number, offset, file, index_file, index_component, indirect, .. } = *source;
    let replaced = |own: Source| {
        if own.indirect != 0 || (own.file, own.number) != (written.file, written.number) {
            return own;
        }
        Source { number, offset, file, index_file, index_component, indirect, ..own }
    };
    let count = reader.op().map_or(0, Opcode::sources);
    let a = if count > 0 { replaced(reader.a) } else { reader.a };
    let b = match reader.b {
        SourceOrSampler::Source(b) if count > 1 => SourceOrSampler::Source(replaced(b)),
        b => b,
    };
    Token { a, b, ..*reader }
}

#[cfg(test)]
mod tests {
    use crate::isa::agal::Agal;
    use crate::isa::{Edits, Syntax};

    #[test]
    fn a_read_of_a_result_becomes_a_read_of_its_operand() {
        let read = |second: &str| {
            Agal::assemble(&format!(
                "version 1 vertex\nadd vt0, va1.yyyy, vc[va0.x+2]\n{second}\nmov op, vt1\n"
            ))
            .unwrap()
        };
        let program = read("mul vt1.xy, vt0.zzyx, vt0");
        let forwarded = ["mul vt1.xy, va1.zzyx, va1", "mul vt1.xy, vc[va0.x+2].zzyx, vc[va0.x+2]"].map(read);
        assert_eq!(Agal::forwarded(&program, 0, 1), forwarded);
        // The other register is not read, no register is written, or there is no such instruction.
        for (from, to) in [(0, 2), (1, 0), (2, 1), (0, 3), (3, 0)] {
            assert!(Agal::forwarded(&program, from, to).is_empty(), "{from} {to}");
        }
        // Both sources are the same register, which is also the one that is read.
        let own = read("mul vt1, vt1, vt1.yyyy");
        assert!(Agal::forwarded(&own, 1, 2).is_empty());
        // The sampler of a texture read is no source.
        let read = |second: &str, last: &str| {
            let text = format!("version 1 fragment\nmov ft0, v0\n{second}, fs0 <2d>\n{last}\n");
            Agal::assemble(&text).unwrap()
        };
        let program = read("tex ft1, ft0", "mov oc, ft1");
        assert_eq!(Agal::forwarded(&program, 0, 1), [read("tex ft1, v0", "mov oc, ft1")]);
        assert_eq!(Agal::forwarded(&program, 1, 2), [read("tex ft1, ft0", "mov oc, ft0")]);
    }
}
