//! The number of registers per file in each version, and the maximum size of a program.

use super::profile::Profile;
use super::program::{File, constant_number};

/// A limit that may depend on the device's capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The value that every device supports.
    pub guaranteed: u16,
    /// The highest value that a device can support.
    pub maximum: u16,
}

const fn fixed(n: u16) -> Bound {
    Bound { guaranteed: n, maximum: n }
}
const fn by_capability(guaranteed: u16, maximum: u16) -> Bound {
    Bound { guaranteed, maximum }
}

/// The limits of one version.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The version that the limits apply to.
    pub profile: Profile,
    /// The number of temporaries, `r`.
    pub temporaries: Bound,
    /// The number of float constants, `c`.
    pub constants: Bound,
    /// The number of integer constants, `i`. There are as many Boolean constants, `b`.
    pub ints: Bound,
    /// The number of inputs, `v`.
    pub inputs: u16,
    /// The number of `t` registers in pixel shaders, or of `a` registers in vertex shaders.
    pub address_file: u16,
    /// The number of samplers, `s`.
    pub samplers: u16,
    /// The number of `o` registers in vs_3_0 and later, or of `oT` registers before.
    pub outputs: u16,
    /// The number of loop counters, `aL`: 1 or 0.
    pub loops: u16,
    /// The number of predicates, `p`: 1 or 0.
    pub predicates: Bound,
    /// The number of labels, `l`.
    pub labels: Bound,
    /// The number of instruction slots. If texture instructions have slots of their own, only arithmetic instructions count here.
    pub slots: Bound,
    /// The number of slots for texture instructions, or `None` if all instructions share `slots`.
    pub texture_slots: Option<u16>,
    /// The maximum nesting depth of loops.
    pub loop_depth: Bound,
    /// The maximum nesting depth of calls.
    pub call_depth: Bound,
    /// The maximum nesting depth of dynamic conditions.
    pub dynamic_depth: Bound,
    /// The maximum nesting depth of static conditions.
    pub static_depth: Bound,
    /// The maximum number of static flow instructions in a program; `None` if unlimited.
    pub flow_count: Option<u16>,
}

/// The value of a bound without a limit.
const UNLIMITED: u16 = u16::MAX;

const VS1: Limits = Limits {
    profile: Profile::Vs11,
    temporaries: fixed(12),
    constants: by_capability(96, 256),
    ints: fixed(0),
    inputs: 16,
    address_file: 1,
    samplers: 0,
    outputs: 8,
    loops: 0,
    predicates: fixed(0),
    labels: fixed(0),
    slots: fixed(128),
    texture_slots: None,
    loop_depth: fixed(0),
    call_depth: fixed(0),
    dynamic_depth: fixed(0),
    static_depth: fixed(0),
    flow_count: None,
};
const VS2: Limits = Limits {
    profile: Profile::Vs20,
    constants: fixed(256),
    ints: fixed(16),
    loops: 1,
    labels: by_capability(16, 2048),
    slots: fixed(256),
    loop_depth: fixed(1),
    call_depth: fixed(1),
    static_depth: fixed(UNLIMITED),
    flow_count: Some(16),
    ..VS1
};
const VS2X: Limits = Limits {
    profile: Profile::Vs2x,
    temporaries: by_capability(12, 32),
    predicates: by_capability(0, 1),
    loop_depth: by_capability(1, 4),
    call_depth: by_capability(1, 4),
    dynamic_depth: by_capability(0, 24),
    ..VS2
};
const VS3: Limits = Limits {
    profile: Profile::Vs30,
    temporaries: fixed(32),
    samplers: 4,
    outputs: 12,
    predicates: fixed(1),
    labels: fixed(2048),
    slots: by_capability(512, 32768),
    loop_depth: fixed(4),
    call_depth: fixed(4),
    dynamic_depth: fixed(24),
    static_depth: fixed(24),
    flow_count: None,
    ..VS2X
};
const VS3SW: Limits = Limits {
    profile: Profile::Vs3sw,
    constants: fixed(8192),
    ints: fixed(2048),
    outputs: 16,
    slots: fixed(UNLIMITED),
    ..VS3
};

