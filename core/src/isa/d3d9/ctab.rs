//! The contents of comments written by compilers: a FourCC, and the constant table after the FourCC `CTAB`.
//!
//! Parsing a table does not change the comment's words, so a damaged table does not make a program invalid.

use super::word::{TextureType, UsageName, VersionWord};
use crate::binary::{Cursor, DecodeError, Problem};

/// The known FourCCs at the start of comments, with a description of the data after each.
pub const KINDS: &[(&str, &str)] = &[
    ("CTAB", "table of constants"),
    ("DBUG", "debug information"),
    ("PRES", "preshader"),
    ("CLIT", "literals of a preshader"),
    ("FXLC", "code of a preshader"),
    ("PRSI", "registers of a preshader"),
    ("TEXT", "text"),
];

/// The size of the table's header in bytes. Offsets in the table are relative to the byte after the FourCC.
const HEADER: u64 = 28;

/// The maximum number of constants of a table. A table that declares more is treated as damaged.
const MAX_CONSTANTS: u32 = 4096;

/// The maximum length of a name in bytes. Longer names are truncated.
const MAX_NAME_LENGTH: usize = 256;

/// Returns the FourCC of a comment, if it is one of [`KINDS`].
pub fn kind(words: &[u32]) -> Option<&'static str> {
    let first = words.first()?.to_le_bytes();
    KINDS.iter().map(|(name, _)| *name).find(|name| name.as_bytes() == first)
}

/// The register set of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// Boolean constants, `b`.
    Bool,
    /// Integer constants, `i`.
    Int,
    /// Float constants, `c`.
    Float,
    /// Samplers, `s`.
    Sampler,
    /// A number to which no register set is assigned.
    Unknown(u16),
}

impl Set {
    /// Returns the letter of the set's registers.
    pub fn letter(self) -> char {
        match self {
            Set::Bool => 'b',
            Set::Int => 'i',
            Set::Float => 'c',
            Set::Sampler => 's',
            Set::Unknown(_) => '?',
        }
    }
}

/// One constant of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The constant's name in the source text.
    pub name: String,
    /// The register set that holds the constant.
    pub set: Set,
    /// The number of the first register.
    pub register: u16,
    /// The number of registers.
    pub count: u16,
    /// The offset of the default values, from the byte after the FourCC; 0 if there are none.
    pub default: u32,
    /// The constant's type; `None` if the type cannot be parsed.
    pub shape: Option<Shape>,
}

/// The top level of a constant's type. Structure members are not followed, because they can form cycles in malicious files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// 0 scalar, 1 vector, 2 matrix by rows, 3 matrix by columns, 4 object, 5 structure.
    pub class: u16,
    /// The component type, in D3DX's numbering: 3 float, 2 int, 1 bool, 10 to 14 samplers.
    pub base: u16,
    /// The number of rows.
    pub rows: u16,
    /// The number of columns.
    pub columns: u16,
    /// The number of array elements.
    pub elements: u16,
    /// The number of structure members.
    pub members: u16,
}

/// A parsed constant table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantTable {
    /// The name of the compiler that wrote the table.
    pub creator: String,
    /// The version token stored in the table, which should equal that of the shader.
    pub version: u32,
    /// The compiler flags.
    pub flags: u32,
    /// The profile that was requested from the compiler, such as `ps_2_a`.
    pub target: String,
    /// Constants, in the order of the table.
    pub constants: Vec<Constant>,
}

impl ConstantTable {
    /// Parses a comment that begins with `CTAB`; returns `None` for other comments.
    ///
    /// # Errors
    /// If the table is damaged. The offset in the error is relative to the byte after the FourCC.
    pub fn read(words: &[u32]) -> Option<Result<ConstantTable, DecodeError>> {
        (kind(words) == Some("CTAB")).then(|| {
            let bytes: Vec<u8> = words[1..].iter().flat_map(|w| w.to_le_bytes()).collect();
            read(&bytes)
        })
    }

    /// Returns the constant that a register belongs to.
    pub fn find(&self, set: Set, register: u16) -> Option<&Constant> {
        self.constants
            .iter()
            .find(|c| c.set == set && register.checked_sub(c.register).is_some_and(|k| k < c.count))
    }
}

fn read(bytes: &[u8]) -> Result<ConstantTable, DecodeError> {
    let mut cursor = Cursor::new(bytes);
    let size = cursor.u32("size")?;
    if u64::from(size) != HEADER {
        return Err(cursor.unexpected(4, "size", size.into(), "28"));
    }
    let creator = cursor.u32("creator")?;
    let version = cursor.u32(VersionWord::LAYOUT.name)?;
    let count = cursor.u32("count")?;
    if count > MAX_CONSTANTS {
        return Err(cursor.unexpected(4, "count", count.into(), "at most 4096"));
    }
    let infos = cursor.u32("constants")?;
    let flags = cursor.u32("flags")?;
    let target = cursor.u32("target")?;
    let mut constants = Vec::new();
    let mut infos = cursor_at(bytes, infos, "constants")?;
    for _ in 0..count {
        let name = infos.u32("name")?;
        let set = infos.take::<2>("register set").map(u16::from_le_bytes)?;
        let register = infos.take::<2>("register index").map(u16::from_le_bytes)?;
        let registers = infos.take::<2>("register count").map(u16::from_le_bytes)?;
        infos.take::<2>("reserved")?;
        let shape = infos.u32("type")?;
        let default = infos.u32("default value")?;
        constants.push(Constant {
            name: string(bytes, name, "name")?,
            set: match set {
                0 => Set::Bool,
                1 => Set::Int,
                2 => Set::Float,
                3 => Set::Sampler,
                other => Set::Unknown(other),
            },
            register,
            count: registers,
            default,
            shape: self::shape(bytes, shape).ok(),
        });
    }
    Ok(ConstantTable {
        creator: string(bytes, creator, "creator")?,
        version,
        flags,
        target: string(bytes, target, "target")?,
        constants,
    })
}

