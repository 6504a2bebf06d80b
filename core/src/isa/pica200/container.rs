//! SHBIN, the container format of shaders: a DVLB with one DVLP, which holds the code, and a DVLE for each entry.
//!
//! Every part keeps its offset, so that files of any linker encode to the same bytes. Bytes that belong to no part are kept as gaps. Two entries may
//! refer to one DVLE, and tables of DVLEs may overlap; other parts may not. The reserved end of the DVLP header counts as a gap, since nihstro puts
//! its first DVLE there. Sources: S2, S4, S5.

#![deny(clippy::cast_possible_truncation)]

use super::word::ConstantKind;

/// Size in bytes of the DVLB header without the table of DVLE offsets.
pub const DVLB_HEADER_SIZE: u32 = 8;
/// Size in bytes of the used part of the DVLP header.
pub const DVLP_HEADER_SIZE: u32 = 0x1c;
/// Size of a DVLE header in bytes.
pub const DVLE_HEADER_SIZE: u32 = 0x40;

/// The names of the code, the descriptors and the tables of a DVLE, in text and in decode errors.
pub mod tables {
    /// The code.
    pub const CODE: &str = "code";
    /// The descriptors of operands.
    pub const DESCRIPTORS: &str = "descriptors";
    /// Constants that are set before the program runs.
    pub const CONSTANTS: &str = "constants";
    /// Labels.
    pub const LABELS: &str = "labels";
    /// The semantics of outputs.
    pub const OUTPUTS: &str = "outputs";
    /// The uniforms and inputs that have names.
    pub const UNIFORMS: &str = "uniforms";
    /// The text of the names.
    pub const SYMBOLS: &str = "symbols";
    /// The tables of a DVLE.
    pub const ALL: [&str; 5] = [CONSTANTS, LABELS, OUTPUTS, UNIFORMS, SYMBOLS];
}

/// An SHBIN file without its code and descriptors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shbin {
    /// DVLP version, 0 in all files seen.
    pub version: u32,
    /// Offset of the code from the start of the DVLP.
    pub code: u32,
    /// Offset of the descriptors from the start of the DVLP.
    pub descriptors: u32,
    /// Offset of the table of file names from the start of the DVLP. The file does not state the size of this table, so the bytes of the table are
    /// stored as gaps.
    pub filenames: u32,
    /// The DVLE of each entry, in order. Entries that refer to one DVLE have equal elements.
    pub dvles: Vec<Dvle>,
    /// Bytes that belong to no part, by ascending offset; gaps are not empty and not adjacent.
    pub gaps: Vec<Gap>,
}

/// Bytes that belong to no part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// Offset from the start of the file.
    pub offset: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A table of a DVLE, which may be at any offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table<T> {
    /// Offset from the start of the DVLE.
    pub offset: u32,
    /// The table's rows.
    pub rows: Vec<T>,
}

/// A DVLE: the data of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dvle {
    /// Offset from the start of the file.
    pub offset: u32,
    /// 1002h from picasso, 0 from aemstro and nihstro.
    pub version: u16,
    /// See [`DvleKind`](super::word::DvleKind).
    pub kind: u8,
    /// Bit 0: output maps are merged.
    pub flags: u8,
    /// Address of the entry, in words.
    pub main: u32,
    /// Address of the end of the entry's procedure, in words.
    pub end: u32,
    /// Bit n for `vn`.
    pub input_mask: u16,
    /// Bit n for `on`.
    pub output_mask: u16,
    /// See [`GeometryMode`](super::word::GeometryMode).
    pub mode: u8,
    /// Fixed mode: the first uniform.
    pub fixed_start: u8,
    /// Variable mode: number of vertices with all attributes.
    pub variable_vertices: u8,
    /// Fixed mode: number of vertices.
    pub fixed_vertices: u8,
    /// Constants.
    pub constants: Table<Constant>,
    /// Labels.
    pub labels: Table<Label>,
    /// Semantics of the outputs.
    pub outputs: Table<Output>,
    /// Names of inputs and uniforms.
    pub uniforms: Table<Symbol>,
    /// The text of the names, which other tables refer to by offset.
    pub symbols: Table<u8>,
}

/// A constant that a loader sets before the program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Constant {
    /// See [`ConstantKind`]; [`Constant::known_kind`] converts it.
    pub kind: u16,
    /// Number of the uniform in its register file.
    pub id: u16,
    /// For a float: four f24 numbers, x first. For an integer or a Boolean, the first word holds the value: see [`super::word`].
    pub words: [u32; 4],
}

