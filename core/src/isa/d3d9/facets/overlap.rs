//! The overlap facet: sources that read the destination register. All components of a source are read before any component of the result is written.

use super::super::opcode::{Kind, Opcode};
use super::super::program::{Dest, File, Instruction, Program, Relative, Source, Version};
use super::super::reads::is_scratch;
use super::super::validate::{RequiredKind, required_kind};
use super::kinds::{Role, number, result};
use super::operands::{W, permuted};
use super::site;
use crate::isa::facet::{Overlap, Site, Sited};

/// The overlap facet of this instruction set.
pub(super) struct Overlaps;

/// Returns the number of registers that source `k` reads: one per row for a matrix, otherwise 1.
fn rows(op: Opcode, k: usize) -> u16 {
    if k == 1 { op.rows().unwrap_or(1).into() } else { 1 }
}

/// Whether sources can read the destination's register file.
fn is_read(version: Version, dest: &Dest) -> bool {
    matches!(Role::of(version, dest.file), Some(Role::Temporary | Role::Texture))
}

/// Whether a source reads the destination register; false if the source or the destination is addressed relatively.
fn reads(version: Version, source: &Source, dest: &Dest, rows: u16) -> bool {
    let is_direct = !source.relative.is_relative() && !dest.relative.is_relative();
    is_direct
        && is_read(version, dest)
        && source.file == dest.file
        && (source.number..source.number.saturating_add(rows)).contains(&dest.number)
}

/// Returns source `k` and the destination, if the source is a number or coordinates and the instruction has a destination.
fn source(i: &Instruction, op: Opcode, version: Version, k: usize) -> Option<(&Source, &Dest)> {
    let source = i
        .sources
        .get(k)
        .filter(|_| !is_scratch(op, k) && required_kind(op, k, version.major) == RequiredKind::Float);
    Some((source?, i.dest.as_ref()?))
}

impl Overlap<Program> for Overlaps {
    fn sources(program: &Program, site: Site) -> [Option<bool>; 4] {
        std::array::from_fn(|k| {
            let (i, op) = site::at(program, site)?;
            let (source, dest) = source(i, op, program.version, k)?;
            Some(reads(program.version, source, dest, rows(op, k)))
        })
    }

    fn alias(program: &Program, site: Site, k: usize) -> Option<Sited<Program>> {
        let version = program.version;
        site::change(program, site, |i, op| {
            source(i, op, version, k)?;
            let (source, dest) = (i.sources.get_mut(k)?, i.dest.as_mut()?);
            if !is_read(version, dest) || dest.relative.is_relative() {
                (dest.file, dest.number) = (File::Temporary as u8, result(version));
                dest.relative = Relative::Direct;
            }
            (source.file, source.number) = (dest.file, dest.number);
            source.relative = Relative::Direct;
            // A matrix operand cannot be swizzled.
            if source.swizzle == Source::XYZW && rows(op, k) == 1 {
                // In arithmetic of early pixel shaders, the only swizzle is the replication of alpha.
                let only_alpha =
                    version.is_pixel() && version.major == 1 && op.row().kind == Kind::Arithmetic;
                let role = Role::of(version, source.file)?;
                source.swizzle = if only_alpha { W } else { permuted(op, version, role) };
            }
            Some(())
        })
    }

    fn separate(program: &Program, site: Site, k: usize) -> Option<Sited<Program>> {
        let version = program.version;
        site::change(program, site, |i, op| {
            let rows = rows(op, k);
            let (source, dest) = (i.sources.get_mut(k)?, i.dest.as_ref()?);
            let role = Role::of(version, source.file)?;
            let others = (0..4).map(|other| number(version, role, other));
            source.number = others
                .map(|number| Source { number, ..*source })
                .find(|other| !reads(version, other, dest, rows))?
                .number;
            Some(())
        })
    }
}
