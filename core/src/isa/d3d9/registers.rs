//! The register files, each declared once: number, name, what its registers are called and where, and what a register is for.

use super::program::Version;
use crate::binary::vocabulary;

/// Where a register has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Everywhere,
    Vertex,
    /// Vertex shaders from 3_0 on.
    Vertex3,
    /// All but vertex shaders from 3_0 on.
    NotVertex3,
    Pixel,
}

impl Where {
    /// Whether a version is there.
    pub(super) fn has(self, version: Version) -> bool {
        let vertex3 = !version.pixel() && version.major >= 3;
        match self {
            Where::Everywhere => true,
            Where::Vertex => !version.pixel(),
            Where::Vertex3 => vertex3,
            Where::NotVertex3 => !vertex3,
            Where::Pixel => version.pixel(),
        }
    }
}

/// What a register is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterName {
    /// Letters before the number.
    pub(super) name: &'static str,
    /// Its file.
    pub(super) file: File,
    /// The number of a register that has the name for itself.
    pub(super) single: Option<u16>,
    /// Where it is called so.
    pub(super) place: Where,
}

const MANY: Option<u16> = None;

/// The loop counter.
pub(super) const COUNTER: &str = "aL";

// After the name of a file stand those of its registers: letters, then MANY where a number follows them, or the number of the one that is called so.
macro_rules! files {
    ($($(#[$doc:meta])* $file:ident = $number:literal $text:literal [$($letters:tt $which:expr, $place:ident);*],)*) => {
        vocabulary! {
            /// The register files by their number in a token. Some numbers mean different files by stage and version.
            pub enum File {
                $($(#[$doc])* $file = $number $text,)*
            }
        }

        /// The names. Registers of a file that a version does not have are named too: that they are not there is for the validator to say.
        pub(super) static REGISTERS: &[RegisterName] = &[
            $($(RegisterName { name: $letters, file: File::$file, single: $which, place: Where::$place },)*)*
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
    /// `oT`, or `o` of vs_3_0.
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
    /// Never used.
    Half = 16 "half" [],
    /// `vPos`, `vFace`.
    Misc = 17 "misc" ["vPos" Some(0), Everywhere; "vFace" Some(1), Everywhere],
    /// `l`.
    Label = 18 "label" ["l" MANY, Everywhere],
    /// `p0`.
    Predicate = 19 "predicate" ["p" MANY, Everywhere],
}

vocabulary! {
    /// What a register is for, by stage and version.
    pub enum Role {
        /// Temporaries.
        Temporary = 0 "temporary",
        /// Inputs, of pixel shaders colours or whatever is declared.
        Input = 1 "input",
        /// Float constants.
        Constant = 2 "constant",
        /// The address register.
        Address = 3 "address",
        /// Texture coordinates and texture registers.
        Texture = 4 "texture",
        /// Outputs but the depth.
        Output = 5 "output",
        /// The depth.
        Depth = 6 "depth",
        /// Place and face.
        Misc = 7 "misc",
        /// Boolean constants.
        Bool = 8 "bool",
        /// The predicate.
        Predicate = 9 "predicate",
    }
}
