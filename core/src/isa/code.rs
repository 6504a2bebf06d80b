//! A program without its container.

/// The instructions of a program, as input for a decoder that does not read container files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Only the instructions, in little-endian byte order.
    pub bytes: Vec<u8>,
    /// The table that instructions refer to, one element per row. Only PICA200 has one: its operand descriptors.
    pub table: Vec<u32>,
}

impl Code {
    /// Instructions without a table.
    pub fn plain(bytes: Vec<u8>) -> Code {
        Code { bytes, table: Vec::new() }
    }
}
