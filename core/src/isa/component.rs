//! The components of vectors: their letters in assembly text, reports and values of facets.

/// The letters of the components.
pub const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];
/// The letters as names.
pub const NAMES: [&str; 4] = ["x", "y", "z", "w"];
/// The letters of the components of a colour.
pub const COLOUR_LETTERS: [char; 4] = ['r', 'g', 'b', 'a'];
