//! Pairs of facet values that no instruction of a legal program has.

use crate::isa::agal::rules::Rule;
use crate::isa::facet::Infeasible;

const NOT_WRITTEN: &str = "only temporaries can be written and read";
const INDEXED: &str = "only constants can be indexed";
const INDEXING: &str = "only vertex programs can index constants";

// Numbers of the rules that forbid these pairs.
const FRAGMENT: [u16; 2] = [Rule::IndirectInFragment.code(), Rule::VertexOnly.code()];
// The opcode that only vertex programs have (`tld`) reads a texture, so its second operand is a sampler and has no index.
const FRAGMENT_B: [u16; 1] = [Rule::IndirectInFragment.code()];

/// The infeasible pairs of AGAL.
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("a.index", "stage=fragment", INDEXING).by(&FRAGMENT),
    Infeasible::in_word("a.index.component", "stage=fragment", INDEXING).by(&FRAGMENT),
    Infeasible::in_word("b.index", "stage=fragment", INDEXING).by(&FRAGMENT_B),
    Infeasible::in_word("b.index.component", "stage=fragment", INDEXING).by(&FRAGMENT_B),
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
    Infeasible::in_word("overlap=a", "a.file=constant", NOT_WRITTEN),
    Infeasible::in_word("overlap=a", "a.file=input", NOT_WRITTEN),
    Infeasible::in_word("overlap=b", "b.file=constant", NOT_WRITTEN),
    Infeasible::in_word("overlap=b", "b.file=input", NOT_WRITTEN),
];
