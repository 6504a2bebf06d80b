//! Context programs: for each opcode and version, a small legal program that contains the opcode.

use super::super::opcode::{Kind, Mask, Opcode, Operands, SourceComponents, TABLE};
use super::super::profile::Profile;
use super::super::program::{Comparison, Dest, File, Instruction, Program, Source, Usage, Version};
use super::super::reads::has_texture_registers;
use super::super::validate::{RequiredKind, required_kind};
use super::super::word::{TextureType, UsageName};
use super::kinds::{Role, number, result};
use crate::binary::exact;
use crate::isa::facet::{Site, Sited};

/// The number of the register that texdepth reads.
const DEPTH: u16 = 5;
/// Swizzles that replicate one component.
const X: u8 = 0;
const W: u8 = 0xff;

/// Returns the context programs of an opcode, one for each version that has it, in the order of [`Profile`].
pub(super) fn of(opcode: &'static str) -> Vec<Sited<Program>> {
    let rows = TABLE.iter().filter(|row| row.mnemonic == opcode);
    let all = rows.flat_map(|row| Profile::ALL.iter().map(move |profile| (row, *profile)));
    all.filter(|(row, profile)| row.versions.has(*profile))
        .filter_map(|(row, profile)| context(row.opcode, profile.version()))
        .collect()
}

fn context(op: Opcode, version: Version) -> Option<Sited<Program>> {
    let i = instruction(op, version)?;
    let (mut instructions, after) = surrounding_instructions(&i, op, version)?;
    let word = exact::<u32, _>(instructions.len());
    instructions.push(i);
    instructions.extend(after);
    Some((Program { version, instructions, comments: Vec::new(), tail: Vec::new() }, Site { word, unit: 0 }))
}

/// Returns an instruction that has only sources.
fn bare(op: Opcode, sources: &[Source]) -> Instruction {
    let mut i = Instruction::new(op);
    i.sources.extend(sources.iter().copied());
    i
}

/// Returns the declaration of a sampler.
pub(super) fn sampler(register: u16, texture: TextureType) -> Instruction {
    let mut i = Instruction::new(Opcode::Dcl);
    i.usage = Some(Usage::of_texture(texture as u8));
    i.dest = Some(Dest::register(File::Sampler, register, 15));
    i
}

/// Returns the instructions before and after `i` in its context program.
fn surrounding_instructions(
    i: &Instruction,
    op: Opcode,
    version: Version,
) -> Option<(Vec<Instruction>, Vec<Instruction>)> {
    use Opcode::*;
    let register = |file| Source::register(file, 0, Source::XYZW);
    let (truth, int) = (register(File::Bool), register(File::Int));
    let pad = |op: Opcode, stage: u16| {
        let mut i = bare(op, &[register(File::Address)]);
        i.dest = Some(Dest::register(File::Address, stage, 15));
        i
    };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    if i.sources.iter().any(|source| source.is(File::Sampler)) {
        before.push(sampler(0, TextureType::Plane));
    }
    match op {
        If | Ifc => after.push(bare(Endif, &[])),
        Else => {
            before.push(bare(If, &[truth]));
            after.push(bare(Endif, &[]));
        }
        Endif => before.push(bare(If, &[truth])),
        Rep => after.push(bare(Endrep, &[])),
        Endrep => before.push(bare(Rep, &[int])),
        Loop => after.push(bare(Endloop, &[])),
        Endloop => before.push(bare(Loop, &[register(File::Loop), int])),
        Break | Breakc | Breakp => {
            before.push(bare(Rep, &[int]));
            after.push(bare(Endrep, &[]));
        }
        Call | Callnz => {
            after.extend([bare(Ret, &[]), bare(Label, &[register(File::Label)]), bare(Ret, &[])]);
        }
        Label => {
            before.push(bare(Ret, &[]));
            after.push(bare(Ret, &[]));
        }
        Texm3x2tex | Texm3x2depth => before.push(pad(Texm3x2pad, 1)),
        Texm3x3tex | Texm3x3spec | Texm3x3vspec | Texm3x3 => {
            before.extend([pad(Texm3x3pad, 1), pad(Texm3x3pad, 2)]);
        }
        // An instruction without an observable effect is followed by one that has an effect.
        Nop | Phase | Dcl | Def | Defi | Defb => after.push(instruction(Mov, version)?),
        _ => {}
    }
    Some((before, after))
}

