//! Generation of texture instructions of ps_1_0 to ps_1_4. These instructions precede the arithmetic of a phase. Before ps_1_4 they are bound to
//! stages, and some occur only in groups.

use super::body::Body;
use super::build::whole;
use crate::generate::Entropy;
use lockstep_core::isa::d3d9::opcode::{Opcode, TABLE};
use lockstep_core::isa::d3d9::profile::{Profile, Profiles};
use lockstep_core::isa::d3d9::program::{Dest, File, Instruction, Modifier, Source};
use lockstep_core::isa::d3d9::word::SWIZZLE;

/// The number of texture stages of ps_1_0 to ps_1_3.
const STAGES: u16 = 4;

/// Returns the number of rows in the group to which an operation belongs.
fn rows(op: Opcode) -> u16 {
    use Opcode::*;
    match op {
        Texm3x2pad | Texm3x2tex | Texm3x2depth => 2,
        Texm3x3pad | Texm3x3tex | Texm3x3spec | Texm3x3vspec | Texm3x3 => 3,
        _ => 1,
    }
}

/// Returns the operations that end a group of this many rows.
fn ends(rows: u16) -> &'static [Opcode] {
    use Opcode::*;
    match rows {
        2 => &[Texm3x2tex, Texm3x2depth],
        _ => &[Texm3x3tex, Texm3x3spec, Texm3x3vspec, Texm3x3],
    }
}

/// Appends texture instructions of ps_1_0 to ps_1_3, including the requested one.
pub(super) fn stages(e: &mut Entropy<'_>, body: &mut Body, requested: Option<Opcode>) {
    let least = requested.map_or(1, |op| rows(op) + u16::from(takes_source(op)));
    let count = e.between(usize::from(least), usize::from(STAGES)) as u16;
    // The requested instruction is placed as early as possible, so that there are enough stages for its group.
    let at = requested.map(|op| u16::from(takes_source(op)));
    let mut stage = 0;
    while stage < count {
        let op = match requested {
            Some(op) if at == Some(stage) => op,
            _ => any(e, body, stage, count),
        };
        stage += group(e, body, op, stage);
    }
}

fn takes_source(op: Opcode) -> bool {
    !matches!(op, Opcode::Tex | Opcode::Texcoord | Opcode::Texkill)
}

/// Draws an operation for a stage. Groups are only drawn if enough stages are left.
fn any(e: &mut Entropy<'_>, body: &Body, stage: u16, count: u16) -> Opcode {
    use Opcode::*;
    if stage == 0 || e.chance(35) {
        return [Tex, Texcoord][e.weighted(&[60, 40])];
    }
    let left = count - stage;
    let all: Vec<Opcode> = TABLE
        .iter()
        .filter(|r| (Texcoord.row().number..=Texm3x3.row().number).contains(&r.number))
        .filter(|r| r.kind == lockstep_core::isa::d3d9::opcode::Kind::Texture)
        .filter(|r| r.versions.has(body.profile) && rows(r.opcode) <= left && r.opcode != Texkill)
        .filter(|r| !matches!(r.opcode, Texm3x2pad | Texm3x3pad))
        .map(|r| r.opcode)
        .collect();
    if e.chance(6) { Texkill } else { e.pick(&all).copied().unwrap_or(Tex) }
}

/// Emits an operation and its group, beginning at a stage. Returns the number of stages used.
fn group(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, stage: u16) -> u16 {
    let Some(from) = origin(e, body, stage).or((!takes_source(op)).then_some(0)) else {
        emit(e, body, Opcode::Tex, stage, 0);
        return 1;
    };
    let rows = rows(op).min(STAGES - stage);
    let pad = if rows == 2 { Opcode::Texm3x2pad } else { Opcode::Texm3x3pad };
    let last: Vec<Opcode> =
        ends(rows).iter().copied().filter(|op| op.row().versions.has(body.profile)).collect();
    let last = if rows == 1 || op != pad { op } else { e.pick(&last).copied().unwrap_or(op) };
    for row in 0..rows {
        emit(e, body, if row + 1 < rows { pad } else { last }, stage + row, from);
    }
    rows
}

/// Returns an earlier stage whose texture register has all components written.
fn origin(e: &mut Entropy<'_>, body: &Body, stage: u16) -> Option<u16> {
    let place = |n: u16| body.place(File::Address as u8, n).filter(|p| body.written(*p) == 15);
    let all: Vec<u16> = (0..stage).filter(|n| place(*n).is_some()).collect();
    let unread_registers: Vec<u16> =
        all.iter().copied().filter(|n| place(*n).is_some_and(|p| body.unread(p) != 0)).collect();
    e.pick(if unread_registers.is_empty() { &all } else { &unread_registers }).copied()
}

