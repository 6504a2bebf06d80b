//! Modifiers that can meet, and those that never do.

use crate::generate::Apart;

/// The kinds of class of which an instruction can belong to two.
pub(super) const TWICE: &[&str] = &["result"];

/// The modifiers that no instruction of a legal program has together.
pub(super) const APART: &[Apart] = &[
    Apart::new("result=plain", "result", "plain stands for no other"),
    Apart::new(
        "a.file=bool",
        "a.swizzle=replicated",
        "generated programs name no component of a Boolean, which has one",
    ),
    Apart::new(
        "b.file=bool",
        "b.swizzle=replicated",
        "generated programs name no component of a Boolean, which has one",
    ),
    Apart::new("a.file=constant", "a.modifier=dw", "no constant of ps_1_4 is modified"),
    Apart::new("a.file=constant", "a.modifier=dz", "no constant of ps_1_4 is modified"),
    Apart::new("a.file=constant", "a.modifier=x2", "no constant of ps_1_4 is modified"),
    Apart::new("a.file=constant", "a.modifier=x2neg", "no constant of ps_1_4 is modified"),
    Apart::new("b.file=constant", "b.modifier=x2", "no constant of ps_1_4 is modified"),
    Apart::new("b.file=constant", "b.modifier=x2neg", "no constant of ps_1_4 is modified"),
    Apart::new("c.file=constant", "c.modifier=x2", "no constant of ps_1_4 is modified"),
    Apart::new("c.file=constant", "c.modifier=x2neg", "no constant of ps_1_4 is modified"),
    Apart::new("a.file=input", "a.modifier=dw", "only coordinates are divided by w"),
    Apart::new("a.file=temporary", "a.modifier=dw", "only coordinates are divided by w"),
    Apart::new("a.file=input", "a.modifier=dz", "only temporaries are divided by z"),
    Apart::new("a.file=texture", "a.modifier=dz", "only temporaries are divided by z"),
    Apart::new("a.modifier=dw", "a.swizzle=identity", "what is divided by w is read as xyw"),
    Apart::new("a.modifier=dz", "a.swizzle=permuted", "what is divided by z is read as xyz"),
    Apart::new("a.file=temporary", "a.index", "temporaries are not indexed"),
    Apart::new("b.file=temporary", "b.index", "temporaries are not indexed"),
    Apart::new("c.file=temporary", "c.index", "temporaries are not indexed"),
    Apart::new("d.file=temporary", "d.index", "temporaries are not indexed"),
    Apart::new("a.file=misc", "a.index", "vPos and vFace are single registers"),
    Apart::new("b.file=misc", "b.index", "vPos and vFace are single registers"),
    Apart::new("c.file=misc", "c.index", "vPos and vFace are single registers"),
    Apart::new("d.file=misc", "d.index", "vPos and vFace are single registers"),
    Apart::new(
        "d.file=constant",
        "d.index",
        "only pixel shaders have a fourth source, and index no constants",
    ),
    Apart::new("coissue=second", "mask=full", "half of a pair writes colour or alpha"),
    Apart::forms(
        "dest.index",
        "dest=address",
        "only outputs are indexed; instances of rules do not ask the validator",
    ),
    Apart::new("dest.index", "dest=temporary", "only outputs are indexed"),
];
