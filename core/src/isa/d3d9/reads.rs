//! The registers and components that an instruction reads.

use super::opcode::{Opcode, SourceComponents};
use super::program::{File, Instruction, Modifier, Program, Relative, Source, Version};
use super::word::TextureType;

/// A resource that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadResource {
    /// A register of this file and number; `None` if an index register selects it.
    Register(u8, Option<u16>),
    /// The coordinates of a texture stage that a ps_1_0 to 1_3 instruction reads without naming them.
    Coordinates(u16),
}

/// A read of a resource by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) resource: ReadResource,
    /// The components that are read; bit 0 is x.
    pub(super) mask: u8,
    /// The index of the source that the read belongs to. `None` for other reads: of the predicate, an index, coordinates, and the operand of texkill
    /// or texdepth.
    pub(super) source: Option<u8>,
}

/// Whether a version is ps_1_0 to 1_3, where texture registers can be written, and the number of the destination selects the texture stage.
pub(super) fn has_texture_registers(version: Version) -> bool {
    version.is_pixel() && version.major == 1 && version.minor < 4
}

/// Whether an instruction of ps_1_0 to 1_3 reads the coordinates of the texture stage that its destination selects.
pub(super) fn reads_coordinates(op: Opcode) -> bool {
    use Opcode::*;
    matches!(
        op,
        Tex | Texcoord
            | Texkill
            | Texbem
            | Texbeml
            | Texm3x2pad
            | Texm3x2tex
            | Texm3x2depth
            | Texm3x3pad
            | Texm3x3tex
            | Texm3x3spec
            | Texm3x3vspec
            | Texm3x3
            | Texdp3
            | Texdp3tex
    )
}

/// Whether an instruction reads the register that its destination names.
pub(super) fn reads_destination(op: Opcode, version: Version) -> bool {
    let reads_stage = has_texture_registers(version) && reads_coordinates(op);
    matches!(op, Opcode::Texkill | Opcode::Texdepth) && !reads_stage
}

/// Whether an instruction before version 2 reads the texture of the stage that its destination selects.
pub(super) fn reads_texture(op: Opcode) -> bool {
    use Opcode::*;
    matches!(
        op,
        Tex | Texbem
            | Texbeml
            | Texreg2ar
            | Texreg2gb
            | Texreg2rgb
            | Texm3x2tex
            | Texm3x3tex
            | Texm3x3spec
            | Texm3x3vspec
            | Texdp3tex
    )
}

/// The texture types that a program declares, by sampler. The texture type determines how many coordinates a read takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Textures([u8; 16]);

impl Textures {
    /// Collects the sampler declarations of a program.
    pub(super) fn of(program: &Program) -> Textures {
        let mut all = Textures::default();
        for i in &program.instructions {
            if let (Some(Opcode::Dcl), Some(usage), Some(dest)) = (i.op(), &i.usage, &i.dest)
                && dest.is(File::Sampler)
                && let Some(own) = all.0.get_mut(usize::from(dest.number))
            {
                *own = usage.texture;
            }
        }
        all
    }

    /// Returns the texture type of a sampler, numbered as in dcl; 0 if the sampler is not declared.
    pub(super) fn get(self, sampler: u16) -> u8 {
        self.0.get(usize::from(sampler)).copied().unwrap_or(0)
    }

    /// Returns the mask of the coordinates that a texture read takes, by the texture type of its sampler.
    fn coordinates(self, i: &Instruction) -> u8 {
        let sampler = i.sources.get(1).filter(|s| s.is(File::Sampler));
        coordinates(sampler.map_or(0, |s| self.get(s.number)))
    }
}

/// Returns the mask of the coordinates, bit 0 = x, that a read of a texture of this type takes. Types are numbered as in dcl. An undeclared texture
/// takes three coordinates, the maximum.
pub fn coordinates(texture: u8) -> u8 {
    match texture {
        texture if texture == TextureType::Line as u8 => 1,
        texture if texture == TextureType::Plane as u8 => 3,
        _ => 7,
    }
}

/// Whether a source is a scratch register of a macro, which is overwritten and not read.
pub(super) fn is_scratch(op: Opcode, source: usize) -> bool {
    op == Opcode::Sgn && source > 0
}

/// The components of a source that an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// These components, after swizzling.
    Components(u8),
    /// One component: the replicated component or, for another swizzle, a component that depends on an option.
    Component,
    /// A whole sampler.
    Sampler,
    /// A single value without components, such as a condition or a count.
    Single,
}

