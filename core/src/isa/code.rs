//! A program without its container.

/// The instructions of a program, as a decoder takes them that does not read files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The instructions and nothing else, in the byte order of a little-endian machine.
    pub bytes: Vec<u8>,
    /// The table that instructions refer to, one element a row; only PICA200 has one: its operand descriptors.
    pub table: Vec<u32>,
}

impl Code {
    /// Instructions without a table.
    pub fn plain(bytes: Vec<u8>) -> Code {
        Code { bytes, table: Vec::new() }
    }
}