const PS1: Limits = Limits {
    profile: Profile::Ps11,
    temporaries: fixed(2),
    constants: fixed(8),
    inputs: 2,
    address_file: 4,
    outputs: 0,
    slots: fixed(8),
    texture_slots: Some(4),
    ..VS1
};
const PS2: Limits = Limits {
    profile: Profile::Ps20,
    temporaries: fixed(12),
    constants: fixed(32),
    address_file: 8,
    samplers: 16,
    slots: fixed(64),
    texture_slots: Some(32),
    ..PS1
};
const PS2X: Limits = Limits {
    profile: Profile::Ps2x,
    temporaries: by_capability(12, 32),
    ints: fixed(16),
    predicates: by_capability(0, 1),
    labels: by_capability(16, 2048),
    slots: by_capability(96, 512),
    texture_slots: None,
    loop_depth: by_capability(0, 4),
    call_depth: by_capability(0, 4),
    dynamic_depth: by_capability(0, 24),
    static_depth: by_capability(0, 24),
    ..PS2
};
const PS3: Limits = Limits {
    profile: Profile::Ps30,
    temporaries: fixed(32),
    constants: fixed(224),
    inputs: 10,
    address_file: 0,
    loops: 1,
    predicates: fixed(1),
    labels: fixed(2048),
    slots: by_capability(512, 32768),
    loop_depth: fixed(4),
    call_depth: fixed(4),
    dynamic_depth: fixed(24),
    static_depth: fixed(24),
    ..PS2X
};

/// The limits of each version, indexed by [`Profile`].
///
/// Sources: MS register, flow-control and "differences" pages with MSCAPS. vs_1_0 and ps_1_0 from MS81.
pub static LIMITS: [Limits; 17] = [
    Limits { profile: Profile::Vs10, constants: fixed(96), address_file: 0, ..VS1 },
    VS1,
    VS2,
    VS2X,
    Limits {
        profile: Profile::Vs2sw,
        constants: fixed(8192),
        ints: fixed(2048),
        temporaries: fixed(32),
        predicates: fixed(1),
        labels: fixed(2048),
        slots: fixed(UNLIMITED),
        loop_depth: fixed(4),
        call_depth: fixed(4),
        dynamic_depth: fixed(24),
        static_depth: fixed(24),
        flow_count: None,
        ..VS2X
    },
    VS3,
    VS3SW,
    Limits { profile: Profile::Ps10, ..PS1 },
    PS1,
    Limits { profile: Profile::Ps12, ..PS1 },
    Limits { profile: Profile::Ps13, ..PS1 },
    Limits { profile: Profile::Ps14, temporaries: fixed(6), address_file: 6, texture_slots: Some(6), ..PS1 },
    PS2,
    PS2X,
    Limits {
        profile: Profile::Ps2sw,
        temporaries: fixed(32),
        constants: fixed(8192),
        ints: fixed(2048),
        predicates: fixed(1),
        labels: fixed(2048),
        slots: fixed(UNLIMITED),
        loop_depth: fixed(4),
        call_depth: fixed(4),
        dynamic_depth: fixed(24),
        static_depth: fixed(24),
        ..PS2X
    },
    PS3,
    Limits {
        profile: Profile::Ps3sw,
        constants: fixed(8192),
        ints: fixed(2048),
        slots: fixed(UNLIMITED),
        ..PS3
    },
];

/// Returns the limits of a version.
pub fn limits(profile: Profile) -> &'static Limits {
    &LIMITS[profile as usize]
}

