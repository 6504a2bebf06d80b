//! Rules about the modifiers of results and sources.

use super::super::modifier::Allowed;
use super::super::opcode::{Kind, Opcode};
use super::super::profile::Profile;
use super::super::program::{Dest, File, Instruction, Modifier, Source};
use super::super::rules::Rule;
use super::super::word::{ResultModifier, Shift};
use super::Checker;
use super::registers::{RequiredKind, required_kind};

/// The uses of modifiers in the whole program, as far as rules limit them.
#[derive(Default)]
pub(super) struct ModifierUses {
    divisions: u32,
    abs_constants: bool,
    plain_constants: bool,
}

impl ModifierUses {
    pub(super) fn check(&mut self, c: &mut Checker<'_>, i: &Instruction, op: Opcode) {
        if let Some(dest) = &i.dest {
            result(c, dest, op);
        }
        for (k, s) in i.sources.iter().enumerate() {
            source(c, s, op, k);
            let modifier = Modifier::from_number(s.modifier);
            let abs = matches!(modifier, Some(Modifier::Abs | Modifier::AbsNeg));
            if s.constant().is_some() {
                self.abs_constants |= abs;
                self.plain_constants |= !abs;
            }
            if modifier == Some(Modifier::Dz) {
                self.divisions += 1;
                c.report_if(Rule::DivideTwice, self.divisions == 3);
            }
        }
    }

    pub(super) fn finish(&self, c: &mut Checker<'_>) {
        c.report_if(Rule::AbsConstants, self.abs_constants && self.plain_constants);
    }
}

fn result(c: &mut Checker<'_>, dest: &Dest, op: Opcode) {
    let kind = op.row().kind;
    let has = |modifier: ResultModifier| dest.modifier & modifier as u8 != 0;
    let [saturate, partial, centroid] = ResultModifier::ALL.map(has);
    let modern = c.is_pixel() && c.major() >= 2;
    c.report_if(
        Rule::ResultModifier,
        dest.modifier & !ResultModifier::ALL.iter().fold(0, |all, one| all | *one as u8) != 0,
    );
    if kind == Kind::Declaration {
        let pixel = modern && op == Opcode::Dcl;
        c.report_if(Rule::DclModifier, saturate || dest.shift != 0 || (partial || centroid) && !pixel);
        return;
    }
    if saturate {
        let function = matches!(op, Opcode::Frc | Opcode::Sincos);
        let output = dest.is(File::PixelColor) || dest.is(File::PixelDepth);
        let unsure = c.profile == Profile::Ps14 && op == Opcode::Texcoord;
        let legal = match (c.is_pixel(), c.major()) {
            (true, 1) => kind == Kind::Arithmetic || unsure,
            (true, 2) => kind == Kind::Arithmetic && !function && !output,
            (true, _) => kind == Kind::Arithmetic && !function,
            (false, 3) => op != Opcode::Texldl && !function,
            (false, _) => false,
        };
        c.report_if(Rule::Saturate, !legal);
        c.report_if(Rule::SaturateUnsure, unsure);
    }
    c.report_if(Rule::PartialPrecision, partial && !modern);
    if centroid {
        let texture = modern && kind == Kind::Texture;
        c.report_if(Rule::Centroid, !texture);
        c.report_if(Rule::CentroidUnsure, texture);
    }
    let shift = match Shift::from_number(dest.shift) {
        None => dest.shift == 0,
        Some(Shift::X2 | Shift::X4 | Shift::D2) => c.is_ps1() && kind == Kind::Arithmetic,
        Some(Shift::X8 | Shift::D8 | Shift::D4) => c.profile == Profile::Ps14 && kind == Kind::Arithmetic,
    };
    c.report_if(Rule::Shift, !shift);
}

fn source(c: &mut Checker<'_>, source: &Source, op: Opcode, k: usize) {
    let Some(modifier) = Modifier::from_number(source.modifier) else {
        c.report_if(Rule::SourceModifier, true);
        return;
    };
    if modifier == Modifier::None {
        return;
    }
    match required_kind(op, k, c.major()) {
        RequiredKind::Sampler => c.report_if(Rule::SamplerModifier, true),
        RequiredKind::Label | RequiredKind::Int | RequiredKind::Loop => {
            c.report_if(Rule::SourceModifier, true);
        }
        RequiredKind::Condition | RequiredKind::Predicate => {
            c.report_if(Rule::SourceModifier, modifier.row().allowed != Allowed::Condition);
            c.report_if(Rule::NotBool, source.is(File::Bool) && op != Opcode::Callnz);
        }
        RequiredKind::Float if op.rows().is_some() && k == 1 => c.report_if(Rule::MatrixRows, true),
        RequiredKind::Float => float(c, source, op, modifier),
    }
}

fn float(c: &mut Checker<'_>, source: &Source, op: Opcode, modifier: Modifier) {
    let texture = op.row().kind == Kind::Texture;
    if texture && c.is_ps2() {
        c.report_if(Rule::TextureSource, true);
        return;
    }
    let early = c.is_ps1();
    let arithmetic = early && !texture;
    let late = c.profile == Profile::Ps14;
    let legal = match modifier.row().allowed {
        Allowed::Everywhere => true,
        Allowed::NotEarlyTextures => !(early && texture),
        Allowed::Early if texture => modifier == Modifier::Bx2 && expands(c.profile, op),
        Allowed::Early => arithmetic,
        Allowed::Ps14Arithmetic => arithmetic && late,
        Allowed::Sm3 => c.major() >= 3,
        Allowed::Division => late && divides(source, op, modifier),
        Allowed::Condition => false,
    };
    c.report_if(Rule::SourceModifier, !legal);
    if early && source.constant().is_some() {
        c.report_if(Rule::ConstantModifier, late);
        c.report_if(Rule::ConstantUndefined, !late);
    }
}

/// Whether this modifier is a division of ps_1_4 that is legal on this source.
fn divides(source: &Source, op: Opcode, modifier: Modifier) -> bool {
    match modifier {
        Modifier::Dz => op == Opcode::Tex && source.is(File::Temporary),
        // The swizzle must select x, y and w.
        Modifier::Dw => {
            let selects = [0, 1, 2].map(|component| source.component(component)) == [0, 1, 3];
            matches!(op, Opcode::Tex | Opcode::Texcoord) && source.is(File::Address) && selects
        }
        _ => false,
    }
}

/// Whether a texture instruction before ps_1_4 allows `_bx2`.
fn expands(profile: Profile, op: Opcode) -> bool {
    use Opcode::*;
    let product = matches!(
        op,
        Texm3x2pad
            | Texm3x2tex
            | Texm3x2depth
            | Texm3x3pad
            | Texm3x3tex
            | Texm3x3spec
            | Texm3x3vspec
            | Texm3x3
    );
    match profile {
        Profile::Ps10 | Profile::Ps11 => product,
        Profile::Ps12 | Profile::Ps13 => !matches!(op, Texreg2ar | Texreg2gb | Texbem | Texbeml),
        _ => false,
    }
}
