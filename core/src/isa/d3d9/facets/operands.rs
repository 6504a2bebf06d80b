//! Facets of source operands.

use super::super::modifier::Allowed;
use super::super::opcode::{Kind, Opcode};
use super::super::profile::Profile;
use super::super::program::{File, Index, Modifier, Program, Relative, Source, Version};
use super::super::reads::{has_texture_registers, is_scratch};
use super::super::validate::{RequiredKind, required_kind};
use super::kinds::{IndexRegister, Role, SwizzleKind, number};
use super::site;
use crate::isa::facet::{Site, Sited};

/// The roles that a source can have. The third and fourth source cannot have the last two roles.
pub(super) const ROLES: [Role; 7] =
    [Role::Temporary, Role::Input, Role::Constant, Role::Texture, Role::Misc, Role::Bool, Role::Predicate];

/// Swizzles: `.wzyx`, `.xxxx`, `.wwww` and `.xyww`.
pub(super) const WZYX: u8 = 0x1b;
pub(super) const X: u8 = 0;
pub(super) const W: u8 = 0xff;
const XYW: u8 = 0xf4;
/// The permuted swizzle of a temporary that a texture instruction of ps_1_4 reads as coordinates. The w component is ignored.
const XYZZ: u8 = 0xa4;
/// The bits of the first three components of a swizzle.
const XYZ_BITS: u8 = 0x3f;

/// Returns the name of a relative address's index register.
pub(super) fn index_name(relative: &Relative) -> Option<&'static str> {
    match relative {
        Relative::Direct => None,
        Relative::Implied => Some(IndexRegister::X.name()),
        Relative::Indexed(index) => match File::from_number(index.file)? {
            File::Loop => Some(IndexRegister::Loop.name()),
            File::Address => IndexRegister::from_number(index.component()).map(IndexRegister::name),
            _ => None,
        },
    }
}

/// Returns the relative address with this index register, if the version can encode it.
pub(super) fn relative(version: Version, name: &str) -> Option<Relative> {
    let by = |file, component| Some(Relative::Indexed(Index::register(file, component)));
    match (version.has_lengths(), version.is_pixel(), IndexRegister::from_name(name)?.component()) {
        (true, true, None) if version.major >= 3 => by(File::Loop, 0),
        (true, false, None) => by(File::Loop, 0),
        (true, false, Some(component)) => by(File::Address, component),
        (false, false, Some(0)) => Some(Relative::Implied),
        _ => None,
    }
}

/// Returns source `k` of the instruction if the instruction reads it, with its role and the opcode.
fn source(program: &Program, site: Site, k: usize) -> Option<(&Source, Role, Opcode)> {
    let (i, op) = site::at(program, site)?;
    let source = i.sources.get(k).filter(|_| !is_scratch(op, k))?;
    Some((source, Role::of(program.version, source.file)?, op))
}

/// Whether the opcode reads source `k` as a number.
fn is_number(program: &Program, op: Opcode, k: usize) -> bool {
    required_kind(op, k, program.version.major) == RequiredKind::Float
}

fn change(
    program: &Program,
    site: Site,
    k: usize,
    edit: impl FnOnce(&mut Source) -> Option<()>,
) -> Option<Sited<Program>> {
    site::change(program, site, |i, _| edit(i.sources.get_mut(k)?))
}

/// Changes the source to a register with another role.
fn set_register_role(source: &mut Source, version: Version, k: usize, role: Role) -> Option<()> {
    if Role::of(version, source.file) != Some(role) {
        (source.file, source.number) = (role.file(version)? as u8, number(version, role, k));
        source.relative = Relative::Direct;
    }
    Some(())
}

/// Returns the role of the register that source `k` reads.
pub(super) fn role(program: &Program, site: Site, k: usize) -> Vec<&'static str> {
    source(program, site, k).into_iter().map(|(_, role, _)| role.name()).collect()
}

/// Changes source `k` to a register with another role: a numeric register where the opcode takes a number, a Boolean one where it takes a condition.
pub(super) fn set_role(program: &Program, site: Site, k: usize, value: &str) -> Option<Sited<Program>> {
    let (_, old, op) = source(program, site, k)?;
    let (version, role) = (program.version, Role::from_name(value)?);
    let condition = matches!(role, Role::Bool | Role::Predicate);
    if role != old && condition == is_number(program, op, k) {
        return None;
    }
    change(program, site, k, |source| {
        set_register_role(source, version, k, role)?;
        if role == Role::Predicate && !source.is_replicated() {
            source.swizzle = X;
        }
        Some(())
    })
}

