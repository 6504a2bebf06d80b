//! Rules about the size of a program and the dependencies between texture reads.

use super::super::limits::limits;
use super::super::opcode::{Kind, Opcode};
use super::super::profile::Profile;
use super::super::program::{File, Instruction};
use super::super::rules::Rule;
use super::super::slots::{Slots, slots};
use super::Checker;

/// The maximum order of dependent reads (MS).
const MAX_DEPENDENT_READS: u8 = 3;
/// The texture type of a cube texture in dcl.
const CUBE: u8 = 3;

#[derive(Default)]
pub(super) struct Size {
    /// The slots used in the current phase.
    used: Slots,
    /// For each temporary: the length of the longest chain of texture reads that its value comes from. The first read of a chain is not dependent, so
    /// a chain has one dependent read fewer.
    chain_lengths: [u8; 32],
}

impl Size {
    pub(super) fn check(&mut self, c: &mut Checker<'_>, i: &Instruction, op: Opcode) {
        if op == Opcode::Phase {
            self.check_slots(c);
            self.used = Slots::default();
            return;
        }
        let sampler = i.sources.get(1).filter(|s| s.is(File::Sampler));
        let cube = sampler.is_some_and(|s| c.textures.get(s.number) == CUBE);
        let Slots { arithmetic, texture } = slots(i, op, c.profile, cube);
        self.used.arithmetic = self.used.arithmetic.saturating_add(arithmetic);
        self.used.texture = self.used.texture.saturating_add(texture);
        if c.is_ps2() {
            self.check_dependent_reads(c, i, op);
        }
    }

    fn check_dependent_reads(&mut self, c: &mut Checker<'_>, i: &Instruction, op: Opcode) {
        let chain_length = |s: &super::super::program::Source| {
            let temporary = s.is(File::Temporary).then(|| self.chain_lengths.get(usize::from(s.number)));
            temporary.flatten().copied().unwrap_or(0)
        };
        let texture = op.row().kind == Kind::Texture && op != Opcode::Texkill;
        let sources = i.sources.iter().map(chain_length).max().unwrap_or(0);
        c.report_if(
            Rule::DependentReads,
            texture && sources == MAX_DEPENDENT_READS + 1 && c.profile != Profile::Ps2sw,
        );
        let Some(dest) = i.dest.filter(|d| d.is(File::Temporary)) else { return };
        if let Some(kept) = self.chain_lengths.get_mut(usize::from(dest.number)) {
            let new = if texture { sources.saturating_add(1) } else { sources };
            *kept = if dest.mask == 15 { new } else { (*kept).max(new) };
        }
    }

    pub(super) fn finish(&self, c: &mut Checker<'_>) {
        self.check_slots(c);
    }

    /// Checks the slots used by a phase, or by the program, against the limits.
    fn check_slots(&self, c: &mut Checker<'_>) {
        let l = limits(c.profile);
        if l.slots.maximum == u16::MAX {
            return;
        }
        let (guaranteed, most) = (u32::from(l.slots.guaranteed), u32::from(l.slots.maximum));
        let Slots { arithmetic, texture } = self.used;
        let used = match l.texture_slots {
            Some(_) if c.profile != Profile::Ps10 => arithmetic,
            _ => arithmetic.saturating_add(texture),
        };
        c.report_if_about(Rule::Slots, used > most, || format!("{used}, at most {most}"));
        c.report_if_about(Rule::SlotsCapability, used <= most && used > guaranteed, || {
            format!("{used}, at most {guaranteed}")
        });
        let textures = l.texture_slots.map(u32::from).filter(|most| texture > *most);
        c.report_if_about(Rule::TextureSlots, textures.is_some(), || format!("{texture}"));
    }
}
