//! Rules about swizzles, write masks, and operands that must differ.

use super::super::opcode::{Kind, Mask, Opcode, SourceComponents};
use super::super::profile::Profile;
use super::super::program::{Dest, File, Instruction, Modifier, Source};
use super::super::rules::Rule;
use super::Checker;
use super::registers::{RequiredKind, required_kind};

/// The swizzles that ps_2_0 has in addition to the identity and single components: yzxw, zxyw, wzyx.
const PS2_SWIZZLES: [u8; 3] = [0xc9, 0xd2, 0x1b];

pub(super) fn check(c: &mut Checker<'_>, i: &Instruction, op: Opcode) {
    if op.row().kind != Kind::Declaration
        && let Some(dest) = &i.dest
    {
        mask(c, i, dest, op);
        output(c, i, dest, op);
        pairs(c, i, dest, op);
    }
    let mask = i.dest.map_or(15, |d| d.mask);
    for (k, source) in i.sources.iter().enumerate() {
        swizzle(c, source, op, k, mask);
        scalar(c, source, op, k);
    }
}

fn swizzle(c: &mut Checker<'_>, source: &Source, op: Opcode, k: usize, mask: u8) {
    let identity = source.swizzle == Source::XYZW;
    let replicated = source.is_replicated();
    let texture = op.row().kind == Kind::Texture;
    match required_kind(op, k, c.major()) {
        // The swizzle of a label, an integer constant or aL has no effect.
        RequiredKind::Label | RequiredKind::Int | RequiredKind::Loop => return,
        RequiredKind::Condition | RequiredKind::Predicate => {
            c.report_if(Rule::Swizzle, source.is(File::Predicate) && !replicated);
            return;
        }
        RequiredKind::Sampler => {
            c.report_if(Rule::TextureSource, c.is_ps2() && !identity);
            return;
        }
        RequiredKind::Float => {}
    }
    if op.rows().is_some() && k == 1 {
        c.report_if(Rule::MatrixRows, !identity);
        return;
    }
    c.report_if(Rule::CrossSwizzle, op == Opcode::Crs && !identity);
    if texture && c.is_ps2() && op != Opcode::Texldd {
        c.report_if(Rule::TextureSource, !identity);
        return;
    }
    let legal = match c.profile {
        p if !p.is_pixel() || p.major() >= 3 => true,
        // The fourth component of the coordinates is ignored.
        Profile::Ps14 if texture => {
            let first = [0, 1, 2].map(|component| source.component(component));
            first == [0, 1, 2] || first == [0, 1, 3] && source.is(File::Address)
        }
        Profile::Ps14 => identity || replicated,
        p if p.major() == 1 => {
            identity || !texture && (source.swizzle == 0xff || source.swizzle == 0xaa && mask == 8)
        }
        _ => identity || replicated || PS2_SWIZZLES.contains(&source.swizzle),
    };
    let capability = matches!(c.profile, Profile::Ps2x | Profile::Ps2sw);
    c.report_if(Rule::SwizzleCapability, !legal && c.profile == Profile::Ps2x);
    c.report_if(Rule::Swizzle, !legal && !capability);
}

fn scalar(c: &mut Checker<'_>, source: &Source, op: Opcode, k: usize) {
    if source.is_replicated() {
        return;
    }
    let scalar = match op.row().sources_read {
        SourceComponents::Scalar if op == Opcode::Sincos => k == 0,
        SourceComponents::Scalar => true,
        SourceComponents::Dp2Add => k == 2,
        _ => false,
    };
    c.report_if(Rule::CompareScalar, scalar && op.compares());
    c.report_if(Rule::NotScalar, scalar && !op.compares());
}

