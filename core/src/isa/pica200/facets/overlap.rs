//! The overlap facet: sources that read the destination register. All components of a source are read before any component of the result is written.

use super::super::program::{Descriptor, Program, Register, Target};
use super::super::word::{Index, fields};
use super::operands::{PERMUTED, TEMPORARIES, describe, is_scalar, source};
use super::results::RESULT;
use super::site::{described, with_instruction};
use crate::isa::facet::{Overlap, Site, Sited};

/// The overlap facet of this instruction set.
pub(super) struct Overlaps;

impl Overlap<Program> for Overlaps {
    fn sources(program: &Program, site: Site) -> [Option<bool>; 4] {
        std::array::from_fn(|n| {
            let target = described(program, site)?.1.dst()?;
            let register = source(program, site, n)?.1.register;
            Some(
                matches!((target, register), (Target::Temporary(to), Register::Temporary(from)) if to == from),
            )
        })
    }

    fn alias(program: &Program, site: Site, n: usize) -> Option<Sited<Program>> {
        let (op, source) = source(program, site, n)?;
        let (_, instruction, _) = described(program, site)?;
        let target = match instruction.dst()? {
            Target::Output(_) => RESULT,
            temporary @ Target::Temporary(_) => temporary,
        };
        let mut instruction = instruction.with_field(fields::DST, target.number().into());
        // A temporary has the same number as a destination and as a source.
        instruction = instruction.with_source(n, target.number());
        if op.wide() == Some(n) {
            instruction = instruction.with_field(fields::IDX, Index::None as u32);
        }
        let (made, site) = with_instruction(program, site, instruction)?;
        if is_scalar(op) || source.select != Descriptor::XYZW {
            return Some((made, site));
        }
        describe(&made, site, n, source.negate, PERMUTED[n])
    }

    fn separate(program: &Program, site: Site, n: usize) -> Option<Sited<Program>> {
        let (_, instruction, _) = described(program, site)?;
        let number = instruction.dst()?.number();
        let other = TEMPORARIES.into_iter().cycle().skip(n).take(TEMPORARIES.len());
        let other = other.map(Register::number).find(|other| *other != number)?;
        with_instruction(program, site, instruction.with_source(n, other))
    }
}
