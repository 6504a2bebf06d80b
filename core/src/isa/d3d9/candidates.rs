//! Legal programs, each about one instruction: every opcode in every version, with one thing changed after the other.

use super::classes::{acts, classes};
use super::interface::entries;
use super::opcode::{Mask, Opcode, TABLE};
use super::profile::{Profile, Profiles};
use super::program::{Dest, File, Index, Instruction, Modifier, Program, Relative, Source, Usage, Version};
use super::reads::texture_registers;
use super::validate::{Wants, validate, wants};
use crate::isa::{ClassPoint, Level};
use crate::parallel::{cores, parallel};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Swizzles worth trying: the identity, one component, those of ps_2_0, any other, and x, y and w.
const SWIZZLES: [u8; 9] = [0xe4, 0, 0x55, 0xaa, 0xff, 0x1b, 0xc9, 0xe1, 0xf4];

/// What candidates come to.
#[derive(Default)]
pub(super) struct Found {
    /// Programs that break no rule at error level, and the instruction that each is about: at least all that have a class which none
    /// before them has.
    pub(super) programs: Vec<(Program, u32)>,
    /// The classes of all legal candidates, with the versions in which each occurs.
    pub(super) classes: BTreeMap<ClassPoint, Profiles>,
}

/// All candidates. There are so many that they are gone through once, on all cores.
pub(super) fn found() -> &'static Found {
    static ALL: LazyLock<Found> = LazyLock::new(|| {
        let parts: Vec<(Profile, Opcode)> = Profile::ALL
            .iter()
            .flat_map(|profile| TABLE.iter().map(move |row| (profile, row)))
            .filter(|(profile, row)| row.versions.has(**profile) && acts(row.opcode))
            .map(|(profile, row)| (*profile, row.opcode))
            .collect();
        let all = parallel(cores(), &parts, &|| {}, |(profile, opcode)| about(*opcode, *profile));
        let mut found = Found::default();
        for part in all {
            found.programs.extend(part.programs);
            for (class, profiles) in part.classes {
                let known = found.classes.entry(class).or_insert(Profiles::NONE);
                *known = known.or(profiles);
            }
        }
        found
    });
    &ALL
}

/// The candidates about one opcode in one version.
fn about(op: Opcode, profile: Profile) -> Found {
    let mut found = Found::default();
    let mut covered = BTreeSet::new();
    opcode(op, profile, &mut |program, at| {
        let new: Vec<ClassPoint> =
            classes(&program, at).into_iter().filter(|class| covered.insert(class.clone())).collect();
        if !new.is_empty() {
            found.programs.push((program, at));
            found.classes.extend(new.into_iter().map(|class| (class, Profiles::only(profile))));
        }
    });
    found
}

/// The instructions before and after one of this opcode.
fn around(
    i: &Instruction,
    op: Opcode,
    version: Version,
    texture: u8,
) -> (Vec<Instruction>, Vec<Instruction>) {
    use Opcode::*;
    let one = |op: Opcode, sources: &[Source]| {
        let mut i = Instruction::new(op);
        i.sources.extend(sources.iter().copied());
        i
    };
    let register = |file| Source::register(file, 0, Source::XYZW);
    let int = register(File::Int);
    let mut before = Vec::new();
    let mut after = Vec::new();
    if version.major >= 2 && i.sources.iter().any(|s| s.is(File::Sampler)) {
        let mut dcl = Instruction::new(Dcl);
        dcl.usage = Some(Usage::texture(texture));
        dcl.dest = Some(Dest::register(File::Sampler, 0, 15));
        before.push(dcl);
    }
    let looped = || one(Loop, &[register(File::Loop), int]);
    match op {
        If | Ifc => after.push(one(Endif, &[])),
        Else => {
            before.push(one(If, &[register(File::Bool)]));
            after.push(one(Endif, &[]));
        }
        Endif => before.push(one(If, &[register(File::Bool)])),
        Rep => after.push(one(Endrep, &[])),
        Endrep => before.push(one(Rep, &[int])),
        Opcode::Loop => after.push(one(Endloop, &[])),
        Endloop => before.push(looped()),
        Break | Breakc | Breakp => {
            before.push(one(Rep, &[int]));
            after.push(one(Endrep, &[]));
        }
        Call | Callnz => {
            after.extend([one(Ret, &[]), one(Label, &[register(File::Label)]), one(Ret, &[])]);
        }
        _ => {}
    }
    let pad = |op: Opcode, stage: u16| {
        let mut i = one(op, &[register(File::Address)]);
        i.dest = Some(Dest::register(File::Address, stage, 15));
        i
    };
    match op {
        Texm3x2tex | Texm3x2depth => before.push(pad(Texm3x2pad, 1)),
        Texm3x3tex | Texm3x3spec | Texm3x3vspec | Texm3x3 => {
            before.extend([pad(Texm3x3pad, 1), pad(Texm3x3pad, 2)]);
        }
        _ => {}
    }
    if i.coissue != 0 {
        let mut first = one(Mov, &[register(File::Input)]);
        let mask = if i.dest.is_some_and(|d| d.mask & 8 != 0) { 7 } else { 8 };
        first.dest = Some(Dest::register(File::Temporary, 0, mask));
        before.push(first);
    }
    (before, after)
}

