//! Pairs of facet values that no instruction of a legal program has.

use crate::isa::agal::rules::Rule;
use crate::isa::facet::Infeasible;

const NOT_WRITTEN: &str = "inputs and constants cannot be written";
const INDEXED: &str = "only constants can be indexed";
const INDEXING: &str = "only vertex programs can index constants";

// Numbers of the rules that forbid these pairs.
const FRAGMENT: [u16; 2] = [Rule::IndirectInFragment.code(), Rule::VertexOnly.code()];
const CONSTANTS: [u16; 1] = [Rule::ConstantWrite.code()];
const INPUTS: [u16; 2] = [Rule::AttributeWrite.code(), Rule::VaryingWrite.code()];

/// The infeasible pairs of AGAL.
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("a.index", "stage=fragment", INDEXING).by(&FRAGMENT),
    Infeasible::in_word("a.index.component", "stage=fragment", INDEXING).by(&FRAGMENT),
    Infeasible::in_word("b.index", "stage=fragment", INDEXING).by(&FRAGMENT),
    Infeasible::in_word("b.index.component", "stage=fragment", INDEXING).by(&FRAGMENT),
    Infeasible::in_word("a.index", "a.file=input", INDEXED),
    Infeasible::in_word("a.index.component", "a.file=input", INDEXED),
    Infeasible::in_word("a.index", "a.file=temporary", INDEXED),
    Infeasible::in_word("a.index.component", "a.file=temporary", INDEXED),
    Infeasible::in_word("a.index", "overlap=a", INDEXED),
    Infeasible::in_word("a.index.component", "overlap=a", INDEXED),
    Infeasible::in_word("b.index", "b.file=input", INDEXED),
    Infeasible::in_word("b.index.component", "b.file=input", INDEXED),
    Infeasible::in_word("b.index", "b.file=temporary", INDEXED),
    Infeasible::in_word("b.index.component", "b.file=temporary", INDEXED),
    Infeasible::in_word("b.index", "overlap=b", INDEXED),
    Infeasible::in_word("b.index.component", "overlap=b", INDEXED),
    Infeasible::in_word("overlap=a", "a.file=constant", NOT_WRITTEN).by(&CONSTANTS),
    Infeasible::in_word("overlap=a", "a.file=input", NOT_WRITTEN).by(&INPUTS),
    Infeasible::in_word("overlap=b", "b.file=constant", NOT_WRITTEN).by(&CONSTANTS),
    Infeasible::in_word("overlap=b", "b.file=input", NOT_WRITTEN).by(&INPUTS),
];
