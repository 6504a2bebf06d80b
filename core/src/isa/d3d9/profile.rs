//! Shader versions: their numbers and names, and sets of versions.

use super::program::Version;
use crate::isa::Stage;

macro_rules! profiles {
    ($($variant:ident $stage:ident $major:literal $minor:literal $name:literal $doc:literal;)*) => {
        /// A version of one of the two shader languages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Profile { $(#[doc = $doc] $variant,)* }

        impl Profile {
            /// All versions: vertex before pixel, oldest first.
            pub const ALL: &'static [Profile] = &[$(Profile::$variant),*];

            /// Returns the stage, the major and the minor number, and the name in assembly text.
            const fn row(self) -> (Stage, u8, u8, &'static str) {
                match self { $(Profile::$variant => (Stage::$stage, $major, $minor, $name),)* }
            }
        }
    };
}

profiles! {
    Vs10 Vertex 1 0 "vs_1_0" "DirectX 8 without an address register.";
    Vs11 Vertex 1 1 "vs_1_1" "DirectX 8.";
    Vs20 Vertex 2 0 "vs_2_0" "Static flow control.";
    Vs2x Vertex 2 1 "vs_2_x" "Dynamic flow control and predication, by capability. `vs_2_a` is one of its capability sets.";
    Vs2sw Vertex 2 0xff "vs_2_sw" "Software, without limits.";
    Vs30 Vertex 3 0 "vs_3_0" "Indexed inputs and outputs, textures.";
    Vs3sw Vertex 3 0xff "vs_3_sw" "Software, without limits.";
    Ps10 Fragment 1 0 "ps_1_0" "The first pixel shader version.";
    Ps11 Fragment 1 1 "ps_1_1" "DirectX 8.";
    Ps12 Fragment 1 2 "ps_1_2" "With cmp and dp4.";
    Ps13 Fragment 1 3 "ps_1_3" "With depth output.";
    Ps14 Fragment 1 4 "ps_1_4" "Two phases, texture reads at computed coordinates.";
    Ps20 Fragment 2 0 "ps_2_0" "Floating-point registers.";
    Ps2x Fragment 2 1 "ps_2_x" "Flow control and predication, by capability. `ps_2_a` and `ps_2_b` are two of its capability sets.";
    Ps2sw Fragment 2 0xff "ps_2_sw" "Software, without limits.";
    Ps30 Fragment 3 0 "ps_3_0" "Loops, inputs with declared usages.";
    Ps3sw Fragment 3 0xff "ps_3_sw" "Software, without limits.";
}

impl Profile {
    /// Returns the profile with this stage, major and minor version, if there is one.
    pub fn of(version: Version) -> Option<Profile> {
        Profile::ALL.iter().copied().find(|p| p.version() == version)
    }

    /// Returns the content of the version token.
    pub const fn version(self) -> Version {
        let (stage, major, minor, _) = self.row();
        Version { stage, major, minor }
    }

    /// Returns the name in assembly text, such as `vs_2_x`.
    pub const fn name(self) -> &'static str {
        self.row().3
    }

    /// Returns the stage.
    pub const fn stage(self) -> Stage {
        self.row().0
    }

    /// Returns the major version, 1 to 3.
    pub const fn major(self) -> u8 {
        self.row().1
    }

    /// Whether this is a pixel shader version.
    pub const fn is_pixel(self) -> bool {
        matches!(self.row().0, Stage::Fragment)
    }

    /// Whether this is one of the software variants.
    pub const fn software(self) -> bool {
        self.row().2 == 0xff
    }
}

/// A set of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profiles(u32);

impl Profiles {
    /// No version.
    pub const NONE: Profiles = Profiles(0);
    /// Every vertex version.
    pub const VS: Profiles = Profiles::range(Profile::Vs10, Profile::Vs3sw);
    /// Vertex versions before 2_0.
    pub const VS1: Profiles = Profiles::range(Profile::Vs10, Profile::Vs11);
    /// Vertex versions 2_0 and later.
    pub const VS2: Profiles = Profiles::range(Profile::Vs20, Profile::Vs3sw);
    /// Vertex versions 2_x and later.
    pub const VS2X: Profiles = Profiles::range(Profile::Vs2x, Profile::Vs3sw);
    /// Vertex versions 3_0 and later.
    pub const VS3: Profiles = Profiles::range(Profile::Vs30, Profile::Vs3sw);
    /// Every pixel version.
    pub const PS: Profiles = Profiles::range(Profile::Ps10, Profile::Ps3sw);
    /// Pixel versions before 2_0.
    pub const PS1: Profiles = Profiles::range(Profile::Ps10, Profile::Ps14);
    /// ps_1_0 to ps_1_3.
    pub const PS13: Profiles = Profiles::range(Profile::Ps10, Profile::Ps13);
    /// Pixel versions 2_0 and later.
    pub const PS2: Profiles = Profiles::range(Profile::Ps20, Profile::Ps3sw);
    /// Pixel versions 2_x and later.
    pub const PS2X: Profiles = Profiles::range(Profile::Ps2x, Profile::Ps3sw);
    /// Pixel versions 3_0 and later.
    pub const PS3: Profiles = Profiles::range(Profile::Ps30, Profile::Ps3sw);
    /// Every version.
    pub const ALL: Profiles = Profiles::VS.or(Profiles::PS);

    /// Returns the versions from `first` to `last`, in the order of [`Profile`].
    pub const fn range(first: Profile, last: Profile) -> Profiles {
        Profiles((u32::MAX >> (31 - last as u32)) & (u32::MAX << first as u32))
    }

    /// Returns the set that contains only this version.
    pub const fn only(profile: Profile) -> Profiles {
        Profiles::range(profile, profile)
    }

    /// Returns the union of two sets.
    pub const fn or(self, other: Profiles) -> Profiles {
        Profiles(self.0 | other.0)
    }

    /// Whether a version is in the set.
    pub const fn has(self, profile: Profile) -> bool {
        self.0 >> profile as u32 & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_by_their_tokens_and_ranges_stay_in_their_stage() {
        for profile in Profile::ALL {
            assert_eq!(Profile::of(profile.version()), Some(*profile));
            assert_eq!(Profiles::PS.has(*profile), profile.is_pixel(), "{profile:?}");
            assert_eq!(Profiles::VS.has(*profile), !profile.is_pixel(), "{profile:?}");
            let (vs2, ps2) = (Profiles::VS2.has(*profile), Profiles::PS2.has(*profile));
            assert_eq!(vs2 || ps2, profile.major() >= 2, "{profile:?}");
        }
        assert_eq!(Profile::of(Version { stage: Stage::Vertex, major: 1, minor: 4 }), None);
    }
}
