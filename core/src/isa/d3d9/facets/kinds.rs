//! Classifications of registers, swizzles and masks, used as facet values.

use super::super::limits::count;
use super::super::program::{File, Source, Version, constant_number, replicate};
pub use super::super::registers::Role;
use crate::binary::{exact, vocabulary};

vocabulary! {
    /// The kind of a swizzle.
    pub enum SwizzleKind {
        /// The identity: each component reads itself.
        Identity = 0 "identity",
        /// One component is read four times.
        Replicated = 1 "replicated",
        /// Any other swizzle.
        Permuted = 2 "permuted",
    }

    /// The kind of a write mask.
    pub enum MaskKind {
        /// Only x.
        X = 0 "x",
        /// Only y.
        Y = 1 "y",
        /// Only z.
        Z = 2 "z",
        /// Only w.
        W = 3 "w",
        /// Two or three components.
        Partial = 4 "partial",
        /// All components.
        Full = 5 "full",
    }

    /// The register that is added to a register number: a component of a0, or aL.
    pub enum IndexRegister {
        /// Component x.
        X = 0 "x",
        /// Component y.
        Y = 1 "y",
        /// Component z.
        Z = 2 "z",
        /// Component w.
        W = 3 "w",
        /// The loop counter.
        Loop = 4 "loop",
    }

    /// The predicate component that enables the write of each result component.
    pub enum PredicateComponents {
        /// The component of the same name.
        Own = 0 "own",
        /// x for all components.
        X = 1 "x",
        /// y for all components.
        Y = 2 "y",
        /// z for all components.
        Z = 3 "z",
        /// w for all components.
        W = 4 "w",
    }
}

impl Role {
    /// Returns the role of a register file, given by its number. `None` for integer constants, samplers, labels, aL, 16-bit temporaries and numbers
    /// of no file.
    pub fn of(version: Version, file: u8) -> Option<Role> {
        if constant_number(file, 0).is_some() {
            return Some(Role::Constant);
        }
        Some(match File::from_number(file)? {
            File::Temporary => Role::Temporary,
            File::Input => Role::Input,
            File::Address if version.is_pixel() => Role::Texture,
            File::Address => Role::Address,
            File::Rasterizer | File::ColorOut | File::CoordinateOut | File::PixelColor => Role::Output,
            File::PixelDepth => Role::Depth,
            File::Misc => Role::Misc,
            File::Bool => Role::Bool,
            File::Predicate => Role::Predicate,
            _ => return None,
        })
    }

    /// Returns a register file with this role; `None` if the stage has none, or, for outputs, the version. A version need not have registers in the
    /// file: a predicate is returned for ps_1_1, too.
    pub fn file(self, version: Version) -> Option<File> {
        let (pixel, major) = (version.is_pixel(), version.major);
        Some(match self {
            Role::Temporary => File::Temporary,
            Role::Input => File::Input,
            Role::Constant => File::Constant,
            Role::Address if !pixel => File::Address,
            Role::Texture if pixel => File::Address,
            Role::Output if !pixel && major < 3 => File::Rasterizer,
            Role::Output if !pixel => File::CoordinateOut,
            Role::Output if major >= 2 => File::PixelColor,
            Role::Depth if pixel => File::PixelDepth,
            Role::Misc if pixel => File::Misc,
            Role::Bool => File::Bool,
            Role::Predicate => File::Predicate,
            _ => return None,
        })
    }
}

impl IndexRegister {
    /// Returns the number of the component of a0; `None` for the loop counter.
    pub fn component(self) -> Option<u8> {
        (self != IndexRegister::Loop).then_some(self as u8)
    }
}

impl PredicateComponents {
    /// Returns the components that a predicate's swizzle selects; `None` if the swizzle is neither the identity nor a replication.
    pub fn of(predicate: &Source) -> Option<PredicateComponents> {
        PredicateComponents::ALL.into_iter().find(|components| components.swizzle() == predicate.swizzle)
    }

    /// Returns the swizzle that selects the components.
    pub fn swizzle(self) -> u8 {
        match self {
            PredicateComponents::Own => Source::XYZW,
            PredicateComponents::X => replicate(0),
            PredicateComponents::Y => replicate(1),
            PredicateComponents::Z => replicate(2),
            PredicateComponents::W => replicate(3),
        }
    }
}

impl SwizzleKind {
    /// Returns the kind of a source's swizzle.
    pub fn of(source: &Source) -> SwizzleKind {
        if source.swizzle == Source::XYZW {
            SwizzleKind::Identity
        } else if source.is_replicated() {
            SwizzleKind::Replicated
        } else {
            SwizzleKind::Permuted
        }
    }
}

impl MaskKind {
    /// Returns the kind of a write mask; `None` for the empty mask.
    pub fn of(mask: u8) -> Option<MaskKind> {
        Some(match mask {
            0 => return None,
            1 => MaskKind::X,
            2 => MaskKind::Y,
            4 => MaskKind::Z,
            8 => MaskKind::W,
            15 => MaskKind::Full,
            _ => MaskKind::Partial,
        })
    }
}

/// Returns the number of the temporary used for results. In pixel shaders before 2_0 it is not r0, which is the output there.
pub(super) fn result(version: Version) -> u16 {
    u16::from(version.is_pixel() && version.major < 2)
}

/// Returns the number of a register with this role for a source. For temporaries, float constants, inputs and texture registers, it differs from that
/// of each other source and from the result register if there are enough registers; for other roles it is 0.
pub(super) fn number(version: Version, role: Role, source: usize) -> u16 {
    let Some(profile) = version.profile() else { return 0 };
    let source = exact::<u16, _>(source);
    let among = |file, first: u16, step: u16| {
        let count = count(profile, file).max(1);
        (first + step * source) % count
    };
    match role {
        Role::Temporary => {
            let count = count(profile, File::Temporary).max(2);
            (result(version) + 1 + source % (count - 1)) % count
        }
        Role::Input => among(File::Input, 0, 1),
        Role::Constant => among(File::Constant, 0, 2),
        Role::Texture => among(File::Address, 0, 1),
        _ => 0,
    }
}