/// Returns the kind of the swizzle of source `k`. Boolean sources have no swizzle.
pub(super) fn swizzle(program: &Program, site: Site, k: usize) -> Vec<&'static str> {
    let some = source(program, site, k).filter(|(source, ..)| !source.is(File::Bool));
    some.into_iter().map(|(source, ..)| SwizzleKind::of(source).name()).collect()
}

/// Sets the swizzle of source `k`. A Boolean condition, which has no components, is replaced by a predicate.
pub(super) fn set_swizzle(program: &Program, site: Site, k: usize, value: &str) -> Option<Sited<Program>> {
    let (_, role, op) = source(program, site, k)?;
    let (version, kind) = (program.version, SwizzleKind::from_name(value)?);
    if role == Role::Bool && kind != SwizzleKind::Replicated {
        return None;
    }
    change(program, site, k, |source| {
        if role == Role::Bool {
            set_register_role(source, version, k, Role::Predicate)?;
        }
        if SwizzleKind::of(source) != kind {
            source.swizzle = match kind {
                SwizzleKind::Identity => Source::XYZW,
                // ps_1_0 to ps_1_3 can only replicate alpha.
                SwizzleKind::Replicated if has_texture_registers(version) => W,
                SwizzleKind::Replicated => X,
                SwizzleKind::Permuted => permuted(op, version, role),
            };
        }
        Some(())
    })
}

/// Returns a permuted swizzle that a source of this role can have. Texture instructions of ps_1_4 allow only xyz, and xyw of coordinates.
pub(super) fn permuted(op: Opcode, version: Version, role: Role) -> u8 {
    let early = op.row().kind == Kind::Texture && version.major == 1;
    match role {
        Role::Temporary if early => XYZZ,
        _ if early => XYW,
        _ => WZYX,
    }
}

/// Returns the modifier of source `k`.
pub(super) fn modifier(program: &Program, site: Site, k: usize) -> Vec<&'static str> {
    let number = source(program, site, k).map(|(source, ..)| source.modifier);
    number.and_then(Modifier::from_number).into_iter().map(Modifier::name).collect()
}

/// Sets the modifier of source `k`. In ps_1_4 `_dw` needs coordinates with the swizzle xyw, and `_dz` a temporary with the swizzle xyz.
pub(super) fn set_modifier(program: &Program, site: Site, k: usize, value: &str) -> Option<Sited<Program>> {
    let (_, _, op) = source(program, site, k)?;
    let (version, modifier) = (program.version, Modifier::from_name(value)?);
    let is_number = is_number(program, op, k);
    let fits = match modifier.row().allowed {
        Allowed::Everywhere => true,
        Allowed::Condition => !is_number,
        Allowed::Division => is_number && k == 0 && version.profile() == Some(Profile::Ps14),
        Allowed::NotEarlyTextures | Allowed::Early | Allowed::Ps14Arithmetic | Allowed::Sm3 => is_number,
    };
    if !fits {
        return None;
    }
    site::change(program, site, |i, op| {
        let source = i.sources.get_mut(k)?;
        source.modifier = modifier as u8;
        let (role, swizzle) = match modifier {
            Modifier::Dz => (Role::Temporary, Source::XYZW),
            Modifier::Dw => (Role::Texture, XYW),
            _ => return Some(()),
        };
        set_register_role(source, version, k, role)?;
        if source.swizzle & XYZ_BITS != swizzle & XYZ_BITS {
            source.swizzle = swizzle;
        }
        if modifier == Modifier::Dw && op == Opcode::Texcoord {
            i.dest.as_mut()?.mask = 3;
        }
        Some(())
    })
}

/// Returns the index register that is added to the register number of source `k`.
pub(super) fn index(program: &Program, site: Site, k: usize) -> Vec<&'static str> {
    source(program, site, k).and_then(|(source, ..)| index_name(&source.relative)).into_iter().collect()
}

/// Sets the index register of source `k`. Vertex shaders can index only inputs and constants, pixel shaders only inputs.
pub(super) fn set_index(program: &Program, site: Site, k: usize, value: &str) -> Option<Sited<Program>> {
    let (_, role, op) = source(program, site, k)?;
    let version = program.version;
    if !is_number(program, op, k) {
        return None;
    }
    let indexed = match role {
        Role::Constant | Role::Input => role,
        _ if version.is_pixel() => Role::Input,
        _ => Role::Constant,
    };
    change(program, site, k, |source| {
        set_register_role(source, version, k, indexed)?;
        if index_name(&source.relative) != Some(value) {
            source.relative = relative(version, value)?;
        }
        Some(())
    })
}
