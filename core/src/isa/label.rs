//! Labels: names that a program defines for its inputs and constants.

/// A register file whose values come from outside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputFile {
    /// Input registers, with values per lane.
    Input,
    /// Float constants.
    Constant,
    /// Integer constants.
    Int,
    /// Boolean constants.
    Bool,
}

/// A name for consecutive slots: a declared usage, or the name of an input or constant from a symbol or constant table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The register file of the slots.
    pub file: InputFile,
    /// Number of the first slot.
    pub first: u16,
    /// Number of slots.
    pub count: u16,
    /// The name, as in the program.
    pub name: String,
}