/// Hands a candidate on if its program is legal.
fn offer(i: Instruction, op: Opcode, profile: Profile, texture: u8, each: &mut dyn FnMut(Program, u32)) {
    let version = profile.version();
    let (mut instructions, after) = around(&i, op, version, texture);
    let at = instructions.len() as u32;
    instructions.push(i);
    instructions.extend(after);
    let program = Program { version, instructions, comments: Vec::new(), tail: Vec::new() };
    let found = entries(&program).first().map(|entry| validate(&program, entry));
    if found.is_some_and(|found| found.iter().all(|v| v.level < Level::Error)) {
        each(program, at);
    }
}

/// The destinations that an opcode may have somewhere.
fn destinations(op: Opcode, version: Version) -> Vec<Dest> {
    let mask = match op.row().mask {
        Mask::Exactly(m) | Mask::Within(m) => m,
        Mask::SineCosine => 3,
        Mask::Vector => 7,
        _ if op == Opcode::Frc && version.major == 1 => 3,
        _ if op == Opcode::Texcoord && !texture_registers(version) => 7,
        _ => 15,
    };
    let stage = match op {
        Opcode::Texm3x2tex | Opcode::Texm3x2depth => 2,
        Opcode::Texm3x3tex | Opcode::Texm3x3spec | Opcode::Texm3x3vspec | Opcode::Texm3x3 => 3,
        _ => 1,
    };
    let number = if op == Opcode::Texdepth { 5 } else { 0 };
    let mut all = vec![
        Dest::register(File::Temporary, number, mask),
        Dest::register(File::Address, if version.pixel() { stage } else { 0 }, mask),
    ];
    let others = [
        File::Input,
        File::Rasterizer,
        File::CoordinateOut,
        File::PixelColor,
        File::PixelDepth,
        File::Predicate,
    ];
    all.extend(others.map(|file| Dest::register(file, 0, mask)));
    all
}

/// A source of the usual kind.
fn plain(op: Opcode, k: usize, version: Version) -> Source {
    let register = |file, number| Source::register(file, number, Source::XYZW);
    let scalar = matches!(op.row().lanes, super::opcode::Lanes::Scalar) || op == Opcode::Dp2add && k == 2;
    match wants(op, k, version.major) {
        Wants::Sampler => register(File::Sampler, 0),
        Wants::Label => register(File::Label, 0),
        Wants::Int => register(File::Int, 0),
        Wants::Loop => register(File::Loop, 0),
        Wants::Condition => register(File::Bool, 0),
        Wants::Predicate => Source::register(File::Predicate, 0, 0),
        Wants::Float if op == Opcode::Cnd && k == 0 && texture_registers(version) => {
            Source::register(File::Temporary, 0, 0xff)
        }
        Wants::Float if op == Opcode::Sincos && k > 0 => register(File::Constant, k as u16),
        Wants::Float if op == Opcode::Sgn && k > 0 => register(File::Temporary, 1 + k as u16),
        Wants::Float if op.rows().is_some() && k == 1 => register(File::Constant, 0),
        Wants::Float if op.row().kind == super::opcode::Kind::Texture && version.major == 1 => {
            // The eye ray of texm3x3spec is a constant.
            if k == 1 { register(File::Constant, 0) } else { register(File::Address, 0) }
        }
        Wants::Float if scalar => Source::register(File::Temporary, 1, 0),
        Wants::Float => register(File::Temporary, 1),
    }
}