/// Returns an instruction with default operands.
fn instruction(op: Opcode, version: Version) -> Option<Instruction> {
    let Operands { usage, dest, sources, immediates } = op.operands(version)?;
    let mut i = Instruction::new(op);
    if op.compares() {
        i.control = Comparison::Gt as u8;
    }
    if usage {
        i.usage = Some(Usage::of(UsageName::TexCoord as u8, 1));
    }
    if dest {
        i.dest = Some(destination(op, version));
    }
    i.sources.extend((0..usize::from(sources)).map(|k| source(op, k, version)));
    i.immediates.extend((1..=immediates).map(u32::from));
    Some(i)
}

fn destination(op: Opcode, version: Version) -> Dest {
    use Opcode::*;
    let mask = match op.row().mask {
        Mask::Exactly(mask) | Mask::Within(mask) => mask,
        Mask::SineCosine => 3,
        Mask::Vector => 7,
        _ if op == Frc && version.major == 1 => 3,
        _ if op == Texcoord && !has_texture_registers(version) => 7,
        _ => 15,
    };
    let stage = match op {
        Texm3x2tex | Texm3x2depth => 2,
        Texm3x3tex | Texm3x3spec | Texm3x3vspec | Texm3x3 => 3,
        _ => 1,
    };
    let (file, number) = match op {
        Dcl => (File::Input, 1),
        Def => (File::Constant, 1),
        Defi => (File::Int, 1),
        Defb => (File::Bool, 1),
        Setp => (File::Predicate, 0),
        Mova => (File::Address, 0),
        Texdepth => (File::Temporary, DEPTH),
        _ if op.row().kind == Kind::Texture && has_texture_registers(version) => (File::Address, stage),
        _ => (File::Temporary, result(version)),
    };
    Dest::register(file, number, mask)
}

fn source(op: Opcode, k: usize, version: Version) -> Source {
    let register = |file| Source::register(file, 0, Source::XYZW);
    let of = |role: Role, swizzle: u8| {
        let file = role.file(version).unwrap_or(File::Temporary);
        Source::register(file, number(version, role, k), swizzle)
    };
    let scalar = matches!(op.row().sources_read, SourceComponents::Scalar) || op == Opcode::Dp2add && k == 2;
    match required_kind(op, k, version.major) {
        RequiredKind::Sampler => register(File::Sampler),
        RequiredKind::Label => register(File::Label),
        RequiredKind::Int => register(File::Int),
        RequiredKind::Loop => register(File::Loop),
        RequiredKind::Condition => register(File::Bool),
        RequiredKind::Predicate => Source::register(File::Predicate, 0, X),
        // In ps_1_0 to ps_1_3 the condition of cnd must be r0.a.
        RequiredKind::Float if op == Opcode::Cnd && k == 0 && has_texture_registers(version) => {
            Source::register(File::Temporary, 0, W)
        }
        RequiredKind::Float if op == Opcode::Sincos && k > 0 => of(Role::Constant, Source::XYZW),
        RequiredKind::Float if op.rows().is_some() && k == 1 => of(Role::Constant, Source::XYZW),
        // All rows of a matrix product read the same register; the eye ray is a constant.
        RequiredKind::Float if op.row().kind == Kind::Texture && version.major == 1 => {
            register(if k == 1 { File::Constant } else { File::Address })
        }
        RequiredKind::Float if scalar => of(Role::Temporary, X),
        RequiredKind::Float => of(Role::Temporary, Source::XYZW),
    }
}
