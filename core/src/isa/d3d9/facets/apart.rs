//! Values that never meet.

use crate::isa::facet::Apart;

const CONSTANT: &str = "no constant of ps_1_4 is modified";
const COORDINATES: &str = "only coordinates are divided by w";
const TEMPORARY: &str = "only temporaries are divided by z";
const NOT_INDEXED: &str = "temporaries are not indexed";
const SINGLE: &str = "vPos and vFace are single registers";
const OUTPUT: &str = "only outputs are indexed";

/// The list.
#[rustfmt::skip]
pub(super) const APART: &[Apart] = &[
    Apart::in_word("a.file=bool", "a.swizzle=replicated", "a Boolean has no components"),
    Apart::in_word("b.file=bool", "b.swizzle=replicated", "a Boolean has no components"),
    Apart::in_word("a.file=constant", "a.modifier=dw", CONSTANT),
    Apart::in_word("a.file=constant", "a.modifier=dz", CONSTANT),
    Apart::in_word("a.file=constant", "a.modifier=x2", CONSTANT),
    Apart::in_word("a.file=constant", "a.modifier=x2neg", CONSTANT),
    Apart::in_word("b.file=constant", "b.modifier=x2", CONSTANT),
    Apart::in_word("b.file=constant", "b.modifier=x2neg", CONSTANT),
    Apart::in_word("c.file=constant", "c.modifier=x2", CONSTANT),
    Apart::in_word("c.file=constant", "c.modifier=x2neg", CONSTANT),
    Apart::in_word("a.file=input", "a.modifier=dw", COORDINATES),
    Apart::in_word("a.file=temporary", "a.modifier=dw", COORDINATES),
    Apart::in_word("a.file=input", "a.modifier=dz", TEMPORARY),
    Apart::in_word("a.file=texture", "a.modifier=dz", TEMPORARY),
    Apart::in_word("a.modifier=dz", "a.swizzle=permuted", "what is divided by z is read as xyz"),
    Apart::in_word("a.modifier=dw", "a.swizzle=identity", "what is divided by w is read as xyw"),
    Apart::in_word("a.file=temporary", "a.index", NOT_INDEXED),
    Apart::in_word("b.file=temporary", "b.index", NOT_INDEXED),
    Apart::in_word("c.file=temporary", "c.index", NOT_INDEXED),
    Apart::in_word("d.file=temporary", "d.index", NOT_INDEXED),
    Apart::in_word("a.file=misc", "a.index", SINGLE),
    Apart::in_word("b.file=misc", "b.index", SINGLE),
    Apart::in_word("c.file=misc", "c.index", SINGLE),
    Apart::in_word("d.file=misc", "d.index", SINGLE),
    Apart::in_word("d.file=constant", "d.index", "only pixel shaders have a fourth source, and index no constants"),
    Apart::in_word("dest.index", "dest=address", OUTPUT),
    Apart::in_word("dest.index", "dest=temporary", OUTPUT),
    Apart::in_word("coissue=second", "mask=full", "half of a pair writes colour or alpha"),
];
