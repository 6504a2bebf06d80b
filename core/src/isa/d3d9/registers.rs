//! The register files, each defined once with its number, its name and the names of its registers, and the roles of registers.

use super::program::Version;
use crate::binary::vocabulary;

/// The versions in which a register has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameVersions {
    Everywhere,
    Vertex,
    /// Vertex shaders of 3_0 and later.
    Vertex3,
    /// All except vertex shaders of 3_0 and later.
    NotVertex3,
    Pixel,
}

impl NameVersions {
    /// Whether `version` is one of the versions.
    pub(super) fn has(self, version: Version) -> bool {
        let vertex3 = !version.is_pixel() && version.major >= 3;
        match self {
            NameVersions::Everywhere => true,
            NameVersions::Vertex => !version.is_pixel(),
            NameVersions::Vertex3 => vertex3,
            NameVersions::NotVertex3 => !vertex3,
            NameVersions::Pixel => version.is_pixel(),
        }
    }
}

/// A name for the registers of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterName {
    /// The letters before the register number; the whole name for a single register.
    pub(super) name: &'static str,
    /// The register file.
    pub(super) file: File,
    /// The number of the register, if the name denotes a single register.
    pub(super) single: Option<u16>,
    /// The versions that have the name.
    pub(super) versions: NameVersions,
}

const MANY: Option<u16> = None;

/// The name of the address register.
pub(super) const ADDRESS_NAME: &str = "a0";

/// The name of the loop counter.
pub(super) const COUNTER: &str = "aL";

// Each file lists the names of its registers in brackets. A name consists of letters, MANY if a register number follows them, otherwise the number of
// the single register, and the versions that have the name.
macro_rules! files {
    ($($(#[$doc:meta])* $file:ident = $number:literal $text:literal [$($letters:tt $single:expr, $versions:ident);*],)*) => {
        vocabulary! {
            /// The register files, by their number in a token. Some numbers denote different files depending on stage and version.
            pub enum File {
                $($(#[$doc])* $file = $number $text,)*
            }
        }

        /// The names of registers. A version can have names for registers that it does not have; the validator rejects such registers.
        pub(super) static REGISTER_NAMES: &[RegisterName] = &[
            $($(RegisterName { name: $letters, file: File::$file, single: $single, versions: NameVersions::$versions },)*)*
        ];
    };
}

files! {
    /// `r`.
    Temporary = 0 "temporary" ["r" MANY, Everywhere],
    /// `v`.
    Input = 1 "input" ["v" MANY, Everywhere],
    /// `c0` to `c2047`.
    Constant = 2 "constant" ["c" MANY, Everywhere],
    /// `a0` of vertex shaders, `t` of pixel shaders.
    Address = 3 "address" ["a" MANY, Vertex; "t" MANY, Pixel],
    /// `oPos`, `oFog`, `oPts`.
    Rasterizer = 4 "rasterizer" ["oPos" Some(0), Everywhere; "oFog" Some(1), Everywhere; "oPts" Some(2), Everywhere],
    /// `oD`.
    ColorOut = 5 "color output" ["oD" MANY, Everywhere],
    /// `oT`, or `o` of vertex shaders of 3_0 and later.
    CoordinateOut = 6 "coordinate output" ["oT" MANY, NotVertex3; "o" MANY, Vertex3],
    /// `i`.
    Int = 7 "int" ["i" MANY, Everywhere],
    /// `oC`.
    PixelColor = 8 "pixel color" ["oC" MANY, Everywhere],
    /// `oDepth`.
    PixelDepth = 9 "pixel depth" ["oDepth" Some(0), Everywhere],
    /// `s`.
    Sampler = 10 "sampler" ["s" MANY, Everywhere],
    /// `c2048` to `c4095`.
    Constant2 = 11 "constant 2048" [],
    /// `c4096` to `c6143`.
    Constant3 = 12 "constant 4096" [],
    /// `c6144` to `c8191`.
    Constant4 = 13 "constant 6144" [],
    /// `b`.
    Bool = 14 "bool" ["b" MANY, Everywhere],
    /// `aL`.
    Loop = 15 "loop" [COUNTER Some(0), Everywhere],
    /// 16-bit float temporaries, which no version has.
    Half = 16 "half" [],
    /// `vPos`, `vFace`.
    Misc = 17 "misc" ["vPos" Some(0), Everywhere; "vFace" Some(1), Everywhere],
    /// `l`.
    Label = 18 "label" ["l" MANY, Everywhere],
    /// `p0`.
    Predicate = 19 "predicate" ["p" MANY, Everywhere],
}

vocabulary! {
    /// The role of a register, by stage and version.
    pub enum Role {
        /// Temporaries.
        Temporary = 0 "temporary",
        /// Inputs: in pixel shaders before 3_0 the colours, otherwise registers whose usage is declared.
        Input = 1 "input",
        /// Float constants.
        Constant = 2 "constant",
        /// The address register.
        Address = 3 "address",
        /// Texture coordinates and texture registers.
        Texture = 4 "texture",
        /// Outputs except the depth.
        Output = 5 "output",
        /// The depth.
        Depth = 6 "depth",
        /// `vPos` and `vFace`: the position of the pixel, and which face of the primitive it belongs to.
        Misc = 7 "misc",
        /// Boolean constants.
        Bool = 8 "bool",
        /// The predicate.
        Predicate = 9 "predicate",
    }
}
