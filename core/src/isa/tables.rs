//! The tables of an instruction set: opcodes, word layouts, options, facets and sources. The manual, coverage points, rule instances and requests to
//! generators are derived from them.

use super::{Context, Format, Legality, OptionSpec, Options, Source, facet, manual};
use crate::binary::Layout;

/// A program for which one lowering rule is proved.
#[derive(Clone, Debug)]
pub struct RuleInstance<P> {
    /// The opcode with the facet values that were set for this instance, or the name of a scenario.
    pub name: String,
    /// The program: the instruction and the context that makes it legal.
    pub program: P,
    /// Whether mutants of the program's lowering are checked: true for the plain context of each opcode, for [`facet::Table::mutated`], and for some
    /// scenarios.
    pub mutate: bool,
}

/// An opcode in the form common to all instruction sets.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// The opcode's number in the encoding.
    pub number: u32,
    /// The opcode's name in assembly syntax.
    pub mnemonic: &'static str,
    /// The opcode's effect, in one line.
    pub meaning: &'static str,
    /// The document and section that define the opcode, with the evidence tag.
    pub source: &'static str,
}

/// A coverage point: an opcode and one of its modifiers. Coverage reports and signatures of findings use it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoverPoint {
    /// The mnemonic of the opcode.
    pub opcode: &'static str,
    /// A facet and its value, such as a mask, a register file or a version, as `facet=value`.
    pub modifier: String,
}

/// Describes an instruction set by tables.
pub trait Tables: Format {
    /// Returns the options: the points on which the documents disagree, each with its choices. The first choice is the default. Empty by default.
    fn option_specs() -> &'static [OptionSpec] {
        &[]
    }
    /// Returns every opcode.
    fn opcodes() -> &'static [OpcodeInfo];
    /// Returns the layout of every word of instructions.
    fn layouts() -> &'static [Layout];
    /// Returns the layouts that the format defines outside of instruction words: headers, containers, and fields that consist of parts. Empty by default.
    fn outer_layouts() -> &'static [Layout] {
        &[]
    }
    /// Returns the layouts of Lockstep's own words, which no document defines and no instruction contains: additional numbers of an entry
    /// ([`Entry::extra`](super::Entry::extra)), and words of Lockstep's own file forms. Empty by default.
    fn own_layouts() -> &'static [Layout] {
        &[]
    }
    /// Returns the sources of the facts in the tables, one for every tag that they cite.
    fn sources() -> &'static [Source];
    /// Returns the facet table, from which coverage points ([`facet::points`]) and instances of lowering rules ([`facet::rule_instances`]) are
    /// derived.
    fn facets() -> &'static facet::Table<Self::Program>;
    /// Returns a function that computes [`facet::Table::points`] for instructions of a program, in time near-linear in their number. Override it if
    /// points depend on more than the instruction itself.
    fn cover_points(program: &Self::Program) -> impl Fn(u32) -> Vec<CoverPoint> {
        move |word| Self::facets().points(program, word)
    }
    /// Returns the manual, made from the tables. Override it to add text and tables that are specific to the instruction set.
    fn manual() -> String
    where
        Self: Legality,
    {
        manual::plain::<Self>()
    }
}

/// Returns the number of instructions of a program: the maximum over its entries.
pub fn instruction_count<I: Tables>(program: &I::Program) -> u32 {
    let options = Options::new(I::option_specs());
    let count = |entry| I::instruction_count(&Context::<I> { program, entry: &entry, options: &options });
    I::entries(program).into_iter().map(count).max().unwrap_or(0)
}