/// Returns the bound on the number of registers in a file. The files of float constants count as one file.
pub fn bound(profile: Profile, file: File) -> Bound {
    let l = limits(profile);
    let (pixel, major) = (profile.is_pixel(), profile.major());
    let vertex = |count: u16| fixed(if pixel { 0 } else { count });
    match file {
        File::Temporary => l.temporaries,
        File::Input => fixed(l.inputs),
        _ if constant_number(file as u8, 0).is_some() => l.constants,
        File::Address => fixed(l.address_file),
        File::Rasterizer => vertex(if major < 3 { 3 } else { 0 }),
        File::ColorOut => vertex(if major < 3 { 2 } else { 0 }),
        File::CoordinateOut => fixed(l.outputs),
        File::Int | File::Bool => l.ints,
        File::PixelColor => fixed(if pixel && major >= 2 { 4 } else { 0 }),
        File::PixelDepth => fixed(u16::from(pixel && major >= 2)),
        File::Sampler => fixed(l.samplers),
        File::Loop => fixed(l.loops),
        File::Misc => fixed(if pixel && major >= 3 { 2 } else { 0 }),
        File::Label => l.labels,
        File::Predicate => l.predicates,
        _ => fixed(0),
    }
}

/// Returns the maximum number of registers of a file on any device.
pub fn count(profile: Profile, file: File) -> u16 {
    bound(profile, file).maximum
}

/// Returns the number of registers of a file that software vertex processing offers to vertex shaders of every version: 8192 for `c` (WTEST). Returns
/// 0 for all other files and for pixel shaders: additional `i` and `b` registers are rejected unless the version is a software version.
pub fn software_count(profile: Profile, file: File) -> u16 {
    match file {
        _ if profile.is_pixel() => 0,
        _ if constant_number(file as u8, 0).is_some() => 8192,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_of_versions() {
        assert_eq!(LIMITS.len(), Profile::ALL.len());
        for (k, profile) in Profile::ALL.iter().enumerate() {
            assert_eq!(LIMITS[k].profile, *profile);
        }
    }

    /// The numbers of registers that Microsoft documents (source MS), row by row.
    #[test]
    fn register_counts_are_as_documented() {
        use Profile::*;
        let columns = [Vs11, Vs20, Vs2x, Vs30, Ps11, Ps14, Ps20, Ps2x, Ps30];
        let rows = [
            (File::Temporary, [12, 12, 32, 32, 2, 6, 12, 32, 32]),
            (File::Constant, [256, 256, 256, 256, 8, 8, 32, 32, 224]),
            (File::Int, [0, 16, 16, 16, 0, 0, 0, 16, 16]),
            (File::Bool, [0, 16, 16, 16, 0, 0, 0, 16, 16]),
            (File::Input, [16, 16, 16, 16, 2, 2, 2, 2, 10]),
            (File::Address, [1, 1, 1, 1, 4, 6, 8, 8, 0]),
            (File::Sampler, [0, 0, 0, 4, 0, 0, 16, 16, 16]),
            (File::Misc, [0, 0, 0, 0, 0, 0, 0, 0, 2]),
            (File::Rasterizer, [3, 3, 3, 0, 0, 0, 0, 0, 0]),
            (File::ColorOut, [2, 2, 2, 0, 0, 0, 0, 0, 0]),
            (File::CoordinateOut, [8, 8, 8, 12, 0, 0, 0, 0, 0]),
            (File::PixelColor, [0, 0, 0, 0, 0, 0, 4, 4, 4]),
            (File::PixelDepth, [0, 0, 0, 0, 0, 0, 1, 1, 1]),
            (File::Loop, [0, 1, 1, 1, 0, 0, 0, 0, 1]),
            (File::Predicate, [0, 0, 1, 1, 0, 0, 0, 1, 1]),
        ];
        for (file, counts) in rows {
            for (profile, expected) in columns.into_iter().zip(counts) {
                assert_eq!(count(profile, file), expected, "{file:?} of {}", profile.name());
            }
        }
    }
}