fn opcode(op: Opcode, profile: Profile, each: &mut dyn FnMut(Program, u32)) {
    let version = profile.version();
    let Some(operands) = op.operands(version) else { return };
    let mut base = Instruction::new(op);
    base.control = u8::from(op.compares());
    base.sources.extend((0..usize::from(operands.sources)).map(|k| plain(op, k, version)));
    let bases: Vec<Instruction> = if operands.dest {
        destinations(op, version).into_iter().map(|d| Instruction { dest: Some(d), ..base.clone() }).collect()
    } else {
        vec![base]
    };
    for base in bases {
        for texture in 1..=4 {
            offer(base.clone(), op, profile, texture, each);
        }
        let mut with = |texture: u8, change: &dyn Fn(&mut Instruction)| {
            let mut i = base.clone();
            change(&mut i);
            if i != base {
                offer(i, op, profile, texture, each);
            }
        };
        for control in 0..8 {
            with(2, &|i| i.control = control);
        }
        for mask in 1..16 {
            with(2, &|i| set_dest(i, |d| d.mask = mask));
            with(2, &|i| {
                i.coissue = 1;
                set_dest(i, |d| d.mask = mask);
            });
        }
        for value in 0..16 {
            with(2, &|i| set_dest(i, |d| d.shift = value));
            with(2, &|i| set_dest(i, |d| d.modifier = value & 7));
        }
        // Of oDepth and oC a ps_2_0 shader writes one way each.
        with(2, &|i| i.sources.iter_mut().for_each(|s| s.swizzle = 0));
        with(2, &|i| set_dest(i, |d| d.relative = Relative::By(Index::register(File::Loop, 0))));
        for lane in 0..4 {
            with(2, &|i| set_dest(i, |d| d.relative = Relative::By(Index::register(File::Address, lane))));
        }
        if Profiles::VS2X.or(Profiles::PS2X).has(profile) {
            for swizzle in [0xe4, 0, 0x55, 0xaa, 0xff] {
                for modifier in [0, Modifier::Not as u8] {
                    with(2, &|i| {
                        i.predicated = 1;
                        let predicate = Source::register(File::Predicate, 0, swizzle);
                        i.predicate = Some(Source { modifier, ..predicate });
                    });
                }
            }
        }
        for k in 0..base.sources.len() {
            sources(k, version, &mut with);
        }
    }
}

fn set_dest(i: &mut Instruction, change: impl Fn(&mut Dest)) {
    i.dest.iter_mut().for_each(change);
}

/// One source changed after the other.
fn sources(k: usize, version: Version, with: &mut dyn FnMut(u8, &dyn Fn(&mut Instruction))) {
    const FILES: [(File, u16); 9] = [
        (File::Temporary, 1),
        (File::Input, 0),
        (File::Constant, 0),
        (File::Address, 0),
        (File::Misc, 0),
        (File::Misc, 1),
        (File::Bool, 0),
        (File::Predicate, 0),
        (File::Sampler, 0),
    ];
    for swizzle in SWIZZLES {
        with(2, &|i| i.sources[k].swizzle = swizzle);
        // ps_1_1 takes blue for alpha.
        with(2, &|i| {
            i.sources[k].swizzle = swizzle;
            set_dest(i, |d| d.mask = 8);
        });
    }
    for (file, number) in FILES {
        for modifier in 0..14 {
            with(2, &|i| {
                let s = &mut i.sources[k];
                (s.file, s.number, s.modifier) = (file as u8, number, modifier);
            });
            with(2, &|i| {
                let s = &mut i.sources[k];
                (s.file, s.number, s.modifier, s.swizzle) = (file as u8, number, modifier, 0);
            });
        }
        // Division by w wants x, y and w, and gives two of three coordinates.
        with(2, &|i| {
            let s = &mut i.sources[k];
            (s.file, s.number, s.modifier, s.swizzle) = (file as u8, number, Modifier::Dw as u8, 0xf4);
            set_dest(i, |d| d.mask = if d.mask == 7 { 3 } else { d.mask });
        });
    }
    for file in [File::Constant, File::Input] {
        let index = |relative: Relative| {
            move |i: &mut Instruction| {
                let s = &mut i.sources[k];
                (s.file, s.number, s.relative) = (file as u8, 0, relative);
            }
        };
        if version.has_lengths() {
            for lane in 0..4 {
                with(2, &index(Relative::By(Index::register(File::Address, lane))));
            }
            with(2, &index(Relative::By(Index::register(File::Loop, 0))));
        } else {
            with(2, &index(Relative::Implied));
        }
    }
}
