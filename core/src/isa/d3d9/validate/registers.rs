//! Rules about the registers that operands may name.

use super::super::limits::{bound, software_count};
use super::super::names::printed_name;
use super::super::opcode::{Kind, Opcode};
use super::super::profile::{Profile, Profiles};
use super::super::program::{Dest, File, Instruction, Relative, Source, constant_number};
use super::super::reads::is_scratch;
use super::super::rules::Rule;
use super::Checker;

/// The kind of register that a source must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum RequiredKind {
    /// A numeric register of four floats.
    Float,
    Sampler,
    Label,
    Int,
    Loop,
    /// A Boolean constant or a predicate.
    Condition,
    Predicate,
}

pub(in super::super) fn required_kind(op: Opcode, source: usize, major: u8) -> RequiredKind {
    match (op, source) {
        (Opcode::Call | Opcode::Callnz | Opcode::Label, 0) => RequiredKind::Label,
        (Opcode::Callnz | Opcode::If, _) => RequiredKind::Condition,
        (Opcode::Loop, 0) => RequiredKind::Loop,
        (Opcode::Loop | Opcode::Rep, _) => RequiredKind::Int,
        (Opcode::Breakp, _) => RequiredKind::Predicate,
        (Opcode::Tex, 1) if major >= 2 => RequiredKind::Sampler,
        (Opcode::Texldd | Opcode::Texldl, 1) => RequiredKind::Sampler,
        _ => RequiredKind::Float,
    }
}

pub(super) fn check(c: &mut Checker<'_>, i: &Instruction, op: Opcode) {
    if let Some(dest) = &i.dest {
        c.report_if(Rule::OperandBits, !dest.has_documented_bits());
        destination(c, dest, op);
    }
    for (k, source) in i.sources.iter().enumerate() {
        c.report_if(Rule::OperandBits, !source.has_documented_bits());
        self::source(c, source, op, k);
    }
    if let (Some(rows), Some(b)) = (op.rows(), i.sources.get(1)) {
        let last = b.number.saturating_add(u16::from(rows) - 1);
        let most = |file| {
            let software = if c.software { software_count(c.profile, file) } else { 0 };
            bound(c.profile, file).maximum.max(software)
        };
        let most = File::from_number(b.file).map_or(0, most);
        let last = constant_number(b.file, b.number).map_or(last, |n| n + u16::from(rows) - 1);
        c.report_if(Rule::MatrixRange, !b.relative.is_relative() && b.number < most && last >= most);
    }
    if op == Opcode::Cnd && c.is_ps1_0_to_1_3() {
        let a = &i.sources[0];
        let alpha = a.is(File::Temporary) && a.number == 0 && a.swizzle == 0xff;
        c.report_if(Rule::OperandKind, !alpha);
    }
    if op == Opcode::Mov && !c.is_pixel() && i.dest.is_some_and(|d| d.is(File::Address)) {
        c.report_if(Rule::AddressMov, c.major() >= 2);
    }
}

/// Checks the number of a register against the limits of the version.
fn range(c: &mut Checker<'_>, file: File, number: u16) {
    let number = constant_number(file as u8, number).unwrap_or(number);
    let bound = bound(c.profile, file);
    let version = c.program.version;
    let name = || printed_name(version, file as u8, number);
    if number >= bound.maximum {
        let soft = number < software_count(c.profile, file);
        c.report_if_about(Rule::RangeSoftware, soft && !c.software, name);
        c.report_if_about(Rule::Range, !soft, name);
    } else if number >= bound.guaranteed {
        let rule = if file == File::Label { Rule::LabelRange } else { Rule::RangeCapability };
        c.report_if_about(rule, true, name);
    }
}

/// Whether a version has registers of this file.
fn exists(profile: Profile, file: File) -> bool {
    bound(profile, file).maximum > 0
}