impl Constant {
    /// Returns the kind of the constant; `None` if it has no known meaning.
    pub fn known_kind(&self) -> Option<ConstantKind> {
        u8::try_from(self.kind).ok().and_then(ConstantKind::from_number)
    }
}

/// A name for an address in the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Label {
    /// The label's number.
    pub id: u8,
    /// The unused bytes after `id`.
    pub unused: [u8; 3],
    /// The address, in words.
    pub word: u32,
    /// A word without a known meaning.
    pub unknown: u32,
    /// Offset of the name among the symbols.
    pub symbol: u32,
}

/// The semantic of an output register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Output {
    /// 0 position, 1 normal quaternion, 2 colour, 3 texcoord0, 4 texcoord0.w, 5 texcoord1, 6 texcoord2, 8 view, 9 dummy.
    pub kind: u16,
    /// Number of the register.
    pub register: u16,
    /// Components, bit 0 = x.
    pub mask: u8,
    /// The unused bytes after `mask`.
    pub unused: [u8; 3],
}

/// A name for input registers or uniforms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// Offset of the name among the symbols.
    pub symbol: u32,
    /// First register: 00h to 0Fh v, 10h to 6Fh c, 70h to 73h i, 78h to 87h b.
    pub first: u16,
    /// Last register, inclusive.
    pub last: u16,
}

/// A table row that can be read from bytes and written to bytes.
pub(super) trait Row: Sized {
    /// The size of a row in bytes.
    const SIZE: u32;
    /// Decodes a row; `None` if there are fewer bytes than [`Row::SIZE`].
    fn read(bytes: &[u8]) -> Option<Self>;
    /// Appends the encoded row to `to`.
    fn write(&self, to: &mut Vec<u8>);
}

impl Row for Constant {
    const SIZE: u32 = 0x14;
    fn read(bytes: &[u8]) -> Option<Constant> {
        let (head, words) = bytes.split_first_chunk::<4>()?;
        let [a, b, c, d] = *head;
        let mut words = words.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w));
        Some(Constant {
            kind: u16::from_le_bytes([a, b]),
            id: u16::from_le_bytes([c, d]),
            words: [words.next()?, words.next()?, words.next()?, words.next()?],
        })
    }
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.kind.to_le_bytes());
        to.extend(self.id.to_le_bytes());
        to.extend(self.words.iter().flat_map(|w| w.to_le_bytes()));
    }
}

impl Row for Label {
    const SIZE: u32 = 0x10;
    fn read(bytes: &[u8]) -> Option<Label> {
        let [first, word, unknown, symbol] = *bytes.as_chunks::<4>().0 else { return None };
        let [id, unused @ ..] = first;
        let [word, unknown, symbol] = [word, unknown, symbol].map(u32::from_le_bytes);
        Some(Label { id, unused, word, unknown, symbol })
    }
    fn write(&self, to: &mut Vec<u8>) {
        to.push(self.id);
        to.extend(self.unused);
        to.extend([self.word, self.unknown, self.symbol].iter().flat_map(|w| w.to_le_bytes()));
    }
}

impl Row for Output {
    const SIZE: u32 = 8;
    fn read(bytes: &[u8]) -> Option<Output> {
        let [a, b, c, d, mask, unused @ ..] = *bytes.first_chunk::<8>()?;
        let [kind, register] = [[a, b], [c, d]].map(u16::from_le_bytes);
        Some(Output { kind, register, mask, unused })
    }
    fn write(&self, to: &mut Vec<u8>) {
        to.extend([self.kind, self.register].iter().flat_map(|w| w.to_le_bytes()));
        to.push(self.mask);
        to.extend(self.unused);
    }
}

impl Row for Symbol {
    const SIZE: u32 = 8;
    fn read(bytes: &[u8]) -> Option<Symbol> {
        let [a, b, c, d, first @ .., l, m] = *bytes.first_chunk::<8>()?;
        let symbol = u32::from_le_bytes([a, b, c, d]);
        Some(Symbol { symbol, first: u16::from_le_bytes(first), last: u16::from_le_bytes([l, m]) })
    }
    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.symbol.to_le_bytes());
        to.extend([self.first, self.last].iter().flat_map(|w| w.to_le_bytes()));
    }
}
