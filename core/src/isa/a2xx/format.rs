//! Formats of surfaces and vertices, declared once: number, name, and how the bits of a vertex's components are read.

use super::program::XENOS;
use crate::isa::facet::choice::{Choice, with_first};

/// The interpretation of the bits of a format's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// Integers; the fetch selects sign and scale.
    Fields,
    /// binary16.
    Half,
    /// binary32.
    Single,
}

/// The interpretation of a format's bits, and the widths of x, y, z and w from the least significant bit up. Format names list widths from the most
/// significant bit down.
pub type Components = (Numbers, [u8; 4]);

/// A format (mesa, xenia).
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Number in the field.
    pub number: u8,
    /// Name without `FMT_`: Adreno's name if Adreno has the format, else Xenos's.
    pub name: &'static str,
    /// Whether listings print the name. The other formats exist only on Xenos, and listings print their number.
    pub is_listed: bool,
    /// Whether the format is a documented vertex format. Coverage treats all others as one value.
    pub is_documented: bool,
    /// Components on Adreno; `None` for compressed formats and for numbers not defined there.
    adreno: Option<Components>,
    /// Components on Xenos; `None` for compressed formats and for numbers not defined there.
    xenos: Option<Components>,
}

const fn each(
    number: u8,
    name: &'static str,
    adreno: Option<Components>,
    xenos: Option<Components>,
) -> Format {
    Format { number, name, is_listed: true, is_documented: false, adreno, xenos }
}
const fn both(number: u8, name: &'static str, numbers: Numbers, widths: [u8; 4]) -> Format {
    each(number, name, Some((numbers, widths)), Some((numbers, widths)))
}
const fn texels(number: u8, name: &'static str) -> Format {
    each(number, name, None, None)
}

impl Format {
    const fn documented(self) -> Format {
        Format { is_documented: true, ..self }
    }
    const fn unlisted(self) -> Format {
        Format { is_listed: false, ..self }
    }
}

use Numbers::{Fields, Half, Single};

/// The formats with a name, sorted by number.
pub const TABLE: [Format; 55] = [
    both(0, "1_REVERSE", Fields, [1, 0, 0, 0]),
    both(1, "1", Fields, [1, 0, 0, 0]),
    both(2, "8", Fields, [8, 0, 0, 0]).documented(),
    both(3, "1_5_5_5", Fields, [5, 5, 5, 1]),
    both(4, "5_6_5", Fields, [5, 6, 5, 0]),
    both(5, "6_5_5", Fields, [5, 5, 6, 0]),
    both(6, "8_8_8_8", Fields, [8, 8, 8, 8]).documented(),
    both(7, "2_10_10_10", Fields, [10, 10, 10, 2]).documented(),
    both(8, "8_A", Fields, [8, 0, 0, 0]),
    both(9, "8_B", Fields, [8, 0, 0, 0]),
    both(10, "8_8", Fields, [8, 8, 0, 0]).documented(),
    texels(11, "Cr_Y1_Cb_Y0"),
    texels(12, "Y1_Cr_Y0_Cb"),
    each(13, "5_5_5_1", Some((Fields, [1, 5, 5, 5])), None),
    both(14, "8_8_8_8_A", Fields, [8, 8, 8, 8]),
    both(15, "4_4_4_4", Fields, [4, 4, 4, 4]),
    each(16, "8_8_8", Some((Fields, [8, 8, 8, 0])), Some((Fields, [11, 11, 10, 0]))).documented(),
    each(17, "11_11_10", None, Some((Fields, [10, 11, 11, 0]))).documented().unlisted(),
    texels(18, "DXT1"),
    texels(19, "DXT2_3"),
    texels(20, "DXT4_5"),
    each(21, "10_10_10_2", Some((Fields, [2, 10, 10, 10])), None),
    both(22, "24_8", Fields, [8, 24, 0, 0]),
    both(24, "16", Fields, [16, 0, 0, 0]).documented(),
    both(25, "16_16", Fields, [16, 16, 0, 0]).documented(),
    both(26, "16_16_16_16", Fields, [16, 16, 16, 16]).documented(),
    both(27, "16_EXPAND", Fields, [16, 0, 0, 0]),
    both(28, "16_16_EXPAND", Fields, [16, 16, 0, 0]),
    both(29, "16_16_16_16_EXPAND", Fields, [16, 16, 16, 16]),
    both(30, "16_FLOAT", Half, [16, 0, 0, 0]).documented(),
    both(31, "16_16_FLOAT", Half, [16, 16, 0, 0]).documented(),
    both(32, "16_16_16_16_FLOAT", Half, [16, 16, 16, 16]).documented(),
    both(33, "32", Fields, [32, 0, 0, 0]).documented(),
    both(34, "32_32", Fields, [32, 32, 0, 0]).documented(),
    both(35, "32_32_32_32", Fields, [32, 32, 32, 32]).documented(),
    both(36, "32_FLOAT", Single, [32, 0, 0, 0]).documented(),
    both(37, "32_32_FLOAT", Single, [32, 32, 0, 0]).documented(),
    both(38, "32_32_32_32_FLOAT", Single, [32, 32, 32, 32]).documented(),
    texels(39, "ATI_TC_RGB"),
    texels(40, "ATI_TC_RGBA"),
    texels(41, "ATI_TC_555_565_RGB"),
    texels(42, "ATI_TC_555_565_RGBA"),
    texels(43, "ATI_TC_RGBA_INTERP"),
    texels(44, "ATI_TC_555_565_RGBA_INTERP"),
    texels(46, "ETC1_RGBA_INTERP"),
    texels(47, "ETC1_RGB"),
    texels(48, "ETC1_RGBA"),
    texels(49, "DXN"),
    both(51, "2_3_3", Fields, [3, 3, 2, 0]),
    both(54, "2_10_10_10_AS_16x4", Fields, [10, 10, 10, 2]),
    each(55, "10_10_10_2_AS_16x4", Some((Fields, [2, 10, 10, 10])), Some((Fields, [11, 11, 10, 0]))),
    both(57, "32_32_32_FLOAT", Single, [32, 32, 32, 0]).documented(),
    texels(58, "DXT3A"),
    texels(59, "DXT5A"),
    texels(60, "CTX1"),
];

