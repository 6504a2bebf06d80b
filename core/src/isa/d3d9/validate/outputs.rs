//! Rules about writes of outputs, and about the outputs that a program has written at its end.

use super::super::interface::writes;
use super::super::opcode::Opcode;
use super::super::program::{File, Instruction};
use super::super::rules::Rule;
use super::Checker;
use super::declared::{Declared, POINT_SIZE, POSITION};
use std::collections::BTreeMap;

/// The components of each output that have been written.
#[derive(Default)]
pub(super) struct Outputs {
    position: u8,
    coordinates: [u8; 16],
    colors: [u8; 4],
    depth: u32,
    /// The components of r0 that have been written, for ps_1_x.
    result: u8,
    /// The components of a vertex shader's outputs that have been written, by register file and number.
    written: BTreeMap<(u8, u16), u8>,
}

impl Outputs {
    pub(super) fn check(&mut self, c: &mut Checker<'_>, i: &Instruction, op: Opcode, inside: bool) {
        let Some(dest) = i.dest.filter(|_| writes(op)) else { return };
        let (at, mask) = (usize::from(dest.number), dest.mask);
        let is_ps2 = c.is_ps2();
        self.check_repeated_write(c, i, inside);
        match File::from_number(dest.file) {
            Some(File::Temporary) if at == 0 => self.result |= mask,
            Some(File::Rasterizer) if at == 0 => self.position |= mask,
            Some(File::CoordinateOut) if dest.relative.is_relative() => self.coordinates = [15; 16],
            Some(File::CoordinateOut) => {
                if let Some(written) = self.coordinates.get_mut(at) {
                    *written |= mask;
                }
            }
            Some(File::PixelColor) => {
                if let Some(written) = self.colors.get_mut(at) {
                    c.report_if(Rule::ColorTwice, is_ps2 && *written != 0);
                    *written |= mask;
                }
                c.report_if(Rule::OutputInFlow, inside || i.predicate.is_some());
            }
            Some(File::PixelDepth) => {
                c.report_if(Rule::ColorTwice, is_ps2 && self.depth != 0);
                self.depth += 1;
                c.report_if(Rule::OutputInFlow, inside || i.predicate.is_some());
            }
            _ => {}
        }
    }

    /// Checks for a repeated write of a vertex shader's output. A conditional write may replace the previous one on purpose, so it is allowed.
    fn check_repeated_write(&mut self, c: &mut Checker<'_>, i: &Instruction, inside: bool) {
        let Some(dest) = i.dest.filter(|dest| !c.is_pixel() && !dest.relative.is_relative()) else { return };
        let file = File::from_number(dest.file);
        if matches!(file, Some(File::Rasterizer | File::ColorOut | File::CoordinateOut)) {
            let written = self.written.entry((dest.file, dest.number)).or_default();
            let repeated = *written & dest.mask != 0 && !inside && i.predicate.is_none();
            *written |= dest.mask;
            c.report_if(Rule::OutputAgain, repeated);
        }
    }

    pub(super) fn finish(&self, c: &mut Checker<'_>, declared: &Declared) {
        match (c.is_pixel(), c.major()) {
            (true, 1) => c.report_if(Rule::NoColor, self.result != 15),
            (true, 2) => {
                c.report_if(Rule::NoColor, self.colors[0] != 15);
                c.report_if(Rule::CoordinateGap, gap(&self.colors));
            }
            (true, _) => {}
            (false, 3..) => self.linkage(c, declared),
            (false, _) => {
                c.report_if(Rule::Position, self.position != 15);
                // x, xy, xyz, xyzw: contiguous bits from the lowest one.
                let packed = |mask: u8| mask & mask.wrapping_add(1) == 0;
                c.report_if(Rule::CoordinateMask, !self.coordinates.iter().all(|m| packed(*m)));
                c.report_if(Rule::CoordinateGap, gap(&self.coordinates));
            }
        }
    }

    /// Checks rules about the outputs of vs_3_0, whose meaning comes from their declarations.
    fn linkage(&self, c: &mut Checker<'_>, declared: &Declared) {
        let mut sized = false;
        let mut position = None;
        for (at, usage) in declared.usages.iter().enumerate() {
            match usage {
                Some((POSITION, 0)) => position = Some(at),
                Some((POINT_SIZE, _)) => sized = true,
                _ => {}
            }
        }
        let whole = position.is_some_and(|at| declared.outputs[at] == 15);
        c.report_if(Rule::NoPosition, !whole);
        c.report_if(Rule::Position, position.is_some_and(|at| self.coordinates[at] != 15));
        let count = declared.usages.iter().flatten().count();
        c.report_if(Rule::OutputCount, !c.profile.software() && !sized && count > 11);
    }
}

/// Whether an unwritten register comes before a written one.
fn gap(written: &[u8]) -> bool {
    let used = written.iter().filter(|m| **m != 0).count();
    written[..used].contains(&0)
}
