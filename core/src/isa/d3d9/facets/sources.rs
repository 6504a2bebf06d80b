//! Facets of sources.

use super::super::modifier::Allowed;
use super::super::opcode::{Kind, Opcode};
use super::super::profile::Profile;
use super::super::program::{File, Index, Modifier, Program, Relative, Source, Version};
use super::super::reads::{scratch, texture_registers};
use super::super::validate::{Wants, wants};
use super::kinds::{Order, Role, number};
use super::site;
use crate::isa::facet::{Site, Sited};

/// The roles of sources: of the third and fourth one all but the last two.
pub(super) const ROLES: [Role; 7] =
    [Role::Temporary, Role::Input, Role::Constant, Role::Texture, Role::Misc, Role::Bool, Role::Predicate];

/// What indexes: components of a0, and aL.
pub(super) const INDICES: [&str; 5] = ["x", "y", "z", "w", LOOP];
/// The loop counter.
pub(super) const LOOP: &str = File::Loop.name();

/// Swizzles: reversed, one component, x, y and w.
pub(super) const WZYX: u8 = 0x1b;
pub(super) const X: u8 = 0;
pub(super) const W: u8 = 0xff;
const XYW: u8 = 0xf4;
/// Coordinates divided by z; w is not looked at.
const XYZZ: u8 = 0xa4;
/// The places of x, y and z in a swizzle.
const THREE: u8 = 0x3f;

/// What indexes.
pub(super) fn index_name(relative: &Relative) -> Option<&'static str> {
    match relative {
        Relative::No => None,
        Relative::Implied => Some(INDICES[0]),
        Relative::By(index) => match File::from_number(index.file)? {
            File::Loop => Some(LOOP),
            File::Address => Some(INDICES[usize::from(index.swizzle & 3)]),
            _ => None,
        },
    }
}

/// The relative address with this name, if the version can say it.
pub(super) fn relative(version: Version, name: &str) -> Option<Relative> {
    let lane = INDICES.iter().position(|index| *index == name)?;
    let by = |file, lane| Some(Relative::By(Index::register(file, lane as u8)));
    match (version.has_lengths(), version.pixel()) {
        (true, true) if name == LOOP && version.major >= 3 => by(File::Loop, 0),
        (true, false) if name == LOOP => by(File::Loop, 0),
        (true, false) => by(File::Address, lane),
        (false, false) if lane == 0 => Some(Relative::Implied),
        _ => None,
    }
}

/// A source that is read, what it is for, and the opcode.
fn source(program: &Program, site: Site, k: usize) -> Option<(&Source, Role, Opcode)> {
    let (i, op) = site::at(program, site)?;
    let source = i.sources.get(k).filter(|_| !scratch(op, k))?;
    Some((source, Role::of(program.version, source.file)?, op))
}

/// A source that is a number.
fn is_number(program: &Program, op: Opcode, k: usize) -> bool {
    wants(op, k, program.version.major) == Wants::Float
}

fn change(
    program: &Program,
    site: Site,
    k: usize,
    how: impl FnOnce(&mut Source) -> Option<()>,
) -> Option<Sited<Program>> {
    site::change(program, site, |i, _| how(i.sources.get_mut(k)?))
}

/// Reads another kind of register.
fn take(source: &mut Source, version: Version, k: usize, role: Role) -> Option<()> {
    if Role::of(version, source.file) != Some(role) {
        (source.file, source.number) = (role.file(version)? as u8, number(version, role, k));
        source.relative = Relative::No;
    }
    Some(())
}

/// What kind of register is read.
pub(super) fn role(program: &Program, site: Site, k: usize) -> Vec<&'static str> {
    source(program, site, k).into_iter().map(|(_, role, _)| role.name()).collect()
}

/// Reads another kind of register: a number where one is wanted, a condition where one is.
pub(super) fn set_role(program: &Program, site: Site, k: usize, value: &str) -> Option<Sited<Program>> {
    let (_, old, op) = source(program, site, k)?;
    let (version, role) = (program.version, Role::from_name(value)?);
    let condition = matches!(role, Role::Bool | Role::Predicate);
    if role != old && condition == is_number(program, op, k) {
        return None;
    }
    change(program, site, k, |source| {
        take(source, version, k, role)?;
        if role == Role::Predicate && !source.is_replicated() {
            source.swizzle = X;
        }
        Some(())
    })
}

