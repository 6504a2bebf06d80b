//! Rules about ps_1_0 to ps_1_4, including those about co-issued instructions.

use super::super::opcode::{Kind, Opcode};
use super::super::profile::Profile;
use super::super::program::{Dest, File, Instruction, Program};
use super::super::reads::reads_coordinates;
use super::super::rules::Rule;
use super::Checker;

pub(super) struct Early {
    /// Whether the program has two phases.
    has_phases: bool,
    /// Whether the current phase already has an arithmetic instruction.
    has_arithmetic: bool,
    /// The number of `phase` instructions so far.
    phase_count: u32,
    cmp_count: u32,
    dp4_count: u32,
    bem_count: u32,
    /// The `texm3x2pad` or `texm3x3pad` instructions of an incomplete matrix product: destination, source, and the number of rows of the matrix.
    pads: Vec<(u16, u16, u8)>,
    /// The index of the last `texm3x2pad` or `texm3x3pad` instruction.
    last_pad: Option<u32>,
}

impl Early {
    pub(super) fn new(program: &Program) -> Early {
        Early {
            has_phases: program.instructions.iter().any(|i| i.op() == Some(Opcode::Phase)),
            has_arithmetic: false,
            phase_count: 0,
            cmp_count: 0,
            dp4_count: 0,
            bem_count: 0,
            pads: Vec::new(),
            last_pad: None,
        }
    }

    pub(super) fn check(&mut self, c: &mut Checker<'_>, at: usize, i: &Instruction, op: Opcode) {
        if !c.is_ps1() {
            return;
        }
        let kind = op.row().kind;
        if op == Opcode::Phase {
            self.phase_count += 1;
            c.report_if(Rule::PhaseTwice, self.phase_count > 1);
            self.has_arithmetic = false;
            return;
        }
        if i.coissue != 0 {
            pair(c, at, i, op);
        }
        c.report_if(Rule::TextureOrder, kind == Kind::Texture && self.has_arithmetic);
        let computes = kind == Kind::Arithmetic && op != Opcode::Nop;
        if computes {
            self.end_product(c);
        }
        self.has_arithmetic |= computes;
        let in_first_phase = c.profile == Profile::Ps14 && self.phase_count == 0 && self.has_phases;
        let reads = |file: File| i.sources.iter().any(|s| s.is(file));
        c.report_if(Rule::ColorInPhase, in_first_phase && reads(File::Input));
        let coordinates = matches!(op, Opcode::Tex | Opcode::Texcoord | Opcode::Texkill);
        c.report_if(
            Rule::CoordinatesRead,
            c.profile == Profile::Ps14 && reads(File::Address) && !coordinates,
        );
        self.check_counts(c, op, in_first_phase);
        if let Some(dest) = &i.dest {
            let r5 = dest.is(File::Temporary) && dest.number == 5;
            c.report_if(Rule::DepthRegister, op == Opcode::Texdepth && !r5);
            if c.is_ps1_0_to_1_3() && kind == Kind::Texture {
                self.check_stages(c, i, op, dest);
            }
        }
    }

    fn check_counts(&mut self, c: &mut Checker<'_>, op: Opcode, in_first_phase: bool) {
        let counted = matches!(c.profile, Profile::Ps12 | Profile::Ps13);
        match op {
            Opcode::Cmp => {
                self.cmp_count += 1;
                c.report_if(Rule::OpcodeCount, counted && self.cmp_count == 4);
            }
            Opcode::Dp4 => {
                self.dp4_count += 1;
                c.report_if(Rule::OpcodeCount, counted && self.dp4_count == 5);
            }
            Opcode::Bem => {
                self.bem_count += 1;
                c.report_if(Rule::OpcodeCount, self.bem_count == 2);
                // Without the `phase` token the whole program is the second phase.
                c.report_if(Rule::BumpPhase, !in_first_phase);
            }
            _ => {}
        }
    }

    /// Checks the order of stages, and the rows of matrix products.
    fn check_stages(&mut self, c: &mut Checker<'_>, i: &Instruction, op: Opcode, dest: &Dest) {
        use Opcode::*;
        let source = i.sources.first().filter(|s| s.is(File::Address)).map(|s| s.number);
        c.report_if(Rule::StageOrder, source.is_some_and(|s| s >= dest.number));
        let from = source.unwrap_or(u16::MAX);
        let (rows, last) = match op {
            Texm3x2pad => (2, false),
            Texm3x3pad => (3, false),
            Texm3x2tex | Texm3x2depth => (2, true),
            Texm3x3tex | Texm3x3spec | Texm3x3vspec | Texm3x3 => (3, true),
            _ => {
                // Another texture instruction between the rows makes the product incomplete.
                if !self.pads.is_empty() && reads_coordinates(op) {
                    c.report_if(Rule::RowsMissing, true);
                    self.pads.clear();
                }
                self.end_product(c);
                return;
            }
        };
        let done = self.pads.len();
        let follows = self
            .pads
            .last()
            .is_none_or(|(to, f, r)| to.checked_add(1) == Some(dest.number) && *f == from && *r == rows);
        let whole = done + 1 == usize::from(rows);
        c.report_if(Rule::RowsMissing, !follows || last != whole);
        if last || !follows {
            self.pads.clear();
        }
        if !last {
            self.pads.push((dest.number, from, rows));
            self.last_pad = c.word;
        }
    }

    pub(super) fn finish(&mut self, c: &mut Checker<'_>) {
        self.end_product(c);
    }

    /// Ends an incomplete matrix product and reports that its last row is missing.
    fn end_product(&mut self, c: &mut Checker<'_>) {
        c.report_if_at(self.last_pad, Rule::RowsAlone, !self.pads.is_empty());
        self.pads.clear();
    }
}

/// Checks a co-issued instruction together with the previous one.
fn pair(c: &mut Checker<'_>, at: usize, i: &Instruction, op: Opcode) {
    let before = at.checked_sub(1).and_then(|k| c.program.instructions.get(k));
    let first = before.and_then(|b| Some((b, b.op()?)));
    let Some((before, first)) = first else {
        c.report_if(Rule::CoissuePair, true);
        return;
    };
    let kinds = first.row().kind == Kind::Arithmetic && op.row().kind == Kind::Arithmetic;
    let colors = match (before.dest, i.dest) {
        _ if first == Opcode::Nop || op == Opcode::Nop => true,
        (Some(a), Some(b)) => {
            c.report_if(Rule::CoissueNumber, c.profile == Profile::Ps10 && a.number != b.number);
            // One of them writes only w, and the other does not write w.
            (a.mask == 8 && b.mask & 8 == 0) || (b.mask == 8 && a.mask & 8 == 0)
        }
        _ => false,
    };
    c.report_if(Rule::CoissuePair, !kinds || !colors || before.coissue != 0);
    let alone = |op: Opcode| matches!(op, Opcode::Dp4 | Opcode::Bem);
    let alpha_dp3 = |op: Opcode, dest: Option<Dest>| op == Opcode::Dp3 && dest.is_some_and(|d| d.mask == 8);
    let wrong = alone(first) || alone(op) || alpha_dp3(first, before.dest) || alpha_dp3(op, i.dest);
    c.report_if(Rule::CoissueOpcode, wrong);
}
