//! The facet `overlap`: the sources that read the written register. An instruction reads every component of its sources before it writes its result.

use super::context;
use super::operands::{PERMUTATIONS, is_swizzled};
use super::site::{at, source, with_token};
use crate::isa::agal::limits::count;
use crate::isa::agal::opcode::Opcode;
use crate::isa::agal::program::{Dest, File, Program, Source, SourceOrSampler, Token};
use crate::isa::agal::reads::rows;
use crate::isa::facet::{Overlap, Site, Sited};

/// The temporary that becomes the destination if the original destination is not a temporary.
const RESULT: u16 = 7;
/// Registers for sources that must not read the written register. The search for the second source starts at the second element. After registers 0
/// and 4 there is room for the rows of a matrix.
const OTHERS: [u16; 4] = [5, 6, 0, 4];

/// The accessors of AGAL for the facet `overlap`.
pub(super) struct Overlaps;

/// Whether a source reads the written temporary, directly or as a row of a matrix.
fn reads(source: &Source, dest: &Dest, op: Opcode, operand: usize) -> bool {
    let temporary = File::Temporary as u8;
    let numbers = source.number..source.number.saturating_add(rows(op, operand == 1));
    source.indirect == 0 && [source.file, dest.file] == [temporary; 2] && numbers.contains(&dest.number)
}

impl Overlap<Program> for Overlaps {
    fn sources(program: &Program, site: Site) -> [Option<bool>; 4] {
        std::array::from_fn(|operand| {
            let (token, _) = at(program, site).filter(|(_, op)| op.has_dest())?;
            let (source, op) = source(program, site, operand)?;
            Some(reads(source, &token.dest, op, operand))
        })
    }

    fn alias(program: &Program, site: Site, operand: usize) -> Option<Sited<Program>> {
        let (_, op) = source(program, site, operand)?;
        let temporary = File::Temporary as u8;
        let last =
            count(program.version, program.stage, File::Temporary).checked_sub(rows(op, operand == 1))?;
        let old_dest = at(program, site)?.0.dest;
        let (mut made, site) = with_token(program, site, |token| {
            if token.dest.file != temporary {
                token.dest = Dest { number: RESULT, file: temporary, ..token.dest };
            }
            // The rows of a matrix must not exceed the register file.
            let number = token.dest.number.min(last);
            let source = match (operand, &mut token.b) {
                (0, _) => &mut token.a,
                (_, SourceOrSampler::Source(b)) => b,
                (_, SourceOrSampler::Sampler(_)) => return,
            };
            source.read_directly();
            (source.file, source.number) = (temporary, number);
            if is_swizzled(op, operand) && source.swizzle == Source::XYZW {
                source.swizzle = PERMUTATIONS[operand & 1];
            }
        })?;
        if old_dest.file != temporary {
            // A mov copies the temporary to the original destination, because a program must write an output to be legal.
            let a = Source::register(File::Temporary, RESULT, Source::XYZW);
            made.tokens
                .insert(site.word as usize + 1, Token { dest: old_dest, a, ..context::bare(Opcode::Mov) });
        }
        Some((made, site))
    }

    fn separate(program: &Program, site: Site, operand: usize) -> Option<Sited<Program>> {
        let (token, op) = at(program, site)?;
        let (old, _) = source(program, site, operand)?;
        let others = OTHERS[operand & 1..].iter().map(|number| Source { number: *number, ..*old });
        let other = others.into_iter().find(|other| !reads(other, &token.dest, op, operand))?;
        super::site::with_source(program, site, operand, |source| *source = other)
    }
}
