//! Pairs of facet values that no instruction of a legal program can have.

use crate::isa::d3d9::rules::Rule;
use crate::isa::facet::Infeasible;

const CONSTANT: &str = "no version allows this modifier on a constant";
const COORDINATES: &str = "only texture coordinates can have the modifier _dw";
const TEMPORARY: &str = "only temporaries can have the modifier _dz";
const NOT_INDEXED: &str = "temporaries cannot be indexed";
const SINGLE: &str = "vPos and vFace are single registers";
const OUTPUT: &str = "only output destinations can be indexed";
const NOT_WRITTEN: &str = "arithmetic cannot write this kind of register";
const NOT_READ: &str = "no source can read this kind of register";
const UNNUMBERED: &str = "the index determines the register at run time";

// The codes of the rules that forbid these pairs; which of them applies depends on version and opcode. Pairs without a rule are those that setters
// never make: when a register becomes indexed, its file changes to one that can be indexed, and overlapping registers can be written and read.
const MODIFIED: [u16; 3] =
    [Rule::SourceModifier.code(), Rule::ConstantModifier.code(), Rule::TextureSource.code()];
const MODIFIED_B: [u16; 3] =
    [Rule::SourceModifier.code(), Rule::ConstantModifier.code(), Rule::MatrixRows.code()];
const DIVISION: [u16; 1] = [Rule::SourceModifier.code()];
const INDEXED: [u16; 1] = [Rule::RelativeFile.code()];
const PAIR: [u16; 1] = [Rule::CoissuePair.code()];

/// The list of infeasible pairs, each with its reason.
#[rustfmt::skip]
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("a.file=bool", "a.swizzle=replicated", "a Boolean has no components"),
    Infeasible::in_word("b.file=bool", "b.swizzle=replicated", "a Boolean has no components"),
    Infeasible::in_word("a.file=constant", "a.modifier=dw", CONSTANT).by(&DIVISION),
    Infeasible::in_word("a.file=constant", "a.modifier=dz", CONSTANT).by(&DIVISION),
    Infeasible::in_word("a.file=constant", "a.modifier=x2", CONSTANT).by(&MODIFIED),
    Infeasible::in_word("a.file=constant", "a.modifier=x2neg", CONSTANT).by(&MODIFIED),
    Infeasible::in_word("b.file=constant", "b.modifier=x2", CONSTANT).by(&MODIFIED_B),
    Infeasible::in_word("b.file=constant", "b.modifier=x2neg", CONSTANT).by(&MODIFIED_B),
    Infeasible::in_word("c.file=constant", "c.modifier=x2", CONSTANT).by(&MODIFIED),
    Infeasible::in_word("c.file=constant", "c.modifier=x2neg", CONSTANT).by(&MODIFIED),
    Infeasible::in_word("a.file=input", "a.modifier=dw", COORDINATES).by(&DIVISION),
    Infeasible::in_word("a.file=temporary", "a.modifier=dw", COORDINATES).by(&DIVISION),
    Infeasible::in_word("a.file=input", "a.modifier=dz", TEMPORARY).by(&DIVISION),
    Infeasible::in_word("a.file=texture", "a.modifier=dz", TEMPORARY).by(&DIVISION),
    Infeasible::in_word("a.modifier=dw", "a.swizzle=identity", "a source with the modifier _dw has the swizzle xyw").by(&DIVISION),
    Infeasible::in_word("a.file=temporary", "a.index", NOT_INDEXED),
    Infeasible::in_word("b.file=temporary", "b.index", NOT_INDEXED),
    Infeasible::in_word("c.file=temporary", "c.index", NOT_INDEXED),
    Infeasible::in_word("d.file=temporary", "d.index", NOT_INDEXED),
    Infeasible::in_word("a.file=misc", "a.index", SINGLE),
    Infeasible::in_word("b.file=misc", "b.index", SINGLE),
    Infeasible::in_word("c.file=misc", "c.index", SINGLE),
    Infeasible::in_word("d.file=misc", "d.index", SINGLE),
    Infeasible::in_word("d.file=constant", "d.index", "only pixel shaders have a fourth source, and they cannot index constants").by(&INDEXED),
    Infeasible::in_word("dest.index", "dest=address", OUTPUT),
    Infeasible::in_word("dest.index", "dest=temporary", OUTPUT),
    Infeasible::in_word("overlap=a", "a.file=constant", NOT_WRITTEN),
    Infeasible::in_word("overlap=a", "a.file=input", NOT_WRITTEN),
    Infeasible::in_word("overlap=a", "a.file=misc", NOT_WRITTEN),
    Infeasible::in_word("overlap=a", "a.modifier=dw", COORDINATES).by(&DIVISION),
    Infeasible::in_word("overlap=a", "a.index", UNNUMBERED),
    Infeasible::in_word("overlap=a", "dest.index", UNNUMBERED),
    Infeasible::in_word("overlap=a", "dest=address", NOT_READ),
    Infeasible::in_word("overlap=a", "dest=depth", NOT_READ),
    Infeasible::in_word("overlap=a", "dest=output", NOT_READ),
    Infeasible::in_word("overlap=b", "b.file=constant", NOT_WRITTEN),
    Infeasible::in_word("overlap=b", "b.file=input", NOT_WRITTEN),
    Infeasible::in_word("overlap=b", "b.file=misc", NOT_WRITTEN),
    Infeasible::in_word("overlap=b", "b.index", UNNUMBERED),
    Infeasible::in_word("overlap=b", "dest.index", UNNUMBERED),
    Infeasible::in_word("overlap=b", "dest=depth", NOT_READ),
    Infeasible::in_word("overlap=b", "dest=output", NOT_READ),
    Infeasible::in_word("overlap=c", "c.file=constant", NOT_WRITTEN),
    Infeasible::in_word("overlap=c", "c.file=input", NOT_WRITTEN),
    Infeasible::in_word("overlap=c", "c.file=misc", NOT_WRITTEN),
    Infeasible::in_word("overlap=c", "c.index", UNNUMBERED),
    Infeasible::in_word("overlap=c", "dest.index", UNNUMBERED),
    Infeasible::in_word("overlap=c", "dest=depth", NOT_READ),
    Infeasible::in_word("overlap=c", "dest=output", NOT_READ),
    Infeasible::in_word("overlap=d", "d.file=constant", NOT_WRITTEN),
    Infeasible::in_word("overlap=d", "d.file=input", NOT_WRITTEN),
    Infeasible::in_word("overlap=d", "d.file=misc", NOT_WRITTEN),
    Infeasible::in_word("overlap=d", "d.file=texture", NOT_WRITTEN),
    Infeasible::in_word("overlap=d", "d.index", UNNUMBERED),
    Infeasible::in_word("overlap=d", "dest=depth", NOT_READ),
    Infeasible::in_word("overlap=d", "dest=output", NOT_READ),
    Infeasible::in_word("coissue=second", "mask=full", "each half of a pair writes either colour or alpha").by(&PAIR),
];
