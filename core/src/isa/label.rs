//! Labels: the names that a program gives its inputs and constants.

/// A register file that the environment fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Given {
    /// Inputs; each lane has its own.
    Input,
    /// Float constants.
    Constant,
    /// Integer constants.
    Int,
    /// Boolean constants.
    Bool,
}

/// The name of consecutive slots: a declared usage, or the name of a uniform in the source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The register file.
    pub file: Given,
    /// The first slot.
    pub first: u16,
    /// How many slots.
    pub count: u16,
    /// The name.
    pub name: String,
}