fn shape(bytes: &[u8], offset: u32) -> Result<Shape, DecodeError> {
    let mut cursor = cursor_at(bytes, offset, "type")?;
    let mut next = || cursor.take::<2>("type").map(u16::from_le_bytes);
    Ok(Shape {
        class: next()?,
        base: next()?,
        rows: next()?,
        columns: next()?,
        elements: next()?,
        members: next()?,
    })
}

/// Returns a cursor over the table whose next byte is at an offset.
fn cursor_at<'a>(bytes: &'a [u8], offset: u32, field: &'static str) -> Result<Cursor<'a>, DecodeError> {
    usize::try_from(offset).ok().and_then(|offset| Cursor::at(bytes, offset)).ok_or(DecodeError {
        offset: u64::from(offset),
        field,
        problem: Problem::Truncated { needed: u64::from(offset), had: bytes.len() as u64 },
    })
}

/// Returns the zero-terminated text at an offset. Invalid UTF-8 is replaced.
fn string(bytes: &[u8], offset: u32, field: &'static str) -> Result<String, DecodeError> {
    // Compilers use an offset of 0, which would be inside the header, for "none".
    if offset == 0 {
        return Ok(String::new());
    }
    let rest = cursor_at(bytes, offset, field)?.rest();
    let rest = &rest[..rest.len().min(MAX_NAME_LENGTH)];
    let end = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
    Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
}

/// Returns the name of a usage.
pub fn usage_name(number: u8) -> Option<&'static str> {
    UsageName::from_number(number).map(UsageName::name)
}

/// Returns the name of a texture type.
pub fn texture_name(number: u8) -> Option<&'static str> {
    TextureType::from_number(number).map(TextureType::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a table with one constant, written field by field as described by HDR and VKD.
    fn example() -> Vec<u32> {
        let text = |s: &[u8; 4]| u32::from_le_bytes(*s);
        let head = [28, 64, 0xffff_0300, 1, 28, 0, 68];
        let info = [72, 2 | 5 << 16, 2, 48, 0];
        let shape = [1 | 3 << 16, 1 | 4 << 16, 2, 0];
        let names = [text(b"hlsl"), text(b"ps\0\0"), text(b"fog\0")];
        let mut words = vec![text(b"CTAB")];
        words.extend(head.into_iter().chain(info).chain(shape).chain(names));
        words
    }

    #[test]
    fn a_table_is_read_as_documented() {
        let table = ConstantTable::read(&example()).unwrap().unwrap();
        assert_eq!((table.version, table.target.as_str()), (0xffff_0300, "ps"));
        // The creator is not terminated by a zero, so it runs on into the target.
        assert_eq!(table.creator, "hlslps");
        let fog = &table.constants[0];
        assert_eq!((fog.name.as_str(), fog.set, fog.register, fog.count), ("fog", Set::Float, 5, 2));
        let shape = fog.shape.unwrap();
        assert_eq!((shape.class, shape.base, shape.rows, shape.columns, shape.elements), (1, 3, 1, 4, 2));
        assert_eq!(table.find(Set::Float, 6), Some(fog));
        assert_eq!(table.find(Set::Float, 7), None);
    }

    #[test]
    fn a_table_of_the_maximum_number_of_constants_is_read_and_a_larger_one_is_not() {
        let read = |count: u32| {
            let text = |s: &[u8; 4]| u32::from_le_bytes(*s);
            let mut words = vec![text(b"CTAB"), 28, 0, 0xffff_0300, count, 28, 0, 0];
            words.extend((0..count.min(5000)).flat_map(|k| [0, 2 | k << 16, 1, 0, 0]));
            ConstantTable::read(&words).unwrap()
        };
        for count in [0, 1, 2, 4095, 4096] {
            let table = read(count).unwrap();
            assert_eq!(table.constants.len(), count as usize);
            assert!((0..).zip(&table.constants).all(|(k, c)| (c.register, c.count) == (k, 1)));
        }
        for count in [4097, 5000, u32::MAX] {
            let error = read(count).unwrap_err();
            assert_eq!((error.offset, error.field), (12, "count"), "{count}");
        }
    }

    #[test]
    fn offsets_in_errors_about_constants_are_those_in_the_table() {
        // The list of constants begins at byte 28. Of the first constant, 12 bytes are left: all before its type.
        let error = ConstantTable::read(&example()[..11]).unwrap().unwrap_err();
        assert_eq!((error.offset, error.field), (28 + 12, "type"));
    }

    #[test]
    fn damage_is_an_error_with_an_offset() {
        let whole = example();
        for len in 1..whole.len() {
            let read = ConstantTable::read(&whole[..len]).unwrap();
            assert!(read.is_err() || len > 14, "{len} words are enough");
        }
        for at in 1..whole.len() {
            for value in [u32::MAX, 0x7fff_ffff, 4097, 0] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                // Reading a damaged table must terminate, and an error must name a field.
                if let Some(Err(error)) = ConstantTable::read(&damaged) {
                    assert!(!error.field.is_empty());
                }
            }
        }
        assert!(ConstantTable::read(&whole[1..]).is_none());
    }
}
