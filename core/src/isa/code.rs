//! A program without its container.

/// The instructions of a program, as input for a decoder that does not read container files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The instruction bytes, in little-endian byte order.
    pub bytes: Vec<u8>,
    /// A table that instructions index, one element per row. Empty except for PICA200, where it contains the operand descriptors.
    pub table: Vec<u32>,
}

impl Code {
    /// Creates code without a table.
    pub fn plain(bytes: Vec<u8>) -> Code {
        Code { bytes, table: Vec::new() }
    }
}