/// Returns the components of source `k`, after swizzling, that an operation needs for the result components in `mask`. `control` is the opcode
/// control. `coordinates` is the mask of the texture coordinates, which is used only in version 2 and later.
pub fn needed(op: Opcode, k: usize, mask: u8, version: Version, control: u8, coordinates: u8) -> Needed {
    let if_written = |c: u8, needs: u8| if mask >> c & 1 != 0 { needs } else { 0 };
    Needed::Components(match op.row().sources_read {
        // The two constants with the coefficients of the series.
        SourceComponents::Scalar if op == Opcode::Sincos && k > 0 => 15,
        SourceComponents::Scalar => return Needed::Component,
        SourceComponents::Own => mask,
        SourceComponents::First(3) if op == Opcode::Nrm => 7 | mask,
        SourceComponents::First(4) if op == Opcode::Texcoord => mask,
        SourceComponents::First(_) if op == Opcode::Texreg2ar => 9,
        SourceComponents::First(_) if op == Opcode::Texreg2gb => 6,
        SourceComponents::First(n) => (1 << n) - 1,
        // x depends on y and z, y on z and x, z on x and y.
        SourceComponents::Cross => if_written(0, 6) | if_written(1, 5) | if_written(2, 3),
        SourceComponents::Lit => if_written(1, 1) | if_written(2, 11),
        SourceComponents::Distance if k == 0 => if_written(1, 2) | if_written(2, 4),
        SourceComponents::Distance => if_written(1, 2) | if_written(3, 8),
        SourceComponents::Dp2Add if k < 2 => 3,
        SourceComponents::Dp2Add => return Needed::Component,
        SourceComponents::Bump => 3,
        SourceComponents::Texel if version.major < 2 => 7,
        SourceComponents::Texel if k == 1 => return Needed::Sampler,
        // w is the divisor, the bias or the level.
        SourceComponents::Texel if op == Opcode::Texldl || control != 0 => coordinates | 8,
        SourceComponents::Texel => coordinates,
        SourceComponents::None => return Needed::Single,
    })
}

/// Returns the components of source `k`, after swizzling, that an instruction reads.
pub(super) fn source_mask(i: &Instruction, op: Opcode, version: Version, textures: Textures, k: usize) -> u8 {
    if is_scratch(op, k) {
        return 0;
    }
    let mask = i.dest.map_or(0, |d| d.mask);
    match needed(op, k, mask, version, i.control, textures.coordinates(i)) {
        Needed::Components(source_mask) => source_mask,
        Needed::Component if i.sources.get(k).is_none_or(Source::is_replicated) => 1,
        Needed::Component | Needed::Sampler => 15,
        Needed::Single => 1,
    }
}

/// Returns the register components that a source selects for the components in `mask`, and the component that its modifier divides by.
pub(super) fn components(source: &Source, mask: u8) -> u8 {
    let named = (0..4).filter(|c| mask >> c & 1 != 0).fold(0, |mask, c| mask | 1 << source.component(c));
    named | Modifier::from_number(source.modifier).map_or(0, Modifier::divisor)
}

/// Calls `each` for each resource that an instruction reads.
pub(super) fn reads(i: &Instruction, version: Version, textures: Textures, mut each: impl FnMut(Read)) {
    let Some(op) = i.op() else { return };
    let index = |relative: &Relative, each: &mut dyn FnMut(Read)| match relative {
        Relative::Direct => {}
        Relative::Implied => {
            each(Read {
                resource: ReadResource::Register(File::Address as u8, Some(0)),
                mask: 1,
                source: None,
            });
        }
        Relative::Indexed(by) => {
            let mask = 1 << by.component();
            each(Read { resource: ReadResource::Register(by.file, Some(by.number)), mask, source: None });
        }
    };
    if let Some(dest) = &i.dest {
        index(&dest.relative, &mut each);
        if has_texture_registers(version) && reads_coordinates(op) {
            each(Read { resource: ReadResource::Coordinates(dest.number), mask: 15, source: None });
        } else if reads_destination(op, version) {
            // By option, texkill tests all components in 2_0 and later, whatever its mask.
            let mask = match op {
                Opcode::Texdepth => 3,
                _ if version.major < 2 => 7,
                _ => 15,
            };
            each(Read { resource: ReadResource::Register(dest.file, Some(dest.number)), mask, source: None });
        }
    }
    if let Some(predicate) = &i.predicate {
        index(&predicate.relative, &mut each);
        let mask = components(predicate, i.dest.map_or(15, |d| d.mask));
        each(Read {
            resource: ReadResource::Register(predicate.file, Some(predicate.number)),
            mask,
            source: None,
        });
    }
    for (k, source) in i.sources.iter().enumerate() {
        index(&source.relative, &mut each);
        if is_scratch(op, k) {
            continue;
        }
        let mask = components(source, source_mask(i, op, version, textures, k));
        let rows = if k == 1 { op.rows().unwrap_or(1) } else { 1 };
        let relative = source.relative.is_relative();
        for row in 0..u16::from(rows) {
            let number = (!relative).then(|| source.number.saturating_add(row));
            each(Read { resource: ReadResource::Register(source.file, number), mask, source: Some(k as u8) });
        }
    }
}