/// The number of listed and of documented formats.
const COUNTS: (usize, usize) = {
    let (mut listed, mut documented, mut k) = (0, 0, 0);
    while k < TABLE.len() {
        listed += TABLE[k].is_listed as usize;
        documented += TABLE[k].is_documented as usize;
        k += 1;
    }
    (listed, documented)
};

/// Numbers and names of the formats that listings print by name.
pub const LISTED: [(u64, &str); COUNTS.0] = {
    let mut all = [(0, ""); COUNTS.0];
    let (mut at, mut k) = (0, 0);
    while k < TABLE.len() {
        if TABLE[k].is_listed {
            all[at] = (TABLE[k].number as u64, TABLE[k].name);
            at += 1;
        }
        k += 1;
    }
    all
};

/// The number of the most common vertex format.
const USUAL: u8 = 38;
/// The facet value and number of a format that represents all undocumented ones.
const OTHER: Choice = ("other", 55);

/// The values of the facet: documented formats, the most common one first, then one for all others.
pub const VALUES: [Choice; COUNTS.1 + 1] = {
    let mut all = [OTHER; COUNTS.1 + 1];
    let (mut at, mut k) = (0, 0);
    while k < TABLE.len() {
        if TABLE[k].is_documented {
            all[at] = (TABLE[k].name, TABLE[k].number);
            at += 1;
        }
        k += 1;
    }
    with_first(all, USUAL)
};

/// Returns the facet value for a format.
pub fn value(number: u8) -> &'static str {
    crate::isa::facet::choice::value(&VALUES, number).unwrap_or(OTHER.0)
}

/// Returns the name of a format in listings; `None` if listings print its number.
pub(super) fn listed_name(number: u8) -> Option<&'static str> {
    LISTED.iter().find(|(known, _)| *known == u64::from(number)).map(|(_, name)| *name)
}

/// Components by format number, first for Adreno, then for Xenos.
static COMPONENTS: [[Option<Components>; 64]; 2] = {
    let mut all = [[None; 64]; 2];
    let mut k = 0;
    while k < TABLE.len() {
        all[0][TABLE[k].number as usize] = TABLE[k].adreno;
        all[1][TABLE[k].number as usize] = TABLE[k].xenos;
        k += 1;
    }
    all
};

/// Returns the components of a format; `None` for compressed formats and undefined numbers, which a vertex fetch cannot read.
pub(super) fn components(version: u32, number: u8) -> Option<Components> {
    *COMPONENTS[usize::from(version == XENOS)].get(usize::from(number))?
}
