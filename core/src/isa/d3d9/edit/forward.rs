//! Replaces reads of a result by reads of an operand of the instruction that computes it, for minimisation.

use super::super::program::{Dest, File, Instruction, Program, Relative, Source, Version};
use super::super::reads::{is_scratch, reads_destination};
use super::super::word::MAX_LENGTH;
use super::redirect::destination;
use crate::isa::edit::distinct_changes;

/// Returns the programs in which instruction `to` reads a source of instruction `from` instead of the register that `from` writes, and keeps its own
/// swizzles and modifiers. Empty if one of the two does not exist, if `from` writes no register or a relative one, or if nothing would change.
pub fn forwarded(program: &Program, from: u32, to: u32) -> Vec<Program> {
    let (version, all) = (program.version, &program.instructions);
    let (Some(writer), Some(reader)) = (all.get(from as usize), all.get(to as usize)) else {
        return Vec::new();
    };
    let Some(written) = destination(writer).filter(|dest| !dest.relative.is_relative()) else {
        return Vec::new();
    };
    // A relative operand without the word of its index can only end a truncated instruction.
    let is_whole = |source: &&Source| !version.has_lengths() || source.relative != Relative::Implied;
    let fits = |reader: &Instruction| !version.has_lengths() || reader.length() <= MAX_LENGTH;
    let sources = writer.sources.iter().enumerate().filter(|(k, _)| reads_source(writer, *k));
    let sources = sources.map(|(_, source)| source).filter(|source| !source.is(File::Sampler));
    let readers = sources.filter(is_whole).map(|source| reading(reader, version, &written, source));
    let edited = |reader| {
        let mut edited = program.clone();
        edited.instructions[to as usize] = reader;
        edited
    };
    distinct_changes(reader, readers.filter(fits)).into_iter().map(edited).collect()
}

/// Whether an instruction reads its source `k`.
fn reads_source(i: &Instruction, k: usize) -> bool {
    i.op().is_some_and(|op| !is_scratch(op, k))
}

/// Returns an instruction whose direct reads of the register `written` are replaced by reads of the register of `source`.
fn reading(reader: &Instruction, version: Version, written: &Dest, source: &Source) -> Instruction {
    let Source { number, file, relative, .. } = *source;
    let is_written =
        |operand: (u16, u8, Relative)| operand == (written.number, written.file, Relative::Direct);
    let mut changed = reader.clone();
    for (k, own) in changed.sources.iter_mut().enumerate() {
        if reads_source(reader, k) && is_written((own.number, own.file, own.relative)) {
            *own = Source { number, file, relative, ..*own };
        }
    }
    if let Some(own) = &mut changed.dest
        && reader.op().is_some_and(|op| reads_destination(op, version))
        && is_written((own.number, own.file, own.relative))
    {
        *own = Dest { number, file, relative, ..*own };
    }
    changed
}

#[cfg(test)]
mod tests {
    use crate::isa::d3d9::D3d9;
    use crate::isa::{Edits, Syntax};

    #[test]
    fn a_read_of_a_result_becomes_a_read_of_its_operand() {
        let read = |second: &str| {
            let text = format!("vs_3_0\ndcl_position v0\nadd r0, v0, c[a0.x + 3]\n{second}\nmov o0, r1\n");
            D3d9::assemble(&text).unwrap()
        };
        let program = read("mul_sat r1.xy, -r0.zzyx, r0");
        let forwarded =
            ["mul_sat r1.xy, -v0.zzyx, v0", "mul_sat r1.xy, -c[a0.x + 3].zzyx, c[a0.x + 3]"].map(read);
        assert_eq!(D3d9::forwarded(&program, 1, 2), forwarded);
        // A declaration writes nothing. The other register is not read, or there is no such instruction.
        for (from, to) in [(0, 1), (1, 0), (1, 3), (2, 1), (1, 4), (4, 1)] {
            assert!(D3d9::forwarded(&program, from, to).is_empty(), "{from} {to}");
        }
        // texkill reads its destination. The sampler of a texture read is no source.
        let read = |[kill, last]: [&str; 2]| {
            let text =
                format!("ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\ntexkill {kill}\nmov oC0, {last}\n");
            D3d9::assemble(&text).unwrap()
        };
        let program = read(["r0", "r0"]);
        assert_eq!(D3d9::forwarded(&program, 2, 3), [read(["t0", "r0"])]);
        assert_eq!(D3d9::forwarded(&program, 2, 4), [read(["r0", "t0"])]);
        assert!(D3d9::forwarded(&program, 3, 4).is_empty());
    }

    #[test]
    fn scratch_registers_are_not_read() {
        let read = |lines: [&str; 2]| {
            D3d9::assemble(&format!("vs_2_0\ndcl_position v0\nmov r2, v0\n{}\n", lines.join("\n"))).unwrap()
        };
        let program = read(["sgn r0, c0, r2, r3", "mov oPos, r0"]);
        assert_eq!(D3d9::forwarded(&program, 2, 3), [read(["sgn r0, c0, r2, r3", "mov oPos, c0"])]);
        assert!(D3d9::forwarded(&program, 1, 2).is_empty());
    }
}