fn emit(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, stage: u16, from: u16) {
    let mut i = Instruction::new(op);
    i.dest = Some(Dest::register(File::Address, stage, 15));
    if takes_source(op) {
        let mut source = whole(File::Address, from);
        let late = Profiles::range(Profile::Ps12, Profile::Ps13).has(body.profile);
        let expands = match op {
            Opcode::Texreg2ar | Opcode::Texreg2gb | Opcode::Texbem | Opcode::Texbeml => false,
            _ => late || rows(op) > 1,
        };
        if expands && e.chance(35) {
            source.modifier = Modifier::Bx2 as u8;
        }
        i.sources.push(source);
        if op == Opcode::Texm3x3spec {
            let ray = whole(File::Constant, body.constants.first().copied().unwrap_or(0));
            i.sources.push(ray);
        }
    }
    body.emit(i);
}

/// Appends texture instructions of a phase of ps_1_4, including the requested one.
pub(super) fn phase(e: &mut Entropy<'_>, body: &mut Body, requested: Option<Opcode>) {
    let count = e.between(1, if requested.is_some() { 4 } else { 3 }) as u16;
    let mut free: Vec<u16> = (0..6).collect();
    let whole_before = body.written_masks();
    let mut dependent: Vec<u16> =
        (0..6).filter(|n| whole_before[usize::from(*n)] & 7 == 7 && !body.first && body.phased).collect();
    let at = e.below(usize::from(count)) as u16;
    // All reads of one coordinate register must select the same components.
    let mut selected = [None; 8];
    for k in 0..count {
        let op = match requested {
            Some(op) if k == at => op,
            _ => [Opcode::Tex, Opcode::Texcoord][e.weighted(&[65, 35])],
        };
        if op == Opcode::Texkill {
            let mut i = Instruction::new(op);
            i.dest = Some(match e.pick(&dependent) {
                Some(n) => Dest::register(File::Temporary, *n, 7),
                None => Dest::register(File::Address, e.below(6) as u16, 15),
            });
            if body.allows(&i) {
                body.emit(i);
            }
            continue;
        }
        let from_register = op == Opcode::Tex && !dependent.is_empty() && e.chance(60);
        let mut i = Instruction::new(op);
        let number = free.remove(e.below(free.len()));
        let mut mask = if op == Opcode::Texcoord { 7 } else { 15 };
        let source = if from_register {
            let n = dependent[e.below(dependent.len())];
            let mut s = whole(File::Temporary, n);
            if e.chance(15) {
                s.modifier = Modifier::Dz as u8;
            }
            s
        } else {
            let n = e.below(6) as u16;
            let divides = e.chance(25);
            let divides = *selected[usize::from(n)].get_or_insert(divides);
            let swizzle = if divides { SWIZZLE.join([0, 1, 3, 3]) } else { Source::XYZW };
            let mut s = Source::register(File::Address, n, swizzle);
            let modified = e.chance(70);
            if divides && modified {
                s.modifier = Modifier::Dw as u8;
                mask = if op == Opcode::Texcoord { 3 } else { mask };
            }
            s
        };
        i.dest = Some(Dest::register(File::Temporary, number, mask));
        i.sources.push(source);
        if body.allows(&i) {
            body.emit(i);
            dependent.retain(|n| *n != number);
        }
    }
}

/// Appends `texdepth`, which reads r5, and before it a write of r5 if r5.xy is unwritten.
pub(super) fn depth(e: &mut Entropy<'_>, body: &mut Body) {
    let place = 5;
    if body.written(place) & 3 != 3 || e.is_exhausted() {
        let mut i = Instruction::new(Opcode::Texcoord);
        i.dest = Some(Dest::register(File::Temporary, 5, 7));
        i.sources.push(whole(File::Address, e.below(6) as u16));
        body.emit(i);
    }
    let mut i = Instruction::new(Opcode::Texdepth);
    i.dest = Some(Dest::register(File::Temporary, 5, 15));
    body.emit(i);
    // `texdepth` destroys the value of its register.
    body.mark_unwritten(place, 15);
}

/// Appends `bem`, which computes coordinates for the second phase, at the end of the first phase.
pub(super) fn bump(e: &mut Entropy<'_>, body: &mut Body) {
    for _ in 0..12 {
        if super::build::instruction(e, body, Opcode::Bem) || e.is_exhausted() {
            return;
        }
    }
}
