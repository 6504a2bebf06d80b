//! What programs call what they take from outside.

/// A file of values that come from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Given {
    /// Inputs, which each lane has its own of.
    Input,
    /// Float constants.
    Constant,
    /// Integer constants.
    Int,
    /// Boolean constants.
    Bool,
}

/// A name that a program has for consecutive slots: a declared usage, or the name of a uniform in its source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Of which file.
    pub file: Given,
    /// The first slot.
    pub first: u16,
    /// How many slots.
    pub count: u16,
    /// The name.
    pub name: String,
}