fn destination(c: &mut Checker<'_>, dest: &Dest, op: Opcode) {
    let Some(file) = File::from_number(dest.file) else {
        c.report_if(Rule::WriteFile, true);
        return;
    };
    let constant = constant_number(dest.file, 0).is_some();
    let (pixel, major) = (c.is_pixel(), c.major());
    let texture = !matches!(op.row().kind, Kind::Arithmetic);
    let here = match op {
        Opcode::Def => constant,
        Opcode::Defi => file == File::Int,
        Opcode::Defb => file == File::Bool,
        Opcode::Dcl => {
            let legal = match file {
                File::Input => true,
                File::Sampler => pixel || major >= 3,
                File::CoordinateOut => !pixel && major >= 3,
                File::Address => c.is_ps2(),
                File::Misc => pixel && major >= 3,
                _ => false,
            };
            c.report_if(Rule::DclFile, !legal);
            if legal {
                range(c, file, dest.number);
            }
            c.report_if(Rule::RelativeFile, dest.relative.is_relative());
            return;
        }
        Opcode::Setp => file == File::Predicate,
        Opcode::Mova => file == File::Address && !pixel,
        // texkill reads its destination.
        Opcode::Texkill => match c.profile {
            p if Profiles::PS13.has(p) => file == File::Address,
            _ => matches!(file, File::Temporary | File::Address | File::Input),
        },
        Opcode::Texdepth => file == File::Temporary,
        _ => match file {
            File::Temporary => !(c.is_ps1_0_to_1_3() && texture),
            File::Address if pixel => c.is_ps1_0_to_1_3(),
            File::Address => {
                let mov = op == Opcode::Mov && (major >= 2 || dest.mask == 1);
                c.report_if(Rule::AddressWrite, !mov || c.profile == Profile::Vs10);
                if c.profile == Profile::Vs10 {
                    return;
                }
                true
            }
            File::Rasterizer | File::ColorOut => !pixel && major < 3,
            File::CoordinateOut => !pixel,
            File::PixelColor | File::PixelDepth => pixel && major >= 2,
            _ => false,
        },
    };
    let version = c.program.version;
    c.report_if_about(Rule::WriteFile, !here, || printed_name(version, dest.file, dest.number));
    if !here {
        return;
    }
    if !matches!(op, Opcode::Texkill) || exists(c.profile, file) {
        range(c, file, dest.number);
    } else {
        c.report_if(Rule::WriteFile, true);
    }
    if dest.relative.is_relative() {
        let legal = file == File::CoordinateOut && !pixel && major >= 3;
        c.report_if(Rule::RelativeFile, !legal);
        index(c, &dest.relative, file);
    }
}

fn source(c: &mut Checker<'_>, source: &Source, op: Opcode, k: usize) {
    let required_kind = required_kind(op, k, c.major());
    let Some(file) = File::from_number(source.file) else {
        c.report_if(Rule::ReadFile, true);
        return;
    };
    let constant = constant_number(source.file, 0).is_some();
    let dynamic = super::PREDICATES.has(c.profile);
    let kind = match required_kind {
        RequiredKind::Sampler => file == File::Sampler,
        RequiredKind::Label => file == File::Label,
        RequiredKind::Int => file == File::Int,
        RequiredKind::Loop => file == File::Loop,
        RequiredKind::Condition => file == File::Bool || file == File::Predicate && dynamic,
        RequiredKind::Predicate => file == File::Predicate,
        // The eye ray is a constant. All other sources are texture registers.
        RequiredKind::Float if c.is_ps1_0_to_1_3() && op.row().kind == Kind::Texture => {
            if k == 1 {
                constant
            } else {
                file == File::Address
            }
        }
        RequiredKind::Float if op == Opcode::Texcoord => file == File::Address,
        RequiredKind::Float => {
            matches!(file, File::Temporary | File::Input | File::Address | File::Misc) || constant
        }
    };
    c.report_if(Rule::OperandKind, !kind);
    if !kind {
        return;
    }
    let readable = match file {
        // a0 can only be an index, not an operand. t exists in pixel shaders before 3_0.
        File::Address => c.is_pixel() && c.major() < 3,
        _ => exists(c.profile, file),
    };
    let version = c.program.version;
    c.report_if_about(Rule::ReadFile, !readable, || printed_name(version, source.file, source.number));
    if !readable {
        return;
    }
    if is_scratch(op, k) {
        c.report_if(Rule::OperandKind, file != File::Temporary);
    }
    if !source.relative.is_relative() {
        range(c, file, source.number);
        return;
    }
    let is_sm3 = c.major() >= 3;
    let legal = match file {
        _ if constant => !c.is_pixel() && c.profile != Profile::Vs10,
        File::Input => is_sm3,
        _ => false,
    };
    c.report_if(Rule::RelativeFile, !legal);
    index(c, &source.relative, file);
}

fn index(c: &mut Checker<'_>, relative: &Relative, file: File) {
    let Some(by) = relative.index() else { return };
    let plain = by.number == 0 && by.zero13 == 0 && by.modifier == 0 && by.has_documented_bits();
    let address = by.file == File::Address as u8 && !c.is_pixel();
    let counter = by.file == File::Loop as u8 && exists(c.profile, File::Loop);
    let component = counter || super::super::program::is_replicated(by.swizzle);
    let good = plain && component && (address || counter);
    c.report_if(Rule::IndexRegister, !good);
    let unsure = matches!(file, File::Input | File::CoordinateOut) && address;
    c.report_if(Rule::IndexUnsure, good && unsure);
}