fn mask(c: &mut Checker<'_>, i: &Instruction, dest: &Dest, op: Opcode) {
    let mask = dest.mask;
    c.report_if(Rule::MaskEmpty, mask == 0);
    if mask == 0 {
        return;
    }
    let fits = match op.row().mask {
        Mask::Any | Mask::None | Mask::Vector => true,
        Mask::Exactly(m) => mask == m,
        Mask::Within(m) => mask & !m == 0,
        Mask::SineCosine => mask <= 3,
    };
    c.report_if(Rule::Mask, !fits);
    c.report_if(Rule::MaskUnsure, op.row().mask == Mask::Vector && !matches!(mask, 7 | 15));
    if op == Opcode::Frc && !c.is_pixel() && c.major() == 1 {
        c.report_if(Rule::MaskUnsure, mask == 1);
        c.report_if(Rule::Mask, !matches!(mask, 1..=3));
    }
    let texture = op.row().kind == Kind::Texture;
    let version = match c.profile {
        Profile::Ps14 if op == Opcode::Texcoord => {
            let divided = i.sources[0].modifier == Modifier::Dw as u8;
            if divided { mask == 3 } else { mask == 7 }
        }
        _ if !c.is_ps1_0_to_1_3() => true,
        _ if texture => mask == 15,
        _ if op == Opcode::Dp3 => matches!(mask, 7 | 15),
        _ => matches!(mask, 7 | 8 | 15),
    };
    c.report_if(Rule::MaskVersion, !version);
    if op == Opcode::Texkill && c.major() >= 2 {
        let file = dest.is(File::Temporary) || dest.is(File::Address);
        c.report_if(Rule::KillOperand, mask != 15 || !file);
    } else if texture && c.is_ps2() {
        // texldd accepts every mask.
        let whole = mask == 15 || op == Opcode::Texldd;
        c.report_if(Rule::TextureDest, !whole || !dest.is(File::Temporary));
    }
}

/// Checks the rules that each write of an output has to obey by itself.
fn output(c: &mut Checker<'_>, i: &Instruction, dest: &Dest, op: Opcode) {
    let single = dest.mask.is_power_of_two();
    let rasterizer = dest.is(File::Rasterizer) && matches!(dest.number, 1 | 2);
    c.report_if(Rule::PointSize, rasterizer && !single);
    let (color, depth) = (dest.is(File::PixelColor), dest.is(File::PixelDepth));
    if !c.is_ps2() || !(color || depth) {
        return;
    }
    let plain = op == Opcode::Mov && dest.modifier & !2 == 0 && i.sources[0].modifier == 0;
    let components = i.sources.first().is_some_and(|s| {
        if color { dest.mask == 15 && s.swizzle == Source::XYZW } else { s.is_replicated() }
    });
    c.report_if(Rule::ColorMov, !plain || !components);
}

/// Checks the rules about operands that must be different registers, or registers of one kind.
fn pairs(c: &mut Checker<'_>, i: &Instruction, dest: &Dest, op: Opcode) {
    let same = |s: &Source| s.file == dest.file && s.number == dest.number && !s.relative.is_relative();
    let same = |k: usize| i.sources.get(k).is_some_and(same);
    let counted = matches!(c.profile, Profile::Ps12 | Profile::Ps13);
    let broken = match op {
        _ if op.rows().is_some() => same(0),
        Opcode::Crs => same(0) || same(1),
        Opcode::Nrm => same(0),
        Opcode::Pow => same(1),
        Opcode::Cmp if counted => same(0) || same(1) || same(2),
        _ => false,
    };
    c.report_if(Rule::DestSource, broken);
    let temporary = matches!(op, Opcode::Crs | Opcode::Nrm | Opcode::Pow | Opcode::Sincos);
    c.report_if(Rule::DestFile, temporary && !dest.is(File::Temporary));
    if let (Opcode::Sincos | Opcode::Sgn, [_, a, b]) = (op, &i.sources[..]) {
        let kind = op == Opcode::Sgn || a.constant().is_some() && b.constant().is_some();
        c.report_if(Rule::MacroConstants, !kind || (a.file, a.number) == (b.file, b.number));
    }
}