/// What its swizzle is; a Boolean has none.
pub(super) fn order(program: &Program, site: Site, k: usize) -> Vec<&'static str> {
    let some = source(program, site, k).filter(|(source, ..)| !source.is(File::Bool));
    some.into_iter().map(|(source, ..)| Order::of(source).name()).collect()
}

/// Gives it another swizzle. A condition with a component is a predicate.
pub(super) fn set_order(program: &Program, site: Site, k: usize, value: &str) -> Option<Sited<Program>> {
    let (_, role, op) = source(program, site, k)?;
    let (version, order) = (program.version, Order::from_name(value)?);
    if role == Role::Bool && order != Order::Replicated {
        return None;
    }
    change(program, site, k, |source| {
        if role == Role::Bool {
            take(source, version, k, Role::Predicate)?;
        }
        if Order::of(source) != order {
            source.swizzle = match order {
                Order::Identity => Source::XYZW,
                // The first versions know only alpha.
                Order::Replicated if texture_registers(version) => W,
                Order::Replicated => X,
                Order::Permuted => permuted(op, version, role),
            };
        }
        Some(())
    })
}

/// A swizzle out of order, as far as a source of this role can have one: coordinates of ps_1_4 do without a component.
pub(super) fn permuted(op: Opcode, version: Version, role: Role) -> u8 {
    let early = op.row().kind == Kind::Texture && version.major == 1;
    match role {
        Role::Temporary if early => XYZZ,
        _ if early => XYW,
        _ => WZYX,
    }
}

/// What is done to it.
pub(super) fn modifier(program: &Program, site: Site, k: usize) -> Vec<&'static str> {
    let number = source(program, site, k).map(|(source, ..)| source.modifier);
    number.and_then(Modifier::from_number).into_iter().map(Modifier::name).collect()
}

/// Does something to it. What ps_1_4 divides is read as x, y and w of coordinates, or x, y and z of a temporary.
pub(super) fn set_modifier(program: &Program, site: Site, k: usize, value: &str) -> Option<Sited<Program>> {
    let (_, _, op) = source(program, site, k)?;
    let (version, modifier) = (program.version, Modifier::from_name(value)?);
    let is_number = is_number(program, op, k);
    let fits = match modifier.row().allowed {
        Allowed::Everywhere => true,
        Allowed::Condition => !is_number,
        Allowed::Division => is_number && k == 0 && version.profile() == Some(Profile::Ps14),
        Allowed::NotEarlyTextures | Allowed::Early | Allowed::Late | Allowed::Third => is_number,
    };
    if !fits {
        return None;
    }
    site::change(program, site, |i, op| {
        let source = i.sources.get_mut(k)?;
        source.modifier = modifier as u8;
        let (role, order) = match modifier {
            Modifier::Dz => (Role::Temporary, Source::XYZW),
            Modifier::Dw => (Role::Texture, XYW),
            _ => return Some(()),
        };
        take(source, version, k, role)?;
        if source.swizzle & THREE != order & THREE {
            source.swizzle = order;
        }
        if modifier == Modifier::Dw && op == Opcode::Texcoord {
            i.dest.as_mut()?.mask = 3;
        }
        Some(())
    })
}

/// What is added to its number.
pub(super) fn index(program: &Program, site: Site, k: usize) -> Vec<&'static str> {
    source(program, site, k).and_then(|(source, ..)| index_name(&source.relative)).into_iter().collect()
}

/// Adds something to its number. Constants of vertex shaders and inputs are indexed.
pub(super) fn set_index(program: &Program, site: Site, k: usize, value: &str) -> Option<Sited<Program>> {
    let (_, role, op) = source(program, site, k)?;
    let version = program.version;
    if !is_number(program, op, k) {
        return None;
    }
    let indexed = match role {
        Role::Constant | Role::Input => role,
        _ if version.pixel() => Role::Input,
        _ => Role::Constant,
    };
    change(program, site, k, |source| {
        take(source, version, k, indexed)?;
        if index_name(&source.relative) != Some(value) {
            source.relative = relative(version, value)?;
        }
        Some(())
    })
}
