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
    /// Components on Adreno; `None` for compressed and subsampled formats and for numbers not defined there.
    adreno: Option<Components>,
    /// Components on Xenos; `None` for compressed and subsampled formats and for numbers not defined there.
    xenos: Option<Components>,
}

/// A format whose components may differ between Adreno and Xenos.
const fn by_version(
    number: u8,
    name: &'static str,
    adreno: Option<Components>,
    xenos: Option<Components>,
) -> Format {
    Format { number, name, is_listed: true, is_documented: false, adreno, xenos }
}
/// A format with the same components on Adreno and Xenos.
const fn common(number: u8, name: &'static str, numbers: Numbers, widths: [u8; 4]) -> Format {
    by_version(number, name, Some((numbers, widths)), Some((numbers, widths)))
}
/// A format that a vertex fetch cannot read.
const fn texture_only(number: u8, name: &'static str) -> Format {
    by_version(number, name, None, None)
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
pub const TABLE: [Format; 57] = [
    common(0, "1_REVERSE", Fields, [1, 0, 0, 0]),
    common(1, "1", Fields, [1, 0, 0, 0]),
    common(2, "8", Fields, [8, 0, 0, 0]).documented(),
    common(3, "1_5_5_5", Fields, [5, 5, 5, 1]),
    common(4, "5_6_5", Fields, [5, 6, 5, 0]),
    common(5, "6_5_5", Fields, [5, 5, 6, 0]),
    common(6, "8_8_8_8", Fields, [8, 8, 8, 8]).documented(),
    common(7, "2_10_10_10", Fields, [10, 10, 10, 2]).documented(),
    common(8, "8_A", Fields, [8, 0, 0, 0]),
    common(9, "8_B", Fields, [8, 0, 0, 0]),
    common(10, "8_8", Fields, [8, 8, 0, 0]).documented(),
    texture_only(11, "Cr_Y1_Cb_Y0"),
    texture_only(12, "Y1_Cr_Y0_Cb"),
    by_version(13, "5_5_5_1", Some((Fields, [1, 5, 5, 5])), None),
    common(14, "8_8_8_8_A", Fields, [8, 8, 8, 8]),
    common(15, "4_4_4_4", Fields, [4, 4, 4, 4]),
    by_version(16, "8_8_8", Some((Fields, [8, 8, 8, 0])), Some((Fields, [11, 11, 10, 0]))).documented(),
    by_version(17, "11_11_10", None, Some((Fields, [10, 11, 11, 0]))).documented().unlisted(),
    texture_only(18, "DXT1"),
    texture_only(19, "DXT2_3"),
    texture_only(20, "DXT4_5"),
    by_version(21, "10_10_10_2", Some((Fields, [2, 10, 10, 10])), None),
    common(22, "24_8", Fields, [8, 24, 0, 0]),
    common(24, "16", Fields, [16, 0, 0, 0]).documented(),
    common(25, "16_16", Fields, [16, 16, 0, 0]).documented(),
    common(26, "16_16_16_16", Fields, [16, 16, 16, 16]).documented(),
    common(27, "16_EXPAND", Fields, [16, 0, 0, 0]),
    common(28, "16_16_EXPAND", Fields, [16, 16, 0, 0]),
    common(29, "16_16_16_16_EXPAND", Fields, [16, 16, 16, 16]),
    common(30, "16_FLOAT", Half, [16, 0, 0, 0]).documented(),
    common(31, "16_16_FLOAT", Half, [16, 16, 0, 0]).documented(),
    common(32, "16_16_16_16_FLOAT", Half, [16, 16, 16, 16]).documented(),
    common(33, "32", Fields, [32, 0, 0, 0]).documented(),
    common(34, "32_32", Fields, [32, 32, 0, 0]).documented(),
    common(35, "32_32_32_32", Fields, [32, 32, 32, 32]).documented(),
    common(36, "32_FLOAT", Single, [32, 0, 0, 0]).documented(),
    common(37, "32_32_FLOAT", Single, [32, 32, 0, 0]).documented(),
    common(38, "32_32_32_32_FLOAT", Single, [32, 32, 32, 32]).documented(),
    texture_only(39, "ATI_TC_RGB"),
    texture_only(40, "ATI_TC_RGBA"),
    texture_only(41, "ATI_TC_555_565_RGB"),
    texture_only(42, "ATI_TC_555_565_RGBA"),
    texture_only(43, "ATI_TC_RGBA_INTERP"),
    texture_only(44, "ATI_TC_555_565_RGBA_INTERP"),
    texture_only(46, "ETC1_RGBA_INTERP"),
    texture_only(47, "ETC1_RGB"),
    texture_only(48, "ETC1_RGBA"),
    texture_only(49, "DXN"),
    by_version(50, "8_8_8_8_AS_16x4", None, Some((Fields, [8, 8, 8, 8]))).unlisted(),
    by_version(51, "2_3_3", Some((Fields, [3, 3, 2, 0])), None),
    common(54, "2_10_10_10_AS_16x4", Fields, [10, 10, 10, 2]),
    by_version(55, "10_10_10_2_AS_16x4", Some((Fields, [2, 10, 10, 10])), Some((Fields, [11, 11, 10, 0]))),
    by_version(56, "11_11_10_AS_16x4", None, Some((Fields, [10, 11, 11, 0]))).unlisted(),
    common(57, "32_32_32_FLOAT", Single, [32, 32, 32, 0]).documented(),
    texture_only(58, "DXT3A"),
    texture_only(59, "DXT5A"),
    texture_only(60, "CTX1"),
];

/// The number of listed formats, and that of documented formats.
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
/// The facet value for all undocumented formats, with the number of the format that represents them.
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

/// The components of each format by number: element 0 for Adreno, element 1 for Xenos.
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

/// Returns the components of a format; `None` for compressed and subsampled formats and undefined numbers, which a vertex fetch cannot
/// read.
pub(super) fn components(version: u32, number: u8) -> Option<Components> {
    *COMPONENTS[usize::from(version == XENOS)].get(usize::from(number))?
}

#[cfg(test)]
mod tests {
    use super::super::program::ADRENO;
    use super::*;

    /// A number has different components on Adreno and Xenos only if the documents give it different formats. Number 51 is 2_3_3 on Adreno and a
    /// compressed format on Xenos.
    #[test]
    fn formats_differ_between_processors_where_the_documents_say_so() {
        let per_target =
            |number: u8| matches!(number, 13 | 16 | 17 | 21 | 23 | 39..=48 | 50..=53 | 55 | 56 | 61..=63);
        for number in 0..64 {
            let [adreno, xenos] = [ADRENO, XENOS].map(|version| components(version, number));
            assert!(adreno == xenos || per_target(number), "format {number}");
        }
        assert_eq!(components(ADRENO, 51), Some((Numbers::Fields, [3, 3, 2, 0])));
        assert_eq!(components(XENOS, 51), None);
        // "As 16 bits" (xenia): on Xenos, a texel has the bits of the format without that ending.
        for (widened, plain) in [(50, 6), (54, 7), (55, 16), (56, 17)] {
            assert!(components(XENOS, widened).is_some(), "format {widened}");
            assert_eq!(components(XENOS, widened), components(XENOS, plain), "format {widened}");
        }
    }
}
