//! Pairs of values that no instruction of a legal program has.

use crate::isa::facet::Infeasible;

const CONSTANT: &str = "no constant of ps_1_4 is modified";
const COORDINATES: &str = "only coordinates are divided by w";
const TEMPORARY: &str = "only temporaries are divided by z";
const NOT_INDEXED: &str = "temporaries are not indexed";
const SINGLE: &str = "vPos and vFace are single registers";
const OUTPUT: &str = "only outputs are indexed";

/// The list.
#[rustfmt::skip]
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("a.file=bool", "a.swizzle=replicated", "a Boolean has no components"),
    Infeasible::in_word("b.file=bool", "b.swizzle=replicated", "a Boolean has no components"),
    Infeasible::in_word("a.file=constant", "a.modifier=dw", CONSTANT),
    Infeasible::in_word("a.file=constant", "a.modifier=dz", CONSTANT),
    Infeasible::in_word("a.file=constant", "a.modifier=x2", CONSTANT),
    Infeasible::in_word("a.file=constant", "a.modifier=x2neg", CONSTANT),
    Infeasible::in_word("b.file=constant", "b.modifier=x2", CONSTANT),
    Infeasible::in_word("b.file=constant", "b.modifier=x2neg", CONSTANT),
    Infeasible::in_word("c.file=constant", "c.modifier=x2", CONSTANT),
    Infeasible::in_word("c.file=constant", "c.modifier=x2neg", CONSTANT),
    Infeasible::in_word("a.file=input", "a.modifier=dw", COORDINATES),
    Infeasible::in_word("a.file=temporary", "a.modifier=dw", COORDINATES),
    Infeasible::in_word("a.file=input", "a.modifier=dz", TEMPORARY),
    Infeasible::in_word("a.file=texture", "a.modifier=dz", TEMPORARY),
    Infeasible::in_word("a.modifier=dw", "a.swizzle=identity", "what is divided by w is read as xyw"),
    Infeasible::in_word("a.file=temporary", "a.index", NOT_INDEXED),
    Infeasible::in_word("b.file=temporary", "b.index", NOT_INDEXED),
    Infeasible::in_word("c.file=temporary", "c.index", NOT_INDEXED),
    Infeasible::in_word("d.file=temporary", "d.index", NOT_INDEXED),
    Infeasible::in_word("a.file=misc", "a.index", SINGLE),
    Infeasible::in_word("b.file=misc", "b.index", SINGLE),
    Infeasible::in_word("c.file=misc", "c.index", SINGLE),
    Infeasible::in_word("d.file=misc", "d.index", SINGLE),
    Infeasible::in_word("d.file=constant", "d.index", "only pixel shaders have a fourth source, and index no constants"),
    Infeasible::in_word("dest.index", "dest=address", OUTPUT),
    Infeasible::in_word("dest.index", "dest=temporary", OUTPUT),
    Infeasible::in_word("coissue=second", "mask=full", "half of a pair writes colour or alpha"),
];
